"""Joints beyond the lower pairs: J, eta, motion, and what they keep."""

import dataclasses

import numpy as np
import pytest

import chasles as ch


def two_bodies(rng):
    def body(name, mass):
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        q *= np.sign(np.linalg.det(q))
        moments = rng.uniform(0.2, 0.3, 3)
        motion = {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        return ch.Body(name, mass, np.diag(moments), rng.normal(size=3), q, **motion)

    return body("a", 2.0), body("b", 1.5)


def span_squared(pose_a, pose_b):
    d = [y - x for x, y in zip(pose_a[1], pose_b[1])]
    return (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 4.0,)


def coupled(kind: str, seed: int = 0) -> ch.Model:
    """Two bodies in flight and one joint; b's velocity is completed."""
    rng = np.random.default_rng(seed)
    a, b = two_bodies(rng)
    at, u = rng.normal(size=3), rng.normal(size=3)
    v = np.cross(u, rng.normal(size=3))
    if kind == "custom":
        b = dataclasses.replace(b, position=tuple(np.array(a.position) + (2.0, 0, 0)))
    joint = {
        "universal": lambda: ch.Universal("j", a, b, at=at, axis=u, axis_b=v),
        "constant velocity": lambda: ch.ConstantVelocity("j", a, b, at=at, axis=u),
        "distance": lambda: ch.Distance("j", a, b, at=at, at_b=at + v),
        "point on line": lambda: ch.PointOnLine("j", a, b, at=at, axis=u),
        "point on plane": lambda: ch.PointOnPlane("j", a, b, at=at, axis=u),
        "custom": lambda: ch.CustomJoint("j", a, b, span_squared, rows=1),
    }[kind]()
    free = dataclasses.replace(b, velocity=None, angular_velocity=None)
    return ch.Model([a, free], [joint])


KINDS = (
    "universal", "constant velocity", "distance", "point on line", "point on plane", "custom",
)  # fmt: skip


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_and_keeps_energy(kind, form):
    model = coupled(kind)
    result = ch.simulate(model, until=0.5, step=1e-3, acceleration=form)
    assert result.violation("j").max() < 1e-8 and result.violation("j", "rotation").max() < 1e-8
    assert np.abs(result.energy_balance()).max() < 1e-7 * result.kinetic_energy()[0]
    closed = ch.simulate(model, until=0.5, step=1e-3, acceleration=form, stabilise="projection")
    assert closed.violation("j").max() < 1e-12
    assert closed.violation("j", "rotation").max() < 1e-12


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("kind", KINDS)
def test_eta_is_minus_the_rate_of_j_times_v(kind, form):
    """Along a motion J V = 0, so J V' = eta; by central differences of J V' + J' V = 0."""
    model, h = coupled(kind, seed=3), 1e-4
    result = ch.simulate(
        model, until=4 * h, step=h, method="dop853", acceleration=form, spaces="SO3xR3"
    )
    steps = [ch.equations(model, result.state(k), acceleration=form) for k in range(5)]
    jacobian_rate = (
        steps[0].jacobian - 8 * steps[1].jacobian + 8 * steps[3].jacobian - steps[4].jacobian
    ) / (12 * h)
    now = steps[2]
    assert now.jacobian @ now.velocity == pytest.approx(np.zeros(len(now.eta)), abs=1e-9)
    assert -jacobian_rate @ now.velocity == pytest.approx(now.eta, abs=1e-7)


def test_a_cardan_joint_turns_its_shafts_unevenly():
    """Two shafts in bearings: the ratio of speeds swings between cos and 1/cos of their angle."""
    bend = np.radians(30)
    out = np.array([np.cos(bend), np.sin(bend), 0])
    turn = ((np.cos(bend), -np.sin(bend), 0), (np.sin(bend), np.cos(bend), 0), (0, 0, 1))
    first = ch.Body.cylinder(
        "in", 0.05, 1.0, axis="x", mass=1.0, position=(-0.5, 0, 0), angular_velocity=(7, 0, 0)
    )
    second = ch.Body.cylinder(
        "out", 0.05, 1.0, axis="x", mass=1.0, position=0.5 * out, rotation=turn
    )
    pins = {"axis": (0, 0, 1), "axis_b": (-out[1], out[0], 0)}
    joints = [
        ch.Cylindrical("bearing in", ch.GROUND, first, (-1, 0, 0), (1, 0, 0)),
        ch.Revolute("bearing out", ch.GROUND, second, out, out),
        ch.Universal("cross", first, second, (0, 0, 0), **pins),
    ]
    model = ch.Model([first, second], joints, gravity=(0, 0, 0))
    result = ch.simulate(model, until=1.0, step=1e-3)
    ratio = result.angular_velocity("out")[:, 0] / result.angular_velocity("in")[:, 0]
    assert ratio.max() == pytest.approx(1 / np.cos(bend), abs=1e-3)
    assert ratio.min() == pytest.approx(np.cos(bend), abs=1e-3)


def test_a_sphere_under_load_rolls_as_the_textbook_says():
    ball = ch.Body.sphere(
        "ball", radius=0.2, mass=1.0, position=(0, 0, 0.2), angular_velocity=(1, 2, 3)
    )
    roll = ch.RollingSphere("roll", ch.GROUND, ball, at=(0, 0, 0), axis=(0, 0, 1), radius=0.2)
    model = ch.Model([ball], [roll], forces=[ch.Load("push", ball, force=(0.1, 0, 0))])
    result = ch.simulate(model, until=1.0, step=1e-3)
    assert result.velocity("ball")[-1] == pytest.approx((0.4 + 0.1 / 1.4, -0.2, 0), abs=1e-12)
    assert np.abs(result.energy_balance()).max() < 1e-12


def test_a_rolling_disc_keeps_its_energy_and_touches_the_ground():
    tilt = np.radians(105)
    turn = ((1, 0, 0), (0, np.cos(tilt), -np.sin(tilt)), (0, np.sin(tilt), np.cos(tilt)))
    disc = ch.Body(
        "disc", 15.0, (3.75, 3.75, 7.5), (0, 0, np.sin(tilt)), turn, angular_velocity=(0, 1, 5)
    )
    roll = ch.RollingDisc(
        "roll",
        ch.GROUND,
        disc,
        at=(0, 0, 0),
        axis=(0, 0, 1),
        axis_b=np.array(turn)[:, 2],
        radius=1.0,
    )
    result = ch.simulate(ch.Model([disc], [roll]), until=2.0, step=1e-3)
    assert np.abs(result.energy_balance()).max() < 1e-9 * result.kinetic_energy()[0]
    assert result.violation("roll").max() < 1e-9
