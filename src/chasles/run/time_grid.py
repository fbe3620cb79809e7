"""The steps of a run: where they begin, how long they are, and which states are kept."""

from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption
from chasles.model.checks import checked_array, checked_count, checked_positive
from chasles.model.errors import short_repr
from chasles.result.checkpoint import Checkpoint
from chasles.run.tolerances import Tolerances

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
    times = None if t_eval is None else checked_times(t_eval, began, until)
    return Grid(until, step, steps, rest, min(every, NEVER), times, origin, first)


def checked_step(step: Any, where: str) -> float:
    if step is None:
        remedy = "Give it in seconds: step=1e-3"
        if where == "simulate":
            remedy += "; or the accuracy that is wanted, tol=1e-6, and no method"
        raise InvalidOption(f"{where}: step was left out.", f"{remedy}.")
    return checked_positive(step, "step", "s", where, InvalidOption)


def begun(step: float, begin: Checkpoint | None) -> tuple[float, int]:
    """Origin and first step: those of the run that goes on, if its steps are as long."""
    if begin is None:
        return 0.0, 0
    return (begin.origin, begin.index) if begin.step == step else (begin.time, 0)


def checked_times(t_eval: Any, began: float, until: float) -> Floats:
    times = np.atleast_1d(checked_array(t_eval, "t_eval", "simulate", InvalidOption))
    ordered = times.ndim == 1 and times.size > 0 and np.all(np.diff(times) > 0)
    if not ordered or not (times[0] >= began and times[-1] <= until * (1 + ROUND_STEPS)):
        raise InvalidOption(
            f"simulate: t_eval must be an increasing list of times in [{began:g}, {until:g}], got"
            f" {short_repr(t_eval)}.",
            "Sort the times and leave out those after `until`.",
        )
    return times


def whole_and_rest(t: float, step: float) -> tuple[int, float]:
    """t as whole steps and the seconds left over, 0 where t is a whole number of steps."""
    ratio = t / step
    if abs(ratio - round(ratio)) <= ROUND_STEPS * max(1.0, ratio):
        return round(ratio), 0.0
    whole = floor(ratio)
    return whole, t - whole * step
