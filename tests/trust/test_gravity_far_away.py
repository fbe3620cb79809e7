"""Gravity's work is a difference of potentials: far from the origin places are rounded."""

import numpy as np
import pytest

import chasles as ch


def pendulum(shift: float, gravity: float, size: float) -> ch.Model:
    at = np.array((shift, shift, -shift))
    bob = ch.Body("bob", 1.0, np.diag([0.1, 0.2, 0.3]) * size**2, at + (size, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, bob, at=at, axis=(0, 1, 0))
    return ch.Model([bob], [hinge], gravity=(0, 0, -gravity))


@pytest.mark.filterwarnings("error::chasles.ChaslesWarning")
@pytest.mark.parametrize("size", [1.0, 1e-3])
@pytest.mark.parametrize("gravity", [9.81, 1e-6])
@pytest.mark.parametrize("shift", [0.0, 1e6, 1e9, 1e12])
def test_what_rounding_hides_is_not_an_alarm(shift, gravity, size):
    size = max(size, shift * 1e-14)  # or the bob is where the hinge is
    near = ch.simulate(pendulum(0.0, gravity, size), 0.2, step=2e-4, save_every=100)
    far = ch.simulate(pendulum(shift, gravity, size), 0.2, step=2e-4, save_every=100)
    lever = abs(far.model.bodies[0].position[0] - shift) / size  # as far as it can be entered
    assert far.coordinate("hinge")[-1] == pytest.approx(
        near.coordinate("hinge")[-1], rel=4 * abs(lever - 1) + 1e-6
    )


def test_a_wrong_run_beside_a_tower_is_told():
    tower = ch.Body.box("tower", (10, 10, 1e3), 1e9, position=(20, 0, 500))
    bob = ch.Body.rod("bob", 1.0, 1e-3, position=(0.5, 0, 0), angular_velocity=(0, 60, 0))
    joints = [
        ch.Fixed("foundation", ch.GROUND, tower),
        ch.Revolute("hinge", ch.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    with pytest.warns(ch.ChaslesWarning, match="energy balance"):
        model = ch.Model([tower, bob], joints, gravity=(0, 0, -981.0))
        ch.simulate(model, 2.0, step=2e-2, method="euler")


def test_neither_does_a_block_hide_one_if_it_is_entered_after_what_hangs_on_it():
    block = ch.Body.box("block", (1, 1, 1), 1e13, position=(5, 0, 3))
    bob = ch.Body.rod("bob", 1.0, 1.0, position=(0.5, 0, 0))
    joints = [
        ch.Fixed("foundation", ch.GROUND, block, at=block.position),
        ch.Revolute("hinge", block, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    for bodies in ([block, bob], [bob, block]):
        with pytest.warns(ch.ChaslesWarning, match="energy balance"):
            ch.simulate(ch.Model(bodies, joints), 5.0, step=0.2, method="heun")


@pytest.mark.filterwarnings("error::chasles.ChaslesWarning")
def test_a_tower_does_not_make_a_right_run_wrong():
    tower = ch.Body.box("tower", (10, 10, 1e3), 1e12, position=(20, 0, 500))
    bob = ch.Body.rod("bob", 1.0, 1e-3, position=(0.5, 0, 0))
    joints = [
        ch.Fixed("foundation", ch.GROUND, tower),
        ch.Revolute("hinge", ch.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)),
    ]
    result = ch.simulate(ch.Model([tower, bob], joints), 1.0, step=1e-3)
    assert result.provenance["imbalance"] < 1e-6


def swinging(shift, method, **options):
    rod = ch.Body.rod("rod", 1.0, 10.0, position=(shift + 0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(shift, 0, 0), axis=(0, 1, 0))
    return ch.simulate(ch.Model([rod], [hinge]), 0.2, step=1e-3, method=method, **options)


@pytest.mark.filterwarnings("ignore:reactions are lost")
@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("method", ["rattlie", "rattlie4"])
@pytest.mark.parametrize("shift", [1e5, 1e6, 1e7])
def test_rattlie_closes_joints_as_far_as_places_have_digits(shift, method, spaces):
    near, far = (swinging(at, method, spaces=spaces).position("rod") for at in (0.0, shift))
    assert np.abs(far - near - (shift, 0, 0)).max() < 4 * np.spacing(shift)


@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf2", "rattlie"])
def test_reactions_lost_in_rounding_far_away_are_told(method):
    with pytest.warns(ch.ChaslesWarning, match="reactions are lost in rounding"):
        swinging(1e6, method, spaces="SE3")


@pytest.mark.filterwarnings("error::chasles.ChaslesWarning")
def test_reactions_of_the_method_that_is_advised_are_right_far_away():
    method = "generalized-alpha index 2"
    near, far = (swinging(at, method, spaces="SE3").reaction("hinge") for at in (0.0, 1e6))
    assert far.force == pytest.approx(near.force, abs=1e-6)


@pytest.mark.filterwarnings("error::chasles.ChaslesWarning")
@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf2", "rattlie"])
def test_reactions_a_kilometre_away_raise_no_alarm(method):
    near, far = (swinging(at, method, spaces="SE3").reaction("hinge") for at in (0.0, 1e3))
    assert far.force == pytest.approx(near.force, abs=1e-4)
