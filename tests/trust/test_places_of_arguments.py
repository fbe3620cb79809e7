"""Arguments stand where people put them."""

import pytest

import chasles as ch


def test_drivers_follow_forces_and_gravity_is_given_by_name():
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, (0, 0, 0), (0, 1, 0))
    drive = ch.Driver("drive", hinge, ch.Signal.ramp(1.0, duration=1.0))
    model = ch.Model([arm], [hinge], [], [drive])
    assert model.driver_names == ("drive",) and model.gravity == (0.0, 0.0, -9.81)
    with pytest.raises(TypeError):
        ch.Model([arm], [hinge], [], [], (0, 0, -1))
