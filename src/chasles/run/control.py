"""Inputs of motors and servos: who gives them, what they were, and what a controller sees."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from chasles.build.system.coordinates import Key, coordinate, coordinate_rate
from chasles.build.system.signals import Inputs
from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.model import (
    Body,
    InvalidOption,
    Joint,
    Model,
    Motor,
    UnknownName,
    input_of,
)
from chasles.model.checks import answer_of, checked_number, checked_positive
from chasles.model.coordinates import coordinate_key
from chasles.model.errors import short_repr
from chasles.model.keywords import documented
from chasles.model.plain import placed_at
from chasles.model.words import Coordinate
from chasles.run.stepper import Stepper
from chasles.run.time_grid import MOST_STEPS

#: A sample time this close to a whole number of steps, relatively, is one: rounding of a quotient.
WHOLE = 4.0 * float(np.finfo(float).eps)
Controller = Callable[[float, "Moment"], Any]


class Moment:
    """A model at one time, as controllers, events and `Simulation.moment` see it.

    Every quantity is computed when it is asked for. A controller gets a new Moment with every
    call; copy what is to be kept.

    Attributes
    ----------
    t : float
        Time, s.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge], [ch.Motor("motor", "hinge", effort=0.0)])
    >>> def hold(t: float, now: ch.Moment) -> dict[str, float]:
    ...     return {"motor": -40.0 * now.coordinate("hinge") - 9.0 * now.rate("hinge")}
    >>> run = ch.simulate(model, until=3.0, step=1e-3, controller=hold)
    >>> bool(abs(run.coordinate_rate("hinge")[-1]) < 1e-3)
    True
    """

    t: float

    def __init__(self, stepper: Stepper, block: Floats, t: float) -> None:
        self.t, self._stepper = t, stepper
        self._point = block[: stepper.layout.kept].copy()

    @property
    def model(self) -> Model:
        return self._stepper.solver.setup.model

    @cached_property
    def absolute(self) -> Floats:
        """(n, 18) in the order of calculation."""
        places = self._point[None, : self._stepper.layout.integrals]
        return self._stepper.absolute(places)[0]

    @documented("float: Angle (rad, without wrap-around) or displacement (m)")
    def coordinate(self, joint: Joint | str, which: Coordinate = "auto") -> float:
        """Coordinate of a joint."""
        key = self._key(joint, which)
        place = self._stepper.places[key]
        if place is not None:
            return float(self._point[place[0]])
        layout = self._stepper.layout
        integrals = self._point[None, layout.integrals : layout.supply]
        found = coordinate(
            self._stepper.solver.setup, *key, self.absolute[None], np.array([self.t]), integrals
        )
        return float(found[0])

    @documented("float: rad/s or m/s")
    def rate(self, joint: Joint | str, which: Coordinate = "auto") -> float:
        """Rate of a joint's coordinate."""
        key = self._key(joint, which)
        place = self._stepper.places[key]
        if place is not None:
            return float(self._point[place[1]])
        setup = self._stepper.solver.setup
        return float(coordinate_rate(setup, *key, self.absolute[None])[0])

    @property
    def coordinates(self) -> dict[str, float]:
        """Joint -> its usual coordinate (rad or m), of all joints that have one."""
        return {joint.name: self.coordinate(joint.name) for joint in self.model.joints
                if joint.coordinates}  # fmt: skip

    @property
    def rates(self) -> dict[str, float]:
        """Joint -> the rate of its usual coordinate (rad/s or m/s)."""
        return {
            joint.name: self.rate(joint.name) for joint in self.model.joints if joint.coordinates
        }

    def position(self, body: Body | str) -> Floats:
        """Centre of mass of a body in world coordinates (3,), m."""
        return self._body(body)[POSE_X : POSE_X + 3]

    def rotation(self, body: Body | str) -> Floats:
        """Rotation matrix of a body, from body to world (3, 3)."""
        return self._body(body)[POSE_R : POSE_R + 9].reshape(3, 3)

    def velocity(self, body: Body | str) -> Floats:
        """Velocity of the centre of mass of a body in world axes (3,), m/s."""
        found: Floats = self.rotation(body) @ self._body(body)[TWIST + 3 :]
        return found

    def angular_velocity(self, body: Body | str) -> Floats:
        """Angular velocity of a body in its own axes (3,), rad/s."""
        return self._body(body)[TWIST : TWIST + 3]

    def _body(self, body: Body | str) -> Floats:
        index = self._stepper.solver.setup.body_index[self.model.body(body).name]
        return self.absolute[index]

    def _key(self, joint: Joint | str, which: Coordinate) -> Key:
        if isinstance(joint, str) and isinstance(which, str):
            known = (joint, which)
            if self._stepper.places.get(known) is not None:  # by names, as most ask
                return known
        return coordinate_key(self.model, joint, which)


