"""Poses of all bodies moved by twists."""

import numpy as np

from chasles.core.arrays import POSE_R, POSE_X, Floats
from chasles.groups.so3 import so3_exp, so3_from_matrix, so3_matrix


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
