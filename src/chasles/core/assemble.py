"""Kernels that evaluate the equations of motion at a state: poses and wrenches."""

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
from chasles.core.wrenches import inertial_and_gravity_wrench
from chasles.groups.so3 import so3_from_matrix, so3_matrix, so3_normalise
from chasles.groups.vectors import (
    add,
    cross,
    matvec,
    sub,
    tmatmul,
    tmatvec,
)

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)


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
def point_velocity(pose: Any, twist: Any, point: Any) -> Any:
    """Velocity in the world of a point of a body."""
    return matvec(pose[0], add(twist[1], cross(twist[0], point)))


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
    turn = np.zeros((borrowed.body_count, 9))
    for k in range(charts.shape[0]):
        place_bodies(borrowed, borrow(charts[k]), borrow(absolute[k]), borrow(turn))


@kernel("charts", seconds=0.4, plain=(100_000, 300_000))
def chart_state(system: Any, absolute: Any, chart: Any) -> None:
    """`chart_bodies` for Python."""
    chart_bodies(borrow(system), borrow(absolute), borrow(chart))
