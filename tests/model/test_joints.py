"""Joints: what each kind allows, and what is not a joint."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from chasles.model import (
    GROUND,
    Body,
    Cylindrical,
    Fixed,
    Helical,
    InvalidJoint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)

ROD = Body.rod("rod", 1.0, mass=1.0)
ORIGIN, UP = (0, 0, 0), (0, 0, 1)

WITH_AXIS = [
    (Revolute, {}),
    (Prismatic, {}),
    (Cylindrical, {}),
    (Helical, {"pitch": 0.1}),
    (Planar, {}),
]


@pytest.mark.parametrize(
    "joint, freedom",
    [
        (Spherical("j", GROUND, ROD, ORIGIN), {"wx", "wy", "wz"}),
        (Revolute("j", GROUND, ROD, ORIGIN, UP), {"wz"}),
        (Prismatic("j", GROUND, ROD, ORIGIN, UP), {"uz"}),
        (Cylindrical("j", GROUND, ROD, ORIGIN, UP), {"wz", "uz"}),
        (Planar("j", GROUND, ROD, ORIGIN, UP), {"wz", "ux", "uy"}),
        (Fixed("j", GROUND, ROD, ORIGIN), set()),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_joint_locks_all_that_it_does_not_leave_free(joint, freedom):
    assert set(joint.locked) == {"wx", "wy", "wz", "ux", "uy", "uz"} - freedom
    assert len(set(joint.locked)) == len(joint.locked)
    assert joint.pitch == 0.0


def test_a_screw_has_the_rows_of_a_hinge_and_a_pitch():
    screw = Helical("j", GROUND, ROD, ORIGIN, UP, pitch=-0.25)
    assert screw.locked == Revolute.locked and screw.pitch == -0.25
    assert replace(screw, at=(1, 0, 0)).pitch == -0.25


def test_a_joint_keeps_the_names_of_its_bodies():
    joint = Revolute("hinge", GROUND, ROD, ORIGIN, UP)
    assert (joint.a, joint.b, joint.kind) == ("ground", "rod", "revolute")
    assert joint == Revolute("hinge", "ground", "rod", np.zeros(3), np.array([0, 0, 7.0]))
    assert hash(joint) == hash(replace(joint))


@pytest.mark.parametrize("length", [1e-200, 1e-3, 1.0, 1e200])
def test_an_axis_of_any_length_becomes_a_direction(length):
    axis = Revolute("j", GROUND, ROD, ORIGIN, (3 * length, 0, 4 * length)).axis
    assert_allclose(axis, (0.6, 0, 0.8), rtol=1e-15)


@given(axis=st.tuples(*[st.floats(-1e3, 1e3)] * 3).filter(any))
def test_a_direction_stored_again_stays_as_it_is(axis):
    joint = Revolute("j", GROUND, ROD, ORIGIN, axis)
    assert replace(joint).axis == joint.axis
    assert_allclose(np.linalg.norm(joint.axis), 1.0, rtol=1e-15)


def test_the_second_attachment_may_be_elsewhere():
    joint = Revolute("j", GROUND, ROD, ORIGIN, UP, at_b=(0, 0, 0.1), axis_b=(0, 2, 0))
    assert joint.at_b == (0.0, 0.0, 0.1) and joint.axis_b == (0.0, 1.0, 0.0)
    assert joint.at == (0.0, 0.0, 0.0) and joint.axis == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("kind, more", WITH_AXIS)
@pytest.mark.parametrize(
    "axis, said",
    [
        ((0, 0, 0), "(0, 0, 0)"),
        ((0, float("nan"), 1), "nan"),
        ((float("inf"), 0, 1), "inf"),
        ((0, 1), "(2,)"),
        ("w", "'w'"),
    ],
)
def test_an_axis_points_somewhere(kind, more, axis, said, refusal):
    what = refusal(lambda: kind("elbow", GROUND, ROD, at=ORIGIN, axis=axis, **more), InvalidJoint)
    assert "joint 'elbow'" in what and "axis" in what and said in what


@pytest.mark.parametrize("kind, more", WITH_AXIS)
def test_the_second_axis_points_somewhere_too(kind, more, refusal):
    what = refusal(
        lambda: kind("elbow", GROUND, ROD, ORIGIN, UP, axis_b=ORIGIN, **more), InvalidJoint
    )
    assert "joint 'elbow': axis_b is (0, 0, 0)" in what


@pytest.mark.parametrize("other", [ROD, "rod"])
def test_a_body_is_not_joined_to_itself(other, refusal):
    what = refusal(lambda: Spherical("elbow", ROD, other, at=ORIGIN), InvalidJoint)
    assert "joint 'elbow'" in what and "body 'rod'" in what


def test_the_ground_is_not_joined_to_itself(refusal):
    what = refusal(lambda: Fixed("elbow", GROUND, "ground"), InvalidJoint)
    assert "joint 'elbow'" in what and "ground" in what


@pytest.mark.parametrize("pitch, said", [(0, "0 m/rad"), (float("nan"), "nan"), ("M6", "'M6'")])
def test_a_screw_advances(pitch, said, refusal):
    what = refusal(lambda: Helical("nut", GROUND, ROD, ORIGIN, UP, pitch=pitch), InvalidJoint)
    assert "joint 'nut'" in what and "pitch" in what and said in what


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Spherical("elbow", GROUND, 7, ORIGIN), "b must be a body, got 7"),
        (lambda: Spherical("elbow", GROUND, ROD, None), "at must be a point, got None"),
        (
            lambda: Revolute("elbow", GROUND, ROD, (0, 0, float("nan")), UP),
            "at must be finite, got [0.0, 0.0, nan]",
        ),
        (
            lambda: Revolute("elbow", GROUND, ROD, ORIGIN, UP, at_b=(0, 0)),
            "at_b must be a vector of three numbers, got shape (2,)",
        ),
        (lambda: Prismatic("elbow", GROUND, ROD), "axis must be a direction"),
        (lambda: Planar("elbow", GROUND, ROD), "axis must be a direction"),
    ],
)
def test_other_slips_are_named(make, said, refusal):
    what = refusal(make, InvalidJoint)
    assert "joint 'elbow'" in what and said in what


@pytest.mark.parametrize("name", ["", " ", None])
def test_a_joint_has_a_name(name, refusal):
    assert repr(name) in refusal(lambda: Spherical(name, GROUND, ROD, ORIGIN), InvalidJoint)
