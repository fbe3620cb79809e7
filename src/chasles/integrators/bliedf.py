r"""BLieDF: backward differentiation on Lie groups, on index 3 (Wieloch, Arnold 2021).

With $w_i$ the weights of the derivative at $t_{n+1}$ of the polynomial through k + 1 points,

$$ \sum_{i=0}^k w_i v_{n+1-i} = \dot v_{n+1}, \qquad
   q_{n+1} = q_n\exp\Psi_0, \qquad \sum_{j=0}^{k-1} c_j\Psi_j = v_{n+1}, \quad
   c_j = \textstyle\sum_{i\le j} w_i, $$

$\Psi_j$ the increments of the last steps, and $M\dot v = Q - J^T\lambda$, g(q) = 0 at $t_{n+1}$.
Increments of several steps live in several charts: added up as they are they have consistency order
2 for every k >= 2.  So k = 1, 2 are made of increments; k = 3, 4 see all past points in one chart
about the new one, $\sum_{i\ge1} w_i\log(q_{n+1}^{-1}q_{n+1-i}) = v_{n+1}$ (see
`core.newton.past_points`).

**Start.**  Where accelerations are resolved by the step, the first k - 1 steps are those of the
explicit method of order four, unless they leave these by far; else forces are stiff, and k grows
from 1 on.  A shorter step at the end has weights of its own.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, clear, copy
from chasles.core.newton.newton_workspace import NewtonWorkspace, make_newton_workspace
from chasles.core.newton.rows import correct_rows
from chasles.core.newton.solve import (
    find_second_rates,
    is_resolved,
    next_stiff,
    put_begun,
    put_rest,
    size_of,
    solve_step,
)
from chasles.core.outcomes import EVALUATED, OK, count_up
from chasles.core.stage import stage
from chasles.core.state_block import finish_step, linear_count, retract, slope_length
from chasles.integrators.methods import Method, register_method
from chasles.integrators.rkmk import MuntheKaas, attempt_munthe_kaas, make_munthe_kaas
from chasles.integrators.tableaux import rk4

MOST_POINTS = 4
#: Accelerations that an explicit step resolves change by no more than so many times themselves.
MOST_CHANGED = 4.0
# What a step hands to the next: whether there was one, how many past points are known, for how
# many steps to come the whole Newton matrix is taken, whether the start is explicit, lengths of the
# last steps; then v', the rates of the integrals, and for every past point its velocity and the
# increment from it.
BEGUN, KNOWN, STIFF, EXPLICIT, LENGTHS = 0, 1, 2, 3, 4


class Bliedf(NamedTuple):
    """The order and storage."""

    order: int
    iteration: NewtonWorkspace
    starter: MuntheKaas
    weights: Floats  # (k + 1,) w
    point: Floats  # (kept,) that of the iteration
    tally: Floats  # that of the iteration


def bliedf(order: int) -> Method:
    """The backward differentiation formula of k = 1, 2, 3 or 4 steps."""
    return Method(
        f"bliedf{order}",
        order=order,
        implicit=True,
        nodes=(0.0, 1.0),
        additive=False,
        fit=partial(fit_bliedf, order),
        history=partial(length_of_history, order),
        index=3,
        past=order - 1,
    )


def length_of_history(order: int, rows: int, velocities: int, integrals: int) -> int:
    return LENGTHS + order + velocities + integrals + 2 * (order - 1) * velocities


def fit_bliedf(order: int, solver: Any, mechanism: Any) -> Bliedf:
    """Storage for a mechanism."""
    iteration = make_newton_workspace(solver, mechanism, order)
    starter = make_munthe_kaas(rk4(), mechanism.layout.kept, slope_length(mechanism))
    return Bliedf(
        order, iteration, starter, np.zeros(order + 1), iteration.point, iteration.tally,
    )  # fmt: skip


@hot
def attempt_bliedf(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how it failed."""
    iteration, layout, count = scheme.iteration, mechanism.layout, mechanism.tree.rate_count
    before, after = beyond(state, layout.history), beyond(out, layout.history)
    vectors = LENGTHS + scheme.order
    linear = linear_count(mechanism)
    if before[BEGUN] == 0.0:
        outcome = find_second_rates(mechanism, workspace, iteration, state, t, step)
        if outcome != OK:
            return outcome
        put_begun(mechanism, iteration, beyond(iteration.slope, 2 * count))
        after[EXPLICIT] = 1.0 if is_resolved(mechanism, iteration, step) else 0.0
    else:
        copy(beyond(before, vectors), iteration.unknown, count)
        put_begun(mechanism, iteration, beyond(before, vectors + count))
        after[EXPLICIT] = before[EXPLICIT]
    known = int(before[KNOWN])
    copy(iteration.unknown, beyond(after, vectors), count)
    if known >= scheme.order - 1:
        after[EXPLICIT] = 0.0
    if after[EXPLICIT] != 0.0:
        outcome = start_step(mechanism, workspace, scheme, state, t, step, out)
        if outcome != OK or jumps(mechanism, iteration, beyond(after, vectors)):
            after[EXPLICIT] = 0.0
            copy(beyond(after, vectors), iteration.unknown, count)
    if after[EXPLICIT] == 0.0:
        put_known(mechanism, scheme, state, before, step, min(scheme.order, known + 1))
        factors = (1.0 / scheme.weights[0], 1.0 / (scheme.weights[0] * scheme.weights[0]))
        outcome = solve_step(
            mechanism, workspace, iteration, state, t + step, step, 3, factors,
            before[STIFF] > 0.0,
        )  # fmt: skip
        after[STIFF] = next_stiff(iteration, before[STIFF])
        if outcome == OK:
            finish_step(mechanism, state, iteration.increment, out)
    if outcome != OK:
        return outcome
    copy(iteration.unknown, beyond(after, vectors), count)
    put_rest(mechanism, iteration, out, beyond(after, vectors + count))
    shift_history(mechanism, scheme, state, before, after, step, vectors + count + linear)
    return OK


