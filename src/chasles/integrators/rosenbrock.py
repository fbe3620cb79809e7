r"""A linearly implicit method for stiff forces: W-methods on the group of every body's space.

With A an approximation of the derivative of F, fixed for a step, a W-method (Steihaug and
Wolfbrandt 1979) solves linear equations only,

$$ (1 - \gamma h A) k_i = F\bigl(X_0\exp(h\textstyle\sum_j\alpha_{ij}k_j)\bigr)
   + h A\sum_{j<i}\gamma_{ij}k_j, \qquad X_1 = X_0\exp\bigl(h\sum_i b_i k_i\bigr), $$

F pulled back by dexp^-1.  Here A has $\dot q = v$ and the derivatives of forces: with their
stiffness K and damping D at the start of the step (see `core.tangent_stiffness`), a slope $k = (u,
a)$ of an explicit method becomes (u, a) + (.., delta),

$$ \bigl(M + \gamma h D + (\gamma h)^2 K\bigr)\delta + J^T\mu = -K z - D\dot z, \qquad
   J\delta = 0, $$

in which z and its rate are what bodies do within $\gamma h$.  The order does not depend on A:
gyroscopic terms, the derivative of M and of joints are left out, K and D are differences.  The
matrix is factored with the symmetric and positive parts of K and D, and the rest of them iterated
for.  What A has is damped as by an implicit method, whatever the step; what it has not is
integrated explicitly.

The work of forces is that with all that they give way by, at the mean velocity of the step: the
balance closes to the order of the method, however stiff they are (see
`core.tangent_stiffness.work`).

`linearly-implicit` has the coefficients of Shampine and Reichelt (1997, MATLAB's ode23s): order 2
for any A, and L-stable with $\gamma = 1/(2 + \sqrt2)$ if A is the derivative.
"""

from math import sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.build.system.tree_setup import tree_setup
from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import Floats, clear, copy, storage
from chasles.core.outcomes import EVALUATED, FACTORED, ITERATED, OK, TALLY_WIDTH, count_up
from chasles.core.stage import stage
from chasles.core.state_block import combine, finish_step, pull_back, retract, slope_length
from chasles.core.tangent_stiffness.links import TangentStiffness, make_tangent_stiffness
from chasles.core.tangent_stiffness.loads import (
    add_resistance,
    clear_loads,
    is_touched,
    load_factored,
    put_rest,
    put_ways,
)
from chasles.core.tangent_stiffness.matrix import answer, linearise
from chasles.core.tangent_stiffness.work import add_driver_powers, work_along, works_on_bodies
from chasles.integrators.measure import (
    POSES,
    VELOCITIES,
    Measure,
    make_measure,
    move_bodies,
    supply_at,
)

#: Iterations for what is not factored, at the most; they end where delta changes by a thousandth,
#: and are not begun where the second changes it by as much as it is.
MOST_ITERATIONS, CONVERGED, CONTRACTING = 12, 1e-6, 0.5


class WMethod(NamedTuple):
    """Coefficients: alpha and gamma are strictly lower triangular."""

    order: int
    alpha: Floats
    gamma: Floats
    diagonal: float
    b: Floats


DIAGONAL = 1.0 / (2.0 + sqrt(2.0))
W_METHODS = {
    "linearly-implicit": WMethod(
        2,
        np.array([[0.0, 0.0], [0.5, 0.0]]),
        np.array([[0.0, 0.0], [-DIAGONAL, 0.0]]),
        DIAGONAL,
        np.array([0.0, 1.0]),
    )
}


class LinearlyImplicit(NamedTuple):
    """Coefficients and storage of a step."""

    alpha: Floats  # (s, s)
    gamma: Floats  # (s, s)
    b: Floats  # (s,)
    c: Floats  # (s,)
    diagonal: float
    count: int  # s
    slopes: Annotated[Floats, "s", "slope"]
    increment: Annotated[Floats, "slope"]
    sums: Annotated[Floats, "slope"]  # h times the sum of gamma k
    point: Annotated[Floats, "kept"]  # the stage
    delta: Annotated[Floats, "slope"]  # the change of the accelerations, at their place
    more: Annotated[Floats, "slope"]  # ... and what an iteration adds to it
    tangent: TangentStiffness
    mean: Annotated[Floats, "slope"]  # the mean velocities of the step, at their place
    measure: Measure
    tally: Annotated[Floats, TALLY_WIDTH]  # see `core.outcomes`


