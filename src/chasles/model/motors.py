"""Motors and servos on a joint's coordinate: effort or target by number, signal, function or input.

With q the coordinate and g the gear ratio, the motor's shaft moves by g q, and

    effort on the joint = g clip(stiffness g (target - q) + damping g (target' - q') + effort),

where clip keeps what the motor itself exerts within its limits.
"""

from collections.abc import Callable
from inspect import signature
from math import inf
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from chasles.model.checks import Invalid, checked_number
from chasles.model.coordinates import Which
from chasles.model.derivatives import Function
from chasles.model.errors import short_repr
from chasles.model.fields import Taken, given, optional
from chasles.model.joint_forces import NOTHING, Damping, JointForce, Stiffness, effort_of
from chasles.model.signals import FORMS, Part, Signal, checked_signal
from chasles.model.words import ArrayLike, Floats

#: What an input of a Simulation or a controller acts on.
InputOf = Literal["effort", "target", "rate"]
Limit = float | tuple[float, float] | None


class Feedback(Signal):
    """An effort that depends on the motion: function(t, q, q'), called at every stage."""


def counts_taken(function: Any) -> list[int]:
    """Whether a function takes one number (the time), three of them, or both."""
    try:
        takes = signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):  # a function of C that does not tell
        return [1]

    def fits(count: int) -> bool:
        try:
            takes.bind(*(0.0,) * count)
        except TypeError:
            return False
        return True

    return [count for count in (1, 3) if fits(count)]


def checked_effort(effort: Any, what: str, where: str, invalid: Invalid) -> Signal:
    if isinstance(effort, Feedback):
        return effort
    if callable(effort) and not isinstance(effort, Signal):
        taken = counts_taken(effort)
        if not taken:
            raise invalid(
                f"{where}: {what} is a function that takes neither t alone nor t, q and rate.",
                "Give a function of t (s), or of t, the coordinate q and its rate.",
            )
        if taken == [3]:
            return Feedback(effort)
    return checked_signal(effort, what, where, invalid, f"{FORMS}, or of t, q and rate")


def checked_limit(limit: Any, what: str, where: str, invalid: Invalid) -> tuple[float, float]:
    """The lowest and the highest effort, from one number for both or from the pair."""
    remedy = "Give a positive number, or the pair (lowest, highest)."
    listed = isinstance(limit, list | tuple) or (isinstance(limit, np.ndarray) and limit.ndim == 1)
    numbers = [checked_number(x, what, where, invalid) for x in (limit if listed else [limit])]
    if len(numbers) != (2 if listed else 1):
        raise invalid(
            f"{where}: {what} must be one number or two, got {short_repr(limit)}.", remedy
        )
    low, high = numbers if listed else (-numbers[0], numbers[0])
    if not low < high:
        raise invalid(
            f"{where}: {what} must allow some effort, got {short_repr(limit)}: its lowest effort,"
            f" {low:g}, is not below its highest, {high:g}.",
            remedy,
        )
    return low, high


def checked_gear(gear: Any, what: str, where: str, invalid: Invalid) -> float:
    ratio = checked_number(gear, what, where, invalid)
    if ratio == 0.0:
        raise invalid(
            f"{where}: {what} must not be 0, since nothing would reach the joint.",
            "Give the turns of the motor per turn of the joint; 1 for none.",
        )
    return ratio


Target = Annotated[Taken[Signal | Function | float | None, Signal | None], optional(checked_signal)]
OwnTarget = Annotated[Taken[Signal | Function | float, Signal | None], optional(checked_signal)]
Effort = Annotated[Taken[Signal | Callable[..., Any] | float, Signal], checked_effort]


