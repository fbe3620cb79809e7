r"""Trees with cut joints: accelerations, and the same factor for other right-hand sides.

After `riding.loop_inward` the factor of

$$ M\dot v + J^T\lambda = Q, \qquad J\dot v - \mu\lambda = \eta $$

(M and J on the coordinates) lies in the rows of the bodies and in E.  It solves again at the price
of a pass inward and one outward: corrections of damped rows, and the projection of positions and
velocities, which moves coordinates only and so cannot open a joint of the tree.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import (
    mat9,
    put3,
    vec3,
)
from chasles.core.blocks.small import (
    backward3,
    backward6,
    dot6,
    forward3,
    forward6,
    get6,
    get_triangle6,
    scale3,
    scale6,
)
from chasles.core.recursion.articulate import (
    add_load,
)
from chasles.core.recursion.multipliers import loop_outward
from chasles.core.recursion.riding import SOLVED, axis_of, dof_of, loop_inward
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    COLUMN,
    COUPLING,
    FORCE,
    FREE,
    GAIN,
    LEVER,
    PULL,
    ROW,
    SPHERICAL,
    TORQUE,
    triangle,
)
from chasles.groups.vectors import add, axpy, cross, dot, neg, scale, tmatvec

ZERO = (0.0, 0.0, 0.0)
#: Solves beyond the first where rows are damped, and the fraction of a correction that ends them.
MOST_REFINEMENTS, REFINED = 4, 1e-5


@routine
def give_again(tree: Any, loops: Any, room: Any, rows: Any, body: int) -> None:
    """A body's joint gives way to the loads that eliminated rows left on it."""
    at, pair, first = body * ROW, tree.pair[body], loops.first_place[body]
    p = (vec3(rows, at + TORQUE), vec3(rows, at + FORCE))
    if pair == FREE:
        factor = get_triangle6(rows, at + COLUMN)
        x = forward6(factor, (-p[0][0], -p[0][1], -p[0][2], -p[1][0], -p[1][1], -p[1][2]))
        y = backward6(factor, scale6(factor, x))
        put3(rows, at + ALPHA, (y[0], y[1], y[2]))
        put3(rows, at + ACCELERATION, (y[3], y[4], y[5]))
        for j in range(loops.riding[body]):
            known = dot6(get6(room.reach, 6 * (first + j)), y)
            room.wanted[loops.place_row[first + j]] -= known
        return
    if pair == SPHERICAL:
        factor = triangle(rows, at + COLUMN)
        free = backward3(factor, scale3(factor, forward3(factor, neg(p[0]))))
        put3(rows, at + PULL, free)
        for j in range(loops.riding[body]):
            known = dot(vec3(room.reach, 6 * (first + j)), free)
            room.wanted[loops.place_row[first + j]] -= known
        p = (ZERO, add(p[1], tmatvec(mat9(rows, at + COUPLING), free)))
    else:
        for slot in range(dof_of(pair)):
            s = axis_of(tree, rows, body, pair, slot)
            pull = -rows[at + GAIN + slot] * (dot(s[0], p[0]) + dot(s[1], p[1]))
            rows[at + PULL + slot] = pull
            for j in range(loops.riding[body]):
                known = room.along[6 * (first + j) + slot] * pull
                room.wanted[loops.place_row[first + j]] -= known
            u = at + COLUMN + 6 * slot
            p = (axpy(pull, vec3(rows, u), p[0]), axpy(pull, vec3(rows, u + 3), p[1]))
    if tree.parent[body] >= 0:
        arm = cross(vec3(rows, at + LEVER), p[1])
        add_load(rows, tree.parent[body] * ROW, add(p[0], arm), p[1])


@routine
def close_again(loops: Any, room: Any, rows: Any, body: int) -> None:
    """`close_rows` for another right-hand side."""
    for at in range(loops.first_closing[body], loops.first_closing[body + 1]):
        row = loops.closing[at]
        place = loops.closing_place[row]
        push = room.wanted[row] / room.values[row]
        for j in range(loops.first_later[row], loops.first_later[row + 1]):
            room.wanted[loops.later[j]] -= room.values[loops.later_value[j]] * push
        if place >= 0:
            g = (vec3(room.reach, 6 * place), vec3(room.reach, 6 * place + 3))
            add_load(rows, body * ROW, scale(push, g[0]), scale(push, g[1]))


@routine
def loop_resolve(tree: Any, loops: Any, room: Any, rows: Any, out: Any, first: int) -> None:
    r"""Solve $M\dot v + J^T\lambda = 0$, $J\dot v - \mu\lambda = $ room.wanted on the same factor.

    What the coordinates have to do so that rows change by given amounts, with the least effort: the
    projection of positions and velocities, and the corrections of damped rows.
    """
    for body in range(tree.body_count):
        put3(rows, body * ROW + TORQUE, ZERO)
        put3(rows, body * ROW + FORCE, ZERO)
    for k in range(tree.body_count):
        body = tree.body_count - 1 - k
        close_again(loops, room, rows, body)
        give_again(tree, loops, room, rows, body)
    close_again(loops, room, rows, tree.body_count)
    loop_outward(tree, loops, room, rows, ZERO, False, out, first)


@routine
def collect_motion(tree: Any, rows: Any, motion: Any, begin: Any) -> None:
    """Sum alpha and a of all bodies over several solves."""
    for body in range(tree.body_count):
        for c in range(6):
            if begin:
                motion[6 * body + c] = 0.0
            motion[6 * body + c] += rows[body * ROW + ALPHA + c]


@routine
def refine_rows(tree: Any, memory: Any, loops: Any, room: Any, out: Any, first: int) -> None:
    r"""Proximal iterations on the damped factor: they end at J V' = eta and the shortest lambda.

    Damped rows are left with $\eta - J\dot V = -\mu\lambda$, which is the next right-hand side.
    """
    before, rows = 0.0, memory.rows
    collect_motion(tree, rows, room.motion, True)
    for k in range(tree.rate_count):
        room.rates[k] = out[first + k]
    for row in range(loops.row_count):
        room.spare[row] = room.multipliers[row]
        room.wanted[row] = -loops.damping[row] * room.multipliers[row]
        before = max(before, abs(room.wanted[row]))
    for _ in range(MOST_REFINEMENTS):
        loop_resolve(tree, loops, room, rows, out, first)
        collect_motion(tree, rows, room.motion, False)
        after = 0.0
        for k in range(tree.rate_count):
            room.rates[k] += out[first + k]
        for row in range(loops.row_count):
            room.spare[row] += room.multipliers[row]
            room.wanted[row] = -loops.damping[row] * room.multipliers[row]
            after = max(after, abs(room.wanted[row]))
        if after <= REFINED * before or after > 0.1 * before:
            break
        before = after
    for k in range(tree.rate_count):
        out[first + k] = room.rates[k]
    for row in range(loops.row_count):
        room.multipliers[row] = room.spare[row]
    for body in range(tree.body_count):
        for c in range(6):
            rows[body * ROW + ALPHA + c] = room.motion[6 * body + c]


@routine
def loop_accelerations(tree: Any, memory: Any, loops: Any, room: Any, out: Any, first: int) -> int:
    """The rates of all velocities and the multipliers, after `load_rows`: SOLVED or a row."""
    failed = loop_inward(tree, memory, loops, room)
    if failed != SOLVED:
        return failed
    down = vec3(tree.gravity, 0)
    loop_outward(tree, loops, room, memory.rows, down, True, out, first)
    if loops.is_damped != 0:
        refine_rows(tree, memory, loops, room, out, first)
    return SOLVED
