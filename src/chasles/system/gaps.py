"""By how much a joint is open: position-level residuals over any number of states."""

from typing import Any

import numpy as np

from chasles.core.arrays import (
    CONSTANT_VELOCITY,
    CUSTOM,
    DISTANCE,
    DRIVEN_AXIS,
    DRIVEN_TURN,
    LOWER_PAIR,
    POSE_R,
    POSE_X,
    ROLLING_DISC,
    ROLLING_SPHERE,
    SLIDING_POINT,
    UNIVERSAL,
    Floats,
    Forces,
    Joints,
    System,
)
from chasles.core.couplings import disc_above_plane, shafts_crossed
from chasles.core.rows import (
    advance,
    axis_misalignment,
    full_misalignment,
    relative_joint_frame,
    turn_about_axis,
)

#: Cosine between the axis of a disc and the normal of its plane, above which it lies on it.
NEARLY_FLAT = 0.99
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
    if joints.kind[joint] == CUSTOM:
        return custom_gap(residual, joints.a[joint], joints.b[joint], absolute)
    turn, shift = opening_history(joints, joint, absolute)
    shape = absolute.shape[:-2]
    rotation, translation = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    if joints.kind[joint] == LOWER_PAIR:
        put_pair_gap(system, joint, turn, shift, rotation, translation)
    else:
        put_coupling_gap(system, joint, turn, shift, target, rotation, translation)
    return rotation, translation


def put_pair_gap(
    system: System, joint: int, turn: Any, shift: Any, rotation: Floats, translation: Floats
) -> None:
    """Gaps of a lower pair."""
    locked = [bool(system.joints.locked[joint] >> k & 1) for k in range(6)]
    if locked[2]:
        rotation[...] = np.stack(np.broadcast_arrays(*full_misalignment(turn)), axis=-1)
    elif locked[0]:
        rotation[..., :2] = np.stack(axis_misalignment(turn), axis=-1)
    for k in range(3):
        if locked[3 + k]:
            translation[..., k] = shift[k]
    pitch = system.joints.constant[joint]
    if pitch != 0.0:
        translation[..., 2] = advance(pitch, turn, shift[2])


def put_coupling_gap(
    system: System, joint: int, turn: Any, shift: Any, target: Any,
    rotation: Floats, translation: Floats,
) -> None:  # fmt: skip
    """Gaps of joints that are no lower pairs, and of drivers."""
    constant = system.joints.constant[joint]
    kind, locked = system.joints.kind[joint], int(system.joints.locked[joint])
    if kind in (UNIVERSAL, CONSTANT_VELOCITY):
        translation[...] = np.stack(np.broadcast_arrays(*shift), axis=-1)
        product = turn[1] if kind == UNIVERSAL else 0.5 * shafts_crossed(turn)
        rotation[..., 2] = np.arcsin(np.clip(product, -1.0, 1.0))
    elif kind == SLIDING_POINT:
        for k in range(3):
            if locked >> (3 + k) & 1:
                translation[..., k] = shift[k] - target
    elif kind == DRIVEN_AXIS and locked == DRIVEN_TURN:
        angle = turn_about_axis(turn) - target
        rotation[..., 2] = angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
    elif kind == DRIVEN_AXIS:
        translation[..., 2] = shift[2] - target
    elif kind == DISTANCE:
        translation[..., 0] = np.sqrt(shift[0] ** 2 + shift[1] ** 2 + shift[2] ** 2) - constant
    elif kind == ROLLING_SPHERE:
        translation[..., 2] = shift[2] - constant
    elif kind == ROLLING_DISC:
        translation[..., 2] = disc_above_plane(constant, turn, shift)


def flat_disc(system: System, absolute: Floats) -> int | None:
    """The rolling disc that lies on its plane, or almost, at one state (n, 18)."""
    for joint in np.flatnonzero(system.joints.kind == ROLLING_DISC):
        turn, _ = opening_history(system.joints, int(joint), absolute)
        if abs(turn[8]) > NEARLY_FLAT:
            return int(joint)
    return None


def custom_gap(residual: Any, a: int, b: int, absolute: Floats) -> tuple[Floats, Floats]:
    """Gaps of a custom joint: its formula is called with floats, state by state."""
    shape = absolute.shape[:-2]
    states = absolute.reshape(-1, *absolute.shape[-2:])
    lengths = [np.linalg.norm(residual(*(plain_pose(s, body) for body in (a, b)))) for s in states]
    translation = np.zeros((len(states), 3))
    translation[:, 0] = lengths
    return np.zeros((*shape, 3)), translation.reshape(*shape, 3)


def plain_pose(state: Floats, body: int) -> Any:
    """(R, r) of a body at one state (n, 18), as tuples of floats."""
    if body < 0:
        return IDENTITY, (0.0, 0.0, 0.0)
    row = state[body].tolist()
    return tuple(row[POSE_R : POSE_R + 9]), tuple(row[POSE_X : POSE_X + 3])
