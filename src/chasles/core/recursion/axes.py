"""S of the coordinates of pairs, in the world: about and along what a body moves."""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import vec3
from chasles.core.recursion.tree import (
    AXIS,
    REVOLUTE,
    ROW,
    SPHERICAL_ARMATURE,
    TURN,
    is_flat,
    turns_of,
)
from chasles.groups.vectors import ZERO, cross, scale


@formula
def column_of_turn(rows: Any, at: int, k: int) -> Any:
    return rows[at + TURN + k], rows[at + TURN + 3 + k], rows[at + TURN + 6 + k]


@formula
def z_axis(rows: Any, at: int) -> Any:
    return column_of_turn(rows, at, 2)


@formula
def is_shift(pair: int, slot: int) -> bool:
    """Whether a coordinate turns nothing.  Of all pairs but balls and charts."""
    return slot >= turns_of(pair) and pair != SPHERICAL_ARMATURE


@formula
def axis_of(tree: Any, rows: Any, body: int, pair: int, slot: int) -> Any:
    """S of a coordinate: (turn, shift).  Of all pairs but balls and charts."""
    at = body * ROW
    z = z_axis(rows, at)
    if pair == SPHERICAL_ARMATURE:
        return column_of_turn(rows, at, slot), ZERO
    if pair == REVOLUTE:
        return z, ZERO
    turns = turns_of(pair)
    if slot < turns:
        return z, scale(tree.pitch[body], z)
    if is_flat(pair):
        x = vec3(rows, at + AXIS)
        if slot == turns:
            return ZERO, x
        if slot == turns + 1:
            return ZERO, cross(z, x)
    return ZERO, z
