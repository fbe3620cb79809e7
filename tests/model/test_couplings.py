"""Joints that are not lower pairs: their rows, and what is not such a joint."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from chasles.model import (
    GROUND,
    Body,
    ConstantVelocity,
    CustomJoint,
    Distance,
    Fixed,
    Gear,
    Helical,
    InvalidJoint,
    Model,
    PointOnLine,
    PointOnPlane,
    Revolute,
    RollingDisc,
    RollingSphere,
    Spherical,
    Universal,
)

NAN, INF = float("nan"), float("inf")
ORIGIN, X, Y, UP = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
ROD = Body.rod("rod", 1.0, mass=1.0, position=(0, 0, 1))
WHEEL = Body.cylinder("wheel", 1.0, 0.1, mass=1.0, position=(3, 0, 1))


def height(pose_a, pose_b):
    return (pose_b[1][2] - 1.0,)


def heights(pose_a, pose_b):
    return height(pose_a, pose_b) * 6


COUPLINGS = [
    (Universal("j", GROUND, ROD, ORIGIN, X, Y), ("ux", "uy", "uz", "cross")),
    (ConstantVelocity("j", GROUND, ROD, ORIGIN, X), ("ux", "uy", "uz", "cv")),
    (Distance("j", GROUND, ROD, ORIGIN, (0, 3, 4)), ("length",)),
    (PointOnLine("j", GROUND, ROD, ORIGIN, X), ("ux", "uy")),
    (PointOnPlane("j", GROUND, ROD, ORIGIN, UP), ("uz",)),
    (Gear("j", ROD, WHEEL, UP, X, -2), ("turn",)),
    (RollingSphere("j", GROUND, ROD, ORIGIN, UP, 1), ("vx", "vy", "vz")),
    (RollingDisc("j", GROUND, WHEEL, ORIGIN, UP, Y, 1), ("vx", "vy", "vz")),
    (CustomJoint("j", GROUND, ROD, height, 1), ("g0",)),
    (CustomJoint("j", GROUND, ROD, heights, 6, at=X), ("g0", "g1", "g2", "g3", "g4", "g5")),
]
every_coupling = pytest.mark.parametrize(
    "joint, rows", COUPLINGS, ids=[joint.kind for joint, _ in COUPLINGS]
)


@every_coupling
def test_a_coupling_names_its_rows(joint, rows):
    assert joint.locked == rows and not joint.is_lower_pair
    assert joint.kind == type(joint).kind == type(joint).__name__.lower()
    assert Model([ROD, WHEEL], [joint]).grubler_count == 12 - len(rows)


@every_coupling
def test_a_coupling_can_be_varied_compared_and_sent(joint, rows):
    again = replace(joint, name="k")
    assert again != joint and again.locked == rows and replace(again, name="j") == joint
    assert pickle.loads(pickle.dumps(joint)) == joint and hash(joint) == hash(replace(joint))
    assert pickle.loads(pickle.dumps(joint)).locked == rows


def test_the_lower_pairs_say_so():
    for joint in (
        Spherical("j", GROUND, ROD, ORIGIN),
        Helical("j", GROUND, ROD, ORIGIN, UP, 0.1),
        Fixed("j", GROUND, ROD),
    ):
        assert joint.is_lower_pair
    assert Revolute.is_lower_pair and Revolute.kind == "revolute"


def test_what_is_stored():
    assert Distance("j", GROUND, ROD, ORIGIN, (0, 3, 4)).length == 5.0
    gear = Gear("j", ROD, WHEEL, UP, (2, 0, 0), ratio=-2)
    assert gear.ratio == -2.0 and gear.axis_b == (1.0, 0.0, 0.0) and gear.at is None
    assert Model([ROD, WHEEL], [gear]).joint("j").at == WHEEL.position
    assert RollingSphere("j", GROUND, ROD, ORIGIN, UP, 1).radius == 1.0
    disc = RollingDisc("j", GROUND, WHEEL, ORIGIN, UP, Y, radius=1)
    assert disc.axis_b == (0.0, 1.0, 0.0) and disc.axis == (0.0, 0.0, 1.0)
    custom = CustomJoint("j", GROUND, ROD, height, np.int64(1))
    assert custom.formula is height and custom.rows == 1 and custom.jacobian is None
    assert Model([ROD], [custom]).joint("j").at == ROD.position
    assert Model([ROD], [custom]).joint("j").locked == ("g0",)


@pytest.mark.parametrize("angle", [1e-8, -1e-3, 0.5])
def test_the_pins_of_a_cross_are_perpendicular(angle, refusal):
    bent = (np.sin(angle), np.cos(angle), 0)
    what = refusal(lambda: Universal("cross", GROUND, ROD, ORIGIN, X, bent), InvalidJoint)
    assert "joint 'cross'" in what and f"{np.sin(angle):.3g}" in what and "perpendicular" in what


def test_pins_perpendicular_to_rounding_are_accepted():
    Universal("cross", GROUND, ROD, ORIGIN, X, (1e-10, 1, 0))


@pytest.mark.parametrize(
    "make, said",
    [
        (
            lambda: Distance("j", GROUND, ROD, X, X),
            ["must be apart, got a distance of 0 m", "Spherical"],
        ),
        (lambda: Distance("j", GROUND, ROD, (-1.5e308, 0, 0), (1.5e308, 0, 0)), ["inf m"]),
        (lambda: Distance("j", GROUND, ROD, ORIGIN, None), ["at_b must be a point, got None"]),
        (lambda: Distance("j", GROUND, ROD, None, X), ["at must be a point, got None"]),
        (lambda: Distance("j", GROUND, ROD, ORIGIN, (0, NAN, 0)), ["at_b", "nan"]),
        (lambda: Universal("j", GROUND, ROD, None, X, Y), ["at must be a point, got None"]),
        (
            lambda: Universal("j", GROUND, ROD, ORIGIN, X, None),
            ["axis_b must be a direction, got None"],
        ),
        (lambda: Universal("j", GROUND, ROD, ORIGIN, X, ORIGIN), ["axis_b is (0, 0, 0)"]),
        (lambda: ConstantVelocity("j", GROUND, ROD, ORIGIN, ORIGIN), ["axis is (0, 0, 0)"]),
        (lambda: PointOnLine("j", GROUND, ROD, None, X), ["at must be a point, got None"]),
        (
            lambda: PointOnLine("j", GROUND, ROD, ORIGIN, None),
            ["axis must be an array of real numbers, got None"],
        ),
        (
            lambda: PointOnPlane("j", GROUND, ROD, (0, 0), X),
            ["at must be a vector of three numbers, got shape (2,)"],
        ),
        (lambda: PointOnPlane("j", ROD, ROD, ORIGIN, X), ["'rod' to itself"]),
        (lambda: Gear("j", ROD, WHEEL, UP, UP, 0), ["ratio is 0"]),
        (lambda: Gear("j", ROD, WHEEL, UP, UP, NAN), ["ratio must be finite, got nan"]),
        (lambda: Gear("j", ROD, WHEEL, UP, UP, "2:1"), ["ratio must be a number, got '2:1'"]),
        (lambda: Gear("j", ROD, WHEEL, UP, None, 2), ["axis_b must be a direction, got None"]),
        (lambda: Gear("j", GROUND, WHEEL, UP, UP, 2), ["to the ground", "Revolute"]),
        (lambda: Gear("j", ROD, GROUND, UP, UP, 2), ["to the ground", "Revolute"]),
        (
            lambda: RollingSphere("j", GROUND, ROD, ORIGIN, UP, 0),
            ["radius must be positive, got 0 m"],
        ),
        (
            lambda: RollingSphere("j", GROUND, ROD, ORIGIN, UP, -1),
            ["radius must be positive, got -1 m"],
        ),
        (
            lambda: RollingSphere("j", GROUND, ROD, ORIGIN, UP, INF),
            ["radius must be finite, got inf"],
        ),
        (lambda: RollingSphere("j", ROD, GROUND, ORIGIN, UP, 1), ["b is the ground"]),
        (lambda: RollingDisc("j", GROUND, WHEEL, ORIGIN, UP, UP, 1), ["lies flat", "Planar"]),
        (lambda: RollingDisc("j", GROUND, WHEEL, ORIGIN, UP, (0, 0, -2), 1), ["lies flat"]),
        (
            lambda: RollingDisc("j", GROUND, WHEEL, ORIGIN, UP, None, 1),
            ["axis_b must be a direction, got None"],
        ),
        (lambda: RollingDisc("j", GROUND, WHEEL, None, UP, X, 1), ["at must be a point, got None"]),
        (
            lambda: CustomJoint("j", GROUND, ROD, "z = 0", 1),
            ["formula must be a function, got 'z = 0'", "function"],
        ),
        (
            lambda: CustomJoint("j", GROUND, ROD, height, 0),
            ["rows must be a whole number from 1 to 6, got 0", "1 to 6"],
        ),
        (
            lambda: CustomJoint("j", GROUND, ROD, height, 7),
            ["rows must be a whole number from 1 to 6, got 7"],
        ),
        (
            lambda: CustomJoint("j", GROUND, ROD, height, 1.0),
            ["rows must be a whole number from 1 to 6, got 1.0"],
        ),
        (
            lambda: CustomJoint("j", GROUND, ROD, height, True),
            ["rows must be a whole number from 1 to 6, got True"],
        ),
        (
            lambda: CustomJoint("j", GROUND, ROD, height, 1, jacobian=3),
            ["jacobian must be a function, got 3"],
        ),
        (lambda: CustomJoint("j", GROUND, GROUND, height, 1), ["the ground to itself"]),
    ],
)
def test_slips_are_named(make, said, refusal):
    what = refusal(make, InvalidJoint)
    for part in ["joint 'j'", *said]:
        assert part in what


POSE = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 3.0))


def test_a_formula_is_called_with_two_poses():
    slope = np.arange(12.0)
    joint = CustomJoint("level", GROUND, ROD, height, 1, jacobian=lambda a, b: [slope])
    assert joint.residual(POSE, POSE) == (2.0,)
    assert joint.given_jacobian(POSE, POSE).tolist() == [slope.tolist()]
    assert CustomJoint("level", GROUND, ROD, height, 1).given_jacobian(POSE, POSE) is None


@pytest.mark.parametrize(
    "formula, said",
    [
        (lambda a, b: (NAN,), "nan"),
        (lambda a, b: (1.0, 2.0), "shape (2,)"),
        (lambda a, b: 1.0, "shape ()"),
        (lambda a, b: "up", "'up'"),
        (lambda a, b: None, "None"),
        (lambda a: (1.0,), "TypeError"),
        (lambda a, b: (1.0 / 0.0,), "ZeroDivisionError"),
    ],
)
def test_a_formula_that_fails_is_named(formula, said, refusal):
    joint = CustomJoint("level", GROUND, ROD, formula, 1)
    what = refusal(lambda: joint.residual(POSE, POSE), InvalidJoint)
    assert "joint 'level'" in what and "formula" in what and said in what
    joint = CustomJoint("level", GROUND, ROD, height, 1, jacobian=formula)
    what = refusal(lambda: joint.given_jacobian(POSE, POSE), InvalidJoint)
    assert "joint 'level'" in what and "jacobian" in what and said in what
