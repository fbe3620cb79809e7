r"""The time loop of a run of equal steps that looks for events.

Each step is looked at at its ends and between them, and a zero is located, by real steps of length
$\theta h$ of the same method from the beginning of the step.  The steps themselves are those of a
run without events, to the bit.  From an impact on, shorter steps lead to the end of the step: times
stay on the grid.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.outcomes import OK
from chasles.model import ChaslesError
from chasles.run.control import Control
from chasles.run.events import Watcher
from chasles.run.loop import Grid, Run, Saved
from chasles.run.stepper import Stepper
from chasles.run.time_grid import NEVER
from chasles.run.watching import Watch, as_stop
from chasles.system.lookout import Lookout

#: Where nothing is saved.
NOWHERE = np.zeros((1, 1))


class EventRun(Run):
    """The states of one simulation as they come."""

    def __init__(
        self, stepper: Stepper, grid: Grid, watcher: Watcher, lookout: Lookout | None = None,
        control: Control | None = None,
    ) -> None:  # fmt: skip
        super().__init__(stepper, grid, lookout, control)
        self.watch = Watch(watcher, stepper)
        self.before, self.aside = np.zeros_like(self.block), np.zeros_like(self.block)
        self.other = np.zeros_like(self.block)
        self.between = np.zeros((len(watcher.thetas), stepper.layout.kept))
        self.longest = np.inf  # of the next step, after an impact
        self.parts: list[tuple[float, Floats, float]] = []  # of the last step: from, state, to
        self.taken = 0  # steps, with those that look and locate

    @property
    def goes_on(self) -> bool:
        return super().goes_on and not self.watch.is_over

    def counted(self) -> dict[str, int]:
        """With the steps that look and locate."""
        self.side_steps = self.taken - (self.index - self.grid.first)
        return super().counted()

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        kept, every = self.stepper.layout.kept, self.grid.save_every
        times, points = [self.reached], [self.block[:kept].copy()]
        for _ in self.steps(progress):
            if self.index % every == 0 and self.reached == self.grid.time(self.index):
                times.append(self.reached)
                points.append(self.block[:kept].copy())
        if self.reached > times[-1]:
            times.append(self.reached)
            points.append(self.block[:kept].copy())
        return self.saved(np.array(times), np.array(points))

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times, each by one shorter step."""
        kept = self.stepper.layout.kept
        begun = int(np.searchsorted(wanted, self.reached, side="right"))
        times = wanted[:begun].tolist()
        points = [self.block[:kept].copy() for _ in times]
        for _ in self.steps(progress):
            for t in wanted[len(times) :].tolist():
                if t > self.reached or self.stopped:
                    break
                point = self.served(t)
                if point is None:
                    break
                times.append(t)
                points.append(point)
        if not self.goes_on and (not times or self.reached > times[-1]):
            times.append(self.reached)
            points.append(self.block[:kept].copy())
        return self.saved(np.array(times), np.array(points).reshape(len(times), kept))

    def served(self, t: float) -> Floats | None:
        """The state at a time within the last step."""
        kept = self.stepper.layout.kept
        if t == self.reached:
            return self.block[:kept].copy()
        for begin, state, end in self.parts:
            if begin <= t < end:
                try:
                    return self.at(state, begin, t)[:kept].copy()
                except ChaslesError as failed:
                    self.stopped = as_stop(failed)
        return None

    def steps(self, progress: bool | None) -> Iterator[None]:
        """Take the steps of the grid, and the shorter one after the last."""
        grid = self.grid
        met = self.watch.begin(self.block, self.reached)
        try:
            if met is not None:
                self.longest = self.watch.meet(self.block, self.reached, met)
        except ChaslesError as failed:
            self.stopped = as_stop(failed)
        with self.bar(progress) as bar:
            while self.goes_on and self.index < grid.steps:
                self.piece(self.index, self.index + 1, NEVER)
                if self.stopped is None:
                    self.checkpoint()
                    self.watched_step(grid.time(self.index), grid.time(self.index + 1))
                if self.goes_on:
                    self.index += 1
                bar.update(1)
                yield
        self.checkpoint()
        if self.goes_on and grid.rest > 0.0:
            self.ask(self.index, self.block)
            if self.stopped is None:
                self.watched_step(grid.time(self.index), grid.until)
            yield
        self.shortened = self.reached > grid.time(self.index)
        self.ending += self.watch.ending
        self.can_go_on = not self.watch.is_over

    def watched_step(self, begin: float, end: float) -> None:
        """The block moves to the end, by way of all impacts; or to what ends the run."""
        self.parts = []
        try:
            while self.goes_on and begin < end:
                then = end if begin + self.longest >= end else begin + self.longest
                self.longest = np.inf
                begin = self.part(begin, then)
        except ChaslesError as failed:
            self.stopped = as_stop(failed)

    def part(self, begin: float, end: float) -> float:
        """A step, or a piece of one, up to its first impact: the time reached."""
        grid, watcher = self.grid, self.watch.watcher
        self.before[:] = self.block
        whole = begin == grid.time(self.index) and end == grid.time(self.index + 1)
        steps = (begin, end - begin, 0, 1, 1)
        if whole:
            steps = (grid.origin, grid.step, self.index, self.index + 1, grid.steps)
        else:
            self.look_at_signals(begin, end)
        self.taken += 1
        _, outcome = self.stepper.advance(self.block, self.spare, steps, NEVER, int(whole), NOWHERE)
        if outcome != OK:
            length = grid.step if whole else end - begin
            shortest = self.in_parts(outcome, self.block, begin, length)
            if shortest is None:
                raise self.explain(begin, outcome)
            self.note_division(shortest)

        def at(t: float) -> Floats:
            if t in (begin, end):
                return self.block if t == end else self.before
            return self.at(self.before, begin, t)

        for k, theta in enumerate(watcher.thetas):
            self.between[k] = at(begin + (end - begin) * theta)[: self.between.shape[1]]
        stop = watcher.look(begin, end, self.between, self.block, at)
        self.reached = end if stop is None else stop[0]
        self.parts.append((begin, self.before.copy(), self.reached))
        if stop is not None:
            self.block[:] = at(self.reached)
            self.longest = self.watch.meet(self.block, *stop)
        return self.reached

    def at(self, state: Floats, begin: float, t: float) -> Floats:
        """The block that a real step leads to."""
        self.aside[:] = state
        if t == begin:
            return self.aside
        self.look_at_signals(begin, t)
        steps = (begin, t - begin, 0, 1, 1)
        self.taken += 1
        _, outcome = self.stepper.advance(self.aside, self.other, steps, NEVER, 0, NOWHERE)
        if outcome != OK and self.in_parts(outcome, self.aside, begin, t - begin) is None:
            raise self.explain(begin, outcome)
        return self.aside

    def look_at_signals(self, begin: float, end: float) -> None:
        """Functions of time at the stages of a step that is not one of the grid."""
        if self.lookout is not None:
            self.lookout.sampled(np.append(begin + (end - begin) * self.lookout.nodes, end))

    def told(self) -> dict[str, Any]:
        """For the provenance."""
        found = self.watch.watcher.found
        return super().told() | {"events": {name: list(times) for name, times in found.items()}}
