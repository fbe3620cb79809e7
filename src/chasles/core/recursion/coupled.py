r"""Couplings of coordinates as rows that are propagated: $\sum_i f_i(q_i) = \mathrm{offset}$.

$$ \sum_i f_i'\,\ddot q_i = -\sum_i f_i''\,\dot q_i^2 $$

is a row on coordinates, where those of cut joints act on bodies.  It begins with G = 0, and every
joint that it names adds $f_i'$ to its entry of $V = S^T G$ as the joint gives way (see
`propagation`). The way from there to the ground, or to the body on which all its joints hang, is
that of any row.

A user's formula of the poses of any bodies has a row J on their twists instead,

$$ \sum_i J_i\dot V_i = \eta, $$

which begins with G on every one of them (`load_ties`) and rides to the ground.  So does the rate of
a coordinate of a joint that has rows, times f'.
"""

from typing import Any

from chasles.compiled import call_address, formula, once, routine
from chasles.core.arrays import add3, mat9, put_twist, twist6, vec3
from chasles.core.constraints.custom import put_pose_and_twist
from chasles.core.constraints.rows import coordinate_between
from chasles.core.forces.motion import add_wrench
from chasles.core.placed import point_in_world, pose_of, screw_eta, twist_in_joint_frame, twist_of
from chasles.core.recursion.body_rows import row_on_body, row_times_motion
from chasles.core.recursion.tree import ROW, column_of_turn
from chasles.core.signals import polynomial
from chasles.core.twists import power, scale_twist
from chasles.groups.vectors import ZERO, cross, scale, sub, tmatvec


@formula
def function_of(loops: Any, k: int, q: Any) -> Any:
    """f of a coordinate, and its derivatives."""
    first = loops.first_power[k]
    return polynomial(q, loops.first_power[k + 1] - first - 1, loops.powers, first)


@once
def put_coupled_rows(mechanism: Any, workspace: Any, state: Any, absolute: Any, eta: Any) -> None:
    """f' of all terms, what velocities add, and gaps and their rates, at a state.

    `absolute` is where the bodies are placed there.
    """
    loops, loop_work = mechanism.loops, mechanism.loop_work
    terms = loops.first_term[loops.coupled_count]
    for k in range(loops.coupled_count):
        if loops.coupled_address[k] != 0:
            put_tied_row(loops, loop_work, k, absolute, workspace, eta)
            continue
        bend, gap, speed = 0.0, -loops.offsets[k], 0.0
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            q = state[loops.term_stored[term]]
            rate = state[mechanism.tree.stored_count + loops.term_rate[term]]
            value, slope, second = function_of(loops, term, q)
            loop_work.own[loops.term_at[term]] = slope
            gap += value
            speed += slope * rate
            bend += second * rate * rate
        for j in range(loops.first_gauge[k], loops.first_gauge[k + 1]):
            value, rate, known = put_gauge(loops, loop_work, j, absolute, workspace)
            value, slope, second = function_of(loops, terms + j, value)
            scale_ties(loops, loop_work, j, slope)
            gap += value
            speed += slope * rate
            bend += second * rate * rate - slope * known
        eta[loops.source[loops.coupled[k]]] = -bend
        loop_work.gaps[k], loop_work.speeds[k] = gap, speed


@routine
def put_gauge(loops: Any, loop_work: Any, j: int, absolute: Any, workspace: Any) -> Any:
    r"""A coordinate of a joint that has rows, its rate, and eta of the row that its rate is.

    The row, along z of frame B in the screw form (see `chasles.core.placed`), goes to the ties on
    both bodies: $\dot q = J V$, $\ddot q = J\dot V - \eta$.
    """
    at, a, b = 24 * j, loops.gauge_ends[2 * j], loops.gauge_ends[2 * j + 1]
    frames, sign, counted = loops.gauge_frames, loops.gauge_sign[j], loops.gauge_turn[j]
    on_a = mat9(frames, at), vec3(frames, at + 9)
    on_b = mat9(frames, at + 12), vec3(frames, at + 21)
    near = sign * workspace.quadratures[counted] if counted >= 0 else 0.0
    value, rate, row_a, row_b, seen = coordinate_between(
        absolute, a, b, on_a, on_b, counted >= 0, near
    )
    bracket = screw_eta(
        twist_in_joint_frame(twist_of(absolute, a), *seen),
        twist_in_joint_frame(twist_of(absolute, b), *on_b),
    )
    known = bracket[0][2] if counted >= 0 else bracket[1][2]
    put_twist(loop_work.ties, 6 * loops.gauge_ties[2 * j + 1], scale_twist(sign, row_b))
    if a >= 0:
        put_twist(loop_work.ties, 6 * loops.gauge_ties[2 * j], scale_twist(sign, row_a))
    return sign * value, sign * rate, sign * known


