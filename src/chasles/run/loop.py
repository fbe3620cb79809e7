"""The only time loop: steps in pieces, saving, progress, and why a run stopped."""

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from tqdm import tqdm

from chasles.core.arrays import Floats
from chasles.core.outcomes import NEWTON_FAILED, OK
from chasles.model import ChaslesError, InvalidFile, InvalidOption, SimulationStopped
from chasles.result.checkpoint import Checkpoint
from chasles.run.control import Control
from chasles.run.stepper import Stepper
from chasles.run.stops import explained
from chasles.run.time_grid import NEVER, Grid, make_grid, whole_and_rest
from chasles.stderr import NoBar, is_shown, progress_bar
from chasles.system.lookout import Lookout
from chasles.system.signals import Inputs

__all__ = ["MEMORY_LIMIT", "NEVER", "Grid", "Record", "Run", "Saved", "make_grid"]

#: Seconds between two looks at the progress bar, and before it appears.
CHUNK_SECONDS, BAR_DELAY = 0.2, 1.5
#: What runs count of their steps.
COUNTED = ("evaluations", "iterations", "factorisations")
#: Into how many parts a step is divided at the most whose iteration does not converge: by 2 us
#: of 2 ms the contact of a foot of 0.1 kg and 10^7 N/m is resolved.
PARTS = 1024
#: So many steps may be divided, and a quarter of all; the first one may not.
SOME = 16
#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30


@dataclass(frozen=True)
class Saved:
    """What a run keeps: times (T,), absolute states (T, n, 18), integrals (T, quadratures), joint
    coordinates (T, coordinates) where they are what was integrated, and multipliers (T, rows) where
    the method has its own.
    """

    times: Floats
    absolute: Floats
    integrals: Floats
    coordinates: Floats | None = None
    multipliers: Floats | None = None


class Record(Protocol):
    """Where states go on the way, if not into memory."""

    #: states that are gathered before they are written
    window: int
    #: whether the state at which the run begins is in it already
    begun: bool

    def is_due(self) -> bool: ...

    def append(self, saved: Saved, reached: Checkpoint, off_grid: bool = False) -> None: ...

    def everything(self) -> Saved: ...

    def inputs(self) -> Inputs | None: ...


