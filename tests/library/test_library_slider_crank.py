"""The spatial slider-crank against its published values, and SciPy on the crank's angle."""

from pathlib import Path

import numpy as np
import pytest
from one_freedom import OneFreedom

import chasles as ch
from chasles.studies.library import slider_crank

PIVOT, CRANK, ROD = np.array([0, 0.1, 0.12]), 0.08, 0.3


def geometry(angle):
    """B, C and the rod's direction at an angle of the crank from the vertical."""
    b = PIVOT + CRANK * np.array([0, -np.sin(angle), np.cos(angle)])
    c = np.array([np.sqrt(ROD**2 - b[1] ** 2 - b[2] ** 2), 0, 0])
    return b, c, (c - b) / ROD


def pose(name, angle):
    """The rod's y axis is the pin of the universal joint, perpendicular to rail and rod."""
    b, c, along = geometry(angle)
    if name == "crank":
        cos, sin = np.cos(angle), np.sin(angle)
        return np.array([(1, 0, 0), (0, cos, -sin), (0, sin, cos)]), (PIVOT + b) / 2
    if name == "slider":
        return np.eye(3) + 0 * angle, c
    pin = np.cross((1, 0, 0), along)
    pin = pin / np.sqrt(pin @ pin)
    return np.column_stack((along, pin, np.cross(along, pin))), (b + c) / 2


class NotSpinning(OneFreedom):
    """With a ball at both ends: an axially symmetric rod without spin keeps without."""

    def mass(self, q):
        rod = self.model.body("rod")
        turn, _ = pose("rod", q + 1e-30j)
        spin = (turn.real.T @ turn.imag / 1e-30)[2, 1]  # about the rod's own axis
        return super().mass(q) - rod.inertia[0][0] * spin**2


TIMES = np.linspace(0, 5, 51)
PUBLISHED = Path(__file__).parents[1] / "reference" / "iftomm_slider_crank.csv"


def test_the_slider_is_where_the_submission_to_the_iftomm_library_has_it():
    published = np.loadtxt(PUBLISHED, delimiter=",", skiprows=4)
    result = ch.library.get("slider-crank").run(save_every=20)
    assert result.t == pytest.approx(published[:, 0], abs=1e-12) and len(published) == 501
    assert np.abs(result.position("slider")[:, 0] - published[:, 1]).max() < 1e-4


def test_the_published_values_are_among_the_checks(monkeypatch):
    """Of all checks this alone knows where the crank's centre of mass is."""
    monkeypatch.setattr(slider_crank, "MASSES", (0.13, 0.5, 2.0))
    benchmark = ch.library.get("slider-crank")
    checks = benchmark.check(benchmark.run(save_every=200))
    assert [check.passed for check in checks] == [False, True, True, True, True]


@pytest.mark.parametrize(
    "name, reference",
    [("slider-crank", OneFreedom), ("slider-crank-spherical", NotSpinning)],
)
def test_crank_and_slider_move_as_the_energy_says(name, reference):
    benchmark = ch.library.get(name)
    result = benchmark.run(save_every=200)
    assert result.t == pytest.approx(TIMES)
    angle = reference(benchmark.model(), pose).solve(0.0, 6.0, TIMES)
    assert angle[-1] > 40  # many turns
    assert result.coordinate("A") == pytest.approx(angle, abs=1e-6)
    slider = [geometry(q)[1][0] for q in angle]
    assert result.position("slider")[:, 0] == pytest.approx(slider, abs=1e-7)


def test_the_universal_joint_turns_the_rod_with_its_pin():
    benchmark = ch.library.get("slider-crank")
    result = benchmark.run(save_every=200)
    for turn, angle in zip(result.rotation("rod"), result.coordinate("A")):
        assert turn == pytest.approx(pose("rod", angle)[0], abs=1e-9)


def test_with_two_balls_the_rod_keeps_its_spin():
    result = ch.library.get("slider-crank-spherical").run(save_every=200)
    assert result.angular_velocity("rod")[:, 0] == pytest.approx(np.zeros(len(result.t)), abs=1e-12)


def test_the_start_is_that_of_the_public_restatement():
    """Published: slider at 0.2 m and 0.24 m/s, conrod's centre at (0.12, -0.24, 0) m/s."""
    result = ch.library.get("slider-crank").run(until=1e-3)
    assert result.position("slider")[0] == pytest.approx((0.2, 0, 0), abs=1e-14)
    assert result.velocity("slider")[0] == pytest.approx((0.24, 0, 0), abs=1e-14)
    assert result.velocity("rod")[0] == pytest.approx((0.12, -0.24, 0), abs=1e-14)
