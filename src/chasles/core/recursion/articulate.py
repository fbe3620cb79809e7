r"""Inward and outward: articulated inertias, then accelerations.

Let F = A X + p be the wrench that its joint must give a body for X = (alpha, a), with all that
hangs on it.  X = X_p + zeta + S q'' with X_p the parent's motion carried to the joint's point and
zeta what velocities add; the joint's axes feel only $S^T F = \tau - I_r\ddot q$.  With

$$ U = A S, \quad D = S^T U + I_r, \quad \hat p = p + A\zeta, \quad
   \ddot q = D^{-1}\bigl(\tau - S^T\hat p - U^T X_p\bigr), $$
$$ A' = A - U D^{-1}U^T, \qquad p' = \hat p + U D^{-1}(\tau - S^T\hat p), $$

(A', p') is what the parent feels, shifted to its point.  A pair of several coordinates gives them
up one after the other; a **driven** coordinate is one of infinite armature: $D^{-1} = 0$ and
$D^{-1}(\tau - S^T\hat p) \to \ddot f$, in the same formulas.

A **ball** passes on no torque, so that I' = H' = 0 and

$$ M' = M - H^T I^{-1} H, \qquad p'_f = p_f + H^T I^{-1}(\tau - p_n) + M'\zeta_u, \qquad
   \alpha = I^{-1}(\tau - p_n - H a) . $$

A pair of **six** dimensions keeps $L^{-1}(\tau - p)$ of A = L D L^T, and X is found from that on
the way back.  The ground accelerates upwards with -g.
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, routine
from chasles.core.arrays import add3, clear, get6, mat9, put3, put6, put9, put_twist, twist6, vec3
from chasles.core.blocks.small import (
    backward3,
    forward3,
    forward6,
    ldl3,
    ldl6,
    put_triangle6,
    scale3,
    solve3,
)
from chasles.core.placed import column
from chasles.core.recursion.denormals import flushed3, flushed_inertia
from chasles.core.recursion.inertia import (
    crossed,
    deflated,
    lever_inertia,
    moved_wrench,
    response,
    rotated,
    rotated_diagonal,
    shifted,
    sliding_column,
    spread,
    sum_of,
    turning_column,
)
from chasles.core.recursion.own_axes import leaf_inertia, put_grounded_leaf
from chasles.core.recursion.tree import (
    ALPHA,
    BIAS_U,
    BIAS_W,
    COLUMN,
    COUPLING,
    FACTOR,
    FIXED,
    FORCE,
    FREE,
    GAIN,
    LEVER,
    LINEAR,
    OMEGA,
    PRISMATIC,
    PULL,
    REVOLUTE,
    ROTARY,
    ROW,
    SLOT,
    SPHERICAL,
    SPHERICAL_ARMATURE,
    TORQUE,
    TURN,
    axis_of,
    column_of_turn,
    coordinates_of,
    turns_of,
)
from chasles.core.twists import add_twists, axpy_twists, negated, power
from chasles.groups.vectors import ZERO, add, cross, dot, matvec, neg, tmatvec


@formula
def inertia_of(rows: Any, at: int) -> Any:
    """(I, H, M) of a row."""
    return get6(rows, at + ROTARY), mat9(rows, at + COUPLING), get6(rows, at + LINEAR)


@formula
def put_inertia(rows: Any, at: int, a: Any) -> None:
    put6(rows, at + ROTARY, a[0])
    put9(rows, at + COUPLING, a[1])
    put6(rows, at + LINEAR, a[2])


@formula
def rigid_of(tree: Any, rows: Any, body: int, pair: int) -> Any:
    r"""(I, H, M) and p of the body alone, at its joint's point.

    $n = \Theta\alpha + mc\times a + \omega\times\Theta\omega$,
    $f = m a + \alpha\times mc + \omega\times(\omega\times mc)$, Theta about P.
    """
    turn, omega = mat9(rows, body * ROW + TURN), vec3(rows, body * ROW + OMEGA)
    inertia = get6(tree.inertia, 6 * body)
    rotary = rotated_diagonal(turn, inertia) if pair >= SPHERICAL else rotated(turn, inertia)
    moment = matvec(turn, vec3(tree.moment, 3 * body))
    x, y, z = moment
    mass = tree.mass[body]
    a = (rotary, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0), (mass, 0.0, mass, 0.0, 0.0, mass))
    return a, (cross(omega, spread(rotary, omega)), cross(omega, cross(omega, moment)))


@formula
def whole_of(tree: Any, tree_work: Any, rows: Any, body: int, pair: int) -> Any:
    """(I, H, M) and p of a body with all that hangs on it and all loads."""
    a, p = rigid_of(tree, rows, body, pair)
    if tree_work.is_loaded != 0 or tree.is_leaf[body] == 0:
        at = body * ROW
        a = sum_of(a, inertia_of(rows, at))
        p = add_twists(p, twist6(rows, at + TORQUE))
    return a, p


@hot
def add_to_parent(
    tree: Any, tree_work: Any, rows: Any, body: int, parent: int, a: Any, p: Any
) -> None:
    """Give the parent its share: the first to come sets the sums, the others add."""
    up = parent * ROW
    if tree.flushes[body] != 0:
        a, p = flushed_inertia(a), (flushed3(p[0]), flushed3(p[1]))
    if tree_work.is_loaded != 0 or tree.is_later[body] != 0:
        put_inertia(rows, up, sum_of(inertia_of(rows, up), a))
        add_load(rows, up, p)
    else:
        put_inertia(rows, up, a)
        put_twist(rows, up + TORQUE, p)


@routine
def clear_sums(tree: Any, rows: Any) -> None:
    """Sums start from zero, where loads or rows come before the children."""
    for body in range(tree.body_count):
        clear(beyond(rows, body * ROW + ROTARY), FORCE + 3 - ROTARY)


@formula
def clear_load(rows: Any, at: int) -> None:
    put_twist(rows, at + TORQUE, (ZERO, ZERO))


@routine
def clear_loads(tree: Any, rows: Any) -> None:
    for body in range(tree.body_count):
        clear_load(rows, body * ROW)


@formula
def add_load(rows: Any, at: int, wrench: Any) -> None:
    add3(rows, at + TORQUE, wrench[0])
    add3(rows, at + FORCE, wrench[1])


@formula
def load_on(tree: Any, tree_work: Any, body: int) -> Any:
    """The load of a body about P, world axes, from that in its own axes at its centre of mass."""
    axes, turn = mat9(tree.axes, 9 * body), mat9(tree_work.rows, body * ROW + TURN)
    torque, force = twist6(tree_work.wrenches, 6 * body)
    torque, force = tmatvec(axes, torque), tmatvec(axes, force)
    torque = add(torque, cross(vec3(tree.centre, 3 * body), force))
    return matvec(turn, torque), matvec(turn, force)


@routine
def load_wrenches(tree: Any, tree_work: Any) -> None:
    """Take the loads off p."""
    for body in range(tree.body_count):
        add_load(tree_work.rows, body * ROW, negated(load_on(tree, tree_work, body)))


# --- one coordinate ---


@formula
def give_up(
    tree: Any, tree_work: Any, rows: Any, body: int, slot: int, a: Any, p: Any, u: Any, along: Any,
    push: Any,
) -> Any:  # fmt: skip
    """A' and p' once a coordinate has given way, with U = A S, S . U and S . p.

    U, D^-1 and D^-1 (tau - S . p) are kept in the row; where the coordinate is driven, 0 and f''.
    """
    at, k = body * ROW + SLOT * slot, tree.rate_at[body] + slot
    drive = tree.driven[k]
    if drive >= 0:
        gain, pull = 0.0, tree_work.signals[drive + 2]
    else:
        gain = 1.0 / (along + tree.armature[k])
        free = tree_work.efforts[k] - push if tree_work.has_efforts != 0 else -push
        pull = gain * free
    put_twist(rows, at + COLUMN, u)
    rows[at + GAIN], rows[at + PULL] = gain, pull
    return deflated(a, u, gain), axpy_twists(pull, u, p)


# --- the pairs ---


@hot
def articulate_ball(tree: Any, tree_work: Any, rows: Any, body: int, parent: int) -> None:
    """A ball without armature: three coordinates at once, and a 3x3 for the parent."""
    at = body * ROW
    if tree_work.has_spherical_leaves != 0 and tree.is_spherical_leaf[body] != 0:
        if parent < 0:
            put_grounded_leaf(tree, tree_work, rows, body)
        else:
            share, wrench = leaf_inertia(tree, tree_work, rows, body)
            add_to_parent(tree, tree_work, rows, body, parent, share, wrench)
        return
    (rotary, h, m), p = whole_of(tree, tree_work, rows, body, SPHERICAL)
    factor = ldl3(rotary)
    load = neg(p[0])
    if tree_work.has_efforts != 0:
        effort = vec3(tree_work.efforts, tree.rate_at[body])
        load = add(load, matvec(mat9(rows, at + TURN), effort))
    free = solve3(factor, load)
    put6(rows, at + COLUMN, factor)
    put3(rows, at + PULL, free)
    x, y = forward3(factor, column(h, 0)), forward3(factor, column(h, 1))
    z = forward3(factor, column(h, 2))
    u, v, w = scale3(factor, x), scale3(factor, y), scale3(factor, z)
    (a, b, c), (d, e, f) = backward3(factor, u), backward3(factor, v)
    i, j, k = backward3(factor, w)
    put9(rows, at + COUPLING, (a, d, i, b, e, j, c, f, k))
    if parent < 0:
        return
    left = (
        m[0] - dot(x, u),
        m[1] - dot(y, u), m[2] - dot(y, v),
        m[3] - dot(z, u), m[4] - dot(z, v), m[5] - dot(z, w),
    )  # fmt: skip
    force = add(p[1], tmatvec(h, free))
    force = add(force, spread(left, vec3(rows, at + BIAS_U)))
    r = vec3(rows, at + LEVER)
    carried = crossed(r, left)
    share = (lever_inertia(r, carried), carried, left)
    add_to_parent(tree, tree_work, rows, body, parent, share, (cross(r, force), force))


@hot
def articulate_axes(
    tree: Any, tree_work: Any, rows: Any, body: int, pair: int, parent: int
) -> None:
    """All pairs of one to three coordinates, and the weld."""
    at, z = body * ROW, column_of_turn(rows, body * ROW, 2)
    a, p = whole_of(tree, tree_work, rows, body, pair)
    if parent >= 0:
        p = add_twists(p, response(a, twist6(rows, at + BIAS_W)))
    if pair == REVOLUTE:
        u = turning_column(a, z)
        a, p = give_up(tree, tree_work, rows, body, 0, a, p, u, dot(z, u[0]), dot(z, p[0]))
    elif pair == PRISMATIC:
        u = sliding_column(a, z)
        a, p = give_up(tree, tree_work, rows, body, 0, a, p, u, dot(z, u[1]), dot(z, p[1]))
    elif pair != FIXED:
        a, p = several_axes(tree, tree_work, rows, body, pair, a, p)
    if parent >= 0:
        r = vec3(rows, at + LEVER)
        add_to_parent(tree, tree_work, rows, body, parent, shifted(a, r), moved_wrench(p, r))


@hot
def several_axes(tree: Any, tree_work: Any, rows: Any, body: int, pair: int, a: Any, p: Any) -> Any:
    """All pairs but hinges, and balls with armature: coordinate after coordinate."""
    for slot in range(coordinates_of(pair)):
        s = axis_of(tree, rows, body, pair, slot)
        shifts = slot >= turns_of(pair) and pair != SPHERICAL_ARMATURE
        u = sliding_column(a, s[1]) if shifts else response(a, s)
        a, p = give_up(tree, tree_work, rows, body, slot, a, p, u, power(s, u), power(s, p))
    return a, p


@routine
def articulate_free(tree: Any, tree_work: Any, rows: Any, body: int) -> None:
    """A pair of six dimensions: A X = tau - p, half solved."""
    at, k = body * ROW, tree.rate_at[body]
    (i, h, m), p = whole_of(tree, tree_work, rows, body, FREE)
    factor = ldl6((
        i[0], i[1], i[2], i[3], i[4], i[5],
        h[0], h[3], h[6], m[0],
        h[1], h[4], h[7], m[1], m[2],
        h[2], h[5], h[8], m[3], m[4], m[5],
    ))  # fmt: skip
    torque, force = negated(p)
    if tree_work.has_efforts != 0:
        torque = add(torque, matvec(mat9(rows, at + TURN), vec3(tree_work.efforts, k)))
        force = add(force, vec3(tree_work.efforts, k + 3))
    put_triangle6(rows, at + FACTOR, factor)
    put6(rows, at + ALPHA, forward6(factor, torque + force))


@hot
def articulate_body(tree: Any, tree_work: Any, rows: Any, body: int) -> None:
    """Hand the parent of one body what it feels of it."""
    pair, parent = tree.pair[body], tree.parent[body]
    if pair == SPHERICAL:
        articulate_ball(tree, tree_work, rows, body, parent)
    elif pair >= FREE:
        articulate_free(tree, tree_work, rows, body)
    else:
        articulate_axes(tree, tree_work, rows, body, pair, parent)
