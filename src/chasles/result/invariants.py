"""Energies and momenta of all bodies together."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model.docstrings import documented
from chasles.result import energy
from chasles.result.trajectory import Trajectory


class OfEnergy(Trajectory):
    """Energies and momenta of all bodies together."""

    @documented("(T,), J")
    def kinetic_energy(self) -> Floats:
        """Kinetic energy of all bodies, and of rotors (armature)."""
        return energy.kinetic_of_all(self.problem.setup, self.absolute)

    @documented("(T,), J")
    def potential_energy(self) -> Floats:
        """Potential energy of gravity (zero at the world's origin) and of springs."""
        setup = self.problem.setup
        stored = energy.stored(setup, self.absolute, self.integrals).sum(axis=1)
        return energy.potential(setup, self.absolute).sum(axis=1) + stored

    @documented("(T,), J")
    def energy(self) -> Floats:
        """Kinetic and potential energy."""
        return self.kinetic_energy() + self.potential_energy()

    @documented(
        "(T,), J. Zero except for the error of the method and the loss in inelastic impacts"
    )
    def energy_balance(self) -> Floats:
        """Energy gained since the first state minus the work of forces and drivers since then."""
        energy, work = self.energy(), self._work_done()
        return energy - energy[0] - (work - work[0])

    def _work_done(self) -> Floats:
        """Of all forces and drivers since the start of the run (T,)."""
        count = len(self.model.forces) + len(self.model.drivers)
        return np.asarray(self.integrals[:, :count].sum(axis=1))

    @documented("(T, 3), N s")
    def momentum(self) -> Floats:
        """Total linear momentum in world axes."""
        return energy.linear_momentum(self.problem.setup, self.absolute)

    @documented("(T, 3), N m s")
    def angular_momentum(self) -> Floats:
        """Total angular momentum about the world's origin, in world axes."""
        return energy.angular_momentum(self.problem.setup, self.absolute)
