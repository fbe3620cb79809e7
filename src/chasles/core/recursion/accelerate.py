r"""Outward again: accelerations from what every joint has kept of its elimination.

With X the parent's motion carried to the joint's point, coordinate after coordinate, the last to
give way first:

$$ \ddot q = D^{-1}(\tau - S^T\hat p) - D^{-1}U^T X, \qquad X \mathrel{+}= S\ddot q, $$

and zeta is added in the end.  A ball has $\alpha = I^{-1}(\tau - p_n) - I^{-1}H a$.

A body on a chart knows its (alpha, a), as a free root does; its rates are what they differ by from
those of the chart's base, which comes before it.
"""

from typing import Any

from chasles.compiled import formula, hot, once, routine
from chasles.core.arrays import get6, mat9, put3, put6, vec3
from chasles.core.blocks.small import backward3, backward6, forward3, get_triangle6, scale3, scale6
from chasles.core.recursion.articulate import articulate_body, clear_sums, load_wrenches
from chasles.core.recursion.denormals import flushed3
from chasles.core.recursion.spherical_leaves import accelerate_leaf
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    BIAS_U,
    BIAS_W,
    COLUMN,
    COUPLING,
    FACTOR,
    FIXED,
    FREE,
    GAIN,
    LEVER,
    PULL,
    REVOLUTE,
    ROW,
    SLOT,
    SO3XR3_PAIR,
    SPHERICAL,
    TURN,
    axis_of,
    coordinates_of,
    z_axis,
)
from chasles.groups.vectors import ZERO, add, axpy, cross, dot, matvec, neg, sub, tmatvec


@formula
def coordinate_acceleration(rows: Any, at: int, slot: int, alpha: Any, acceleration: Any) -> Any:
    """q'' = D^-1 (tau - S . p - U . X)."""
    u = at + COLUMN + SLOT * slot
    load = dot(vec3(rows, u), alpha) + dot(vec3(rows, u + 3), acceleration)
    return rows[u + PULL - COLUMN] - rows[u + GAIN - COLUMN] * load


@hot
def coordinate_accelerations(
    tree: Any, rows: Any, body: int, pair: int, x: Any, out: Any, k: int
) -> Any:
    """`coordinate_acceleration` of all coordinates, the last to give way first; X with all of
    them."""
    alpha, a = x
    for back in range(coordinates_of(pair)):
        slot = coordinates_of(pair) - 1 - back
        rate = coordinate_acceleration(rows, body * ROW, slot, alpha, a)
        turn, shift = axis_of(tree, rows, body, pair, slot)
        alpha, a = axpy(rate, turn, alpha), axpy(rate, shift, a)
        out[k + slot] = rate
    return alpha, a


@routine
def chart_rates(tree: Any, rows: Any, body: int, down: Any, moving: Any, out: Any, k: int) -> None:
    r"""Rates of a body on a chart from its motion and that of the chart's base b.

    $$ \dot w = R^T(\alpha - \alpha_b - \zeta_w), \qquad
       F^T\bigl(a - a_b - \alpha_b\times r - \zeta_u\bigr), $$

    F = R_b for $\ddot x$ on SO(3)xR3, F = R for the rate of the body's own v on SE(3).
    """
    at, base = body * ROW, tree.base[body]
    turn, alpha = mat9(rows, at + TURN), vec3(rows, at + ALPHA)
    a, frame = vec3(rows, at + ACCELERATION), mat9(rows, at + TURN)
    if base >= 0:
        up = base * ROW
        carried = vec3(rows, up + ALPHA)
        alpha = sub(alpha, carried)
        a = sub(a, add(vec3(rows, up + ACCELERATION), cross(carried, vec3(rows, at + LEVER))))
        if tree.pair[body] == SO3XR3_PAIR:
            frame = mat9(rows, up + TURN)
        if moving:
            alpha = sub(alpha, vec3(rows, at + BIAS_W))
    else:
        a = add(a, down)
    if moving:
        a = sub(a, vec3(rows, at + BIAS_U))
    put3(out, k, tmatvec(turn, alpha))
    put3(out, k + 3, tmatvec(frame, a))


