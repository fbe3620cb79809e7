r"""Bodies on charts whose inertia nothing changes: in their own axes its inverse is diagonal.

Their pair has six dimensions about the centre of mass, nothing hangs on them and no row closes on them:
$A = \mathrm{diag}(d_0, d_1, d_2, m, m, m)$ in principal axes, and

$$ \alpha = R\,\mathrm{diag}(1/d)\,(d\omega\times\omega + R^T\tau), \qquad a = f/m . $$

Rows that act on one are kept as $(R^T G_n, G_f)$.
"""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import mat9, put3, vec3
from chasles.core.blocks.small import dot6, get6, put_row6
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    COLUMN,
    FORCE,
    OMEGA,
    ROW,
    TORQUE,
    TURN,
    triangle,
)
from chasles.groups.vectors import add, cross, matvec, neg, scale, sub, tmatvec


@formula
def times6(d: Any, x: Any) -> Any:
    return d[0] * x[0], d[1] * x[1], d[2] * x[2], d[3] * x[3], d[4] * x[4], d[5] * x[5]


@formula
def in_own_axes(turn: Any, g: Any) -> Any:
    n = tmatvec(turn, (g[0], g[1], g[2]))
    return n[0], n[1], n[2], g[3], g[4], g[5]


@hot
def give_untouched(tree: Any, memory: Any, rows: Any, body: int) -> None:
    """alpha and a without rows, and the inverse of A."""
    at, k = body * ROW, tree.rate_at[body]
    turn, d = mat9(rows, at + TURN), triangle(tree.inertia, 6 * body)
    omega = tmatvec(turn, vec3(rows, at + OMEGA))
    push = cross((d[0] * omega[0], d[2] * omega[1], d[5] * omega[2]), omega)
    x, y, z, lightness = 1.0 / d[0], 1.0 / d[2], 1.0 / d[5], 1.0 / tree.mass[body]
    a = (0.0, 0.0, 0.0)
    if memory.has_wrenches != 0:
        push = sub(push, tmatvec(turn, vec3(rows, at + TORQUE)))
        a = neg(vec3(rows, at + FORCE))
    if memory.has_efforts != 0:
        push = add(push, vec3(memory.efforts, k))
        a = add(a, vec3(memory.efforts, k + 3))
    put3(rows, at + ALPHA, matvec(turn, (x * push[0], y * push[1], z * push[2])))
    put3(rows, at + ACCELERATION, scale(lightness, a))
    put_row6(rows, at + COLUMN, (x, y, z, lightness, lightness, lightness))


@hot
def ride_untouched(loops: Any, room: Any, rows: Any, body: int) -> None:
    """Groups on such a body; nothing is left for anybody."""
    at, first, last = body * ROW, loops.first_place[body], loops.first_place[body + 1]
    inverse, pair, turn = get6(rows, at + COLUMN), loops.first_pair[body], mat9(rows, at + TURN)
    motion = vec3(rows, at + ALPHA) + vec3(rows, at + ACCELERATION)
    for place in range(first, last):
        g, into = loops.place_group[place], 18 * place
        g0, g1, g2 = get6(room.reach, into), get6(room.reach, into + 6), get6(room.reach, into + 12)
        l0, l1, l2 = in_own_axes(turn, g0), in_own_axes(turn, g1), in_own_axes(turn, g2)
        put_row6(room.along, into, l0)
        put_row6(room.along, into + 6, l1)
        put_row6(room.along, into + 12, l2)
        room.asked[3 * g] -= dot6(g0, motion)
        room.asked[3 * g + 1] -= dot6(g1, motion)
        room.asked[3 * g + 2] -= dot6(g2, motion)
        s0, s1, s2 = times6(inverse, l0), times6(inverse, l1), times6(inverse, l2)
        take_products(loops, room, pair, first, place, (l0, l1, l2), (s0, s1, s2))
        pair += place - first + 1


@hot
def take_products(
    loops: Any, room: Any, pair: int, first: int, place: int, low: Any, scaled: Any
) -> None:
    """E -= V^T D^-1 V of a group of rows with those before it at a body, and with itself."""
    values, along = room.values, room.along
    (l0, l1, l2), (s0, s1, s2) = low, scaled
    for k in range(first, place):
        e, other = loops.pairs[pair + k - first], 18 * k
        for c in range(3):
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
