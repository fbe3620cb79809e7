"""Frames of joints: one home, proper, and the same for what rows lock and what groups allow."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mechanisms import random_rotation

import chasles as ch
from chasles.spaces.frames import frame_along, turned
from chasles.spaces.subgroups import joint_algebra

number = st.floats(-1.0, 1.0).filter(lambda x: abs(x) > 1e-3)


def unit(vector):
    return tuple((np.array(vector) / np.linalg.norm(vector)).tolist())


directions = st.one_of(
    st.tuples(number, number, number).map(unit),
    st.sampled_from([tuple(sign * row) for row in np.eye(3) for sign in (1.0, -1.0)]),
)


def is_proper(frame):
    return np.allclose(frame.T @ frame, np.eye(3), atol=1e-14) and np.linalg.det(frame) > 0


@given(axis=directions)
def test_a_frame_along_an_axis_is_proper_and_has_it_as_z(axis):
    frame = frame_along(axis)
    assert is_proper(frame) and tuple(frame[:, 2]) == axis


def test_the_frame_along_z_is_the_worlds():
    assert np.array_equal(frame_along((0.0, 0.0, 1.0)), np.eye(3))


@example(axis=(-0.0, -1.0, -0.0), other=unit((0.0625, 1.0, 0.125)))
@given(axis=directions, other=directions)
def test_a_frame_is_turned_to_another_axis_by_the_smallest_rotation(axis, other):
    frame = frame_along(axis)
    result = turned(frame, other)
    assert is_proper(result)
    assert np.allclose(result[:, 2], other, atol=1e-12)
    between = np.arctan2(np.linalg.norm(np.cross(axis, other)), np.dot(axis, other))
    rotation = result @ frame.T
    assert np.trace(rotation) == pytest.approx(1 + 2 * np.cos(between), abs=1e-12)


@given(axis=directions)
def test_a_frame_is_turned_to_the_opposite_axis_by_half_a_turn_about_a_normal(axis):
    frame = frame_along(axis)
    opposite = tuple(-x for x in axis)
    result = turned(frame, opposite)
    assert is_proper(result)
    assert np.allclose(result[:, 2], opposite, atol=1e-14)
    half = result @ frame.T  # symmetric: it is its own inverse
    assert np.allclose(half, half.T, atol=1e-14) and np.trace(half) == pytest.approx(-1.0)


@pytest.mark.parametrize("kind", [ch.Prismatic, ch.Revolute, ch.Cylindrical, ch.Planar])
def test_a_joint_whose_axis_b_is_opposite_is_open_by_half_a_turn_and_closes_by_one(kind):
    axis = unit((1, 2, -2))
    body = ch.Body.box("slab", (0.1, 0.2, 0.3), mass=1.0, position=(0.3, 0.1, 0.2))
    opposite = tuple(-x for x in axis)
    joint = kind("joint", ch.GROUND, body, at=(0, 0, 0), axis=axis, axis_b=opposite)
    model = ch.Model([body], [joint])
    with pytest.raises(ch.InconsistentStart, match=r"open by 3.14 rad \(180 deg\)"):
        ch.simulate(model, 0.1, step=1e-3)
    run = ch.simulate(model, 0.01, step=1e-3, close=True)
    assert run.violation("joint").max() < 1e-12
    rotation = run.rotation("slab")[0]
    assert is_proper(rotation)
    # b's axis, which pointed along -axis, now points along axis
    assert np.allclose(rotation @ opposite, axis, atol=1e-9)


class Across(ch.Prismatic, in_files=False):
    """Slides along x of its frame, so that x and y are told apart."""

    locked = ("wx", "wy", "wz", "uy", "uz")


class Tilting(ch.Revolute, in_files=False):
    """Turns about y of its frame."""

    locked = ("wx", "wz", "ux", "uy", "uz")


def thread(*given, **more):
    """A right-handed thread."""
    return ch.Helical(*given, pitch=0.3, **more)


KINDS = [Across, Tilting, ch.Revolute, ch.Prismatic, ch.Cylindrical, ch.Planar, thread]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_rows_of_a_lower_pair_lock_what_its_group_does_not_allow(kind, seed):
    rng = np.random.default_rng(seed)
    body = ch.Body.box(
        "b", (0.1, 0.2, 0.3), mass=1.0, position=rng.normal(size=3), rotation=random_rotation(rng)
    )
    joint = kind("joint", ch.GROUND, body, at=rng.normal(size=3), axis=rng.normal(size=3))
    model = ch.Model([body], [joint])
    jacobian = ch.equations(model).jacobian
    turn = np.array(body.rotation).T
    for column in joint_algebra(model.joints[0]).T:
        omega, v = column[:3], column[3:]  # v of the point at the world's origin
        twist = np.concatenate((turn @ omega, turn @ (v + np.cross(omega, body.position))))
        assert np.abs(jacobian @ twist).max() < 1e-12
    assert np.linalg.matrix_rank(jacobian) == 6 - joint_algebra(model.joints[0]).shape[1]
