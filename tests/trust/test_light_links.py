"""Links too light for the others: right, or refused, or told; never silent."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import chasles as ch

sys.path.insert(0, str(Path(__file__).parents[1] / "dynamics"))

from test_nearly_redundant import gripper, near_parallelogram


@pytest.mark.parametrize(
    "model, lightest",
    [
        (near_parallelogram(longer=0.05, coupler=1e-9), "coupler"),
        (near_parallelogram(longer=0.05, coupler=1e-10), "coupler"),
        (gripper(1e-10), "left follower"),
    ],
    ids=["coupler", "lighter coupler", "gripper"],
)
def test_what_rounding_cannot_solve_is_refused_with_the_true_reason(model, lightest):
    with pytest.raises(ch.InvalidModel, match=f"the lightest body is '{lightest}'"):
        ch.simulate(model, 0.01, 1e-4)
    with pytest.raises(ch.InvalidModel, match="lightest"):
        ch.equations(model)


@pytest.mark.parametrize("options", [{}, {"spaces": "SE3", "rows": "all"}], ids=str)
def test_a_coupler_of_a_hundred_millionth_of_the_crank_keeps_the_energy(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(near_parallelogram(longer=0.05, coupler=1e-8), 0.2, 1e-4, **options)
    assert np.ptp(result.energy()) < 1e-7 * result.energy()[0]


@pytest.mark.parametrize("coupler", [1.0, 1e-7])
def test_those_that_are_met_raise_no_alarm(coupler):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ch.simulate(near_parallelogram(longer=0.05, coupler=coupler), 0.2, 1e-4)
