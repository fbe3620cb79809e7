r"""Outward: where the bodies are, how they turn, and what velocities add to their accelerations.

With w and u the velocity of a body against its parent, in the world,

$$ \omega = \omega_p + w, \qquad \alpha = \alpha_p + \omega_p\times w + S_w\ddot q, $$
$$ a = a_p + \alpha_p\times r
     + \omega_p\times(\omega_p\times r) + 2\,\omega_p\times u + S_u\ddot q, $$

since axes of rotation are fixed in the child (or in both) and directions of sliding in the parent.
a is the classical acceleration of the joint's point.  Linear velocities do not enter: a boost
changes nothing, to the last bit.

A body on a chart moves against the `base` of the chart by the same formulas, with $r = R_b x$ and
$u = R_b\dot x$ on SO(3)xR3; on SE(3), where the velocity v is the body's own, $u = R v$ and
$R_b\ddot x = R\dot v + w\times u$.
"""

from typing import Any

import numpy as np

from chasles.compiled import beyond, borrow, formula, hot, kernel, once, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, copy, mat9, put3, put9, put_body, twist6, vec3, vec4
from chasles.core.placed import column
from chasles.core.recursion.tree import (
    AXIS,
    BIAS_U,
    BIAS_W,
    CYLINDRICAL,
    FREE,
    HELICAL,
    LEVER,
    OMEGA,
    PLANAR,
    POINT,
    PRISMATIC,
    REVOLUTE,
    ROW,
    SE3_PAIR,
    SO3XR3_PAIR,
    SPEED,
    SPHERICAL,
    TURN,
    is_flat,
    own_turn,
    rises,
    turns_of,
)
from chasles.groups.so3 import so3_matrix
from chasles.groups.vectors import IDENTITY, ZERO, add, axpy, cross, matmul, matvec, scale, tmatvec


@formula
def turned_about_z(m: Any, c: Any, s: Any) -> Any:
    """M Q for a turn about z: the first two columns turn, the third stays."""
    return (
        c * m[0] + s * m[1], c * m[1] - s * m[0], m[2],
        c * m[3] + s * m[4], c * m[4] - s * m[3], m[5],
        c * m[6] + s * m[7], c * m[7] - s * m[6], m[8],
    )  # fmt: skip


@hot
def turn_and_rate(tree: Any, state: Any, rows: Any, body: int, pair: int, up: int) -> Any:
    """(R, w): rotation and relative angular velocity in the world; `up` is the base's row, or < 0.

    A ball stores C Q, so that C costs nothing.
    """
    q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
    if pair >= SPHERICAL:
        turn = so3_matrix(vec4(state, q))
        if up >= 0:
            turn = matmul(mat9(rows, up + TURN), turn)
        return turn, matvec(turn, vec3(state, v))
    turn = mat9(tree.turn, 9 * body)
    if up >= 0:
        turn = matmul(mat9(rows, up + TURN), turn)
    if pair < REVOLUTE:
        return turn, ZERO
    return turned_about_z(turn, state[q + 1], state[q + 2]), scale(state[v], column(turn, 2))


@formula
def slide_of(tree: Any, state: Any, body: int, pair: int, frame: Any) -> Any:
    """(d, u): displacement and its rate along axes of the parent, in the world; z only."""
    q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
    if pair == PRISMATIC:
        shift, rate = state[q], state[v]
    elif pair == HELICAL:
        shift, rate = tree.pitch[body] * state[q], tree.pitch[body] * state[v]
    else:
        shift, rate = state[q + 3], state[v + 1]
    return scale(shift, column(frame, 2)), scale(rate, column(frame, 2))


