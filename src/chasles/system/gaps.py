"""By how much a joint is open: position-level residuals over any number of states."""

from typing import Any

import numpy as np

from chasles.system.arrays import (
    AXES_A,
    AXES_B,
    BODY_A,
    BODY_B,
    LOCKED,
    PITCH,
    POINT_A,
    POINT_B,
    POSE_R,
    POSE_X,
    Floats,
    System,
)
from chasles.system.rows import (
    advance,
    axis_misalignment,
    full_misalignment,
    relative_joint_frame,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def components(array: Floats, first: int, count: int) -> tuple[Floats, ...]:
    """Neighbouring last-axis columns as a formula's tuple of array scalars."""
    return tuple(array[..., first + k] for k in range(count))


def pose_history(absolute: Floats, body: int) -> Any:
    """(R, r) of a body over all states of `absolute` (..., n, 18); the ground is constant."""
    if body < 0:
        return IDENTITY, (0.0, 0.0, 0.0)
    return (
        components(absolute[..., body, :], POSE_R, 9),
        components(absolute[..., body, :], POSE_X, 3),
    )


def joint_frame(system: System, joint: int, side: str) -> Any:
    """(axes, point) of a joint on its body a or b, in that body's frame."""
    axes, point = (AXES_A, POINT_A) if side == "a" else (AXES_B, POINT_B)
    row = system.joints[joint]
    return tuple(row[axes : axes + 9]), tuple(row[point : point + 3])


def joint_gap(system: System, joint: int, absolute: Floats) -> tuple[Floats, Floats]:
    """Rotation (rad) and translation (m) by which a joint is open, in its frame on body a.

    Components that the joint leaves free are zero.  `absolute` is (..., n, 18); both results are
    (..., 3).  A helical joint is measured against the nearest turn of its thread.
    """
    ends = system.joint_bodies[joint]
    locked = [bool(ends[LOCKED] >> k & 1) for k in range(6)]
    turn, shift = relative_joint_frame(
        pose_history(absolute, ends[BODY_A]),
        joint_frame(system, joint, "a"),
        pose_history(absolute, ends[BODY_B]),
        joint_frame(system, joint, "b"),
    )
    shape = absolute.shape[:-2]
    rotation, translation = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    if locked[2]:
        rotation[...] = np.stack(np.broadcast_arrays(*full_misalignment(turn)), axis=-1)
    elif locked[0]:
        rotation[..., :2] = np.stack(axis_misalignment(turn), axis=-1)
    pitch = system.joints[joint, PITCH]
    for k in range(3):
        if locked[3 + k]:
            translation[..., k] = shift[k]
    if pitch != 0.0:
        translation[..., 2] = advance(pitch, turn, shift[2])
    return rotation, translation
