"""The steps of a run: how long or how accurate they are, and which states are kept."""

from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.methods import Method, methods
from chasles.integrators.stabilisation import BAUMGARTE, GGL, Choice
from chasles.model import InvalidOption
from chasles.model.checks import (
    checked_array,
    checked_count,
    checked_not_negative,
    checked_positive,
)
from chasles.model.errors import short_repr
from chasles.result.provenance import Checkpoint
from chasles.run.options import ByHand, Options

#: What is tolerated where it was left out.
RTOL, ATOL = 1e-8, 1e-10
#: Doubles have no more digits to give: errors of rounding would be taken for those of the method.
SMALLEST_RTOL = 100.0 * float(np.finfo(float).eps)
#: m; no mechanism is as large.
LARGEST_ATOL = 1e9
#: SciPy judges coordinates by their own size, and charts begin at zero (m, m/s, rad, rad/s).
SMALLEST_ATOL = 1e-20
#: A step shorter than this fraction of the run cannot be told from none.
COLLAPSED = 64.0 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Tolerances:
    """How accurate every step is to be.

    rtol       of the size of a body for displacements, of its speed for velocities
    atol       m and m/s
    first_step s; 0: found by the run
    max_step   s
    """

    rtol: float
    atol: float
    first_step: float
    max_step: float


def make_tolerances(
    method: Method, options: Options | ByHand, until: Any, where: str = "simulate"
) -> Tolerances | None:
    """The tolerances of a run; None where a step was given."""
    step, first_step, max_step = options.step, options.first_step, options.max_step
    given = {name: getattr(options, name) for name in ("rtol", "atol", "first_step", "max_step")}
    named = [name for name, value in given.items() if value is not None]
    if step is not None:
        check_step(method, step, named, where)
        return None
    if not named:
        return None
    if not method.adaptive:
        able = ", ".join(name for name, known in methods().items() if known.adaptive)
        raise InvalidOption(
            f"{where}: the method '{method.name}' cannot choose its steps: it has no embedded"
            " method to judge them by.",
            f"Give a step; or tol=1e-6 and no method; or one of the methods that can: {able}.",
        )
    if not is_endless(until):  # as a run by hand is
        until = checked_positive(until, "until", "s", where, InvalidOption)
    relative, absolute = checked_accuracy(options.rtol, options.atol)
    if method.foreign is not None and absolute < SMALLEST_ATOL:
        raise InvalidOption(
            f"simulate: atol is {absolute:g} with '{method.name}', whose coordinates begin at zero:"
            " no step would be short enough.",
            "Give atol of 1e-14, say.",
        )
    longest = until
    if max_step is not None and not is_endless(max_step):
        longest = checked_positive(max_step, "max_step", "s", "simulate", InvalidOption)
    first = 0.0
    if first_step is not None:
        first = checked_positive(first_step, "first_step", "s", "simulate", InvalidOption)
        if first > until:
            raise InvalidOption(
                f"simulate: first_step is {first:g} s, longer than the run of {until:g} s.",
                "Give a shorter one, or leave it out.",
            )
    return Tolerances(relative, absolute, first, min(longest, until))


def check_step(method: Method, step: Any, named: list[str], where: str) -> None:
    """Refuse a step with tolerances, or with a method that only chooses its steps."""
    if named:
        raise InvalidOption(
            f"{where}: {named[0]} was given with a step of {short_repr(step)}.",
            f"Leave the step out to have it chosen, or leave {named[0]} out.",
        )
    if method.foreign is not None:
        raise InvalidOption(
            f"{where}: a step was given with '{method.name}', which chooses its steps.",
            "Give rtol and atol instead, or take another method.",
        )


def is_endless(seconds: Any) -> bool:
    return isinstance(seconds, float) and seconds == np.inf


def checked_accuracy(rtol: Any, atol: Any) -> tuple[float, float]:
    relative, absolute = RTOL, ATOL
    if rtol is not None:
        relative = checked_not_negative(rtol, "rtol", "", "simulate", InvalidOption)
    if atol is not None:
        absolute = checked_not_negative(atol, "atol", "m", "simulate", InvalidOption)
    if relative >= 1.0:
        raise InvalidOption(
            f"simulate: rtol is {relative:g}: errors as large as the bodies would pass.",
            "Give rtol below 1, 1e-6 say.",
        )
    if absolute > LARGEST_ATOL:
        raise InvalidOption(
            f"simulate: atol is {absolute:g} m (m/s): errors larger than any mechanism would pass.",
            "Give the local error tolerance in m and m/s, 1e-8 say, or leave atol out.",
        )
    if 0.0 < relative < SMALLEST_RTOL or relative == absolute == 0.0:
        raise InvalidOption(
            f"simulate: rtol is {relative:g} and atol {absolute:g} m, more digits than double"
            " precision has.",
            f"Give rtol of {SMALLEST_RTOL:.1g} or more.",
        )
    return relative, absolute


