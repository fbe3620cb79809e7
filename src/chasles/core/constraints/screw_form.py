r"""Rows of locked components of the relative twist in the screw form, and the residual they close.

The relative twist is seen in frame B (see `chasles.core.rows`): constant coefficients, and eta = 0
for a joint to the ground.
"""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import mat9, vec3
from chasles.core.assemble import pose_of, twist_of
from chasles.core.constraints.motion import ZERO, negated, put_row
from chasles.core.rows import (
    advance,
    axis_misalignment,
    column,
    frame_seen_from_a,
    full_misalignment,
    rotation_row,
    screw_eta,
    translation_row,
    twist_in_joint_frame,
)
from chasles.groups.vectors import add, cross, tmatvec

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@hot
def screw_rows(joints: Any, joint: int, absolute: Any, jacobian: Any, eta: Any) -> None:
    """Rows of one joint in the screw form (see `chasles.core.rows`)."""
    a, b, locked = joints.a[joint], joints.b[joint], joints.locked[joint]
    axes, point = mat9(joints.axes_b, 9 * joint), vec3(joints.point_b, 3 * joint)
    pitch = joints.constant[joint]
    seen_axes, seen_point = IDENTITY, ZERO
    bracket = (ZERO, ZERO)
    if a >= 0:
        seen_axes, seen_point = frame_seen_from_a(
            pose_of(absolute, a), pose_of(absolute, b), axes, point
        )
        bracket = screw_eta(
            twist_in_joint_frame(twist_of(absolute, a), seen_axes, seen_point),
            twist_in_joint_frame(twist_of(absolute, b), axes, point),
        )
    row = joints.first_row[joint]
    for k in range(3):
        if locked >> k & 1:
            row = put_row(
                jacobian,
                eta,
                row,
                negated(rotation_row(column(seen_axes, k))),
                rotation_row(column(axes, k)),
                bracket[0][k],
            )
    for k in range(3):
        if locked >> (3 + k) & 1:
            h = pitch if k == 2 else 0.0
            row = put_row(
                jacobian,
                eta,
                row,
                negated(translation_row(column(seen_axes, k), seen_point, h)),
                translation_row(column(axes, k), point, h),
                bracket[1][k] - h * bracket[0][k],
            )


@formula
def screw_residual(locked: int, pitch: Any, turn: Any, shift: Any) -> Any:
    """(rotation, translation) residual along the axes of B, whose rate the screw rows give."""
    rotation = ZERO
    if locked & 0b100:
        rotation = full_misalignment(turn)
    elif locked & 0b001:
        x, y = axis_misalignment(turn)
        rotation = tmatvec(turn, (x, y, 0.0))
    # Turning B back by the misalignment moves a point that has slid: that part is no gap.
    slid = tmatvec(turn, shift)
    translation = add(slid, cross(rotation, slid))
    if pitch != 0.0:
        translation = (translation[0], translation[1], advance(pitch, turn, shift[2]))
    return rotation, translation
