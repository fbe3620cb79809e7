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
from chasles.core.arrays import get6, mat9, put3, put6, put_twist, twist6, vec3
from chasles.core.blocks.small import backward6, get_triangle6, scale6
from chasles.core.recursion.articulate import articulate_body, clear_sums, load_wrenches
from chasles.core.recursion.denormals import flushed3
from chasles.core.recursion.own_axes import accelerate_leaf
from chasles.core.recursion.tree import (
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
    column_of_turn,
    coordinates_of,
)
from chasles.core.twists import add_twists, axpy_twists, power
from chasles.groups.vectors import ZERO, add, axpy, cross, matvec, neg, sub, tmatvec


@formula
def coordinate_acceleration(rows: Any, at: int, slot: int, x: Any) -> Any:
    """q'' = D^-1 (tau - S . p - U . X)."""
    at += SLOT * slot
    return rows[at + PULL] - rows[at + GAIN] * power(twist6(rows, at + COLUMN), x)


@hot
def coordinate_accelerations(
    tree: Any, rows: Any, body: int, pair: int, x: Any, out: Any, k: int
) -> Any:
    """`coordinate_acceleration` of all coordinates, the last to give way first; X with all."""
    for back in range(coordinates_of(pair)):
        slot = coordinates_of(pair) - 1 - back
        rate = coordinate_acceleration(rows, body * ROW, slot, x)
        x = axpy_twists(rate, axis_of(tree, rows, body, pair, slot), x)
        out[k + slot] = rate
    return x


@formula
def carried_motion(rows: Any, at: int, up: int) -> Any:
    """The motion of a body (alpha, a) carried to a point with its lever from there."""
    alpha, a = twist6(rows, up + ALPHA)
    return alpha, add(a, cross(alpha, vec3(rows, at + LEVER)))


@routine
def chart_rates(tree: Any, rows: Any, body: int, down: Any, moving: Any, out: Any, k: int) -> None:
    r"""Rates of a body on a chart from its motion and that of the chart's base b.

    $$ \dot w = R^T(\alpha - \alpha_b - \zeta_w), \qquad
       F^T\bigl(a - a_b - \alpha_b\times r - \zeta_u\bigr), $$

    F = R_b for $\ddot x$ on SO(3)xR3, F = R for the rate of the body's own v on SE(3).
    """
    at, base, turn = body * ROW, tree.base[body], mat9(rows, body * ROW + TURN)
    alpha, a = twist6(rows, at + ALPHA)
    if tree.pair[body] == FREE:
        put_twist(out, k, (tmatvec(turn, alpha), add(a, down)))
        return
    bias, frame = twist6(rows, at + BIAS_W), turn
    if base >= 0:
        up = base * ROW
        carried = carried_motion(rows, at, up)
        alpha, a = sub(alpha, carried[0]), sub(a, carried[1])
        if tree.pair[body] == SO3XR3_PAIR:
            frame = mat9(rows, up + TURN)
        if moving:
            alpha = sub(alpha, bias[0])
    else:
        a = add(a, down)
    if moving:
        a = sub(a, bias[1])
    put_twist(out, k, (tmatvec(turn, alpha), tmatvec(frame, a)))


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
        chart_rates(tree, rows, body, down, moving, out, k)
        return
    if with_leaves != 0 and tree.is_spherical_leaf[body] != 0:
        accelerate_leaf(tree, rows, body, down, out, k)
        return
    (alpha, a), carried = (ZERO, neg(down)), moving and parent >= 0
    if parent >= 0:
        alpha, a = carried_motion(rows, at, parent * ROW)
    if pair == SPHERICAL:
        if carried:
            a = add(a, vec3(rows, at + BIAS_U))
        own = sub(vec3(rows, at + PULL), matvec(mat9(rows, at + COUPLING), a))
        rates = sub(own, alpha)
        if carried:
            rates = sub(rates, vec3(rows, at + BIAS_W))
        put3(out, k, tmatvec(mat9(rows, at + TURN), rates))
        alpha = own
    else:
        if pair == REVOLUTE:
            rate = coordinate_acceleration(rows, at, 0, (alpha, a))
            out[k] = rate
            alpha = axpy(rate, column_of_turn(rows, at, 2), alpha)
        elif pair != FIXED:
            alpha, a = coordinate_accelerations(tree, rows, body, pair, (alpha, a), out, k)
        if carried:
            alpha, a = add_twists((alpha, a), twist6(rows, at + BIAS_W))
    if tree.flushes[body] != 0:
        alpha, a = flushed3(alpha), flushed3(a)
    put_twist(rows, at + ALPHA, (alpha, a))


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
