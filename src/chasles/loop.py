"""The only time loop: steps in pieces, saving, progress, and why a run stopped."""

import time
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from tqdm import tqdm

from chasles.core.arrays import Floats
from chasles.core.outcomes import OK
from chasles.model import ChaslesError, InvalidOption, SimulationStopped
from chasles.model.checks import checked_array, checked_positive
from chasles.model.errors import told
from chasles.stderr import NoBar, is_shown, progress_bar
from chasles.stepper import Stepper
from chasles.stops import explained
from chasles.system.lookout import Lookout
from chasles.tolerances import Tolerances

#: A step count this close to a whole number, relatively, is one: rounding of a quotient.
ROUND_STEPS = 4.0 * float(np.finfo(float).eps)
#: Seconds between two looks at the progress bar, and before it appears.
CHUNK_SECONDS, BAR_DELAY = 0.2, 1.5
#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30
#: save_every of a run whose states are not kept.
NEVER = 2**62
#: At a microsecond a step, a million steps are a second and these are thirty years.
MOST_STEPS = 1e15
#: So many steps are expected of a run that chooses them, where a length is to be told beforehand.
TYPICAL_STEPS = 1000


@dataclass(frozen=True)
class Grid:
    """The steps of a run: `steps` whole ones, then `rest` seconds to reach `until`."""

    until: float
    step: float
    steps: int
    rest: float
    save_every: int
    t_eval: Floats | None


def make_grid(
    until: Any, step: Any, save_every: Any, t_eval: Any, tolerances: Tolerances | None = None,
    events: Any = (),
) -> Grid:  # fmt: skip
    """Check the options of a run."""
    if step is None and tolerances is None:
        raise InvalidOption(
            "simulate: step was left out.",
            "Give it in seconds: step=1e-3; or a tolerance, rtol=1e-6, with method='dopri5'.",
        )
    if events and tolerances is None:
        raise InvalidOption(
            "simulate: events were given with a step.",
            "Give tolerances instead of the step: rtol=1e-8 with method='dopri5'.",
        )
    until = checked_positive(until, "until", "s", "simulate", InvalidOption)
    if tolerances is not None:  # nothing is known of the steps: such as one may expect
        step = min(tolerances.max_step, until / TYPICAL_STEPS)
    step = checked_positive(step, "step", "s", "simulate", InvalidOption)
    whole = isinstance(save_every, int | np.integer) and not isinstance(save_every, bool)
    if not whole or save_every < 1:
        raise InvalidOption(
            f"simulate: save_every must be a whole number of steps, got {told(save_every)}.",
            "Give a whole number, 1 or more.",
        )
    if not until / step < MOST_STEPS:
        raise InvalidOption(
            f"simulate: step is {step:g} s, which makes {until / step:.1g} steps to {until:g} s.",
            f"Take a step longer than {until / MOST_STEPS:.1g} s.",
        )
    steps, rest = whole_and_rest(until, step)
    every = min(int(save_every), NEVER)
    times = None if t_eval is None else checked_times(t_eval, until)
    return Grid(until, step, steps, rest, every, times)


def checked_times(t_eval: Any, until: float) -> Floats:
    times = np.atleast_1d(checked_array(t_eval, "t_eval", "simulate", InvalidOption))
    ordered = times.ndim == 1 and times.size > 0 and np.all(np.diff(times) > 0)
    if not ordered or not (times[0] >= 0.0 and times[-1] <= until * (1 + ROUND_STEPS)):
        raise InvalidOption(
            f"simulate: t_eval must be an increasing list of times in [0, {until:g}], got"
            f" {told(t_eval)}.",
            "Sort the times and leave out those after `until`.",
        )
    return times


@dataclass(frozen=True)
class Saved:
    """What a run keeps: times (T,), absolute states (T, n, 18), integrals (T, quadratures), and
    joint coordinates (T, coordinates) where they are what was integrated.
    """

    times: Floats
    absolute: Floats
    integrals: Floats
    coordinates: Floats | None = None


