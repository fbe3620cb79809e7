"""Poses of all bodies moved by twists, and the angles of joints counted along."""

import numpy as np

from chasles.groups.so3 import so3_exp, so3_from_matrix, so3_matrix
from chasles.system.arrays import (
    AXES_A,
    AXES_B,
    FORCE_A,
    FORCE_ANGLE,
    FORCE_B,
    POINT_A,
    POINT_B,
    POSE_R,
    POSE_X,
    Floats,
    System,
)
from chasles.system.gaps import pose_history
from chasles.system.rows import nearest_turn, relative_joint_frame, turn_about_axis


def rotations(absolute: Floats) -> Floats:
    """(n, 3, 3) of an absolute state (n, 18)."""
    return absolute[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)


def moved(absolute: Floats, twists: Floats) -> Floats:
    """The state with poses (R exp(omega), x + R u), (omega, u) (n, 6); body twists are kept."""
    turn = np.stack(so3_matrix(so3_exp(tuple(twists[:, :3].T))), axis=-1).reshape(-1, 3, 3)
    rotation, out = rotations(absolute), absolute.copy()
    out[:, POSE_R : POSE_R + 9] = (rotation @ turn).reshape(-1, 9)
    out[:, POSE_X : POSE_X + 3] += np.einsum("bij,bj->bi", rotation, twists[:, 3:])
    return out


def orthogonal(absolute: Floats) -> Floats:
    """The state with its rotations made orthogonal again."""
    out = absolute.copy()
    nine = tuple(absolute[:, POSE_R + k] for k in range(9))
    out[:, POSE_R : POSE_R + 9] = np.stack(so3_matrix(so3_from_matrix(nine)), axis=-1)
    return out


def unwrapped(system: System, absolute: Floats, near: Floats) -> Floats:
    """The angles of joints that forces act on, with the turns that bring them closest to `near`.

    Other entries of `near` (quadratures,) are kept.
    """
    angles = near.copy()
    for law, ends in zip(system.forces, system.force_ends):
        if ends[FORCE_ANGLE] >= 0:
            frames = [
                (tuple(law[axes : axes + 9]), tuple(law[point : point + 3]))
                for axes, point in ((AXES_A, POINT_A), (AXES_B, POINT_B))
            ]
            a, b = (pose_history(absolute, int(ends[side])) for side in (FORCE_A, FORCE_B))
            turn, _ = relative_joint_frame(a, frames[0], b, frames[1])
            angles[ends[FORCE_ANGLE]] = nearest_turn(turn_about_axis(turn), near[ends[FORCE_ANGLE]])
    return angles
