"""The index-1 equations: from a state to accelerations and multipliers."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, hot, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ANSWER_WIDTH,
    EXCHANGE_WIDTH,
    ROW_WIDTH,
    Floats,
    System,
    sym6,
    twist6,
)
from chasles.core.assemble import assemble_wrenches
from chasles.core.blocks.small import dot6, get6
from chasles.core.constraints.registry import assemble_rows
from chasles.core.factor import factor_and_solve, load, solve_factored
from chasles.core.forces.registry import apply_forces
from chasles.core.ordering import Plan
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.core.wrenches import kinetic_energy
from chasles.scalars.elementary import absolute, maximum, sqrt

#: Solves beyond the first where constraints are redundant, at the most.  One suffices away from
#: singular poses; every singular value of J within the damping costs about one more.
MOST_REFINEMENTS = 30
#: A first solve that leaves more than this of the residual is a hard case, with eigenvalues within
#: thirty times the damping: its residual is computed anew then, so many times at the most.
HARD, MOST_RESTARTS = 0.03, 2
#: V' is refined until what is left of its error, in the mass metric, is this fraction of it.
REFINED = 1e-12
#: ... and if that is not reached, and the last correction was larger than this, it is told.
COARSE = 1e-8
#: A residual of which a solve takes no more than this fraction away is what constraints contradict
#: each other by: its eigenvalues are a tenth of mu or less.  In a stage, where a loop is not quite
#: closed, redundant rows are independent by as much as it is open: that is not to be believed.
CONTRADICTED = 0.1


class Workspace(NamedTuple):
    """Everything a right-hand side writes; made once per run, so that steps allocate nothing."""

    absolute: Floats  # (n, ABSOLUTE_WIDTH) poses and twists
    jacobian: Floats  # (rows, ROW_WIDTH)
    eta: Floats  # (rows,)
    rhs: Floats  # (6 n + rows,) Q and eta, then V' and lambda
    values: Floats  # the factor
    kept: Floats  # scratch of the factorisation
    floors: Floats  # (rows,) joint pivots below these are singular
    signals: Floats  # (signals,) the time and all functions of time, at this stage
    quadratures: Floats  # (quadratures,) integrals at this stage
    quadrature_rates: Floats  # (quadratures,)
    exchange: Floats  # (EXCHANGE_WIDTH,) what a user's formula is given ...
    answer: Floats  # (ANSWER_WIDTH,) ... and what it answers
    forces: Floats  # (6 n,) Q
    residual: Floats  # (6 n + rows,) zeros and eta - J V', where constraints are redundant
    left: Floats  # (rows,) eta - J V' while it is being refined
    search: Floats  # (6 n + rows,) the direction of search there ...
    gain: Floats  # (rows,) ... and J times it


def make_workspace(system: System, plan: Plan | None) -> Workspace:
    """Scratch for a model and a plan; without one, for what needs no factor."""
    bodies, rows = system.body_count, system.row_count
    return Workspace(
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
        jacobian=np.zeros((rows, ROW_WIDTH)),
        eta=np.zeros(rows),
        rhs=np.zeros(6 * bodies + rows),
        values=np.zeros(plan.size if plan else 0),
        kept=np.zeros(plan.kept if plan else 0),
        floors=np.zeros(rows),
        signals=np.zeros(max(1, system.signal_count)),
        quadratures=np.zeros(system.quadrature_count),
        quadrature_rates=np.zeros(system.quadrature_count),
        exchange=np.zeros(EXCHANGE_WIDTH),
        answer=np.zeros(ANSWER_WIDTH),
        forces=np.zeros(6 * bodies),
        residual=np.zeros(6 * bodies + rows),
        left=np.zeros(rows),
        search=np.zeros(6 * bodies + rows),
        gain=np.zeros(rows),
    )


@routine
def refine(system: Any, plan: Any, work: Any, x: Any) -> None:
    """From the damped solution x = (V, lambda) of equations without forces to the limit."""
    put_damping(system, plan, work, x)
    converge(system, plan, work, x, mass_norm(system, x))


@routine
def refine_motion(system: Any, plan: Any, work: Any) -> bool:
    """The same for V' and lambda in work.rhs; whether they have converged."""
    # Bodies at rest have no acceleration to compare with, but forces that cancel.
    scale = mass_norm(system, work.rhs) + force_norm(system, work.forces)
    put_damping(system, plan, work, work.rhs)
    solves, left = converge(system, plan, work, work.rhs, scale)
    for _ in range(MOST_RESTARTS):
        if left <= HARD:
            break
        # Rounding has parted the residual from what it was computed to be: anew from J and eta.
        for joint in range(system.joint_count):
            first = system.joints.first_row[joint]
            for row in range(first, first + system.joints.rows[joint]):
                work.left[row] = miss_of_row(
                    work, row, system.joints.a[joint], system.joints.b[joint]
                )
        solves, left = converge(system, plan, work, work.rhs, scale)
    return solves <= MOST_REFINEMENTS


