"""Gears: speeds and torques of trains in closed form, and which wheels may mesh."""

import numpy as np
import pytest

import chasles as ch

ORIGIN, X, Y, UP = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)


def wheel(name, position, radius=0.1, axis="z", **start):
    return ch.Body.cylinder(name, radius, 0.02, axis=axis, mass=2.0, position=position, **start)


@pytest.mark.parametrize("stabilise", [None, "projection of all joints"])
@pytest.mark.parametrize("swap", [False, True])
def test_a_train_accelerates_as_its_reduced_inertia_says(swap, stabilise):
    """Spur pair at -1/2, then a bevel pair at 3: all inertia seen from the first wheel."""
    wheels = [wheel("a", ORIGIN), wheel("b", (0.3, 0, 0), 0.2), wheel("c", (0.3, 1, 0), axis="x")]
    axes = [UP, UP, X]
    joints = [
        ch.Revolute(f"bearing {w.name}", ch.GROUND, w, at=w.position, axis=axis)
        for w, axis in zip(wheels, axes)
    ]
    if swap:
        joints += [
            ch.Gear("spur", "b", "a", axis=UP, axis_b=UP, ratio=-2.0),
            ch.Gear("bevel", "c", "b", axis=X, axis_b=UP, ratio=1 / 3),
        ]
    else:
        joints += [
            ch.Gear("spur", "a", "b", axis=UP, axis_b=UP, ratio=-0.5),
            ch.Gear("bevel", "b", "c", axis=UP, axis_b=X, ratio=3.0),
        ]
    load = ch.Load("torque", "a", torque=(0, 0, 0.5))
    model = ch.Model(wheels, joints, [load])
    result = ch.simulate(model, until=8.0, step=2e-3, stabilise=stabilise, save_every=10)
    moments = [w.inertia[k][k] for w, k in zip(wheels, (2, 2, 0))]
    reduced = moments[0] + 0.25 * moments[1] + (0.5 * 3) ** 2 * moments[2]
    acceleration = 0.5 / reduced
    turns = [result.coordinate(f"bearing {w.name}") for w in wheels]
    assert turns[0] == pytest.approx(0.5 * acceleration * result.t**2, rel=1e-9, abs=1e-9)
    assert turns[0][-1] > 20 * np.pi
    assert turns[1] == pytest.approx(-0.5 * turns[0], abs=1e-9)
    assert turns[2] == pytest.approx(-1.5 * turns[0], abs=1e-9)
    assert np.abs(result.energy_balance()).max() < 1e-9 * result.energy()[-1]
    # The mesh takes from a what does not accelerate it, and gives b what accelerates b and c.
    taken = result.reaction("spur").on("a")[1][:, 2]
    assert taken == pytest.approx(-(0.5 - moments[0] * acceleration), abs=1e-9)
    assert result.reaction("spur").on("b")[1][:, 2] == pytest.approx(taken / 0.5, abs=1e-9)
    assert np.abs(result.reaction("spur").on("b")[0]).max() == 0.0


def test_what_a_wheel_is_welded_to_may_have_the_bearing():
    shaft, a, b = wheel("shaft", ORIGIN), wheel("a", (0, 0, 0.1)), wheel("b", (0.2, 0, 0))
    frame = wheel("frame", (1, 0, 0))
    joints = [
        ch.Fixed("stand", ch.GROUND, frame),
        ch.Revolute("bearing", shaft, frame, at=ORIGIN, axis=(0, 0, -1)),
        ch.Fixed("key", shaft, a),
        ch.Cylindrical("sleeve", "b", ch.GROUND, at=(0.2, 0, 0), axis=UP),
        ch.Gear("mesh", a, b, axis=UP, axis_b=UP, ratio=-1),
    ]
    model = ch.Model([frame, shaft, a, b], joints)
    # Both shafts turn, tied by the mesh, and b slides on its own.
    equations = ch.equations(model)
    assert model.degrees_of_freedom == 2
    assert np.linalg.matrix_rank(equations.jacobian, tol=1e-9) == 24 - 2


def planetary(**changes):
    """A planet on an arm that turns: its axis moves."""
    sun, arm, planet = wheel("sun", ORIGIN), wheel("arm", (0.1, 0, 0)), wheel("planet", (0.2, 0, 0))
    joints = {
        "sun bearing": ch.Revolute("sun bearing", ch.GROUND, sun, at=ORIGIN, axis=UP),
        "arm bearing": ch.Revolute("arm bearing", ch.GROUND, arm, at=ORIGIN, axis=UP),
        "pin": ch.Revolute("pin", arm, planet, at=(0.2, 0, 0), axis=UP),
        "mesh": ch.Gear("mesh", sun, planet, axis=UP, axis_b=UP, ratio=-1),
    }
    return ch.Model([sun, arm, planet], [j for j in (joints | changes).values() if j])


@pytest.mark.parametrize(
    "changes, said",
    [
        ({}, ["wheel 'planet'", "axis_b (0.0, 0.0, 1.0)", "carrier"]),
        ({"sun bearing": None}, ["wheel 'sun'", "axis (0.0"]),
        ({"sun bearing": ch.Revolute("s", ch.GROUND, "sun", ORIGIN, X)}, ["wheel 'sun'"]),
        ({"sun bearing": ch.Spherical("s", ch.GROUND, "sun", ORIGIN)}, ["wheel 'sun'"]),
    ],
)
def test_wheels_without_an_axis_in_the_ground_are_refused(changes, said, refusal):
    for ask in (ch.equations, lambda model: ch.simulate(model, 1.0, 1e-2)):
        message = refusal(lambda ask=ask: ask(planetary(**changes)), ch.InvalidJoint)
        for part in ["joint 'mesh'", *said, "Revolute"]:
            assert part in message


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_a_planet_geared_to_its_carrier_rolls_within_a_fixed_ring(spaces):
    """Ring of 0.3 m: where the planet of 0.1 m touches it, at r + 0.1 r / |r|, it has no speed."""
    arm, planet = wheel("arm", (0.1, 0, 0)), wheel("planet", (0.2, 0, 0))
    joints = [
        ch.Revolute("arm bearing", ch.GROUND, arm, at=ORIGIN, axis=UP),
        ch.Revolute("pin", arm, planet, at=(0.2, 0, 0), axis=(0, 0, -1)),
        ch.Gear("mesh", arm, planet, axis=UP, axis_b=UP, ratio=1 - 0.3 / 0.1),
    ]
    push = ch.Load("push", arm, torque=(0, 0, 0.5))
    model = ch.Model([arm, planet], joints, [push], gravity=(0, 0, 0))
    result = ch.simulate(model, until=2.0, step=1e-3, spaces=spaces)
    centre, spin = result.position("planet"), result.angular_velocity("planet")
    touching = np.cross(spin, 0.5 * centre) + result.velocity("planet")
    assert np.abs(touching).max() < 1e-5 * np.abs(result.velocity("planet")).max()
    moment, mass = planet.inertia[2][2], 2.0
    reduced = moment + mass * 0.1**2 + mass * 0.2**2 + 2.0**2 * moment
    assert result.angular_velocity("arm")[-1, 2] == pytest.approx(0.5 / reduced * 2.0, rel=1e-6)
    assert np.abs(result.energy_balance()).max() < 1e-6