class Run:
    """The states of one simulation as they come."""

    def __init__(self, stepper: Stepper, grid: Grid, lookout: Lookout | None = None) -> None:
        self.stepper, self.grid, self.lookout = stepper, grid, lookout
        self.block = stepper.first_block()
        self.spare = np.zeros_like(self.block)
        self.steps_done = 0
        self.reached = 0.0  # the time of the block, s
        self.stopped: SimulationStopped | None = None
        self.interrupted = False
        self.ending = ""  # what ended it before its time, in words

    def interrupt(self) -> None:
        """End after the piece of steps that is being made."""
        self.interrupted = True

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        grid, kept = self.grid, self.stepper.layout.kept
        points = np.zeros((grid.steps // grid.save_every + 2, kept))
        points[0] = self.block[:kept]
        with self.bar(progress) as bar:
            self.whole_steps(0, grid.steps, bar, grid.save_every, points)
        count = self.steps_done // grid.save_every + 1
        times = grid.step * (grid.save_every * np.arange(count + 1, dtype=np.float64))
        end = self.steps_done * grid.step
        if self.goes_on and grid.rest > 0.0 and self.side_step(self.block, grid.rest, end):
            end = grid.until
        self.reached = end
        if end > times[count - 1]:
            points[count], times[count] = self.block[:kept], end
            count += 1
        return self.saved(times[:count], points[:count])

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times, each by one shorter step from the grid."""
        grid, kept = self.grid, self.stepper.layout.kept
        points, times = np.zeros((len(wanted) + 1, kept)), np.append(wanted, 0.0)
        count, index = 0, 0
        with self.bar(progress) as bar:
            for t in wanted:
                whole, rest = whole_and_rest(t, grid.step)
                self.whole_steps(index, whole, bar, NEVER, points)
                if not self.goes_on:
                    break
                index, aside = whole, self.block.copy()
                if rest > 0.0:  # the block stays that of the grid
                    self.side_step(aside, rest, whole * grid.step)
                if self.stopped:
                    break
                points[count] = aside[:kept]
                count += 1
        self.reached = last = grid.step * self.steps_done
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

    def look(self) -> None:
        """Look at gaps and the energy balance where the run ended."""
        self.stepper.look(self.block, self.reached)

    def told(self) -> dict[str, Any]:
        """What the provenance has beyond the rest."""
        return {}

    def saved(self, times: Floats, points: Floats) -> Saved:
        layout = self.stepper.layout
        places = points[:, : layout.integrals]
        absolute, coordinates = self.stepper.absolute(places), self.stepper.coordinates(places)
        integrals = points[:, layout.integrals : layout.supply].copy()
        return Saved(times, absolute, integrals, coordinates)

    def whole_steps(
        self, first: int, last: int, bar: tqdm | NoBar, every: int, points: Floats
    ) -> None:
        """Steps of the grid, in pieces that take a moment each: progress shows, Ctrl-C works.

        What a step does depends on its index alone, never on the pieces.
        """
        size = 64
        while first < last and self.goes_on:
            end, began = self.until_trouble(first, min(last, first + size)), time.perf_counter()
            if self.stopped:
                return
            grid = (0.0, self.grid.step, first, end, self.grid.steps)
            reached, outcome = self.stepper.advance(self.block, self.spare, grid, every, 1, points)
            seconds = time.perf_counter() - began
            self.steps_done += reached - first
            bar.update(reached - first)
            if outcome != OK:
                self.stopped = self.explain(reached * self.grid.step, outcome)
            first = end
            size = max(1, int(size * min(16.0, CHUNK_SECONDS / max(seconds, 1e-6))))

    def until_trouble(self, first: int, end: int) -> int:
        """The first of some steps at which a function of time fails, or their end."""
        trouble = None if self.lookout is None else self.lookout.trouble(first, end)
        if trouble is None:
            return end
        if trouble[0] <= first:
            self.stopped = SimulationStopped(trouble[1].what, trouble[1].remedy)
        return trouble[0]

    def side_step(self, block: Floats, step: float, t: float) -> bool:
        """One step of another length, in place; whether it succeeded."""
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
        if outcome != OK:
            self.stopped = self.explain(t, outcome)
        return self.stopped is None

    def bar(self, progress: bool | None) -> tqdm | NoBar:
        hidden = None if progress is None else not progress  # None: shown on a terminal only
        delay = 0.0 if progress else BAR_DELAY
        if not is_shown(hidden):
            return NoBar()
        return progress_bar(total=self.grid.steps, unit="step", delay=delay)

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why the step after t failed, in words that name a body, a joint or a force."""
        return explained(self.stepper, self.block, self.spare, t, self.grid.step, outcome)


def whole_and_rest(t: float, step: float) -> tuple[int, float]:
    """t as whole steps and the seconds left over, 0 where t is a whole number of steps."""
    ratio = t / step
    if abs(ratio - round(ratio)) <= ROUND_STEPS * max(1.0, ratio):
        return round(ratio), 0.0
    whole = floor(ratio)
    return whole, t - whole * step
