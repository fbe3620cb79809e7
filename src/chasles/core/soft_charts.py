r"""Equations of motion of bodies on charts whose forces give way within a step.

$$ \begin{pmatrix} M + \gamma h D + (\gamma h)^2 K & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} = \begin{pmatrix} r \\ 0 \end{pmatrix} $$

The matrix of a force is $B^T(\sum l\,l^T)B$ with the displacement $w = B V$ that it sees
(see `softness`).  It is eliminated as a joint would be, with rows $l\cdot B$ and -1 on the
diagonal: the order of elimination knows it, and the cost is linear in the number of bodies where
that of the joints is.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import hot, routine
from chasles.core.arrays import CHART_WIDTH, ROW_WIDTH, System, put_twist, twist6
from chasles.core.assemble import place_bodies
from chasles.core.blocks.layout import PIVOT, RHS, SIZE
from chasles.core.confinement import confined_to
from chasles.core.constraints.registry import PAIR, assemble_rows
from chasles.core.evaluate import Workspace, make_workspace
from chasles.core.factor import factor_and_solve, load
from chasles.core.ordering import Plan, damped, make_plan
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import seam
from chasles.core.signals import put_signals
from chasles.core.softness import Softness, felt_by, soften
from chasles.core.stabilisation.moves import chart_move
from chasles.core.stabilisation.residuals import solve_rows

ROWS = 6


class SoftCharts(NamedTuple):
    """The matrix with a node for every force, and scratch of its own."""

    system: System  # whose joints are followed by the forces
    plan: Plan
    work: Workspace


def make_soft_charts(mechanism: Any, soft: Softness) -> SoftCharts:
    """Order of elimination and storage."""
    system, count = mechanism.system, soft.count
    joints, unknowns = system.joints, 6 * system.body_count
    more = {name: np.zeros((count, *part.shape[1:]), part.dtype)
            for name, part in joints._asdict().items()}  # fmt: skip
    more["a"], more["b"] = soft.base, soft.moved
    more["kind"][:], more["rows"][:] = PAIR, ROWS
    more["drive"][:], more["drive_work"][:] = -1, -1
    more["first_row"] = system.row_count + ROWS * np.arange(count)
    longer = {name: np.concatenate((part, more[name])) for name, part in joints._asdict().items()}
    extended = system._replace(
        joints=type(joints)(**longer),
        joint_count=system.joint_count + count,
        row_count=system.row_count + ROWS * count,
    )
    plan, first = make_plan(extended), unknowns + system.row_count
    for node in plan.nodes[plan.nodes[:, RHS] >= first]:
        for row in range(int(node[SIZE])):
            plan.template[node[PIVOT] + row * (row + 3) // 2] = -1.0
    if mechanism.plan.is_damped:
        damping = np.append(mechanism.plan.damping, np.zeros(ROWS * count))
        plan = damped(plan, unknowns, damping)
    return SoftCharts(extended, plan, make_workspace(extended, plan))


@routine
def put_soft_rows(linear: Any, soft: Any, first: int) -> None:
    """l . B of all forces, from row `first` on."""
    jacobian, absolute = linear.work.jacobian, linear.work.absolute
    for index in range(soft.count):
        a, b = soft.base[index], soft.moved[index]
        for r in range(ROWS):
            at = (first + ROWS * index + r) * ROW_WIDTH
            row = twist6(soft.factor, 36 * index + 6 * r)
            put_twist(jacobian, at + 6, row)
            if a >= 0:
                put_twist(jacobian, at, felt_by(absolute, a, b, row))


@seam
@hot
def linearise(mechanism: Any, linear: Any, soft: Any, point: Any, t: float, reach: float) -> int:
    """Softness of the forces at a point and the factor with gamma h = `reach`: OK, or a row."""
    system, work = mechanism.system, linear.work
    put_signals(system.signals, t, work.signals)
    for k in range(system.quadrature_count):
        work.quadratures[k] = point[CHART_WIDTH * system.body_count + k]
    place_bodies(system, point, work.absolute, work.turn)
    assemble_rows(system, work)
    soften(system, work, soft, reach)
    put_soft_rows(linear, soft, system.row_count)
    unknowns = 6 * system.body_count
    for k in range(unknowns + linear.system.row_count):
        work.rhs[k] = 0.0
    load(linear.system, linear.plan, work.jacobian, work.values)
    outcome: int = factor_and_solve(
        linear.plan, unknowns, work.values, work.kept, work.floors, work.rhs
    )
    return outcome


@seam
@hot
def answer(mechanism: Any, linear: Any, soft: Any, point: Any, wrenches: Any, slope: Any) -> None:
    """Accelerations delta under wrenches (n, 6), into the place of those of a slope."""
    system, work = mechanism.system, linear.work
    unknowns = 6 * system.body_count
    for k in range(unknowns):
        work.rhs[k] = wrenches[k]
    for row in range(linear.system.row_count):
        work.rhs[unknowns + row] = 0.0
    solve_rows(linear.system, linear.plan, work, work.rhs)
    for body in range(system.body_count):
        move = chart_move(system, work, point, body, work.rhs)
        group = system.bodies.group[body]
        (spin, slide), _, _ = confined_to(group, mechanism.confinement, body, move)
        put_twist(slope, SLOPE_WIDTH * body + 6, (spin, slide))