def check_stabiliser(choice: Choice | None) -> None:
    """Refuse feedback whose rates follow from the step."""
    if choice is not None and (
        choice.word == GGL or (choice.word == BAUMGARTE and not choice.rates)
    ):
        raise InvalidOption(
            f"simulate: stabilise='{choice.word}' takes its rates from the step, which is chosen"
            " along the way here.",
            "Take stabilise='projection' or Baumgarte(alpha, beta), or give a step.",
        )


#: A step count this close to a whole number, relatively, is one: rounding of a quotient.
ROUND_STEPS = 4.0 * float(np.finfo(float).eps)
#: save_every of a run whose states are not kept.
NEVER = 2**62
#: At a microsecond a step, a million steps are a second and these are thirty years.
MOST_STEPS = 1e15
#: So many steps are expected of a run that chooses them, where a length is to be told beforehand.
TYPICAL_STEPS = 1000


@dataclass(frozen=True)
class Grid:
    """Step k goes from origin + step * k to the next; `rest` seconds after the last reach `until`.

    A run takes the steps from `first` on, which is 0 unless it goes on where another one ended.
    """

    until: float
    step: float
    steps: int
    rest: float
    save_every: int
    t_eval: Floats | None
    origin: float = 0.0
    first: int = 0

    def time(self, index: int) -> float:
        """At which step `index` begins, s."""
        return self.origin + self.step * index


def make_grid(
    until: Any, step: Any, save_every: Any, t_eval: Any, begin: Checkpoint | None = None,
    tolerances: Tolerances | None = None, may_be_there: bool = False,
) -> Grid:  # fmt: skip
    """Check the options of a run; one that goes on may be at its end already if it says so."""
    until = checked_positive(until, "until", "s", "simulate", InvalidOption)
    if tolerances is not None:  # nothing is known of the steps: such as one may expect
        step = min(tolerances.max_step, until / TYPICAL_STEPS)
    step = checked_step(step, "simulate")
    every = checked_count(save_every, "save_every", None, "simulate", InvalidOption)
    if step > until * (1.0 + ROUND_STEPS):
        raise InvalidOption(
            f"simulate: step is {step:g} s, longer than the run, which ends at {until:g} s.",
            "Give simulate(model, until, step) with a step that is a small part of until, or give"
            " tol=1e-6 instead of a step.",
        )
    if not until / step < MOST_STEPS:
        raise InvalidOption(
            f"simulate: step is {step:g} s, which makes {until / step:.1g} steps to {until:g} s.",
            f"Take a step longer than {until / MOST_STEPS:.1g} s.",
        )
    origin, first = begun(step, begin)
    began = origin + step * first
    is_there = may_be_there and abs(until - began) <= ROUND_STEPS * began
    if not (until > began * (1.0 + ROUND_STEPS) or is_there):
        raise InvalidOption(
            f"simulate: until is {until:g} s, but the run to continue is at {began:g} s already.",
            "Give a later time: until counts from t = 0, not from where the run continues.",
        )
    steps, rest = whole_and_rest(until - origin, step)
    times = None
    if t_eval is not None:
        times = checked_times(t_eval, 0.0 if may_be_there else began, until)
    return Grid(until, step, steps, rest, min(every, NEVER), times, origin, first)


def checked_step(step: Any, where: str) -> float:
    if step is None:
        remedy = "Give it in seconds: step=1e-3"
        if where == "simulate":
            remedy += (
                "; or an accuracy: tol=1e-6 and no method, or rtol=1e-8 with a method that chooses"
                " its steps, such as dopri5 or dop853"
            )
        raise InvalidOption(f"{where}: step was left out.", f"{remedy}.")
    return checked_positive(step, "step", "s", where, InvalidOption)


def begun(step: float, begin: Checkpoint | None) -> tuple[float, int]:
    """Origin and first step: those of the run that goes on, if its steps are as long."""
    if begin is None:
        return 0.0, 0
    return (begin.origin, begin.index) if begin.step == step else (begin.time, 0)


def checked_times(t_eval: Any, began: float, until: float) -> Floats:
    times = checked_array(t_eval, "t_eval", "simulate", InvalidOption)
    ordered = times.ndim == 1 and times.size > 0 and np.all(np.diff(times) > 0)
    if not ordered or not (times[0] >= began and times[-1] <= until * (1 + ROUND_STEPS)):
        raise InvalidOption(
            f"simulate: t_eval must be an increasing list of times in [{began:g}, {until:g}], got"
            f" {short_repr(t_eval)}.",
            "Give a list of times in s, in order, and none after `until`; save_every=10 keeps every"
            " tenth step.",
        )
    return times


def whole_and_rest(t: float, step: float) -> tuple[int, float]:
    """t as whole steps and the seconds left over, 0 where t is a whole number of steps."""
    ratio = t / step
    if abs(ratio - round(ratio)) <= ROUND_STEPS * max(1.0, ratio):
        return round(ratio), 0.0
    whole = floor(ratio)
    return whole, t - whole * step
