"""Forces against closed forms, and the energy balance of all of them together."""

from math import pi

import numpy as np
import pytest
from mechanisms import pendulum

import chasles as ch


def damped(t, w0, zeta, start):
    """A damped oscillator released at rest."""
    wd = w0 * np.sqrt(1.0 - zeta**2)
    return start * np.exp(-zeta * w0 * t) * (np.cos(wd * t) + zeta * w0 / wd * np.sin(wd * t))


def test_a_mass_on_a_spring_and_damper_oscillates_as_it_should():
    mass = ch.Body.sphere("mass", radius=0.1, mass=2.0, position=(1, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, mass, axis=(1, 0, 0))
    spring = ch.Spring(
        "spring", ch.GROUND, mass, at=(0, 0, 0), at_b=(1, 0, 0),
        stiffness=50.0, damping=1.5, rest_length=0.7,
    )  # fmt: skip
    model = ch.Model([mass], [rail], forces=[spring], gravity=(0, 0, 0))
    result = ch.simulate(model, until=2.0, step=1e-3)
    expected = 0.7 + damped(result.t, 5.0, 1.5 / (2 * 2.0 * 5.0), 0.3)
    assert result.position("mass")[:, 0] == pytest.approx(expected, abs=1e-10)
    assert np.abs(result.energy_balance()).max() < 1e-9
    assert result.work("spring")[-1] < -1.0  # the damper takes energy


@pytest.mark.parametrize("grounded_first", [True, False])
def test_a_torsion_spring_counts_whole_turns(grounded_first):
    arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    ends = (ch.GROUND, arm) if grounded_first else (arm, ch.GROUND)
    hinge = ch.Revolute("hinge", *ends, at=(0, 0, 0), axis=(0, 1, 0))
    spring = ch.TorsionSpring("spring", hinge, stiffness=3.0, damping=0.1, rest=9.0)
    model = ch.Model([arm], [hinge], forces=[spring], gravity=(0, 0, 0))
    result = ch.simulate(model, until=3.0, step=1e-3)
    expected = 9.0 - damped(result.t, 3.0, 0.1 / (2 * np.sqrt(3.0 / 3.0)), 9.0)
    angle = result.coordinate("hinge")
    assert angle == pytest.approx(expected, abs=1e-8) and angle.max() > 5 * pi
    assert np.abs(result.energy_balance()).max() < 1e-7


@pytest.mark.parametrize("stabilise", [None, "projection"])
def test_a_driver_moves_its_joint_and_reports_the_torque_it_takes(stabilise):
    motion = ch.Driver("motion", "hinge", ch.Signal.sine(1.0, 0.5))
    result = ch.simulate(pendulum(drivers=[motion]), until=2.0, step=1e-3, stabilise=stabilise)
    angle = np.sin(pi * result.t)
    assert result.coordinate("hinge") == pytest.approx(angle, abs=1e-11)
    torque = -(pi**2) * angle / 3.0 - 9.81 * 0.5 * np.cos(angle)
    assert result.effort("motion") == pytest.approx(torque, abs=1e-10)
    assert result.violation("motion", "rotation").max() < 1e-11
    assert np.abs(result.energy_balance()).max() < 1e-10


def lift(t, position, rotation, velocity, angular_velocity):
    return (-2.0 * position[0], 0.0, 0.0), (0.0, 0.0, -0.1 * velocity[0])


def loaded(compiled: bool) -> ch.Model:
    body = ch.Body.box(
        "body", (0.3, 0.2, 0.1), mass=3.0, position=(0.1, 0.2, 0.3),
        angular_velocity=(1, 2, 3), velocity=(0.1, 0.2, -0.3),
    )  # fmt: skip
    forces = [
        ch.Bushing("bushing", ch.GROUND, body, at=(0, 0.1, 0.2), axis=(1, 2, 3),
                   stiffness=(100, 200, 300, 5, 6, 7), damping=(1, 2, 3, 0.1, 0.2, 0.3)),
        ch.Load("load", body, force=lambda t: (np.sin(t), 0, 2), torque=(0, 0.1, 0),
                at=(0.2, 0.2, 0.3)),
        ch.Drag("drag", body, linear=0.5, quadratic=0.2, angular=0.1, angular_quadratic=0.05),
        ch.CustomForce("custom", body, lift, compiled=compiled),
    ]  # fmt: skip
    return ch.Model([body], forces=forces)


def test_the_energy_balance_of_all_forces_closes_with_the_methods_order():
    errors = [
        np.abs(ch.simulate(loaded(True), 0.5, h).energy_balance()).max() for h in (4e-3, 2e-3, 1e-3)
    ]
    slope = np.polyfit(np.log((4e-3, 2e-3, 1e-3)), np.log(errors), 1)[0]
    assert slope > 3.7 and errors[-1] < 1e-7


def test_a_formula_gives_the_same_motion_compiled_or_not():
    ends = [
        ch.simulate(loaded(compiled), 0.3, 1e-3).position("body")[-1] for compiled in (False, True)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-15)


def test_a_formula_that_fails_stops_the_run_and_is_named():
    def broken(t, *motion):
        return ((1.0 / (0.05 - t) if t < 0.05 else float("nan")), 0.0, 0.0), (0.0, 0.0, 0.0)

    body = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    model = ch.Model([body], forces=[ch.CustomForce("broken", body, broken)])
    with pytest.raises(ch.SimulationStopped, match="broken") as caught:
        ch.simulate(model, until=0.1, step=1e-2)
    assert 0.0 < caught.value.result.t[-1] <= 0.05


def test_a_saved_result_keeps_the_work_of_its_forces(tmp_path):
    mass = ch.Body.sphere("mass", radius=0.1, mass=2.0, position=(1, 0, 0))
    spring = ch.Spring("spring", ch.GROUND, mass, (0, 0, 0), (1, 0, 0), stiffness=5.0, damping=1.0)
    result = ch.simulate(ch.Model([mass], forces=[spring]), until=0.1, step=1e-2)
    again = ch.load(result.save(tmp_path / "run.nc"))
    assert np.array_equal(again.work("spring"), result.work("spring"))
    assert np.array_equal(again.energy_balance(), result.energy_balance())
