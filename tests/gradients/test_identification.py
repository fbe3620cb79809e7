"""The worked example of an identification, and how certain it says to be."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "identify_pendulum.py"
DRAWS = 6


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


def test_repeated_draws_of_the_noise_scatter_as_the_covariance_says(example):
    """x - truth weighed with the inverse covariance is chi squared with two degrees of freedom a
    draw.  Newton's method with the Hessian of the example finds every minimum in two steps.
    """
    misfit, true, covariance = (example[name] for name in ("misfit", "TRUE", "covariance"))
    clean = (
        example["ch"]
        .simulate(
            example["pendulum"](*true),
            example["UNTIL"],
            example["STEP"],
            save_every=example["EVERY"],
        )
        .position("lower")
    )
    rng, total = np.random.default_rng(11), 0.0
    for _ in range(DRAWS):
        noise = example["NOISE"] * rng.normal(size=clean.shape)
        misfit.__globals__["measured"] = clean + noise
        found = true.copy()
        for _ in range(2):
            found = found - covariance @ misfit(found)[1]
        deviation = found - true
        total += deviation @ np.linalg.solve(covariance, deviation)
    low, high = chi2.ppf([1e-4, 1.0 - 1e-4], 2 * DRAWS)
    assert low < total < high
