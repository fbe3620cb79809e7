r"""Gauss methods of Munthe-Kaas type, centred at mid-step: implicit, symmetric, of order 2s.

With $X(t) = X_m \exp(\Theta)$ about the middle $X_m$ of a step, $\Theta$ is the polynomial of
degree s that collocates $\dot\Theta = \mathrm{dexp}^{-1}_{-\Theta} F$ at the nodes of Gauss and
vanishes at mid-step:

$$ \Psi_i = h\sum_j a_{ij} k_j, \quad k_i = \mathrm{dexp}^{-1}_{-\Psi_i} F(X_m\exp\Psi_i), \qquad
   X_m = X_0\exp\bigl(h\sum_j\alpha_j k_j\bigr), \quad
   X_1 = X_m\exp\bigl(h\sum_j\beta_j k_j\bigr), $$

$$ a_{ij} = \int_{1/2}^{c_i} l_j, \qquad \alpha_j = \int_0^{1/2} l_j, \qquad
   \beta_j = \int_{1/2}^1 l_j = \alpha_{s+1-j} . $$

**Symmetry.**  Exchanging $X_0$ with $X_1$ and h with -h exchanges $\Psi_i$ with $\Psi_{s+1-i}$ and
alpha with beta, and the equations are the same: a step and the step back meet to rounding.  Centred
at the start, $X_1 = X_0\exp(\cdot)$ collocates another polynomial from the other end, since the log
of a product is not a sum: with s >= 2 stages that method is not symmetric.  Neither is symplectic
on a group whose dexp is not 1, and neither keeps quadratic invariants there; in a vector space
both are the Gauss method, which is and does.

The stages are solved for by fixed-point iteration, which contracts with the product of the step
and the fastest rate of the equations: steps are as short as those of explicit methods, and what is
gained is symmetry.  Stiff forces want `linearly-implicit`.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, copy, storage
from chasles.core.outcomes import EVALUATED, ITERATED, NOT_CONVERGED, OK, TALLY_WIDTH, count_up
from chasles.core.stage import stage
from chasles.core.state_block import combine, finish_step, pull_back, retract, slope_length
from chasles.scalars.elementary import sqrt

#: Stages by name.
GAUSS = {"gauss2": 1, "gauss4": 2, "gauss6": 3}
#: Sweeps over the stages at the most: a contraction by 0.7 gains 16 digits in a hundred.
MOST_SWEEPS = 100
#: A change of this fraction of the velocities is rounding.
ROUNDED = 2.0**-53
#: ... and one that hardly shrinks any more, from this fraction on, is that of the forces, in which
#: large numbers cancel.  A contraction as slow as that would not have come so far.
STALLED, HARDLY = 1e-9, 0.9
#: Iterates that have grown by this factor do not come back.
LOST = 1e6


class Gauss(NamedTuple):
    """Coefficients about mid-step and storage of a step."""

    a: Floats  # (s, s)
    before: Floats  # (s,) alpha, from the start to the middle
    after: Floats  # (s,) beta, from the middle to the end
    c: Floats  # (s,)
    count: int  # s
    slopes: Annotated[Floats, "s", "slope"]
    fresh: Annotated[Floats, "slope"]  # a slope that is about to take the place of another
    increment: Annotated[Floats, "slope"]
    middle: Annotated[Floats, "kept"]
    point: Annotated[Floats, "kept"]  # the stage
    tally: Annotated[Floats, TALLY_WIDTH]  # see `core.outcomes`


def gauss_nodes(stages: int) -> Floats:
    """The zeros of Legendre's polynomial on the interval from -1/2 to 1/2."""
    nodes, _ = np.polynomial.legendre.leggauss(stages)
    nodes = nodes / 2.0
    return 0.5 * (nodes - nodes[::-1])


def weights_to(end: float, nodes: Floats) -> Floats:
    """Integrals of Lagrange's polynomials of the nodes from 0 to `end`."""
    powers = np.arange(len(nodes))
    values = np.vander(nodes, increasing=True)  # node, power
    weights: Floats = np.linalg.solve(values.T, end ** (powers + 1.0) / (powers + 1.0))
    return weights


