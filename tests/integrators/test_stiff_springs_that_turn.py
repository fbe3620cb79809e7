"""What `method="auto"` asks before it takes derivatives at the start of a step alone."""

import numpy as np
import pytest

import chasles as ch
from chasles.run.implicit_choice import point_path, turning_spring

STEP = 1e-3


def spun(axis, at_b):
    """A wheel off the origin that turns once about an axis, and a spring to a point of it."""
    wheel = ch.Body.sphere("wheel", radius=0.2, mass=1.0, position=(1, 2, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, wheel, at=(1, 2, 0), axis=axis)
    rate = 2 * np.pi
    turn = ch.Signal(lambda t: rate * t, lambda t: rate, lambda t: 0.0 * t)
    spring = ch.Spring("rod", ch.GROUND, wheel, at=(4, 2, 0), at_b=at_b, stiffness=2e6)
    model = ch.Model([wheel], [hinge], [spring], [ch.Driver("drive", hinge, turn)])
    return ch.simulate(model, 0.5, STEP, close=True)


def test_points_of_bodies_go_in_circles_and_those_of_the_ground_stay():
    run = spun("z", (1.3, 2, 0))
    angle = 2 * np.pi * run.t
    circle = np.stack([1 + 0.3 * np.cos(angle), 2 + 0.3 * np.sin(angle), 0 * angle], axis=1)
    assert point_path(run, "wheel", (1.3, 2, 0)) == pytest.approx(circle, abs=1e-12)
    assert (point_path(run, "ground", (4, 2, 0)) == (4, 2, 0)).all()


def test_a_stiff_spring_whose_direction_turns_is_named_and_others_are_not():
    assert "'rod' turns" in turning_spring(spun("z", (1.3, 2, 0)))
    assert turning_spring(spun("x", (1.3, 2, 0))) == ""  # its end is on the axis


def test_a_stiff_spring_along_which_a_body_shifts_does_not_turn():
    block = ch.Body.sphere("block", radius=0.2, mass=1.0, position=(1, 2, 0), velocity=(900, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, block, at=(1, 2, 0), axis="x")
    spring = ch.Spring("rod", ch.GROUND, block, at=(4, 2, 0), at_b=(1, 2, 0), stiffness=2e6)
    run = ch.simulate(ch.Model([block], [rail], [spring]), 0.05, STEP, method="gauss4")
    assert np.ptp(run.position("block")[:, 0]) > 0.5
    assert turning_spring(run) == ""
