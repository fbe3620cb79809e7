"""Rotations stay rotations: R^T R = I to the last digits, however many steps."""

import numpy as np
import pytest
from mechanisms import SPACES, chain, double_pendulum, heavy_top, moving, orthogonality

import chasles as ch

ORTHOGONAL = 1e-14


def top_after(steps):
    """The heavy top in its default space; a thousand states are kept."""
    result = ch.simulate(heavy_top(), steps * 1e-3, step=1e-3, save_every=steps // 1000)
    assert result.provenance["steps"] == steps
    assert len(result.t) == 1001
    return result


def test_the_top_is_rigid_after_ten_million_steps():
    assert orthogonality(top_after(10**7)) < ORTHOGONAL


@pytest.mark.slow
def test_the_top_is_rigid_after_a_hundred_million_steps():
    assert orthogonality(top_after(10**8)) < ORTHOGONAL


@pytest.mark.parametrize("space", SPACES)
def test_the_pendulum_is_rigid_in_every_space(space):
    result = ch.simulate(double_pendulum(), 10.0, step=1e-4, spaces=space, save_every=100)
    assert orthogonality(result) < ORTHOGONAL


@pytest.mark.parametrize("space", ["auto", "SE3 relative"])
def test_a_long_chain_of_relative_rotations_is_rigid(space):
    """The rotation of the last body is a product of thirty, each with its own rounding errors."""
    rng = np.random.default_rng(0)
    model = moving(chain(rng, ["revolute"] * 30), rng, speed=1.0)
    result = ch.simulate(model, 0.2, step=1e-4, spaces=space, save_every=10)
    assert orthogonality(result) < 30 * 1e-15
