"""By how much a joint is open: position-level residuals over any number of states."""

from typing import Any

import numpy as np

from chasles.core.arrays import POSE_R, POSE_X, Floats, Forces, Joints, System
from chasles.core.constraints.kind import Opening
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.constraints.rolling import ROLLING_DISC
from chasles.core.rows import relative_joint_frame
from chasles.groups.vectors import IDENTITY

#: Cosine between the axis of a disc and the normal of its plane, above which it lies on it.
NEARLY_FLAT = 0.99


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


def frame_of(pairs: Joints | Forces, index: int, side: str) -> Any:
    """(axes, point) of a joint or force on its body a or b, in that body's frame."""
    if side == "a":
        return tuple(pairs.axes_a[index]), tuple(pairs.point_a[index])
    return tuple(pairs.axes_b[index]), tuple(pairs.point_b[index])


def opening_history(pairs: Joints | Forces, index: int, absolute: Floats) -> Any:
    """Frame B of a joint or force seen from A, (turn, shift), at absolute states (..., n, 18)."""
    return relative_joint_frame(
        pose_history(absolute, int(pairs.a[index])),
        frame_of(pairs, index, "a"),
        pose_history(absolute, int(pairs.b[index])),
        frame_of(pairs, index, "b"),
    )


def joint_gap(
    system: System, joint: int, absolute: Floats, target: Any = 0.0, residual: Any = None
) -> tuple[Floats, Floats]:
    """Rotation (rad) and translation (m) by which a joint is open, in its frame on body a.

    Components that the joint leaves free are zero.  `absolute` is (..., n, 18); both results are
    (..., 3).  A helical joint is measured against the nearest turn of its thread, a driver against
    the `target` of its motion.  A custom joint has only its `residual`, a function of two poses:
    the length of what it returns counts as translation, whatever its unit.
    """
    joints = system.joints
    turn, shift = opening_history(joints, joint, absolute)
    opening = Opening(
        turn=turn,
        shift=shift,
        constant=float(joints.constant[joint]),
        locked=int(joints.locked[joint]),
        target=target,
        poses=[pose_history(absolute, int(body[joint])) for body in (joints.a, joints.b)],
        residual=residual,
    )
    rotation, translation = CONSTRAINTS[joints.kind[joint]].gap(opening)
    return stacked(rotation, absolute), stacked(translation, absolute)


def stacked(vector: Any, absolute: Floats) -> Floats:
    """A formula's tuple over states as one array (..., 3)."""
    out = np.empty((*absolute.shape[:-2], 3))
    for k in range(3):
        out[..., k] = vector[k]
    return out


def flat_disc(system: System, absolute: Floats) -> int | None:
    """The rolling disc that lies on its plane, or almost, at one state (n, 18)."""
    for joint in np.flatnonzero(system.joints.kind == CONSTRAINTS.code(ROLLING_DISC)):
        turn, _ = opening_history(system.joints, int(joint), absolute)
        if abs(turn[8]) > NEARLY_FLAT:
            return int(joint)
    return None
