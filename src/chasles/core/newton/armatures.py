r"""The whole Newton matrix of a tree: what acts along coordinates.

With $\dot q = J V$ the rate of a coordinate as a row on the twists of two bodies, which is constant
in their axes while the joint is closed, a rotor adds $I_r J^T J A$, and a force whose effort falls
by k and c with the coordinate and its rate adds $J^T J\,(k X + c N)$; A, N and X are those of
`partials`.  It does not matter whether the coordinate is that of a pair or the joint has rows.
"""

from typing import Any

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import ROW_WIDTH, body_of, put_twist
from chasles.core.forces.along_coordinate import coordinate_motion
from chasles.core.newton.partials import PARTIALS_WIDTH, POSE_PART, RATE_PART, TWIST_PART
from chasles.core.newton.rows import felt_by_row
from chasles.core.terms import effort_slopes


@routine
def add_along(newton: Any, pair: int, ends: Any, row: Any, weights: Any) -> None:
    """J^T J (k X + c N + I_r A) of a coordinate between two bodies, whose J is `row` (12,).

    `weights` are (k, c, I_r).
    """
    for other in range(2):
        body = ends[other]
        if body < 0:
            continue
        for c in range(6):
            effort = 0.0
            for j in range(6):
                at = body * PARTIALS_WIDTH + 6 * j + c
                moved = weights[0] * newton.partials[at + POSE_PART]
                moved += weights[1] * newton.partials[at + TWIST_PART]
                moved += weights[2] * newton.partials[at + RATE_PART]
                effort += row[6 * other + j] * moved
            for one in range(2):
                into = newton.own[body] if one == other else newton.between[2 * pair + one]
                for r in range(6 if into >= 0 else 0):
                    newton.values[into + 6 * r + c] += row[6 * one + r] * effort


@hot
def load_rotors(system: Any, newton: Any) -> None:
    """All rotors, whose rows J are in newton.tangents.probe."""
    joints, jacobian = system.joints, newton.tangents.probe.jacobian
    for joint in range(system.joint_count):
        ends, row = (joints.a[joint], joints.b[joint]), joints.first_row[joint] + joints.rows[joint]
        for part in range(6):
            if joints.rotor_bits[joint] >> part & 1:
                weights = (0.0, 0.0, joints.rotors[6 * joint + part])
                own = beyond(jacobian, row * ROW_WIDTH)
                add_along(newton, joint, ends, own, weights)  # joints are the first pairs
                row += 1


@routine
def load_effort(
    mechanism: Any, newton: Any, workspace: Any, point: Any, index: int, pair: int
) -> None:
    """A force along a coordinate of a pair."""
    system, tangents, k = mechanism.system, newton.tangents, mechanism.tree_work.along[index]
    value = point[mechanism.tree_work.along_at[index]]
    rate = point[mechanism.tree.stored_count + k]
    stiff, damped = effort_slopes(system, tangents, workspace, index, value, rate)
    if stiff != 0.0 or damped != 0.0:
        _, _, row_a, row_b = coordinate_motion(system, index, tangents.probe)
        put_twist(tangents.wrench, 0, row_a)
        put_twist(tangents.wrench, 6, row_b)
        ends = (system.forces.a[index], system.forces.b[index])
        add_along(newton, pair, ends, tangents.wrench, (stiff, damped, 0.0))


@hot
def apply_rotors(system: Any, newton: Any, twists: Any) -> None:
    """What rotors take of M E, for body accelerations E."""
    joints, jacobian = system.joints, newton.tangents.probe.jacobian
    for joint in range(system.joint_count):
        row = joints.first_row[joint] + joints.rows[joint]
        for part in range(6):
            if joints.rotor_bits[joint] >> part & 1:
                effort = joints.rotors[6 * joint + part]
                effort *= felt_by_row(joints, jacobian, joint, row, twists)
                for side in range(2):
                    body, at = body_of(joints, joint, side), row * ROW_WIDTH + 6 * side
                    for c in range(6 if body >= 0 else 0):
                        newton.column[6 * body + c] += effort * jacobian[at + c]
                row += 1
