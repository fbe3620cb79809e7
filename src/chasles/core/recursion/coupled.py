r"""Couplings of coordinates as rows that ride: $\sum_i f_i(q_i) = \mathrm{offset}$.

$$ \sum_i f_i'\,\ddot q_i = -\sum_i f_i''\,\dot q_i^2 $$

is a row on coordinates, where those of cut joints act on bodies.  It begins with G = 0, and every
joint that it names adds $f_i'$ to its entry of $V = S^T G$ as the joint gives way (see `riding`).
The way from there to the ground, or to the body on which all its joints hang, is that of any row.
"""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, mat9, put3, vec3
from chasles.core.recursion.articulate import z_axis
from chasles.core.recursion.tree import POINT, ROW
from chasles.core.signals import polynomial
from chasles.groups.vectors import add, cross, scale, sub, tmatvec


@routine
def put_coupled_rows(tree: Any, loops: Any, room: Any, state: Any, eta: Any) -> None:
    """f' of all terms, what velocities add, and gaps and their rates, at a state."""
    for k in range(loops.coupled_count):
        bend, gap, speed = 0.0, -loops.offsets[k], 0.0
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            first, degree = loops.first_power[term], loops.degree[term]
            q = state[loops.term_stored[term]]
            rate = state[tree.stored_count + loops.term_rate[term]]
            value, slope, second = polynomial(q, degree, loops.powers, first)
            room.own[loops.term_at[term]] = slope
            gap += value
            speed += slope * rate
            bend += second * rate * rate
        eta[loops.source[loops.coupled[k]]] = -bend
        room.gaps[k], room.speeds[k] = gap, speed


@routine
def put_coupled_gaps(loops: Any, room: Any, chosen: Any, unknowns: int, out: Any) -> None:
    """-g of the chosen couplings, as `put_coupled_rows` found it."""
    for k in range(loops.coupled_count):
        row = loops.coupled[k]
        if chosen[loops.joint_of[row]] != 0:
            out[unknowns + loops.source[row]] = -room.gaps[k]


@routine
def put_coupled_speeds(loops: Any, room: Any, chosen: Any, unknowns: int, out: Any) -> None:
    """Minus the rate of g, likewise."""
    for k in range(loops.coupled_count):
        row = loops.coupled[k]
        if chosen[loops.joint_of[row]] != 0:
            out[unknowns + loops.source[row]] = -room.speeds[k]


@routine
def take_coupled(loops: Any, room: Any, column: Any) -> None:
    """Take from room.left what the rates in a column make of the couplings' rows."""
    for k in range(loops.coupled_count):
        row = loops.coupled[k]
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            slope = room.own[loops.term_at[term]]
            room.left[row] -= slope * column[loops.term_rate[term]]


@routine
def add_coupled_wrenches(
    tree: Any, loops: Any, room: Any, rows: Any, absolute: Any, wrenches: Any
) -> None:
    r"""$-\lambda f_i'$ along every coordinate: on its body, and the opposite on what carries it."""
    for k in range(loops.coupled_count):
        multiplier = room.multipliers[loops.coupled[k]]
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            body = loops.term_body[term]
            push = -multiplier * room.own[loops.term_at[term]]
            axis = scale(push, z_axis(rows, body * ROW))
            point = vec3(rows, body * ROW + POINT)
            turns = loops.term_turns[term]
            add_wrench(absolute, wrenches, body, turns, axis, point)
            if tree.parent[body] >= 0:
                add_wrench(absolute, wrenches, tree.parent[body], turns, scale(-1.0, axis), point)


@routine
def add_wrench(absolute: Any, wrenches: Any, body: int, turns: int, along: Any, point: Any) -> None:
    """A torque, or a force at a point of the world, on a body: in its axes at its COM."""
    at = body * ABSOLUTE_WIDTH
    turn, into = mat9(absolute, at + POSE_R), 6 * body
    torque = along
    if turns == 0:
        torque = cross(sub(point, vec3(absolute, at + POSE_X)), along)
        put3(wrenches, into + 3, add(vec3(wrenches, into + 3), tmatvec(turn, along)))
    put3(wrenches, into, add(vec3(wrenches, into), tmatvec(turn, torque)))