@formula
def free_rates(rows: Any, at: int, down: Any, out: Any, k: int) -> None:
    """Rates of a body on SO(3)xR3 against the ground."""
    put3(out, k, tmatvec(mat9(rows, at + TURN), vec3(rows, at + ALPHA)))
    put3(out, k + 3, add(vec3(rows, at + ACCELERATION), down))


@formula
def solve_six(rows: Any, at: int) -> None:
    """X = A^-1 (tau - p), from what its elimination has left of that."""
    factor = get_triangle6(rows, at + FACTOR)
    put6(rows, at + ALPHA, backward6(factor, scale6(factor, get6(rows, at + ALPHA))))


@hot
def accelerate_body(
    tree: Any, rows: Any, body: int, down: Any, moving: Any, with_leaves: int, out: Any, first: int
) -> None:
    """alpha and a of one body, whose parent's are known; rates of its velocities.

    `moving` says whether velocities add anything, `with_leaves` whether leaves have axes of their
    own.
    """
    at, pair, parent = body * ROW, tree.pair[body], tree.parent[body]
    k = first + tree.rate_at[body]
    if pair >= FREE:
        solve_six(rows, at)
    if pair > FREE:
        chart_rates(tree, rows, body, down, moving, out, k)
        return
    if pair == FREE:
        free_rates(rows, at, down, out, k)
        return
    if with_leaves != 0 and tree.is_spherical_leaf[body] != 0:
        accelerate_leaf(tree, rows, body, down, out, k)
        return
    alpha, a, carried = ZERO, neg(down), moving and parent >= 0
    if parent >= 0:
        up = parent * ROW
        alpha = vec3(rows, up + ALPHA)
        a = add(vec3(rows, up + ACCELERATION), cross(alpha, vec3(rows, at + LEVER)))
    if pair == SPHERICAL:
        if carried:
            a = add(a, vec3(rows, at + BIAS_U))
        factor = get6(rows, at + COLUMN)
        pull = matvec(mat9(rows, at + COUPLING), a)
        pull = backward3(factor, scale3(factor, forward3(factor, pull)))
        own = sub(vec3(rows, at + PULL), pull)
        rates = sub(own, alpha)
        if carried:
            rates = sub(rates, vec3(rows, at + BIAS_W))
        put3(out, k, tmatvec(mat9(rows, at + TURN), rates))
        alpha = own
    else:
        if pair == REVOLUTE:
            rate = coordinate_acceleration(rows, at, 0, alpha, a)
            out[k] = rate
            alpha = axpy(rate, z_axis(rows, at), alpha)
        elif pair != FIXED:
            alpha, a = coordinate_accelerations(tree, rows, body, pair, (alpha, a), out, k)
        if carried:
            alpha = add(alpha, vec3(rows, at + BIAS_W))
            a = add(a, vec3(rows, at + BIAS_U))
    if tree.flushes[body] != 0:
        alpha, a = flushed3(alpha), flushed3(a)
    put3(rows, at + ALPHA, alpha)
    put3(rows, at + ACCELERATION, a)


@once
def accelerations(tree: Any, tree_work: Any, out: Any, first: int) -> None:
    """The rates of all velocities, from out[first] on, at the bodies that `kinematics` has placed:
    inward, every body hands its parent what it feels of it; outward, alpha and a of every body.
    """
    rows, down = tree_work.rows, vec3(tree.gravity, 0)
    if tree_work.is_loaded != 0:
        clear_sums(tree, rows)
    if tree_work.has_wrenches != 0:
        load_wrenches(tree, tree_work)
    for k in range(tree.body_count):
        articulate_body(tree, tree_work, rows, tree.body_count - 1 - k)
    for body in range(tree.body_count):
        accelerate_body(tree, rows, body, down, True, tree_work.has_spherical_leaves, out, first)