@routine
def flat_slide(tree: Any, state: Any, body: int, pair: int, base: Any) -> Any:
    """(x axis, d, u) of a pair with shifts along x and y, and along z where it has them."""
    turns = turns_of(pair)
    q = tree.stored_at[body] + 3 * turns
    v = tree.stored_count + tree.rate_at[body] + turns
    frame = mat9(tree.turn, 9 * body)
    x, y = matvec(base, column(frame, 0)), matvec(base, column(frame, 1))
    shift = axpy(state[q], x, scale(state[q + 1], y))
    slip = axpy(state[v], x, scale(state[v + 1], y))
    if rises(pair):
        z = matvec(base, column(frame, 2))
        shift, slip = axpy(state[q + 2], z, shift), axpy(state[v + 2], z, slip)
    if pair == PLANAR and tree.pitch[body] != 0.0:
        z = scale(tree.pitch[body], matvec(base, column(frame, 2)))
        shift, slip = axpy(state[q - 3], z, shift), axpy(state[v - 1], z, slip)
    return x, shift, slip


@routine
def chart_slide(tree: Any, state: Any, body: int, pair: int, base: Any, turn: Any) -> Any:
    """(r, u) of a body on a chart against its base, in the world."""
    q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
    frame = base if pair == SO3XR3_PAIR else turn
    return matvec(base, vec3(state, q + 4)), matvec(frame, vec3(state, v + 3))


@routine
def wide_kinematics(tree: Any, state: Any, rows: Any, body: int) -> None:
    """r, and what velocities add to a, of a body on a chart or on a pair with shifts along x and y.

    Called when the rest of its row is there, so that the other pairs have no call in their middle.
    """
    at, pair, up = body * ROW, tree.pair[body], tree.base[body] * ROW
    turn, base, carried = mat9(rows, at + TURN), IDENTITY, ZERO
    spin = vec3(rows, at + OMEGA)
    if up >= 0:
        base, carried = mat9(rows, up + TURN), vec3(rows, up + OMEGA)
        spin = axpy(-1.0, carried, spin)
    if pair > FREE:
        lever, slip = chart_slide(tree, state, body, pair, base, turn)
    else:
        x, shift, slip = flat_slide(tree, state, body, pair, base)
        put3(rows, at + AXIS, x)
        lever = add(vec3(rows, at + LEVER), shift)
    push = cross(carried, axpy(2.0, slip, cross(carried, lever)))
    if pair == SE3_PAIR:
        push = add(push, cross(spin, slip))
    put3(rows, at + LEVER, lever)
    put3(rows, at + BIAS_U, push)


@once
def kinematics(tree: Any, state: Any, rows: Any) -> None:
    """R, omega, r, and what velocities add; parents first."""
    for body in range(tree.body_count):
        at, pair, up = body * ROW, tree.pair[body], tree.base[body] * ROW
        turn, omega = turn_and_rate(tree, state, rows, body, pair, up)
        lever, slip = vec3(tree.lever, 3 * body), ZERO
        if up >= 0:
            lever = matvec(mat9(rows, up + TURN), lever)
        if pair in (PRISMATIC, HELICAL, CYLINDRICAL):
            shift, slip = slide_of(tree, state, body, pair, turn)
            lever = add(lever, shift)
        if up >= 0:
            carried = vec3(rows, up + OMEGA)
            put3(rows, at + BIAS_W, cross(carried, omega))
            omega = add(carried, omega)
            swing = cross(carried, lever)
            if pair != SPHERICAL and pair != REVOLUTE:
                swing = axpy(2.0, slip, swing)
            put3(rows, at + BIAS_U, cross(carried, swing))
        elif pair == SPHERICAL:
            put3(rows, at + AXIS, vec3(state, tree.stored_count + tree.rate_at[body]))
        put9(rows, at + TURN, turn)
        put3(rows, at + OMEGA, omega)
        put3(rows, at + LEVER, lever)
        if pair > FREE or is_flat(pair):
            wide_kinematics(tree, state, rows, body)


