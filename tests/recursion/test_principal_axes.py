"""Working axes are principal, right-handed, and follow small changes of a body."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from chasles.build.system.build_tree import principal_axes


def turned(moments, seed):
    q = Rotation.random(random_state=seed).as_matrix()
    return q @ np.diag(moments) @ q.T


@given(seed=st.integers(0, 2**31))
def test_principal_axes_are_right_handed_and_diagonalise(seed):
    inertia = turned((1.0, 2.0, 2.5), seed)
    axes = principal_axes(inertia[None])[0]
    assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) > 0.0
    inside = axes.T @ inertia @ axes
    assert_allclose(inside, np.diag(np.diag(inside)), atol=1e-14)


def test_axes_of_a_body_that_are_principal_are_its_working_axes():
    for moments in ((3.0, 2.0, 1.0), (1.0, 2.0, 2.0), (2.0, 1.0, 2.0), (1.0, 1.0, 1.0)):
        assert_allclose(principal_axes(np.diag(moments)[None])[0], np.eye(3), atol=0)


@given(seed=st.integers(0, 2**31))
def test_axes_change_as_little_as_the_body_does(seed):
    """First-order perturbation: by |change| over the least distance of two moments."""
    rng = np.random.default_rng(seed)
    inertia = turned((1.0, 2.0, 3.0), seed)
    change = rng.normal(size=(3, 3))
    pair = [principal_axes((inertia + sign * 1e-9 * (change + change.T))[None])[0]
            for sign in (1, -1)]  # fmt: skip
    assert np.abs(pair[0] - pair[1]).max() < 1e-7


def test_axes_at_half_a_right_angle_do_not_change_places():
    for axis in np.eye(3):
        q = Rotation.from_rotvec(np.pi / 4 * axis).as_matrix()
        pair = [
            principal_axes((q @ np.diag((1.0, 2.0 + change, 3.0)) @ q.T)[None])[0]
            for change in (1e-9, -1e-9)
        ]
        assert_allclose(pair[0], pair[1], atol=1e-8)
