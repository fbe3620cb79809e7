"""The only time loop: steps, saving, progress, status."""

import platform
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from math import floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from tqdm import tqdm

from chasles.dynamics.factor import OK
from chasles.dynamics.solver import Solver, joint_of_row, make_solver
from chasles.integrators.rkmk import NOT_FINITE, Stages, make_stages, rkmk_run
from chasles.integrators.tableaux import Tableau
from chasles.integrators.tableaux import method as find_method
from chasles.model import InvalidOption, Model, SimulationStopped, UnknownName
from chasles.model.checks import checked_array, checked_positive
from chasles.model.errors import told
from chasles.model.model import checked_model, plural
from chasles.result import Result
from chasles.spaces import resolve_spaces
from chasles.spaces.exactness import drifting_joints
from chasles.stabilisation.projection import Projection, make_projection
from chasles.system.arrays import CHART_WIDTH, Floats, Integers
from chasles.system.build import Setup, build

#: A step count this close to a whole number is one.
ROUND_STEPS = 1e-9
#: Seconds between two looks at the progress bar, and before it appears.
CHUNK_SECONDS, BAR_DELAY = 0.2, 1.5
#: Trajectories larger than this are refused: save fewer states.
MEMORY_LIMIT = 4 * 2**30
#: save_every of a run whose states are not kept.
NEVER = 2**62
#: At a microsecond a step, a million steps are a second and these are thirty years.
MOST_STEPS = 1e15


