"""Every erratum: the printed formula and the right one are told apart by figures."""

import numpy as np
import pytest
from scipy.optimize import brentq

from chasles.studies.paper import errata


@pytest.fixture(scope="module")
def figures(study):
    return {e.key: [(p, r) for p, r in e.measures] for e in errata.all_errata(study)}


def test_the_printed_exp_is_right_at_one_radian_only(figures):
    (small, _), (one, _), (large, _) = figures["exp-so3"]
    assert small > 1e-3 and large > 0.5 and one < 1e-15
    assert all(right < 1e-15 for _, right in figures["exp-so3"])


def test_the_printed_dexp_inverse_cancels(figures):
    printed = [p for p, _ in figures["dexp-inverse-se3"]]
    assert printed == pytest.approx([8e-8, 2e-2, 1.1e4], rel=0.2)
    assert all(right < 1e-14 for _, right in figures["dexp-inverse-se3"])


@pytest.mark.parametrize("angle", [0.01, 0.1, 0.3])
def test_the_series_is_the_printed_factor(angle):
    exact = errata.ad4_factor_exact(angle)
    assert errata.ad4_factor_series(angle) == pytest.approx(exact, rel=1e-10)


def test_the_printed_acceleration_constraint_is_unstable(figures):
    (one, right_one), (five, right_five) = figures["acceleration-constraint"]
    assert 1e-10 < one < 1e-6 and five > 1.0
    assert right_one < 1e-13 and right_five < 1e-12


def test_a_wrong_sign_in_dexp_inverse_costs_two_orders(figures):
    for wrong, right in figures["dexp-inverse-sign"]:
        assert wrong == pytest.approx(2, abs=0.1) and right == pytest.approx(4, abs=0.1)


def test_the_other_misprints(figures):
    [(printed, right)] = figures["gravity"]
    assert printed == pytest.approx(9.81 / 2.7) and right == pytest.approx(9.81)
    [(printed, right)] = figures["hybrid-velocity"]
    assert printed > 1 and right < 1e-12
    [(printed, right)] = figures["lever-r0"]
    assert (printed, right) == (1.0, 0.0)
    assert figures["multiplier"] == []  # a matter of words
    [(printed, right)] = figures["no-gravity"]
    assert printed > 5e-3 and right < 1e-7
    [(printed, right)] = figures["dexp-state-space"]
    assert printed > 1 and right < 1e-8


def test_the_printed_exp_is_a_rotation_at_two_angles_only():
    """A root of angle = cot^2(angle / 2) beside 1 rad: orthogonal, but a wrong rotation."""
    root = brentq(lambda x: x - 1 / np.tan(x / 2) ** 2, 1.2, 1.6)

    def defect(angle):
        turn = errata.exp_so3(angle * np.array([0, 0.6, 0.8]), printed=True)
        return np.abs(turn.T @ turn - np.eye(3)).max()

    assert root == pytest.approx(1.4025, abs=1e-4)
    assert defect(1.0) < 1e-15 and defect(root) < 1e-12
    assert min(defect(angle) for angle in (0.1, 0.5, 0.9, 1.2, 1.6, 2.0, 3.0)) > 1e-3
