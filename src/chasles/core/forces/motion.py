"""What the wrenches of all kinds are made of."""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import put_twist, twist6
from chasles.groups.vectors import add, cross, dot, scale, tmatvec


@routine
def add_wrench(out: Any, body: int, wrench: Any) -> None:
    """Add a wrench to Q; the ground takes everything."""
    if body >= 0:
        present = twist6(out, 6 * body)
        put_twist(out, 6 * body, (add(present[0], wrench[0]), add(present[1], wrench[1])))


@formula
def wrench_of_force(rotation: Any, point: Any, force: Any) -> Any:
    """A world force at a body point, as a wrench on the body."""
    local = tmatvec(rotation, force)
    return cross(point, local), local


@formula
def times_row(row: Any, effort: Any) -> Any:
    """The wrench of a generalised force along a row."""
    return scale(effort, row[0]), scale(effort, row[1])


@formula
def power(wrench: Any, twist: Any) -> Any:
    """Of a wrench on a body that moves with a twist, both in the body frame."""
    return dot(wrench[0], twist[0]) + dot(wrench[1], twist[1])
