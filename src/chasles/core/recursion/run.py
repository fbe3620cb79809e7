r"""Runge-Kutta-Munthe-Kaas on the joint subgroups of a tree: the step, and a run of steps.

$$ \Psi_j = h\sum_l a_{jl}k_l, \quad X_j = X_0\exp(\Psi_j), \quad
   k_j = (\mathrm{dexp}^{-1}_{-\Psi_j}v_j,\ \dot v_j), \quad
   X_1 = X_0\exp\bigl(h\sum_j b_jk_j\bigr) $$
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, hot, kernel, routine
from chasles.core.arrays import Floats
from chasles.core.constraints.registry import assemble_joint
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.coupled import put_negative
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.kinematics import kinematics
from chasles.core.recursion.motion import finish, retract
from chasles.core.recursion.refine import solve_rows
from chasles.core.recursion.stage import factor_at, follow, tree_slope
from chasles.core.recursion.tree import Recursion, Tree
from chasles.core.signals import put_signals
from chasles.core.stabilisation.residuals import put_position_residual
from chasles.scalars.elementary import absolute, maximum

#: Outcomes of a run; else the row of a cut joint that has no pivot.
FINISHED, NOT_FINITE = SOLVED, -2


class TreeStages(NamedTuple):
    """Tableau and storage of a step."""

    a: Floats  # (s, s)
    b: Floats  # (s,)
    c: Floats  # (s,)
    count: int
    slopes: Floats  # (s, 2 v): dexp^-1 v and v'
    increment: Floats  # (2 v,)
    stage: Floats  # (q + v,)
    carry: Floats  # (2 v,) what rounding took so far
    quadrature_slopes: Floats  # (s, quadratures)
    integrals: Floats  # (quadratures,)


def make_tree_stages(
    tree: Tree, a: Floats, b: Floats, c: Floats, quadratures: int = 0
) -> TreeStages:
    """Storage for a tableau; a last stage that nothing uses (dopri5's) is left out."""
    count = len(b)
    while b[count - 1] == 0.0 and not np.any(a[:count, count - 1]):
        count -= 1
    rates = tree.rate_count
    return TreeStages(
        a=np.array(a[:count, :count], float),
        b=np.array(b[:count], float),
        c=np.array(c[:count], float),
        count=count,
        slopes=np.zeros((count, 2 * rates)),
        increment=np.zeros(2 * rates),
        stage=np.zeros(tree.stored_count + rates),
        carry=np.zeros(2 * rates),
        quadrature_slopes=np.zeros((count, quadratures)),
        integrals=np.zeros(quadratures),
    )


@hot
def weigh(width: int, stages: Any, weights: Any, first: int, count: int, step: float) -> None:
    """increment = step * sum_l weights_l slopes_l."""
    slopes, increment = stages.slopes, stages.increment
    fresh = True
    for stage in range(count):
        weight = step * weights[first + stage]
        if weight != 0.0:
            at = stage * width
            if fresh:
                for k in range(width):
                    increment[k] = weight * slopes[at + k]
            else:
                for k in range(width):
                    increment[k] += weight * slopes[at + k]
            fresh = False
    if fresh:
        for k in range(width):
            increment[k] = 0.0


@routine
def weigh_quadratures(
    count: int, stages: Any, weights: Any, first: int, stage_count: int, step: float, out: Any
) -> None:
    """Work and angles go along: out = integrals + step * sum_l weights_l rates_l."""
    for k in range(count):
        total = 0.0
        for stage in range(stage_count):
            total += weights[first + stage] * stages.quadrature_slopes[stage * count + k]
        out[k] = stages.integrals[k] + step * total


@hot
def tree_step(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, stages: Any, state: Any,
    times: Any, step: float,
) -> int:  # fmt: skip
    """One step of `state` between two times, in place: SOLVED or a row."""
    width, signals = 2 * tree.rate_count, system.signal_count
    quadratures = system.quadrature_count
    for j in range(stages.count):
        if signals > 0:
            put_signals(system.signals, times[0] + stages.c[j] * step, work.signals)
        now = state
        if j > 0:
            weigh(width, stages, stages.a, j * stages.count, j, step)
            retract(tree, state, stages.increment, stages.stage)
            now = stages.stage
            if tree.driven_count > 0:
                follow(tree, work.signals, now)
        if quadratures > 0:
            first = j * stages.count
            weigh_quadratures(quadratures, stages, stages.a, first, j, step, work.quadratures)
        outcome = tree_slope(
            tree, memory, system, work, loops, room, now, stages.increment, j == 0, stages.slopes,
            j * width,
        )  # fmt: skip
        if outcome != SOLVED:
            return outcome
        for k in range(quadratures):
            stages.quadrature_slopes[j * quadratures + k] = work.quadrature_rates[k]
    weigh(width, stages, stages.b, 0, stages.count, step)
    finish(tree, state, stages.increment, stages.carry, state, stages.carry)
    if quadratures > 0:
        weigh_quadratures(quadratures, stages, stages.b, 0, stages.count, step, stages.integrals)
    if tree.driven_count > 0:
        put_signals(system.signals, times[1], work.signals)
        follow(tree, work.signals, state)
    return SOLVED


@kernel("steps on joint subgroups", seconds=14)
def tree_run(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, stages: Any, state: Any,
    step: float, first: int, last: int, save_every: int, saved: Any,
) -> Any:  # fmt: skip
    """Advance `state` in place from step `first` to `last`: (step reached, outcome).

    State k * save_every goes to saved[k].  Outcome is FINISHED, NOT_FINITE, or the row of a cut
    joint that depends on others.
    """
    model, scratch, arrays, space = borrow(tree), borrow(memory), borrow(system), borrow(work)
    cuts, riders = borrow(loops), borrow(room)
    storage, now, history = borrow(stages), borrow(state), borrow(saved)
    length = model.stored_count + model.rate_count
    for index in range(first, last):
        times = (step * index, step * (index + 1))
        outcome = tree_step(model, scratch, arrays, space, cuts, riders, storage, now, times, step)
        if outcome != SOLVED:
            return index, outcome
        total = 0.0
        for k in range(length):
            total += 0.0 * now[k]
        if total != 0.0 or total != total:
            return index, NOT_FINITE
        if (index + 1) % save_every == 0:
            slot = (index + 1) // save_every
            for k in range(length):
                history[slot * length + k] = now[k]
    return last, FINISHED


@kernel("cut joints of trees", seconds=8, plain=(300, 20_000))
def tree_factor(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any, closing: int
) -> int:
    """`factor_at` for Python."""
    return factor_at(
        borrow(tree), borrow(memory), borrow(system), borrow(work), borrow(loops), borrow(room),
        borrow(state), closing,
    )  # fmt: skip


@kernel("corrections of cut joints", seconds=10)
def tree_correct(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any,
    changes: Any, out: Any,
) -> int:  # fmt: skip
    """Changes of all coordinates (v,) by which rows change as given (k, m), one after the other.

    The shortest in the mass metric, from one factor: SOLVED or a row.  Tree joints stay closed,
    since only coordinates move.
    """
    model, scratch, cuts, riders = borrow(tree), borrow(memory), borrow(loops), borrow(room)
    wanted, answers = borrow(changes), borrow(out)
    failed = factor_at(model, scratch, borrow(system), borrow(work), cuts, riders, borrow(state), 1)
    if failed != SOLVED:
        return failed
    for k in range(changes.shape[0]):
        for row in range(cuts.row_count):
            riders.wanted[row] = wanted[k * cuts.row_count + row]
        solve_rows(model, cuts, riders, scratch.rows)
        for c in range(model.rate_count):
            answers[k * model.rate_count + c] = riders.solution[c]
    return SOLVED


@kernel("closing of cut joints", seconds=10, plain=(300, 20_000))
def tree_close(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any, column: Any,
    sizes: Any, closed: float, most: int,
) -> bool:  # fmt: skip
    """Move a state until the rows that ride are closed, by Newton's method: whether they are.

    `column` (6 n + rows,) is scratch, `sizes` (rows,) what gaps are compared with.
    """
    model, scratch, cuts, riders = borrow(tree), borrow(memory), borrow(loops), borrow(room)
    arrays, space, now, gaps = borrow(system), borrow(work), borrow(state), borrow(column)
    rates, unknowns, units = model.rate_count, 6 * model.body_count, borrow(sizes)
    for _ in range(most):
        if factor_at(model, scratch, arrays, space, cuts, riders, now, 1) != SOLVED:
            return False
        for k in range(cuts.joint_count):
            joint = cuts.joints[k]  # assembled anew: a user's formula answers for one at a time
            assemble_joint(arrays, joint, space.absolute, space, space.jacobian, space.eta)
            put_position_residual(arrays, joint, space.absolute, space, gaps)
        put_negative(cuts, riders.gaps, cuts.joint_of, True, unknowns, gaps)
        largest = 0.0
        for row in range(cuts.row_count):
            riders.wanted[row] = gaps[unknowns + cuts.source[row]]
            gap = absolute(riders.wanted[row]) / units[cuts.source[row]]
            largest = maximum(largest, gap)
        if largest < closed:
            return True
        solve_rows(model, cuts, riders, scratch.rows)
        for k in range(rates):
            riders.increment[k], riders.increment[rates + k] = riders.solution[k], 0.0
        retract(model, now, riders.increment, now)
    return False


@kernel("accelerations of trees", seconds=4)
def tree_rates(tree: Any, memory: Any, state: Any, rates: Any) -> None:
    """The rates of all velocities at a state, from the loads and signals in `memory`."""
    model, scratch, now = borrow(tree), borrow(memory), borrow(state)
    kinematics(model, now, scratch.rows)
    accelerations(model, scratch, borrow(rates), 0)


__all__ = [
    "FINISHED",
    "NOT_FINITE",
    "Recursion",
    "TreeStages",
    "make_tree_stages",
    "tree_close",
    "tree_correct",
    "tree_factor",
    "tree_rates",
    "tree_run",
    "tree_step",
]
