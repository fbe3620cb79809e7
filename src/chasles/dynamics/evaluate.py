"""The right-hand side of the index-1 equations: from a chart state to accelerations and multipliers."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, formula, kernel, routine
from chasles.dynamics.assemble import assemble_rows, assemble_wrenches, place_bodies
from chasles.dynamics.factor import OK, factor_and_solve, load
from chasles.dynamics.ordering import Plan, borrow_plan
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    ENDS_WIDTH,
    FIRST_ROW,
    ROW_WIDTH,
    ROWS,
    Floats,
    System,
    borrow_system,
)


class Workspace(NamedTuple):
    """Everything a right-hand side writes; made once per run, so that steps allocate nothing."""

    absolute: Floats  # (n, ABSOLUTE_WIDTH) poses and twists
    turn: Floats  # (n, 9) rotation against the reference body, where there is one
    jacobian: Floats  # (rows, ROW_WIDTH)
    rhs: Floats  # (6 n + rows,) Q and eta, then V' and lambda
    eta: Floats  # the last part of rhs
    values: Floats  # the factor
    kept: Floats  # scratch of the factorisation
    floors: Floats  # (rows,) joint pivots below these are singular


def make_workspace(system: System, plan: Plan) -> Workspace:
    bodies, rows = system.body_count, system.row_count
    rhs = np.zeros(6 * bodies + rows)
    return Workspace(
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        turn=np.zeros((bodies, 9)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        rhs=rhs,
        eta=rhs[6 * bodies :],
        values=np.zeros(plan.size),
        kept=np.zeros(plan.kept),
        floors=np.zeros(rows),
    )


@formula
def borrow_workspace(work: Any) -> Any:
    """The same workspace with borrowed arrays, for use inside a kernel."""
    return Workspace(
        borrow(work.absolute),
        borrow(work.turn),
        borrow(work.jacobian),
        borrow(work.rhs),
        borrow(work.eta),
        borrow(work.values),
        borrow(work.kept),
        borrow(work.floors),
    )


@routine
def accelerations(system: Any, plan: Any, work: Any) -> int:
    """V' and lambda at the placed bodies, left in work.rhs; OK or the singular row."""
    assemble_rows(system, work.absolute, work.jacobian, work.eta)
    assemble_wrenches(system, work.absolute, work.rhs)
    load(system, plan, work.jacobian, work.values)
    return factor_and_solve(
        plan, 6 * system.body_count, work.values, work.kept, work.floors, work.rhs
    )


@routine
def right_hand_side(system: Any, plan: Any, work: Any, chart: Any) -> int:
    """V' and lambda at a chart state, left in work.rhs; OK or the singular row."""
    place_bodies(system, chart, work.absolute, work.turn)
    return accelerations(system, plan, work)


@kernel
def evaluate(system: Any, plan: Any, work: Any) -> int:
    """`accelerations` for Python: at the poses and twists in work.absolute."""
    return accelerations(borrow_system(system), borrow_plan(plan), borrow_workspace(work))


@routine
def reaction_wrenches(system: Any, work: Any, out: Any, at: int) -> None:
    """-J^T lambda of every joint on its two bodies, body frame at the COM: 12 numbers per joint."""
    multipliers = work.eta
    for joint in range(system.joint_count):
        ends = joint * ENDS_WIDTH
        first, rows = system.joint_bodies[ends + FIRST_ROW], system.joint_bodies[ends + ROWS]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(first, first + rows):
                total -= work.jacobian[row * ROW_WIDTH + c] * multipliers[row]
            out[at + joint * ROW_WIDTH + c] = total


@kernel
def reaction_history(system: Any, plan: Any, work: Any, absolute: Any, out: Any) -> int:
    """Joint wrenches (T, m, 12) at the states `absolute` (T, n, 18); OK or the singular row."""
    borrowed, borrowed_plan, scratch = borrow_system(system), borrow_plan(plan), borrow_workspace(work)
    states, wrenches = borrow(absolute), borrow(out)
    length = system.body_count * ABSOLUTE_WIDTH
    for k in range(absolute.shape[0]):
        for c in range(length):
            scratch.absolute[c] = states[k * length + c]
        failed = accelerations(borrowed, borrowed_plan, scratch)
        if failed != OK:
            return failed
        reaction_wrenches(borrowed, scratch, wrenches, k * system.joint_count * ROW_WIDTH)
    return OK
