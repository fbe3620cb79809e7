r"""Constraint propagation: a pair that is eliminated takes the rows on its body to its parent.

With multipliers of the rows on body i,

$$ F = A X + p + G\lambda, \qquad J\dot V = G^T X + E\lambda + e = \eta . $$

The pair's coordinates give way as without rows (see `articulate`), and take $V = S^T G$ with them:

$$ G' = G - U D^{-1} V, \qquad E' = E - V^T D^{-1} V, \qquad
   e' = e + G^T\zeta + V^T D^{-1}(\tau - S^T\hat p) . $$

A ball passes on $G'_f = G_f - H^T I^{-1} G_n$ and no torque, a pair of six dimensions nothing at
all.
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, once
from chasles.core.arrays import add3, get6, mat9, put6, twist6, vec3
from chasles.core.blocks.small import (
    NOTHING,
    dot6,
    forward3,
    forward6,
    get_triangle6,
    minus_scaled6,
    scale3,
    scale6,
)
from chasles.core.placed import column
from chasles.core.recursion.groups import ALONG
from chasles.core.recursion.tree import (
    ALPHA,
    BIAS_U,
    BIAS_W,
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
    axis_of,
    coordinates_of,
)
from chasles.core.twists import axpy_twists, power
from chasles.groups.vectors import ZERO, add, cross, dot, scale, sub, tmatvec


@formula
def move_to_parent(
    loops: Any, loop_work: Any, place: int, k: int, r: Any, down: Any, row: Any
) -> None:
    """Add G' to the row's place on the parent; on the ground X is known: the ground falls up."""
    up = loops.place_up[place]
    if up >= 0:
        into = 18 * up + 6 * k
        add3(loop_work.reach, into, add(row[0], cross(r, row[1])))
        add3(loop_work.reach, into + 3, row[1])
    else:
        loop_work.rhs[3 * loops.place_group[place] + k] += dot(row[1], down)


@formula
def rows_of_group(reach: Any, place: int) -> Any:
    """The three rows of a group on a body."""
    at = 18 * place
    return get6(reach, at), get6(reach, at + 6), get6(reach, at + 12)


@formula
def minus_rows(x: Any, scales: Any, rows: Any) -> Any:
    """x without so much of three rows."""
    x = minus_scaled6(minus_scaled6(x, scales[0], rows[0]), scales[1], rows[1])
    return minus_scaled6(x, scales[2], rows[2])


@formula
def rows_of_ball(along: Any, place: int) -> Any:
    """L^-1 G_n of the rows of a group on a ball."""
    v = mat9(along, ALONG * place)
    return column(v, 0), column(v, 1), column(v, 2)


@formula
def rows_of_axis(along: Any, place: int) -> Any:
    """V of the rows of a group on the coordinate that `along` begins with."""
    return vec3(along, ALONG * place)


@formula
def product(x: Any, y: Any) -> Any:
    return x * y


@formula
def take_product(values: Any, e: int, scaled: Any, x: Any, times: Any) -> None:
    """A column of a block of E."""
    values[e] -= times(scaled[0], x)
    values[e + 3] -= times(scaled[1], x)
    values[e + 6] -= times(scaled[2], x)


@hot
def take_products(
    loops: Any, loop_work: Any, body: int, place: int, low: Any, scaled: Any, kept: Any, read: Any,
    times: Any,
) -> None:  # fmt: skip
    """E -= V^T D^-1 V of a group of rows with those before it at a body, and with itself.

    `low` and `scaled` are V and D^-1 V of its rows; V of another is `read` from what is `kept`.
    """
    values, first = loop_work.values, loops.first_place[body]
    pair = loops.first_pair[body] + (place - first) * (place - first + 1) // 2
    (l0, l1, l2), (s0, s1, s2) = low, scaled
    for k in range(first, place):
        e, count, (x, y, z) = loops.pairs[pair + k - first], loops.place_rows[k], read(kept, k)
        if count > 0:
            take_product(values, e, scaled, x, times)
        if count > 1:
            take_product(values, e + 1, scaled, y, times)
        if count > 2:
            take_product(values, e + 2, scaled, z, times)
    e = loops.pairs[pair + place - first]
    values[e] -= times(s0, l0)
    values[e + 1] -= times(s1, l0)
    values[e + 2] -= times(s1, l1)
    values[e + 3] -= times(s2, l0)
    values[e + 4] -= times(s2, l1)
    values[e + 5] -= times(s2, l2)


@hot
def propagate_whole(
    loops: Any, loop_work: Any, rows: Any, body: int, factor: Any, lower: Any, divide: Any
) -> None:
    """Propagation of groups through a pair of six dimensions: L^-1 G takes the place of G.

    `lower` and `divide` are L^-1 and D^-1 of its `factor`.  What is known of the solution,
    L^-1 (tau - p), is taken from what is asked.
    """
    known = get6(rows, body * ROW + ALPHA)
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        into, rhs, count = 18 * place, 3 * loops.place_group[place], loops.place_rows[place]
        if count == 0:
            continue
        l0, l1, l2 = lower(factor, get6(loop_work.reach, into)), NOTHING, NOTHING
        s0, s1, s2 = divide(factor, l0), NOTHING, NOTHING
        put6(loop_work.reach, into, l0)
        if count > 1:
            l1 = lower(factor, get6(loop_work.reach, into + 6))
            s1 = divide(factor, l1)
            put6(loop_work.reach, into + 6, l1)
        if count > 2:
            l2 = lower(factor, get6(loop_work.reach, into + 12))
            s2 = divide(factor, l2)
            put6(loop_work.reach, into + 12, l2)
        loop_work.rhs[rhs] -= dot6(s0, known)
        loop_work.rhs[rhs + 1] -= dot6(s1, known)
        loop_work.rhs[rhs + 2] -= dot6(s2, known)
        low, scaled, kept = (l0, l1, l2), (s0, s1, s2), loop_work.reach
        take_products(loops, loop_work, body, place, low, scaled, kept, rows_of_group, dot6)


@formula
def propagate_row_of_ball(
    loops: Any, loop_work: Any, place: int, k: int, factor: Any, ball: Any, r: Any, down: Any
) -> Any:
    """One row through a ball: L^-1 G_n."""
    turning, free, push = ball  # I^-1 H
    row = 18 * place + 6 * k
    turn, force = vec3(loop_work.reach, row), vec3(loop_work.reach, row + 3)
    low = forward3(factor, turn)
    at = ALONG * place + k
    loop_work.along[at], loop_work.along[at + 3], loop_work.along[at + 6] = low
    force = sub(force, tmatvec(turning, turn))
    loop_work.rhs[3 * loops.place_group[place] + k] -= dot(turn, free) + dot(force, push)
    move_to_parent(loops, loop_work, place, k, r, down, (ZERO, force))
    return low


@hot
def propagate_ball(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """Propagation of groups through a ball: `along` keeps L^-1 G_n."""
    at = body * ROW
    factor, r = get6(rows, at + COLUMN), vec3(rows, at + LEVER)
    push = vec3(rows, at + BIAS_U) if tree.parent[body] >= 0 else ZERO
    ball = mat9(rows, at + COUPLING), vec3(rows, at + PULL), push
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        count = loops.place_rows[place]
        if count == 0:
            continue
        l1, l2 = ZERO, ZERO
        l0 = propagate_row_of_ball(loops, loop_work, place, 0, factor, ball, r, down)
        if count > 1:
            l1 = propagate_row_of_ball(loops, loop_work, place, 1, factor, ball, r, down)
        if count > 2:
            l2 = propagate_row_of_ball(loops, loop_work, place, 2, factor, ball, r, down)
        low, kept = (l0, l1, l2), loop_work.along
        scaled = scale3(factor, l0), scale3(factor, l1), scale3(factor, l2)
        take_products(loops, loop_work, body, place, low, scaled, kept, rows_of_ball, dot)


@formula
def propagate_row_of_axis(
    loops: Any, loop_work: Any, place: int, k: int, axis: Any, bias: Any, r: Any, down: Any
) -> Any:
    """One row through a pair of one coordinate: V."""
    s, u, gain, pull = axis
    row = 18 * place + 6 * k
    g = twist6(loop_work.reach, row)
    v = power(s, g)
    if loops.coupled_count > 0:
        v += loop_work.own[row]
    loop_work.along[ALONG * place + k] = v
    loop_work.rhs[3 * loops.place_group[place] + k] -= power(g, bias) + v * pull
    move_to_parent(loops, loop_work, place, k, r, down, axpy_twists(-gain * v, u, g))
    return v


@hot
def propagate_axis(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """Propagation of groups through a pair of one coordinate: `along` keeps V."""
    at, bias = body * ROW, (ZERO, ZERO)
    r, gain = vec3(rows, at + LEVER), rows[at + GAIN]
    s = axis_of(tree, rows, body, tree.pair[body], 0)
    axis = s, twist6(rows, at + COLUMN), gain, rows[at + PULL]
    if tree.parent[body] >= 0:
        bias = twist6(rows, at + BIAS_W)
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        count = loops.place_rows[place]
        if count == 0:
            continue
        x, y, z = propagate_row_of_axis(loops, loop_work, place, 0, axis, bias, r, down), 0.0, 0.0
        if count > 1:
            y = propagate_row_of_axis(loops, loop_work, place, 1, axis, bias, r, down)
        if count > 2:
            z = propagate_row_of_axis(loops, loop_work, place, 2, axis, bias, r, down)
        low, scaled, kept = (x, y, z), (gain * x, gain * y, gain * z), loop_work.along
        take_products(loops, loop_work, body, place, low, scaled, kept, rows_of_axis, product)


@hot
def propagate_axes(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """Propagation of groups through pairs of several coordinates, and through welds: `along` keeps
    V."""
    at, code, along = body * ROW, tree.pair[body], loop_work.along
    r, count = vec3(rows, at + LEVER), coordinates_of(code)
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        first = ALONG * place
        for k in range(loops.place_rows[place]):
            row = 18 * place + 6 * k
            g, known = twist6(loop_work.reach, row), 0.0
            if tree.parent[body] >= 0:
                known = power(g, twist6(rows, at + BIAS_W))
            for slot in range(count):
                of = at + SLOT * slot
                v = power(axis_of(tree, rows, body, code, slot), g)
                if loops.coupled_count > 0:
                    v += loop_work.own[row + slot]
                along[first + 3 * slot + k] = v
                known += v * rows[of + PULL]
                g = axpy_twists(-rows[of + GAIN] * v, twist6(rows, of + COLUMN), g)
            loop_work.rhs[3 * loops.place_group[place] + k] -= known
            move_to_parent(loops, loop_work, place, k, r, down, g)
        for slot in range(count if loops.place_rows[place] > 0 else 0):
            v, kept = vec3(along, first + 3 * slot), beyond(along, 3 * slot)
            scaled = scale(rows[at + SLOT * slot + GAIN], v)
            take_products(loops, loop_work, body, place, v, scaled, kept, rows_of_axis, product)


@once
def propagate_body(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """The pair of a body, which has given way, takes the groups that act on the body with it."""
    pair = tree.pair[body]
    if pair == SPHERICAL:
        propagate_ball(tree, loops, loop_work, rows, body, down)
    elif pair >= FREE:
        factor = get_triangle6(rows, body * ROW + FACTOR)
        propagate_whole(loops, loop_work, rows, body, factor, forward6, scale6)
    elif coordinates_of(pair) == 1:
        propagate_axis(tree, loops, loop_work, rows, body, down)
    else:
        propagate_axes(tree, loops, loop_work, rows, body, down)
