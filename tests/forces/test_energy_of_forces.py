"""Energy gained is work done: the balance closes with the method's order, force by force."""

from functools import cache

import numpy as np
import pytest

import chasles as ch

STEPS = (4e-3, 2e-3, 1e-3)


def wind(t, position, rotation, velocity, angular_velocity):
    return (2.0 - velocity[0], t, position[0]), (0.1 * angular_velocity[1], 0.0, 0.05 * rotation[3])


def wave(t):
    return 0.8 * np.sin(3 * t)


BUSHING = {"stiffness": (80, 120, 200, 5, 8, 6), "axis": (1, 2, 3)}
FORCES = {
    "gravity": [],
    "spring": [ch.Spring("f", "arm", "top", (1, 0, 0), (1.2, 0.9, -0.2), 40.0, rest_length=0.7)],
    "damped spring": [ch.Spring("f", "arm", "top", (1, 0, 0), (1.2, 0.9, -0.2), 60.0, 4.0)],
    "bushing": [ch.Bushing("f", "arm", "top", (1.1, 0.1, 0), **BUSHING)],
    "damped bushing": [
        ch.Bushing(
            "f", ch.GROUND, "top", (1.1, 0.1, 0), damping=(1, 2, 3, 0.1, 0.2, 0.1), **BUSHING
        )
    ],
    "torsion spring": [ch.TorsionSpring("f", "hinge", 20.0, rest=1.0)],
    "damped joint spring": [ch.JointSpring("f", "hinge", 20.0, 0.7, rest=-1.0)],
    "friction": [ch.JointFriction("f", "hinge", level=2.0, smoothing=0.5)],
    "motor": [ch.Motor("f", "hinge", wave, 30.0, 2.0, effort=lambda t: 1 + t)],
    "load": [ch.Load("f", "top", lambda t: (t, 2, 0), (0.1, 0, 0.2), at=(1.2, 0, 0))],
    "load of the body": [ch.Load("f", "top", (1, 2, 3), at=(1.2, 0, 0), frame="body")],
    "drag": [ch.Drag("f", "top", 0.5, 0.2, 0.02, 0.01)],
    "formula": [ch.CustomForce("f", "top", wind, compiled=True)],
    "contact": [
        ch.Contact("f", "arm", "top", (0, 0, 4), hertz=0.5, dissipation=0.1, friction=0.4, slip=0.5)
    ],
    "formula with reaction": [ch.CustomForce("f", "top", wind, reaction="arm", compiled=True)],
}


@cache
def mechanism():
    """A pendulum, and a body that flies near it."""
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=(0, 1, 0))
    top = ch.Body.box(
        "top", (0.3, 0.2, 0.1), mass=2.0, position=(1.2, 0.2, -0.1),
        velocity=(0.1, 0.4, 0.9), angular_velocity=(2, -1, 3),
    )  # fmt: skip
    return [arm, top], [ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0))]


def imbalance(forces, step, **options):
    result = ch.simulate(ch.Model(*mechanism(), forces), until=0.8, step=step, **options)
    return np.abs(result.energy_balance()).max()


@pytest.mark.parametrize("name", FORCES)
def test_the_energy_balance_closes_with_the_methods_order(name):
    errors = [imbalance(FORCES[name], step) for step in STEPS]
    slope = np.polyfit(np.log(STEPS), np.log(errors), 1)[0]
    assert slope > 3.5 and errors[-1] < 1e-6


@pytest.mark.parametrize("method, order", [("midpoint", 2), ("kutta3", 3), ("dopri5", 5)])
def test_the_balance_of_all_forces_has_the_order_of_other_methods(method, order):
    forces = [
        type(force)(**{**vars(force), "name": name})
        for name, group in FORCES.items()
        for force in ch.Model(*mechanism(), group).forces
        if force.kind != "torsionspring"  # which takes no coordinate
    ]
    errors = [imbalance(forces, step, method=method) for step in STEPS]
    slope = np.polyfit(np.log(STEPS), np.log(errors), 1)[0]
    assert slope > order - 0.4


@pytest.mark.parametrize("name", ["gravity", "spring", "bushing", "torsion spring"])
def test_forces_with_a_potential_do_no_other_work(name):
    """Their energy is a function of the state: it comes back with it, and no work is booked."""
    result = ch.simulate(ch.Model(*mechanism(), FORCES[name]), until=0.8, step=1e-3)
    assert np.abs(result.energy() - result.energy()[0]).max() < 1e-6
    if FORCES[name]:
        assert np.abs(result.work("f")).max() < 1e-12
        weight = sum(
            -b.mass * np.array(result.model.gravity) @ result.position(b).T
            for b in result.model.bodies
        )
        assert np.ptp(result.potential_energy() - weight) > 0.1


@pytest.mark.parametrize("name", ["damped spring", "damped bushing", "friction", "drag"])
def test_what_dissipates_only_takes(name):
    result = ch.simulate(ch.Model(*mechanism(), FORCES[name]), until=0.8, step=1e-3)
    assert np.diff(result.work("f")).max() <= 0.0 and result.work("f")[-1] < -0.05
