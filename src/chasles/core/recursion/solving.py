r"""The program run: inward with the factor, outward with accelerations and multipliers, and again.

After `loop_inward` the factor of

$$ M\dot v + J^T\lambda = Q, \qquad J\dot v - \mu\lambda = \eta $$

(M and J on the coordinates) lies in the rows of the bodies and in E.  It solves again at the price
of a pass inward and one outward: corrections of damped rows, and the projection of positions and
velocities, which moves coordinates only and so cannot open a joint of the tree.
"""

from typing import Any

from chasles.compiled import fetch, hot, once, routine
from chasles.core.arrays import add3, get6, mat9, put3, put6, twist6, vec3
from chasles.core.blocks.small import (
    backward3,
    dot6,
    forward6,
    get_triangle6,
    scale3,
    scale6,
    solve3,
)
from chasles.core.recursion.accelerate import accelerate_body, chart_rates, solve_six
from chasles.core.recursion.articulate import add_load, articulate_body, clear_loads
from chasles.core.recursion.denormals import LONG, flushed6
from chasles.core.recursion.eliminate import SOLVED, eliminate_group, put_multipliers, resolve_group
from chasles.core.recursion.groups import ALONG
from chasles.core.recursion.inertia import moved_wrench
from chasles.core.recursion.own_axes import eliminate_isolated, propagate_isolated, solve_isolated
from chasles.core.recursion.program import CLOSE
from chasles.core.recursion.propagation import minus_rows, propagate_body, rows_of_group
from chasles.core.recursion.tree import (
    ALPHA,
    COLUMN,
    COUPLING,
    FACTOR,
    FREE,
    GAIN,
    LEVER,
    PULL,
    ROW,
    SLOT,
    SPHERICAL,
    TORQUE,
    axis_of,
    coordinates_of,
)
from chasles.core.twists import axpy_twists, power
from chasles.groups.vectors import ZERO, dot, neg, sub, tmatvec

#: Steps of the program from asking for memory to using it, in models that are larger than caches:
#: those with so many places.
AHEAD, LARGE = 6, 2000

# --- inward ---


@hot
def fetch_step(loops: Any, loop_work: Any, rows: Any, step: int) -> None:
    """Ask for what a step of the program works on.  Bodies that are far away wait for memory."""
    index = loops.program[2 * step + 1]
    if loops.program[2 * step] != CLOSE and loops.first_place[index] < loops.first_place[index + 1]:
        first = 18 * loops.first_place[index]
        fetch(loop_work.values, loops.pairs[loops.first_pair[index]])
        for line in range(5):
            fetch(loop_work.reach, first + 8 * line)
        for line in range(8):
            fetch(rows, index * ROW + 8 * line)


@hot
def eliminate_body(
    tree: Any, tree_work: Any, loops: Any, loop_work: Any, body: int, down: Any
) -> None:
    """A body gives way, and what acts on it rides on."""
    rows = tree_work.rows
    if loops.isolated[body] != 0:
        eliminate_isolated(tree, tree_work, rows, body)
        propagate_isolated(loops, loop_work, rows, body)
    else:
        articulate_body(tree, tree_work, rows, body)
        if loops.first_place[body] < loops.first_place[body + 1]:
            propagate_body(tree, loops, loop_work, rows, body, down)


@once
def loop_inward(tree: Any, tree_work: Any, loops: Any, loop_work: Any, closing: int) -> int:
    """Run the program: SOLVED, or the row that has no pivot.

    Without closing, E has on its diagonal how much what is inside its loop gives way to every row,
    no other row there.
    """
    down = vec3(tree.gravity, 0)
    fetched = loops.step_count - AHEAD if loops.place_count > LARGE else 0
    for step in range(loops.step_count):
        if step < fetched:
            fetch_step(loops, loop_work, tree_work.rows, step + AHEAD)
        index = loops.program[2 * step + 1]
        if loops.program[2 * step] == CLOSE:
            if closing == 0:
                continue
            failed = eliminate_group(loops, loop_work, tree_work.rows, index)
            if failed != SOLVED:
                return failed
        else:
            eliminate_body(tree, tree_work, loops, loop_work, index, down)
    return SOLVED


# --- outward ---


@hot
def multiplier_effort(loops: Any, loop_work: Any, body: int, slot: int) -> Any:
    """-V lambda of all groups on a coordinate of the pair of a body."""
    total = 0.0
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        m = vec3(loop_work.found, 3 * loops.place_group[place])
        total -= dot(m, vec3(loop_work.along, ALONG * place + 3 * slot))
    return total


@hot
def minus_multipliers(loops: Any, loop_work: Any, body: int, total: Any) -> Any:
    """Less (L^-1 G) lambda of all groups on a pair of six dimensions."""
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        m = vec3(loop_work.found, 3 * loops.place_group[place])
        total = minus_rows(total, m, rows_of_group(loop_work.reach, place))
    return total


