"""The tops of Brüls and Cardona against SciPy on a quaternion, and their closed form."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import chasles as ch
from chasles.studies.library.heavy_top import FAST, SLOW, exact_height

MOMENTS = (0.234375 + 15.0, 0.46875, 0.234375 + 15.0)  # about the pivot
TOPS = [("top-fast", FAST), ("top-slow", SLOW)]


def rates(t, state):
    """Euler's equations about the pivot; the quaternion is (x, y, z, w)."""
    x, y, z, w, p, q, r = state
    a, b, c = MOMENTS
    weight = 15.0 * 9.81  # along -z of the world, at (0, 1, 0) in the body
    along_x, along_z = -weight * 2 * (x * z - w * y), -weight * (1 - 2 * (x * x + y * y))
    return [
        (w * p + y * r - z * q) / 2,
        (w * q + z * p - x * r) / 2,
        (w * r + x * q - y * p) / 2,
        -(x * p + y * q + z * r) / 2,
        (along_z - (c - b) * q * r) / a,
        -(a - c) * r * p / b,
        (-along_x - (b - a) * p * q) / c,
    ]


@cache
def reference(spin, until, count=21):
    """Rotations (count, 3, 3) at equal times."""
    start, times = [0, 0, 0, 1, *spin], np.linspace(0, until, count)
    solution = solve_ivp(rates, (0, until), start, "DOP853", times, rtol=1e-13, atol=1e-13)
    return Rotation.from_quat(solution.y[:4].T).as_matrix()


@pytest.mark.parametrize("name, spin", TOPS)
def test_the_top_turns_as_eulers_equations_say(name, spin):
    benchmark = ch.library.get(name)
    times = np.linspace(0, benchmark.until, 21)
    exact = reference(spin, benchmark.until)
    result = benchmark.run(t_eval=times)
    assert result.position("top") == pytest.approx(exact[:, :, 1], abs=2e-6)
    if name == "top-slow":
        assert result.rotation("top") == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("name, spin", TOPS)
def test_the_closed_form_is_right(name, spin):
    until = ch.library.get(name).until
    times, height = np.linspace(0, until, 21), reference(spin, until)[:, 2, 1]
    assert exact_height(times, spin) == pytest.approx(height, abs=1e-9)


@pytest.mark.parametrize("name, spin", TOPS)
def test_it_swings_through_the_pose_that_hangs_straight_down(name, spin):
    result = ch.library.get(name).run()
    assert result.position("top")[:, 2].min() < -1 + 1e-4


def test_the_fast_top_converges_with_order_four():
    top, times = ch.library.get("top-fast"), np.linspace(0, 2, 21)
    exact = reference(FAST, 2.0)[:, :, 1]
    steps = (2e-4, 1e-4, 5e-5)
    paths = [top.run(step=h, t_eval=times).position("top") for h in steps]
    errors = [np.abs(path - exact).max() for path in paths]
    slopes = np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert slopes == pytest.approx([4, 4], abs=0.3)
