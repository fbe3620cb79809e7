"""What forces do and how bodies accelerate, read out of a result."""

import numpy as np
import pytest
from mechanisms import pendulum

import chasles as ch


def swing(**options):
    """A rod on a hinge with a spring, a motor, friction, drag, a load and a formula on it."""
    forces = [
        ch.Spring("spring", ch.GROUND, "rod", (0, 0, 1), (1, 0, 0), stiffness=80.0, damping=3.0),
        ch.Motor("motor", "hinge", ch.Signal.sine(0.3, 1.0), stiffness=10.0, damping=0.5),
        ch.JointFriction("friction", "hinge", level=0.4, smoothing=0.1),
        ch.Drag("air", "rod", linear=0.3, quadratic=0.2),
        ch.Load("push", "rod", force=(0, 0, 2.0), torque=(0, 0.1, 0)),
        ch.CustomForce(
            "wind", "rod", lambda t, x, r, v, w: ((np.cos(t), 0.0, 0.0), (0.0, 0.0, 0.0))
        ),
    ]
    model = pendulum(forces=forces, name="rod", mass=2.0, angular_velocity=(0, 3.0, 0))
    return ch.simulate(model, 1.0, step=1e-3, **options)


@pytest.fixture(scope="module")
def run():
    return swing()


def test_a_spring_pulls_as_its_law_says(run):
    tip = run.point("rod", (1, 0, 0))
    span = tip.position - (0, 0, 1)
    length = np.linalg.norm(span, axis=1)
    rest = np.sqrt(2.0)
    rate = np.einsum("ti,ti->t", span, tip.velocity) / length
    pull = -(80.0 * (length - rest) + 3.0 * rate) / length
    found = run.force("spring")
    np.testing.assert_allclose(found.force, pull[:, None] * span, rtol=0, atol=1e-12 * 80)
    np.testing.assert_allclose(found.elongation, length - rest, atol=1e-13)
    lever = tip.position - run.position("rod")
    np.testing.assert_allclose(found.torque, np.cross(lever, found.force), atol=1e-10)
    ground = found.on(ch.GROUND)
    np.testing.assert_allclose(ground[0], -found.force, atol=1e-13)


def test_motor_and_friction_turn_about_the_hinge_by_their_laws(run):
    angle, rate = run.coordinate("hinge"), run.coordinate_rate("hinge")
    wave = 0.3 * np.sin(2 * np.pi * run.t)
    effort = 10.0 * (wave - angle) + 0.5 * (0.6 * np.pi * np.cos(2 * np.pi * run.t) - rate)
    np.testing.assert_allclose(run.force("motor").torque[:, 1], effort, atol=1e-11)
    friction = -0.4 * np.tanh(rate / 0.1)
    np.testing.assert_allclose(run.force("friction").torque[:, 1], friction, atol=1e-12)
    np.testing.assert_allclose(run.force("motor").power, effort * rate, atol=1e-10)


def test_drag_load_and_formula_are_what_was_asked_for(run):
    v = run.velocity("rod")
    speed = np.linalg.norm(v, axis=1, keepdims=True)
    np.testing.assert_allclose(run.force("air").force, -(0.3 + 0.2 * speed) * v, atol=1e-12)
    np.testing.assert_allclose(run.force("push").force, np.tile((0, 0, 2.0), (len(run.t), 1)))
    np.testing.assert_allclose(run.force("wind").force[:, 0], np.cos(run.t), atol=1e-14)


@pytest.mark.parametrize("name", ["spring", "motor", "friction", "air", "push", "wind"])
def test_supplied_power_integrates_to_work(run, name):
    from scipy.integrate import simpson

    total = simpson(run.force(name).supplied, x=run.t)
    assert total == pytest.approx(run.work(name)[-1], rel=1e-6, abs=1e-9)


def test_accelerations_are_the_derivatives_of_velocities(run):
    for found, velocity in (
        (run.acceleration("rod"), run.velocity("rod")),
        (run.point("rod", (1, 0, 0)).acceleration, run.point("rod", (1, 0, 0)).velocity),
    ):
        differences = (velocity[2:] - velocity[:-2]) / 2e-3
        np.testing.assert_allclose(found[1:-1], differences, atol=2e-3)


def test_quaternions_and_world_axes_say_what_rotations_say():
    top = ch.Body.box("top", (0.1, 0.2, 0.4), mass=1.0, angular_velocity=(3.0, 5.0, 1.0))
    run = ch.simulate(ch.Model([top], gravity=(0, 0, 0)), 5.0, step=1e-2)
    w, x, y, z = run.quaternion("top").T
    rotation = run.rotation("top")
    np.testing.assert_allclose(rotation[:, 0, 0], 1 - 2 * (y * y + z * z), atol=1e-13)
    np.testing.assert_allclose(rotation[:, 2, 1], 2 * (y * z + w * x), atol=1e-13)
    assert np.abs(np.diff(run.quaternion("top"), axis=0)).max() < 0.1
    world = run.angular_velocity("top", axes="world")
    body = run.angular_velocity("top")
    np.testing.assert_allclose(np.einsum("tji,tj->ti", rotation, world), body, atol=1e-12)


def test_misspelt_forces_and_axes_are_corrected(run):
    with pytest.raises(ch.UnknownName, match="spring"):
        run.force("sprng")
    with pytest.raises(ch.InvalidOption, match="'body' or 'world'"):
        run.angular_velocity("rod", axes="ground")
    with pytest.raises(ch.ChaslesError, match="does not act on"):
        run.force("spring").on("moon")
