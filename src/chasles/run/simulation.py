"""A model stepped by hand: inputs in, state out, with the bits of `simulate`."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.build.system.state import State
from chasles.integrators.methods import find_method
from chasles.model import InvalidOption, Model, SimulationStopped
from chasles.model.checks import checked_count
from chasles.result.result import Result
from chasles.run.control import Moment
from chasles.run.impacts import watched_events
from chasles.run.one_run import check_memory
from chasles.run.options import ByHand, method_of, method_takes
from chasles.run.preparation import (
    Settings,
    ended,
    make_run,
    make_settings,
    provenance_of,
    result_of,
    scan_signals,
    stepper_of,
)
from chasles.run.time_grid import (
    MOST_STEPS,
    NEVER,
    TYPICAL_STEPS,
    Grid,
    begun,
    checked_step,
    make_tolerances,
)

#: Seconds up to which functions of time are looked through first; twice as far when they are over.
HORIZON = 1.0
#: So many steps fit into memory for sure.
FEW = 1000


class Simulation:
    """A run that takes steps on demand: for controllers, games and learning.

    Parameters
    ----------
    model
        The model.
    step
        Length of a step, s. Left out with tolerances, by which steps are chosen then.
    save_every
        Save every n-th state for `result`. 0 saves none, for runs without an end.
    start
        As in `simulate`: a State, joint coordinates, or a Result to continue from.

    Notes
    -----
    The other options are those of `simulate`. With the same start and inputs, the numbers are the
    same to the last bit. With tolerances a step is as long as these let it. An event that is
    terminal ends the run.

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

    @method_takes(ByHand)
    def __init__(self, options: ByHand) -> None:
        method = find_method(method_of(options))
        self._tolerances = make_tolerances(method, options, np.inf, "Simulation")
        if self._tolerances is None:
            checked_step(options.step, "Simulation")
        given = options.save_every, "save_every", None, "Simulation"
        self._every = min(checked_count(*given, InvalidOption, least=0) or NEVER, NEVER)
        self._begin(options, make_settings(options))

    def _begin(self, options: ByHand, settings: Settings) -> None:
        tolerances, watched = self._tolerances, watched_events(options.events, options.model)
        self._asked, self._settings = options, settings
        self._timed = settings.setup.signals.varies
        if tolerances is None:
            step = checked_step(options.step, "Simulation")
        else:  # such as one may expect
            step = min(tolerances.max_step, HORIZON / TYPICAL_STEPS)
            if self._timed:
                raise InvalidOption(
                    "Simulation: tolerances were given, and the model has functions of time, by"
                    " whose changes steps are limited: up to an end, which is not known here.",
                    "Give a step, or use simulate.",
                )
        origin, first = begun(step, settings.begin)
        grid = Grid(np.inf, step, int(MOST_STEPS), 0.0, self._every, None, origin, first)
        self._end = grid.time(first)  # until where functions of time are looked through
        stepper = stepper_of(settings, step, self._end + HORIZON)
        self._run = run = make_run(settings, grid, stepper, tolerances, watched)
        if settings.begin is not None:
            run.continue_from(settings.begin)
        run.begin()
        self._seconds = 0.0
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
        if type(steps) is not int or not 1 <= steps <= FEW:
            steps = checked_count(steps, "steps", int(MOST_STEPS), "Simulation", InvalidOption)
            every = run.output.every
            check_memory(steps // every + 2, every, self._settings.setup, "Simulation")
        if not run.goes_on:
            what = ended(run, run.reached)[1]
            raise SimulationStopped(what, "Begin anew: reset().", result=self._result(4))
        if inputs is not None:
            run.control.set(inputs, self.time)
            run.pace.renew()
        last, self._moment = run.index + steps, None
        if self._timed:
            self._scan_signals(last)
        began = time.perf_counter()
        while run.index < last and run.goes_on:
            run.take(min(last - run.index, run.pace.largest))
        self._seconds += time.perf_counter() - began
        if run.stopped is not None:
            stopped = run.stopped
            raise SimulationStopped(stopped.what, stopped.remedy, result=self._result(4))

    def _scan_signals(self, last: int) -> None:
        """Fit functions of time further, and look through them, before a step needs them."""
        run, settings = self._run, self._settings
        if run.scan is not None and run.grid.time(last) <= self._end:
            return
        ahead = max(HORIZON, 2.0 * (run.grid.time(last) - run.grid.origin))
        self._end = run.grid.origin + ahead
        horizon = int(ahead / run.grid.step)
        run.scan = scan_signals(
            settings.setup, settings.method, run.grid.step, max(horizon, last), run.grid.origin
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
        if start is ... or start is self._asked.start:
            self._begin(self._asked, self._settings)
            return
        options = replace(self._asked, start=start)
        self._begin(options, make_settings(options))

    @property
    def model(self) -> Model:
        return self._asked.model

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
            self._moment = Moment(self._run.stepper, self._run.pace.present(), self.time)
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
        return self._result(4)

    def _result(self, stacklevel: int) -> Result:
        """The same; warnings point at the caller so many calls up."""
        run = self._run
        if run.stopped is None:
            run.ended = None  # inputs may have changed since
        saved = run.output.everything()
        return result_of(self._settings, run, saved, self._seconds, stacklevel)

    def __repr__(self) -> str:
        step = self._run.pace.typical_step
        return f"Simulation(t = {self.time:g} s, step {step:g} s, {self.model!r})"
