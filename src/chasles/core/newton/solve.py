r"""Newton's iteration of an implicit step.

The end of a step is an affine function of the accelerations a there,

$$ q_1 = q_0\exp(\Psi + g_2 a + s), \qquad v_1 = v_0 + w + g_1 a, \qquad
   M a = Q(q_1, v_1) - J^T\lambda, \qquad g(q_1) = 0, $$

with $g_1 = O(h)$, $g_2 = O(h^2)$ and s = 0 on index 3; on index 2 also $J v_1 = r$, and s closes
the joints.  An iteration is one stage at the last iterate and one more solve on its factor
(`rows`): a chord method whose matrix lacks what forces and the curvature of pairs add to it.  Its
errors shrink by O(h) from one to the next, unless forces are stiff.

Rounding ends it as well: where gaps are rounded by eps, accelerations are by $\epsilon/g_2$.
"""

from typing import Any

from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import clear, copy
from chasles.core.newton.matrix import load_newton, newton_change
from chasles.core.newton.newton_workspace import (
    FACTORED,
    ITERATIONS,
    WORST_VELOCITY,
)
from chasles.core.newton.past_points import past_residual
from chasles.core.newton.rows import correct_gaps, correct_rows, settle_powers
from chasles.core.outcomes import EVALUATED, ITERATED, NEWTON_FAILED, OK, count_up
from chasles.core.outcomes import FACTORED as ALL_FACTORED
from chasles.core.stage import stage
from chasles.core.state_block import linear_count, retract, slope_length
from chasles.scalars.elementary import sqrt

#: Iterations at the most.
MOST_ITERATIONS = 40
#: Velocities that change by less than this fraction of theirs have converged, and those that would
#: in the next iteration, if that shrinks the change as much as the last one did.
CONVERGED, FORESEEN = 1e-14, 1e-15
#: ... or by less than this, or poses by less than that fraction of the largest length, if the
#: change is not much smaller than the one before: it is rounding.
ROUNDED, ROUNDED_PLACES, STALLED = 1e-8, 1e-12, 0.5
#: Changes that do not shrink to this fraction ask for the whole matrix, or for a new one.
SLOW = 0.3
#: Steps after which a stiff model is tried without the whole matrix again.
STIFF_STEPS = 32.0
#: v'' is a difference over so many parts of the step: v' is known to 1e-14, h v'' to 1e-12 then.
PARTS = 64.0
#: Accelerations that are as good as infinite.
BEYOND = 1e200


@hot
def put_increment(mechanism: Any, iteration: Any, factors: Any, step: float) -> None:
    """The increment from the start of the step to the iterate; integrals by the trapezoidal rule.

    `factors` are g_1 and g_2.
    """
    g_1, g_2 = factors
    increment = iteration.increment
    for k in range(mechanism.tree.rate_count):
        increment[k] = iteration.pose[k] + (g_2 * iteration.unknown[k] + iteration.shift[k])
        increment[mechanism.tree.rate_count + k] = iteration.rate[k] + g_1 * iteration.unknown[k]
    first = 2 * mechanism.tree.rate_count
    for k in range(linear_count(mechanism)):
        increment[first + k] = 0.5 * step * (iteration.begun[k] + iteration.slope[first + k])


@routine
def size_of(mechanism: Any, iteration: Any, values: Any) -> float:
    """Of accelerations or velocities, weighed by inertias."""
    total = 0.0
    for k in range(mechanism.tree.rate_count):
        part = iteration.weights[k] * values[k]
        total += part * part
    return sqrt(total)


@routine
def note_worst(mechanism: Any, iteration: Any) -> None:
    """Which velocity changes most."""
    largest = -1.0
    for k in range(mechanism.tree.rate_count):
        part = abs(iteration.weights[k] * iteration.change[k])
        if not part <= largest:
            largest, iteration.audit[WORST_VELOCITY] = part, k


