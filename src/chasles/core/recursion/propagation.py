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

from chasles.compiled import formula, hot, once
from chasles.core.arrays import get6, mat9, put3, put6, vec3
from chasles.core.blocks.small import (
    NOTHING,
    backward3,
    dot6,
    forward3,
    forward6,
    get_triangle6,
    scale3,
    scale6,
)
from chasles.core.recursion.tree import (
    ALPHA,
    BIAS_U,
    BIAS_W,
    COLUMN,
    COUPLING,
    FREE,
    GAIN,
    HELICAL,
    LEVER,
    PRISMATIC,
    PULL,
    REVOLUTE,
    ROW,
    SPHERICAL,
    axis_of,
    coordinates_of,
)
from chasles.groups.vectors import ZERO, add, axpy, cross, dot, sub, tmatvec


@formula
def move_to_parent(
    loops: Any, loop_work: Any, place: int, k: int, r: Any, down: Any, torque: Any, force: Any
) -> None:
    """Add G' to the row's place on the parent; on the ground X is known: the ground falls up."""
    up = loops.place_up[place]
    if up >= 0:
        into = 18 * up + 6 * k
        moved = add(torque, cross(r, force))
        put3(loop_work.reach, into, add(vec3(loop_work.reach, into), moved))
        put3(loop_work.reach, into + 3, add(vec3(loop_work.reach, into + 3), force))
    else:
        loop_work.rhs[3 * loops.place_group[place] + k] += dot(force, down)


@formula
def entry(p: Any, at: int) -> Any:
    return p[at]


@formula
def product(x: Any, y: Any) -> Any:
    return x * y


