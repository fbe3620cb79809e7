"""Kernels that evaluate the equations of motion at a state: poses, rows of J and eta, wrenches."""

from typing import Any

import numpy as np

from chasles.compiled import borrow, formula, hot, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    POSE_X,
    POSITION,
    ROTATION,
    ROW_WIDTH,
    TWIST,
    VELOCITY,
    mat9,
    put3,
    put4,
    put9,
    put_twist,
    sym6,
    twist6,
    vec3,
    vec4,
)
from chasles.core.charts import (
    chart_pose,
    chart_twist,
    chart_velocity,
    grounded_pose,
    grounded_twist,
)
from chasles.core.rows import (
    axis_product,
    column,
    frame_seen_from_a,
    rotation_row,
    screw_eta,
    space_eta_along,
    space_eta_point,
    space_eta_rotation,
    space_row_of_body,
    translation_row,
    twist_in_joint_frame,
)
from chasles.core.wrenches import inertial_and_gravity_wrench
from chasles.groups.so3 import so3_from_matrix, so3_matrix, so3_normalise
from chasles.groups.vectors import (
    add,
    cross,
    dot,
    matmul,
    matvec,
    neg,
    scale,
    sub,
    tmatmul,
    tmatvec,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)
#: Bits of LOCKED for the three translations, and for the three rotations.
ALL_TRANSLATIONS = 0b111000
ALL_ROTATIONS = 0b000111


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


@hot
def place_bodies(system: Any, chart: Any, absolute: Any, turn: Any) -> None:
    """Absolute poses and twists of all bodies, reference bodies first.

    `turn` keeps the rotation against a moving reference body, which the accelerations need again.
    """
    for body in range(system.body_count):
        group = system.bodies.group[body]
        reference = system.bodies.reference[body]
        point = vec3(system.bodies.frame_point, 3 * body)
        at = body * CHART_WIDTH
        relative = so3_matrix(vec4(chart, at + ROTATION))
        rho = vec3(chart, at + POSITION)
        velocity = twist6(chart, at + VELOCITY)
        if reference < 0:
            rotation, position = grounded_pose(relative, rho, point)
            twist = grounded_twist(group, velocity, relative, point)
        else:
            rotation, position = chart_pose(relative, rho, point, pose_of(absolute, reference))
            carrier = twist_of(absolute, reference)
            twist = chart_twist(group, velocity, relative, rho, point, carrier)
            put9(turn, body * 9, relative)
        at = body * ABSOLUTE_WIDTH
        put9(absolute, at + POSE_R, rotation)
        put3(absolute, at + POSE_X, position)
        put_twist(absolute, at + TWIST, twist)


@routine
def chart_bodies(system: Any, absolute: Any, chart: Any) -> None:
    """Charts of all bodies from absolute poses and twists: the inverse of `place_bodies`."""
    for body in range(system.body_count):
        group = system.bodies.group[body]
        reference = system.bodies.reference[body]
        point = vec3(system.bodies.frame_point, 3 * body)
        reference_rotation, reference_position = pose_of(absolute, reference)
        rotation, position = pose_of(absolute, body)
        relative = tmatmul(reference_rotation, rotation)
        frame_point = add(position, matvec(rotation, point))
        rho = tmatvec(reference_rotation, sub(frame_point, reference_position))
        velocity = chart_velocity(
            group, twist_of(absolute, body), relative, rho, point, twist_of(absolute, reference)
        )
        at = body * CHART_WIDTH
        put4(chart, at + ROTATION, so3_normalise(so3_from_matrix(relative)))
        put3(chart, at + POSITION, rho)
        put_twist(chart, at + VELOCITY, velocity)


@formula
def put_row(jacobian: Any, eta: Any, row: int, row_a: Any, row_b: Any, value: Any) -> int:
    """Write one row: columns 0..5 for body a, 6..11 for body b; returns the next row."""
    put_twist(jacobian, row * ROW_WIDTH, row_a)
    put_twist(jacobian, row * ROW_WIDTH + 6, row_b)
    eta[row] = value
    return row + 1


@formula
def negated(row: Any) -> Any:
    return neg(row[0]), neg(row[1])


@hot
def screw_rows(
    joints: Any,
    joint: int,
    ends: Any,
    locked: int,
    first: int,
    absolute: Any,
    jacobian: Any,
    eta: Any,
) -> None:
    """Rows of one joint in the screw form (see `chasles.core.rows`)."""
    a, b = ends
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
    row = first
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
        alpha, alpha_rate = axis_product(column(axes_b, of_b), axis_a, omegas[0], omegas[1])
        row = put_row(
            jacobian,
            eta,
            row,
            negated(space_row_of_body(alpha, ZERO, poses[0][0], ZERO)),
            space_row_of_body(alpha, ZERO, poses[1][0], ZERO),
            space_eta_rotation(alpha_rate, omegas[0], omegas[1]),
        )
    return row