def simulate(
    model: Model,
    until: float,
    step: float | None = None,
    method: str | Tableau = "rk4",
    spaces: Any = "auto",
    acceleration: str = "screw",
    stabilise: str | None = None,
    singular: str = "stop",
    save_every: int = 1,
    t_eval: ArrayLike | None = None,
    progress: bool | None = None,
) -> Result:
    """Integrate a model from t = 0 to `until` with a Runge-Kutta-Munthe-Kaas method.

    step          length of a step in s; the last one is shortened if it does not divide `until`
    method        "euler", "midpoint", "heun", "kutta3", "rk4", "rk38", "dopri5", "butcher6",
                  "dop853", or a Tableau
    spaces        "auto", "SE3", "SO3xR3", "SE3 relative", "SO3xR3 on joints", or a dict
                  body -> Space; see `Space`
    acceleration  form of the acceleration constraints: "screw", or "space" as in the paper
    stabilise     None, "projection" (joints that drift in the chosen spaces are closed after every
                  step, the others hold by themselves), or "projection of all joints"
    singular      what to do at a pose whose joints depend on each other: "stop", or "pass"
                  through it on the shortest multipliers
    save_every    keep every so many steps (the first and last state are always kept)
    t_eval        times at which to keep states instead; each is reached by one shorter step of
                  the same method from the grid, so it is as accurate, and joints hold as well
    progress      show a bar on stderr; by default when the run takes longer than a moment

    Raises a ChaslesError that names the culprit if the input is bad, and SimulationStopped, with
    the partial `result`, if the run cannot go on.
    """
    checked_model(model)
    tableau = find_method(method)
    if progress is not None and not isinstance(progress, bool | np.bool_):
        raise InvalidOption(
            f"simulate: progress is {told(progress)}.", "Give True, False, or leave it out."
        )
    grid = make_grid(until, step, save_every, t_eval, len(model.bodies))
    chosen = resolve_spaces(model, spaces)
    if singular not in ("stop", "pass"):
        raise UnknownName.among("choice", singular, ("stop", "pass"), where="singular")
    solver = make_solver(build(model, chosen, acceleration), damp=singular == "pass")
    system = solver.setup.system
    projection = make_projection(system, projected_joints(solver.setup, stabilise))
    run = Run(solver, make_stages(system, tableau.a, tableau.b), projection, grid)
    began = time.perf_counter()
    if grid.t_eval is None:
        times, charts = run.all_states(progress)
    else:
        times, charts = run.states_at(grid.t_eval, progress)
    seconds = time.perf_counter() - began
    provenance = {
        "spaces": {name: str(space) for name, space in chosen.items()},
        "acceleration": acceleration,
        "stabilise": stabilise or "none",
        "redundancy": str(solver.redundancy or "none"),
        "method": tableau.name or "user's tableau",
        "order": tableau.order,
        "step": grid.step,
        "steps": run.steps_done,
        "until": grid.until,
        "seconds_in_steps": seconds,
        "versions": {
            "chasles": version("chasles"),
            "numpy": np.__version__,
            "numba": version("numba"),
            "python": platform.python_version(),
        },
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    absolute = solver.absolute(charts)
    stopped = run.stopped
    if stopped is None:
        message = f"reached t = {times[-1]:g} s in {run.steps_done} steps"
        return Result(times, solver, absolute, provenance, "finished", message)
    result = Result(times, solver, absolute, provenance, "stopped", stopped.what)
    raise SimulationStopped(stopped.what, stopped.remedy, result=result)


#: Values of `stabilise` beside None.
STABILISERS = ("projection", "projection of all joints")


def projected_joints(setup: Setup, stabilise: str | None) -> Integers:
    """1 for every joint that is projected after a step."""
    chosen = np.zeros(len(setup.joint_index), np.int64)
    if stabilise is None:
        return chosen
    if stabilise not in STABILISERS:
        raise UnknownName.among("stabiliser", stabilise, STABILISERS, where="stabilise")
    if stabilise == "projection":
        names = drifting_joints(setup.model, setup.spaces)
    else:
        names = setup.model.joint_names
    for name in names:
        chosen[setup.joint_index[name]] = 1
    return chosen


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


class Run:
    """The states of one simulation as they come."""

    def __init__(self, solver: Solver, stages: Stages, projection: Projection, grid: Grid) -> None:
        self.solver, self.stages, self.grid = solver, stages, grid
        self.projection = projection
        self.chart = solver.chart(solver.start)
        self.steps_done = 0
        self.stopped: SimulationStopped | None = None

    def all_states(self, progress: bool | None) -> tuple[Floats, Floats]:
        """Every save_every-th state, and the last: times (T,) and charts (T, n, 13)."""
        grid, chart = self.grid, self.chart
        saved = np.zeros((grid.steps // grid.save_every + 1, *chart.shape))
        saved[0] = chart
        with self.bar(progress) as bar:
            self.whole_steps(chart, 0, grid.steps, bar, grid.save_every, saved)
        kept = self.steps_done // grid.save_every + 1
        times = grid.step * grid.save_every * np.arange(kept, dtype=np.float64)
        end = self.steps_done * grid.step
        if grid.rest > 0.0 and self.one_step(chart, grid.rest, end):
            end = grid.until
        if end > times[-1] * (1.0 + ROUND_STEPS):
            return np.append(times, end), np.concatenate((saved[:kept], chart[None]))
        return times, saved[:kept]

    def states_at(self, wanted: Floats, progress: bool | None) -> tuple[Floats, Floats]:
        """The states at the wanted times, each by one shorter step from the grid."""
        grid, chart = self.grid, self.chart
        states: list[Floats] = []
        index = 0
        with self.bar(progress) as bar:
            for t in wanted:
                whole, rest = whole_and_rest(t, grid.step)
                self.whole_steps(chart, index, whole, bar, NEVER, chart)
                index, state = whole, chart.copy()
                if rest > 0.0:
                    self.one_step(state, rest, whole * grid.step)
                if self.stopped:
                    return self.states_so_far(wanted[: len(states)], states)
                states.append(state)
        return wanted, np.array(states)

    def states_so_far(self, times: Floats, states: list[Floats]) -> tuple[Floats, Floats]:
        """The wanted states before a stop, and the last good one on the grid if it is later."""
        last = self.grid.step * self.steps_done
        if len(times) == 0 or last > times[-1]:
            return np.append(times, last), np.array([*states, self.chart])
        return times, np.array(states)

    def whole_steps(
        self, chart: Floats, first: int, last: int, bar: tqdm, every: int, saved: Floats
    ) -> None:
        """Steps of the grid, in pieces that take a moment each: progress shows, Ctrl-C works."""
        size = 64
        while first < last and not self.stopped:
            end = min(last, first + size)
            began = time.perf_counter()
            reached, outcome = self.kernel(chart, self.grid.step, first, end, every, saved)
            seconds = time.perf_counter() - began
            self.steps_done += reached - first
            bar.update(reached - first)
            if outcome != OK:
                self.stopped = self.explain(reached * self.grid.step, outcome)
            first = end
            size = max(1, int(size * min(16.0, CHUNK_SECONDS / max(seconds, 1e-6))))

    def one_step(self, chart: Floats, step: float, t: float) -> bool:
        """One step of another length; whether it succeeded."""
        if self.stopped:
            return False
        carry = self.stages.carry.copy()  # belongs to the states of the grid
        _, outcome = self.kernel(chart, step, 0, 1, NEVER, chart)
        self.stages.carry[:] = carry
        if outcome != OK:
            self.stopped = self.explain(t, outcome)
        return self.stopped is None

    def kernel(
        self, chart: Floats, step: float, first: int, last: int, every: int, saved: Floats
    ) -> tuple[int, int]:
        solver = self.solver
        return rkmk_run(
            solver.setup.system, solver.plan, solver.work, self.stages, self.projection,
            chart, step, first, last, every, saved.reshape(-1),
        )  # fmt: skip

    def bar(self, progress: bool | None) -> tqdm:
        hidden = None if progress is None else not progress  # None: shown on a terminal only
        delay = 0.0 if progress else BAR_DELAY
        return tqdm(total=self.grid.steps, unit="step", delay=delay, disable=hidden, leave=False)

    def explain(self, t: float, outcome: int) -> SimulationStopped:
        """Why the step after t failed, in words that name a body or a joint."""
        setup = self.solver.setup
        names = list(setup.body_index)
        tried = self.stages.spare if outcome == NOT_FINITE else self.stages.stage
        broken = np.flatnonzero(~np.isfinite(tried).all(axis=1))
        if broken.size:
            return SimulationStopped(
                f"body '{names[broken[0]]}' has a position or velocity that is not a number after"
                f" t = {t:.6g} s.",
                f"Take a smaller step than {self.grid.step:g} s; the result up to t is kept.",
            )
        joint, component = joint_of_row(setup, outcome)
        return SimulationStopped(
            f"joint '{joint}' (direction {component}) became singular after t = {t:.6g} s.",
            "The mechanism passes a pose in which its joints depend on each other; the result up"
            " to t is kept.",
        )


def whole_and_rest(t: float, step: float) -> tuple[int, float]:
    """t as whole steps and the seconds left over, 0 where t is a whole number of steps."""
    ratio = t / step
    if abs(ratio - round(ratio)) <= ROUND_STEPS * max(1.0, ratio):
        return round(ratio), 0.0
    return floor(ratio), t - floor(ratio) * step
