"""Energies and momenta of all bodies together."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.result import energy
from chasles.result.trajectory import Trajectory


class OfEnergy(Trajectory):
    """Energies and momenta of all bodies together."""

    def kinetic_energy(self) -> Floats:
        """Kinetic energy of all bodies, and of rotors (armature).

        Returns
        -------
        ndarray
            (T,), J.
        """
        return energy.kinetic_of_all(self.problem.setup, self.absolute)

    def potential_energy(self) -> Floats:
        """Potential energy of gravity (zero at the world's origin) and of springs.

        Returns
        -------
        ndarray
            (T,), J.
        """
        setup = self.problem.setup
        stored = energy.stored(setup, self.absolute, self.integrals).sum(axis=1)
        return energy.potential(setup, self.absolute).sum(axis=1) + stored

    def energy(self) -> Floats:
        """Kinetic and potential energy.

        Returns
        -------
        ndarray
            (T,), J.
        """
        return self.kinetic_energy() + self.potential_energy()

    def energy_balance(self) -> Floats:
        """Energy gained since the first state minus the work of all forces and drivers since then.

        Returns
        -------
        ndarray
            (T,), J. Zero except for the error of the method and the loss in inelastic impacts.
        """
        energy, work = self.energy(), self._work_done()
        return energy - energy[0] - (work - work[0])

    def _work_done(self) -> Floats:
        """Of all forces and drivers since the start of the run (T,)."""
        count = len(self.model.forces) + len(self.model.drivers)
        return np.asarray(self.integrals[:, :count].sum(axis=1))

    def momentum(self) -> Floats:
        """Total linear momentum in world axes.

        Returns
        -------
        ndarray
            (T, 3), N s.
        """
        return energy.linear_momentum(self.problem.setup, self.absolute)

    def angular_momentum(self) -> Floats:
        """Total angular momentum about the world's origin, in world axes.

        Returns
        -------
        ndarray
            (T, 3), N m s.
        """
        return energy.angular_momentum(self.problem.setup, self.absolute)
