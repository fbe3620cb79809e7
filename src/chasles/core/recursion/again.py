r"""The factor of trees with rows for other loads on the bodies.

After `stage.factor_at` the equations

$$ M x + J^T\lambda = Q, \qquad J x - \mu\lambda = b $$

are solved again at the price of a pass inward and one outward.  Loads Q are wrenches, or momenta,
of the bodies, and efforts along coordinates: `loops.loop_resolve` has none.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import put3, vec3
from chasles.core.recursion.articulate import add_load, column_of_turn, load_wrenches, z_axis
from chasles.core.recursion.loops import close_again, give_again
from chasles.core.recursion.multipliers import loop_outward
from chasles.core.recursion.refine import converge, gather, put_damping
from chasles.core.recursion.tree import (
    AXIS,
    CYLINDRICAL,
    DOF,
    FORCE,
    GEARED,
    LEVER,
    PLANAR,
    PRISMATIC,
    ROW,
    TORQUE,
)
from chasles.groups.vectors import add, cross, neg, scale

ZERO = (0.0, 0.0, 0.0)


@routine
def load_bodies(tree: Any, memory: Any) -> None:
    """memory.wrenches are all the loads there are."""
    for body in range(tree.body_count):
        put3(memory.rows, body * ROW + TORQUE, ZERO)
        put3(memory.rows, body * ROW + FORCE, ZERO)
    load_wrenches(tree, memory)


@routine
def along_axis(rows: Any, at: int, pair: int, slot: int) -> Any:
    """(torque, force) that does unit work along a coordinate, and none along the joint's others."""
    z = z_axis(rows, at)
    if pair == GEARED:
        return column_of_turn(rows, at, slot), ZERO
    if pair == PRISMATIC or (pair == CYLINDRICAL and slot == 1):
        return ZERO, z
    if pair == PLANAR and slot > 0:
        x = vec3(rows, at + AXIS)
        return ZERO, x if slot == 1 else cross(z, x)
    return z, ZERO


@routine
def load_efforts(tree: Any, rows: Any, efforts: Any) -> None:
    """Add efforts of joints of up to three coordinates: on a body, and back on what carries it."""
    for body in range(tree.body_count):
        at, k, pair = body * ROW, tree.rate_at[body], tree.pair[body]
        for slot in range(DOF[pair] if pair <= GEARED else 0):
            axis = along_axis(rows, at, pair, slot)
            torque, force = scale(efforts[k + slot], axis[0]), scale(efforts[k + slot], axis[1])
            add_load(rows, at, neg(torque), neg(force))
            if tree.parent[body] >= 0:
                arm = cross(vec3(rows, at + LEVER), force)
                add_load(rows, tree.parent[body] * ROW, add(torque, arm), force)


@routine
def resolve_loads(tree: Any, loops: Any, room: Any, rows: Any, size: float) -> None:
    """Rates, motions of bodies and multipliers of the loads in `rows` and of room.wanted.

    They are left in room.solution; `size` is that of all rates, in the mass metric.
    """
    for k in range(tree.body_count):
        body = tree.body_count - 1 - k
        close_again(loops, room, rows, body)
        give_again(tree, loops, room, rows, body)
    close_again(loops, room, rows, tree.body_count)
    loop_outward(tree, loops, room, rows, ZERO, False, room.solution, 0)
    gather(tree, loops, room, rows, room.solution)
    if loops.is_damped != 0:
        put_damping(tree, loops, room)
        converge(tree, loops, room, rows, size)
