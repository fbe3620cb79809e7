r"""Munthe-Kaas pairs that choose their steps: attempt, measure, accept or reject, in between.

The error $e = h\sum_i(b_i - \hat b_i)k_i$ of a step is measured by `measure`, as a multiple of
what is tolerated; a step of 1 or less is accepted.  The next one follows from this error and the
last (Gustafsson's PI control): $h\,s\,e_n^{-\alpha}e_{n-1}^{\beta}$ with $\alpha = 1/k - 3\beta/4$,
$\beta = 1/(5k)$ (Hairer, Norsett, Wanner, II.4), k the power of h that e goes with.

The state between the ends of a step is $X_0\exp(h\sum_i b_i(\theta)k_i)$ (see `pairs`), or that of
a real step of length $\theta h$ where something is done to the state at the end of a step.

The last stage of some pairs is at the end of the step, $X_s = X_1$.  The next step begins there
with the same F; not with the same k, which is $\mathrm{dexp}^{-1}_{-\Theta_1}F$ there and F here.
So F is kept before it is pulled back.  A step that follows a rejected one begins with its F, too.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, borrow, hot, kernel, once, routine
from chasles.core.arrays import Floats, copy, storage
from chasles.core.outcomes import NOT_CLOSED, NOT_FINITE, OK, TURNED
from chasles.core.recursion.stage import drive
from chasles.core.stabilisation import UNSTABILISED
from chasles.core.stage import stage
from chasles.core.state_block import (
    EXCHANGED,
    combine,
    finish_step,
    pull_back,
    retract,
    slope_length,
)
from chasles.core.step_checks import all_finite, begin_step, end_step, monitor_energy, monitor_gaps
from chasles.integrators.advance import MONITOR_EVERY, SEEN, exchange
from chasles.integrators.measure import (
    Measure,
    energy_of_speeds,
    largest_size,
    note_speeds,
    size_of_error,
    supply_at,
    time_scale,
)
from chasles.integrators.pairs import Pair
from chasles.scalars.elementary import sqrt

#: The step that is too short to go on with (see `adapt`).
COLLAPSED = -100
#: Errors of steps add up: each may have this fraction of the tolerance, so that on the examples of
#: the paper, over some turns, all of them together have a few tolerances.
SHARE = 0.25
#: A step aims at this fraction of what is tolerated, to the power k.
SAFETY = 0.9
#: By how much a step may be shorter and longer than the last, and shorter after a failure.
SHORTEST, LONGEST, FAILED = 0.1, 5.0, 0.25
#: Errors below this fraction of the tolerance do not tell the next step anything more.
SMALL_ERROR = 1e-4
#: Errors up to this multiple of the tolerance, and its inverse, are squared: both are numbers.
SQUARED = 1e150
#: Of a step that starts elsewhere than at the state, and leaves what is known of that.
ASIDE = -1.0
#: Fields of `control`: the time, the next step (0: find one) and the error of the last one;
#: whether it was rejected; how many were accepted and rejected; the next time wanted; rows saved;
#: the outcome of the last attempt, and its error.
NOW, STEP, LAST_ERROR, REJECTED, ACCEPTED, REJECTIONS, NEXT, SLOT = 0, 1, 2, 3, 4, 5, 6, 7
OUTCOME, BEFORE, CONTROL_WIDTH = 8, 9, 10
#: Fields of `limits`: the end; tolerances; the longest and the shortest step; how many steps are
#: saved of; how many may be attempted and accepted in a call; whether states in between take real
#: steps.
UNTIL, RTOL, ATOL, LARGEST, SMALLEST, SAVE_EVERY, ATTEMPTS, MOST, REAL, LIMITS_WIDTH = range(10)


class Embedded(NamedTuple):
    """A pair and storage of a step."""

    a: Floats  # (total, total)
    b: Floats  # (total,)
    c: Floats  # (total,)
    error: Floats  # (total,)
    third: Floats  # (total,)
    dense: Floats  # (total, degree)
    count: int  # stages of a step and of its error
    total: int  # with those for the states in between
    degree: int
    has_third: int
    estimate: float  # the power of h that the error goes with
    slopes: Annotated[Floats, "total", "slope"]
    increment: Annotated[Floats, "slope"]
    weights: Annotated[Floats, "total"]
    point: Floats  # (kept,) where a stage is, or failed
    measure: Measure
    ends_there: int  # whether the last stage is at the end of the step
    first: Annotated[Floats, "slope"]  # F at the state, if it is known
    last: Annotated[Floats, "slope"]  # F at the last stage
    known: Annotated[Floats, 1]  # whether `first` is that of the state: 1, 0, or ASIDE
    evaluated: Annotated[Floats, 1]  # how often F was


def make_embedded(pair: Pair, measure: Measure, point: Floats, length: int) -> Embedded:
    """Storage for a pair, with a place for the points of stages and slopes of this length."""
    total = len(pair.a)
    b = np.zeros(total)
    b[: len(pair.tableau.b)] = pair.tableau.b
    ends_there = np.array_equal(pair.a[pair.count - 1], b) and b[pair.count - 1] == 0.0
    return storage(
        Embedded, {"total": total, "slope": length},
        a=np.array(pair.a),
        b=b,
        c=pair.a.sum(axis=1),
        error=np.array(pair.error),
        third=np.array(pair.third),
        dense=np.array(pair.dense),
        count=pair.count,
        total=total,
        degree=pair.dense.shape[1],
        has_third=int(pair.third.any()),
        estimate=float(pair.estimate),
        point=point,
        measure=measure,
        ends_there=int(ends_there),
    )  # fmt: skip


@routine
def take_stages(
    mechanism: Any, workspace: Any, pair: Any, state: Any, t: float, step: float, first: int,
    last: int,
) -> int:  # fmt: skip
    """Slopes of some stages of a step from `state`: OK, or how one failed."""
    length = slope_length(mechanism)
    for j in range(first, last):
        slope = beyond(pair.slopes, j * length)
        if j == 0 and pair.known[0] == 1.0:
            copy(pair.first, slope, length)
            continue
        combine(pair.a, j * pair.total, j, step, pair.slopes, length, pair.increment)
        if j == 0:
            copy(state, pair.point, mechanism.layout.kept)
        else:
            retract(mechanism, state, pair.increment, pair.point)
        outcome = stage(mechanism, workspace, pair.point, t + pair.c[j] * step, slope)
        pair.evaluated[0] += 1.0
        if outcome != OK:
            return outcome
        if j == 0:
            if pair.known[0] != ASIDE and may_keep(mechanism):
                copy(slope, pair.first, length)
                pair.known[0] = 1.0
            continue
        if pair.ends_there != 0 and j == pair.count - 1:
            copy(slope, pair.last, length)
        outcome = pull_back(mechanism, pair.increment, slope)
        if outcome != OK:
            return outcome
    return OK


@hot
def may_keep(mechanism: Any) -> bool:
    """Whether F is that of the state whatever was done before: nothing is moved or booked."""
    moved = mechanism.stabiliser.kind != UNSTABILISED or mechanism.constant_rows.count > 0
    is_moved = mechanism.loops.row_count > 0 and moved
    return mechanism.floating.count == 0 and not is_moved


@hot
def go_on(mechanism: Any, pair: Any) -> None:
    """After an accepted step: F at its last stage is that at the state, if it ends there."""
    if pair.known[0] != 0.0 and pair.ends_there != 0:
        copy(pair.last, pair.first, slope_length(mechanism))
    else:
        pair.known[0] = 0.0


@once
def attempt_embedded(
    mechanism: Any, workspace: Any, pair: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    begin_step(mechanism, workspace, state, t)
    outcome = take_stages(mechanism, workspace, pair, state, t, step, 0, pair.count)
    if outcome != OK:
        return outcome
    length = slope_length(mechanism)
    combine(pair.b, 0, pair.count, step, pair.slopes, length, pair.increment)
    finish_step(mechanism, state, pair.increment, out)
    return OK


@routine
def error_of_step(
    mechanism: Any, pair: Any, state: Any, out: Any, step: float, rtol: float, atol: float
) -> float:
    r"""The error of the step to `out`, as a multiple of what is tolerated.

    DOP853 has two estimates, of orders 5 and 3: $e_5^2/\sqrt{e_5^2 + e_3^2/100}$, which is less
    than $e_5$.
    """
    note_speeds(mechanism, pair.measure, state, True)
    note_speeds(mechanism, pair.measure, out, False)
    size = estimated_error(mechanism, pair, pair.error, out, step, rtol, atol)
    if pair.has_third == 0 or not 1.0 / SQUARED < size < SQUARED:
        return size
    third = estimated_error(mechanism, pair, pair.third, out, step, rtol, atol)
    return size * size / sqrt(size * size + 0.01 * third * third)


@routine
def estimated_error(
    mechanism: Any, pair: Any, weights: Any, out: Any, step: float, rtol: float, atol: float
) -> float:
    """By one estimate, that of motions or of works: the larger."""
    length = slope_length(mechanism)
    combine(weights, 0, pair.count, step, pair.slopes, length, pair.increment)
    rtol, atol = SHARE * rtol, SHARE * atol
    size = size_of_error(mechanism, pair.measure, out, pair.increment, rtol, atol)
    return max(size, work_error(mechanism, pair, out, rtol, atol))


@routine
def work_error(mechanism: Any, pair: Any, out: Any, rtol: float, atol: float) -> float:
    """The error of the work of all forces together, and of what each of them does not store, in
    pair.increment, as a multiple of what is tolerated.

    A stop that has let go moves nothing, while what it stores is lost: only its own work shows when
    that ends.
    """
    exchanged = abs(out[mechanism.layout.supply + EXCHANGED])
    speeds = energy_of_speeds(mechanism, pair.measure, 0.0)
    faster = energy_of_speeds(mechanism, pair.measure, atol)
    tolerated = rtol * (speeds + exchanged) + faster - speeds
    wrong = abs(pair.increment[supply_at(mechanism)])
    first = 2 * mechanism.tree.rate_count
    for force in range(mechanism.system.force_count):
        wrong = max(wrong, abs(pair.increment[first + force]))
    if rtol == 0.0 or wrong == 0.0:
        return 0.0
    if not wrong <= 1e300 * tolerated:
        return np.inf
    return wrong / tolerated


@routine
def put_between(
    mechanism: Any, workspace: Any, pair: Any, state: Any, then: Any, t: float, step: float,
    theta: float, out: Any,
) -> int:  # fmt: skip
    """The point at t + theta * step of the step from `state` whose slopes are there: OK, or not a
    number, which is copied to `then`.

    A force may fail at the stages that a step itself has not, though its end is a good state.
    """
    for i in range(pair.total):
        weight = 0.0
        for k in range(pair.degree - 1, -1, -1):
            weight = (weight + pair.dense[i * pair.degree + k]) * theta
        pair.weights[i] = weight
    length = slope_length(mechanism)
    combine(pair.weights, 0, pair.total, step, pair.slopes, length, pair.increment)
    retract(mechanism, state, pair.increment, out)
    drive(mechanism, workspace, t + theta * step, out)
    if all_finite(out, mechanism.layout.integrals):
        return OK
    copy(out, then, mechanism.layout.kept)
    return NOT_FINITE


@routine
def real_step(
    mechanism: Any, workspace: Any, pair: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """A step of a given length, whatever its error: OK, or how it failed."""
    known = pair.known[0]
    pair.known[0] = ASIDE
    outcome = attempt_embedded(mechanism, workspace, pair, state, t, step, out)
    if outcome == OK:
        outcome = end_step(mechanism, workspace, state, t + step, step, 0, out)
    pair.known[0] = known
    return outcome


@routine
def save_between(
    mechanism: Any, workspace: Any, pair: Any, state: Any, then: Any, aside: Any, t: float,
    end: float, control: Any, wanted: Any, count: int, real: float, saved: Any,
) -> int:  # fmt: skip
    """The states at all wanted times up to the end of a step: OK, or how a real step failed."""
    kept, index = mechanism.layout.kept, int(control[NEXT])
    while index < count and wanted[index] <= end:
        when = wanted[index]
        row = beyond(saved, index * kept)
        if when == end:
            copy(then, row, kept)
        elif real != 0.0:
            outcome = real_step(mechanism, workspace, pair, state, t, when - t, aside)
            if outcome != OK:
                return outcome
            copy(aside, row, kept)
        else:
            theta = (when - t) / (end - t)
            outcome = put_between(mechanism, workspace, pair, state, then, t, end - t, theta, row)
            if outcome != OK:
                return outcome
        index += 1
    control[NEXT] = index
    return OK


@routine
def first_step(mechanism: Any, workspace: Any, pair: Any, state: Any, t: float, rtol: float,
               atol: float) -> float:  # fmt: skip
    """A step to try first: a fraction of the time in which a body moves by its size."""
    begin_step(mechanism, workspace, state, t)
    outcome = take_stages(mechanism, workspace, pair, state, t, 0.0, 0, 1)
    if outcome != OK:
        return np.inf  # the first attempt says why
    tolerance = max(rtol, atol / largest_size(mechanism, pair.measure))
    scale = time_scale(mechanism, pair.measure, state, pair.slopes)
    return scale * tolerance ** (1.0 / pair.estimate)


@hot
def next_step(pair: Any, step: float, error: float, control: Any) -> float:
    """The step after an accepted one with this error."""
    small = 0.2 / pair.estimate
    error = max(error, SMALL_ERROR)
    factor = SAFETY * error ** (0.75 * small - 1.0 / pair.estimate)
    factor *= control[LAST_ERROR] ** small
    factor = min(max(factor, SHORTEST), LONGEST)
    if control[REJECTED] != 0.0:
        factor = min(factor, 1.0)
    control[LAST_ERROR] = error
    return step * factor


@hot
def step_to_try(control: Any, limits: Any) -> float:
    """The next step; the last two share what is left, so that none is very short."""
    step, rest = min(control[STEP], limits[LARGEST]), limits[UNTIL] - control[NOW]
    if step >= rest:
        return rest
    return 0.5 * rest if 2.0 * step > rest else step


@routine
def judge_step(
    mechanism: Any, workspace: Any, pair: Any, now: Any, then: Any, step: float, control: Any,
    limits: Any,
) -> int:  # fmt: skip
    """Attempt a step: OK if `then` was accepted.  Otherwise control[OUTCOME] says why not."""
    t, rest = control[NOW], limits[UNTIL] - control[NOW]
    outcome = attempt_embedded(mechanism, workspace, pair, now, t, step, then)
    shorter = FAILED
    if outcome == OK:
        error = error_of_step(mechanism, pair, now, then, step, limits[RTOL], limits[ATOL])
        if error <= 1.0:
            seen = mechanism.monitor.count[0]
            end = limits[UNTIL] if step == rest else t + step
            outcome = end_step(mechanism, workspace, now, end, step, SEEN, then)
            if outcome == OK:
                control[STEP] = next_step(pair, step, error, control)
                control[REJECTED] = 0.0
                control[BEFORE], control[NOW] = t, end
                return OK
            if outcome != NOT_FINITE and outcome != NOT_CLOSED and outcome != TURNED:
                control[OUTCOME] = outcome  # a shorter step comes to the same pose
                return outcome
            mechanism.monitor.count[0] = seen
        else:
            shorter = max(SHORTEST, SAFETY * error ** (-1.0 / pair.estimate))
            outcome = COLLAPSED
    control[OUTCOME] = outcome
    control[REJECTED] = 1.0
    control[REJECTIONS] += 1.0
    control[STEP] = step * shorter
    return COLLAPSED


@kernel("steps of chosen length", seconds=12)
def adapt(
    mechanism: Any, workspace: Any, embedded: Any, state: Any, spare: Any, aside: Any, control: Any,
    limits: Any, wanted: Any, thetas: Any, times: Any, saved: Any, between: Any,
) -> int:  # fmt: skip
    """Advance a state block in place by steps that tolerances choose: OK, or why it stopped.

    `control` says where the run is, `limits` what it may do (see their fields): what a step does
    depends on the run alone, not on the calls it is made in.  The points at the times `wanted` go
    to the rows of `saved`; without such, those of every so many steps, and their times to `times`.
    The points of the last step at the fractions `thetas` go to `between`.  After a step that was
    accepted `spare` is the state before it; where a run stopped it is what came after the last good
    one.
    """
    model, work, pair = borrow(mechanism), borrow(workspace), borrow(embedded)
    now, then, side = borrow(state), borrow(spare), borrow(aside)
    run, most = borrow(control), borrow(limits)
    when, stamps, history, inner = borrow(wanted), borrow(times), borrow(saved), borrow(between)
    width, kept, count = model.layout.width, model.layout.kept, wanted.shape[0]
    attempts, accepted, outcome, swapped = 0.0, 0.0, OK, False
    if run[STEP] == 0.0:
        run[STEP] = first_step(model, work, pair, now, run[NOW], most[RTOL], most[ATOL])
    while attempts < most[ATTEMPTS] and accepted < most[MOST] and run[NOW] < most[UNTIL]:
        attempts += 1.0
        step = step_to_try(run, most)
        outcome = judge_step(model, work, pair, now, then, step, run, most)
        if outcome == COLLAPSED:
            if run[STEP] >= most[SMALLEST]:
                outcome = OK
                continue
            outcome = int(run[OUTCOME])
        if outcome != OK:
            break
        accepted += 1.0
        run[ACCEPTED] += 1.0
        begin, end = run[BEFORE], run[NOW]
        asked = thetas.shape[0] > 0 or (int(run[NEXT]) < count and when[int(run[NEXT])] < end)
        if asked and pair.total > pair.count:
            outcome = take_stages(
                model, work, pair, now, begin, end - begin, pair.count, pair.total
            )
        if outcome == OK:
            for k in range(thetas.shape[0]):
                if outcome == OK:
                    outcome = put_between(
                        model, work, pair, now, then, begin, end - begin, thetas[k],
                        beyond(inner, k * kept),
                    )  # fmt: skip
        if outcome == OK:
            outcome = save_between(
                model, work, pair, now, then, side, begin, end, run, when, count, most[REAL],
                history,
            )  # fmt: skip
        if outcome != OK:  # the step was not taken
            run[NOW], run[ACCEPTED] = begin, run[ACCEPTED] - 1.0
            break
        go_on(model, pair)
        now, then = then, now
        swapped = not swapped
        if int(run[ACCEPTED]) % MONITOR_EVERY == 0 or end >= most[UNTIL]:
            monitor_energy(model, work, now, end)
            monitor_gaps(model, work, now, end)
        if count == 0 and (int(run[ACCEPTED]) % int(most[SAVE_EVERY]) == 0 or end >= most[UNTIL]):
            slot = int(run[SLOT])
            stamps[slot] = end
            copy(now, beyond(history, slot * kept), kept)
            run[SLOT] += 1.0
    if swapped:
        exchange(now, then, width)
    return outcome


@kernel("a step of a given length", seconds=8)
def leap(
    mechanism: Any, workspace: Any, embedded: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """`real_step` for Python."""
    return real_step(
        borrow(mechanism), borrow(workspace), borrow(embedded), borrow(state), t, step, borrow(out)
    )
