"""The only time loop: steps in pieces, saving, progress, and why a run stopped."""

import time
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from tqdm import tqdm

from chasles.dynamics.conflicts import (
    SPEED_CONFLICT,
    SPEED_FLOOR,
    SPEED_SUSPICION,
    listed,
    speed_conflict,
)
from chasles.dynamics.consistent import driven_rates
from chasles.dynamics.factor import OK
from chasles.dynamics.solver import Solver, joint_of_row
from chasles.dynamics.watch import Watch
from chasles.integrators.rkmk import NOT_CLOSED, NOT_FINITE, Stages, rkmk_run
from chasles.model import ChaslesError, InvalidOption, SimulationStopped
from chasles.model.checks import checked_array, checked_positive
from chasles.model.errors import told
from chasles.model.model import plural
from chasles.stabilisation.projection import Projection
from chasles.stabilisation.stabiliser import Stabiliser
from chasles.system.arrays import CHART_WIDTH, Floats
from chasles.system.gaps import flat_disc
from chasles.system.turns import first_integrals

#: A step count this close to a whole number is one.
ROUND_STEPS = 1e-9
#: Seconds between two looks at the progress bar, and before it appears.
CHUNK_SECONDS, BAR_DELAY = 0.2, 1.5
#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30
#: save_every of a run whose states are not kept.
NEVER = 2**62
#: Steps between two looks at drivers that may contradict each other.
MOST_DRIVEN = 256
#: What to do about drivers that contradict each other.
TOGETHER = (
    "Leave one of them out, or give motions that the joints allow together (all the way: a step too"
    " large looks the same); the result up to t is kept."
)
#: At a microsecond a step, a million steps are a second and these are thirty years.
MOST_STEPS = 1e15


@dataclass(frozen=True)
class Grid:
    """The steps of a run: `steps` whole ones, then `rest` seconds to reach `until`."""

    until: float
    step: float
    steps: int
    rest: float
    save_every: int
    t_eval: Floats | None


