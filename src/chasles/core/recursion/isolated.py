r"""Isolated bodies on charts, whose inertia nothing changes: in their own axes its inverse is
diagonal.

Their pair has six dimensions about the centre of mass, nothing hangs on them and no row closes on
them: $A = \mathrm{diag}(d_0, d_1, d_2, m, m, m)$ in principal axes, and

$$ \alpha = R\,\mathrm{diag}(1/d)\,(d\omega\times\omega + R^T\tau), \qquad a = f/m . $$

Rows that act on one are kept as $(R^T G_n, G_f)$.
"""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import get6, mat9, put6, vec3
from chasles.core.recursion.inertia import gyroscopic
from chasles.core.recursion.propagation import propagate_whole
from chasles.core.recursion.tree import ALPHA, FACTOR, FORCE, OMEGA, ROW, TORQUE, TURN
from chasles.groups.vectors import add, matvec, neg, sub, tmatvec


@formula
def times6(d: Any, x: Any) -> Any:
    return d[0] * x[0], d[1] * x[1], d[2] * x[2], d[3] * x[3], d[4] * x[4], d[5] * x[5]


@formula
def by_inverse(factor: Any, x: Any) -> Any:
    """D^-1 x, where a factor is the body's axes and the diagonal of the inverse in these."""
    return times6(factor[1], x)


@formula
def in_own_axes(factor: Any, g: Any) -> Any:
    n = tmatvec(factor[0], (g[0], g[1], g[2]))
    return n[0], n[1], n[2], g[3], g[4], g[5]


@hot
def eliminate_isolated(tree: Any, tree_work: Any, rows: Any, body: int) -> None:
    """What pushes it in its own axes, and the inverse of A."""
    at, k = body * ROW, tree.rate_at[body]
    turn, d = mat9(rows, at + TURN), get6(tree.inertia, 6 * body)
    omega = tmatvec(turn, vec3(rows, at + OMEGA))
    push = gyroscopic((d[0], d[2], d[5]), omega)
    x, y, z, lightness = 1.0 / d[0], 1.0 / d[2], 1.0 / d[5], 1.0 / tree.mass[body]
    a = (0.0, 0.0, 0.0)
    if tree_work.has_wrenches != 0:
        push = sub(push, tmatvec(turn, vec3(rows, at + TORQUE)))
        a = neg(vec3(rows, at + FORCE))
    if tree_work.has_efforts != 0:
        push = add(push, vec3(tree_work.efforts, k))
        a = add(a, vec3(tree_work.efforts, k + 3))
    put6(rows, at + ALPHA, push + a)
    put6(rows, at + FACTOR, (x, y, z, lightness, lightness, lightness))


@formula
def solve_isolated(rows: Any, at: int) -> None:
    """X, from what rows have left of the push."""
    x = times6(get6(rows, at + FACTOR), get6(rows, at + ALPHA))
    turned = matvec(mat9(rows, at + TURN), (x[0], x[1], x[2]))
    put6(rows, at + ALPHA, turned + (x[3], x[4], x[5]))


@hot
def propagate_isolated(loops: Any, loop_work: Any, rows: Any, body: int) -> None:
    """Groups on such a body; nothing is left for anybody."""
    at = body * ROW
    factor = mat9(rows, at + TURN), get6(rows, at + FACTOR)
    propagate_whole(loops, loop_work, rows, body, factor, in_own_axes, by_inverse)
