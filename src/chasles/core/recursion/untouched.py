r"""Bodies on charts whose inertia nothing changes: in their own axes its inverse is diagonal.

Their pair has six dimensions about the centre of mass, nothing hangs on them and no row closes on
them: $A = \mathrm{diag}(d_0, d_1, d_2, m, m, m)$ in principal axes, and

$$ \alpha = R\,\mathrm{diag}(1/d)\,(d\omega\times\omega + R^T\tau), \qquad a = f/m . $$

Rows that act on one are kept as $(R^T G_n, G_f)$.
"""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import get6, mat9, put6, vec3
from chasles.core.blocks.small import dot6
from chasles.core.recursion.inertia import gyroscopic
from chasles.core.recursion.tree import ALPHA, COLUMN, FORCE, OMEGA, ROW, TORQUE, TURN
from chasles.groups.vectors import add, matvec, neg, sub, tmatvec

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@formula
def times6(d: Any, x: Any) -> Any:
    return d[0] * x[0], d[1] * x[1], d[2] * x[2], d[3] * x[3], d[4] * x[4], d[5] * x[5]


@formula
def in_own_axes(turn: Any, g: Any) -> Any:
    n = tmatvec(turn, (g[0], g[1], g[2]))
    return n[0], n[1], n[2], g[3], g[4], g[5]


@hot
def give_untouched(tree: Any, memory: Any, rows: Any, body: int) -> None:
    """What pushes it in its own axes, and the inverse of A."""
    at, k = body * ROW, tree.rate_at[body]
    turn, d = mat9(rows, at + TURN), get6(tree.inertia, 6 * body)
    omega = tmatvec(turn, vec3(rows, at + OMEGA))
    push = gyroscopic((d[0], d[2], d[5]), omega)
    x, y, z, lightness = 1.0 / d[0], 1.0 / d[2], 1.0 / d[5], 1.0 / tree.mass[body]
    a = (0.0, 0.0, 0.0)
    if memory.has_wrenches != 0:
        push = sub(push, tmatvec(turn, vec3(rows, at + TORQUE)))
        a = neg(vec3(rows, at + FORCE))
    if memory.has_efforts != 0:
        push = add(push, vec3(memory.efforts, k))
        a = add(a, vec3(memory.efforts, k + 3))
    put6(rows, at + ALPHA, push + a)
    put6(rows, at + COLUMN, (x, y, z, lightness, lightness, lightness))


@formula
def solve_untouched(rows: Any, at: int) -> None:
    """X, from what rows have left of the push."""
    x = times6(get6(rows, at + COLUMN), get6(rows, at + ALPHA))
    turned = matvec(mat9(rows, at + TURN), (x[0], x[1], x[2]))
    put6(rows, at + ALPHA, turned + (x[3], x[4], x[5]))


@hot
def ride_untouched(loops: Any, room: Any, rows: Any, body: int) -> None:
    """Groups on such a body; nothing is left for anybody."""
    at, first, last = body * ROW, loops.first_place[body], loops.first_place[body + 1]
    inverse, pair, turn = get6(rows, at + COLUMN), loops.first_pair[body], mat9(rows, at + TURN)
    known = get6(rows, at + ALPHA)
    for place in range(first, last):
        into, count = 18 * place, loops.place_rows[place]
        l0, l1, l2 = in_own_axes(turn, get6(room.reach, into)), NOTHING, NOTHING
        s0, s1, s2 = times6(inverse, l0), NOTHING, NOTHING
        put6(room.along, into, l0)
        if count > 1:
            l1 = in_own_axes(turn, get6(room.reach, into + 6))
            s1 = times6(inverse, l1)
            put6(room.along, into + 6, l1)
        if count > 2:
            l2 = in_own_axes(turn, get6(room.reach, into + 12))
            s2 = times6(inverse, l2)
            put6(room.along, into + 12, l2)
        take_products(loops, room, pair, first, place, (l0, l1, l2), (s0, s1, s2), known)
        pair += place - first + 1


@hot
def take_products(
    loops: Any, room: Any, pair: int, first: int, place: int, low: Any, scaled: Any, known: Any
) -> None:
    """E -= V^T D^-1 V of a group of rows with those before it at a body, and with itself.

    What is `known` of the solution, L^-1 (tau - p), is taken from what is asked.
    """
    values, along, at = room.values, room.along, 3 * loops.place_group[place]
    (l0, l1, l2), (s0, s1, s2) = low, scaled
    room.asked[at] -= dot6(s0, known)
    room.asked[at + 1] -= dot6(s1, known)
    room.asked[at + 2] -= dot6(s2, known)
    for k in range(first, place):
        e, other = loops.pairs[pair + k - first], 18 * k
        for c in range(loops.place_rows[k]):
            x = get6(along, other + 6 * c)
            values[e + c] -= dot6(s0, x)
            values[e + 3 + c] -= dot6(s1, x)
            values[e + 6 + c] -= dot6(s2, x)
    e = loops.pairs[pair + place - first]
    values[e] -= dot6(s0, l0)
    values[e + 1] -= dot6(s1, l0)
    values[e + 2] -= dot6(s1, l1)
    values[e + 3] -= dot6(s2, l0)
    values[e + 4] -= dot6(s2, l1)
    values[e + 5] -= dot6(s2, l2)