def make_linearly_implicit(method: WMethod, solver: Any, mechanism: Any) -> LinearlyImplicit:
    """Storage for a mechanism."""
    count = len(method.b)
    sizes = {"s": count, "slope": slope_length(mechanism), "kept": mechanism.layout.kept}
    return storage(
        LinearlyImplicit, sizes,
        alpha=method.alpha.copy(),
        gamma=method.gamma.copy(),
        b=method.b.copy(),
        c=method.alpha.sum(axis=1),
        diagonal=method.diagonal,
        count=count,
        tangent=make_tangent_stiffness(mechanism, tree_setup(solver.setup).cuts, solver.workspace),
        measure=make_measure(mechanism, np.ones(mechanism.system.body_count)),
    )  # fmt: skip


# --- what forces give way by ---


@routine
def resist(
    mechanism: Any, scheme: Any, state: Any, slope: Any, reach: float, is_known: bool
) -> None:
    """-K z - D z' for the delta that `is_known`, or 0, into the loads.

    With k_v = a + delta: z' = sums_v + reach k_v, z = sums + reach (u + z').  What a alone does is
    apart, -(S - rest) a: it may be far larger than all of k_v.
    """
    tangent, measure, moves = scheme.tangent, scheme.measure, scheme.increment
    rates, sums = mechanism.tree.rate_count, scheme.sums
    clear_loads(tangent)
    for k in range(rates):
        at = rates + k
        own = reach * (slope[at] + scheme.delta[at])
        moves[at] = sums[at] + own
        moves[k] = sums[k] + reach * (slope[k] + moves[at])
        tangent.tree_work.efforts[k] = -tangent.stiff[k] * moves[k] - tangent.damped[k] * moves[at]
        if not is_known:
            moves[at], moves[k] = sums[at], sums[k] + reach * (slope[k] + sums[at])
    if is_touched(tangent):
        move_bodies(mechanism, measure, state, moves, POSES, False)
        put_ways(tangent, measure.placed, tangent.ways)
        add_resistance(tangent, tangent.stiffness, -1.0, tangent.ways)
        move_bodies(mechanism, measure, state, moves, VELOCITIES, False)
        put_ways(tangent, measure.placed, tangent.speeds)
        add_resistance(tangent, tangent.damping, -1.0, tangent.speeds)
        if not is_known:
            move_bodies(mechanism, measure, state, slope, VELOCITIES, False)
            put_ways(tangent, measure.placed, tangent.speeds)
            add_resistance(tangent, tangent.rest, 1.0, tangent.speeds)
            load_factored(tangent, measure.placed)


@routine
def square_of(mechanism: Any, delta: Any) -> float:
    rates, total = mechanism.tree.rate_count, 0.0
    for k in range(rates, 2 * rates):
        total += delta[k] * delta[k]
    return total


@routine
def find_delta(mechanism: Any, scheme: Any, state: Any, slope: Any, reach: float) -> int:
    """(M + S) delta = -K z - D z', S the part that is factored; then more of it for the rest.

    Where that does not converge, the first delta is taken: any matrix leaves the order.
    """
    length, tangent = slope_length(mechanism), scheme.tangent
    clear(scheme.delta, length)
    clear(scheme.more, length)
    clear(tangent.answered, tangent.answer_width)
    resist(mechanism, scheme, state, slope, reach, False)
    last = 0.0
    for index in range(MOST_ITERATIONS):
        outcome = answer(mechanism, tangent, scheme.more)
        count_up(scheme.tally, ITERATED, 1)
        if outcome != OK:
            return outcome
        change = square_of(mechanism, scheme.more)
        if index > 0 and not change < (CONTRACTING if index == 1 else 1.0) * last:
            return OK
        for k in range(length):
            scheme.delta[k] += scheme.more[k]
        for k in range(tangent.answer_width):
            tangent.answered[k] += tangent.loop_work.solution[k]
        small = CONVERGED * square_of(mechanism, scheme.delta) if index > 0 else 0.0
        if tangent.is_rest[0] == 0 or change <= small:
            return OK
        last = change
        put_rest(tangent, scheme.more, scheme.measure.placed)
    return OK


