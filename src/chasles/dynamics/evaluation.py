"""The equations of motion as values: J, eta, Q, V', lambda and the wrenches of the joints.

Kernels write into scratch.  It is made here, per call, and never leaves: whoever asks, from
whichever thread, gets arrays of their own.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from chasles.core.arrays import ROW_WIDTH, Floats, Integers
from chasles.core.evaluate import Workspace, make_workspace
from chasles.core.evaluate import evaluate as evaluate_states
from chasles.core.ordering import Plan
from chasles.core.outcomes import OK
from chasles.system.build import Setup, real_rows


class Solvable(Protocol):
    """What the equations of motion are evaluated with."""

    @property
    def setup(self) -> Setup: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def floors(self) -> Floats: ...


@dataclass(frozen=True)
class Evaluation:
    r"""The index-1 equations at one state, in body twists at the centres of mass.

    Rows are padded, three or six a joint; `rows` are those that are constraints.  Where the joints
    depend on each other, `outcome` is the row that showed it instead of OK, J, eta and Q are what
    they are, and $\dot V$, $\lambda$ and the wrenches are NaN.
    """

    outcome: int
    rows: Integers
    jacobian: Floats  # (padded rows, 12) entries of J on bodies a and b of every joint
    eta: Floats  # (padded rows,)
    forces: Floats  # Q (6n,)
    acceleration: Floats  # V' (6n,)
    multipliers: Floats  # lambda (padded rows,)
    wrenches: Floats  # (m, 12) of every joint on its bodies a and b, body frames at the COM

    @property
    def is_solved(self) -> bool:
        return self.outcome == OK


def evaluate(
    problem: Solvable, absolute: Floats, t: float = 0.0, integrals: Floats | None = None
) -> Evaluation:
    """The equations at an absolute state (n, 18).

    Without integrals (quadratures,), angles are taken to be within half a turn.
    """
    scratch = scratch_of(problem)
    angles = None if integrals is None else integrals[None]
    outcome, wrenches = run(problem, scratch, absolute[None], np.array([t]), angles)
    count = 6 * problem.setup.system.body_count
    solved = scratch.rhs if outcome == OK else np.full_like(scratch.rhs, np.nan)
    return Evaluation(
        outcome=outcome,
        rows=real_rows(problem.setup.system),
        jacobian=scratch.jacobian,
        eta=scratch.eta,
        forces=scratch.forces,
        acceleration=solved[:count],
        multipliers=solved[count:],
        wrenches=wrenches[0] if outcome == OK else np.full_like(wrenches[0], np.nan),
    )


def wrench_history(
    problem: Solvable, absolute: Floats, times: Floats, integrals: Floats | None
) -> Floats:
    """Joint wrenches (T, m, 12) at absolute states (T, n, 18).

    NaN at states in which the joints depend on each other: no reaction is determined there.
    """
    scratch = scratch_of(problem)
    outcome, wrenches = run(problem, scratch, absolute, times, integrals)
    if outcome == OK:
        return wrenches
    for k in range(len(absolute)):
        now = slice(k, k + 1)
        angles = None if integrals is None else integrals[now]
        outcome, one = run(problem, scratch, absolute[now], times[now], angles)
        wrenches[k] = one[0] if outcome == OK else np.nan
    return wrenches


def scratch_of(problem: Solvable) -> Workspace:
    scratch = make_workspace(problem.setup.system, problem.plan)
    scratch.floors[:] = problem.floors
    return scratch


def run(
    problem: Solvable, scratch: Workspace, absolute: Floats, times: Floats, integrals: Any
) -> tuple[int, Floats]:
    """OK or the singular row, and joint wrenches (T, m, 12)."""
    system, states = problem.setup.system, np.ascontiguousarray(absolute)
    wrenches = np.zeros((len(states), system.joint_count, ROW_WIDTH))
    table = np.zeros((len(states), 0))
    if system.signal_count:
        table = problem.setup.signals.sample(times)
    if integrals is None:
        integrals = np.zeros((len(states), system.quadrature_count))
    angles = np.ascontiguousarray(integrals)
    outcome = evaluate_states(system, problem.plan, scratch, states, table, angles, wrenches)
    return outcome, wrenches
