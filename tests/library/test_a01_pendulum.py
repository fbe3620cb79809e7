"""A01: the pendulum against its closed form, computed with mpmath."""

import mpmath
import numpy as np

import chasles as ch
from chasles.studies.library import simple_pendulum


def position(t: float) -> tuple[float, float]:
    """Released at rest from the horizontal: sin(theta/2) = k cd(omega t, k), to 30 digits."""
    with mpmath.workdps(30):
        omega = mpmath.sqrt(mpmath.mpf("9.81"))
        ratio = mpmath.ellipfun("cd", omega * mpmath.mpf(t), m=mpmath.mpf(1) / 2)
        angle = 2 * mpmath.asin(mpmath.sqrt(mpmath.mpf(1) / 2) * ratio)
        return float(-mpmath.sin(angle)), float(-mpmath.cos(angle))


TIMES = np.linspace(0.5, 10.0, 20)
EXACT = np.array([position(t) for t in TIMES.tolist()])


def test_the_closed_form_of_the_check_is_right():
    assert np.abs(simple_pendulum.exact_position(TIMES)[:, :2] - EXACT).max() < 1e-13


def test_the_mass_follows_the_closed_form_for_ten_seconds():
    result = ch.library.get("A01").run(t_eval=TIMES)
    assert np.abs(result.position("mass")[:, :2] - EXACT).max() < 1e-9
    assert np.abs(result.angular_velocity("mass")).max() == 0.0  # the mass is a point


def test_the_checks_pass():
    benchmark = ch.library.get("A01")
    assert all(check.passed for check in benchmark.check(benchmark.run()))
