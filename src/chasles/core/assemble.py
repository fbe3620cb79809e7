"""Kernels that evaluate the equations of motion at a state: poses and wrenches."""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    TWIST,
    get6,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.wrenches import inertial_and_gravity_wrench
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


@hot
def assemble_wrenches(system: Any, absolute: Any, out: Any) -> None:
    """Q of every body: gyroscopic terms and gravity; `out` holds six numbers per body."""
    down = vec3(system.gravity, 0)
    for body in range(system.body_count):
        at = body * ABSOLUTE_WIDTH
        wrench = inertial_and_gravity_wrench(
            system.bodies.mass[body],
            get6(system.bodies.inertia, 6 * body),
            mat9(absolute, at + POSE_R),
            twist6(absolute, at + TWIST),
            down,
        )
        put_twist(out, 6 * body, wrench)