@routine
def scale_ties(loops: Any, loop_work: Any, j: int, slope: Any) -> None:
    """f' times the rows of a coordinate."""
    for side in range(2):
        tie = loops.gauge_ties[2 * j + side]
        if tie >= 0:
            for c in range(6):
                loop_work.ties[6 * tie + c] *= slope


@routine
def put_tied_row(
    loops: Any, loop_work: Any, k: int, absolute: Any, workspace: Any, eta: Any
) -> None:
    """A user's formula answers g, then J on six components of every body, then eta."""
    first, last = loops.first_tie[k], loops.first_tie[k + 1]
    for tie in range(first, last):
        put_pose_and_twist(workspace.exchange, 18 * (tie - first), absolute, loops.tie_body[tie])
    call_address(loops.coupled_address[k], 0.0, workspace.exchange, workspace.answer)
    speed = 0.0
    for tie in range(first, last):
        on_body = twist6(workspace.answer, 1 + 6 * (tie - first))
        put_twist(loop_work.ties, 6 * tie, on_body)
        speed += power(on_body, twist_of(absolute, loops.tie_body[tie]))
    loop_work.gaps[k], loop_work.speeds[k] = workspace.answer[0], speed
    eta[loops.source[loops.coupled[k]]] = workspace.answer[1 + 6 * (last - first)]


@once
def load_ties(tree: Any, loops: Any, rows: Any, loop_work: Any, absolute: Any) -> None:
    """G and what is wanted of the rows on bodies, as `loading.load_rows` has those of J."""
    for k in range(loops.coupled_count):
        for tie in range(loops.first_tie[k], loops.first_tie[k + 1]):
            into, body = loops.tie_place[tie], loops.tie_body[tie]
            spin, beta, known = row_on_body(tree, rows, absolute, loop_work.ties, body, 6 * tie)
            add3(loop_work.reach, into, spin)
            add3(loop_work.reach, into + 3, beta)
            loop_work.rhs[loops.coupled_rhs[k]] += known


@routine
def put_negative(loops: Any, found: Any, chosen: Any, all_of: bool, out: Any) -> None:
    """-g or its rate (loop_work.gaps, loop_work.speeds) of the chosen couplings, or of all."""
    for k in range(loops.coupled_count):
        row = loops.coupled[k]
        if all_of or chosen[loops.joint_of[row]] != 0:
            out[loops.source[row]] = -found[k]


@routine
def take_coupled(
    tree: Any, loops: Any, loop_work: Any, rows: Any, absolute: Any, falling: bool, column: Any
) -> None:
    """Take from loop_work.left what the motion in a column (see `refine`) makes of couplings.

    `falling`: what velocities and gravity add is part of it.
    """
    for k in range(loops.coupled_count):
        row = loops.coupled[k]
        for tie in range(loops.first_tie[k], loops.first_tie[k + 1]):
            body = loops.tie_body[tie]
            moved, _, known = row_times_motion(
                tree, rows, absolute, loop_work.ties, body, 6 * tie, column
            )
            loop_work.left[row] += known - moved if falling else -moved
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            slope = loop_work.own[loops.term_at[term]]
            loop_work.left[row] -= slope * column[loops.term_rate[term]]


@once
def push_by_coupling(
    mechanism: Any, rows: Any, absolute: Any, k: int, multiplier: Any, wrenches: Any
) -> None:
    r"""Add what one coupling does to the bodies; with a multiplier of -1, its row on twists.

    $-\lambda f_i'$ along every coordinate, on its body and the opposite on its parent (a force acts
    along the axis through the joint's point), or $-\lambda J_i^T$ on every body of a formula.
    """
    tree, loops, loop_work = mechanism.tree, mechanism.loops, mechanism.loop_work
    for tie in range(loops.first_tie[k], loops.first_tie[k + 1]):
        for c in range(6):
            into = 6 * loops.tie_body[tie] + c
            wrenches[into] -= multiplier * loop_work.ties[6 * tie + c]
    for term in range(loops.first_term[k], loops.first_term[k + 1]):
        body = loops.term_body[term]
        push = -multiplier * loop_work.own[loops.term_at[term]]
        axis = column_of_turn(rows, body * ROW, 2)
        point = point_in_world(pose_of(absolute, body), vec3(loops.term_point, 3 * term))
        for side in range(2):
            on, sign = (body, push) if side == 0 else (tree.parent[body], -push)
            turn, place = pose_of(absolute, on)
            along, lever = tmatvec(turn, scale(sign, axis)), tmatvec(turn, sub(point, place))
            turns = loops.term_turns[term] != 0
            add_wrench(wrenches, on, (along, ZERO) if turns else (cross(lever, along), along))