@routine
def find_speeds(tree: Any, state: Any, rows: Any, in_world: Any) -> None:
    r"""P of all bodies and $\dot P = \dot P_p + \omega_p\times r + u$, after `kinematics`.

    Accelerations need neither.  Not in the world, they are relative to the point of a free root.
    """
    for body in range(tree.body_count):
        at, pair, parent = body * ROW, tree.pair[body], tree.base[body]
        point, lever = vec3(rows, at + LEVER), vec3(rows, at + LEVER)
        speed, base = ZERO, IDENTITY
        if parent >= 0:
            up = parent * ROW
            base = mat9(rows, up + TURN)
            point = add(point, vec3(rows, up + POINT))
            speed = add(vec3(rows, up + SPEED), cross(vec3(rows, up + OMEGA), lever))
        if is_flat(pair):
            speed = add(speed, flat_slide(tree, state, body, pair, base)[2])
        elif pair in (PRISMATIC, HELICAL, CYLINDRICAL):
            speed = add(speed, slide_of(tree, state, body, pair, mat9(rows, at + TURN))[1])
        elif pair == FREE:
            q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
            point, speed = ZERO, ZERO
            if in_world:
                point, speed = vec3(state, q + 4), vec3(state, v + 3)
        elif pair >= SO3XR3_PAIR:
            turn = mat9(rows, at + TURN)
            speed = add(speed, chart_slide(tree, state, body, pair, base, turn)[1])
        put3(rows, at + POINT, point)
        put3(rows, at + SPEED, speed)


@formula
def own_twist(tree: Any, state: Any, body: int, slide: Any) -> Any:
    """The twist in body axes of a pair on the ground that stores it: R^T R would round it."""
    pair, v = tree.pair[body], tree.stored_count + tree.rate_at[body]
    axes, spin = mat9(tree.axes, 9 * body), vec3(state, v)
    if pair != FREE and pair != SO3XR3_PAIR:
        own = cross(spin, vec3(tree.centre, 3 * body))
        if pair == SE3_PAIR:
            own = add(vec3(state, v + 3), own)
        slide = matvec(axes, own)
    return matvec(axes, spin), slide


@once
def place(tree: Any, state: Any, rows: Any, absolute: Any) -> None:
    r"""Absolute rows (R, r, body twist) of all bodies, after `kinematics`.

    Only forces, cut joints and people need them: $\dot r_{com} = \dot P + \omega\times Rc$.
    """
    find_speeds(tree, state, rows, True)
    for body in range(tree.body_count):
        at = body * ROW
        turn, omega = mat9(rows, at + TURN), vec3(rows, at + OMEGA)
        point, speed = twist6(rows, at + POINT)
        arm = matvec(turn, vec3(tree.centre, 3 * body))
        own = own_turn(tree, rows, body)
        spin, slide = tmatvec(own, omega), tmatvec(own, add(speed, cross(omega, arm)))
        if tree.base[body] < 0 and tree.pair[body] >= SPHERICAL:
            spin, slide = own_twist(tree, state, body, slide)
        put_body(absolute, body, (own, add(point, arm)), (spin, slide))


@routine
def place_bodies(tree: Any, state: Any, rows: Any, absolute: Any) -> None:
    """Absolute rows of all bodies at a state, whatever is in `rows`."""
    kinematics(tree, state, rows)
    place(tree, state, rows, absolute)


@kernel("poses of trees", seconds=1, plain=(100_000, 300_000))
def tree_absolute(tree: Any, tree_work: Any, states: Any, absolute: Any) -> None:
    """States (T, q + v) to absolute rows (T, n, 18)."""
    model, workspace = borrow(tree), borrow(tree_work)
    history, out = borrow(states), borrow(absolute)
    length = model.stored_count + model.rate_count
    now = np.zeros(length)
    width = model.body_count * ABSOLUTE_WIDTH
    for k in range(states.shape[0]):
        copy(beyond(history, k * length), borrow(now), length)
        place_bodies(model, borrow(now), workspace.rows, beyond(out, k * width))
