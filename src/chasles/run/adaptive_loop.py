"""The time loop of a run that chooses its steps: pieces, saving, events, and why it stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from chasles.core.arrays import Floats, lend
from chasles.core.outcomes import OK
from chasles.core.retraction import slope_length
from chasles.core.stabilisation.record import UNSTABILISED
from chasles.integrators import adaptive
from chasles.integrators.adaptive import adapt, leap, make_embedded
from chasles.integrators.measure import body_sizes, make_measure
from chasles.integrators.methods import Method
from chasles.model import ChaslesError, SimulationStopped
from chasles.run.events import Event, Watcher
from chasles.run.loop import BAR_DELAY, CHUNK_SECONDS, Grid, Run, Saved
from chasles.run.stepper import Stepper
from chasles.run.stops import explained, failed_formula
from chasles.run.tolerances import COLLAPSED, Tolerances
from chasles.run.watching import Watch, as_stop
from chasles.stderr import NoBar, is_shown, progress_bar
from chasles.system.build import Setup
from chasles.system.lookout import Lookout
from chasles.system.sizes import gyration_radii
from chasles.system.step_bounds import UNBOUNDED, StepBounds

#: Steps attempted in a call, at first and at the most.
FIRST_PIECE, LARGEST_PIECE = 64, 8192
#: Steps attempted before somebody may glance at the run, and end it: a twentieth of a second.
GLANCE_AT = 4096
#: Into how many pieces of time a run is cut to look through functions of time.
GLANCES = 4096
#: No states, times or fractions.
NONE = np.zeros(0)


def look_through(setup: Setup, until: float) -> Lookout | None:
    """Looks through the functions of time, if the model has any; steps are not known yet."""
    if not setup.signals.samplers:
        return None
    return Lookout(setup.signals, until / GLANCES, np.zeros(1), GLANCES)


@dataclass
class Piece:
    """States as they are kept, piece by piece."""

    times: list[Floats]
    points: list[Floats]


class AdaptiveRun(Run):
    """The states of one simulation as they come."""

    can_go_on = False

    def __init__(
        self, stepper: Stepper, grid: Grid, tolerances: Tolerances, method: Method,
        lookout: Lookout | None = None, watcher: Watcher | None = None,
        bounds: StepBounds = UNBOUNDED,
    ) -> None:  # fmt: skip
        super().__init__(stepper, grid, lookout)
        self.tolerances, self.watcher, self.bounds = tolerances, watcher, bounds
        assert method.pair is not None
        mechanism = stepper.mechanism
        system, layout = mechanism.system, mechanism.layout
        measure = make_measure(mechanism, body_sizes(system, gyration_radii(system)))
        embedded = make_embedded(method.pair(), measure, layout.kept, slope_length(mechanism))
        self.embedded = embedded._replace(
            point=stepper.scheme.point
        )  # where failures are told from
        self.lent = lend(mechanism), lend(stepper.scratch), lend(self.embedded)
        self.aside = np.zeros_like(self.block)
        self.until = grid.until
        self.trouble = self.trouble_ahead()
        self.pace = np.zeros(adaptive.CONTROL_WIDTH)
        self.pace[adaptive.STEP] = tolerances.first_step
        self.pace[adaptive.LAST_ERROR] = 1.0
        self.glance: Callable[[float, int], bool] | None = None  # asked once, whether to end it
        self.given_up = False  # then
        self.cut = False  # whether the last step was cut short by an event
        self.watch = None if watcher is None else Watch(watcher, stepper)

    @property
    def is_over(self) -> bool:
        """By an event, or given up."""
        return self.given_up or (self.watch is not None and self.watch.is_over)

    def trouble_ahead(self) -> SimulationStopped | None:
        """A function of time that fails on the way: the run ends before it does."""
        found = None if self.lookout is None else self.lookout.trouble(0, self.lookout.steps)
        if found is None:
            return None
        assert self.lookout is not None
        self.until = min(self.until, found[0] * self.lookout.step)
        return SimulationStopped(found[1].what, found[1].remedy)

    def limits(self) -> Floats:
        """What a call may do, but for how much of it."""
        limits = np.zeros(adaptive.LIMITS_WIDTH)
        limits[adaptive.UNTIL] = self.until
        limits[adaptive.RTOL], limits[adaptive.ATOL] = self.tolerances.rtol, self.tolerances.atol
        limits[adaptive.LARGEST] = self.tolerances.max_step
        limits[adaptive.SMALLEST] = COLLAPSED * self.until
        limits[adaptive.SAVE_EVERY] = self.grid.save_every
        limits[adaptive.MOST] = np.inf
        limits[adaptive.REAL] = float(self.ends_are_corrected)
        return limits

    @property
    def ends_are_corrected(self) -> bool:
        """Whether something is done to the state at the end of a step, which t_eval has, too.

        Stabilisers close joints, and floating systems are put back to their momenta.
        """
        mechanism: Any = self.stepper.mechanism
        kind = getattr(mechanism, "stabiliser", None)
        floating = [getattr(mechanism, name, None) for name in ("flight", "balance")]
        return (kind is not None and kind.kind != UNSTABILISED) or any(
            systems is not None and systems.count > 0 for systems in floating
        )

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        kept = self.stepper.layout.kept
        piece = Piece([np.zeros(1)], [self.block[None, :kept].copy()])
        self.advance(progress, NONE, np.zeros((0, kept)), piece)
        if self.reached > piece.times[-1][-1]:
            piece.times.append(np.array([self.reached]))
            piece.points.append(self.block[None, :kept].copy())
        return self.saved(np.concatenate(piece.times), np.concatenate(piece.points))

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times: between the steps, which are not changed by them."""
        kept = self.stepper.layout.kept
        points = np.zeros((len(wanted), kept))
        begun = int(np.searchsorted(wanted, 0.0, side="right"))
        points[:begun], self.pace[adaptive.NEXT] = self.block[:kept], begun
        wanted = np.minimum(wanted, self.grid.until)
        self.advance(progress, wanted, points, Piece([], []))
        count = int(np.searchsorted(wanted, self.reached, side="right"))
        count = min(count, int(self.pace[adaptive.NEXT]))
        times, points = wanted[:count], points[:count]
        early = self.reached < self.grid.until
        if early and (count == 0 or self.reached > times[-1]):
            times = np.append(times, self.reached)
            points = np.concatenate([points, self.block[None, :kept]])
        return self.saved(times, points)

    def advance(self, progress: bool | None, wanted: Floats, points: Floats, kept: Piece) -> None:
        """Steps to the end, in pieces that take a moment each."""
        limits, size = self.limits(), FIRST_PIECE if self.watcher is None else 1
        times = NONE
        thetas = NONE if self.watcher is None else self.watcher.thetas
        between = np.zeros((len(thetas), self.stepper.layout.kept))
        self.begin_to_watch()
        with self.bar(progress) as bar:
            while self.goes_on and not self.is_over and self.reached < self.until:
                began, before = time.perf_counter(), self.reached
                if len(times) != size and not len(wanted):
                    times, points = np.zeros(size), np.zeros((size, self.stepper.layout.kept))
                self.pass_jump()
                longest, end = self.bounds.at(self.reached)
                limits[adaptive.UNTIL] = min(self.until, end)
                limits[adaptive.LARGEST] = min(self.tolerances.max_step, longest)
                limits[adaptive.ATTEMPTS] = size if self.glance is None else self.to_glance(size)
                self.pace[adaptive.SLOT] = 0.0
                accepted = self.pace[adaptive.ACCEPTED]
                outcome = adapt(
                    *self.lent, self.block, self.spare, self.aside, self.pace, limits, wanted,
                    thetas, times, points, between,
                )  # fmt: skip
                self.reached = float(self.pace[adaptive.NOW])
                self.index = int(self.pace[adaptive.ACCEPTED])
                if outcome != OK:
                    self.stopped = self.explain(self.reached, int(outcome))
                if self.watcher is not None and self.pace[adaptive.ACCEPTED] > accepted:
                    self.look_for_events(between, wanted)
                self.keep(kept, wanted, times, points)
                self.be_glanced_at()
                bar.update(int(100 * self.reached / self.until) - int(100 * before / self.until))
                if self.watcher is None:
                    seconds = max(time.perf_counter() - began, 1e-6)
                    size = int(size * min(16.0, CHUNK_SECONDS / seconds))
                    size = min(max(1, size), LARGEST_PIECE)
        if self.trouble is not None and self.goes_on and not self.is_over:
            self.stopped = self.trouble

    def pass_jump(self) -> None:
        """Go on after a jump of a function of time, if the run has come to just before one."""
        after = self.bounds.beyond(self.reached)
        if after > self.reached:
            self.embedded.known[0] = 0.0
            self.reached = self.pace[adaptive.NOW] = after

    def to_glance(self, size: int) -> int:
        """How many attempts may be made before somebody glances: wherever pieces end."""
        return min(size, GLANCE_AT - self.attempts)

    @property
    def attempts(self) -> int:
        return int(self.pace[adaptive.ACCEPTED] + self.pace[adaptive.REJECTIONS])

    def be_glanced_at(self) -> None:
        """After so many attempts, ask once whether to go on."""
        if self.glance is None or not self.goes_on or self.attempts < GLANCE_AT:
            return
        ask, self.glance = self.glance, None
        if self.reached < self.until and ask(self.reached, self.index):
            self.given_up, self.ending = True, ", where it was given up"

    def begin_to_watch(self) -> None:
        """Events and impacts at the start, whose state is kept as it was given."""
        if self.watch is None:
            return
        met = self.watch.begin(self.block, 0.0)
        if met is None:
            return
        try:
            self.resume(self.watch.meet(self.block, 0.0, met))
        except ChaslesError as failed:
            self.stopped = as_stop(failed)

    def resume(self, longest: float) -> None:
        """Go on from a state that has changed, with steps of this length at the most."""
        self.embedded.known[0] = 0.0
        self.pace[adaptive.STEP] = min(self.pace[adaptive.STEP], longest)

    def keep(self, kept: Piece, wanted: Floats, times: Floats, points: Floats) -> None:
        """What a piece saved; nothing after the event that ended the run."""
        if len(wanted):
            return
        slots = int(self.pace[adaptive.SLOT])
        due = self.index % self.grid.save_every == 0 or self.reached >= self.until
        if slots and not due and times[slots - 1] == self.reached:
            slots -= 1  # the end of a part of the run, not of the run
        if self.cut:  # the state at the event takes the place of that at the end of the step
            slots = int(np.searchsorted(times[:slots], self.reached, side="left"))
        if slots:
            kept.times.append(times[:slots].copy())
            kept.points.append(points[:slots].copy())
        if self.cut and self.reached > kept.times[-1][-1]:
            kept.times.append(np.array([self.reached]))
            kept.points.append(self.block[None, : points.shape[1]].copy())
        self.cut = False

    def look_for_events(self, between: Floats, wanted: Floats) -> None:
        """Events of the last step; the first that ends it moves the block back to it."""
        assert self.watcher is not None
        begin, end = float(self.pace[adaptive.BEFORE]), self.reached

        def at(t: float) -> Floats:
            if t in (begin, end):
                return self.block if t == end else self.spare
            outcome = leap(*self.lent, self.spare, begin, t - begin, self.aside)
            if outcome != OK:
                raise self.explain(begin, int(outcome))
            return self.aside

        try:
            stop = self.watcher.look(begin, end, between, self.block, at)
            if stop is not None:
                self.go_back(stop[0], at, wanted)
                self.meet(*stop)
        except ChaslesError as failed:
            self.stopped = as_stop(failed)

    def go_back(self, t: float, at: Callable[[float], Floats], wanted: Floats) -> None:
        """The block becomes that at t, within the last step."""
        if t < self.reached:
            self.block[:] = at(t)
            self.embedded.known[0] = 0.0
            self.reached = self.pace[adaptive.NOW] = t
            self.pace[adaptive.NEXT] = np.searchsorted(wanted, t, side="right")
            self.cut = True

    def meet(self, t: float, event: Event) -> None:
        """End the run at an event, or go on from an impact."""
        assert self.watch is not None
        longest = self.watch.meet(self.block, t, event)
        self.ending = self.watch.ending
        if not self.is_over:
            self.cut = True
            self.pace[adaptive.LAST_ERROR], self.pace[adaptive.REJECTED] = 1.0, 0.0
            self.resume(longest)

    def bar(self, progress: bool | None) -> tqdm | NoBar:
        hidden = None if progress is None else not progress
        if not is_shown(hidden):
            return NoBar()
        return progress_bar(total=100, unit="%", delay=0.0 if progress else BAR_DELAY)

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why no step after t could be accepted."""
        step = float(self.pace[adaptive.STEP])
        if outcome != adaptive.COLLAPSED:
            return explained(self.stepper, self.block, self.spare, t, step, outcome)
        failed = failed_formula(self.stepper)
        if failed is not None:
            return failed
        body = list(self.stepper.solver.setup.body_index)[int(self.embedded.measure.worst[0])]
        return SimulationStopped(
            f"the step fell below {COLLAPSED * self.until:.1g} s after t = {t:.6g} s, and body"
            f" '{body}' still misses the tolerances (rtol {self.tolerances.rtol:g}, atol"
            f" {self.tolerances.atol:g} m): something jumps there, or is too stiff.",
            "Smooth what jumps (a force, a motion), or give larger tolerances; the result up to t"
            " is kept.",
        )

    @property
    def typical_step(self) -> float:
        """The mean of all steps, s."""
        return self.reached / self.index if self.index else self.grid.step

    def counted(self) -> dict[str, int]:
        return {"evaluations": int(self.embedded.evaluated[0])}

    def look(self, block: Floats) -> None:
        """The kernel has looked, unless the run ended between two looks."""
        if self.reached < self.grid.until:
            self.stepper.look(block, self.reached)

    def told(self) -> dict[str, Any]:
        """For the provenance."""
        told: dict[str, Any] = {
            "rtol": self.tolerances.rtol,
            "atol": self.tolerances.atol,
            "rejected": int(self.pace[adaptive.REJECTIONS]),
        }
        if self.watcher is not None:
            told["events"] = {name: list(times) for name, times in self.watcher.found.items()}
        return told
