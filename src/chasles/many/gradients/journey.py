"""A run, the value of a function of it, and what every kept state weighs in that."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.back import Course
from chasles.many.gradients.branches import Branch
from chasles.many.gradients.placing import seeds_of
from chasles.many.gradients.trajectory import Trajectory


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