def make_grid(until: Any, step: Any, save_every: Any, t_eval: Any, bodies: int) -> Grid:
    """Check the options of a run."""
    if step is None:
        raise InvalidOption("simulate: step was left out.", "Give it in seconds: step=1e-3.")
    until = checked_positive(until, "until", "s", "simulate", InvalidOption)
    step = checked_positive(step, "step", "s", "simulate", InvalidOption)
    whole = isinstance(save_every, int | np.integer) and not isinstance(save_every, bool)
    if not whole or save_every < 1:
        raise InvalidOption(
            f"simulate: save_every is {told(save_every)}, but counts steps.",
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
    kept = steps // every + 2 if times is None else len(times)
    size = kept * bodies * CHART_WIDTH * 8
    if size > MEMORY_LIMIT:
        fewer = (
            "t_eval" if times is not None else f"save_every={every * (1 + size // MEMORY_LIMIT)}"
        )
        raise InvalidOption(
            f"simulate: {kept} states of {plural(bodies, 'body', 'bodies')} would take"
            f" {size / 2**30:.3g} GiB.",
            f"Keep fewer: {fewer}, say.",
        )
    return Grid(until, step, steps, rest, every, times)


def checked_times(t_eval: Any, until: float) -> Floats:
    times = np.atleast_1d(checked_array(t_eval, "t_eval", "simulate", InvalidOption))
    ordered = times.ndim == 1 and times.size > 0 and np.all(np.diff(times) > 0)
    if not ordered or not (times[0] >= 0.0 and times[-1] <= until * (1 + ROUND_STEPS)):
        raise InvalidOption(
            f"simulate: t_eval is {told(t_eval)}, but is an increasing list of times in"
            f" [0, {until:g}].",
            "Sort the times and leave out those after `until`.",
        )
    return times


@dataclass(frozen=True)
class Saved:
    """What a run keeps: times (T,), charts (T, n, 13), integrals (T, quadratures)."""

    times: Floats
    charts: Floats
    integrals: Floats

    def then(self, t: float, chart: Floats, integrals: Floats) -> "Saved":
        """The same and one state more."""
        return Saved(
            np.append(self.times, t),
            np.concatenate((self.charts, chart[None])),
            np.concatenate((self.integrals, integrals[None])),
        )


class Run:
    """The states of one simulation as they come."""

    def __init__(
        self,
        solver: Solver,
        stages: Stages,
        nodes: Floats,
        stabiliser: Stabiliser,
        watch: Watch,
        grid: Grid,
    ) -> None:
        self.solver, self.stages, self.grid = solver, stages, grid
        self.nodes = nodes[: stages.count]  # c of the tableau
        self.stabiliser, self.watch = stabiliser, watch
        self.chart = solver.chart(solver.start)
        stages.integrals[:] = first_integrals(solver.setup)
        # Where rows of J depend on each other, drivers may come to contradict each other.
        self.driven = solver.plan.is_damped != 0 and bool(solver.setup.model.drivers)
        self.fastest = np.zeros(1)  # largest rate of a driver so far
        self.steps_done = 0
        self.stopped: SimulationStopped | None = None
        self.interrupted = False

    def interrupt(self) -> None:
        """End after the steps that are being made."""
        self.interrupted = True

    def all_states(self, progress: bool | None) -> Saved:
        """Every save_every-th state, and the last."""
        grid, chart = self.grid, self.chart
        count = grid.steps // grid.save_every + 1
        charts = np.zeros((count, *chart.shape))
        charts[0] = chart
        integrals = np.zeros((count, self.stages.integrals.size))
        integrals[0] = self.stages.integrals
        with self.bar(progress) as bar:
            self.whole_steps(chart, 0, grid.steps, bar, grid.save_every, charts, integrals)
        kept = self.steps_done // grid.save_every + 1
        times = grid.step * grid.save_every * np.arange(kept, dtype=np.float64)
        saved = Saved(times, charts[:kept], integrals[:kept])
        end = self.steps_done * grid.step
        if grid.rest > 0.0 and not self.interrupted and self.one_step(chart, grid.rest, end):
            end = grid.until
        if end > times[-1] * (1.0 + ROUND_STEPS):
            return saved.then(end, chart, self.stages.integrals)
        return saved

    def states_at(self, wanted: Floats, progress: bool | None) -> Saved:
        """The states at the wanted times, each by one shorter step from the grid."""
        grid, chart, stages = self.grid, self.chart, self.stages
        shape = (0, *chart.shape)
        saved = Saved(np.zeros(0), np.zeros(shape), np.zeros((0, stages.integrals.size)))
        states, integrals = [], []
        index = 0
        with self.bar(progress) as bar:
            for t in wanted:
                whole, rest = whole_and_rest(t, grid.step)
                self.whole_steps(chart, index, whole, bar, NEVER, chart, stages.integrals)
                if self.interrupted:
                    break
                index, state = whole, chart.copy()
                # These belong to the states of the grid.
                grids = (
                    stages.carry, stages.integrals, stages.balance.momentum, self.watch.seen,
                )  # fmt: skip
                kept = [array.copy() for array in grids]
                if rest > 0.0:
                    self.one_step(state, rest, whole * grid.step)
                if self.stopped:
                    break
                states.append(state)
                integrals.append(stages.integrals.copy())
                for array, copy in zip(grids, kept):
                    array[:] = copy
        if states:
            saved = Saved(wanted[: len(states)], np.array(states), np.array(integrals))
        last = grid.step * self.steps_done
        if (self.stopped or self.interrupted) and (not states or last > saved.times[-1]):
            return saved.then(last, chart, stages.integrals)
        return saved

    def whole_steps(
        self, chart: Floats, first: int, last: int, bar: tqdm, every: int, saved: Floats,
        integrals: Floats,
    ) -> None:  # fmt: skip
        """Steps of the grid, in pieces that take a moment each: progress shows, Ctrl-C works.

        A piece after which drivers contradict each other, or that failed and may have for that
        reason, is taken back and halved, down to the step that did it.
        """
        size, bad = 64, NEVER
        while first < last and not self.stopped and not self.interrupted:
            end = min(last, first + size, first + max(1, (bad - first) // 2))
            kept = self.memory(chart) if self.driven else []
            began = time.perf_counter()
            table, end = self.table_of_steps(first, end)
            if self.stopped:
                return
            reached, outcome = self.kernel(
                chart, table, self.grid.step, first, end, every, saved, integrals
            )
            seconds = time.perf_counter() - began
            conflict = self.conflict(reached, outcome) if self.driven else None
            suspect = conflict is not None if outcome == OK else end - first > 1
            if self.driven and suspect:
                for array, copy in kept:
                    array[:] = copy
                bad = end if outcome == OK else reached + 1
                if end - first == 1:
                    self.stopped = SimulationStopped(str(conflict), TOGETHER)
                continue
            self.steps_done += reached - first
            bar.update(reached - first)
            if conflict:
                self.stopped = SimulationStopped(conflict, TOGETHER)
            elif outcome != OK:
                self.stopped = self.explain(reached * self.grid.step, outcome)
            first = end
            size = max(1, int(size * min(16.0, CHUNK_SECONDS / max(seconds, 1e-6))))
            size = min(size, MOST_DRIVEN) if self.driven else size

    def memory(self, chart: Floats) -> list[tuple[Any, Any]]:
        """What a step changes and the next one needs, with copies."""
        stages = self.stages
        arrays = (
            chart, stages.carry, stages.integrals, stages.balance.momentum,
            self.solver.work.missed, self.fastest, self.watch.seen, self.watch.count,
        )  # fmt: skip
        return [(array, array.copy()) for array in arrays]

    def conflict(self, reached: int, outcome: int) -> str | None:
        """Who contradicts whom at the last stage of the last step; None while all agree.

        Joints that could not be closed may be open by very little, and for that reason.
        """
        solver, step = self.solver, self.grid.step
        if outcome == NOT_FINITE:
            return None
        last = reached - 1 if outcome == OK else reached
        rates = driven_rates(solver.setup, step * (last + float(self.nodes[-1])))
        self.fastest[0] = max(self.fastest[0], np.abs(rates).max(initial=0.0))
        fastest = float(self.fastest[0])
        allowed = SPEED_CONFLICT * fastest + SPEED_FLOOR
        if outcome == NOT_CLOSED:
            allowed = SPEED_SUSPICION * fastest
        when = f"after t = {last * step:.6g} s"
        return speed_conflict(solver.setup, solver.plan, solver.work, rates, allowed, when)

    def one_step(self, chart: Floats, step: float, t: float) -> bool:
        """One step of another length; whether it succeeded."""
        if self.stopped:
            return False
        try:
            table = self.table(t, step, 1)
        except ChaslesError as error:
            self.stopped = SimulationStopped(error.what, error.remedy)
            return False
        _, outcome = self.kernel(chart, table, step, 0, 1, NEVER, chart, self.stages.integrals)
        if outcome != OK:
            self.stopped = self.explain(t, outcome)
        return self.stopped is None

    def table_of_steps(self, first: int, end: int) -> tuple[Floats, int]:
        """The table of some steps, or of fewer: a run stops where a function of time fails."""
        while True:
            try:
                return self.table(first * self.grid.step, self.grid.step, end - first), end
            except ChaslesError as error:
                if end == first + 1:
                    self.stopped = SimulationStopped(error.what, error.remedy)
                    return np.zeros(1), first
                end = first + (end - first) // 2

    def table(self, t: float, step: float, steps: int) -> Floats:
        """Functions of time at every stage of some steps, and at their end."""
        signals = self.solver.setup.signals
        if signals.count == 0:
            return np.zeros(1)
        starts = t + step * np.arange(steps)
        times = (starts[:, None] + step * self.nodes).ravel()
        return signals.sample_run(np.append(times, t + step * steps))

    def kernel(
        self, chart: Floats, table: Floats, step: float, first: int, last: int, every: int,
        saved: Floats, integrals: Floats,
    ) -> tuple[int, int]:  # fmt: skip
        solver = self.solver
        return rkmk_run(
            solver.setup.system, solver.plan, solver.work, self.stages, self.stabiliser,
            self.watch, chart, table.reshape(-1), step, first, last, every,
            saved.reshape(-1), integrals.reshape(-1),
        )  # fmt: skip

    def bar(self, progress: bool | None) -> tqdm:
        hidden = None if progress is None else not progress  # None: shown on a terminal only
        delay = 0.0 if progress else BAR_DELAY
        return tqdm(total=self.grid.steps, unit="step", delay=delay, disable=hidden, leave=False)

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why the step after t failed, in words that name a body, a joint or a force."""
        setup = self.solver.setup
        for formula in setup.kept_alive:
            error = getattr(formula, "error", None)
            if error is not None:
                return SimulationStopped(error.what, error.remedy)
        flat = flat_disc(setup.system, self.solver.absolute(self.chart[None])[0])
        if flat is not None:
            return SimulationStopped(
                f"joint '{list(setup.joint_index)[flat]}': the disc fell flat on its plane after"
                f" t = {t:.6g} s, where no single point of it touches.",
                "The result up to t is kept.",
            )
        names = list(setup.body_index)
        tried = self.stages.spare if outcome in (NOT_FINITE, NOT_CLOSED) else self.stages.stage
        broken = np.flatnonzero(~np.isfinite(tried).all(axis=1))
        if broken.size:
            return SimulationStopped(
                f"body '{names[broken[0]]}' has a position or velocity that is not a number after"
                f" t = {t:.6g} s.",
                f"Take a smaller step than {self.grid.step:g} s; the result up to t is kept.",
            )
        if outcome == NOT_CLOSED:
            assert isinstance(self.stabiliser, Projection)  # nothing else closes joints
            chosen = np.flatnonzero(self.stabiliser.found.chosen)
            listed = ", ".join(f"'{list(setup.joint_index)[k]}'" for k in chosen[:6])
            return SimulationStopped(
                f"projection could not close the joints {listed} after t = {t:.6g} s.",
                f"Take a smaller step than {self.grid.step:g} s, or a method of higher order."
                + self.reach(),
            )
        joint, component = joint_of_row(setup, outcome)
        return SimulationStopped(
            f"joint '{joint}' (direction {component}) became singular after t = {t:.6g} s.",
            "The mechanism passes a pose in which its joints depend on each other; the result up"
            " to t is kept. simulate(..., singular='pass') goes on; if there is no such pose,"
            " take a smaller step." + self.reach(),
        )

    def reach(self) -> str:
        """What else may be wrong where drivers move the bodies."""
        names = self.solver.setup.model.driver_names
        if not names:
            return ""
        return f" Or is it further than the joints reach that {listed(list(names))} would go?"


def whole_and_rest(t: float, step: float) -> tuple[int, float]:
    """t as whole steps and the seconds left over, 0 where t is a whole number of steps."""
    ratio = t / step
    if abs(ratio - round(ratio)) <= ROUND_STEPS * max(1.0, ratio):
        return round(ratio), 0.0
    return floor(ratio), t - floor(ratio) * step