@routine
def space_translation_rows(
    locked: int,
    pitch: Any,
    axes_a: Any,
    points: Any,
    poses: Any,
    omegas: Any,
    velocities: Any,
    row: int,
    jacobian: Any,
    eta: Any,
) -> int:
    """Rows of x_b - x_a = 0 in the world, or of e_a . (x_b - x_a) = 0 where some slide.

    The former are resolved along the axes of body b: turning all three rows together changes the
    components of lambda, not the motion, and rounding errors then turn with the body instead of
    adding up in one direction (1e-12 m against 1e-13 m for a top after 5 s).
    """
    point_a, point_b, seen_point = points
    velocity_a, velocity_b, carried = velocities
    whole = locked & ALL_TRANSLATIONS == ALL_TRANSLATIONS and pitch == 0.0
    inertial = space_eta_point(omegas[0], velocity_a, omegas[1], velocity_b)
    for k in range(3):
        if locked >> (3 + k) & 1:
            h = pitch if k == 2 else 0.0
            beta = column(poses[1][0], k) if whole else column(axes_a, k)
            lever = point_a if whole else seen_point
            alpha = (-h * beta[0], -h * beta[1], -h * beta[2])
            if whole:
                value = dot(beta, inertial)
            else:
                value = space_eta_along(beta, omegas[0], omegas[1], velocity_b, carried)
                value += space_eta_rotation(cross(omegas[0], alpha), omegas[0], omegas[1])
            row = put_row(
                jacobian,
                eta,
                row,
                negated(space_row_of_body(alpha, beta, poses[0][0], lever)),
                space_row_of_body(alpha, beta, poses[1][0], point_b),
                value,
            )
    return row


@formula
def point_velocity(pose: Any, twist: Any, point: Any) -> Any:
    """Velocity in the world of a point of a body."""
    return matvec(pose[0], add(twist[1], cross(twist[0], point)))


@routine
def space_rows(
    joints: Any,
    joint: int,
    ends: Any,
    locked: int,
    first: int,
    absolute: Any,
    jacobian: Any,
    eta: Any,
) -> None:
    """Rows of one joint in the space form (see `chasles.core.rows`)."""
    a, b = ends
    axes_a, axes_b = mat9(joints.axes_a, 9 * joint), mat9(joints.axes_b, 9 * joint)
    point_a, point_b = vec3(joints.point_a, 3 * joint), vec3(joints.point_b, 3 * joint)
    poses = (pose_of(absolute, a), pose_of(absolute, b))
    twist_a, twist_b = twist_of(absolute, a), twist_of(absolute, b)
    seen_point = frame_seen_from_a(poses[0], poses[1], axes_b, point_b)[1]
    world_axes = (matmul(poses[0][0], axes_a), matmul(poses[1][0], axes_b))
    omegas = (matvec(poses[0][0], twist_a[0]), matvec(poses[1][0], twist_b[0]))
    velocities = (
        point_velocity(poses[0], twist_a, point_a),
        point_velocity(poses[1], twist_b, point_b),
        point_velocity(poses[0], twist_a, seen_point),
    )
    row = space_rotation_rows(locked, world_axes, poses, omegas, first, jacobian, eta)
    space_translation_rows(
        locked,
        joints.constant[joint],
        world_axes[0],
        (point_a, point_b, seen_point),
        poses,
        omegas,
        velocities,
        row,
        jacobian,
        eta,
    )


@hot
def assemble_wrenches(system: Any, absolute: Any, out: Any) -> None:
    """Q of every body: gyroscopic terms and gravity; `out` holds six numbers per body."""
    down = vec3(system.gravity, 0)
    for body in range(system.body_count):
        at = body * ABSOLUTE_WIDTH
        wrench = inertial_and_gravity_wrench(
            system.bodies.mass[body],
            sym6(system.bodies.inertia, 6 * body),
            mat9(absolute, at + POSE_R),
            twist6(absolute, at + TWIST),
            down,
        )
        put_twist(out, 6 * body, wrench)


@kernel("poses", seconds=0.6, plain=(100_000, 300_000))
def absolute_history(system: Any, charts: Any, absolute: Any) -> None:
    """`place_bodies` for Python, over many states: charts (T, n, 13) to absolute (T, n, 18)."""
    borrowed = borrow(system)
    turn = np.zeros((system.body_count, 9))
    for k in range(charts.shape[0]):
        place_bodies(borrowed, borrow(charts[k]), borrow(absolute[k]), borrow(turn))


@kernel("charts", seconds=0.4, plain=(100_000, 300_000))
def chart_state(system: Any, absolute: Any, chart: Any) -> None:
    """`chart_bodies` for Python."""
    chart_bodies(borrow(system), borrow(absolute), borrow(chart))