@routine
def chord_change(
    mechanism: Any, workspace: Any, iteration: Any, state: Any, t: float, step: float, index: int,
    factors: Any,
) -> int:  # fmt: skip
    """The change of the chord iteration into iteration.change: OK, or how its stage failed."""
    put_increment(mechanism, iteration, factors, step)
    retract(mechanism, state, iteration.increment, iteration.point)
    outcome = stage(mechanism, workspace, iteration.point, t, iteration.slope)
    count_up(iteration.tally, EVALUATED, 1)
    if outcome != OK:
        return outcome
    count, pulls = mechanism.tree.rate_count, (index, 1.0 / factors[1], 1.0 / factors[0])
    for k in range(count):
        iteration.apart[k] = iteration.unknown[k] - iteration.slope[mechanism.tree.rate_count + k]
    correct_rows(mechanism, workspace, iteration, iteration.point, pulls)
    for k in range(count):
        iteration.change[k] = iteration.response[k] - iteration.apart[k]
    return OK


@routine
def shift_poses(mechanism: Any, workspace: Any, iteration: Any, factors: Any) -> float:
    """On index 2: move the poses to where joints are closed; by how much, as accelerations."""
    correct_gaps(mechanism, workspace, iteration)
    for k in range(mechanism.tree.rate_count):
        iteration.shift[k] += iteration.response[k]
    return size_of(mechanism, iteration, iteration.response) / factors[1]


@once
def shift_to_past(mechanism: Any, iteration: Any) -> float:
    """Move the pose to where past points, seen from it, give the velocity; by how much."""
    point, spare = iteration.point, iteration.apart
    past_residual(mechanism, iteration.past, point, spare, iteration.response)
    for k in range(mechanism.tree.rate_count):
        iteration.shift[k] += iteration.response[k]
    return size_of(mechanism, iteration, iteration.response)


@routine
def restart_iteration(mechanism: Any, iteration: Any) -> None:
    """The first iterate: the guess, and integrals that grow as they did at the start."""
    first = 2 * mechanism.tree.rate_count
    copy(iteration.begun, beyond(iteration.slope, first), linear_count(mechanism))
    for k in range(mechanism.tree.rate_count):
        iteration.unknown[k], iteration.shift[k] = iteration.guess[k], 0.0


@routine
def apply_change(mechanism: Any, workspace: Any, iteration: Any, index: int, factors: Any) -> float:
    """Add what an iteration has found to the unknowns; by how much they change."""
    changed = size_of(mechanism, iteration, iteration.change)
    if index == 2:
        changed += shift_poses(mechanism, workspace, iteration, factors)
    if iteration.past.known[0] > 0:
        changed += shift_to_past(mechanism, iteration) / factors[1]
    for k in range(mechanism.tree.rate_count):
        iteration.unknown[k] += iteration.change[k]
    return changed


@routine
def check_convergence(
    mechanism: Any, iteration: Any, factors: Any, changed: float, before: float
) -> Any:
    """(whether the iteration has converged, whether its changes may be rounding)."""
    velocities = beyond(iteration.point, mechanism.tree.stored_count)
    speed = size_of(mechanism, iteration, velocities) / factors[0]
    scale = speed + size_of(mechanism, iteration, iteration.unknown)
    is_rounding = changed <= max(ROUNDED * scale, ROUNDED_PLACES * iteration.reach / factors[1])
    stalls = is_rounding and changed > STALLED * before > 0.0
    settles = changed < SLOW * before and changed * changed <= FORESEEN * scale * before
    return (changed <= CONVERGED * scale or settles or stalls) and changed < BEYOND, is_rounding


