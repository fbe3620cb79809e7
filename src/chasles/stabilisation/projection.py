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

from chasles.compiled import borrow, formula, overload, routine
from chasles.dynamics.assemble import place_bodies, pose_of, twist_of
from chasles.dynamics.coupling_rows import assemble_joint
from chasles.dynamics.factor import solve_factored
from chasles.groups.scalar import sqrt
from chasles.groups.so3 import so3_normalise
from chasles.groups.vectors import dot, matvec, tmatvec
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    AXES_A,
    AXES_B,
    BODY_A,
    BODY_B,
    BODY_WIDTH,
    CHART_WIDTH,
    CONSTANT_VELOCITY,
    CUSTOM,
    DISTANCE,
    DRIVE,
    DRIVEN_AXIS,
    ENDS_WIDTH,
    FIRST_ROW,
    FRAME_POINT,
    GROUP,
    JOINT_WIDTH,
    KIND,
    LOCKED,
    LOWER_PAIR,
    PITCH,
    POINT_A,
    POINT_B,
    POSE_R,
    POSITION,
    REFERENCE,
    ROLLING_DISC,
    ROLLING_SPHERE,
    ROTATION,
    ROW_WIDTH,
    ROWS,
    SCREW_FORM,
    SLIDING_POINT,
    SPACE_WIDTH,
    UNIVERSAL,
    VELOCITY,
    Floats,
    Integers,
    System,
    is_lean,
    mat9,
    put3,
    put4,
    twist6,
    vec3,
    vec4,
)
from chasles.system.charts import chart_exp, chart_velocity
from chasles.system.rows import (
    nearest_turn,
    relative_joint_frame,
    screw_residual,
    space_residual,
    turn_about_axis,
)

ZERO = (0.0, 0.0, 0.0)
#: LOCKED of a driver that turns.
DRIVEN_TURN = 0b100
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


class NoProjection(NamedTuple):
    """Nothing is projected: a kernel of its own, without the code for it."""

    active: int
    chosen: Integers


