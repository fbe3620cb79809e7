"""Runs of a study: what `simulate` would warn of is what the study measures."""

import warnings
from typing import Any

from chasles.model import ChaslesWarning, Model
from chasles.result.result import Result
from chasles.run.simulate import simulate


def steps_between(until: Any, step: Any, states: int) -> int:
    """After how many steps each a run keeps so many states and some more."""
    try:
        return max(1, round(until / step) // states)
    except (ArithmeticError, TypeError, ValueError):  # of what is no number, which simulate refuses
        return 1


def simulate_quietly(model: Model, until: float, **options: Any) -> Result:
    """`simulate` without its warnings; the provenance of the result keeps them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChaslesWarning)
        return simulate(model, until, **options)
