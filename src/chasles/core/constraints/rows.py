r"""Rows of joints in both acceleration forms, and the residual they close (`chasles.core.placed`).

In the *screw* form the relative twist is seen in frame B: constant coefficients, and eta = 0 for a
joint to the ground.  In the *space* form g is written with vectors in inertial space and
differentiated twice.
"""

from typing import Any

from chasles.compiled import formula, hot, once, routine
from chasles.core.arrays import ROW_WIDTH, mat9, put_twist
from chasles.core.placed import (
    advance,
    axis_misalignment,
    axis_product,
    column,
    frame_on_a,
    frame_on_b,
    frame_seen_from_a,
    full_misalignment,
    nearest_turn,
    point_velocity,
    pose_of,
    relative_joint_frame,
    rotation_row,
    screw_eta,
    space_eta_along,
    space_eta_point,
    space_eta_rotation,
    space_row_of_body,
    translation_row,
    turn_about_axis,
    twist_in_joint_frame,
    twist_of,
)
from chasles.core.twists import negated, power, sub_twists
from chasles.groups.vectors import IDENTITY, ZERO, add, cross, dot, matmul, matvec, scale, tmatvec


@formula
def put_row(jacobian: Any, eta: Any, row: int, row_a: Any, row_b: Any, value: Any) -> int:
    """Write one row: columns 0..5 for body a, 6..11 for body b; returns the next row."""
    put_twist(jacobian, row * ROW_WIDTH, row_a)
    put_twist(jacobian, row * ROW_WIDTH + 6, row_b)
    eta[row] = value
    return row + 1


@formula
def put_space_row(
    jacobian: Any, eta: Any, row: int, alpha: Any, beta: Any, poses: Any, levers: Any, value: Any
) -> int:
    r"""A row $\alpha\cdot(\omega_b - \omega_a) + \beta\cdot(\dot x_b - \dot x_a)$; the next row."""
    on_a = negated(space_row_of_body(alpha, beta, poses[0][0], levers[0]))
    on_b = space_row_of_body(alpha, beta, poses[1][0], levers[1])
    return put_row(jacobian, eta, row, on_a, on_b, value)


@formula
def joint_motion(system: Any, joint: int, absolute: Any) -> Any:
    """What rows are made of: poses, joint axes in the world, angular and point velocities."""
    a, b = system.joints.a[joint], system.joints.b[joint]
    poses = (pose_of(absolute, a), pose_of(absolute, b))
    twists = (twist_of(absolute, a), twist_of(absolute, b))
    on_a, on_b = frame_on_a(system.joints, joint), frame_on_b(system.joints, joint)
    axes = (matmul(poses[0][0], on_a[0]), matmul(poses[1][0], on_b[0]))
    omegas = (matvec(poses[0][0], twists[0][0]), matvec(poses[1][0], twists[1][0]))
    points = (on_a[1], on_b[1])
    velocities = (
        point_velocity(poses[0], twists[0], points[0]),
        point_velocity(poses[1], twists[1], points[1]),
    )
    return poses, twists, axes, omegas, points, velocities


@formula
def put_turning_row(
    jacobian: Any, eta: Any, row: int, poses: Any, omegas: Any, product: Any
) -> int:
    r"""A row $\alpha\cdot(\omega_b - \omega_a) = 0$.

    `product` is alpha and its rate, of a g that is made of products of axes (see `axis_product`).
    """
    alpha, rate = product
    value = space_eta_rotation(rate, omegas[0], omegas[1])
    return put_space_row(jacobian, eta, row, alpha, ZERO, poses, (ZERO, ZERO), value)


@hot
def screw_rows(joints: Any, joint: int, absolute: Any, jacobian: Any, eta: Any) -> None:
    """Rows of one joint in the screw form (see `chasles.core.placed`), and of its rotors."""
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
            row_a, row_b = rotation_row(column(on_a[0], k)), rotation_row(column(on_b[0], k))
            row = put_row(jacobian, eta, row, negated(row_a), row_b, bracket[0][k])
    for k in range(3):
        if which >> (3 + k) & 1:
            h = pitch if k == 2 else 0.0
            row_a = translation_row(column(on_a[0], k), on_a[1], h)
            row_b = translation_row(column(on_b[0], k), on_b[1], h)
            value = bracket[1][k] - h * bracket[0][k]
            row = put_row(jacobian, eta, row, negated(row_a), row_b, value)


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

    With its rate, as a number and as rows on both bodies, and the frame on b as a sees it.
    """
    pose_a, pose_b = pose_of(absolute, a), pose_of(absolute, b)
    turn, shift = relative_joint_frame(pose_a, on_a, pose_b, on_b)
    seen = frame_seen_from_a(pose_a, pose_b, on_b[0], on_b[1])
    row_a, row_b = coordinate_rows(turns, seen, on_b)
    value = nearest_turn(turn_about_axis(turn), near) if turns else shift[2]
    rate = power(row_b, twist_of(absolute, b)) + power(row_a, twist_of(absolute, a))
    return value, rate, row_a, row_b, seen


@formula
def relative_twist(joints: Any, joint: int, absolute: Any) -> Any:
    """(omega, u) of frame B against A, along the axes of B."""
    on_a, on_b, _ = joint_in_frame_b(joints, joint, absolute)
    a, b = twist_of(absolute, joints.a[joint]), twist_of(absolute, joints.b[joint])
    return sub_twists(twist_in_joint_frame(b, *on_b), twist_in_joint_frame(a, *on_a))


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
    """Rows of one joint in the space form (see `chasles.core.placed`), and of its rotors."""
    joints, motion = system.joints, joint_motion(system, joint, absolute)
    poses, _, axes, omegas, _, _ = motion
    first, locked = joints.first_row[joint], joints.locked[joint]
    row = space_rotation_rows(locked, axes, poses, omegas, first, jacobian, eta)
    space_translation_rows(joints, joint, motion, joints.constant[joint], row, jacobian, eta)
    if joints.rotor_bits[joint] != 0:  # in the screw form: a rotor's equation is no constraint
        rotor_rows(joints, joint, absolute, jacobian, eta)


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
