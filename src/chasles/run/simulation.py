"""A model stepped by hand: inputs in, state out, with the bits of `simulate`."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from chasles.integrators.tableaux import Tableau
from chasles.model import Body, InvalidOption, Joint, Model, SimulationStopped
from chasles.model.errors import told
from chasles.model.keywords import checked_keywords
from chasles.model.words import Stabiliser
from chasles.result.result import Result
from chasles.run.control import Moment
from chasles.run.loop import Run
from chasles.run.preparation import (
    Settings,
    look_ahead,
    make_settings,
    provenance_of,
    result_of,
    stepper_of,
)
from chasles.run.time_grid import MOST_STEPS, NEVER, Grid, begun, checked_step
from chasles.run.tolerances import check_takes_steps
from chasles.stabilisation.baumgarte import Baumgarte
from chasles.system.state import State

#: Seconds up to which functions of time are looked through first; twice as far when they are over.
HORIZON = 1.0


@checked_keywords
class Simulation:
    """A run that takes steps on demand: for controllers, games and learning.

    Parameters
    ----------
    model
        The model.
    step
        Length of a step, s.
    save_every
        Save every n-th state for `result`. 0 saves none, for runs without an end.
    start
        As in `simulate`: a State, joint coordinates, or a Result to continue from.

    Notes
    -----
    The other options are those of `simulate`. With the same start and inputs, the numbers are the
    same to the last bit.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1))
    >>> model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=0.0)])
    >>> sim = ch.Simulation(model, step=1e-2)
    >>> sim.step({"motor": 2.0}, steps=100)
    >>> round(sim.coordinates["hinge"], 9), round(sim.time, 9)  # 2 N m on 1 kg m^2 for 1 s
    (1.0, 1.0)
    """

    def __init__(
        self,
        model: Model,
        step: float | None = None,
        *,
        method: str | Tableau = "rk4",
        spaces: Any = "auto",
        acceleration: Literal["screw", "space"] = "screw",
        rows: Literal["needed", "all"] = "needed",
        stabilise: Stabiliser | Baumgarte | None = None,
        redundant: Literal["solve", "refuse"] = "solve",
        singular: Literal["stop", "pass"] = "stop",
        save_every: int = 1,
        start: State | Result | Mapping[Any, Any] | None = None,
        close: bool = False,
        hold: Iterable[Body | Joint | str] = (),
    ) -> None:
        self._step = checked_step(step, "Simulation")
        self._every = checked_whole(save_every, "save_every", least=0) or NEVER
        self._options = {
            "method": method, "spaces": spaces, "acceleration": acceleration, "rows": rows,
            "stabilise": stabilise, "redundant": redundant, "singular": singular,
            "close": close, "hold": hold,
        }  # fmt: skip
        self._model, self._start = model, start
        self._begin(make_settings(model, start=start, **self._options))

    def _begin(self, settings: Settings) -> None:
        """Everything as at the start."""
        check_takes_steps(settings.method, "Simulation")
        self._settings = settings
        origin, first = begun(self._step, settings.begin)
        grid = Grid(np.inf, self._step, int(MOST_STEPS), 0.0, self._every, None, origin, first)
        self._end = grid.time(first)  # until where functions of time are looked through
        stepper = stepper_of(settings, self._step, self._end + HORIZON)
        self._run = run = Run(stepper, grid)
        if settings.begin is not None:
            run.go_on_from(settings.begin)
        run.begin()
        self._seconds = 0.0
        self._timed = bool(settings.setup.signals.samplers)
        self._moment: Moment | None = None

    def step(self, inputs: Mapping[Any, float] | None = None, steps: int = 1) -> None:
        """Take steps with constant inputs.

        Parameters
        ----------
        inputs
            Motor -> effort, added to that of the model; servo -> target, replaces that of the
            model. Inputs that are not named keep their value; at first they are the targets of
            the model, and 0.
        steps
            Number of steps.
        """
        run = self._run
        count = steps if type(steps) is int and steps > 0 else checked_whole(steps, "steps")
        if run.stopped is not None:
            raise SimulationStopped(run.stopped.what, "Begin anew: reset().", result=self.result())
        if inputs is not None:
            run.control.set(inputs, self.time)
        last, self._moment = run.index + count, None
        if self._timed:
            self._look_ahead(last)
        began = time.perf_counter()
        while run.index < last and run.stopped is None:
            run.take(last - run.index)
        self._seconds += time.perf_counter() - began
        if run.stopped is not None:
            stopped = run.stopped
            raise SimulationStopped(stopped.what, stopped.remedy, result=self.result())

    def _look_ahead(self, last: int) -> None:
        """Fit functions of time further, and look through them, before a step needs them."""
        run, settings = self._run, self._settings
        if run.lookout is not None and run.grid.time(last) <= self._end:
            return
        ahead = max(HORIZON, 2.0 * (run.grid.time(last) - run.grid.origin))
        self._end = run.grid.origin + ahead
        horizon = int(ahead / self._step)
        run.lookout = look_ahead(
            settings.setup, settings.method, self._step, max(horizon, last), run.grid.origin
        )
        run.stepper = run.stepper.with_signals(settings.setup.signals.arrays(self._end))
        run.control.stepper = run.stepper

    def reset(self, start: Any = ...) -> None:
        """Start again, at the same start or another one.

        Parameters
        ----------
        start
            As in `simulate`. The same start if left out.
        """
        if start is ... or start is self._start:
            self._begin(self._settings)
            return
        self._begin(make_settings(self._model, start=start, **self._options))
        self._start = start

    @property
    def model(self) -> Model:
        return self._model

    @property
    def time(self) -> float:
        """The present time, s."""
        return self._run.reached

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs that are applied now."""
        return self._run.control.given

    @property
    def moment(self) -> Moment:
        """The present state as a controller gets it: coordinates, rates, positions, computed when
        called.
        """
        if self._moment is None:
            self._moment = Moment(self._run.stepper, self._run.block, self.time)
        return self._moment

    @property
    def coordinates(self) -> dict[str, float]:
        """Joint -> its angle (rad) or displacement (m) since the start."""
        return self.moment.coordinates

    @property
    def rates(self) -> dict[str, float]:
        """Joint -> the rate of its coordinate, rad/s or m/s."""
        return self.moment.rates

    @property
    def state(self) -> State:
        """Poses and velocities of all bodies now."""
        run, settings = self._run, self._settings
        saved = run.output.saved(np.array([self.time]), run.pace.point[None, : run.output.kept])
        made = provenance_of(settings, run, self._seconds)
        return Result(
            settings.problem, saved.times, saved.absolute, saved.integrals, made,
            coordinates=saved.coordinates,
        ).state()  # fmt: skip

    def result(self) -> Result:
        """The run so far, as `simulate` would return it."""
        run = self._run
        run.ended = None
        status, message = "finished", f"reached t = {self.time:g} s in {run.steps_in_all} steps"
        if run.stopped is not None:
            status, message = "stopped", run.stopped.what
        saved = run.output.everything()
        return result_of(self._settings, run, saved, self._seconds, status, message)

    def __repr__(self) -> str:
        return f"Simulation(t = {self.time:g} s, step {self._step:g} s, {self._model!r})"


def checked_whole(value: Any, what: str, least: int = 1) -> int:
    """A whole number."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidOption(
            f"Simulation: {what} must be a whole number, {least} or more, got {told(value)}.",
            f"Give {what}={max(least, 1)}, say.",
        )
    return int(value)
