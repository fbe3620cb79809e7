r"""Half-explicit Runge-Kutta on index 2: the velocities of every stage are allowed ones.

The joints enter as $J v = r$ (r the rates of drivers), not as accelerations:

$$ V_i = v_0 + h\sum_{j<i} a_{ij}\dot V_j, \qquad M\dot V_j = Q_j - J_j^T\Lambda_j, \qquad
   J(X_{i+1})\,V_{i+1} = r(t_{i+1}), $$

where the last equation determines $\Lambda_i$, and that of the end of the step the last of them
(Hairer, Lubich, Roche 1989; Brasey and Hairer 1993).  Poses are moved as by a Munthe-Kaas method.
Velocities fit the joints after every step to rounding; poses drift with the error of the method,
unless they are projected.  Poses that are moved onto the joints have other rows there, so that
velocities are projected with them until they fit to rounding again.

Accelerations of `stage`, on index 1, are the first guess; what they miss at the next stage is
corrected on the factor that is there,

$$ \begin{pmatrix} M & J_i^T \\ J_i & 0 \end{pmatrix}
   \begin{pmatrix} \delta \\ \mu \end{pmatrix} =
   \begin{pmatrix} 0 \\ (r - J_{i+1} V_{i+1}) / (h\,a_{i+1,i}) \end{pmatrix}, $$

which contracts with h.  Where nothing has rows (trees without loops) it is the Munthe-Kaas method
of its tableau.

The order conditions are others than those of equations without joints: `rk4` has order 3 here.
`half-explicit` is HEM4 of theirs, with 5 stages and order 4.
"""

from math import sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, clear, copy, storage
from chasles.core.outcomes import (
    EVALUATED,
    ITERATED,
    NOT_CLOSED,
    NOT_CONVERGED,
    OK,
    TALLY_WIDTH,
    count_up,
)
from chasles.core.recursion.closing import SLIPS, close_cut_joints, put_openings, solve_for
from chasles.core.recursion.stage import drive, follow
from chasles.core.stabilisation import PROJECTED
from chasles.core.stage import stage
from chasles.core.state_block import combine, finish_step, pull_back, retract, slope_length
from chasles.integrators.tableaux import Tableau, lower
from chasles.scalars.elementary import absolute, maximum

#: Corrections of a stage at the most: a contraction by 0.4 gains 16 digits in forty.
MOST_CORRECTIONS = 40
#: One that does not halve what is missed is at rounding, or does not contract; what is left then
#: has to be this fraction of what was missed at first, or so many sizes (or rad) per second, ...
HALVED, LEFT, ROUNDED = 0.5, 1e-6, 1e-12
#: ... or so many in the step, less than places are rounded by: whatever the unit of time.
UNSEEN = 1e-15
#: Rows that contradict each other may share out what is missed in another way.
GROWN = 2.0
#: Projections of an end at the most: one leaves what the step was wrong by of the slip before it.
MOST_CLOSINGS = 8
ROOT = sqrt(6.0)


