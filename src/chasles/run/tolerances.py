"""Tolerances instead of a step: the options of a run that chooses its steps, checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.integrators.methods import Method, methods
from chasles.integrators.stabilisation.stabiliser import BAUMGARTE, GGL, Choice
from chasles.model import InvalidOption
from chasles.model.checks import checked_not_negative, checked_positive
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
    method: Method, asked: Options | ByHand, until: Any, where: str = "simulate"
) -> Tolerances | None:
    """The tolerances of a run; None where a step was given."""
    step, first_step, max_step = asked.step, asked.first_step, asked.max_step
    given = {name: getattr(asked, name) for name in ("rtol", "atol", "first_step", "max_step")}
    named = [name for name, value in given.items() if value is not None]
    if step is not None:
        if named:
            raise InvalidOption(
                f"{where}: {named[0]} was given with a step of {step!r}.",
                f"Leave the step out to have it chosen, or leave {named[0]} out.",
            )
        check_takes_steps(method, where)
        return None
    if not named:
        return None
    if not method.adaptive:
        able = ", ".join(name for name, known in methods().items() if known.adaptive)
        raise InvalidOption(
            f"{where}: the method '{method.name}' cannot choose its steps: it has no embedded"
            " method to judge them by.",
            f"Give a step, or one of the methods that can: {able}.",
        )
    if until != np.inf:  # which only a run by hand has
        until = checked_positive(until, "until", "s", where, InvalidOption)
    relative, absolute = checked_accuracy(asked.rtol, asked.atol)
    if method.foreign is not None and absolute < SMALLEST_ATOL:
        raise InvalidOption(
            f"simulate: atol is {absolute:g} with '{method.name}', whose coordinates begin at zero:"
            " no step would be short enough.",
            "Give atol of 1e-14, say.",
        )
    longest = until
    if max_step is not None and not (isinstance(max_step, float) and max_step == np.inf):
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


def check_takes_steps(method: Method, where: str) -> None:
    """Refuse a method that only chooses its steps."""
    if method.foreign is not None:
        raise InvalidOption(
            f"{where}: a step was given with '{method.name}', which chooses its steps.",
            "Give rtol and atol instead, or take another method.",
        )


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
