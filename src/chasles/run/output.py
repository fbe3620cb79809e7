"""Which states a run keeps, every so many steps or at given times; in memory or in a folder."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chasles.core.arrays import Floats

if TYPE_CHECKING:
    from chasles.run.loop import Run
    from chasles.run.recording import Recording

#: States that there is room for at first where nobody knows how many there will be.
ROOM = 256


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


class Output:
    """The states of a run as they come.

    Steps of a grid go to `rows`: the state after step k to row k // every - first_row, which
    kernels fill.  Others come one by one or in pieces, with their times.
    """

    def __init__(self, run: "Run", record: "Recording | None") -> None:
        grid = run.grid
        self.run, self.record = run, record
        self.every = grid.save_every
        # of the last one, rounding may be beyond the end
        self.wanted = None if grid.t_eval is None else np.minimum(grid.t_eval, grid.until)
        self.kept = run.stepper.layout.kept
        self.times: list[Floats] = []
        self.points: list[Floats] = []
        self.count = 0  # states in these lists
        self.served = 0  # of the times that are wanted
        self.last: float | None = None  # time of the last state of all
        self.rows = np.zeros((0, self.kept))
        self.first_row = self.written = 0  # `written` rows need not be written

    # --- states one by one ---

    def put(self, t: float, point: Floats) -> None:
        self.extend(np.array([t]), point[None, : self.kept].copy())

    def extend(self, times: Floats, points: Floats) -> None:
        """Some more states, which are not copied."""
        if len(times):
            self.times.append(times)
            self.points.append(points)
            self.count += len(times)
            self.last = float(times[-1])

    def hand_on(self) -> None:
        """States that came one by one go to the record, if that is due."""
        record = self.record
        if record is None or len(self.rows):
            return
        if record.is_due() or self.count >= record.window:
            self.write()

    # --- rows of a grid ---

    def begin_rows(self) -> None:
        """Room for the states of a grid, the first of which is that of the block."""
        grid, record = self.run.grid, self.record
        self.first_row = grid.first // self.every
        count = grid.steps // self.every - self.first_row + 2 if grid.until < np.inf else ROOM
        self.rows = np.zeros((count if record is None else min(count, record.window), self.kept))
        self.rows[0] = self.run.block[: self.kept]
        self.written = int(record is not None and record.begun)

    def until(self, first: int, end: int) -> int:
        """How far steps may go at once; rows that are due are written, or there is more room."""
        if self.record is not None and self.record.is_due():
            self.write()
        if end // self.every < self.first_row + len(self.rows):
            return end
        if self.record is None:
            grown = np.zeros((max(end // self.every - self.first_row + 1, 2 * len(self.rows)),
                              self.kept))  # fmt: skip
            grown[: len(self.rows)] = self.rows
            self.rows = grown
            return end
        if first >= (self.first_row + len(self.rows)) * self.every - 1:
            self.write()
        return min(end, (self.first_row + len(self.rows)) * self.every - 1)

    def put_row(self) -> None:
        """The block goes to its row, if it has one."""
        index = self.run.index
        if index % self.every == 0:
            self.rows[index // self.every - self.first_row] = self.run.block[: self.kept]

    def filled(self) -> tuple[Floats, Floats]:
        """Times and points of the rows that are to be written."""
        grid = self.run.grid
        count = self.run.index // self.every - self.first_row + 1 if len(self.rows) else 0
        slots = self.first_row + np.arange(count, dtype=np.float64)
        times = grid.origin + grid.step * (self.every * slots)
        if count and self.first_row == grid.first // self.every:  # where the run began
            times[0] = grid.time(grid.first)
        return times[self.written :], self.rows[self.written : count]

    def write(self) -> None:
        """Hand the states on to the record, and begin anew."""
        assert self.record is not None
        self.record.append(self.saved(*self.waiting()), self.run.checkpoint())
        self.first_row, self.written = self.run.index // self.every + 1, 0
        self.times, self.points, self.count = [], [], 0

    def waiting(self) -> tuple[Floats, Floats]:
        """Times and points of the states that no record has."""
        return self.filled() if len(self.rows) else self.gathered()

    # --- all of them ---

    def everything(self) -> Saved:
        """All states, the last of which is that of the block if it is to be kept."""
        run, is_kept = self.run, self.wanted is None or not self.run.goes_on
        if self.record is not None:
            self.write()
            if is_kept and run.reached > self.record.last_time():
                last = self.saved(np.array([run.reached]), run.block[None, : self.kept])
                self.record.append(last, run.checkpoint(), off_grid=True)
            return self.record.everything()
        times, points = self.waiting()
        if is_kept and not (len(times) and run.reached <= times[-1]):
            times = np.append(times, run.reached)
            points = np.concatenate((points, run.pace.point[None, : self.kept]))
        return self.saved(times, points)

    def gathered(self) -> tuple[Floats, Floats]:
        """Times and points that came one by one, or in pieces."""
        if not self.times:
            return np.zeros(0), np.zeros((0, self.kept))
        return np.concatenate(self.times), np.concatenate(self.points)

    def saved(self, times: Floats, points: Floats) -> Saved:
        """What is kept of points."""
        stepper, layout = self.run.stepper, self.run.stepper.layout
        places = points[:, : layout.integrals]
        absolute, coordinates = stepper.absolute(places), stepper.coordinates(places)
        integrals = points[:, layout.integrals : layout.supply].copy()
        multipliers = None
        if layout.kept > layout.multipliers:
            multipliers = points[:, layout.multipliers : layout.kept].copy()
        return Saved(times, absolute, integrals, coordinates, multipliers)
