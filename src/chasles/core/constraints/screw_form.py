r"""Rows of locked components of the relative twist in the screw form, and the residual they close.

The relative twist is seen in frame B (see `chasles.core.rows`): constant coefficients, and eta = 0
for a joint to the ground.
"""

from typing import Any

from chasles.compiled import formula, hot, once
from chasles.core.assemble import frame_on_b, pose_of, twist_of
from chasles.core.constraints.motion import ZERO, negated, put_row
from chasles.core.rows import (
    advance,
    axis_misalignment,
    column,
    frame_seen_from_a,
    full_misalignment,
    nearest_turn,
    relative_joint_frame,
    rotation_row,
    screw_eta,
    translation_row,
    turn_about_axis,
    twist_in_joint_frame,
)
from chasles.groups.vectors import IDENTITY, add, cross, sub, tmatvec


@hot
def screw_rows(joints: Any, joint: int, absolute: Any, jacobian: Any, eta: Any) -> None:
    """Rows of one joint in the screw form (see `chasles.core.rows`), and of its rotors."""
    on_a, on_b, bracket = joint_in_frame_b(joints, joint, absolute)
    locked, pitch, row = joints.locked[joint], joints.constant[joint], joints.first_row[joint]
    put_components(locked, pitch, on_a, on_b, bracket, row, jacobian, eta)
    if joints.rotor_bits[joint] != 0:
        rotor_rows(joints, joint, absolute, jacobian, eta)


@once
def rotor_rows(joints: Any, joint: int, absolute: Any, jacobian: Any, eta: Any) -> None:
    r"""Rows of the coordinates that turn rotors, behind those of the joint.

    A rotor takes the effort $-\lambda$ along a coordinate, $\lambda = I_r\ddot q$.  With
    $\dot q = J V$ a component of the relative twist in B, $\ddot q = J\dot V - \eta$: a row that
    gives way, of compliance $1/I_r$,

    $$ M\dot V + J^T\lambda = Q, \qquad J\dot V - \lambda/I_r = \eta . $$
    """
    on_a, on_b, bracket = joint_in_frame_b(joints, joint, absolute)
    row = joints.first_row[joint] + joints.rows[joint]
    put_components(joints.rotor_bits[joint], 0.0, on_a, on_b, bracket, row, jacobian, eta)


@formula
def joint_in_frame_b(joints: Any, joint: int, absolute: Any) -> Any:
    """Frame B on body a and on body b, (axes, point), and the bracket of the bodies' twists."""
    a, b = joints.a[joint], joints.b[joint]
    axes, point = frame_on_b(joints, joint)
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
    return (seen_axes, seen_point), (axes, point), bracket


@formula
def put_components(
    which: int, pitch: Any, on_a: Any, on_b: Any, bracket: Any, row: int, jacobian: Any, eta: Any
) -> None:
    """Rows of some components of the relative twist."""
    for k in range(3):
        if which >> k & 1:
            row = put_row(
                jacobian,
                eta,
                row,
                negated(rotation_row(column(on_a[0], k))),
                rotation_row(column(on_b[0], k)),
                bracket[0][k],
            )
    for k in range(3):
        if which >> (3 + k) & 1:
            h = pitch if k == 2 else 0.0
            row = put_row(
                jacobian,
                eta,
                row,
                negated(translation_row(column(on_a[0], k), on_a[1], h)),
                translation_row(column(on_b[0], k), on_b[1], h),
                bracket[1][k] - h * bracket[0][k],
            )


@formula
def coordinate_rows(turns: bool, on_a: Any, on_b: Any) -> Any:
    """The rate of an angle or a displacement, the component along z: rows on bodies a and b."""
    if turns:
        return negated(rotation_row(column(on_a[0], 2))), rotation_row(column(on_b[0], 2))
    row_a = translation_row(column(on_a[0], 2), on_a[1], 0.0)
    return negated(row_a), translation_row(column(on_b[0], 2), on_b[1], 0.0)


@formula
def coordinate_between(
    absolute: Any, a: int, b: int, on_a: Any, on_b: Any, turns: bool, near: Any
) -> Any:
    """The angle nearest to `near`, or the displacement, of a frame on b against one on a.

    With its rate as rows on both bodies, and the frame on b as a sees it.
    """
    pose_a, pose_b = pose_of(absolute, a), pose_of(absolute, b)
    turn, shift = relative_joint_frame(pose_a, on_a, pose_b, on_b)
    seen = frame_seen_from_a(pose_a, pose_b, on_b[0], on_b[1])
    row_a, row_b = coordinate_rows(turns, seen, on_b)
    value = nearest_turn(turn_about_axis(turn), near) if turns else shift[2]
    return value, row_a, row_b, seen


@formula
def relative_twist(joints: Any, joint: int, absolute: Any) -> Any:
    """(omega, u) of frame B against A, along the axes of B."""
    on_a, on_b, _ = joint_in_frame_b(joints, joint, absolute)
    a, b = twist_of(absolute, joints.a[joint]), twist_of(absolute, joints.b[joint])
    carried, own = twist_in_joint_frame(a, *on_a), twist_in_joint_frame(b, *on_b)
    return sub(own[0], carried[0]), sub(own[1], carried[1])


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