@hot
def apply_multipliers(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int) -> None:
    r"""What multipliers do to the coordinates of a pair: $\ddot q \mathrel{-}= D^{-1}V\lambda$."""
    at, pair = body * ROW, tree.pair[body]
    if pair >= FREE:
        push = minus_multipliers(loops, loop_work, body, get6(rows, at + ALPHA))
        put6(rows, at + ALPHA, push)
    elif pair == SPHERICAL:
        factor = get6(rows, at + COLUMN)
        total = (
            multiplier_effort(loops, loop_work, body, 0),
            multiplier_effort(loops, loop_work, body, 1),
            multiplier_effort(loops, loop_work, body, 2),
        )
        add3(rows, at + PULL, backward3(factor, scale3(factor, total)))
    else:
        for slot in range(coordinates_of(pair)):
            effort = multiplier_effort(loops, loop_work, body, slot)
            rows[at + SLOT * slot + PULL] += rows[at + SLOT * slot + GAIN] * effort


@hot
def loop_outward(
    tree: Any, loops: Any, loop_work: Any, rows: Any, down: Any, moving: Any, out: Any, first: int
) -> None:
    """The program backward: multipliers, and the rates of all velocities from out[first] on."""
    for back in range(loops.step_count):
        step = loops.step_count - 1 - back
        index = loops.program[2 * step + 1]
        if loops.program[2 * step] == CLOSE:
            put_multipliers(loops, loop_work, rows, index)
        else:
            if loops.first_place[index] < loops.first_place[index + 1]:
                apply_multipliers(tree, loops, loop_work, rows, index)
            if loops.isolated[index] != 0:
                solve_isolated(rows, index * ROW)
            elif tree.pair[index] >= FREE:
                solve_six(rows, index * ROW)
            else:
                accelerate_body(tree, rows, index, down, moving, 0, out, first)
    for body in range(tree.body_count):
        into = first + tree.rate_at[body]
        if tree.pair[body] >= FREE:
            chart_rates(tree, rows, body, down, moving, out, into)
            if loops.group_count >= LONG:
                put6(out, into, flushed6(get6(out, into)))


# --- again ---


@routine
def resolve_body(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int) -> None:
    """A body's pair gives way to the loads that eliminated rows left on it."""
    at, pair = body * ROW, tree.pair[body]
    first, last = loops.first_place[body], loops.first_place[body + 1]
    p = twist6(rows, at + TORQUE)
    if pair >= FREE:
        x = neg(p[0]) + neg(p[1])
        if loops.isolated[body] == 0:
            factor = get_triangle6(rows, at + FACTOR)
            x = forward6(factor, x)
            scaled = scale6(factor, x)
            for place in range(first, last):
                for k in range(3):
                    known = dot6(get6(loop_work.reach, 18 * place + 6 * k), scaled)
                    loop_work.rhs[3 * loops.place_group[place] + k] -= known
        put6(rows, at + ALPHA, x)
        return
    if pair == SPHERICAL:
        factor = get6(rows, at + COLUMN)
        free = solve3(factor, neg(p[0]))
        put3(rows, at + PULL, free)
        for place in range(first, last):
            for k in range(3):
                known = dot(vec3(loop_work.reach, 18 * place + 6 * k), free)
                loop_work.rhs[3 * loops.place_group[place] + k] -= known
        p = (ZERO, sub(p[1], tmatvec(mat9(rows, at + COUPLING), p[0])))
    else:
        for slot in range(coordinates_of(pair)):
            s, of = axis_of(tree, rows, body, pair, slot), at + SLOT * slot
            pull = -rows[of + GAIN] * power(s, p)
            rows[of + PULL] = pull
            for place in range(first, last):
                for k in range(3):
                    known = loop_work.along[ALONG * place + 3 * slot + k] * pull
                    loop_work.rhs[3 * loops.place_group[place] + k] -= known
            p = axpy_twists(pull, twist6(rows, of + COLUMN), p)
    if tree.parent[body] >= 0:
        add_load(rows, tree.parent[body] * ROW, moved_wrench(p, vec3(rows, at + LEVER)))


@routine
def loop_resolve(tree: Any, loops: Any, loop_work: Any, rows: Any, out: Any, first: int) -> None:
    r"""Solve $M\dot v + J^T\lambda = 0$, $J\dot v - \mu\lambda = $ loop_work.wanted on the same
    factor.

    What the coordinates have to do so that rows change by given amounts, with the least effort: the
    projection of positions and velocities, and the corrections of damped rows.
    """
    clear_loads(tree, rows)
    resolve_loads(tree, loops, loop_work, rows, out, first)


@once
def resolve_loads(tree: Any, loops: Any, loop_work: Any, rows: Any, out: Any, first: int) -> None:
    """The same under loads on the bodies, taken off p; none of these may be untouched."""
    for g in range(loops.group_count):
        put3(loop_work.rhs, 3 * g, ZERO)
        for row in range(loops.first_row[g], loops.first_row[g + 1]):
            loop_work.rhs[3 * g + row - loops.first_row[g]] = loop_work.wanted[row]
    for step in range(loops.step_count):
        index = loops.program[2 * step + 1]
        if loops.program[2 * step] == CLOSE:
            resolve_group(loops, loop_work, rows, index)
        else:
            resolve_body(tree, loops, loop_work, rows, index)
    loop_outward(tree, loops, loop_work, rows, ZERO, False, out, first)
