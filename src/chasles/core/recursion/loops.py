r"""Trees with cut joints: the same factor for other right-hand sides.

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
from chasles.core.recursion.riding import axis_of, dof_of
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


@routine
def give_again(tree: Any, loops: Any, room: Any, rows: Any, body: int) -> None:
    """A body's joint gives way to the loads that eliminated rows left on it."""
    at, pair, first = body * ROW, tree.pair[body], loops.first_place[body]
    p = (vec3(rows, at + TORQUE), vec3(rows, at + FORCE))
    if pair >= FREE:
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
        push = room.wanted[row] * room.inverses[row]
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
