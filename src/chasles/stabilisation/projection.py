r"""Projection onto the joints that drift: poses and velocities, in the mass metric, on the group.

After a step, one Newton step for the configuration and one for the velocity:

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} =
   \begin{pmatrix} 0 \\ -g \end{pmatrix}, \qquad
   \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta V \\ \mu \end{pmatrix} =
   \begin{pmatrix} 0 \\ -J V \end{pmatrix}, $$

with g and J V set to zero on the joints that hold by themselves: the correction then lies in their
subalgebras, and they stay exact.  The matrix is the one factored at the last stage of the step, so
a projection costs two solves.  The body displacement delta becomes an increment of the charts *at
that stage*, where J was formed: only so is it in the subalgebra to rounding.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, formula, routine
from chasles.dynamics.assemble import assemble_joint, place_bodies, pose_of, twist_of
from chasles.dynamics.factor import solve_factored
from chasles.groups.so3 import so3_normalise
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    AXES_A,
    AXES_B,
    BODY_A,
    BODY_B,
    BODY_WIDTH,
    CHART_WIDTH,
    ENDS_WIDTH,
    FIRST_ROW,
    FRAME_POINT,
    GROUP,
    JOINT_WIDTH,
    LOCKED,
    PITCH,
    POINT_A,
    POINT_B,
    POSE_R,
    POSITION,
    REFERENCE,
    ROTATION,
    ROW_WIDTH,
    ROWS,
    SCREW_FORM,
    SPACE_WIDTH,
    VELOCITY,
    Floats,
    Integers,
    System,
    mat9,
    put3,
    put4,
    twist6,
    vec3,
    vec4,
)
from chasles.system.charts import chart_exp, chart_velocity
from chasles.system.rows import relative_joint_frame, screw_residual, space_residual

ZERO = (0.0, 0.0, 0.0)
#: Corrections per step at the most, and what counts as closed then and there (m, rad).
MOST_CORRECTIONS, CLOSED = 8, 1e-12
#: A joint further open than this after all corrections stops the run.
NEARLY_CLOSED = 1e-9


class Projection(NamedTuple):
    """Which joints are projected, and storage for it."""

    active: int  # 0: nothing is projected
    chosen: Integers  # (m,) 1 for joints that are projected
    absolute: Floats  # (n, 18) the end of the step
    turn: Floats  # (n, 9)
    jacobian: Floats  # (rows, 12)
    eta: Floats  # (rows,)
    shift: Floats  # (6 n + rows,) delta and mu of the positions
    change: Floats  # (6 n + rows,) of the velocities


def make_projection(system: System, chosen: Integers) -> Projection:
    bodies, rows = system.body_count, system.row_count
    return Projection(
        active=int(chosen.any()),
        chosen=np.ascontiguousarray(chosen, np.int64),
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        turn=np.zeros((bodies, 9)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        eta=np.zeros(rows),
        shift=np.zeros(6 * bodies + rows),
        change=np.zeros(6 * bodies + rows),
    )


@formula
def borrow_projection(projection: Any) -> Any:
    return Projection(
        projection.active,
        borrow(projection.chosen),
        borrow(projection.absolute),
        borrow(projection.turn),
        borrow(projection.jacobian),
        borrow(projection.eta),
        borrow(projection.shift),
        borrow(projection.change),
    )


@routine
def put_position_residual(system: Any, joint: int, absolute: Any, out: Any) -> None:
    """-g of one joint, row for row as J has them."""
    at, ends = joint * JOINT_WIDTH, joint * ENDS_WIDTH
    joints, locked = system.joints, system.joint_bodies[ends + LOCKED]
    axes_b = mat9(joints, at + AXES_B)
    turn, shift = relative_joint_frame(
        pose_of(absolute, system.joint_bodies[ends + BODY_A]),
        (mat9(joints, at + AXES_A), vec3(joints, at + POINT_A)),
        pose_of(absolute, system.joint_bodies[ends + BODY_B]),
        (axes_b, vec3(joints, at + POINT_B)),
    )
    if system.form == SCREW_FORM:
        rotation, translation = screw_residual(locked, joints[at + PITCH], turn, shift)
    else:
        rotation, translation = space_residual(locked, joints[at + PITCH], turn, shift, axes_b)
    row = 6 * system.body_count + system.joint_bodies[ends + FIRST_ROW]
    for k in range(3):
        if locked >> k & 1:
            out[row] = -rotation[k]
            row += 1
    for k in range(3):
        if locked >> (3 + k) & 1:
            out[row] = -translation[k]
            row += 1


@routine
def put_velocity_residual(system: Any, joint: int, absolute: Any, jacobian: Any, out: Any) -> None:
    """-J V of one joint, J at the end of the step."""
    ends = joint * ENDS_WIDTH
    first = system.joint_bodies[ends + FIRST_ROW]
    row = 6 * system.body_count + first
    pair = (
        twist_of(absolute, system.joint_bodies[ends + BODY_A]),
        twist_of(absolute, system.joint_bodies[ends + BODY_B]),
    )
    for r in range(system.joint_bodies[ends + ROWS]):
        total = 0.0
        for side in range(2):
            entries = twist6(jacobian, (first + r) * ROW_WIDTH + 6 * side)
            for k in range(3):
                total += entries[0][k] * pair[side][0][k] + entries[1][k] * pair[side][1][k]
        out[row + r] = -total


@routine
def correct_charts(system: Any, work: Any, stages: Any, projection: Any, chart: Any) -> None:
    """Move the charts by the solved displacement and velocity change."""
    for body in range(system.body_count):
        group = system.body_spaces[body * SPACE_WIDTH + GROUP]
        reference = system.body_spaces[body * SPACE_WIDTH + REFERENCE]
        point = vec3(system.bodies, body * BODY_WIDTH + FRAME_POINT)
        at = body * CHART_WIDTH
        rho = vec3(stages.stage, at + POSITION)
        shift, change = twist6(projection.shift, 6 * body), twist6(projection.change, 6 * body)
        if reference < 0:
            relative = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
            carried_shift, carried_change = (ZERO, ZERO), (ZERO, ZERO)
        else:
            relative = mat9(work.turn, body * 9)
            carried_shift = twist6(projection.shift, 6 * reference)
            carried_change = twist6(projection.change, 6 * reference)
        increment = chart_velocity(group, shift, relative, rho, point, carried_shift)
        extra = chart_velocity(group, change, relative, rho, point, carried_change)
        pose = (vec4(chart, at + ROTATION), vec3(chart, at + POSITION))
        q, position = chart_exp(group, pose, increment)
        put4(chart, at + ROTATION, so3_normalise(q))
        put3(chart, at + POSITION, position)
        for c in range(3):
            chart[at + VELOCITY + c] += extra[0][c]
            chart[at + VELOCITY + 3 + c] += extra[1][c]


@routine
def put_residuals(system: Any, projection: Any, chart: Any) -> float:
    """-g and -J V of the chosen joints at the end of the step, zero elsewhere; the largest g."""
    place_bodies(system, chart, projection.absolute, projection.turn)
    for k in range(6 * system.body_count + system.row_count):
        projection.shift[k] = 0.0
        projection.change[k] = 0.0
    for joint in range(system.joint_count):
        if projection.chosen[joint] != 0:
            assemble_joint(system, joint, projection.absolute, projection.jacobian, projection.eta)
            put_position_residual(system, joint, projection.absolute, projection.shift)
            put_velocity_residual(
                system, joint, projection.absolute, projection.jacobian, projection.change
            )
    largest = 0.0
    for row in range(6 * system.body_count, 6 * system.body_count + system.row_count):
        largest = max(largest, abs(projection.shift[row]))
    return largest


@routine
def project(system: Any, plan: Any, work: Any, stages: Any, projection: Any, chart: Any) -> bool:
    """Close the chosen joints at the end of a step; whether they could be closed.

    `work` and `stages` are as the last stage left them.  At the steps one uses the first correction
    closes the joints to rounding; more are made, on the same factor, where it does not.
    """
    opening = put_residuals(system, projection, chart)
    for _ in range(MOST_CORRECTIONS):
        solve_factored(plan, work.values, projection.shift)
        solve_factored(plan, work.values, projection.change)
        correct_charts(system, work, stages, projection, chart)
        opening = put_residuals(system, projection, chart)
        if opening <= CLOSED:
            return True
    return opening <= NEARLY_CLOSED
