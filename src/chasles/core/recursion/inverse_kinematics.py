r"""From where bodies are, and how they move, to the state of their pairs: the inverse of `place`.

With r the lever from the base's point to that of the body, and C, s the constants of a pair,

$$ Q = C^T R_p^T R, \qquad d = C^T(R_p^T r - s), \qquad
   w = \omega - \omega_p, \qquad u = \dot P - \dot P_p - \omega_p\times r, $$

and the rates are w and u along the axes of the pair.  What a joint does not allow is left out.
"""

from typing import Any

from chasles.compiled import beyond, borrow, formula, kernel, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, mat9, put3, put4, put9, put_twist, vec3
from chasles.core.placed import column, nearest_turn, pose_of, turn_about_axis, twist_of
from chasles.core.recursion.tree import (
    AXIS,
    FREE,
    LEVER,
    OMEGA,
    POINT,
    ROW,
    SE3_PAIR,
    SPEED,
    SPHERICAL,
    TURN,
    axis_of,
    coordinates_of,
    is_flat,
    rises,
    turns_of,
)
from chasles.groups.so3 import so3_from_matrix
from chasles.groups.vectors import IDENTITY, cross, dot, matmul, matvec, sub, tmatmul, tmatvec
from chasles.scalars.elementary import absolute as size_of
from chasles.scalars.elementary import cos, sin

#: Coordinates known to be nearer than this (rad, m) to what poses tell are the better ones.
KNOWN = 1e-9


@routine
def put_frames(tree: Any, absolute: Any, rows: Any) -> None:
    """R, omega, P and dP/dt of all working frames, levers from their bases, and axes."""
    for body in range(tree.body_count):
        at, base = body * ROW, tree.base[body]
        (own, place), (spin, slide) = pose_of(absolute, body), twist_of(absolute, body)
        turn, omega = matmul(own, mat9(tree.axes, 9 * body)), matvec(own, spin)
        arm = matvec(turn, vec3(tree.centre, 3 * body))
        point = sub(place, arm)
        lever, frame = point, mat9(tree.turn, 9 * body)
        if base >= 0:
            lever = sub(point, vec3(rows, base * ROW + POINT))
            frame = matmul(mat9(rows, base * ROW + TURN), frame)
        put9(rows, at + TURN, turn)
        put3(rows, at + OMEGA, omega)
        put_twist(rows, at + POINT, (point, sub(matvec(own, slide), cross(omega, arm))))
        put3(rows, at + LEVER, lever)
        put3(rows, at + AXIS, column(frame, 0))


@formula
def turn_of_base(tree: Any, rows: Any, body: int) -> Any:
    return mat9(rows, tree.base[body] * ROW + TURN) if tree.base[body] >= 0 else IDENTITY


@routine
def put_rates(tree: Any, rows: Any, out: Any) -> None:
    """The rates of all coordinates (v,), after `put_frames`."""
    for body in range(tree.body_count):
        at, pair, base, k = body * ROW, tree.pair[body], tree.base[body], tree.rate_at[body]
        turn, spin, slide = mat9(rows, at + TURN), vec3(rows, at + OMEGA), vec3(rows, at + SPEED)
        if base >= 0:
            carried = vec3(rows, base * ROW + OMEGA)
            spin = sub(spin, carried)
            slide = sub(slide, vec3(rows, base * ROW + SPEED))
            slide = sub(slide, cross(carried, vec3(rows, at + LEVER)))
        if pair >= SPHERICAL:
            put3(out, k, tmatvec(turn, spin))
            if pair >= FREE:
                frame = turn if pair == SE3_PAIR else turn_of_base(tree, rows, body)
                put3(out, k + 3, tmatvec(frame, slide))
        else:
            for slot in range(coordinates_of(pair)):
                s = axis_of(tree, rows, body, pair, slot)
                out[k + slot] = dot(s[0], spin) if slot < turns_of(pair) else dot(s[1], slide)


@formula
def better(measured: Any, known: Any) -> Any:
    """A coordinate that is known, unless poses contradict it; NaN: it is not."""
    return known if size_of(known - measured) <= KNOWN else measured


@routine
def put_stored(tree: Any, rows: Any, known: Any, out: Any) -> None:
    """Stored numbers of all pairs (q,), after `put_frames`; see `tree_states`."""
    for body in range(tree.body_count):
        pair, q, base_turn = tree.pair[body], tree.stored_at[body], turn_of_base(tree, rows, body)
        relative = tmatmul(base_turn, mat9(rows, body * ROW + TURN))
        place = tmatvec(base_turn, vec3(rows, body * ROW + LEVER))
        if pair >= SPHERICAL:
            put4(out, q, so3_from_matrix(relative))
            if pair >= FREE:
                put3(out, q + 4, place)
            continue
        constant = mat9(tree.turn, 9 * body)
        x, y, z = tmatvec(constant, sub(place, vec3(tree.lever, 3 * body)))
        if turns_of(pair) > 0:
            about, near = tmatmul(constant, relative), known[2 * body]
            angle = turn_about_axis(about)
            if near == near:
                angle = better(nearest_turn(angle, near), near)
            out[q], out[q + 1], out[q + 2] = angle, cos(angle), sin(angle)
            q += 3
        if is_flat(pair):
            out[q], out[q + 1] = x, y
            q += 2
        if rises(pair):
            out[q] = better(z, known[2 * body + 1])


@kernel("states of trees", seconds=1, plain=(100_000, 300_000))
def tree_states(tree: Any, rows: Any, absolute: Any, known: Any, states: Any) -> None:
    """Absolute rows (T, n, 18) to states (T, q + v); `rows` (n, ROW) is scratch.

    `known` (T, n, 2) has angles and displacements, NaN where they are not known: of angles it gives
    the whole turns, which poses do not, and of either the last bits.  Other angles are within half
    a turn.
    """
    model, work = borrow(tree), borrow(rows)
    length = model.stored_count + model.rate_count
    for k in range(absolute.shape[0]):
        out = beyond(borrow(states), k * length)
        put_frames(model, beyond(borrow(absolute), k * model.body_count * ABSOLUTE_WIDTH), work)
        put_stored(model, work, beyond(borrow(known), 2 * model.body_count * k), out)
        put_rates(model, work, beyond(out, model.stored_count))
