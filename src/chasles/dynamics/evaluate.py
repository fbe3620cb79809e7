"""The right-hand side of the index-1 equations: from a chart state to accelerations and multipliers."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import kernel
from chasles.dynamics.assemble import assemble_rows, assemble_wrenches, place_bodies
from chasles.dynamics.factor import factor_and_solve, load
from chasles.dynamics.ordering import Plan
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    FRAME_POINT,
    GROUP,
    POSITION,
    REFERENCE,
    ROTATION,
    POSE_R,
    TWIST,
    VELOCITY,
    Floats,
    System,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.system.charts import chart_acceleration, grounded_acceleration


class Workspace(NamedTuple):
    """Everything a right-hand side writes; made once per run, so that steps allocate nothing."""

    absolute: Floats  # (n, 18) poses and twists
    turn: Floats  # (n, 9) rotation against the reference body, where there is one
    jacobian: Floats  # (rows, 12)
    rhs: Floats  # (6 n + rows) Q and eta, then V' and lambda
    eta: Floats  # view of the last part of rhs
    values: Floats  # the factor
    kept: Floats  # scratch of the factorisation
    floors: Floats  # (rows,) pivots below are singular


def make_workspace(system: System, plan: Plan) -> Workspace:
    bodies, rows = system.bodies.shape[0], int(system.joint_bodies[:, 4].sum())
    rhs = np.zeros(6 * bodies + rows)
    return Workspace(
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        turn=np.zeros((bodies, 9)),
        jacobian=np.zeros((rows, 12)),
        rhs=rhs,
        eta=rhs[6 * bodies :],
        values=np.zeros(plan.template.size),
        kept=np.zeros(plan.kept),
        floors=np.zeros(rows),
    )


@kernel
def evaluate(system: Any, plan: Any, work: Any, chart: Any) -> int:
    """Body accelerations and multipliers at a state, left in work.rhs; OK or the singular row."""
    place_bodies(system.bodies, system.body_spaces, chart, work.absolute, work.turn)
    assemble_rows(
        system.joints, system.joint_bodies, system.form, work.absolute, work.jacobian, work.eta
    )
    assemble_wrenches(system.bodies, system.gravity, work.absolute, work.rhs)
    load(plan.row_blocks, system.joint_bodies, work.jacobian, plan.template, work.values)
    return factor_and_solve(
        plan.nodes, plan.slots, plan.targets, work.floors, work.values, work.kept, work.rhs
    )