def hem4() -> Tableau:
    """Order 4 on index 2, 5 stages, the weights of Radau IIA (Brasey and Hairer 1993, HEM4)."""
    a = lower(
        [3 / 10],
        [(1 + ROOT) / 30, (11 - 4 * ROOT) / 30],
        [(-79 - 31 * ROOT) / 150, (-1 - 4 * ROOT) / 30, (24 + 11 * ROOT) / 25],
        [(14 + 5 * ROOT) / 6, (-8 + 7 * ROOT) / 6, (-9 - 7 * ROOT) / 4, (9 - ROOT) / 4],
    )
    b = [0.0, 0.0, (16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]
    return Tableau(a, b, name="half-explicit")


#: Tableaux by name.
HALF_EXPLICIT = {"half-explicit": hem4}


class HalfExplicit(NamedTuple):
    """A tableau and storage of a step."""

    weights: Floats  # (s + 1, s) a, and b as the last row
    nodes: Floats  # (s + 1,) c, and 1
    count: int  # s
    slopes: Annotated[Floats, "s", "slope"]
    increment: Annotated[Floats, "slope"]
    point: Annotated[Floats, "kept"]  # the stage
    trial: Annotated[Floats, "kept"]  # the next one
    tally: Annotated[Floats, TALLY_WIDTH]  # see `core.outcomes`


def make_half_explicit(tableau: Tableau, kept: int, length: int) -> HalfExplicit:
    """Storage for a tableau whose stages each use the one before."""
    count = len(tableau.b)
    return storage(
        HalfExplicit, {"s": count, "slope": length, "kept": kept},
        weights=np.vstack((tableau.a, tableau.b)),
        nodes=np.append(tableau.c, 1.0),
        count=count,
    )  # fmt: skip


# --- what the joints ask of velocities ---


@hot
def velocity_residual(mechanism: Any, workspace: Any, trial: Any, t: float) -> float:
    """r - J V of all rows at a point and time, where `correct` finds it; the largest, in sizes."""
    loops = mechanism.loops
    found, largest = mechanism.stabiliser.found, 0.0
    if loops.row_count == 0:
        return 0.0
    drive(mechanism, workspace, t, trial)
    put_openings(mechanism, workspace, trial, SLIPS, True)
    for row in range(loops.row_count):
        source = loops.source[row]
        missed = absolute(found.change[source]) / mechanism.accuracy.sizes[source]
        largest = maximum(largest, missed)
    return largest


@hot
def may_contradict(mechanism: Any) -> bool:
    """Whether rows repeat each other: off the closed pose of a loop they agree on no velocity."""
    repeated: bool = mechanism.loops.is_damped != 0 or mechanism.loops.is_chosen != 0
    return repeated


@hot
def correct(mechanism: Any, factor: float, slope: Any) -> None:
    """Add `factor` times what makes good what was missed to the accelerations at a stage."""
    solve_for(mechanism, mechanism.stabiliser.found.change)
    rates = mechanism.tree.rate_count
    for k in range(rates):
        slope[rates + k] += factor * mechanism.loop_work.solution[k]


# --- where poses are projected ---


@hot
def close_end(mechanism: Any, workspace: Any, out: Any) -> int:
    """Project the end of a step, whose functions of time are there: OK or NOT_CLOSED."""
    tree, last = mechanism.tree, 0.0
    if mechanism.stabiliser.kind != PROJECTED or mechanism.loops.row_count == 0:
        return OK
    if tree.driven_count > 0:
        follow(tree, workspace.signals, out)
    for index in range(MOST_CLOSINGS):
        if not close_cut_joints(mechanism, workspace, out):
            return NOT_CLOSED
        slip = slip_left(mechanism)
        if slip == 0.0 or (index > 0 and not slip < HALVED * last):
            return OK  # another projection would not make it less
        last = slip
    return OK


@routine
def slip_left(mechanism: Any) -> float:
    """The largest entry of r - J V that a projection has left, in sizes per second."""
    system, sizes, found = mechanism.system, mechanism.accuracy.sizes, mechanism.stabiliser.found
    largest = 0.0
    for row in range(system.row_count):
        if sizes[row] > 0.0:
            largest = maximum(largest, absolute(found.change[row]) / sizes[row])
    return largest


# --- a step ---


@routine
def go_on(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, j: int, t: float, step: float
) -> int:
    """From slope j to the next point, at which velocities fit the joints: OK or NOT_CONVERGED."""
    length, count = slope_length(mechanism), scheme.count
    slope, row = beyond(scheme.slopes, j * length), (j + 1) * count
    share = step * scheme.weights[row + j]
    first, last = 0.0, 0.0
    for index in range(MOST_CORRECTIONS):
        combine(scheme.weights, row, j + 1, step, scheme.slopes, length, scheme.increment)
        retract(mechanism, state, scheme.increment, scheme.trial)
        missed = velocity_residual(mechanism, workspace, scheme.trial, t)
        if missed == 0.0:
            return OK
        if index == 0:
            first = missed
        elif not missed < HALVED * last:
            small = missed <= LEFT * first or missed <= ROUNDED or step * missed <= UNSEEN
            contradicted = may_contradict(mechanism) and missed <= GROWN * first
            return OK if small or contradicted else NOT_CONVERGED
        correct(mechanism, 1.0 / share, slope)
        count_up(scheme.tally, ITERATED, 1)
        last = missed
    return NOT_CONVERGED


@hot
def attempt_half_explicit(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    length, kept = slope_length(mechanism), mechanism.layout.kept
    copy(state, scheme.trial, kept)
    clear(scheme.increment, length)
    for j in range(scheme.count):
        copy(scheme.trial, scheme.point, kept)
        slope, when = beyond(scheme.slopes, j * length), t + scheme.nodes[j] * step
        outcome = stage(mechanism, workspace, scheme.point, when, slope)
        count_up(scheme.tally, EVALUATED, 1)
        if outcome == OK and j > 0:
            outcome = pull_back(mechanism, scheme.increment, slope)
        if outcome == OK:
            then = t + scheme.nodes[j + 1] * step
            outcome = go_on(mechanism, workspace, scheme, state, j, then, step)
        if outcome != OK:
            return outcome
    finish_step(mechanism, state, scheme.increment, out)
    return close_end(mechanism, workspace, out)
