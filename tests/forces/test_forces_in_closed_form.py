"""Forces whose motion is known: oscillators, terminal velocities, friction that brings to rest."""

import numpy as np
import pytest

import chasles as ch

G, X, UP = 9.81, (1, 0, 0), (0, 0, 1)
NOTHING = (0, 0, 0)


def ball(mass=2.0, **start):
    return ch.Body.sphere("ball", radius=0.1, mass=mass, **start)


def test_a_spring_of_no_rest_length_makes_ellipses_through_its_anchor():
    """x'' = -k/m x in every direction, also where the ends meet."""
    body = ball(position=(0.5, 0, 0), velocity=(0, 0, 0))
    spring = ch.Spring("f", ch.GROUND, body, NOTHING, (0.5, 0, 0), 18.0, rest_length=0)
    result = ch.simulate(ch.Model([body], forces=[spring], gravity=NOTHING), 5.0, 1e-3)
    expected = 0.5 * np.cos(3 * result.t)
    np.testing.assert_allclose(result.position("ball")[:, 0], expected, atol=1e-10)
    # Started where its ends meet, which only such a spring may.
    body = ball(velocity=(0.6, 0.3, 0))
    spring = ch.Spring("f", ch.GROUND, body, NOTHING, NOTHING, 18.0, rest_length=0)
    result = ch.simulate(ch.Model([body], forces=[spring], gravity=NOTHING), 5.0, 1e-3)
    expected = np.outer(np.sin(3 * result.t) / 3, (0.6, 0.3, 0))
    np.testing.assert_allclose(result.position("ball"), expected, atol=1e-10)
    assert np.abs(result.energy_balance()).max() < 1e-10


def test_a_spring_of_no_length_at_the_start_is_refused_unless_it_is_defined(refusal):
    body = ball()
    for more in ({}, {"rest_length": 0.1}, {"rest_length": 0, "damping": 1.0}):
        message = refusal(
            lambda more=more: ch.Spring("f", ch.GROUND, body, X, X, 10.0, **more), ch.InvalidForce
        )
        assert "force 'f'" in message and "0 m apart" in message and "rest_length=0" in message


def test_a_ball_falls_with_its_terminal_velocity():
    """Quadratic: v = u tanh(g t / u), u^2 = m g / d; linear: v = m g / c (1 - exp(-c t / m))."""
    u = np.sqrt(2.0 * G / 0.5)
    result = ch.simulate(
        ch.Model([ball()], forces=[ch.Drag("f", "ball", quadratic=0.5)]), 3.0, 1e-3
    )
    fall = -u * np.tanh(G * result.t / u)
    np.testing.assert_allclose(result.velocity("ball")[:, 2], fall, atol=1e-10)
    result = ch.simulate(ch.Model([ball()], forces=[ch.Drag("f", "ball", linear=4.0)]), 3.0, 1e-3)
    fall = -2 * G / 4 * (1 - np.exp(-2 * result.t))
    np.testing.assert_allclose(result.velocity("ball")[:, 2], fall, atol=1e-10)


def test_drag_slows_a_spin():
    """Linear: w exp(-c t / I); quadratic: w / (1 + d w t / I)."""
    inertia = ball().inertia[2][2]
    for drag, law in (
        ({"angular": 0.01}, lambda t: 7 * np.exp(-0.01 * t / inertia)),
        ({"angular_quadratic": 0.01}, lambda t: 7 / (1 + 0.01 * 7 * t / inertia)),
    ):
        body = ball(angular_velocity=(0, 0, 7))
        result = ch.simulate(ch.Model([body], forces=[ch.Drag("f", body, **drag)]), 1.0, 1e-3)
        np.testing.assert_allclose(result.angular_velocity("ball")[:, 2], law(result.t), atol=1e-10)


STIFFNESS = np.array([50.0, 80.0, 100.0, 0.5, 0.7, 0.9])


@pytest.mark.parametrize("direction", range(6))
def test_a_bushing_has_six_oscillators(direction):
    """Started with a small speed in one of them, a body on a bushing at its centre stays in it."""
    body = ch.Body.box("block", (0.2, 0.3, 0.4), mass=2.0, position=(1, 2, 3))
    inertia = 2.0 if direction < 3 else body.inertia[direction - 3][direction - 3]
    speed = 1e-4 * np.eye(3)[direction % 3]
    moving = {"velocity": speed} if direction < 3 else {"angular_velocity": speed}
    body = ch.Body("block", 2.0, body.inertia, body.position, **moving)
    damping = np.zeros(6)
    damping[direction] = 0.1 * np.sqrt(STIFFNESS[direction] * inertia)
    mount = ch.Bushing("f", ch.GROUND, body, body.position, STIFFNESS, damping)
    result = ch.simulate(ch.Model([body], forces=[mount], gravity=NOTHING), 1.0, 1e-3)
    pulse = np.sqrt(STIFFNESS[direction] / inertia)
    swing = pulse * np.sqrt(1 - 0.05**2)
    expected = 1e-4 / swing * np.exp(-0.05 * pulse * result.t) * np.sin(swing * result.t)
    found = result.position("block") - body.position
    if direction >= 3:
        r = result.rotation("block")
        found = np.stack((r[:, 2, 1], r[:, 0, 2], r[:, 1, 0]), axis=1)
    np.testing.assert_allclose(found[:, direction % 3], expected, rtol=0, atol=1e-12)


