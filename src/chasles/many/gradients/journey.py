r"""A run, the value of a function of it, and what every kept state weighs in that.

Forward mode carries derivatives along a few directions with every number of a step,

$$ \dot y_{k+1} = \frac{\partial\Phi}{\partial y}\,\dot y_k
   + \frac{\partial\Phi}{\partial p}\,\dot p $$

for the very steps $y_{k+1} = \Phi(y_k, p)$ of the run.  Nothing of the run is kept.  Eight
directions cost two nanoseconds a node, the way back two and a half for any number of them: forward
mode is for a few directions, and for runs too long to be kept.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.many.ensembles.observe import read_program
from chasles.many.gradients.back import Course
from chasles.many.gradients.branches import Branch
from chasles.many.gradients.reader_ir import LANES
from chasles.many.gradients.trajectory import Trajectory
from chasles.many.traced.adjoint import adjoint
from chasles.scalars.nodes import Program


class Journey:
    """A course gone along once.

    block     the first state block
    begins    (first, last, block) of segments
    taken     (first, last, branch) of all stretches
    kept      (T,) steps after which the function sees the run
    t         (T,) s
    absolute  (T, n, 18)
    value     of the function
    seeds     (T, width) its derivatives with respect to the kept blocks
    """

    def __init__(self, course: Course, function: Callable[[Trajectory], Any], every: int) -> None:
        stepper = course.stepper
        self.course, self.block = course, stepper.first_block()
        self.begins: list[tuple[int, int, Floats]] = []
        self.taken: list[tuple[int, int, Branch]] = []
        self.last_states = np.zeros((1, course.width))
        table = self.go(every)
        self.t = course.step * self.kept.astype(float)
        self.absolute = stepper.absolute(np.ascontiguousarray(table[:, : stepper.layout.integrals]))
        run = Trajectory(stepper.solver.setup, self.t, self.absolute)
        self.value, weights = run.weights(function(run))
        self.seeds = seeds_of(course, table, self.t, weights)

    def go(self, every: int) -> Floats:
        """The kept blocks (T, width)."""
        course, block = self.course, self.block.copy()
        rows, kept = [block.copy()], [0]
        for first, last in course.segments():
            self.begins.append((first, last, block.copy()))
            self.last_states = course.stretch(block, first, last)
            self.taken += course.taken
            block = self.last_states[-1].copy()
            chosen = [k for k in range(first + 1, last + 1) if k % every == 0 or k == course.steps]
            rows += [self.last_states[k - first].copy() for k in chosen]
            kept += chosen
        self.kept = np.array(kept)
        return np.array(rows)

    def back(self) -> Floats:
        """Weights of the first block; those of parameters add up in the course."""
        course, weights = self.course, np.zeros(self.course.width)
        for number, (first, last, begin) in enumerate(reversed(self.begins)):
            states = course.stretch(begin, first, last) if number > 0 else self.last_states
            own = np.zeros((last - first, course.width))
            chosen = (self.kept > first) & (self.kept <= last)
            own[self.kept[chosen] - first - 1] = self.seeds[chosen]
            course.back(states, first, own, weights)
        return weights + self.seeds[0]


def placing(course: Course, block: Floats) -> Program:
    """(block, time, parameters) -> absolute state (n * 18,)."""

    def absolute(mechanism: Any, scratch: Any) -> Any:
        return scratch.absolute[: mechanism.system.body_count * ABSOLUTE_WIDTH]

    return read_program(course.stepper, absolute, block, course.places, signals=False)


def seeds_of(course: Course, table: Floats, t: Floats, weights: Floats) -> Floats:
    """Weights of blocks (T, width) from those of poses (T, n, 18); those of parameters add up."""
    program, width, count = placing(course, table[0]), course.width, len(course.parameters)
    chosen = np.flatnonzero(weights.any(axis=(1, 2)))
    constant = np.broadcast_to(course.parameters, (len(chosen), count))
    inputs = np.concatenate([table[chosen], t[chosen, None], constant], axis=1)
    given = weights[chosen].reshape(len(chosen), weights[0].size)
    rows = adjoint(program).on_arrays(np.concatenate([inputs, given], axis=1).T).T
    course.totals[:count] += rows[:, width + 1 :].sum(axis=0)
    found = np.zeros(table.shape)
    found[chosen] = rows[:, :width]
    return found


def along_directions(journey: Journey, blocks: Floats, parameters: Floats) -> Floats:
    """Derivatives (p,) of the sum of seeds times kept blocks.

    `blocks` (width, p) and `parameters` (P, p) are the directions.
    """
    count = blocks.shape[1]
    lanes = [np.pad(one, ((0, 0), (0, -count % LANES))) for one in (blocks, parameters)]
    parts = [in_lanes(journey, *(one[:, first : first + LANES] for one in lanes))
             for first in range(0, count, LANES)]  # fmt: skip
    return np.concatenate(parts)[:count]


def in_lanes(journey: Journey, slope: Floats, parameters: Floats) -> Floats:
    """The same along LANES directions."""
    course, seeds = journey.course, dict(zip(journey.kept.tolist(), journey.seeds, strict=True))
    width, now = course.width, journey.block
    total: Floats = seeds[0] @ slope
    for begin, end, branch in journey.taken:
        carried = branch.carried
        constant = np.zeros((2 + len(carried), LANES))  # times, and what is carried
        for k in range(begin, end):
            times = course.step * k, course.step * (k + 1)
            found = branch.lanes.evaluate(
                np.concatenate([now, times, carried, course.parameters]),
                np.concatenate([slope, constant, parameters]),
            )
            assert found is not None, "guards held when the run was taken"
            now, carried = found[:width], found[width:]
            slope = branch.lanes.output_slopes()[:width]
            if k + 1 in seeds:
                total = total + seeds[k + 1] @ slope
    return total
