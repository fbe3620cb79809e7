"""Two twists commute where their exponentials do: about one axis, or where one of them shifts along
the axis of the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from chasles.core.recursion.motion import commute, near_full_turn, parallel

SIZES = st.sampled_from([1e-4, 1e-2, 1.0, 30.0, 1e3])


def hat(twist):
    (x, y, z), v = twist
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    matrix[:3, 3] = v
    return matrix


def screw(axis, point, turn, shift):
    return tuple(turn * axis), tuple(turn * np.cross(point, axis) + shift * axis)


@given(st.integers(0, 10**6), SIZES, SIZES, st.sampled_from([0.0, 1.0]))
def test_screws_about_one_axis_commute_and_about_two_do_not(seed, one, other, shift):
    rng = np.random.default_rng(seed)
    axis, point, aside = rng.normal(size=(3, 3))
    axis /= np.linalg.norm(axis)
    aside -= axis * (axis @ aside)
    first = screw(axis, point, one, shift)
    assert commute(first, screw(axis, point, -other, 0.3 * other))
    assert parallel(first[0], screw(axis, point, other, 0.0)[0])
    tilted = screw(axis + 1e-6 * aside, point, other, 0.0)
    assert not parallel(first[0], tilted[0]) and not commute(first, tilted)
    assert not commute(first, screw(axis, point + 1e-3 * aside, other, 0.0))


@pytest.mark.parametrize("turn", [0.5, 1.0])
def test_what_commutes_is_what_exponentials_say(turn):
    axis, point = np.array([0.0, 0.6, 0.8]), np.array([1.0, 2.0, 3.0])
    first = screw(axis, point, turn, 0.2)
    for second in (
        screw(axis, point, 0.7, 1.0),
        screw(axis, 0 * point, 0.7, 1.0),
        screw(axis, point, 0.0, 1.0),
        (axis[[1, 0, 2]], point),
        ((0.0, 0.0, 0.0), point),
    ):
        one, other = expm(hat(first)), expm(hat(second))
        equal = np.abs(one @ other - other @ one).max() < 1e-12
        assert commute(first, second) == equal


def test_rates_are_stretched_without_bound_before_a_full_turn():
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    assert not near_full_turn(tuple(1e-9 * axis)) and not near_full_turn(tuple(3.0 * axis))
    assert near_full_turn(tuple((2.0 * np.pi - 1e-9) * axis))
