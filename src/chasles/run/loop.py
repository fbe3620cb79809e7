"""The loop over time: a pace takes steps, events are looked for, an output keeps states."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from chasles.build.system.build import Setup
from chasles.build.system.signal_scan import SignalScan
from chasles.core.arrays import Floats
from chasles.core.state_block import (
    MISSED_ROW,
    MISSED_SINCE,
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    WIDEST_ROW,
    StateBlock,
)
from chasles.integrators.methods import Method
from chasles.model import ChaslesError, InvalidFile, InvalidOption, SimulationStopped
from chasles.notices import NoBar, is_shown, progress_bar
from chasles.result.provenance import Checkpoint
from chasles.run.control import Control
from chasles.run.events import Event
from chasles.run.grid_pace import GridPace
from chasles.run.impacts import EventWatch
from chasles.run.output import Output, Saved
from chasles.run.pace import Pace
from chasles.run.stepper import Stepper
from chasles.run.stops import as_stop
from chasles.run.time_grid import Grid

if TYPE_CHECKING:
    from chasles.run.recording import Recording

#: Seconds between two looks at the progress bar, and before it appears.
CHUNK_SECONDS, BAR_DELAY = 0.2, 1.5
#: What is counted is less: a number that may be counted on.
MOST_COUNTED = 2.0**53
#: Steps that are taken at once at first.
FIRST_PIECE = 64


class Run:
    """The states of one simulation as they come.

    pace    what takes the steps: of a grid, if left out
    watch   events that are looked for in every step
    record  the folder that states go to, if not into memory
    """

    def __init__(
        self,
        stepper: Stepper,
        grid: Grid,
        pace: Pace | None = None,
        *,
        watch: EventWatch | None = None,
        scan: SignalScan | None = None,
        control: Control | None = None,
        record: "Recording | None" = None,
    ) -> None:
        self.stepper, self.grid, self.scan, self.watch = stepper, grid, scan, watch
        self.control = control or Control(stepper)
        self.block = stepper.first_block()
        self.spare = np.zeros_like(self.block)
        self.index = grid.first  # steps taken, of a grid from its origin
        self.reached = grid.time(grid.first)  # s
        self.first = grid.first  # step before its own
        self.begun: Checkpoint | None = None  # of the run that goes on
        self.ended: Checkpoint | None = None
        self.ended_at = -1  # the step after which that is
        self.stopped: SimulationStopped | None = None
        self.interrupted = False
        self.is_over = False  # by an event, or given up
        self.is_unsure = False  # what happened in the last step is not known: a function failed
        self.ending = ""  # what ended it before its time, in words
        self.output = Output(self, record)
        self.pace = pace or GridPace()
        self.pace.run = self

    # --- the loop ---

    def states(self, progress: bool | None) -> Saved:
        """Take all steps, in pieces of a moment each, so that progress shows and Ctrl-C works."""
        self.begin()
        pace, size = self.pace, FIRST_PIECE
        with self.bar(progress) as bar:
            while self.goes_on and pace.is_ahead:
                began, first, done = time.perf_counter(), self.index, pace.progress[0]
                self.take(size)
                bar.update(pace.progress[0] - done)
                seconds = max(time.perf_counter() - began, 1e-6)
                size = int(max(1, self.index - first) * min(16.0, CHUNK_SECONDS / seconds))
                size = min(max(1, size), pace.largest)
        pace.end()
        if not self.is_over:
            self.checkpoint()  # before anybody tries what is not the run's
        return self.output.everything()

    def begin(self) -> None:
        """Keep the first state, and look for events there."""
        record = self.output.record
        if record is not None and record.head["rows"]:
            self.output.served, self.output.last = record.head["rows"], record.last_time()
        self.pace.begin()
        if self.watch is None:
            return
        if record is not None and record.begun and self.begun and self.begun.watched.size:
            self.watch.recall(self.begun, record.events())
            return
        if self.begun is not None:
            self.watch.recall_rebounds(self.begun)
        self.checkpoint()  # from which a run begins anew that this impact ends
        met = self.watch.begin(self.block, self.reached)
        if met is not None:
            try:
                self.meet(self.reached, met)
            except ChaslesError as failed:
                self.stopped, self.is_unsure = as_stop(failed), True
        self.ended_at = -1

    def take(self, most: int) -> None:
        """Some steps, so many at the most: one where events are looked for."""
        self.pace.take(most)
        if self.watch is not None:
            self.look_for_events(self.watch)
        self.pace.keep()
        record = self.output.record
        if record is not None and (record.is_due() or self.output.count >= record.window):
            self.output.write()

    def look_for_events(self, watch: EventWatch) -> None:
        """Events of the last step; the first that ends it moves the block back to it."""
        pace = self.pace
        if pace.span is None or self.stopped is not None:
            return
        try:
            between = pace.between(watch.thetas)
            stop = watch.search(*pace.span, between, pace.point, pace.at)
            if stop is not None:
                pace.go_back(stop[0])
                self.meet(*stop)
        except ChaslesError as failed:
            self.stopped, self.is_unsure = as_stop(failed), True

    def meet(self, t: float, event: Event) -> None:
        """End the run at an event, or go on from an impact."""
        assert self.watch is not None
        longest = self.watch.meet(self.block, t, event)
        self.is_over = bool(self.watch.ending)
        self.ending += self.watch.ending
        if not self.is_over:
            self.pace.resume(longest)

    @property
    def goes_on(self) -> bool:
        return not (self.interrupted or self.is_cut)

    @property
    def is_cut(self) -> bool:
        """Whether an error or an event ended it, within a step as a rule."""
        return self.stopped is not None or self.is_over

    def interrupt(self) -> None:
        """End after the piece of steps that is being made."""
        self.interrupted = True

    def ask(self) -> None:
        """Let the controller speak before a step."""
        try:
            if self.control.before(self.index, self.reached, self.block):
                self.pace.renew()
        except ChaslesError as error:
            self.stopped = as_stop(error)

    def bar(self, progress: bool | None) -> tqdm | NoBar:
        hidden = None if progress is None else not progress  # None: shown on a terminal only
        if not is_shown(hidden):
            return NoBar()
        _, total, unit = self.pace.progress
        return progress_bar(total=total, unit=unit, delay=0.0 if progress else BAR_DELAY)

    # --- where it stands ---

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on with the run in a record."""
        return self.output.record is not None and self.output.record.begun

    @property
    def steps_in_all(self) -> int:
        """Steps to the last state, with those of the run in the record that goes on."""
        return self.index - self.first + int(getattr(self.pace, "is_shortened", False))

    def continue_from(self, begin: Checkpoint) -> None:
        """Take the state, inputs and singular poses of a run that goes on."""
        if begin.block.shape != self.block.shape:
            raise InvalidOption(
                "start: the result was made by a method that keeps other numbers from step to"
                " step.",
                "Give the method= of its run, or begin at its last state: start=result.state(),"
                " which begins at t = 0.",
            )
        monitor = self.stepper.mechanism.monitor
        if (
            begin.inputs.shape != self.control.values.shape
            or len(begin.events) > len(monitor.events)
            or begin.counted.shape != (3,)
            or not self.fits_rows_and_times_of(begin)
        ):
            raise InvalidFile(
                "start: the checkpoint belongs to another model.",
                "Begin at its last state: start=result.state(), which begins at t = 0.",
            )
        self.begun, self.block[:] = begin, begin.block
        self.control.go_on(begin.inputs, begin.time)
        monitor.events[: len(begin.events)] = begin.events
        monitor.count[0] = len(begin.events)
        tally = getattr(self.stepper.scheme, "tally", None)
        if tally is not None and self.is_resumed:
            tally[:] = begin.counted

    def fits_rows_and_times_of(self, begin: Checkpoint) -> bool:
        """Whether what a file says was noted on the way is of this model, and before it stands."""
        count = self.stepper.solver.setup.system.row_count
        alarm = StateBlock(begin.block, self.stepper.layout).alarm()
        met, noted = begin.events[:, 1], alarm[[OPEN_ROW, MISSED_ROW, WIDEST_ROW]]
        since = alarm[[UNBALANCED_SINCE, OPEN_SINCE, MISSED_SINCE]]
        since = since[since != NEVER]
        return bool(
            np.all((begin.counted >= 0) & (begin.counted < MOST_COUNTED))
            and np.all((met >= 0) & (met < count))
            and np.all((noted >= 0) & (noted < max(1, count)))
            and np.all((since >= 0) & (since <= begin.time))
        )

    def checkpoint(self) -> Checkpoint:
        """Where the run stands, after a whole step; before the one in which an event ended it."""
        is_known = self.is_over or self.is_unsure or self.ended_at == self.index
        if self.ended is not None and is_known:
            return self.ended  # the block may have gone on by a shorter step
        monitor = self.stepper.mechanism.monitor
        counted = np.zeros(3)
        for k, number in enumerate(self.pace.counted().values()):
            counted[k] = number
        self.ended_at = self.index
        self.ended = Checkpoint(
            self.pace.present().copy(), *self.pace.place(), self.control.values.copy(),
            monitor.events[: monitor.count[0]].copy(), counted, self.pace.memory(),
            np.zeros(0) if self.watch is None else self.watch.memory(),
        )  # fmt: skip
        return self.ended

    def details(self) -> dict[str, Any]:
        """What the provenance has beyond the rest."""
        details = self.pace.details()
        if self.watch is not None:
            details |= {"events": {name: list(times) for name, times in self.watch.found.items()}}
            if self.watch.bouncer is not None:
                details |= {"impacts": sorted({end.name for end in self.watch.bouncer.ends})}
        return details


@dataclass(frozen=True)
class Ended:
    """A run that has ended, as checks see it: `block` is a copy of where it did."""

    run: Run
    method: Method
    block: Floats
    saved: Saved
    said: list[str] = field(default_factory=list)  # by the checks before

    @property
    def setup(self) -> Setup:
        return self.run.stepper.solver.setup