@routine
def put_damping(system: Any, plan: Any, work: Any, x: Any) -> None:
    """What the damped equations leave of eta, -mu lambda, into work.left."""
    for row in range(system.row_count):
        work.left[row] = -plan.damping[row] * x[6 * system.body_count + row]


@routine
def converge(system: Any, plan: Any, work: Any, x: Any, scale: float) -> Any:
    r"""Conjugate residuals on the damped factor: they end at J V' = eta and the shortest lambda.

    With $S = J M^{-1} J^T$, the damped equations leave $r = \eta - J\dot V = -\mu\lambda$, and

    $$ \begin{pmatrix} M & J^T \\ J & -\mu \end{pmatrix}
       \begin{pmatrix} \delta \\ \delta\lambda \end{pmatrix} =
       \begin{pmatrix} 0 \\ r \end{pmatrix}, \qquad
       J\delta = r + \mu\,\delta\lambda = S (S + \mu)^{-1} r = B r, $$

    so that a solve with the factor is all that B costs.  Added as it is, $\delta$ shrinks the part
    of r along an eigenvector of S with the eigenvalue s by $\mu / (s + \mu)$ only: little is gained
    near a singular pose or by light links, where s is as small as mu.  B is symmetric in the
    metric of $1/\mu$, its eigenvalues are 0 (what rows contradict each other by), 1 (nearly all of
    them), and few between; conjugate residuals need a solve for each of those few.

    lambda stays orthogonal to the null space of J^T in the metric of mu, the free pivots, so it is
    the shortest one there: forces and torques are weighed by what they would accelerate.

    Begins with r in work.left.  Ends when the error of V', in the mass metric, is REFINED of
    `scale`, with what is left of r in work.residual.  Returns the number of solves, beyond
    MOST_REFINEMENTS if there is no end to it, and the fraction of |r| that the first one leaves.
    """
    unknowns, rows, r, y = 6 * system.body_count, system.row_count, work.left, work.residual
    size, before, correction = row_product(plan, rows, r, r), 0.0, 0.0
    solves, first = 0, 0.0
    while solves <= MOST_REFINEMENTS:
        solves += 1
        for k in range(unknowns):
            y[k] = 0.0
        for row in range(rows):
            y[unknowns + row] = r[row]
        solve_factored(plan, work.values, y)
        reduced = next_direction(plan, unknowns, rows, work, before)
        if not reduced > CONTRADICTED * CONTRADICTED * size:  # NaN is told by the step
            break
        before = row_product(plan, rows, work.gain, work.gain)
        length = row_product(plan, rows, r, work.gain) / before
        work_done = 0.0
        for row in range(rows):
            work_done -= work.search[unknowns + row] * work.gain[row]
        correction = absolute(length) * sqrt(maximum(0.0, work_done))
        for k in range(unknowns + rows):
            x[k] += length * work.search[k]
        for row in range(rows):
            r[row] -= length * work.gain[row]
        last, size = size, row_product(plan, rows, r, r)
        first = 1.0 - sqrt(reduced / last) if solves == 1 else first
        if not correction * sqrt(size / last) > REFINED * scale:
            break
    for row in range(rows):
        y[unknowns + row] = r[row]
    if not correction > COARSE * scale:
        solves = min(solves, MOST_REFINEMENTS)
    return solves, first