@routine
def put_weights(weights: Any, before: Any, step: float, order: int) -> None:
    """w of the last points, for steps of any lengths, the one to come first."""
    for i in range(order + 1):
        numerator, denominator = 1.0, 1.0
        at = place_of(before, step, i)
        for j in range(order + 1):
            there = place_of(before, step, j)
            if j != i:
                denominator *= at - there
                if j > 0:
                    numerator *= -there
        weights[i] = numerator / denominator
    total = 0.0
    for i in range(1, order + 1):
        total -= weights[i]
    weights[0] = total


@routine
def place_of(before: Any, step: float, i: int) -> float:
    """When point i was passed, counted from the end of the step."""
    total = 0.0
    for j in range(i):
        total -= step if j == 0 else before[LENGTHS + j - 1]
    return total


@routine
def put_known(
    mechanism: Any, scheme: Any, state: Any, before: Any, step: float, order: int
) -> None:
    """What the step knows without accelerations: iteration.pose and iteration.rate; past points."""
    iteration, past, weights = scheme.iteration, scheme.iteration.past, scheme.weights
    count, kept = mechanism.tree.rate_count, mechanism.layout.kept
    put_weights(weights, before, step, order)
    lead = linear_count(mechanism) + LENGTHS + scheme.order + count
    for k in range(count):
        velocity = state[mechanism.tree.stored_count + k]
        grown, way, c = 0.0, 0.0, weights[0]
        for i in range(1, order):
            at = lead + 2 * (i - 1) * count
            grown -= weights[i + 1] * (before[at + k] - velocity)
            c += weights[i]
            way -= c * before[at + count + k]
        iteration.rate[k], iteration.shift[k] = grown / weights[0], 0.0
        iteration.pose[k] = (velocity + iteration.rate[k] + way) / weights[0]
    past.known[0] = 0
    if scheme.order <= 2:
        return
    past.known[0] = order
    copy(weights, past.weights, order + 1)
    copy(state, past.points, kept)
    clear(iteration.increment, slope_length(mechanism))
    for i in range(1, order):
        at = lead + 2 * (i - 1) * count + count
        for k in range(count):
            iteration.increment[k] = -before[at + k]
        last, this = beyond(past.points, (i - 1) * kept), beyond(past.points, i * kept)
        retract(mechanism, last, iteration.increment, this)


@routine
def start_step(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """A step of the explicit method; its end has accelerations and multipliers of index 1."""
    iteration = scheme.iteration
    outcome = attempt_munthe_kaas(mechanism, workspace, scheme.starter, state, t, step, out)
    count_up(scheme.tally, EVALUATED, scheme.starter.count + 1)
    if outcome != OK:
        return outcome
    copy(out, iteration.point, mechanism.layout.kept)
    outcome = stage(mechanism, workspace, iteration.point, t + step, iteration.slope)
    if outcome != OK:
        return outcome
    count = mechanism.tree.rate_count
    copy(beyond(iteration.slope, count), iteration.unknown, count)
    clear(iteration.apart, count)
    correct_rows(mechanism, workspace, iteration, iteration.point, (3, 0.0, 0.0))
    copy(scheme.starter.increment, iteration.increment, slope_length(mechanism))
    return OK


@routine
def jumps(mechanism: Any, iteration: Any, rates: Any) -> bool:
    """Whether accelerations have left those at the start of a step by far: it resolves nothing.

    A stiff spring that is not strained tells nothing of itself at the start.
    """
    for k in range(mechanism.tree.rate_count):
        iteration.change[k] = iteration.unknown[k] - rates[k]
    changed = size_of(mechanism, iteration, iteration.change)
    return not changed <= MOST_CHANGED * size_of(mechanism, iteration, rates)


@routine
def shift_history(
    mechanism: Any, scheme: Any, state: Any, before: Any, after: Any, step: float, lead: int
) -> None:
    """Past points move one on: that at the start of this step comes first."""
    count, order = mechanism.tree.rate_count, scheme.order
    for back in range(order - 1):
        i = order - 2 - back
        at = lead + 2 * i * count
        after[LENGTHS + i] = step if i == 0 else before[LENGTHS + i - 1]
        for k in range(count):
            if i == 0:
                after[at + k] = state[mechanism.tree.stored_count + k]
                after[at + count + k] = scheme.iteration.increment[k]
            else:
                after[at + k] = before[at - 2 * count + k]
                after[at + count + k] = before[at - count + k]
    after[BEGUN] = 1.0
    after[KNOWN] = min(before[KNOWN] + 1.0, order - 1.0)


for k in range(1, MOST_POINTS + 1):
    register_method(bliedf(k), Bliedf, attempt_bliedf)
