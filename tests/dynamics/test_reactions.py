"""Reactions are the forces and torques that move the bodies as they move."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from mechanisms import pendulum
from random_trees import KINDS, moving_twin

import chasles as ch

G = 9.81
STEP = 1e-3
#: Central difference of order 8.
STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


def rate(values: np.ndarray) -> np.ndarray:
    """d/dt of a history, without the four states at each end."""
    count = len(values) - 8
    return sum(w * values[k : k + count] for k, w in enumerate(STENCIL)) / STEP


def inner(values: np.ndarray) -> np.ndarray:
    return values[4:-4]


def joint_wrench(result: ch.Result, joint: ch.Joint, body: ch.Body):
    """Force on a body and torque about its centre of mass, by one of its joints (T, 3)."""
    reaction = result.reaction(joint)
    force, torque = reaction.on(body)
    return force, torque + np.cross(reaction.point - result.position(body), force)


def newton_residual(result: ch.Result, body: ch.Body) -> float:
    """By how much p' = m g + sum f and L' = sum tau fail, by the largest of all (N, N m)."""
    momentum = body.mass * result.velocity(body)
    spin = result.angular_velocity(body) @ np.array(body.inertia)
    causes = [(np.tile(body.mass * np.array(result.model.gravity), (len(result.t), 1)), 0 * spin)]
    for joint in result.model.joints:
        if body.name in (joint.a, joint.b):
            causes.append(joint_wrench(result, joint, body))
    force, torque = np.sum(causes, axis=0)
    angular = np.einsum("tij,tj->ti", result.rotation(body), spin)
    failure = [rate(momentum) - inner(force), rate(angular) - inner(torque)]
    return np.abs(failure).max() / np.abs(causes).max()


def moving(model: ch.Model, **options) -> ch.Result:
    return ch.simulate(model, until=0.05, step=STEP, method="dop853", **options)


def three_bar() -> ch.Model:
    """Two links between two pivots, three ball joints: a loop."""
    up = (sqrt(0.5), 0, -sqrt(0.5), 0)  # a quarter turn that takes x to z
    left = ch.Body.box("left", (0.2, 0.1, 0.05), mass=2.7, position=(0, 0, 0.1), rotation=up,
                       angular_velocity=(30, 0, 10))  # fmt: skip
    right = ch.Body.box("right", (0.4, 0.1, 0.05), mass=1.7, position=(0.2, 0, 0.2))
    return ch.Model(
        [left, right],
        [
            ch.Spherical("A", ch.GROUND, left, at=(0, 0, 0)),
            ch.Spherical("B", left, right, at=(0, 0, 0.2)),
            ch.Spherical("C", right, ch.GROUND, at=(0.4, 0, 0.2)),
        ],
    )


# --- Newton and Euler ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("seed", range(6))
def test_newtons_law_holds_on_every_body_of_a_random_tree(seed, form):
    model = moving_twin(np.random.default_rng(seed), 5)[0].model
    result = moving(model, acceleration=form)
    for body in model.bodies:
        assert newton_residual(result, body) < 1e-9, body.name


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_newtons_law_holds_on_every_body_of_a_loop(spaces):
    result = moving(three_bar(), spaces=spaces)
    for body in result.model.bodies:
        assert newton_residual(result, body) < 1e-9, body.name


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("seed", range(6))
def test_action_is_minus_reaction_at_the_same_point(seed, form):
    model = moving_twin(np.random.default_rng(seed), 5)[0].model
    result = moving(model, acceleration=form)
    for joint in model.joints:
        reaction = result.reaction(joint)
        (force_a, torque_a), (force_b, torque_b) = reaction.on(joint.a), reaction.on(joint.b)
        scale = np.abs([force_b, torque_b]).max()
        assert np.abs(force_a + force_b).max() <= 1e-12 * scale
        assert np.abs(torque_a + torque_b).max() <= 1e-12 * scale


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_a_joint_exerts_nothing_along_its_freedom(kind):
    """No torque about a hinge, no force along a slide; a screw trades one for the other."""
    model = moving_twin(np.random.default_rng(3), 4, [kind])[0].model
    result = moving(model)
    free = {
        "spherical": ("tx", "ty", "tz"),
        "revolute": ("tz",),
        "prismatic": ("fz",),
        "cylindrical": ("tz", "fz"),
        "planar": ("tz", "fx", "fy"),
        "helical": (),
    }[kind]
    for joint in model.joints:
        force, torque = result.reaction(joint).in_joint_frame
        both = dict(zip(("fx", "fy", "fz", "tx", "ty", "tz"), np.hstack((force, torque)).T))
        scale = max(np.abs(values).max() for values in both.values())
        assert scale > 0.1
        for name in free:
            assert np.abs(both[name]).max() < 1e-12 * scale, (joint.name, name)
        if kind == "helical":
            power = both["fz"] * joint.pitch + both["tz"]
            assert np.abs(both["tz"]).max() > 1e-3 and np.abs(power).max() < 1e-12 * scale


def test_the_point_of_a_reaction_travels_with_the_second_body():
    sledge = ch.Body.box("sledge", (1, 1, 1), mass=2.0, velocity=(3, 0, 0))
    rail = ch.Prismatic("rail", ch.GROUND, sledge, at=(0, 0.5, 0), axis=(1, 0, 0))
    result = ch.simulate(ch.Model([sledge], [rail]), until=1.0, step=0.1)
    reaction = result.reaction("rail")
    along = np.outer(result.t, (3, 0, 0)) + (0, 0.5, 0)
    assert reaction.point == pytest.approx(along, abs=1e-13)
    assert reaction.force == pytest.approx(np.tile((0, 0, 2 * G), (11, 1)))
    assert reaction.torque == pytest.approx(np.tile((-0.5 * 2 * G, 0, 0), (11, 1)))
    assert np.array_equal(reaction.on(ch.GROUND), (-reaction.force, -reaction.torque))


# --- closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("at_rest", [ch.Spherical, ch.Fixed])
def test_a_body_that_hangs_at_rest_is_held_by_its_weight(at_rest):
    lamp = ch.Body.sphere("lamp", 0.1, mass=3.0, position=(1, 2, -0.5))
    joint = at_rest("hook", ch.GROUND, lamp, at=(1, 2, 0))
    reaction = ch.simulate(ch.Model([lamp], [joint]), until=0.1, step=0.01).reaction("hook")
    assert reaction.force == pytest.approx(np.tile((0, 0, 3 * G), (11, 1)))
    assert reaction.torque == pytest.approx(np.zeros((11, 3)), abs=1e-13)
    assert reaction.on("ground")[0] == pytest.approx(np.tile((0, 0, -3 * G), (11, 1)))


def test_a_lower_link_hangs_on_the_upper_one_and_both_on_the_hook():
    upper = ch.Body.rod("upper", 1.0, mass=2.0, position=(0, 0, -0.5), axis="z")
    lower = ch.Body.rod("lower", 1.0, mass=5.0, position=(0, 0, -1.5), axis="z")
    hook = ch.Spherical("hook", upper, ch.GROUND, at=(0, 0, 0))  # named upside down
    link = ch.Spherical("link", lower, upper, at=(0, 0, -1))
    result = ch.simulate(ch.Model([upper, lower], [hook, link]), until=0.01, step=0.01)
    assert result.reaction("hook").on(upper)[0][-1] == pytest.approx((0, 0, 7 * G))
    assert result.reaction("hook").on(ch.GROUND)[0][-1] == pytest.approx((0, 0, -7 * G))
    assert result.reaction("hook").force[-1] == pytest.approx((0, 0, -7 * G))  # on the second
    assert result.reaction("link").on("lower")[0][-1] == pytest.approx((0, 0, 5 * G))
    assert result.reaction("link").on("upper")[0][-1] == pytest.approx((0, 0, -5 * G))


@pytest.mark.parametrize("angle", [0.2, 1.0, 1.5])
def test_the_thread_of_a_conical_pendulum_pulls_along_itself(angle):
    """A ball on a thread of length l circles at W^2 = g / (l cos a); the thread pulls m g / cos a.

    The ball turns with the thread once a round, about the vertical, and its moments are equal, so
    its own spin needs no torque.
    """
    length, mass = 0.7, 1.3
    omega = sqrt(G / (length * cos(angle)))
    start = (length * sin(angle), 0, -length * cos(angle))
    ball = ch.Body.sphere("ball", 0.05, mass=mass, position=start, angular_velocity=(0, 0, omega))
    model = ch.Model([ball], [ch.Spherical("thread", ch.GROUND, ball, at=(0, 0, 0))])
    result = ch.simulate(model, until=2 * pi / omega, step=2 * pi / omega / 400, method="dop853")
    reaction = result.reaction("thread")
    towards_pivot = -result.position(ball) / length
    assert np.linalg.norm(reaction.force, axis=1) == pytest.approx(mass * G / cos(angle), rel=1e-10)
    assert reaction.force == pytest.approx(mass * G / cos(angle) * towards_pivot, abs=1e-9)
    assert reaction.torque == pytest.approx(np.zeros_like(reaction.torque), abs=1e-12)
    assert result.position(ball)[-1] == pytest.approx(start, abs=1e-9)


def test_a_rod_let_go_level_is_held_by_a_quarter_of_its_weight_and_below_by_five_halves():
    """Textbook: N = m g / 4 at release; at the bottom w^2 = 3 g / l and N = 5 m g / 2."""
    model = pendulum(name="rod", mass=2.0)
    result = ch.simulate(model, until=1.0, step=1e-3, method="dop853")
    force = result.reaction("hinge").force
    assert force[0] == pytest.approx((0, 0, 2 * G / 4), abs=1e-12)
    # At any angle below the level: along the rod 5/2 m g sin, across it 1/4 m g cos.
    turn = result.rotation("rod")
    sine, cosine = -turn[:, 2, 0], turn[:, 0, 0]
    assert sine.max() > 0.99
    in_rod = np.einsum("tji,tj->ti", turn, force)
    assert in_rod[:, 0] == pytest.approx(-2.5 * 2 * G * sine, abs=1e-10)
    assert in_rod[:, 2] == pytest.approx(0.25 * 2 * G * cosine, abs=1e-10)


def test_a_hinge_carries_the_bending_torque_of_a_turning_arm():
    """A level arm on a vertical shaft: weight m g, its moment m g l, centripetal force m w^2 l."""
    arm = ch.Body.box("arm", (0.6, 0.1, 0.1), mass=4.0, position=(0.3, 0, 0),
                      angular_velocity=(0, 0, 5.0))  # fmt: skip
    model = ch.Model([arm], [ch.Revolute("shaft", ch.GROUND, arm, at=(0, 0, 0), axis=(0, 0, 1))])
    result = ch.simulate(model, until=1.0, step=1e-3, method="dop853")
    outward = result.position(arm) / 0.3
    reaction = result.reaction("shaft")
    up = np.array((0, 0, 1.0))
    assert reaction.force == pytest.approx(4 * G * up - 4 * 25 * 0.3 * outward, abs=1e-9)
    assert reaction.torque == pytest.approx(-4 * G * 0.3 * np.cross(outward, -up), abs=1e-9)


def test_a_rotor_out_of_balance_shakes_its_bearing_by_its_product_of_inertia():
    """A disc tilted by b on a shaft: torque w^2 (C - A) sin b cos b, turning with the disc."""
    tilt, spin = 0.1, 40.0
    tilted = (cos(tilt / 2), sin(tilt / 2), 0, 0)
    along = (0, spin * sin(tilt), spin * cos(tilt))  # the shaft's direction in the disc's frame
    disc = ch.Body.cylinder("disc", radius=0.2, length=0.01, mass=6.0, rotation=tilted,
                            angular_velocity=along)  # fmt: skip
    model = ch.Model(
        [disc], [ch.Revolute("bearing", ch.GROUND, disc, at=(0, 0, 0), axis=(0, 0, 1))],
        gravity=(0, 0, 0),
    )  # fmt: skip
    moments = np.diag(np.array(disc.inertia))
    expected = spin**2 * (moments[2] - moments[0]) * sin(tilt) * cos(tilt)
    result = ch.simulate(model, until=0.1, step=1e-4, method="dop853")
    reaction = result.reaction("bearing")
    around = np.stack([np.cos(spin * result.t), np.sin(spin * result.t), 0 * result.t], axis=1)
    assert reaction.torque == pytest.approx(expected * around, abs=1e-9)
    assert reaction.force == pytest.approx(np.zeros_like(reaction.force), abs=1e-10)


def test_a_reaction_is_asked_of_one_of_its_two_bodies():
    lamp = ch.Body.sphere("lamp", 0.1, mass=3.0, position=(0, 0, -0.5))
    model = ch.Model([lamp], [ch.Spherical("hook", ch.GROUND, lamp, at=(0, 0, 0))])
    reaction = ch.simulate(model, until=0.01, step=0.01).reaction("hook")
    with pytest.raises(ch.ChaslesError, match="joint 'hook' does not act on 'table'") as caught:
        reaction.on("table")
    assert "'ground' and 'lamp'" in str(caught.value)
