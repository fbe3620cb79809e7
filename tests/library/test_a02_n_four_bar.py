"""A02: the windows against the one pendulum equation that they obey as parallelograms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.studies.library.measures import point_path
from chasles.studies.library.n_four_bar import TRACED, exact_position, n_four_bar


def tip(result: ch.Result) -> np.ndarray:
    """Positions (T, 3) of B0."""
    return point_path(result, *TRACED["B0"])


def pendulum(windows: int, t: np.ndarray) -> np.ndarray:
    """B0 (T, 2) from Lagrange's equation in the angle of the uprights, from the vertical.

    N + 1 uprights of 1/3 kg m^2 about their feet, N level links of 1 kg in translation.
    """
    inertia = (windows + 1) / 3 + windows
    weight = 9.81 * ((windows + 1) / 2 + windows)
    solved = solve_ivp(
        lambda _, y: (y[1], weight / inertia * np.sin(y[0])),
        (0.0, t[-1]), (0.0, 1.0), "DOP853", t, rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    return np.stack((np.sin(solved.y[0]), np.cos(solved.y[0])), axis=1)


def missed(windows: int, result: ch.Result) -> float:
    """The largest distance of B0 from the pendulum's."""
    return np.linalg.norm(tip(result)[:, :2] - pendulum(windows, result.t), axis=1).max()


@pytest.mark.parametrize("windows", [2, 40])
def test_the_closed_form_of_the_check_solves_lagranges_equation(windows):
    t = np.linspace(0.0, 10.0, 201)
    exact = exact_position(windows, t)[:, :2]
    assert np.abs(exact - pendulum(windows, t)).max() < 1e-10


def test_two_windows_fall_as_one_pendulum_until_the_singular_pose():
    result = ch.library.get("A02").run(until=0.7)
    assert tip(result)[-1, 1] > 0.0  # not yet level
    assert missed(2, result) < 1e-9


def test_two_windows_pass_the_singular_pose_ten_times():
    benchmark = ch.library.get("A02")
    result = benchmark.run()
    level = np.flatnonzero(np.diff(np.sign(pendulum(2, result.t)[:, 1])))
    passed = [pose[0] for pose in result.singular_poses]
    assert len(passed) == 10 and np.abs(passed - result.t[level]).max() < 0.01
    assert np.abs(result.energy_balance()).max() < 1e-4  # the library allows 0.1 J
    assert missed(2, result) < 1e-5
    assert all(check.passed for check in benchmark.check(result))


def test_the_first_singular_pose_stops_a_run_that_may_not_pass():
    with pytest.raises(ch.SimulationStopped, match="became singular") as stop:
        ch.library.get("A02").run(singular="stop")
    assert 0.7 < stop.value.result.t[-1] < 0.72


def test_twelve_windows_pass_the_singular_pose_twice():
    benchmark = n_four_bar(12)
    result = benchmark.run(until=1.5, save_every=1)
    assert tip(result)[:, 1].min() < -0.99 and tip(result)[-1, 1] > 0.5
    assert np.abs(result.energy_balance()).max() < 1e-4
    assert missed(12, result) < 1e-6
    assert all(check.passed for check in benchmark.check(result))


@pytest.mark.slow
def test_forty_windows_keep_to_the_library_s_energy():
    benchmark = ch.library.get("A02-40")
    result = benchmark.run()
    assert np.abs(result.energy_balance()).max() < 1e-3  # the library allows 0.1 J
    assert missed(40, result) < 1e-4
    assert all(check.passed for check in benchmark.check(result))


@pytest.mark.slow
@pytest.mark.parametrize("windows", [2, 40])
def test_twenty_seconds_are_within_the_high_precision_of_the_first_description(windows):
    result = n_four_bar(windows).run(until=20.0)
    assert np.abs(result.energy_balance()).max() < 1e-3
    assert missed(windows, result) < 1e-4  # of 1e-3


def test_three_rows_per_window_are_redundant():
    for windows in (1, 2, 5):
        found = n_four_bar(windows).run(until=1e-3).redundancy
        assert found.rows - found.rank == 3 * windows


@pytest.mark.parametrize("windows", [0, -1, 2.5, "two", True, None])
def test_a_number_of_windows_that_is_none_is_refused(windows):
    with pytest.raises(ch.InvalidOption, match="windows"):
        n_four_bar(windows)