@hot
def take_products(
    loops: Any, loop_work: Any, body: int, place: int, low: Any, scaled: Any, slot: int, read: Any,
    times: Any,
) -> None:  # fmt: skip
    """E -= V^T D^-1 V of a group of rows with those before it at a body, and with itself.

    `low` and `scaled` are V and D^-1 V of its rows; V of the others is `read` from `along`.
    """
    values, along, first = loop_work.values, loop_work.along, loops.first_place[body]
    pair = loops.first_pair[body] + (place - first) * (place - first + 1) // 2
    (l0, l1, l2), (s0, s1, s2) = low, scaled
    for k in range(first, place):
        e, other = loops.pairs[pair + k - first], 18 * k + slot
        for c in range(loops.place_rows[k]):
            x = read(along, other + 6 * c)
            values[e + c] -= times(s0, x)
            values[e + 3 + c] -= times(s1, x)
            values[e + 6 + c] -= times(s2, x)
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
    """Propagation of groups through a pair of six dimensions: `along` keeps L^-1 G.

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
        put6(loop_work.along, into, l0)
        if count > 1:
            l1 = lower(factor, get6(loop_work.reach, into + 6))
            s1 = divide(factor, l1)
            put6(loop_work.along, into + 6, l1)
        if count > 2:
            l2 = lower(factor, get6(loop_work.reach, into + 12))
            s2 = divide(factor, l2)
            put6(loop_work.along, into + 12, l2)
        loop_work.rhs[rhs] -= dot6(s0, known)
        loop_work.rhs[rhs + 1] -= dot6(s1, known)
        loop_work.rhs[rhs + 2] -= dot6(s2, known)
        take_products(loops, loop_work, body, place, (l0, l1, l2), (s0, s1, s2), 0, get6, dot6)


@formula
def propagate_row_of_ball(
    loops: Any, loop_work: Any, place: int, k: int, factor: Any, ball: Any, r: Any, down: Any
) -> Any:
    """One row through a ball: L^-1 G_n."""
    h, free, push = ball
    row = 18 * place + 6 * k
    turn, force = vec3(loop_work.reach, row), vec3(loop_work.reach, row + 3)
    low = forward3(factor, turn)
    put3(loop_work.along, row, low)
    force = sub(force, tmatvec(h, backward3(factor, scale3(factor, low))))
    loop_work.rhs[3 * loops.place_group[place] + k] -= dot(turn, free) + dot(force, push)
    move_to_parent(loops, loop_work, place, k, r, down, ZERO, force)
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
        l0, l1, l2 = (
            propagate_row_of_ball(loops, loop_work, place, 0, factor, ball, r, down),
            ZERO,
            ZERO,
        )
        if count > 1:
            l1 = propagate_row_of_ball(loops, loop_work, place, 1, factor, ball, r, down)
        if count > 2:
            l2 = propagate_row_of_ball(loops, loop_work, place, 2, factor, ball, r, down)
        scaled = scale3(factor, l0), scale3(factor, l1), scale3(factor, l2)
        take_products(loops, loop_work, body, place, (l0, l1, l2), scaled, 0, vec3, dot)


@formula
def propagate_row_of_axis(
    loops: Any, loop_work: Any, place: int, k: int, axis: Any, bias: Any, r: Any, down: Any
) -> Any:
    """One row through a pair of one coordinate: V."""
    s, u, gain, pull = axis
    row = 18 * place + 6 * k
    n, f = vec3(loop_work.reach, row), vec3(loop_work.reach, row + 3)
    v = dot(s[0], n) + dot(s[1], f)
    if loops.coupled_count > 0:
        v += loop_work.own[row]
    loop_work.along[row] = v
    known = dot(n, bias[0]) + dot(f, bias[1]) + v * pull
    loop_work.rhs[3 * loops.place_group[place] + k] -= known
    give = -gain * v
    move_to_parent(loops, loop_work, place, k, r, down, axpy(give, u[0], n), axpy(give, u[1], f))
    return v


@hot
def propagate_axis(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """Propagation of groups through a pair of one coordinate: `along` keeps V."""
    at, u = body * ROW, body * ROW + COLUMN
    r, gain = vec3(rows, at + LEVER), rows[at + GAIN]
    s = axis_of(tree, rows, body, tree.pair[body], 0)
    axis = s, (vec3(rows, u), vec3(rows, u + 3)), gain, rows[at + PULL]
    bias = ZERO, ZERO
    if tree.parent[body] >= 0:
        bias = vec3(rows, at + BIAS_W), vec3(rows, at + BIAS_U)
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        count = loops.place_rows[place]
        if count == 0:
            continue
        x, y, z = propagate_row_of_axis(loops, loop_work, place, 0, axis, bias, r, down), 0.0, 0.0
        if count > 1:
            y = propagate_row_of_axis(loops, loop_work, place, 1, axis, bias, r, down)
        if count > 2:
            z = propagate_row_of_axis(loops, loop_work, place, 2, axis, bias, r, down)
        scaled = gain * x, gain * y, gain * z
        take_products(loops, loop_work, body, place, (x, y, z), scaled, 0, entry, product)


@hot
def propagate_axes(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """Propagation of groups through pairs of several coordinates, and through welds: `along` keeps
    V."""
    at, code, along = body * ROW, tree.pair[body], loop_work.along
    r, count = vec3(rows, at + LEVER), coordinates_of(code)
    for place in range(loops.first_place[body], loops.first_place[body + 1]):
        g, into = loops.place_group[place], 18 * place
        for k in range(loops.place_rows[place]):
            row = into + 6 * k
            n, f, known = vec3(loop_work.reach, row), vec3(loop_work.reach, row + 3), 0.0
            if tree.parent[body] >= 0:
                known = dot(n, vec3(rows, at + BIAS_W)) + dot(f, vec3(rows, at + BIAS_U))
            for slot in range(count):
                s = axis_of(tree, rows, body, code, slot)
                v = dot(s[0], n) + dot(s[1], f)
                if loops.coupled_count > 0:
                    v += loop_work.own[row + slot]
                along[row + slot] = v
                known += v * rows[at + PULL + slot]
                u, give = at + COLUMN + 6 * slot, rows[at + GAIN + slot] * v
                n, f = axpy(-give, vec3(rows, u), n), axpy(-give, vec3(rows, u + 3), f)
            loop_work.rhs[3 * g + k] -= known
            move_to_parent(loops, loop_work, place, k, r, down, n, f)
        for slot in range(count if loops.place_rows[place] > 0 else 0):
            v = along[into + slot], along[into + 6 + slot], along[into + 12 + slot]
            gain = rows[at + GAIN + slot]
            scaled = gain * v[0], gain * v[1], gain * v[2]
            take_products(loops, loop_work, body, place, v, scaled, slot, entry, product)


@once
def propagate_body(tree: Any, loops: Any, loop_work: Any, rows: Any, body: int, down: Any) -> None:
    """The pair of a body, which has given way, takes the groups that act on the body with it."""
    pair = tree.pair[body]
    if pair == SPHERICAL:
        propagate_ball(tree, loops, loop_work, rows, body, down)
    elif pair >= FREE:
        factor = get_triangle6(rows, body * ROW + COLUMN)
        propagate_whole(loops, loop_work, rows, body, factor, forward6, scale6)
    elif pair in (REVOLUTE, PRISMATIC, HELICAL):
        propagate_axis(tree, loops, loop_work, rows, body, down)
    else:
        propagate_axes(tree, loops, loop_work, rows, body, down)