class Motor(JointForce):
    """A motor with PD control: stiffness (target - q) + damping (target' - q') + effort.

    Parameters
    ----------
    target
        Target of the coordinate, rad or m: a number, a Signal, or a function of t.
    stiffness
        Proportional gain, N m/rad or N/m.
    damping
        Derivative gain, N m s/rad or N s/m.
    effort
        Additional effort, N m or N: a number, a Signal, a function of t, or of t, coordinate
        and rate. Inputs of a controller are added. Use 0 for a motor that waits for inputs.
    limit
        Largest effort in either direction, N m or N, or the pair (lowest, highest). None: no
        limit.
    gear
        Turns of the motor per turn of the joint. The joint feels gear times the effort of the
        motor. Stiffness, damping, effort and limit are those of the motor; the target is a
        coordinate of the joint.

    Notes
    -----
    Target and effort are stored as Signals.

    Examples
    --------
    >>> Motor("servo", "elbow", target=0.5, stiffness=100.0).target.sample([0.0]).tolist()
    [[0.5, 0.0, 0.0]]
    >>> Motor("winch", "drum", effort=lambda t, q, rate: -2.0 * rate, limit=5.0).limit
    (-5.0, 5.0)
    """

    #: what an input acts on: it is added to an effort, and replaces a target or its rate
    adds_to: ClassVar[InputOf] = "effort"

    target: Target = given(default=None)
    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    effort: Effort = given(default=NOTHING)
    coordinate: Which = "auto"
    limit: Annotated[Limit, optional(checked_limit)] = None
    gear: Annotated[float, checked_gear] = 1.0

    @property
    def feedback(self) -> Feedback | None:
        """Its effort, where that depends on the motion."""
        return self.effort if isinstance(self.effort, Feedback) else None

    def effort_at(self, t: float, q: float, rate: float) -> float:
        """That effort at one time and motion, checked."""
        function: Callable[..., Any] = self.effort.function
        return effort_of(function, "effort", self.where, t, q, rate)

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest effort, infinite if there is no limit."""
        return self.limit if isinstance(self.limit, tuple) else (-inf, inf)

    def sample(self, times: ArrayLike) -> Floats:
        """(T, 3): target, rate of the target and effort at T times; zeros without a target.

        An effort that depends on the motion is not among them.
        """
        columns = np.zeros((np.size(times), 3))
        for first, signal, orders, owner in self.parts():
            if orders == 1:  # it need not be smooth
                columns[:, first] = signal.values(times, owner)
            else:
                columns[:, first : first + orders] = signal.sample(times, owner)[:, :orders]
        return columns

    def parts(self) -> list[Part]:
        """What a kernel evaluates, in the columns of `sample`."""
        parts: list[Part] = []
        if self.feedback is None:
            parts.append((2, self.effort, 1, f"{self.where}, effort"))
        if self.target is not None:
            orders = 2 if self.damping > 0.0 else 1  # a rate that is not used need not exist
            parts.append((0, self.target, orders, f"{self.where}, target"))
        return parts

    def _check(self) -> None:
        super()._check()
        controlled = self.stiffness > 0.0 or self.damping > 0.0
        if controlled and self.target is None:
            raise self._wrong(
                f"stiffness is {self.stiffness:g} and damping is {self.damping:g},"
                " but there is no target.",
                "Give target=, such as target=0 to hold the start.",
            )
        if self.target is not None and not controlled:
            raise self._wrong(
                "there is a target, but stiffness and damping are both 0.",
                "Give stiffness= or damping=, or a Driver to follow the target exactly.",
            )
        if self.target is None and self.effort is NOTHING:
            raise self._wrong(
                "there is neither a target nor an effort, so it does nothing.",
                "Give effort=, or target= with stiffness= or damping=; effort=0 for a motor that"
                " a controller or the inputs of a Simulation drive.",
            )


class Servo(Motor):
    """A motor that follows a target. Inputs of a `Simulation` or a controller set the target.

    Parameters
    ----------
    target
        Target of the coordinate, rad or m: a number, a Signal, or a function of t. An input
        replaces a number. Without stiffness, an input is the rate of the target, rad/s or m/s.

    Examples
    --------
    >>> Servo("knee servo", "knee", stiffness=80.0, damping=4.0, limit=30.0).limits
    (-30.0, 30.0)
    """

    adds_to: ClassVar[InputOf] = "target"

    target: OwnTarget = given(default=0.0)

    def _check(self) -> None:
        super()._check()
        if self.target is None:
            raise self._wrong(
                "target must be a number, got None.",
                "Give a finite number, a Signal, or a function of t; 0 is the start.",
            )


def input_of(motor: Motor) -> InputOf:
    """What an input of a motor acts on."""
    return "rate" if motor.adds_to == "target" and motor.stiffness == 0.0 else motor.adds_to
