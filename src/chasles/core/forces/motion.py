"""What the wrenches of all kinds are made of."""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import add3
from chasles.groups.vectors import cross, tmatvec


@routine
def add_wrench(out: Any, body: int, wrench: Any) -> None:
    """Add a wrench to Q; the ground takes everything."""
    if body >= 0:
        add3(out, 6 * body, wrench[0])
        add3(out, 6 * body + 3, wrench[1])


@formula
def wrench_of_force(rotation: Any, point: Any, force: Any) -> Any:
    """A world force at a body point, as a wrench on the body."""
    local = tmatvec(rotation, force)
    return cross(point, local), local
