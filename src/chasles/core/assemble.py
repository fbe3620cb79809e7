"""Placed bodies, and the two frames of a joint or force on them, as formulas read them."""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    TWIST,
    mat9,
    twist6,
    vec3,
)
from chasles.core.rows import relative_joint_frame
from chasles.groups.vectors import IDENTITY, ZERO, add, cross, matvec


@formula
def pose_of(absolute: Any, body: int) -> Any:
    if body < 0:
        return IDENTITY, ZERO
    return mat9(absolute, body * ABSOLUTE_WIDTH + POSE_R), vec3(
        absolute, body * ABSOLUTE_WIDTH + POSE_X
    )


@formula
def twist_of(absolute: Any, body: int) -> Any:
    if body < 0:
        return ZERO, ZERO
    return twist6(absolute, body * ABSOLUTE_WIDTH + TWIST)


@formula
def point_velocity(pose: Any, twist: Any, point: Any) -> Any:
    """Velocity in the world of a point of a body."""
    return matvec(pose[0], add(twist[1], cross(twist[0], point)))


@formula
def frame_on_a(parts: Any, index: int) -> Any:
    """(axes, point) of a joint or force on body a, in its frame."""
    return mat9(parts.axes_a, 9 * index), vec3(parts.point_a, 3 * index)


@formula
def frame_on_b(parts: Any, index: int) -> Any:
    """(axes, point) of a joint or force on body b, in its frame."""
    return mat9(parts.axes_b, 9 * index), vec3(parts.point_b, 3 * index)


@formula
def opening_of(parts: Any, index: int, absolute: Any) -> Any:
    """Frame B of a joint or force seen from A: (turn, shift)."""
    return relative_joint_frame(
        pose_of(absolute, parts.a[index]), frame_on_a(parts, index),
        pose_of(absolute, parts.b[index]), frame_on_b(parts, index),
    )  # fmt: skip