def make_projection(system: System, chosen: Integers) -> Projection | NoProjection:
    """Storage for the chosen joints; none if none is chosen."""
    chosen = np.ascontiguousarray(chosen, np.int64)
    if not chosen.any():
        return NoProjection(0, chosen)
    bodies, rows = system.body_count, system.row_count
    return Projection(
        active=1,
        chosen=chosen,
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        turn=np.zeros((bodies, 9)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        eta=np.zeros(rows),
        shift=np.zeros(6 * bodies + rows),
        change=np.zeros(6 * bodies + rows),
    )


def borrow_projection(projection: Any) -> Any:
    """The same projection with borrowed arrays, for use inside a kernel."""
    return type(projection)(*(borrow(x) if isinstance(x, np.ndarray) else x for x in projection))


@overload(borrow_projection)
def _borrow_projection_compiled(projection):
    if projection.instance_class is NoProjection:
        return lambda projection: NoProjection(0, borrow(projection.chosen))
    return lambda projection: Projection(
        projection.active,
        borrow(projection.chosen),
        borrow(projection.absolute),
        borrow(projection.turn),
        borrow(projection.jacobian),
        borrow(projection.eta),
        borrow(projection.shift),
        borrow(projection.change),
    )


@formula
def point_residual(system: Any, turn: Any, shift: Any, axes_b: Any) -> Any:
    """All three translations, along the axes the form resolves them in."""
    along_b = tmatvec(turn, shift)
    return along_b if system.form == SCREW_FORM else matvec(axes_b, along_b)


@routine
def put_coupling_residual(
    system: Any, joint: int, kind: int, turn: Any, shift: Any, axes_b: Any, target: Any, work: Any,
    row: int, out: Any,
) -> None:  # fmt: skip
    """-g of a joint that is no lower pair, or of a driver."""
    constant = system.joints[joint * JOINT_WIDTH + PITCH]
    locked = system.joint_bodies[joint * ENDS_WIDTH + LOCKED]
    if kind == DRIVEN_AXIS:
        angle = nearest_turn(turn_about_axis(turn), target)
        out[row] = target - (angle if locked == DRIVEN_TURN else shift[2])
    elif kind == SLIDING_POINT:
        for k in range(3):
            if locked >> (3 + k) & 1:
                out[row] = target - shift[k]
                row += 1
    elif kind in (UNIVERSAL, CONSTANT_VELOCITY):
        open_by = point_residual(system, turn, shift, axes_b)
        for k in range(3):
            out[row + k] = -open_by[k]
        out[row + 3] = -turn[1] if kind == UNIVERSAL else turn[3] - turn[1]
    elif kind == DISTANCE:
        out[row] = 0.5 * (constant - dot(shift, shift) / constant)
    elif kind == ROLLING_SPHERE:
        out[row + 2] = constant - shift[2]
    elif kind == ROLLING_DISC:
        out[row + 2] = constant * sqrt(1.0 - turn[8] * turn[8]) - shift[2]
    elif kind == CUSTOM:
        for k in range(system.joint_bodies[joint * ENDS_WIDTH + ROWS]):
            out[row + k] = -work.answer[k]


@routine
def joint_opening(system: Any, joint: int, absolute: Any) -> Any:
    """Frame B of a joint seen from A: (turn, shift)."""
    at, ends = joint * JOINT_WIDTH, joint * ENDS_WIDTH
    joints = system.joints
    return relative_joint_frame(
        pose_of(absolute, system.joint_bodies[ends + BODY_A]),
        (mat9(joints, at + AXES_A), vec3(joints, at + POINT_A)),
        pose_of(absolute, system.joint_bodies[ends + BODY_B]),
        (mat9(joints, at + AXES_B), vec3(joints, at + POINT_B)),
    )


@routine
def put_pair_residual(system: Any, joint: int, absolute: Any, work: Any, out: Any) -> None:
    """-g of a lower pair, row for row as J has them."""
    at, ends = joint * JOINT_WIDTH, joint * ENDS_WIDTH
    pitch, locked = system.joints[at + PITCH], system.joint_bodies[ends + LOCKED]
    turn, shift = joint_opening(system, joint, absolute)
    if system.form == SCREW_FORM:
        rotation, translation = screw_residual(locked, pitch, turn, shift)
    else:
        axes_b = mat9(system.joints, at + AXES_B)
        rotation, translation = space_residual(locked, pitch, turn, shift, axes_b)
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
def put_any_residual(system: Any, joint: int, absolute: Any, work: Any, out: Any) -> None:
    """-g of a joint of any kind, whose J has just been assembled."""
    ends = joint * ENDS_WIDTH
    kind, drive = system.joint_bodies[ends + KIND], system.joint_bodies[ends + DRIVE]
    if kind == LOWER_PAIR:
        put_pair_residual(system, joint, absolute, work, out)
    else:
        turn, shift = joint_opening(system, joint, absolute)
        axes_b = mat9(system.joints, joint * JOINT_WIDTH + AXES_B)
        target = work.signals[drive] if drive >= 0 else 0.0
        row = 6 * system.body_count + system.joint_bodies[ends + FIRST_ROW]
        put_coupling_residual(system, joint, kind, turn, shift, axes_b, target, work, row, out)


def put_position_residual(system: Any, joint: int, absolute: Any, work: Any, out: Any) -> None:
    """-g of one joint."""
    put_any_residual(system, joint, absolute, work, out)


@overload(put_position_residual)
def _put_position_residual_compiled(system, joint, absolute, work, out):
    chosen = put_pair_residual if is_lean(system) else put_any_residual
    return lambda system, joint, absolute, work, out: chosen(system, joint, absolute, work, out)


@routine
def put_velocity_residual(
    system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, out: Any
) -> None:
    """-J V of one joint (less the rate of a driver), J at the end of the step."""
    ends = joint * ENDS_WIDTH
    first = system.joint_bodies[ends + FIRST_ROW]
    row = 6 * system.body_count + first
    pair = (
        twist_of(absolute, system.joint_bodies[ends + BODY_A]),
        twist_of(absolute, system.joint_bodies[ends + BODY_B]),
    )
    drive = system.joint_bodies[ends + DRIVE]
    for r in range(system.joint_bodies[ends + ROWS]):
        total = -work.signals[drive + 1] if drive >= 0 else 0.0
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
def put_residuals(system: Any, work: Any, projection: Any, chart: Any) -> float:
    """-g and -J V of the chosen joints at the end of the step, zero elsewhere; the largest g."""
    place_bodies(system, chart, projection.absolute, projection.turn)
    for k in range(6 * system.body_count + system.row_count):
        projection.shift[k] = 0.0
        projection.change[k] = 0.0
    for joint in range(system.joint_count):
        if projection.chosen[joint] != 0:
            assemble_joint(
                system, joint, projection.absolute, work, projection.jacobian, projection.eta
            )
            put_position_residual(system, joint, projection.absolute, work, projection.shift)
            put_velocity_residual(
                system, joint, projection.absolute, work, projection.jacobian, projection.change
            )
    largest = 0.0
    for row in range(6 * system.body_count, 6 * system.body_count + system.row_count):
        largest = max(largest, abs(projection.shift[row]))
    return largest


@routine
def project_joints(
    system: Any, plan: Any, work: Any, stages: Any, projection: Any, chart: Any
) -> bool:
    """Close the chosen joints at the end of a step; whether they could be closed.

    `work` and `stages` are as the last stage left them.  At the steps one uses the first correction
    closes the joints to rounding; more are made, on the same factor, where it does not.
    """
    opening = put_residuals(system, work, projection, chart)
    for _ in range(MOST_CORRECTIONS):
        solve_factored(plan, work.values, projection.shift)
        solve_factored(plan, work.values, projection.change)
        correct_charts(system, work, stages, projection, chart)
        opening = put_residuals(system, work, projection, chart)
        if opening <= CLOSED:
            return True
    return opening <= NEARLY_CLOSED


def project(system: Any, plan: Any, work: Any, stages: Any, projection: Any, chart: Any) -> bool:
    """`project_joints`, if any are chosen."""
    chosen = isinstance(projection, Projection)
    return not chosen or project_joints(system, plan, work, stages, projection, chart)


@overload(project)
def _project_compiled(system, plan, work, stages, projection, chart):
    if projection.instance_class is NoProjection:
        return lambda system, plan, work, stages, projection, chart: True
    return lambda system, plan, work, stages, projection, chart: project_joints(
        system, plan, work, stages, projection, chart
    )
