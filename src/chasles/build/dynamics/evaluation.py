"""The equations of motion as values: J, eta, Q, V', lambda and the wrenches of the joints."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from chasles.build.dynamics.maximal import MaximalForm
from chasles.build.system.build import Setup, real_rows
from chasles.core.arrays import Floats, Integers
from chasles.core.outcomes import OK


class Solvable(Protocol):
    """What the equations of motion are evaluated with."""

    @property
    def setup(self) -> Setup: ...
    @property
    def form(self) -> MaximalForm: ...


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
    angles = None if integrals is None else integrals[None]
    solved = problem.form.solve(absolute[None], np.array([t]), angles)
    unknown = 0.0 if solved.outcome == OK else np.nan
    count, work = 6 * problem.setup.system.body_count, solved.scratch.work
    found = solved.found[0] + unknown
    return Evaluation(
        outcome=solved.outcome,
        rows=real_rows(problem.setup.system),
        jacobian=work.jacobian,
        eta=work.eta,
        forces=work.forces,
        acceleration=found[:count],
        multipliers=found[count:],
        wrenches=solved.wrenches[0] + unknown,
    )


def wrench_history(
    problem: Solvable, absolute: Floats, times: Floats, integrals: Floats | None
) -> Floats:
    """Joint wrenches (T, m, 12) at absolute states (T, n, 18).

    NaN at states in which the joints depend on each other: no reaction is determined there.
    """
    solved = problem.form.solve(absolute, times, integrals)
    if solved.outcome == OK:
        return solved.wrenches
    wrenches = solved.wrenches
    for k in range(len(absolute)):
        now = slice(k, k + 1)
        angles = None if integrals is None else integrals[now]
        one = problem.form.solve(absolute[now], times[now], angles)
        wrenches[k] = one.wrenches[0] if one.outcome == OK else np.nan
    return wrenches
