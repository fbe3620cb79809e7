r"""Other load cases on the factor of a tree with rows.

After `stage.factor_at` the equations

$$ M x + J^T\lambda = Q, \qquad J x - \mu\lambda = b $$

are solved again at the price of a pass inward and one outward.  Loads Q are wrenches, or momenta,
of the bodies, and efforts along coordinates: `solving.loop_resolve` has none.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import mat9, twist6, vec3
from chasles.core.outcomes import OK
from chasles.core.placed import pose_of
from chasles.core.recursion.articulate import add_load, clear_loads, load_wrenches
from chasles.core.recursion.inertia import moved_wrench
from chasles.core.recursion.refine import converge_damped, gather, motion_norm
from chasles.core.recursion.solving import resolve_loads
from chasles.core.recursion.tree import FREE, LEVER, ROW, SPHERICAL, TURN, axis_of, coordinates_of
from chasles.core.twists import negated, power, scale_twist
from chasles.groups.vectors import add, cross, matvec, tmatvec


@routine
def load_bodies(tree: Any, tree_work: Any, count: int) -> None:
    """tree_work.wrenches are all the loads there are, if there are any."""
    clear_loads(tree, tree_work.rows)
    if count > 0:
        load_wrenches(tree, tree_work)


@routine
def load_efforts(tree: Any, rows: Any, efforts: Any) -> None:
    """Add efforts of joints of up to three coordinates: on a body, and back on what carries it."""
    for body in range(tree.body_count):
        at, pair = body * ROW, tree.pair[body]
        for slot in range(coordinates_of(pair) if pair < FREE and pair != SPHERICAL else 0):
            s = axis_of(tree, rows, body, pair, slot)
            push = scale_twist(efforts[tree.rate_at[body] + slot] / power(s, s), s)
            add_load(rows, at, negated(push))
            if tree.parent[body] >= 0:
                moved = moved_wrench(push, vec3(rows, at + LEVER))
                add_load(rows, tree.parent[body] * ROW, moved)


@routine
def solve_load_case(tree: Any, loops: Any, loop_work: Any, rows: Any, size: float) -> int:
    """Rates, motions of bodies and multipliers of the loads in `rows` and of loop_work.wanted.

    They are left in loop_work.solution: OK or NOT_SOLVED.  `size` is what the motion found is small
    against, in the mass metric, if it is small.
    """
    resolve_loads(tree, loops, loop_work, rows, loop_work.solution, 0)
    gather(tree, loops, loop_work, rows, loop_work.solution)
    if loops.is_damped != 0:
        size += motion_norm(tree, rows)
        outcome, _ = converge_damped(tree, loops, loop_work, rows, size)
        return outcome
    return OK


@routine
def twist_in_column(tree: Any, rows: Any, absolute: Any, column: Any, body: int) -> Any:
    """The body twist, at the centre of mass, of a body's motion in a column (see `refine`)."""
    at, turn = tree.rate_count + 6 * body, mat9(rows, body * ROW + TURN)
    (spin, slide), arm = twist6(column, at), matvec(turn, vec3(tree.centre, 3 * body))
    slide = add(slide, cross(spin, arm))
    own = pose_of(absolute, body)[0]
    return tmatvec(own, spin), tmatvec(own, slide)
