"""Runs of a study: what `simulate` would warn of is what the study measures."""

import warnings
from typing import Any

from chasles.model import ChaslesWarning, Model
from chasles.result.result import Result
from chasles.run.simulate import simulate


def simulate_quietly(model: Model, until: float, **options: Any) -> Result:
    """`simulate` without its warnings; the provenance of the result keeps them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChaslesWarning)
        return simulate(model, until, **options)
