"""The index-1 equations: from a state to accelerations and multipliers."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, hot, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ROW_WIDTH,
    Floats,
    System,
)
from chasles.core.assemble import assemble_wrenches
from chasles.core.constraints.registry import assemble_rows
from chasles.core.factor import OK, factor_and_solve, load, solve_factored
from chasles.core.forces.registry import apply_forces
from chasles.core.ordering import Plan
from chasles.core.small import dot6, get6

#: Solves beyond the first where constraints are redundant; one suffices away from singular poses.
MOST_REFINEMENTS = 4
#: A correction smaller than this fraction of what it corrects is the last one.
REFINED = 1e-5


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
    signals: Floats  # (signals,) the time and all functions of time, at this stage
    quadratures: Floats  # (quadratures,) integrals at this stage
    quadrature_rates: Floats  # (quadratures,)
    exchange: Floats  # (36,) what a user's formula is given ...
    answer: Floats  # (84,) ... and what it answers
    forces: Floats  # (6 n,) Q
    residual: Floats  # (6 n + rows,) zeros and eta - J V', where constraints are redundant
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
        signals=np.zeros(max(1, system.signal_count)),
        quadratures=np.zeros(system.quadrature_count),
        quadrature_rates=np.zeros(system.quadrature_count),
        exchange=np.zeros(36),
        answer=np.zeros(84),
        forces=np.zeros(6 * bodies),
        residual=np.zeros(6 * bodies + rows),
        missed=np.zeros(6 * bodies + rows),
    )


@routine
def refine(system: Any, plan: Any, work: Any, x: Any) -> None:
    r"""Proximal iterations on the damped factor: they end at J V' = eta and the shortest lambda.

    What the damped equations leave of eta is known, $\eta - J\dot V = -\mu\lambda$, so

    $$ \begin{pmatrix} M & J^T \\ J & -\mu \end{pmatrix}
       \begin{pmatrix} \delta \\ \delta\lambda \end{pmatrix} =
       \begin{pmatrix} 0 \\ -\mu\lambda \end{pmatrix} $$

    corrects x = (V', lambda) and leaves $-\mu\,\delta\lambda$, and so on; the last of these stays
    in work.residual.  Every correction shrinks the error by mu over the smallest non-zero pivot;
    mu lambda stays orthogonal to the null space of J^T, so lambda is the shortest in the metric of
    mu, the free pivots: forces and torques are weighed by what they would accelerate.
    """
    unknowns, left = 6 * system.body_count, work.residual
    before = put_damping(system, plan, x, left)
    for _ in range(MOST_REFINEMENTS):
        solve_factored(plan, work.values, left)
        for k in range(unknowns + system.row_count):
            x[k] += left[k]
        after = put_damping(system, plan, left, left)
        if after <= REFINED * before or after > 0.1 * before:
            break
        before = after


@routine
def put_damping(system: Any, plan: Any, x: Any, out: Any) -> float:
    """(0, -mu lambda) for x = (V', lambda), and its largest entry."""
    unknowns, largest = 6 * system.body_count, 0.0
    for k in range(unknowns):
        out[k] = 0.0
    for row in range(unknowns, unknowns + system.row_count):
        out[row] = -plan.damping[row - unknowns] * x[row]
        largest = max(largest, abs(out[row]))
    return largest


@hot
def solve_motion(system: Any, plan: Any, work: Any) -> int:
    """V' and lambda at the state in `work`, left in work.rhs; OK or the singular row."""
    assemble_wrenches(system, work.absolute, work.rhs)
    apply_forces(system, work)
    for row in range(system.row_count):
        work.rhs[6 * system.body_count + row] = work.eta[row]
    load(system, plan, work.jacobian, work.values)
    unknowns = 6 * system.body_count
    for k in range(unknowns):
        work.forces[k] = work.rhs[k]
    outcome = factor_and_solve(plan, unknowns, work.values, work.kept, work.floors, work.rhs)
    if outcome != OK:
        return outcome
    if plan.is_damped != 0:
        refine(system, plan, work, work.rhs)
    driver_powers(system, work)
    return OK


@routine
def driver_powers(system: Any, work: Any) -> None:
    """Power of every driver: its generalised force -lambda times the rate it prescribes."""
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0:
            row = 6 * system.body_count + system.joints.first_row[joint]
            integral = system.joints.drive_work[joint]
            work.quadrature_rates[integral] = -work.rhs[row] * work.signals[drive + 1]


@hot
def collect_missed(system: Any, work: Any, weight: float) -> None:
    """Add weight times eta - J V' to the rows of work.missed."""
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        a, b = system.joints.a[joint], system.joints.b[joint]
        for row in range(first, first + system.joints.rows[joint]):
            at = row * ROW_WIDTH
            value = work.eta[row]
            if b >= 0:
                value -= dot6(get6(work.jacobian, at + 6), get6(work.rhs, 6 * b))
            if a >= 0:
                value -= dot6(get6(work.jacobian, at), get6(work.rhs, 6 * a))
            work.missed[6 * system.body_count + row] += weight * value


@hot
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
def joint_wrenches(system: Any, work: Any, out: Any, at: int) -> None:
    """-J^T lambda of every joint on its two bodies, body frame at the COM: 12 numbers per joint."""
    for joint in range(system.joint_count):
        first, rows = system.joints.first_row[joint], system.joints.rows[joint]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(first, first + rows):
                multiplier = work.rhs[6 * system.body_count + row]
                total -= work.jacobian[row * ROW_WIDTH + c] * multiplier
            out[at + joint * ROW_WIDTH + c] = total


@kernel("reactions and accelerations", seconds=4, plain=(100_000, 200_000))
def evaluate(
    system: Any, plan: Any, work: Any, absolute: Any, table: Any, integrals: Any, wrenches: Any
) -> int:
    """The equations of motion at absolute states (T, n, 18): OK or the singular row.

    `table` holds the functions of time (T, signals), `integrals` work and angles (T, quadratures).

    Writes the joint wrenches (T, m, 12); J, eta and the solution (V', lambda) of the last state
    stay in `work`.
    """
    model, order, scratch = borrow(system), borrow(plan), borrow(work)
    states, out = borrow(absolute), borrow(wrenches)
    functions, angles = borrow(table), borrow(integrals)
    length = model.body_count * ABSOLUTE_WIDTH
    for k in range(absolute.shape[0]):
        for c in range(length):
            scratch.absolute[c] = states[k * length + c]
        for c in range(model.signal_count):
            scratch.signals[c] = functions[k * model.signal_count + c]
        for c in range(model.quadrature_count):
            scratch.quadratures[c] = angles[k * model.quadrature_count + c]
        assemble_rows(model, scratch)
        failed = solve_motion(model, order, scratch)
        if failed != OK:
            return failed
        joint_wrenches(model, scratch, out, k * model.joint_count * ROW_WIDTH)
    return OK