def test_friction_brings_a_wheel_to_rest_at_an_even_rate():
    """While it slides the torque is the level, to the last digit; then it creeps to rest."""
    wheel = ch.Body.cylinder("wheel", 0.2, 0.05, mass=3.0, angular_velocity=(0, 0, 5))
    axle = ch.Revolute("axle", ch.GROUND, wheel, NOTHING, UP)
    friction = ch.JointFriction("f", axle, level=0.2, smoothing=1e-2)
    result = ch.simulate(ch.Model([wheel], [axle], [friction]), until=2.0, step=1e-3)
    slowing = 0.2 / wheel.inertia[2][2]
    sliding = result.t < (5 - 0.2) / slowing
    assert 100 < sliding.sum() < len(result.t) - 100
    speed = result.coordinate_rate("axle")
    np.testing.assert_allclose(speed[sliding], 5 - slowing * result.t[sliding], atol=1e-10)
    assert np.abs(speed[-1]) < 1e-6
    energy = 0.5 * wheel.inertia[2][2] * 25
    assert result.work("f")[-1] == pytest.approx(-energy, rel=1e-6)


def test_a_motor_swings_its_joint_to_the_target_as_a_damped_oscillator():
    arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, NOTHING, UP)
    motor = ch.Motor("servo", hinge, target=0.7, stiffness=25.0, damping=2.0)
    result = ch.simulate(ch.Model([arm], [hinge], [motor]), until=2.0, step=1e-3)
    pulse, decay = 5.0, 1.0  # I = 1
    swing = np.sqrt(pulse**2 - decay**2)
    t = result.t
    rest = np.exp(-decay * t) * (np.cos(swing * t) + decay / swing * np.sin(swing * t))
    np.testing.assert_allclose(result.coordinate("hinge"), 0.7 * (1 - rest), rtol=0, atol=1e-10)
    assert np.abs(result.energy_balance()).max() < 1e-9


def test_an_engine_accelerates_its_wheel_by_its_effort():
    """I w' = e(t): a function that jumps is all right, since it is never differentiated."""
    wheel = ch.Body.cylinder("wheel", 0.2, 0.05, mass=3.0)
    axle = ch.Revolute("axle", ch.GROUND, wheel, NOTHING, UP)
    engine = ch.Motor("engine", axle, effort=lambda t: np.where(t < 0.5, 0.3, 0.1))
    result = ch.simulate(ch.Model([wheel], [axle], [engine]), until=1.0, step=1e-3)
    gained = (0.3 * 0.5 + 0.1 * 0.5) / wheel.inertia[2][2]
    assert result.coordinate_rate("axle")[-1] == pytest.approx(gained, rel=1e-3)


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_load_at_a_point_turns_the_body(frame):
    """At rest: v' = F/m, w' = r x F / I, along the axes of the world or of the turned body."""
    turn = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    body = ch.Body.box("b", (1, 1, 1), mass=3.0, position=(1, 2, 3), rotation=turn)
    load = ch.Load("f", body, force=(6, 0, 0), at=(1, 2, 4), frame=frame)
    start = ch.equations(ch.Model([body], forces=[load], gravity=NOTHING))
    force = np.array([6, 0, 0]) if frame == "body" else np.array(turn).T @ (6, 0, 0)
    expected = np.concatenate((np.cross((0, 0, 1), force) / 0.5, force / 3))
    np.testing.assert_allclose(start.acceleration, expected, rtol=0, atol=1e-14)


def test_the_equations_at_a_state_are_those_of_its_time():
    body = ball(velocity=(0, 0, 0))
    load = ch.Load("f", body, force=lambda t: (2 * t, 0, 0))
    model = ch.Model([body], forces=[load], gravity=NOTHING)
    result = ch.simulate(model, until=1.0, step=1e-2)
    assert result.position("ball")[-1, 0] == pytest.approx(1 / 6, abs=1e-12)
    assert ch.equations(model, result.state()).acceleration[3] == pytest.approx(1.0, abs=1e-12)


def test_an_arm_that_a_motor_lifts_settles_where_its_weight_balances_the_effort():
    r"""$m g l \sin\theta = e$."""
    arm = ch.Body.box("arm", (0.1, 0.1, 1.0), mass=1.5, position=(0, 0, -0.5))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 0))
    model = ch.Model([arm], [hinge], [ch.Motor("motor", hinge, effort=2.0)])
    angle = ch.equilibrium(model).state.angles["hinge"]
    assert np.sin(angle) == pytest.approx(2.0 / (1.5 * 9.81 * 0.5), rel=1e-9)
