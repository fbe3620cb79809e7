"""Dry friction on a joint in closed form: it brakes evenly, and creeps where others would stick."""

from math import atanh, pi, sqrt

import numpy as np
import pytest
from machines import sledge

import chasles as ch

MASS, LEVEL = 2.0, 3.0


@pytest.mark.parametrize("spaces", ["subgroups", "SE3", "SO3xR3"])
@pytest.mark.parametrize("load", [0.3, 1.5, 2.9])
def test_a_load_below_the_level_creeps_at_a_known_speed(load, spaces):
    """F = level tanh(v / smoothing)."""
    friction = ch.JointFriction("dry", "rail", level=LEVEL, smoothing=0.01)
    model = sledge(friction, ch.Load("pull", "sledge", (load, 0, 0)))
    result = ch.simulate(model, 3.0, step=1e-3, spaces=spaces)
    creep = 0.01 * atanh(load / LEVEL)
    assert result.coordinate_rate("rail")[-1] == pytest.approx(creep, rel=1e-9)
    assert -result.force("dry").power[-1] == pytest.approx(load * creep, rel=1e-9)


def test_swings_of_a_spring_shrink_by_the_same_length_each():
    """Coulomb's: every half period, the width falls by 2 F / k, whatever it is."""
    stiffness, pulled = 200.0, 0.4
    friction = ch.JointFriction("dry", "rail", level=LEVEL, smoothing=1e-3)
    spring = ch.JointSpring("spring", "rail", stiffness, rest=pulled)
    half = pi * sqrt(MASS / stiffness)
    turns = [0.0, half, 2 * half, 3 * half]
    result = ch.simulate(sledge(friction, spring), turns[-1], step=1e-4, t_eval=turns)
    width = np.abs(result.coordinate("rail") - pulled)
    assert width == pytest.approx([pulled - 2 * k * LEVEL / stiffness for k in range(4)], abs=1e-4)
    assert np.abs(result.energy_balance()).max() < 1e-6
