"""A05: the governor against Lagrange's equations in the angle of the rods and the height."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import chasles as ch
from chasles.studies.library.flyball_governor import height, highest_with_rigid_couplers

ROD, BALL, CUBE, SHAFT = 0.3, 5.0, 3.0, 0.3  # kg
HINGE, WIDTH, G = 0.05, 0.01, 9.81  # m, m, m/s^2
SLENDER = ROD * (1 + WIDTH**2) / 12  # kg m^2, across a rod
ALONG = ROD * WIDTH**2 / 6
SWING = SLENDER + ROD / 4 + BALL  # of rod and ball about the hinge
TURNING = CUBE * 0.1**2 / 6 + SHAFT * WIDTH**2 / 6  # slider and shaft about the shaft


def about_shaft(angle: float) -> float:
    """Moment of inertia of everything; the rods are `angle` below the horizontal."""
    c, s = np.cos(angle), np.sin(angle)
    rod = SLENDER * c * c + ALONG * s * s + ROD * (HINGE + c / 2) ** 2 + BALL * (HINGE + c) ** 2
    return TURNING + 2 * rod


def about_shaft_slope(angle: float) -> float:
    c, s = np.cos(angle), np.sin(angle)
    return -2 * s * (
        2 * (SLENDER - ALONG) * c + ROD * (HINGE + c / 2) + 2 * BALL * (HINGE + c)
    )  # fmt: skip


def rates(_: float, y: np.ndarray, momentum: float) -> list[float]:
    """Of the rods' angle, the height and their speeds; both rods move alike."""
    angle, z, turning, rising = y
    spin = momentum / about_shaft(angle)
    c, s = np.cos(angle), np.sin(angle)
    across, up = c / 2, 1.0 - s / 2 - z  # of a coupler, from the slider to the middle of a rod
    length = np.hypot(across, up)
    stretching = (across * (-s / 2) * turning + up * (-c / 2 * turning - rising)) / length
    tension = 8e5 * (length - 0.5) + 4e4 * stretching
    on_angle = -tension * (across * (-s / 2) + up * (-c / 2)) / length
    gravity = G * (ROD / 2 + BALL) * c
    return [
        turning,
        rising,
        (about_shaft_slope(angle) * spin**2 / 4 + gravity + on_angle) / SWING,
        2 * tension * up / length / CUBE - G,
    ]


def integrated(t: np.ndarray) -> np.ndarray:
    """Angle below the horizontal and height (2, T)."""
    start = (np.pi / 6, 0.5, 0.0, 0.0)
    momentum = 2 * np.pi * about_shaft(np.pi / 6)
    solved = solve_ivp(rates, (0, t[-1]), start, "Radau", t, args=(momentum,), rtol=1e-10,
                       atol=1e-12)  # fmt: skip
    return solved.y[:2]


def below_horizontal(result: ch.Result, rod: str, side: float) -> np.ndarray:
    """The angle of a rod, from its own turn about its own y axis."""
    return np.arcsin(-side * result.rotation(rod)[:, 2, 0])


def compare(result: ch.Result) -> None:
    angle, z = integrated(result.t)
    assert np.abs(height(result) - z).max() < 1e-6
    for rod, side in (("right rod", 1.0), ("left rod", -1.0)):
        assert np.abs(below_horizontal(result, rod, side) - angle).max() < 1e-6


def test_slider_and_rods_follow_lagranges_equations_for_two_turns():
    benchmark = ch.library.get("A05")
    result = benchmark.run(until=2.0)
    compare(result)
    checks = benchmark.check(result)
    assert all(check.passed for check in checks) and "rigid couplers" in checks[0].what


@pytest.mark.slow
def test_slider_and_rods_follow_lagranges_equations_for_ten_seconds():
    benchmark = ch.library.get("A05")
    result = benchmark.run()
    compare(result)
    assert all(check.passed for check in benchmark.check(result))


def test_with_rigid_couplers_the_slider_turns_where_the_energy_is_that_of_the_start():
    momentum = 2 * np.pi * about_shaft(np.pi / 6)

    def energy(angle):
        height = 2 * (ROD / 2 + BALL) + CUBE  # kg m per unit of the sine
        return momentum**2 / (2 * about_shaft(angle)) - G * height * np.sin(angle)

    turned = brentq(lambda angle: energy(angle) - energy(np.pi / 6), 0.0, 0.5)
    assert highest_with_rigid_couplers() == pytest.approx(1 - np.sin(turned), abs=1e-12)


def test_the_couplers_are_relaxed_at_the_start():
    assert all(
        force.length == pytest.approx(0.5, abs=1e-15)
        for force in ch.library.get("A05").model().forces
    )
