"""Angles without wrap-around and displacements, with their rates, in both orders of the bodies."""

import numpy as np
import pytest
from mechanisms import chain, make_joint, moving, random_body

import chasles as ch

UP = (0, 0, 1)
COORDINATES = {
    "revolute": ("angle",),
    "helical": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("angle", "displacement"),
}
CASES = [(kind, which) for kind, names in COORDINATES.items() for which in names]
SIXTH = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60


def spun(kind, swap, speed=40.0, slide=0.3):
    """A body without loads on a joint to the ground, which then moves evenly."""
    rng = np.random.default_rng(2)
    axis = np.array([1.0, 2.0, -2.0]) / 3
    at = np.array([0.1, 0.2, 0.3])
    # Off the axis the bearing would have to pull, which changes nothing of the coordinate.
    body = random_body(rng, "body", at + np.array([0.2, 0.0, 0.1]))
    pair = (body, ch.GROUND) if swap else (ch.GROUND, body)
    joint = make_joint(kind, "joint", *pair, at=at, axis=axis)
    omega = np.zeros(3) if kind == "prismatic" else speed * axis
    along = {"prismatic": slide, "cylindrical": slide, "helical": 0.03 * speed}.get(kind, 0.0)
    velocity = np.cross(omega, np.array(body.position) - at) + along * axis
    started = ch.Body(
        "body", body.mass, body.inertia, body.position, body.rotation, velocity=velocity,
        angular_velocity=np.array(body.rotation).T @ omega,
    )  # fmt: skip
    return ch.Model([started], [joint], gravity=(0, 0, 0))


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("kind, which", CASES)
def test_a_coordinate_counts_on_over_many_turns(kind, which, swap, tmp_path):
    """40 rad/s for 2 s, saved at every step and only every 4 rad."""
    sign, rate = (-1.0 if swap else 1.0), 40.0 if which == "angle" else 0.3
    for save_every in (1, 100):
        result = ch.simulate(
            spun(kind, swap), until=2.0, step=1e-3, method="butcher6", save_every=save_every
        )
        for found in (result, ch.load(result.save(tmp_path / "run.nc"))):
            coordinate = found.coordinate("joint", which)
            np.testing.assert_allclose(coordinate, sign * rate * found.t, rtol=0, atol=1e-8)
            np.testing.assert_allclose(
                found.coordinate_rate("joint", which), sign * rate, rtol=0, atol=1e-9
            )
            assert coordinate[0] == pytest.approx(0.0, abs=1e-15)
    if which == COORDINATES[kind][0]:
        assert np.array_equal(result.coordinate("joint"), coordinate)
        assert np.array_equal(result.coordinate(result.model.joint("joint")), coordinate)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("kind, which", CASES)
def test_between_moving_bodies_the_rate_is_the_derivative(kind, which, swap):
    rng = np.random.default_rng(4)
    model = moving(chain(rng, ["spherical", kind], swap=swap), rng, speed=2.0)
    result = ch.simulate(model, until=0.1, step=1e-3, method="dop853")
    coordinate = result.coordinate("joint 1", which)
    rate = result.coordinate_rate("joint 1", which)
    slope = np.convolve(coordinate, SIXTH[::-1], "valid") / 1e-3
    np.testing.assert_allclose(slope, rate[3:-3], rtol=0, atol=1e-8 * max(1, np.abs(rate).max()))
    # By hand: the angle of b's frame against a's about the axis, or the way along it.
    joint = model.joint("joint 1")
    a, b = model.body(joint.a), model.body(joint.b)
    if which == "displacement":
        tips = [
            result.position(body)
            + result.rotation(body)
            @ (np.array(body.rotation).T @ np.subtract(joint.at, body.position))
            for body in (a, b)
        ]
        axis = result.rotation(a) @ (np.array(a.rotation).T @ np.array(joint.axis))
        expected = np.sum(axis * (tips[1] - tips[0]), axis=1)
    else:
        start = np.array(a.rotation).T @ np.array(b.rotation)
        relative = np.swapaxes(result.rotation(a), 1, 2) @ result.rotation(b) @ start.T
        skew = relative - np.swapaxes(relative, 1, 2)
        vector = 0.5 * np.stack((skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]), axis=1)
        sine = vector @ (np.array(a.rotation).T @ np.array(joint.axis))
        cosine = 0.5 * (np.trace(relative, axis1=1, axis2=2) - 1)
        expected = np.unwrap(np.arctan2(sine, cosine))
    np.testing.assert_allclose(coordinate, expected, rtol=0, atol=1e-10)


def test_a_nut_falls_down_its_screw():
    """Every radian lowers the nut: a = g / (1 + I / m h^2), in rad/s^2 by h."""
    pitch = -0.05
    nut = ch.Body.cylinder("nut", 0.1, 0.05, mass=1.0)
    screw = ch.Helical("screw", ch.GROUND, nut, at=(0, 0, 0), axis=UP, pitch=pitch)
    result = ch.simulate(ch.Model([nut], [screw]), until=3.0, step=1e-3)
    spin = -9.81 * pitch / (pitch**2 + nut.inertia[2][2] / nut.mass)
    assert result.coordinate("screw") == pytest.approx(0.5 * spin * result.t**2, rel=1e-9, abs=1e-9)
    assert result.coordinate("screw")[-1] > 40 * np.pi
    assert result.position("nut")[:, 2] == pytest.approx(
        pitch * result.coordinate("screw"), abs=1e-8
    )


@pytest.mark.parametrize(
    "ask, said",
    [
        (lambda r: r.coordinate("ball"), ["'ball' is spherical", "no coordinate"]),
        (lambda r: r.coordinate("rail", "angle"), ["prismatic and has no angle", "displacement"]),
        (
            lambda r: r.coordinate("rail", "turn"),
            ["coordinate must be 'auto', 'angle' or 'displacement', got 'turn'"],
        ),
        (
            lambda r: r.coordinate_rate("rail", 3),
            ["coordinate must be 'auto', 'angle' or 'displacement', got 3"],
        ),
    ],
)
def test_a_coordinate_that_there_is_not_is_refused(ask, said, refusal):
    bob = ch.Body.sphere("bob", 0.1, mass=1.0)
    car = ch.Body.sphere("car", 0.1, mass=1.0)
    joints = [
        ch.Spherical("ball", ch.GROUND, bob, at=UP),
        ch.Prismatic("rail", ch.GROUND, car, axis=(1, 0, 0)),
    ]
    result = ch.simulate(ch.Model([bob, car], joints), until=0.01, step=1e-2)
    message = refusal(lambda: ask(result), ch.InvalidOption)
    for part in said:
        assert part in message


def test_a_joint_that_there_is_not_is_refused(refusal):
    bob = ch.Body.sphere("bob", 0.1, mass=1.0)
    result = ch.simulate(ch.Model([bob]), until=0.01, step=1e-2)
    assert "no joint 'hinge'" in refusal(lambda: result.coordinate("hinge"), ch.UnknownName)
