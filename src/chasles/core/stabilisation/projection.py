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

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import (
    CHART_WIDTH,
    POSITION,
    ROTATION,
    VELOCITY,
    put3,
    put4,
    vec3,
    vec4,
)
from chasles.core.confinement import confined_to
from chasles.core.retraction import retracted
from chasles.core.stabilisation.moves import chart_move
from chasles.core.stabilisation.record import PROJECTED
from chasles.core.stabilisation.residuals import furthest, put_residuals, solve_rows
from chasles.groups.so3 import so3_normalise
from chasles.scalars.elementary import absolute, maximum

#: Corrections per step at the most, and what counts as closed then and there (sizes, rad).
MOST_CORRECTIONS, CLOSED = 8, 1e-12
#: A joint further open than this after all corrections stops the run.
NEARLY_CLOSED = 1e-9
#: Bodies far from the origin have coordinates that end there: 8 ulps of them are closed, too.
FAR = 8.0 * 2.0**-52 / CLOSED


@routine
def correct_charts(system: Any, confinement: Any, work: Any, found: Any, chart: Any) -> None:
    """Move the charts by the solved displacement and velocity change.

    In their algebras, unless it is the joint itself that is to be closed.
    """
    for body in range(system.body_count):
        group = system.bodies.group[body]
        at = body * CHART_WIDTH
        increment = chart_move(system, work, work.chart, body, found.shift)
        extra = chart_move(system, work, work.chart, body, found.change)
        joint = confinement.joint[body]
        if joint >= 0 and found.chosen[joint] == 0:
            increment, _, _ = confined_to(group, confinement, body, increment)
            extra, _, _ = confined_to(group, confinement, body, extra)
        pose = (vec4(chart, at + ROTATION), vec3(chart, at + POSITION))
        q, position = retracted(group, system.bodies.map[body], pose, increment)
        put4(chart, at + ROTATION, so3_normalise(q))
        put3(chart, at + POSITION, position)
        for c in range(3):
            chart[at + VELOCITY + c] += extra[0][c]
            chart[at + VELOCITY + 3 + c] += extra[1][c]


@routine
def largest_opening(system: Any, promises: Any, found: Any) -> float:
    """The largest gap of the chosen joints, in sizes or rad."""
    unknowns, largest = 6 * system.body_count, 0.0
    for joint in range(system.joint_count):
        if found.chosen[joint] != 0:
            far = FAR * furthest(system, joint, found.absolute)
            first = system.joints.first_row[joint]
            for row in range(first, first + system.joints.rows[joint]):
                size = promises.sizes[row] + far * promises.lengths[row]
                largest = maximum(largest, absolute(found.shift[unknowns + row]) / size)
    return largest


@routine
def close_joints(mechanism: Any, work: Any, found: Any, chart: Any) -> bool:
    """Close the chosen joints at the end of a step; whether they could be closed.

    `work` is as the last stage left it.  At the steps one uses the first correction
    closes the joints to rounding; more are made, on the same factor, where it does not.
    """
    system, plan = mechanism.system, mechanism.plan
    put_residuals(system, work, found, chart)
    opening = 0.0
    for _ in range(MOST_CORRECTIONS):
        solve_rows(system, plan, work, found.shift)
        solve_rows(system, plan, work, found.change)
        correct_charts(system, mechanism.confinement, work, found, chart)
        put_residuals(system, work, found, chart)
        opening = largest_opening(system, mechanism.promises, found)
        if opening <= CLOSED:
            return True
    return opening <= NEARLY_CLOSED


@routine
def project(mechanism: Any, work: Any, chart: Any) -> bool:
    """Close the joints that are projected, if any are, at the end of a step."""
    if mechanism.stabiliser.kind != PROJECTED:
        return True
    return close_joints(mechanism, work, mechanism.stabiliser.found, chart)