@once
def book_work(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, slope: Any, step: float
) -> None:
    """The work of every force and driver with all that it gives way by, and their sum."""
    tree, system, tangent, rates = (
        mechanism.tree,
        mechanism.system,
        scheme.tangent,
        mechanism.tree.rate_count,
    )
    works, supplied = beyond(slope, 2 * rates), 0.0
    for k in range(rates, 2 * rates):
        scheme.mean[k] = state[tree.stored_count + k - rates] + 0.5 * step * slope[k]
    if mechanism.tree_work.has_efforts != 0:
        for index in range(system.force_count):
            k = mechanism.tree_work.along[index]
            if k >= 0:
                total, works[index] = work_along(
                    mechanism, workspace, tangent, index, state, scheme.point, scheme.increment,
                    scheme.mean[rates + k],
                )  # fmt: skip
                supplied += total
    if tangent.count > 0:
        move_bodies(mechanism, scheme.measure, scheme.point, scheme.mean, VELOCITIES, False)
        supplied += works_on_bodies(mechanism, workspace, tangent, scheme.measure.placed, works)
    if system.drive_count > 0:
        add_driver_powers(mechanism, workspace, tangent, beyond(scheme.delta, rates), works)
        for k in range(system.force_count, system.force_count + system.drive_count):
            supplied += works[k]
    slope[supply_at(mechanism)] = supplied


@routine
def add_tangent_terms(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, slope: Any, step: float, weight: float
) -> int:
    """From the slope of an explicit stage to that of the linearly implicit one, in place: OK,
    or a row without a pivot.
    """
    reach, rates = scheme.diagonal * step, mechanism.tree.rate_count
    outcome = find_delta(mechanism, scheme, state, slope, reach)
    if outcome != OK:
        return outcome
    if weight != 0.0:
        resist(mechanism, scheme, state, slope, reach, True)
    for k in range(rates):  # k_v = a + delta; the poses follow
        slope[rates + k] += scheme.delta[rates + k]
        slope[k] += scheme.sums[rates + k] + reach * slope[rates + k]
    if weight != 0.0:
        book_work(mechanism, workspace, scheme, state, slope, step)
    return OK


@hot
def attempt_linearly_implicit(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    length, count, reach = slope_length(mechanism), scheme.count, scheme.diagonal * step
    copy(state, scheme.point, mechanism.layout.kept)
    for j in range(count):
        slope = beyond(scheme.slopes, j * length)
        if j > 0:
            combine(scheme.alpha, j * count, j, step, scheme.slopes, length, scheme.increment)
            retract(mechanism, state, scheme.increment, scheme.point)
        outcome = stage(mechanism, workspace, scheme.point, t + scheme.c[j] * step, slope)
        count_up(scheme.tally, EVALUATED, 1)
        if outcome == OK and j > 0:
            outcome = pull_back(mechanism, scheme.increment, slope)
        elif outcome == OK:
            outcome = linearise(mechanism, scheme.tangent, scheme.point, t, reach)
            count_up(scheme.tally, FACTORED, 1)
        if outcome != OK:
            return outcome
        combine(scheme.gamma, j * count, j, step, scheme.slopes, length, scheme.sums)
        outcome = add_tangent_terms(mechanism, workspace, scheme, state, slope, step, scheme.b[j])
        if outcome != OK:
            return outcome
    combine(scheme.b, 0, count, step, scheme.slopes, length, scheme.increment)
    finish_step(mechanism, state, scheme.increment, out)
    return OK
