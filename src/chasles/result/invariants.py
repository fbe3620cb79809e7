"""Energies and momenta of all bodies together."""

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
        return energy.potential_of_all(self.problem.setup, self.absolute, self.integrals)

    @documented("(T,), J")
    def energy(self) -> Floats:
        """Kinetic and potential energy."""
        return self.kinetic_energy() + self.potential_energy()

    @documented(
        "(T,), J. Zero except for the error of the method and the loss in inelastic impacts"
    )
    def energy_balance(self) -> Floats:
        """Energy gained since the first state minus the work of forces and drivers since then."""
        return energy.balance(self.problem.setup, self.absolute, self.integrals)

    @documented("(T, 3), N s")
    def momentum(self) -> Floats:
        """Total linear momentum in world axes."""
        return energy.linear_momentum(self.problem.setup, self.absolute)

    @documented("(T, 3), N m s")
    def angular_momentum(self) -> Floats:
        """Total angular momentum about the world's origin, in world axes."""
        return energy.angular_momentum(self.problem.setup, self.absolute)