@routine
def next_direction(plan: Any, unknowns: int, rows: int, work: Any, before: float) -> float:
    """The next direction of search from the solve in work.residual; |B r|^2.

    It is made conjugate to the last one, whose |J delta|^2 is `before`, or 0 at the start.
    """
    y, gain, search = work.residual, work.gain, work.search
    reduced, crossed = 0.0, 0.0
    for row in range(rows):
        mu = plan.damping[row]
        if mu > 0.0:
            taken = work.left[row] + mu * y[unknowns + row]
            reduced += taken * taken / mu
            crossed += taken * gain[row] / mu
    share = crossed / before if before > 0.0 else 0.0
    for k in range(unknowns + rows):
        search[k] = y[k] - share * search[k] if before > 0.0 else y[k]
    for row in range(rows):
        taken = work.left[row] + plan.damping[row] * y[unknowns + row]
        gain[row] = taken - share * gain[row] if before > 0.0 else taken
    return reduced


@routine
def row_product(plan: Any, rows: int, a: Any, b: Any) -> float:
    """a . b of two columns of constraint rows, each row weighed by 1 / mu; padding has none."""
    total = 0.0
    for row in range(rows):
        if plan.damping[row] > 0.0:
            total += a[row] * b[row] / plan.damping[row]
    return total


@routine
def mass_norm(system: Any, x: Any) -> float:
    r"""$\sqrt{V^T M V}$ of the twists in x."""
    total = 0.0
    for body in range(system.body_count):
        inertia = sym6(system.bodies.inertia, 6 * body)
        total += 2.0 * kinetic_energy(system.bodies.mass[body], inertia, twist6(x, 6 * body))
    return sqrt(total)


@routine
def force_norm(system: Any, forces: Any) -> float:
    r"""About $\sqrt{Q^T M^{-1} Q}$: how fast the forces would accelerate free bodies."""
    total = 0.0
    for body in range(system.body_count):
        for c in range(3):
            torque, force = forces[6 * body + c], forces[6 * body + 3 + c]
            total += torque * torque / system.bodies.inertia[6 * body + c]
            total += force * force / system.bodies.mass[body]
    return sqrt(total)


@hot
def solve_motion(system: Any, plan: Any, work: Any) -> int:
    """V' and lambda at the state in `work`, left in work.rhs: OK, or why there are none."""
    assemble_wrenches(system, work.absolute, work.rhs)
    apply_forces(system, work)
    unknowns = 6 * system.body_count
    for k in range(unknowns):
        work.forces[k] = work.rhs[k]
    for row in range(system.row_count):
        work.rhs[unknowns + row] = work.eta[row]
    load(system, plan, work.jacobian, work.values)
    outcome = factor_and_solve(plan, unknowns, work.values, work.kept, work.floors, work.rhs)
    if outcome == OK and plan.is_damped != 0 and not refine_motion(system, plan, work):
        return NOT_SOLVED
    if outcome == OK:
        driver_powers(system, work)
    return outcome


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
def miss_of_row(work: Any, row: int, a: int, b: int) -> float:
    """eta - J V' of a row that acts on the bodies a and b."""
    at, value = row * ROW_WIDTH, work.eta[row]
    if b >= 0:
        value -= dot6(get6(work.jacobian, at + 6), get6(work.rhs, 6 * b))
    if a >= 0:
        value -= dot6(get6(work.jacobian, at), get6(work.rhs, 6 * a))
    return value


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
