r"""Runge-Kutta-Munthe-Kaas: any explicit tableau on the group of every body's space.

With the state X = (q, U) and $X(t) = X_0 \exp(\Phi)$, a step of length h is

$$ \Psi_j = h\sum_l a_{jl} k_l, \quad X_j = X_0\exp(\Psi_j), \quad
   k_j = \mathrm{dexp}^{-1}_{-\Psi_j} F(X_j), \quad X_1 = X_0\exp\bigl(h\sum_j b_j k_j\bigr), $$

F = (U, U').  Velocities live in a vector space, where exp is addition.  A lower pair keeps U in a
subalgebra, dexp^-1 maps that to itself and exp into the subgroup: the joint holds to rounding.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import FIRST_COMPILE, borrow, formula, hot, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    POSITION,
    ROTATION,
    SE3_CODE,
    VELOCITY,
    Floats,
    System,
    mat9,
    put3,
    put4,
    put_twist,
    twist6,
    vec3,
    vec4,
)
from chasles.core.assemble import place_bodies, twist_of
from chasles.core.balance import (
    Balance,
    collect_impulse,
    keep_momentum,
    make_balance,
)
from chasles.core.charts import chart_acceleration, chart_exp, grounded_acceleration
from chasles.core.constraints.registry import assemble_rows
from chasles.core.evaluate import (
    collect_missed,
    make_good,
    solve_motion,
)
from chasles.core.factor import OK
from chasles.core.watch import look_at_pivots
from chasles.groups.se3 import se3_dexp_inv
from chasles.groups.so3 import so3_normalise
from chasles.groups.so3xr3 import so3xr3_dexp_inv
from chasles.groups.vectors import neg
from chasles.stabilisation.feedback import begin_feedback, find_drift, pull_joints
from chasles.stabilisation.moves import chart_move
from chasles.stabilisation.projection import project
from chasles.stabilisation.record import FED_BACK, PROJECTED

SLOPE_WIDTH = 12
CARRY_WIDTH = 9
NOT_FINITE = -2
NOT_CLOSED = -3


def seconds_compiling() -> float:
    """Seconds that this process has spent on compiling kernels so far."""
    return FIRST_COMPILE.seconds


@formula
def pulled_back(group: int, increment: Any, velocity: Any) -> Any:
    """dexp^-1 at -increment of the velocity: the slope of a Munthe-Kaas method."""
    back = (neg(increment[0]), neg(increment[1]))
    if group == SE3_CODE:
        return se3_dexp_inv(back, velocity)
    return so3xr3_dexp_inv(back, velocity)


class Stages(NamedTuple):
    """Tableau and storage of a step."""

    a: Floats  # (s, s) strictly lower triangular
    b: Floats  # (s,)
    count: int  # s
    last: int  # the last stage that has a weight
    slopes: Floats  # (s, n, 12): dexp^-1 U and U'
    increments: Floats  # (n, 12): step * sum of weighted slopes
    stage: Floats  # (n, CHART_WIDTH)
    spare: Floats  # (n, CHART_WIDTH)
    carry: Floats  # (n, CARRY_WIDTH): what rounding took from position and velocity so far
    quadrature_slopes: Floats  # (s, quadratures)
    integrals: Floats  # (quadratures,) at the start of the step
    balance: Balance


def make_stages(system: System, a: Floats, b: Floats, start: Floats) -> Stages:
    """Storage for a tableau; a last stage that nothing uses (dopri5's) is left out."""
    bodies, count = system.body_count, len(b)
    while b[count - 1] == 0.0 and not np.any(a[:count, count - 1]):
        count -= 1
    return Stages(
        a=np.array(a[:count, :count], float),
        b=np.array(b[:count], float),
        count=count,
        last=int(np.flatnonzero(b)[-1]),
        slopes=np.zeros((count, bodies, SLOPE_WIDTH)),
        increments=np.zeros((bodies, SLOPE_WIDTH)),
        stage=np.zeros((bodies, CHART_WIDTH)),
        spare=np.zeros((bodies, CHART_WIDTH)),
        carry=np.zeros((bodies, CARRY_WIDTH)),
        quadrature_slopes=np.zeros((count, system.quadrature_count)),
        integrals=np.zeros(system.quadrature_count),
        balance=make_balance(system, start),
    )


@hot
def sum_slopes(system: Any, weights: Any, first: int, count: int, step: float, stages: Any) -> None:
    """increments = step * sum_l weights_l slopes_l, for every body."""
    slopes, increments = stages.slopes, stages.increments
    for body in range(system.body_count):
        into = body * SLOPE_WIDTH
        for c in range(SLOPE_WIDTH):
            increments[into + c] = 0.0
        for stage in range(count):
            weight = step * weights[first + stage]
            if weight != 0.0:
                at = (stage * system.body_count + body) * SLOPE_WIDTH
                for c in range(SLOPE_WIDTH):
                    increments[into + c] += weight * slopes[at + c]


@hot
def place_stage(system: Any, chart: Any, stages: Any) -> None:
    """The stage chart * exp(increments)."""
    out, increments = stages.stage, stages.increments
    for body in range(system.body_count):
        at, into = body * CHART_WIDTH, body * SLOPE_WIDTH
        group = system.bodies.group[body]
        pose = (vec4(chart, at + ROTATION), vec3(chart, at + POSITION))
        q, rho = chart_exp(group, pose, twist6(increments, into))
        put4(out, at + ROTATION, q)
        put3(out, at + POSITION, rho)
        for c in range(6):
            out[at + VELOCITY + c] = chart[at + VELOCITY + c] + increments[into + 6 + c]


@formula
def compensated(total: Any, carry: Any, term: Any) -> Any:
    """total + term and what rounding took from it (Kahan): (new total, new carry)."""
    wanted = term + carry
    result = total + wanted
    return result, wanted - (result - total)


@hot
def finish_step(system: Any, chart: Any, stages: Any, out: Any) -> None:
    """out = chart * exp(increments), rounded once per step and not at all on average.

    Positions and velocities carry what rounding took from them into the next step, and products of
    unit quaternions get their length back, so that joints stay closed over millions of steps.
    """
    increments, carry = stages.increments, stages.carry
    for body in range(system.body_count):
        at, into, carried = body * CHART_WIDTH, body * SLOPE_WIDTH, body * CARRY_WIDTH
        group = system.bodies.group[body]
        turn = (vec4(chart, at + ROTATION), (0.0, 0.0, 0.0))
        q, shift = chart_exp(group, turn, twist6(increments, into))
        put4(out, at + ROTATION, so3_normalise(q))
        for c in range(3):
            out[at + POSITION + c], carry[carried + c] = compensated(
                chart[at + POSITION + c], carry[carried + c], shift[c]
            )
        for c in range(6):
            out[at + VELOCITY + c], carry[carried + 3 + c] = compensated(
                chart[at + VELOCITY + c], carry[carried + 3 + c], increments[into + 6 + c]
            )


@hot
def slope_of_bodies(system: Any, work: Any, stages: Any, stage: int) -> None:
    """(dexp^-1 U, U') of every body at a stage, from the body accelerations in work.rhs."""
    chart = stages.stage
    for body in range(system.body_count):
        group = system.bodies.group[body]
        reference = system.bodies.reference[body]
        point = vec3(system.bodies.frame_point, 3 * body)
        velocity = twist6(chart, body * CHART_WIDTH + VELOCITY)
        twist = twist_of(work.absolute, body)
        rate = twist6(work.rhs, 6 * body)
        if reference < 0:
            turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
            acceleration = grounded_acceleration(group, twist, rate, turn, point)
        else:
            acceleration = chart_acceleration(
                group, velocity, twist, rate,
                mat9(work.turn, body * 9), vec3(chart, body * CHART_WIDTH + POSITION), point,
                twist_of(work.absolute, reference), twist6(work.rhs, 6 * reference),
            )  # fmt: skip
        out = (stage * system.body_count + body) * SLOPE_WIDTH
        put_twist(
            stages.slopes,
            out,
            pulled_back(group, twist6(stages.increments, SLOPE_WIDTH * body), velocity),
        )
        put_twist(stages.slopes, out + 6, acceleration)


@routine
def move_apart(system: Any, plan: Any, work: Any, stages: Any, feedback: Any, stage: int) -> None:
    """The slopes of the poses get what moves the bodies beside their velocities."""
    if feedback.kind != FED_BACK or feedback.drift_gain == 0.0:
        return
    find_drift(system, plan, work, feedback)
    for body in range(system.body_count):
        group = system.bodies.group[body]
        extra = chart_move(system, work, stages.stage, body, feedback.drift)
        spin, slide = pulled_back(group, twist6(stages.increments, SLOPE_WIDTH * body), extra)
        at = (stage * system.body_count + body) * SLOPE_WIDTH
        for c in range(3):
            stages.slopes[at + c] += spin[c]
            stages.slopes[at + 3 + c] += slide[c]


@routine
def sum_quadratures(
    system: Any, stages: Any, weights: Any, first: int, count: int, step: float, out: Any
) -> None:
    """out = integrals + step * sum_l weights_l rates_l: work and angles go along."""
    for k in range(system.quadrature_count):
        total = 0.0
        for stage in range(count):
            rate = stages.quadrature_slopes[stage * system.quadrature_count + k]
            total += weights[first + stage] * rate
        out[k] = stages.integrals[k] + step * total


@hot
def rkmk_step(
    system: Any, plan: Any, work: Any, stages: Any, stabiliser: Any, chart: Any, step: float,
    table: Any, row: int, out: Any,
) -> int:  # fmt: skip
    """One step from `chart` to `out` (another array); OK or the singular row.

    Row row + j of the table holds the functions of time at stage j.
    """
    for j in range(stages.count):
        sum_slopes(system, stages.a, j * stages.count, j, step, stages)
        place_stage(system, chart, stages)
        for k in range(system.signal_count):
            work.signals[k] = table[(row + j) * system.signal_count + k]
        sum_quadratures(system, stages, stages.a, j * stages.count, j, step, work.quadratures)
        if j == 0:
            begin_feedback(system, work, stabiliser, chart)
        place_bodies(system, stages.stage, work.absolute, work.turn)
        assemble_rows(system, work)
        pull_joints(system, work, stabiliser)
        failed = solve_motion(system, plan, work)
        if failed != OK:
            return failed
        if stages.b[j] != 0.0:
            collect_missed(system, work, stages.b[j] / stages.b[stages.last])
        if j == stages.last:
            make_good(system, plan, work)
        if stages.balance.count > 0:
            collect_impulse(system, work, stages.balance, stages.b[j])
        slope_of_bodies(system, work, stages, j)
        move_apart(system, plan, work, stages, stabiliser, j)
        for k in range(system.quadrature_count):
            at = j * system.quadrature_count + k
            stages.quadrature_slopes[at] = work.quadrature_rates[k]
    sum_slopes(system, stages.b, 0, stages.count, step, stages)
    finish_step(system, chart, stages, out)
    sum_quadratures(system, stages, stages.b, 0, stages.count, step, stages.integrals)
    return OK


@routine
def all_finite(p: Any, count: int) -> bool:
    total = 0.0
    for k in range(count):
        total += 0.0 * p[k]  # NaN for infinities and NaN
    return total == 0.0


@kernel("the time loop", seconds=8)
def rkmk_run(
    system: Any, plan: Any, work: Any, stages: Any, stabiliser: Any, watch: Any, chart: Any,
    table: Any, step: float, first: int, last: int, save_every: int, saved: Any,
    saved_integrals: Any,
) -> Any:  # fmt: skip
    """Advance `chart` in place from step `first` to step `last`: (step reached, outcome).

    State k * save_every goes to saved[k].  Outcome is OK, NOT_FINITE, NOT_CLOSED, or the singular
    row; if not OK, `chart` is the last good state and stages.spare what came after it.  The table
    has a row of functions of time per stage from step `first` on, and one more.
    """
    model, order = borrow(system), borrow(plan)
    scratch, memory, state = borrow(work), borrow(stages), borrow(chart)
    closing, functions = borrow(stabiliser), borrow(table)
    eyes, watched = borrow(watch), watch.places.size
    length = model.body_count * CHART_WIDTH
    history, integrals = borrow(saved), borrow(saved_integrals)
    for index in range(first, last):
        row = (index - first) * memory.count
        failed = rkmk_step(
            model, order, scratch, memory, closing, state, step, functions, row, memory.spare
        )
        if failed == OK and watched > 0:
            failed = look_at_pivots(eyes, watched, scratch.values, index)
        if failed != OK:
            return index, failed
        if closing.kind == PROJECTED:
            for k in range(model.signal_count):
                scratch.signals[k] = functions[(row + memory.count) * model.signal_count + k]
            if not project(model, order, scratch, memory, closing, memory.spare):
                return index, NOT_CLOSED
        if memory.balance.count > 0:
            keep_momentum(model, memory.balance, step, memory.spare)
        if not all_finite(memory.spare, length):
            return index, NOT_FINITE
        for k in range(length):
            state[k] = memory.spare[k]
        if (index + 1) % save_every == 0:
            slot = (index + 1) // save_every
            for k in range(length):
                history[slot * length + k] = state[k]
            for k in range(model.quadrature_count):
                integrals[slot * model.quadrature_count + k] = memory.integrals[k]
    return last, OK
