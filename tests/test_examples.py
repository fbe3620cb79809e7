"""Every example runs and its own check holds."""

import runpy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

#: Libraries that chasles works with, but does not ask for.
GUESTS = {"gradient_in_jax": "jax", "gradient_in_torch": "torch"}
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@cache
def ran(name):
    """The names of an example that has run."""
    path = next(path for path in EXAMPLES if path.stem == name)
    return runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_and_its_check_holds(path):
    if path.stem in GUESTS:
        pytest.importorskip(GUESTS[path.stem])
    ran(path.stem)


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("draws", [1, pytest.param(12, marks=pytest.mark.slow)])
def test_repeated_draws_of_the_noise_scatter_as_the_covariance_says(draws):
    """x - truth weighed with the inverse covariance is chi squared with two degrees of freedom a
    draw.  Newton's method with the Hessian of the example finds every minimum in two steps.
    """
    example = ran("identify_pendulum")
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
    for _ in range(draws):
        noise = example["NOISE"] * rng.normal(size=clean.shape)
        misfit.__globals__["measured"] = clean + noise
        found = true.copy()
        for _ in range(2):
            found = found - covariance @ misfit(found)[1]
        deviation = found - true
        total += deviation @ np.linalg.solve(covariance, deviation)
    low, high = chi2.ppf([1e-4, 1.0 - 1e-4], 2 * draws)
    assert low < total < high
