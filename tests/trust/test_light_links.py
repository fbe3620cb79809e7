"""Links too light for the others: right, or refused, or told; never silent."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import chasles as ch

sys.path.insert(0, str(Path(__file__).parents[1] / "dynamics"))

from test_nearly_redundant import four_bar, gripper


@pytest.mark.parametrize(
    "model, lightest",
    [
        (four_bar(longer=0.05, coupler=1e-9), "coupler"),
        (four_bar(longer=0.05, coupler=1e-10), "coupler"),
        (gripper(1e-10), "left follower"),
    ],
    ids=["coupler", "lighter coupler", "gripper"],
)
def test_what_rounding_cannot_solve_is_refused_with_the_true_reason(model, lightest):
    with pytest.raises(ch.InvalidModel, match=f"the lightest body is '{lightest}'"):
        ch.simulate(model, 0.01, 1e-4)
    with pytest.raises(ch.InvalidModel, match="lightest"):
        ch.equations(model)


@pytest.mark.parametrize("stabilise", [None, "baumgarte"])
def test_accelerations_that_are_missed_on_the_way_are_told(stabilise):
    """On charts: joint coordinates do not care."""
    model = four_bar(longer=0.05, coupler=1e-8)
    eq = ch.equations(model)  # right at the start
    assert eq.jacobian @ eq.acceleration == pytest.approx(eq.eta, abs=1e-5 * np.abs(eq.eta).max())
    with pytest.warns(ch.ChaslesWarning, match=r"misses .* % of the acceleration.*'coupler'"):
        try:
            result = ch.simulate(model, 0.2, 1e-4, stabilise=stabilise, spaces="framed", rows="all")
        except ch.SimulationStopped as stopped:
            result = stopped.result
    assert any("of the acceleration" in text for text in result.warnings)


@pytest.mark.parametrize("coupler", [1.0, 1e-7])
def test_those_that_are_met_raise_no_alarm(coupler):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ch.simulate(four_bar(longer=0.05, coupler=coupler), 0.2, 1e-4)
