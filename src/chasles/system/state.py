"""A state in words and SI units: all bodies of a model at one time."""

from dataclasses import dataclass

import numpy as np

from chasles.model import Model
from chasles.system.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, TWIST, Floats


@dataclass(frozen=True)
class State:
    """Poses and velocities of all bodies, in the model's order.

    position (n, 3) and velocity (n, 3) of the centres of mass in the world, rotation (n, 3, 3) from
    body to world, angular_velocity (n, 3) in body frames.
    """

    t: float
    bodies: tuple[str, ...]
    position: Floats
    rotation: Floats
    velocity: Floats
    angular_velocity: Floats

    @classmethod
    def from_absolute(cls, t: float, model: Model, absolute: Floats) -> "State":
        """From rows (R, r, omega, v) in the model's order."""
        rotation = absolute[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3).copy()
        return cls(
            t=t,
            bodies=model.body_names,
            position=absolute[:, POSE_X : POSE_X + 3].copy(),
            rotation=rotation,
            velocity=np.einsum("bij,bj->bi", rotation, absolute[:, TWIST + 3 : TWIST + 6]),
            angular_velocity=absolute[:, TWIST : TWIST + 3].copy(),
        )

    def to_absolute(self) -> Floats:
        """Rows (R, r, omega, v) in the model's order."""
        absolute = np.zeros((len(self.bodies), ABSOLUTE_WIDTH))
        absolute[:, POSE_R : POSE_R + 9] = self.rotation.reshape(-1, 9)
        absolute[:, POSE_X : POSE_X + 3] = self.position
        absolute[:, TWIST : TWIST + 3] = self.angular_velocity
        absolute[:, TWIST + 3 :] = np.einsum("bji,bj->bi", self.rotation, self.velocity)
        return absolute
