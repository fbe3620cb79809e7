"""Frames without mass whose joints go through their points: rounding is no open joint."""

import numpy as np
import pytest

import chasles as ch


def test_a_sledge_on_a_frame_is_linearised_where_it_balances():
    """Frequencies of two springs: sqrt(k/m) each, rad/s."""
    frame = ch.Body.frame("frame", position=(0, 0, 0))
    sledge = ch.Body.box("sledge", size=(0.2, 0.2, 0.2), mass=0.5, position=(0, 0, 0))
    rails = [
        ch.Prismatic("across", ch.GROUND, frame, axis="x"),
        ch.Prismatic("up", frame, sledge, axis="z"),
    ]
    springs = [
        ch.JointSpring("soft", "up", stiffness=25.0),
        ch.JointSpring("stiff", "across", stiffness=40.0),
    ]
    pull = ch.Load("pull", sledge, force=(1.0, 0, 0))
    model = ch.Model([frame, sledge], rails, [*springs, pull])
    state = ch.equilibrium(model).state
    state.position[0] += (0.0, 1e-17, 0.0)
    found = sorted(mode.frequency for mode in ch.linearise(model, state).modes)
    np.testing.assert_allclose(found, np.sqrt([50.0, 80.0]), rtol=1e-9)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("find", [ch.equilibrium, ch.linearise, ch.equations, ch.joint_dynamics])
def test_a_frame_that_moves_without_any_mass_is_named(find, order):
    arm = ch.Body.rod("arm", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0, position=(0, 1, 0))
    loose = ch.Body.frame("loose", position=(1, 0, 0))
    joints = [
        ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y"),
        ch.Revolute("other", ch.GROUND, bob, at=(0, 0, 0), axis="x"),
        ch.Spherical("tip", arm, loose, at=(1, 0, 0)),
    ]
    model = ch.Model([(arm, bob, loose)[k] for k in order], joints)
    with pytest.raises(ch.ChaslesError, match="body 'loose'"):
        find(model)


@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("find", [ch.equilibrium, ch.linearise, ch.equations, ch.joint_dynamics])
def test_a_pin_between_two_bars_that_may_turn_about_itself_is_named(find, mass):
    """Bars and pin are held in the plane; only the turn of the pin is free, and has no mass."""
    ends = ((-1, 0, 0), (0, 0, 1), (1, 0, 0))
    left = ch.Body.rod("left", mass=mass, between=ends[:2])
    right = ch.Body.rod("right", mass=mass, between=ends[1:])
    pin = ch.Body.frame("pin", position=ends[1])
    bars = [
        ch.Revolute("a", ch.GROUND, left, at=ends[0], axis="y"),
        ch.Revolute("b", ch.GROUND, right, at=ends[2], axis="y"),
        ch.Revolute("c", left, pin, at=ends[1], axis="y"),
        ch.Revolute("d", right, pin, at=ends[1], axis="y"),
    ]
    with pytest.raises(ch.ChaslesError, match="body 'pin'"):
        find(ch.Model([left, right, pin], bars))