@once
def solve_step(
    mechanism: Any, workspace: Any, iteration: Any, state: Any, t: float, step: float, index: int,
    factors: Any, is_stiff: bool,
) -> int:  # fmt: skip
    """The accelerations at the end of a step, t, from the guess in iteration.unknown: OK, or why
    not.

    Begins with the whole matrix where `is_stiff`, and goes over to it where the chord iteration
    does not converge quickly: iteration.audit[FACTORED] tells.  Leaves the increment of the whole
    step in iteration.increment, rates of integrals in iteration.slope and the multipliers in
    iteration.multipliers.
    """
    iteration.audit[ITERATIONS], iteration.audit[FACTORED] = 0.0, 0.0
    copy(iteration.unknown, iteration.guess, mechanism.tree.rate_count)
    restart_iteration(mechanism, iteration)
    whole, fresh, before = is_stiff, False, 0.0
    for _ in range(MOST_ITERATIONS):
        count_one(iteration, ITERATIONS, ITERATED)
        outcome = chord_change(mechanism, workspace, iteration, state, t, step, index, factors)
        if outcome != OK:
            return outcome
        if whole:
            if not fresh:
                fresh = True
                count_one(iteration, FACTORED, ALL_FACTORED)
                point = iteration.point
                if not load_newton(mechanism, workspace, iteration, point, index, factors):
                    break
            newton_change(mechanism, iteration, iteration.point)
        changed = apply_change(mechanism, workspace, iteration, index, factors)
        converged, is_rounding = check_convergence(mechanism, iteration, factors, changed, before)
        if converged:
            settle_powers(mechanism, workspace, iteration, iteration.slope)
            put_increment(mechanism, iteration, factors, step)
            return OK
        if before > 0.0 and not changed < SLOW * before and not is_rounding:
            fresh = False
            if not whole:
                whole, changed = True, 0.0
                restart_iteration(mechanism, iteration)
        if not changed < BEYOND:  # NaN, too
            break
        before = changed
    note_worst(mechanism, iteration)
    return NEWTON_FAILED


@routine
def count_one(iteration: Any, this: int, all_of_them: int) -> None:
    """Count an iteration or a factorisation, of this step and of all."""
    iteration.audit[this] += 1.0
    count_up(iteration.tally, all_of_them, 1)


@hot
def put_begun(mechanism: Any, iteration: Any, rates: Any) -> None:
    """Rates of the integrals at the start of a step."""
    copy(rates, iteration.begun, linear_count(mechanism))


@hot
def put_rest(mechanism: Any, iteration: Any, out: Any, rates: Any) -> None:
    """The multipliers into a block, and the rates of the integrals where the next step finds them.

    After `solve_step`.
    """
    first, layout = 2 * mechanism.tree.rate_count, mechanism.layout
    copy(beyond(iteration.slope, first), rates, linear_count(mechanism))
    copy(iteration.multipliers, beyond(out, layout.multipliers), layout.kept - layout.multipliers)


@hot
def next_stiff(iteration: Any, steps: float) -> float:
    """For how many steps to come the whole matrix is taken from the start."""
    if iteration.audit[FACTORED] > 0.0:
        return steps - 1.0 if steps > 0.0 else STIFF_STEPS
    return 0.0


# --- what is known before the first step ---


@once
def find_second_rates(
    mechanism: Any, workspace: Any, iteration: Any, state: Any, t: float, step: float
) -> int:
    """v'' at a state into iteration.shift; its own stage is left in the workspace and
    iteration.slope.

    A difference of second order of the accelerations ahead; v' goes to iteration.unknown.
    """
    part, count = step / PARTS, mechanism.tree.rate_count
    clear(iteration.shift, count)
    clear(iteration.increment, slope_length(mechanism))
    copy(state, iteration.point, mechanism.layout.kept)
    outcome = stage(mechanism, workspace, iteration.point, t, iteration.slope)
    count_up(iteration.tally, EVALUATED, 1)
    if outcome != OK:
        return outcome
    copy(iteration.slope, iteration.pose, count)
    copy(beyond(iteration.slope, count), iteration.rate, count)
    for j, weight in ((2, -0.5), (1, 2.0), (0, -1.5)):
        for k in range(count):
            iteration.increment[k] = j * part * iteration.pose[k]
            iteration.increment[count + k] = j * part * iteration.rate[k]
        retract(mechanism, state, iteration.increment, iteration.point)
        outcome = stage(mechanism, workspace, iteration.point, t + j * part, iteration.slope)
        count_up(iteration.tally, EVALUATED, 1)
        if outcome != OK:
            return outcome
        for k in range(count):
            iteration.unknown[k] = iteration.slope[count + k]
            iteration.shift[k] += weight / part * iteration.unknown[k]
    return OK


@hot
def is_resolved(mechanism: Any, iteration: Any, step: float) -> bool:
    """Whether accelerations change by less than themselves in a step, after `find_second_rates`.

    Otherwise forces are stiff: v'' is that of a transient which no step shows.
    """
    rates = size_of(mechanism, iteration, iteration.unknown)
    resolved: bool = step * size_of(mechanism, iteration, iteration.shift) <= rates
    return resolved
