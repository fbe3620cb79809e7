"""Published digits, which nobody here wrote."""

import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.cli import main
from chasles.studies.reproduced.cases import CASES, Reproduced, digits_in_common, reproduce


@pytest.mark.parametrize("name", CASES)
def test_what_was_printed_elsewhere_is_found_here(name):
    found = reproduce(name)
    for row in found.rows:
        assert row["common"] >= row["expected"], row
    assert found.agrees
    assert CASES[name].source in str(found)


@pytest.mark.parametrize(
    ("theirs", "ours", "digits"),
    [("1.0", 1.0, 17), ("1.0", 1.009, 2), ("-2.5", 2.5, 0), ("100.0", 100.00009, 6)],
)
def test_digits_are_counted_relatively(theirs, ours, digits):
    assert digits_in_common(theirs, ours) == digits


def test_two_pendulums_are_those_of_their_lagrangian():
    """Angles from the downward vertical, by SciPy: m = 1, both rods of length l."""
    length, g = 2.5, 9.81

    def rate(_, y):
        a, b, u, v = y
        c, s = np.cos(a - b), np.sin(a - b)
        mass = np.array([[2.0, c], [c, 1.0]])
        push = np.array(
            [-(v**2) * s - 2 * g / length * np.sin(a), u**2 * s - g / length * np.sin(b)]
        )
        return [u, v, *np.linalg.solve(mass, push)]

    start = [np.pi / 2, np.pi / 2, 0.0, 0.0]
    found = solve_ivp(rate, (0, 3), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:2, -1]
    expected = -length * np.cos(found).sum()
    assert reproduce("pendulums").converged == pytest.approx(expected, rel=1e-9)


def test_the_command_prints_them(capsys):
    assert main(["reproduce", "two-tops", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)[0]["rows"]
    assert len(rows) == 10


def test_unknown_names_are_refused():
    with pytest.raises(ch.UnknownName, match="top"):
        reproduce("tops")


def test_a_number_that_is_the_converged_one_is_off_by_zero():
    row = {"what": "RK4", "theirs": "2.0", "ours": 2.0, "common": 17, "expected": 3, "note": ""}
    found = Reproduced(CASES["top"], 2.0, (row,))
    assert any(line.startswith("RK4") and line.endswith("  0") for line in str(found).splitlines())