class Control:
    """The inputs of a run, set by hand or by a controller, and constant over a step.

    Kernels add `values` to efforts and targets.  The input of a servo replaces its target: the
    difference from the target of the model is added.
    """

    def __init__(
        self, stepper: Stepper, controller: Controller | None = None, every: int = 1,
        period: float | None = None,
    ) -> None:  # fmt: skip
        self.stepper, self.controller = stepper, controller
        self.every = every  # steps between two samples, ...
        self.period = period  # ... or seconds, where steps have no length of their own
        self.asked_for = 0  # samples so far
        columns = stepper.solver.setup.signals.inputs
        self.names = tuple(columns)
        self.columns = np.array(list(columns.values()), np.int64)
        self.values = np.zeros(len(columns))
        model = stepper.solver.setup.model
        own = [own_target(model.force(name)) for name in columns]
        self.moving = {name for name, target in zip(columns, own) if target is None}
        self.targets = np.array([target or 0.0 for target in own])
        self.asked = -1  # the step before which the controller was asked last
        self.times: list[float] = []
        self.history: list[Floats] = []
        self.drained = 0  # how many of them are kept elsewhere

    @property
    def steers(self) -> bool:
        """Whether inputs change the motion: steps that are tried later would not know them all."""
        return self.controller is not None or bool(self.values.any())

    @property
    def sample(self) -> float:
        """Between two samples, in steps or s; 0 without a controller."""
        every = self.every if self.period is None else self.period
        return 0 if self.controller is None else every

    def set(self, given: Any, t: float) -> None:
        """Hold some inputs from t on; those not named stay as they are."""
        for name, value in checked_inputs(given, self.names, t).items():
            if name in self.moving:
                raise InvalidOption(
                    f"inputs at t = {t:g} s: servo '{name}' has a target that is a function of"
                    " time, which an input cannot replace.",
                    "Give the servo a number as its target, or no input.",
                )
            index = self.names.index(name)
            self.values[index] = value - self.targets[index]
        self.note(t)

    @property
    def given(self) -> dict[str, float]:
        """Present inputs by name: efforts, and targets of servos that are not functions of time."""
        both = zip(self.names, (self.values + self.targets).tolist())
        return {name: value for name, value in both if name not in self.moving}

    def go_on(self, values: Floats, t: float) -> None:
        """Take up what was held at t; samples before that are over."""
        self.values[:] = values
        self.note(t)
        while self.period is not None and self.next_time < t:
            self.asked_for = max(self.asked_for + 1, int(t / self.period))

    def note(self, t: float) -> None:
        """Remember what is held from t on."""
        if self.times and self.times[-1] == t and self.drained < len(self.times):
            self.history[-1] = self.values.copy()
        elif not self.history or not np.array_equal(self.history[-1], self.values):
            self.times.append(t)
            self.history.append(self.values.copy())

    def hold(self) -> None:
        """Put the inputs where kernels read them."""
        self.stepper.workspace.signals[self.columns] = self.values

    def before(self, index: int, t: float, block: Floats) -> bool:
        """Ask the controller before step `index`, if it is due, and hold what it says; whether it
        was asked.
        """
        if due := self.controller is not None and self.is_due(index, t):
            assert self.controller is not None
            self.asked, self.asked_for = index, self.asked_for + 1
            self.set(answer(self.controller, t, Moment(self.stepper, block, t)), t)
        if self.columns.size:
            self.hold()
        return due

    def is_due(self, index: int, t: float) -> bool:
        if self.period is None:
            return index % self.every == 0 and index != self.asked
        return t >= self.next_time

    @property
    def next_time(self) -> float:
        """When steps that choose their length are to end for the next sample, s."""
        return np.inf if self.period is None else self.asked_for * self.period

    def until(self, index: int, end: int) -> int:
        """How far steps may go from `index` on before the controller is asked again."""
        if self.controller is None:
            return end
        return min(end, (index // self.every + 1) * self.every)

    def drain(self) -> Floats:
        """Times and values (k, 1 + inputs) since this was asked last; all but the last go."""
        new = [[t, *row] for t, row in zip(self.times, self.history)][self.drained :]
        self.times, self.history = self.times[-1:], self.history[-1:]
        self.drained = len(self.times)
        return np.array(new).reshape(-1, 1 + len(self.names))

    def inputs(self) -> Inputs | None:
        """What was held, as readings of a result need it; None if nothing ever was."""
        if not any(row.any() for row in self.history):
            return None
        return Inputs(np.array(self.times), np.array(self.history))


def own_target(force: Any) -> float | None:
    """The target that an input of a servo replaces; 0 of what inputs add to, None if it moves."""
    if not isinstance(force, Motor) or force.target is None or input_of(force) == "effort":
        return 0.0
    value = force.target.steady
    return 0.0 if value is not None and input_of(force) == "rate" else value


def answer(controller: Controller, t: float, moment: Moment) -> Any:
    remedy = "Give controller(t, state) that returns a dict: motor -> effort, servo -> target."
    with placed_at("controller"):
        return answer_of(controller, (t, moment), "controller", remedy, InvalidOption, t=t)


def checked_inputs(given: Any, names: tuple[str, ...], t: float) -> dict[str, float]:
    """Motor -> number."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidOption(
            f"inputs at t = {t:g} s must be a dict of motors and servos, got {short_repr(given)}.",
            'Give {"motor": effort}, in N m or N, and {"servo": target}, in rad or m.',
        )
    checked = {}
    for motor, value in given.items():
        name = UnknownName.check("motor or servo", getattr(motor, "name", motor), names, "inputs")
        where = f"inputs at t = {t:g} s"
        checked[name] = checked_number(value, f"input of '{name}'", where, InvalidOption)
    return checked


def checked_controller(controller: Any, sample: Any, names: Any) -> float | None:
    """Refuse what is not a controller; its sample time, s, if it has one."""
    if controller is None:
        if sample is not None:
            raise InvalidOption(
                f"simulate: sample is {short_repr(sample)}, but there is no controller.",
                "Give controller=f with it, or leave it out.",
            )
        return None
    if not callable(controller):
        raise InvalidOption(
            f"simulate: controller must be a function, got {short_repr(controller)}.",
            "Give controller(t, state) that returns a dict: motor -> effort, servo -> target.",
        )
    if not names:
        raise InvalidOption(
            "simulate: there is a controller, but the model has neither a motor nor a servo.",
            "Add a Motor(..., effort=0) or a Servo to the joints that it is to move.",
        )
    if sample is None:
        return None
    return checked_positive(sample, "sample", "s", "simulate", InvalidOption)


def steps_between(seconds: float, step: float) -> int:
    """The number of steps between two samples; refuse a time that is not a whole number of them."""
    steps = round(min(seconds / step, MOST_STEPS))
    if steps < 1 or abs(seconds / step - steps) > WHOLE * steps:
        near = max(1, steps) * step
        raise InvalidOption(
            f"simulate: sample must be a whole number of steps of {step:g} s, got {seconds:g} s.",
            f"Give sample={near:g}, say, or a step that divides it.",
        )
    return steps
