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
    """The states of a run as they come: `count` of them, with their times, that no record has."""

    def __init__(self, run: "Run", record: "Recording | None") -> None:
        grid = run.grid
        self.run, self.record = run, record
        self.every = grid.save_every
        # of the last one, rounding may be beyond the end
        self.wanted = None if grid.t_eval is None else np.minimum(grid.t_eval, grid.until)
        self.kept = run.stepper.layout.kept
        self.count, room = 0, ROOM
        if record is None and self.wanted is None and grid.until < np.inf:
            room = grid.steps // self.every - grid.first // self.every + 2
        self.times, self.points = np.zeros(room), np.zeros((room, self.kept))
        self.served = 0  # of the times that are wanted
        self.last: float | None = None  # time of the last state of all
        self.first_row = -1  # of a grid: not known yet, or kernels fill no rows

    # --- states as they come ---

    def make_room(self, more: int) -> None:
        """Room for so many more states."""
        size = self.count + more
        if size > len(self.times):
            size = max(size, 2 * self.count)
            times, points = np.zeros(size), np.zeros((size, self.kept))
            times[: self.count] = self.times[: self.count]
            points[: self.count] = self.points[: self.count]
            self.times, self.points = times, points

    def put(self, t: float, point: Floats) -> None:
        self.make_room(1)
        self.times[self.count], self.points[self.count] = t, point[: self.kept]
        self.count, self.last = self.count + 1, t

    def extend(self, times: Floats, points: Floats) -> None:
        """Some more states."""
        if len(times):
            self.make_room(len(times))
            new = slice(self.count, self.count + len(times))
            self.times[new], self.points[new] = times, points
            self.count, self.last = new.stop, float(times[-1])

    # --- states of a grid: kernels fill the rows of `points` ---

    def until(self, first: int, end: int) -> int:
        """How far steps may go at once, whose states have room then: that after step k is for row
        k // every - first_row.
        """
        begin, last = first // self.every, end // self.every
        if self.record is not None and last - begin > self.record.window - self.count:
            last = begin + self.record.window - self.count
            end = (last + 1) * self.every - 1
        if self.count + last - begin > len(self.times):
            self.make_room(last - begin)
        self.first_row = begin + 1 - self.count
        return end

    def note(self) -> None:
        """Kernels have saved the states up to the present step."""
        self.count = self.run.index // self.every + 1 - self.first_row

    def waiting(self) -> tuple[Floats, Floats]:
        """Times and points of the states that no record has."""
        grid, count, times = self.run.grid, self.count, self.times[: self.count].copy()
        if self.first_row >= 0 and count:
            is_first = int(self.first_row == grid.first // self.every)  # where the run began
            slots = np.arange(self.first_row + is_first, self.first_row + count, dtype=np.float64)
            times[is_first:] = grid.origin + grid.step * (self.every * slots)
        return times, self.points[:count]

    def write(self) -> None:
        """Hand the states on to the record, and begin anew."""
        assert self.record is not None
        self.record.append(self.saved(*self.waiting()), self.run)
        self.count = 0

    # --- all of them ---

    def everything(self) -> Saved:
        """All states, the last of which is that of the block if it is to be kept."""
        run, is_kept = self.run, self.wanted is None or not self.run.goes_on
        if self.record is not None:
            self.write()
            if is_kept and run.reached > self.record.last_time():
                last = self.saved(np.array([run.reached]), run.block[None, : self.kept])
                self.record.append(last, run, off_grid=True)
            return self.record.everything()
        count, times = self.count, self.waiting()[0]
        if is_kept and not (count and run.reached <= times[-1]):  # the next state takes its place
            self.make_room(1)
            self.points[count] = run.pace.point[: self.kept]
            times = np.append(times, run.reached)
        return self.saved(times, self.points[: len(times)])

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
