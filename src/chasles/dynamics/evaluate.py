"""The index-1 equations: from a state to accelerations and multipliers."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, formula, kernel, routine
from chasles.dynamics.assemble import assemble_rows, assemble_wrenches, place_bodies
from chasles.dynamics.factor import OK, factor_and_solve, load, solve_factored
from chasles.dynamics.ordering import Plan, borrow_plan
from chasles.dynamics.small import dot6, get6
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    BODY_A,
    BODY_B,
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
    eta: Floats  # (rows,)
    rhs: Floats  # (6 n + rows,) Q and eta, then V' and lambda
    values: Floats  # the factor
    kept: Floats  # scratch of the factorisation
    floors: Floats  # (rows,) joint pivots below these are singular
    missed: Floats  # (6 n + rows,) zeros, then what J V' missed of eta in a step


def make_workspace(system: System, plan: Plan) -> Workspace:
    bodies, rows = system.body_count, system.row_count
    return Workspace(
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        turn=np.zeros((bodies, 9)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        eta=np.zeros(rows),
        rhs=np.zeros(6 * bodies + rows),
        values=np.zeros(plan.size),
        kept=np.zeros(plan.kept),
        floors=np.zeros(rows),
        missed=np.zeros(6 * bodies + rows),
    )


@formula
def borrow_workspace(work: Any) -> Any:
    """The same workspace with borrowed arrays, for use inside a kernel."""
    return Workspace(
        borrow(work.absolute),
        borrow(work.turn),
        borrow(work.jacobian),
        borrow(work.eta),
        borrow(work.rhs),
        borrow(work.values),
        borrow(work.kept),
        borrow(work.floors),
        borrow(work.missed),
    )


@routine
def accelerations(system: Any, plan: Any, work: Any) -> int:
    """V' and lambda at the placed bodies, left in work.rhs; OK or the singular row."""
    assemble_rows(system, work.absolute, work.jacobian, work.eta)
    assemble_wrenches(system, work.absolute, work.rhs)
    for row in range(system.row_count):
        work.rhs[6 * system.body_count + row] = work.eta[row]
    load(system, plan, work.jacobian, work.values)
    return factor_and_solve(
        plan, 6 * system.body_count, work.values, work.kept, work.floors, work.rhs
    )


@routine
def collect_missed(system: Any, work: Any, weight: float) -> None:
    """Add weight times eta - J V' to the rows of work.missed."""
    for joint in range(system.joint_count):
        ends = joint * ENDS_WIDTH
        first = system.joint_bodies[ends + FIRST_ROW]
        a, b = system.joint_bodies[ends + BODY_A], system.joint_bodies[ends + BODY_B]
        for row in range(first, first + system.joint_bodies[ends + ROWS]):
            at = row * ROW_WIDTH
            value = work.eta[row] - dot6(get6(work.jacobian, at + 6), get6(work.rhs, 6 * b))
            if a >= 0:
                value -= dot6(get6(work.jacobian, at), get6(work.rhs, 6 * a))
            work.missed[6 * system.body_count + row] += weight * value


@routine
def make_good(system: Any, plan: Any, work: Any) -> None:
    """Correct V' by what was collected, and start collecting again.

    The rounding errors of a factor are much the same step after step.  Left alone they are a
    constant error of the acceleration, and a joint that ought to hold opens with the square of
    time: a top in an arbitrary frame by 3e-11 m in 5 s, against 4e-14 m.
    """
    solve_factored(plan, work.values, work.missed)
    for k in range(6 * system.body_count):
        work.rhs[k] += work.missed[k]
    for k in range(6 * system.body_count + system.row_count):
        work.missed[k] = 0.0


@routine
def right_hand_side(system: Any, plan: Any, work: Any, chart: Any) -> int:
    """V' and lambda at a chart state, left in work.rhs; OK or the singular row."""
    place_bodies(system, chart, work.absolute, work.turn)
    return accelerations(system, plan, work)


@routine
def joint_wrenches(system: Any, work: Any, out: Any, at: int) -> None:
    """-J^T lambda of every joint on its two bodies, body frame at the COM: 12 numbers per joint."""
    for joint in range(system.joint_count):
        ends = joint * ENDS_WIDTH
        first, rows = system.joint_bodies[ends + FIRST_ROW], system.joint_bodies[ends + ROWS]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(first, first + rows):
                multiplier = work.rhs[6 * system.body_count + row]
                total -= work.jacobian[row * ROW_WIDTH + c] * multiplier
            out[at + joint * ROW_WIDTH + c] = total


@kernel
def evaluate(system: Any, plan: Any, work: Any, absolute: Any, wrenches: Any) -> int:
    """The equations of motion at absolute states (T, n, 18): OK or the singular row.

    Writes the joint wrenches (T, m, 12); J, eta and the solution (V', lambda) of the last state
    stay in `work`.
    """
    model, order, scratch = borrow_system(system), borrow_plan(plan), borrow_workspace(work)
    states, out = borrow(absolute), borrow(wrenches)
    length = model.body_count * ABSOLUTE_WIDTH
    for k in range(absolute.shape[0]):
        for c in range(length):
            scratch.absolute[c] = states[k * length + c]
        failed = accelerations(model, order, scratch)
        if failed != OK:
            return failed
        joint_wrenches(model, scratch, out, k * model.joint_count * ROW_WIDTH)
    return OK
