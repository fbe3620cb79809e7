"""Motion of bodies, by name; energies and momenta of all of them together."""

from typing import Any

import numpy as np

from chasles.build.system.gaps import components
from chasles.build.system.state import in_world, rotations
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.groups.so3 import so3_from_matrix
from chasles.model import Body, InvalidOption
from chasles.model.checks import checked_vector
from chasles.model.errors import short_repr
from chasles.model.keywords import documented
from chasles.model.words import BodyAxes
from chasles.result import energy
from chasles.result.readout import PointHistory, point_history
from chasles.result.trajectory import Trajectory


class OfBodies(Trajectory):
    """Motion of bodies, by name."""

    @documented("(T, 3), m")
    def position(self, body: Body | str) -> Floats:
        """Centre of mass of a body in world coordinates."""
        return self._body(body)[:, POSE_X : POSE_X + 3]

    @documented("(T, 3, 3)")
    def rotation(self, body: Body | str) -> Floats:
        """Rotation matrices of a body, from body to world."""
        return rotations(self._body(body))

    @documented("(T, 3), m/s")
    def velocity(self, body: Body | str) -> Floats:
        """Velocity of the centre of mass of a body in world axes."""
        found = self._body(body)
        return in_world(found, found[:, TWIST + 3 :])

    @documented("(T, 3), rad/s")
    def angular_velocity(self, body: Body | str, axes: BodyAxes = "body") -> Floats:
        """Angular velocity of a body."""
        return self._along(body, self._body(body)[:, TWIST : TWIST + 3], axes)

    @documented("(T, 3), rad/s^2")
    def angular_acceleration(self, body: Body | str, axes: BodyAxes = "body") -> Floats:
        """Angular acceleration of a body.

        omega' is the same vector in both: the body's own turning does not change omega.
        """
        rate = self._rates[:, self.problem.setup.body_index[self.model.body(body).name], :3]
        return self._along(body, rate, axes)

    @documented("(T, 4)")
    def quaternion(self, body: Body | str) -> Floats:
        """Unit quaternions (w, x, y, z) of a body, from body to world, without jumps of sign."""
        q = np.stack(so3_from_matrix(components(self._body(body), POSE_R, 9)), axis=-1)
        flips = np.sum(q[1:] * q[:-1], axis=1) < 0.0
        return q * np.where(np.cumsum(np.concatenate(([False], flips))) % 2, -1.0, 1.0)[:, None]

    @documented("(T, 3), m/s^2")
    def acceleration(self, body: Body | str) -> Floats:
        """Acceleration of the centre of mass of a body in world axes."""
        return self.point(body, self.model.body(body).position).acceleration

    @documented(
        "PointHistory: With `position`, `velocity` and `acceleration`, each (T, 3)",
        at="The point in world coordinates, m, in the poses of the model.",
    )
    def point(self, body: Body | str, at: Any) -> PointHistory:
        """Path, velocity and acceleration of a point of a body, in world axes."""
        found = self.model.body(body)
        where = f"point of body '{found.name}'"
        point = checked_vector(at, "at", where, InvalidOption)
        lever = np.array(found.rotation).T @ (np.array(point) - np.array(found.position))
        index = self.problem.setup.body_index[found.name]
        return point_history(self.absolute[:, index], self._rates[:, index], lever)

    def _along(self, body: Body | str, vector: Floats, axes: str) -> Floats:
        """A vector in body axes, along the axes that were asked for."""
        if not isinstance(axes, str) or axes not in ("body", "world"):
            raise InvalidOption(
                f"axes must be 'body' or 'world', got {short_repr(axes)}.", "Name one."
            )
        return vector if axes == "body" else in_world(self._body(body), vector)


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