def make_gauss(stages: int, kept: int, length: int) -> Gauss:
    """Storage for so many stages, for points and slopes of these lengths."""
    nodes = gauss_nodes(stages)
    a = np.array([weights_to(node, nodes) for node in nodes])
    a = 0.5 * (a - a[::-1, ::-1])  # odd about mid-step in all bits
    after = weights_to(0.5, nodes)
    return storage(
        Gauss, {"s": stages, "slope": length, "kept": kept},
        a=a,
        before=after[::-1].copy(),
        after=after,
        c=0.5 + nodes,
        count=stages,
    )  # fmt: skip


@hot
def slope_size(mechanism: Any, slope: Any, step: float) -> float:
    """The square of all velocities in a slope, and of those that its accelerations make."""
    total, rates = 0.0, mechanism.tree.rate_count
    for k in range(rates):
        pose, change = slope[k], step * slope[rates + k]
        total += pose * pose + change * change
    return total


@routine
def sweep(mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float) -> Any:
    """All stages once, each with the newest slopes: (outcome, squares of the change and size)."""
    length, change, size = slope_length(mechanism), 0.0, 0.0
    count_up(scheme.tally, ITERATED, 1)
    combine(scheme.before, 0, scheme.count, step, scheme.slopes, length, scheme.increment)
    retract(mechanism, state, scheme.increment, scheme.middle)
    for j in range(scheme.count):
        slope = beyond(scheme.slopes, j * length)
        combine(
            scheme.a, j * scheme.count, scheme.count, step, scheme.slopes, length, scheme.increment
        )
        retract(mechanism, scheme.middle, scheme.increment, scheme.point)
        when = t + scheme.c[j] * step
        outcome = stage(mechanism, workspace, scheme.point, when, scheme.fresh)
        count_up(scheme.tally, EVALUATED, 1)
        if outcome == OK:
            outcome = pull_back(mechanism, scheme.increment, scheme.fresh)
        if outcome != OK:
            return outcome, 0.0, 0.0
        for k in range(length):
            slope[k], scheme.fresh[k] = scheme.fresh[k], scheme.fresh[k] - slope[k]
        change += slope_size(mechanism, scheme.fresh, step)
        size += slope_size(mechanism, slope, step)
    return OK, change, size


@hot
def square_of_fall(mechanism: Any, step: float) -> float:
    """The square of the speed that gravity makes in a step: what bodies at rest are judged by."""
    total = 0.0
    for c in range(3):
        speed = step * mechanism.system.gravity[c]
        total += speed * speed
    return total


@hot
def has_converged(index: int, change: float, last: float, scale: float) -> bool:
    """Whether an iteration has come to rounding."""
    if change <= ROUNDED * scale:
        return True
    return index > 0 and change >= HARDLY * last and change <= STALLED * scale


@routine
def solve_stages(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float
) -> int:
    """Sweep until the slopes are those of their own points: OK, or why there are none."""
    last, least, first = 0.0, square_of_fall(mechanism, step), 0.0
    for index in range(MOST_SWEEPS):
        outcome, square, size = sweep(mechanism, workspace, scheme, state, t, step)
        if outcome != OK:
            return outcome if index == 0 else NOT_CONVERGED
        change, scale = sqrt(square), sqrt(size + least)
        if has_converged(index, change, last, scale):
            return OK
        first = change if index == 0 else first
        if not change <= LOST * (first + scale):  # NaN as well
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


@hot
def attempt_gauss(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    length = slope_length(mechanism)
    copy(state, scheme.point, mechanism.layout.kept)
    outcome = stage(mechanism, workspace, scheme.point, t, scheme.slopes)
    count_up(scheme.tally, EVALUATED, 1)
    if outcome != OK:
        return outcome
    for j in range(1, scheme.count):
        copy(scheme.slopes, beyond(scheme.slopes, j * length), length)
    outcome = solve_stages(mechanism, workspace, scheme, state, t, step)
    if outcome != OK:
        return outcome
    outcome, _, _ = sweep(mechanism, workspace, scheme, state, t, step)
    if outcome != OK:
        return outcome
    increment = scheme.increment
    combine(scheme.before, 0, scheme.count, step, scheme.slopes, length, increment)
    finish_step(mechanism, state, increment, out)
    combine(scheme.after, 0, scheme.count, step, scheme.slopes, length, increment)
    finish_step(mechanism, out, increment, out)
    return OK