class Run:
    """The states of one simulation as they come."""

    #: whether its result holds what it takes to go on
    can_go_on = True

    def __init__(
        self,
        stepper: Stepper,
        grid: Grid,
        lookout: Lookout | None = None,
        control: Control | None = None,
        begin: Checkpoint | None = None,
        record: Record | None = None,
    ) -> None:
        self.stepper, self.grid, self.lookout = stepper, grid, lookout
        self.control = control or Control(stepper)
        self.record = record
        self.block = stepper.first_block()
        if begin is not None:
            self.go_on_from(begin)
        self.spare = np.zeros_like(self.block)
        self.index = grid.first  # whole steps from the origin of the grid
        self.reached = grid.time(grid.first)  # the time of the block, s
        self.ended: Checkpoint | None = None
        self.stopped: SimulationStopped | None = None
        self.interrupted = False
        self.ending = ""  # what ended it before its time, in words
        self.divided, self.shortest = 0, grid.step  # steps that were, and their shortest part, s
        self.points = np.zeros((1, 1))  # the state after step k is in row k // save_every
        self.first_row = 0  # ... less this
        self.written = 0  # rows of them that need not be written
        self.shortened = False  # whether the last state is after a shorter step
        self.side_steps = 0  # steps of other lengths, to times between those of the grid

    @property
    def steps_in_all(self) -> int:
        """Steps to the last state, with those of the run in the record that goes on."""
        first = 0 if self.is_resumed else self.grid.first
        return self.index - first + int(self.shortened)

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on with the run in a record."""
        return self.record is not None and self.record.begun

    def counted(self) -> dict[str, int]:
        """What the steps took: evaluations, iterations and factorisations (see `core.tally`).

        A scheme that does not count solves for the equations of motion at every one of its stages.
        """
        tally = getattr(self.stepper.scheme, "tally", None)
        if tally is None:
            stages = getattr(self.stepper.scheme, "count", 0)
            # A tuple without this field has a method of that name.
            steps = self.steps_in_all - int(self.shortened) + self.side_steps
            tally = np.array([0 if callable(stages) else int(stages) * steps, 0, 0])
        return {name: int(number) for name, number in zip(COUNTED, tally)}

    def go_on_from(self, begin: Checkpoint) -> None:
        """Take the state, inputs and singular poses of a run that goes on."""
        if begin.block.shape != self.block.shape:
            raise InvalidOption(
                "start: the result was made by a method that keeps other numbers from step to"
                " step.",
                "Give the method= of its run, or begin at its last state: start=result.state(),"
                " which begins at t = 0.",
            )
        watch, rows = self.stepper.mechanism.watch, begin.events[:, 1]
        known = np.all((rows >= 0) & (rows < self.stepper.solver.setup.system.row_count))
        if (
            begin.inputs.shape != self.control.values.shape
            or len(begin.events) > len(watch.events)
            or begin.counted.shape != (3,)
            or not known
        ):
            raise InvalidFile(
                "start: where the run stands is told of another model than its own.",
                "Begin at its last state: start=result.state(), which begins at t = 0.",
            )
        self.block[:] = begin.block
        self.control.values[:] = begin.inputs
        self.control.note(begin.time)
        watch.events[: len(begin.events)] = begin.events
        watch.count[0] = len(begin.events)
        tally = getattr(self.stepper.scheme, "tally", None)
        if tally is not None and self.is_resumed:
            tally[:] = begin.counted

    def interrupt(self) -> None:
        """End after the piece of steps that is being made."""
        self.interrupted = True

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        grid, kept, record = self.grid, self.stepper.layout.kept, self.record
        self.first_row = self.index // grid.save_every
        rows = grid.steps // grid.save_every - self.first_row + 2
        self.points = np.zeros((rows if record is None else min(rows, record.window), kept))
        self.points[0] = self.block[:kept]
        self.written = int(record is not None and record.begun)
        with self.bar(progress) as bar:
            self.whole_steps(grid.steps, bar, grid.save_every)
        ended = self.checkpoint()
        times, points = self.rows()
        end = self.reached = grid.time(self.index)
        if self.goes_on and grid.rest > 0.0 and self.side_step(self.block, grid.rest, end):
            self.reached, self.shortened = grid.until, True
            end = self.reached
        is_last = end == (times[-1] if len(times) else grid.time(self.on_rows()))
        if record is None:
            if not is_last:
                times, points = np.append(times, end), self.points[: len(times) + 1]
                points[-1] = self.block[:kept]
            return self.saved(times, points)
        record.append(self.saved(times, points), ended)
        if not is_last:
            last = self.saved(np.array([end]), self.block[None, :kept])
            record.append(last, ended, off_grid=True)
        return record.everything()

    def on_rows(self) -> int:
        """The last step whose state has a row."""
        return self.index // self.grid.save_every * self.grid.save_every

    def rows(self) -> tuple[Floats, Floats]:
        """Times and points of the rows that are to be written."""
        grid = self.grid
        count = self.index // grid.save_every - self.first_row + 1
        slots = self.first_row + np.arange(count, dtype=np.float64)
        times = grid.origin + grid.step * (grid.save_every * slots)
        if count and self.first_row == grid.first // grid.save_every:  # where the run began
            times[0] = grid.time(grid.first)
        return times[self.written :], self.points[self.written : count]

    def write_rows(self) -> None:
        """Hand the rows of the window on, and begin it anew."""
        assert self.record is not None
        self.record.append(self.saved(*self.rows()), self.checkpoint())
        self.first_row, self.written = self.index // self.grid.save_every + 1, 0

    def checkpoint(self) -> Checkpoint:
        """Where the run stands, after a whole step."""
        if self.ended is not None and self.ended.index == self.index:
            return self.ended  # the block may have gone on by a shorter step
        watch, grid = self.stepper.mechanism.watch, self.grid
        self.ended = Checkpoint(
            self.block.copy(), grid.origin, grid.step, self.index, self.control.values.copy(),
            watch.events[: watch.count[0]].copy(), np.array([*self.counted().values()], float),
        )  # fmt: skip
        return self.ended

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times, each by one shorter step from the grid."""
        grid, kept = self.grid, self.stepper.layout.kept
        points, times = np.zeros((len(wanted) + 1, kept)), np.append(wanted, 0.0)
        count = 0
        with self.bar(progress) as bar:
            for t in wanted:
                whole, rest = whole_and_rest(t - grid.origin, grid.step)
                self.whole_steps(whole, bar, NEVER)
                if not self.goes_on:
                    break
                aside = self.block.copy()
                if rest > 0.0:  # the block stays that of the grid
                    self.side_step(aside, rest, grid.time(whole))
                if self.stopped:
                    break
                self.shortened = rest > 0.0
                points[count] = aside[:kept]
                count += 1
        self.checkpoint()
        self.reached = last = grid.time(self.index)
        if not self.goes_on and (count == 0 or last > times[count - 1]):
            points[count], times[count] = self.block[:kept], last
            count += 1
        return self.saved(times[:count], points[:count])

    @property
    def goes_on(self) -> bool:
        return self.stopped is None and not self.interrupted

    @property
    def typical_step(self) -> float:
        """The length of a step, s."""
        return self.grid.step

    def look(self, block: Floats) -> None:
        """Look at gaps and the energy balance of the block where the run ended, or stopped."""
        self.stepper.look(block, self.reached)

    def told(self) -> dict[str, Any]:
        """What the provenance has beyond the rest."""
        return {"divided_steps": self.divided} if self.divided else {}

    def saved(self, times: Floats, points: Floats) -> Saved:
        layout = self.stepper.layout
        if not len(points):
            one = self.saved(np.zeros(1), self.block[None])
            nowhere = None if one.coordinates is None else one.coordinates[:0]
            nothing = None if one.multipliers is None else one.multipliers[:0]
            return Saved(times, one.absolute[:0], one.integrals[:0], nowhere, nothing)
        places = points[:, : layout.integrals]
        absolute, coordinates = self.stepper.absolute(places), self.stepper.coordinates(places)
        integrals = points[:, layout.integrals : layout.supply].copy()
        multipliers = None
        if layout.kept > layout.multipliers:
            multipliers = points[:, layout.multipliers : layout.kept].copy()
        return Saved(times, absolute, integrals, coordinates, multipliers)

    def whole_steps(self, last: int, bar: tqdm | NoBar, every: int) -> None:
        """Steps of the grid, in pieces that take a moment each: progress shows, Ctrl-C works.

        What a step does depends on its index alone, never on the pieces.
        """
        size = 64
        while self.index < last and self.goes_on:
            first, began = self.index, time.perf_counter()
            if self.record is not None and self.record.is_due():
                self.write_rows()
            end = self.piece(first, min(last, first + size), every)
            if self.stopped:
                return
            if end <= first:
                self.write_rows()
                continue
            grid = (self.grid.origin, self.grid.step, first, end, self.grid.steps)
            self.index, outcome = self.stepper.advance(
                self.block, self.spare, grid, every, 1, self.points, self.first_row
            )
            seconds = time.perf_counter() - began
            bar.update(self.index - first)
            if outcome != OK and not self.take_in_parts(outcome, every):
                self.stopped = self.explain(self.grid.time(self.index), outcome)
            size = max(1, int((self.index - first) * min(16.0, CHUNK_SECONDS / max(seconds, 1e-6))))

    def take_in_parts(self, outcome: int, every: int) -> bool:
        """Take a step whose Newton iteration did not converge in parts; whether that has led to its
        end.
        """
        t, step = self.grid.time(self.index), self.grid.step
        shortest = self.in_parts(outcome, self.block, t, step)
        if shortest is None:
            return False
        self.index += 1
        self.note_division(shortest)
        if self.index % every == 0:
            slot = self.index // every - self.first_row
            self.points[slot] = self.block[: self.points.shape[1]]
        return True

    def in_parts(self, outcome: int, block: Floats, t: float, step: float) -> float | None:
        """A step from t, in place, in halves, quarters, ... of it, as long as they may be: how long
        the shortest is, s; None where that does not lead to its end, or it may not be divided.
        """
        taken = self.index - self.grid.first
        if outcome != NEWTON_FAILED or taken == 0 or self.divided > SOME + taken // 4:
            return None  # of what is too long at every step, the user should know
        unit, done, length, shortest = step / PARTS, 0, PARTS // 2, PARTS
        begun, before = block.copy(), block.copy()
        while done < PARTS:
            begin = t + unit * done
            if self.lookout is not None:
                self.lookout.sampled(begin + unit * length * self.lookout.nodes)
            grid = (begin, unit * length, 0, 1, 1)
            _, found = self.stepper.advance(block, self.spare, grid, NEVER, 0, np.zeros((1, 1)))
            if found == OK:
                before[:] = block
                done, shortest = done + length, min(shortest, length)
                length *= 2 if done % (2 * length) == 0 and length < PARTS // 2 else 1
            elif length == 1:
                block[:] = begun
                return None
            else:
                block[:], length = before, length // 2
        return unit * shortest

    def note_division(self, shortest: float) -> None:
        """Count a step that was divided, and say so."""
        self.divided, self.shortest = self.divided + 1, min(self.shortest, shortest)
        self.ending = (
            f", {self.divided} of them in parts of {self.shortest:.2g} s or more, where Newton's"
            " iteration did not converge otherwise"
        )

    def piece(self, first: int, end: int, every: int) -> int:
        """How far steps may go at once: to the end of the rows, the next sample, or a trouble.

        Asks the controller, if it is due.
        """
        if every != NEVER:
            end = min(end, (self.first_row + len(self.points)) * every - 1)
        end = self.control.until(first, end)
        if end <= first:
            return end
        end = self.until_trouble(first, end)
        if not self.stopped:
            self.ask(first, self.block)
        return end

    def ask(self, index: int, block: Floats) -> None:
        """Let the controller speak before a step."""
        try:
            self.control.before(index, self.grid.time(index), block)
        except ChaslesError as error:
            self.stopped = SimulationStopped(error.what, error.remedy)

    def until_trouble(self, first: int, end: int) -> int:
        """The first of some steps at which a function of time fails, or their end."""
        trouble = None if self.lookout is None else self.lookout.trouble(first, end)
        if trouble is None:
            return end
        if trouble[0] <= first:
            self.stopped = SimulationStopped(trouble[1].what, trouble[1].remedy)
        return trouble[0]

    def side_step(self, block: Floats, step: float, t: float) -> bool:
        """One step of another length from the grid, in place; whether it succeeded."""
        self.ask(self.index, block)
        if self.stopped:
            return False
        if self.lookout is not None:
            try:
                self.lookout.sampled(np.append(t + step * self.lookout.nodes, t + step))
            except ChaslesError as error:
                self.stopped = SimulationStopped(error.what, error.remedy)
                return False
        nowhere = np.zeros((1, 1))
        grid = (t, step, 0, 1, 1)
        _, outcome = self.stepper.advance(block, self.spare, grid, NEVER, 0, nowhere)
        self.side_steps += 1
        if outcome != OK and self.in_parts(outcome, block, t, step) is None:
            self.stopped = self.explain(t, outcome)
        return self.stopped is None

    def bar(self, progress: bool | None) -> tqdm | NoBar:
        hidden = None if progress is None else not progress  # None: shown on a terminal only
        delay = 0.0 if progress else BAR_DELAY
        if not is_shown(hidden):
            return NoBar()
        return progress_bar(total=self.grid.steps - self.grid.first, unit="step", delay=delay)

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why the step after t failed, in words that name a body, a joint or a force."""
        return explained(self.stepper, self.block, self.spare, t, self.grid.step, outcome)
