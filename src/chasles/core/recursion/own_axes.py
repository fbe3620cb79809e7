r"""Bodies whose inertia is diagonal in axes of their own: almost everything is constant, no factor.

*Spherical leaves*: balls that nothing hangs on.  The inertia about P is diagonal in working axes,
$I = \mathrm{diag}(d)$, and H is $\widehat{mc}$; so what the parent feels is a constant matrix,

$$ M' = m\,1 + \widehat{mc}\,I^{-1}\,\widehat{mc}, $$

in axes that turn with the body.  With $\omega$, $a$ in working axes and
$\beta = I^{-1}(\tau - \omega\times I\omega)$, the equations of `articulate` read

$$ \alpha = \beta - I^{-1}(mc\times a), \qquad
   p'_f = \omega\times(\omega\times mc) + \beta\times mc + M'\zeta_u . $$

*Isolated bodies*: their pair has six dimensions about the centre of mass, nothing hangs on them and
no row closes on them: $A = \mathrm{diag}(d_0, d_1, d_2, m, m, m)$ in principal axes, and

$$ \alpha = R\,\mathrm{diag}(1/d)\,(d\omega\times\omega + R^T\tau), \qquad a = f/m . $$

Rows that act on one are kept as $(R^T G_n, G_f)$.
"""

from typing import Any

from chasles.compiled import formula, hot
from chasles.core.arrays import get6, mat9, put3, put6, put_twist, vec3
from chasles.core.recursion.inertia import crossed, gyroscopic, lever_inertia, rotated, spread
from chasles.core.recursion.propagation import propagate_whole
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    AXIS,
    BIAS_U,
    BIAS_W,
    FACTOR,
    FORCE,
    LEVER,
    OMEGA,
    PULL,
    ROW,
    TORQUE,
    TURN,
)
from chasles.groups.vectors import add, cross, matvec, neg, sub, tmatvec

# --- spherical leaves ---


@formula
def by_axes(d: Any, v: Any) -> Any:
    """diag(d) v."""
    return d[0] * v[0], d[1] * v[1], d[2] * v[2]


@formula
def leaf_load(tree: Any, tree_work: Any, rows: Any, body: int, turn: Any, omega: Any) -> Any:
    r"""$\tau - \omega\times I\omega$ in working axes, with all torques."""
    i = get6(tree.inertia, 6 * body)
    push = gyroscopic((i[0], i[2], i[5]), omega)
    if tree_work.has_efforts != 0:
        push = add(push, vec3(tree_work.efforts, tree.rate_at[body]))
    if tree_work.is_loaded != 0:
        push = sub(push, tmatvec(turn, vec3(rows, body * ROW + TORQUE)))
    return push


@formula
def leaf_inertia(tree: Any, tree_work: Any, rows: Any, body: int) -> Any:
    """(I, H, M) and the wrench that the parent feels; the free acceleration is kept."""
    at = body * ROW
    turn = mat9(rows, at + TURN)
    omega = tmatvec(turn, vec3(rows, at + OMEGA))
    push = leaf_load(tree, tree_work, rows, body, turn, omega)
    free = by_axes(vec3(tree.leaf, 9 * body), push)
    put3(rows, at + PULL, free)
    moment = vec3(tree.moment, 3 * body)
    left = rotated(turn, get6(tree.leaf, 9 * body + 3))
    own = add(cross(omega, cross(omega, moment)), cross(free, moment))
    force = add(matvec(turn, own), spread(left, vec3(rows, at + BIAS_U)))
    if tree_work.is_loaded != 0:
        force = add(force, vec3(rows, at + FORCE))
    r = vec3(rows, at + LEVER)
    carried = crossed(r, left)
    return (lever_inertia(r, carried), carried, left), (cross(r, force), force)


@formula
def put_grounded_leaf(tree: Any, tree_work: Any, rows: Any, body: int) -> None:
    """The free acceleration of one that hangs on the ground, which feels nothing.

    Its own rate is its angular velocity.
    """
    at = body * ROW
    push = leaf_load(tree, tree_work, rows, body, mat9(rows, at + TURN), vec3(rows, at + AXIS))
    put3(rows, at + PULL, by_axes(vec3(tree.leaf, 9 * body), push))


@hot
def accelerate_leaf(tree: Any, rows: Any, body: int, down: Any, out: Any, k: int) -> None:
    """alpha and a in the world of a leaf, and the rates of its velocities."""
    at, up = body * ROW, tree.parent[body] * ROW
    turn, a = mat9(rows, at + TURN), neg(down)
    if up >= 0:
        carried = cross(vec3(rows, up + ALPHA), vec3(rows, at + LEVER))
        a = add(add(vec3(rows, up + ACCELERATION), carried), vec3(rows, at + BIAS_U))
    pull = by_axes(vec3(tree.leaf, 9 * body), cross(vec3(tree.moment, 3 * body), tmatvec(turn, a)))
    own = sub(vec3(rows, at + PULL), pull)
    put_twist(rows, at + ALPHA, (matvec(turn, own), a))
    if up >= 0:
        own = sub(own, tmatvec(turn, add(vec3(rows, up + ALPHA), vec3(rows, at + BIAS_W))))
    put3(out, k, own)


# --- isolated bodies ---


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
