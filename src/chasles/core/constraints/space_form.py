r"""Rows of locked components in the space form, and the residual they are derivatives of.

g is written with vectors in inertial space and differentiated twice (see `chasles.core.rows`).
"""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import mat9
from chasles.core.assemble import point_velocity
from chasles.core.constraints.motion import joint_motion, put_space_row, put_turning_row
from chasles.core.rows import (
    advance,
    axis_product,
    column,
    frame_seen_from_a,
    space_eta_along,
    space_eta_point,
    space_eta_rotation,
)
from chasles.groups.vectors import cross, dot, matvec, scale, tmatvec

#: Bits of Joints.locked for the three translations, and for the three rotations.
ALL_TRANSLATIONS = 0b111000
ALL_ROTATIONS = 0b000111


@routine
def space_rotation_rows(
    locked: int, axes: Any, poses: Any, omegas: Any, row: int, jacobian: Any, eta: Any
) -> int:
    """Rows of e_a . e_b = 0; one axis locked in two ways, or all three axes."""
    axes_a, axes_b = axes
    whole = locked & ALL_ROTATIONS == ALL_ROTATIONS
    for k in range(3 if whole else 2 * (locked & 1)):
        # Row k turns about axis k: -y_a.z_b, -z_a.x_b, -x_a.y_b; for an axis -y_a.z_b, x_a.z_b.
        of_a = (k + 1) % 3 if whole else 1 - k
        of_b = (k + 2) % 3 if whole else 2
        sign = 1.0 if k == 1 and not whole else -1.0
        axis_a = scale(sign, column(axes_a, of_a))
        product = axis_product(column(axes_b, of_b), axis_a, omegas[0], omegas[1])
        row = put_turning_row(jacobian, eta, row, poses, omegas, product)
    return row


@routine
def space_translation_rows(
    joints: Any, joint: int, motion: Any, pitch: Any, row: int, jacobian: Any, eta: Any
) -> None:
    """Rows of x_b - x_a = 0 in the world, or of e_a . (x_b - x_a) = 0 where some slide.

    The former are resolved along the axes of body b: turning all three rows together changes the
    components of lambda, not the motion, and rounding errors then turn with the body instead of
    adding up in one direction (1e-12 m against 1e-13 m for a top after 5 s).
    """
    poses, twists, axes, omegas, points, velocities = motion
    locked, axes_b = joints.locked[joint], mat9(joints.axes_b, 9 * joint)
    seen = frame_seen_from_a(poses[0], poses[1], axes_b, points[1])[1]
    carried = point_velocity(poses[0], twists[0], seen)
    whole = locked & ALL_TRANSLATIONS == ALL_TRANSLATIONS and pitch == 0.0
    inertial = space_eta_point(omegas[0], velocities[0], omegas[1], velocities[1])
    for k in range(3):
        if locked >> (3 + k) & 1:
            h = pitch if k == 2 else 0.0
            beta = column(poses[1][0], k) if whole else column(axes[0], k)
            levers = (points[0] if whole else seen, points[1])
            alpha = (-h * beta[0], -h * beta[1], -h * beta[2])
            if whole:
                value = dot(beta, inertial)
            else:
                value = space_eta_along(beta, omegas[0], omegas[1], velocities[1], carried)
                value += space_eta_rotation(cross(omegas[0], alpha), omegas[0], omegas[1])
            row = put_space_row(jacobian, eta, row, alpha, beta, poses, levers, value)


@routine
def space_rows(system: Any, joint: int, absolute: Any, jacobian: Any, eta: Any) -> None:
    """Rows of one joint in the space form (see `chasles.core.rows`)."""
    joints, motion = system.joints, joint_motion(system, joint, absolute)
    poses, _, axes, omegas, _, _ = motion
    first, locked = joints.first_row[joint], joints.locked[joint]
    row = space_rotation_rows(locked, axes, poses, omegas, first, jacobian, eta)
    space_translation_rows(joints, joint, motion, joints.constant[joint], row, jacobian, eta)


@formula
def space_residual(locked: int, pitch: Any, turn: Any, shift: Any, axes_b: Any) -> Any:
    """(rotation, translation) residual whose rate the space rows give."""
    if locked & 0b100:
        rotation = (-turn[5], -turn[6], -turn[1])
    else:
        rotation = (-turn[5], turn[2], 0.0)
    translation = shift
    if pitch != 0.0:
        translation = (shift[0], shift[1], advance(pitch, turn, shift[2]))
    elif locked & 0b111000 == 0b111000:
        translation = matvec(axes_b, tmatvec(turn, shift))
    return rotation, translation
