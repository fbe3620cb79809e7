"""Rows of joints that are no lower pairs, and of drivers."""

from math import nan
from typing import Any

from chasles.compiled import call_address, formula, hot, routine
from chasles.core.arrays import (
    CONSTANT_VELOCITY,
    CUSTOM,
    DISTANCE,
    DRIVEN_AXIS,
    GEAR,
    LOWER_PAIR,
    ROLLING_DISC,
    ROLLING_SPHERE,
    ROW_WIDTH,
    SCREW_FORM,
    SLIDING_POINT,
    UNIVERSAL,
    body_of,
    mat9,
    put3,
    put9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.assemble import (
    ZERO,
    negated,
    point_velocity,
    pose_of,
    put_row,
    screw_rows,
    space_rows,
    space_translation_rows,
    twist_of,
)
from chasles.core.couplings import (
    disc_contact,
    distance_eta,
    rolling_eta,
    shafts_product,
    sphere_contact,
)
from chasles.core.rows import (
    axis_product,
    column,
    frame_seen_from_a,
    rotation_row,
    space_eta_rotation,
    space_row_of_body,
)
from chasles.groups.vectors import add, cross, dot, matmul, matvec, scale, sub, tmatvec


@formula
def joint_motion(system: Any, joint: int, absolute: Any) -> Any:
    """What rows are made of: poses, joint axes in the world, angular and point velocities."""
    a, b = system.joints.a[joint], system.joints.b[joint]
    poses = (pose_of(absolute, a), pose_of(absolute, b))
    twists = (twist_of(absolute, a), twist_of(absolute, b))
    axes = (
        matmul(poses[0][0], mat9(system.joints.axes_a, 9 * joint)),
        matmul(poses[1][0], mat9(system.joints.axes_b, 9 * joint)),
    )
    omegas = (matvec(poses[0][0], twists[0][0]), matvec(poses[1][0], twists[1][0]))
    points = (vec3(system.joints.point_a, 3 * joint), vec3(system.joints.point_b, 3 * joint))
    velocities = (
        point_velocity(poses[0], twists[0], points[0]),
        point_velocity(poses[1], twists[1], points[1]),
    )
    return poses, twists, axes, omegas, points, velocities


@routine
def sliding_rows(
    system: Any, joint: int, locked: int, first: int, absolute: Any, jacobian: Any, eta: Any
) -> None:
    """A point of b along axes of a: on a line, on a plane, or driven along a direction."""
    poses, twists, axes, omegas, points, velocities = joint_motion(system, joint, absolute)
    seen = frame_seen_from_a(poses[0], poses[1], mat9(system.joints.axes_b, 9 * joint), points[1])[
        1
    ]
    carried = point_velocity(poses[0], twists[0], seen)
    space_translation_rows(
        locked,
        0.0,
        axes[0],
        (points[0], points[1], seen),
        poses,
        omegas,
        (velocities[0], velocities[1], carried),
        first,
        jacobian,
        eta,
    )


@routine
def crossed_rows(
    system: Any,
    joint: int,
    kind: int,
    locked: int,
    first: int,
    absolute: Any,
    jacobian: Any,
    eta: Any,
) -> None:
    """A universal or constant-velocity joint: a point, and one product of axes."""
    pair = (
        system.joints.a[joint],
        system.joints.b[joint],
    )
    if system.form == SCREW_FORM:
        screw_rows(system.joints, joint, pair, locked, first, absolute, jacobian, eta)
    else:
        space_rows(system.joints, joint, pair, locked, first, absolute, jacobian, eta)
    poses, _, axes, omegas, _, _ = joint_motion(system, joint, absolute)
    if kind == UNIVERSAL:
        alpha, rate = axis_product(column(axes[1], 1), column(axes[0], 0), omegas[0], omegas[1])
    else:
        alpha, rate = shafts_product(axes[0], axes[1], omegas[0], omegas[1])
    put_row(
        jacobian,
        eta,
        first + 3,
        negated(space_row_of_body(alpha, ZERO, poses[0][0], ZERO)),
        space_row_of_body(alpha, ZERO, poses[1][0], ZERO),
        space_eta_rotation(rate, omegas[0], omegas[1]),
    )


@routine
def distance_rows(
    system: Any, joint: int, first: int, absolute: Any, jacobian: Any, eta: Any
) -> None:
    """Two points at a fixed distance, the joint's constant."""
    poses, _, _, omegas, points, velocities = joint_motion(system, joint, absolute)
    length = system.joints.constant[joint]
    span = sub(
        add(poses[1][1], matvec(poses[1][0], points[1])),
        add(poses[0][1], matvec(poses[0][0], points[0])),
    )
    beta = scale(1.0 / length, span)
    put_row(
        jacobian,
        eta,
        first,
        negated(space_row_of_body(ZERO, beta, poses[0][0], points[0])),
        space_row_of_body(ZERO, beta, poses[1][0], points[1]),
        distance_eta(beta, length, omegas, velocities),
    )


@routine
def rolling_rows(
    system: Any, joint: int, kind: int, first: int, absolute: Any, jacobian: Any, eta: Any
) -> None:
    """Where b touches the plane of a, both move alike; the radius is its constant."""
    poses, twists, axes, omegas, points, _ = joint_motion(system, joint, absolute)
    normal, axis = column(axes[0], 2), column(axes[1], 2)
    normal_rate, radius = cross(omegas[0], normal), system.joints.constant[joint]
    if kind == ROLLING_SPHERE:
        contact, contact_rate = sphere_contact(normal, normal_rate, radius)
    else:
        contact, contact_rate = disc_contact(
            normal, normal_rate, radius, axis, cross(omegas[1], axis)
        )
        foot = add(poses[0][1], matvec(poses[0][0], points[0]))
        if dot(normal, sub(poses[1][1], foot)) <= 0.0:  # it fell flat: nothing would be right
            contact_rate = (nan, nan, nan)
    touching = add(poses[1][1], contact)
    levers = (
        tmatvec(poses[0][0], sub(touching, poses[0][1])),
        tmatvec(poses[1][0], contact),
    )
    slip = sub(
        point_velocity(poses[1], twists[1], levers[1]),
        point_velocity(poses[0], twists[0], levers[0]),
    )
    travel = add(matvec(poses[1][0], twists[1][1]), contact_rate)
    for k in range(3):
        direction = column(axes[0], k)
        put_row(
            jacobian,
            eta,
            first + k,
            negated(space_row_of_body(ZERO, direction, poses[0][0], levers[0])),
            space_row_of_body(ZERO, direction, poses[1][0], levers[1]),
            rolling_eta(direction, omegas, travel, slip),
        )


@routine
def gear_row(system: Any, joint: int, first: int, jacobian: Any, eta: Any) -> None:
    """omega_b along its axis is the ratio (the constant) times omega_a along its own."""
    ratio = system.joints.constant[joint]
    axis_a = column(mat9(system.joints.axes_a, 9 * joint), 2)
    axis_b = column(mat9(system.joints.axes_b, 9 * joint), 2)
    put_row(jacobian, eta, first, rotation_row(scale(-ratio, axis_a)), rotation_row(axis_b), 0.0)


@routine
def custom_rows(
    system: Any,
    joint: int,
    first: int,
    absolute: Any,
    exchange: Any,
    answer: Any,
    jacobian: Any,
    eta: Any,
) -> None:
    """A user's formula: it answers g, then 12 entries of J per row, then eta."""
    for side in range(2):
        body = body_of(system.joints, joint, side)
        pose, twist = pose_of(absolute, body), twist_of(absolute, body)
        put9(exchange, 18 * side, pose[0])
        put3(exchange, 18 * side + 9, pose[1])
        put_twist(exchange, 18 * side + 12, twist)
    rows = system.joints.rows[joint]
    call_address(system.joints.address[joint], 0.0, exchange, answer)
    for r in range(rows):
        entries = rows + r * ROW_WIDTH
        put_row(
            jacobian,
            eta,
            first + r,
            twist6(answer, entries),
            twist6(answer, entries + 6),
            answer[rows * (1 + ROW_WIDTH) + r],
        )


@formula
def row_place(system: Any, joint: int) -> Any:
    """Bodies, locked components and first row of a joint."""
    pair = (system.joints.a[joint], system.joints.b[joint])
    return pair, system.joints.locked[joint], system.joints.first_row[joint]


@routine
def assemble_pair(
    system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, eta: Any
) -> None:
    """J and eta of a lower pair, in the system's acceleration form."""
    pair, locked, first = row_place(system, joint)
    if system.form == SCREW_FORM:
        screw_rows(system.joints, joint, pair, locked, first, absolute, jacobian, eta)
    else:
        space_rows(system.joints, joint, pair, locked, first, absolute, jacobian, eta)


@routine
def assemble_joint(
    system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, eta: Any
) -> None:
    """J (rows x 12: body a, body b) and eta of one joint of any kind, or of a driver."""
    locked, kind = system.joints.locked[joint], system.joints.kind[joint]
    first = system.joints.first_row[joint]
    if kind == LOWER_PAIR:
        assemble_pair(system, joint, absolute, work, jacobian, eta)
    elif kind == DRIVEN_AXIS:
        pair = (system.joints.a[joint], system.joints.b[joint])
        screw_rows(system.joints, joint, pair, locked, first, absolute, jacobian, eta)
    elif kind == SLIDING_POINT:
        sliding_rows(system, joint, locked, first, absolute, jacobian, eta)
    elif kind in (UNIVERSAL, CONSTANT_VELOCITY):
        crossed_rows(system, joint, kind, locked, first, absolute, jacobian, eta)
    elif kind == DISTANCE:
        distance_rows(system, joint, first, absolute, jacobian, eta)
    elif kind == GEAR:
        gear_row(system, joint, first, jacobian, eta)
    elif kind in (ROLLING_SPHERE, ROLLING_DISC):
        rolling_rows(system, joint, kind, first, absolute, jacobian, eta)
    elif kind == CUSTOM:
        custom_rows(system, joint, first, absolute, work.exchange, work.answer, jacobian, eta)
    drive = system.joints.drive[joint]
    if drive >= 0:
        eta[first] += work.signals[drive + 2]


@hot
def assemble_rows(system: Any, work: Any) -> None:
    """J and eta of every joint at the placed bodies."""
    for joint in range(system.joint_count):
        assemble_joint(system, joint, work.absolute, work, work.jacobian, work.eta)
