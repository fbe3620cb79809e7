r"""The factor of trees with rows for other loads on the bodies.

After `stage.factor_at` the equations

$$ M x + J^T\lambda = Q, \qquad J x - \mu\lambda = b $$

are solved again at the price of a pass inward and one outward.  Loads Q are wrenches, or momenta,
of the bodies, and efforts along coordinates: `solving.loop_resolve` has none.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import put3, vec3
from chasles.core.recursion.articulate import add_load, load_wrenches
from chasles.core.recursion.refine import converge, gather, put_damping
from chasles.core.recursion.riding import axis_of
from chasles.core.recursion.solving import resolve_loads
from chasles.core.recursion.tree import FORCE, FREE, LEVER, ROW, SPHERICAL, TORQUE, coordinates_of
from chasles.groups.vectors import add, cross, dot, neg, scale

ZERO = (0.0, 0.0, 0.0)


@routine
def load_bodies(tree: Any, memory: Any) -> None:
    """memory.wrenches are all the loads there are."""
    for body in range(tree.body_count):
        put3(memory.rows, body * ROW + TORQUE, ZERO)
        put3(memory.rows, body * ROW + FORCE, ZERO)
    load_wrenches(tree, memory)


@routine
def load_efforts(tree: Any, rows: Any, efforts: Any) -> None:
    """Add efforts of joints of up to three coordinates: on a body, and back on what carries it."""
    for body in range(tree.body_count):
        at, pair = body * ROW, tree.pair[body]
        for slot in range(coordinates_of(pair) if pair < FREE and pair != SPHERICAL else 0):
            s = axis_of(tree, rows, body, pair, slot)
            push = efforts[tree.rate_at[body] + slot] / (dot(s[0], s[0]) + dot(s[1], s[1]))
            torque, force = scale(push, s[0]), scale(push, s[1])
            add_load(rows, at, neg(torque), neg(force))
            if tree.parent[body] >= 0:
                arm = cross(vec3(rows, at + LEVER), force)
                add_load(rows, tree.parent[body] * ROW, add(torque, arm), force)


@routine
def solve_again(tree: Any, loops: Any, room: Any, rows: Any, size: float) -> None:
    """Rates, motions of bodies and multipliers of the loads in `rows` and of room.wanted.

    They are left in room.solution; `size` is that of all rates, in the mass metric.
    """
    resolve_loads(tree, loops, room, rows, room.solution, 0)
    gather(tree, loops, room, rows, room.solution)
    if loops.is_damped != 0:
        put_damping(tree, loops, room)
        converge(tree, loops, room, rows, size)
