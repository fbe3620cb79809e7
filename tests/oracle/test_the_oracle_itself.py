"""The oracle against closed forms, so that it is a judge and not a second opinion."""

from math import atan, cos, exp, pi, sin, sqrt

import numpy as np
import pytest
from oracle.mechanism import Mechanism
from scipy.special import ellipk

import chasles as ch

G = 9.81


def end(model: ch.Model, until: float):
    mechanism = Mechanism(model)
    state = mechanism.motion(until)
    return mechanism.bodies_at(state), mechanism.angles_at(state)


def test_a_pendulum_takes_its_elliptic_quarter_period_to_the_bottom():
    """From rest at the level: a quarter of T = 4 sqrt(I / m g l) K(1/2)."""
    rod = ch.Body.rod("rod", length=1.0, mass=3.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis="y")
    inertia = rod.inertia[1][1] + 3.0 * 0.25
    quarter = sqrt(inertia / (3.0 * G * 0.5)) * ellipk(0.5)
    bodies, angles = end(ch.Model([rod], [hinge]), quarter)
    assert angles["hinge", "angle"] == pytest.approx(pi / 2, abs=1e-10)
    np.testing.assert_allclose(bodies.r[0], (0, 0, -0.5), atol=1e-10)


def test_a_free_symmetric_top_precesses_evenly():
    """omega turns about the axis of symmetry with (C - A) / A times its share along it."""
    top = ch.Body("top", 1.0, (2.0, 2.0, 3.0), angular_velocity=(0.6, 0, 4.0))
    bodies, _ = end(ch.Model([top], gravity=(0, 0, 0)), 1.3)
    rate = (3.0 - 2.0) / 2.0 * 4.0
    seen = bodies.rotation[0].T @ bodies.omega[0]
    np.testing.assert_allclose(seen, (0.6 * cos(rate * 1.3), 0.6 * sin(rate * 1.3), 4.0), atol=1e-9)


def test_a_ball_rolls_down_with_five_sevenths():
    slope = atan(0.3)
    ball = ch.Body.sphere("ball", 0.2, mass=2.0, position=(0, 0, 0.2))
    table = ch.RollingSphere("table", ch.GROUND, ball, at=(0, 0, 0), axis="z", radius=0.2)
    gravity = (G * sin(slope), 0, -G * cos(slope))
    bodies, _ = end(ch.Model([ball], [table], gravity=gravity), 1.0)
    assert bodies.r[0, 0] == pytest.approx(0.5 * 5 / 7 * G * sin(slope), rel=1e-10)


def test_an_upright_coin_rolls_straight_on():
    """Nothing tips it over: it rolls straight on and keeps its speed."""
    coin = ch.Body("coin", 1.0, (0.1, 0.2, 0.1), position=(0, 0, 0.5), velocity=(1.0, 0, 0),
                   angular_velocity=(0, 2.0, 0))  # fmt: skip
    road = ch.RollingDisc("road", ch.GROUND, coin, (0, 0, 0), "z", axis_b="y", radius=0.5)
    bodies, _ = end(ch.Model([coin], [road]), 1.0)
    np.testing.assert_allclose(bodies.r[0], (1.0, 0, 0.5), atol=1e-10)


def test_a_nut_falls_slower_on_its_thread():
    """m g = (m + I / h^2) a."""
    nut = ch.Body("nut", 2.0, (0.2, 0.2, 0.3))
    screw = ch.Helical("screw", ch.GROUND, nut, at=(0, 0, 0), axis="z", pitch=0.25, armature=0.1)
    bodies, angles = end(ch.Model([nut], [screw]), 1.0)
    fallen = -0.5 * 2.0 * G / (2.0 + 0.4 / 0.25**2)
    assert bodies.r[0, 2] == pytest.approx(fallen, rel=1e-10)
    assert angles["screw", "angle"] == pytest.approx(fallen / 0.25, rel=1e-10)


def test_coupled_weights_share_their_acceleration():
    """Atwood's machine, told by a coupling and by a formula."""
    bodies = [ch.Body.sphere(n, 0.1, mass=m) for n, m in (("light", 1.0), ("heavy", 3.0))]
    rails = [ch.Prismatic(f"{b.name} rail", ch.GROUND, b, axis="z") for b in bodies]
    rope = ch.Coupling("rope", {"light rail": 1, "heavy rail": 1})
    formula = ch.CustomCoupling("rope", ["light", "heavy"], lambda a, b: a[1][2] + b[1][2])
    for tie in (rope, formula):
        found, _ = end(ch.Model(bodies, [*rails, tie]), 1.0)
        assert found.r[1, 2] == pytest.approx(-0.5 * G / 2, rel=1e-10)


def test_a_servo_on_a_hinge_is_a_damped_oscillator():
    arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="z")
    inertia = arm.inertia[2][2] + 0.75
    servo = ch.Servo("servo", hinge, target=0.5, stiffness=25.0, damping=2.0)
    _, angles = end(ch.Model([arm], [hinge], [servo]), 1.5)
    decay = 1.0 / inertia
    pulse = sqrt(25.0 / inertia - decay**2)
    swing = cos(pulse * 1.5) + decay / pulse * sin(pulse * 1.5)
    assert angles["hinge", "angle"] == pytest.approx(
        0.5 - 0.5 * exp(-decay * 1.5) * swing, abs=1e-9
    )


def test_repeated_rows_share_the_weight():
    """A bar at rest on two balls at its ends, and on each of them twice: a quarter each."""
    bar = ch.Body.rod("bar", length=1.0, mass=4.0, position=(0.5, 0, 0))
    balls = [ch.Spherical(f"ball {k}", ch.GROUND, bar, at=(k // 2, 0, 0)) for k in range(4)]
    mechanism = Mechanism(ch.Model([bar], balls))
    found, multipliers, _ = mechanism.solved(0.0, mechanism.entered())
    np.testing.assert_allclose(found, 0.0, atol=1e-12)
    np.testing.assert_allclose(multipliers.reshape(4, 3), [(0, 0, -G)] * 4, atol=1e-9)
