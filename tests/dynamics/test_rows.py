"""Rows of the joints against derivatives of what they differentiate, between two moving bodies.

Bodies move along C exp(t V) with constant body twists V.  Derivatives along that motion are taken
with a complex step, so they are good to the last digits: first derivatives check J, and the rate of
J V, which is -eta because V' = 0 on that motion, checks eta.
"""

from functools import cached_property

import numpy as np
import pytest
from mechanisms import FORMS, KINDS, chain, moving
from poses import hat, pose_matrix
from scipy.linalg import expm

import chasles as ch
from chasles.build.system.build import build
from chasles.build.system.coordinates import gap
from chasles.build.system.gaps import frame_of
from chasles.spaces import resolve_spaces

TINY = 1e-30  # of the complex step
JOINT = "joint 1"


class Pair:
    """A joint between two moving bodies at some state, and the motion that state starts."""

    def __init__(self, model, absolute, form):
        self.model, self.form = model, form
        self.setup = build(model, resolve_spaces(model, "SE3"), form)
        self.absolute = absolute
        self.joint = model.joint(JOINT)
        self.ends = [self.setup.body_index[name] for name in (self.joint.a, self.joint.b)]
        self.poses = [pose_matrix(row[:9].reshape(3, 3), row[9:12]) for row in absolute]
        self.frames = []
        for side in "ab":
            axes, point = frame_of(self.setup.system.joints, self.setup.joint_index[JOINT], side)
            self.frames.append(pose_matrix(np.reshape(axes, (3, 3)), point))

    def frames_at(self, t, twists):
        """The joint's frames on both bodies, in the world, after the time t."""
        return [
            self.poses[body] @ expm(t * hat(twists[body])) @ frame
            for body, frame in zip(self.ends, self.frames)
        ]

    def rates(self, t, twists):
        """What the rows lock, as rates along the motion at the time t."""
        now = self.frames_at(t, twists)
        soon = self.frames_at(t + TINY * 1j, twists)
        slope = [frame.imag / TINY for frame in soon]
        if self.form == "screw":
            return screw_rates(self.joint, now, slope)
        return space_rates(self.joint, now, slope, self.poses[self.ends[1]][:3, :3])

    @cached_property
    def rows(self):
        """J (rows, 12) on bodies a and b, and eta, of this joint."""
        state = ch.State.from_absolute(0.0, self.model, self.absolute)
        equations = ch.equations(self.model, state, acceleration=self.form)
        own = [row for row, (joint, _) in enumerate(equations.rows) if joint == JOINT]
        columns = np.concatenate([6 * body + np.arange(6) for body in self.ends])
        return equations.jacobian[np.ix_(own, columns)], equations.eta[own]

    def row_values(self, twists):
        jacobian, _ = self.rows
        return jacobian @ np.concatenate([twists[body] for body in self.ends])


def screw_rates(joint, frames, slopes):
    """Locked components of the twist of frame B against A, in B; a thread locks uz - pitch wz."""
    a, b = frames
    relative = np.linalg.solve(a, b)
    slope = np.linalg.solve(a, slopes[1] - slopes[0] @ relative)
    xi = np.linalg.solve(relative, slope)
    twist = dict(zip(("wx", "wy", "wz"), (xi[2, 1], xi[0, 2], xi[1, 0])))
    twist |= dict(zip(("ux", "uy", "uz"), xi[:3, 3]))
    twist["uz"] -= joint.pitch * twist["wz"]
    return np.array([twist[component] for component in joint.locked])


#: Products of axes whose rate is a rotation about x, y, z: sign, axis of A, axis of B.
PRODUCTS = {0: [], 2: [(-1, 1, 2), (1, 0, 2)], 3: [(-1, 1, 2), (-1, 2, 0), (-1, 0, 1)]}


def space_rates(joint, frames, slopes, resolved):
    """Rates of g = e_a . e_b and of g = x_b - x_a, or e_a . (x_b - x_a) where the joint slides.

    All three components of x_b - x_a are resolved along fixed axes.
    """
    (a, b), (da, db) = frames, slopes
    products = PRODUCTS[sum(component[0] == "w" for component in joint.locked)]
    rates = [sign * (da[:3, i] @ b[:3, j] + a[:3, i] @ db[:3, j]) for sign, i, j in products]
    apart, parting = b[:3, 3] - a[:3, 3], db[:3, 3] - da[:3, 3]
    locked = ["xyz".index(component[1]) for component in joint.locked if component[0] == "u"]
    if len(locked) == 3 and joint.pitch == 0.0:
        return np.array([*rates, *(resolved.T @ parting)])
    spin = [(slope[:3, :3] @ frame[:3, :3].T) for frame, slope in ((a, da), (b, db))]
    turning = spin[1] - spin[0]
    omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    for k in locked:
        pitch = joint.pitch if k == 2 else 0.0
        rates.append(da[:3, k] @ apart + a[:3, k] @ parting - pitch * a[:3, k] @ omega)
    return np.array(rates)


@pytest.fixture(scope="module", params=KINDS)
def moved_models(request):
    """A body on a ball joint and another on a joint of each kind, and both after a while."""
    pairs = []
    for swap in (False, True):
        rng = np.random.default_rng(11)
        model = moving(chain(rng, ["spherical", request.param], swap=swap), rng, speed=3.0)
        result = ch.simulate(model, 0.2, step=1e-3)
        assert result.violation(JOINT).max() < 1e-13
        pairs.append((model, result.state(-1).to_absolute(model)))
    return pairs


@pytest.fixture(params=["closed", "open"])
def pairs(request, moved_models, form):
    """Both orders of the bodies, with the joint closed, and torn open."""
    rng = np.random.default_rng(12)
    found = []
    for model, absolute in moved_models:
        if request.param == "open":
            absolute = absolute.copy()
            turn = expm(hat([*rng.uniform(-0.5, 0.5, 3), 0, 0, 0]))[:3, :3]
            absolute[1, :9] = (absolute[1, :9].reshape(3, 3) @ turn).ravel()
            absolute[1, 9:12] += rng.uniform(-0.3, 0.3, 3)
        found.append(Pair(model, absolute, form))
    return found


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


def test_the_jacobian_is_the_derivative_of_what_is_locked(pairs):
    rng = np.random.default_rng(13)
    for pair in pairs:
        for _ in range(5):
            twists = rng.standard_normal((2, 6))
            np.testing.assert_allclose(
                pair.row_values(twists), pair.rates(0.0, twists), rtol=1e-12, atol=1e-13
            )


def test_eta_is_minus_the_rate_of_the_locked_velocities(pairs):
    h = 2e-4
    for pair in pairs:
        twists = pair.absolute[:, 12:18]
        rate = sum(
            weight * pair.rates(k * h, twists) for k, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1))
        ) / (12 * h)
        scale = 1 + np.abs(twists).max() ** 2
        _, eta = pair.rows
        np.testing.assert_allclose(eta, -rate, rtol=0, atol=1e-9 * scale)
        if pair.joint.kind != "fixed":  # a weld has [V_a, V_b] = 0
            assert np.abs(eta).max() > 1e-3 * scale


def test_the_jacobian_is_the_derivative_of_the_gap_that_is_reported(moved_models, form):
    """Metres and radians, direction by direction: a row locks the component it is named after."""
    rng = np.random.default_rng(14)
    h = 1e-5
    for model, absolute in moved_models:
        pair = Pair(model, absolute, form)
        for _ in range(3):
            twists = rng.standard_normal((2, 6))
            states = np.stack([moved(pair, sign * h, twists) for sign in (1, -1)])
            rates = [(ahead - behind) / (2 * h) for ahead, behind in gap(pair.setup, JOINT, states)]
            for rate, expected in zip(rates, locked_velocities(pair, twists)):
                np.testing.assert_allclose(rate, expected, atol=1e-8)


def locked_velocities(pair, twists):
    """What the rows of a closed joint say, as vectors in the world: rotation and translation."""
    frame_a, frame_b = (frame[:3, :3] for frame in pair.frames_at(0.0, twists))
    axes = {"w": frame_b, "u": frame_b}
    if pair.form == "space":
        whole = {"ux", "uy", "uz"} <= set(pair.joint.locked) and pair.joint.pitch == 0.0
        axes = {"w": frame_a, "u": pair.poses[pair.ends[1]][:3, :3] if whole else frame_a}
    vectors = {"w": np.zeros(3), "u": np.zeros(3)}
    for component, value in zip(pair.joint.locked, pair.row_values(twists)):
        part, direction = component[0], "xyz".index(component[1])
        vectors[part] += value * axes[part][:, direction]
    return vectors["w"], vectors["u"]


def moved(pair, t, twists):
    """The absolute state after the time t on the motion with constant body twists."""
    state = pair.absolute.copy()
    for body, pose in enumerate(pair.poses):
        after = pose @ expm(t * hat(twists[body]))
        state[body, :9], state[body, 9:12] = after[:3, :3].ravel(), after[:3, 3]
    return state


def test_a_joint_frame_is_at_its_point_and_along_its_axis(moved_models):
    for model, _ in moved_models:
        setup = build(model, resolve_spaces(model, "SE3"))
        pair = Pair(model, setup.absolute, "screw")
        for frame in pair.frames_at(0.0, np.zeros((2, 6))):
            np.testing.assert_allclose(frame[:3, 3], pair.joint.at, atol=1e-15)
            np.testing.assert_allclose(frame[:3, :3].T @ frame[:3, :3], np.eye(3), atol=1e-15)
            if pair.joint.kind not in ("spherical", "fixed"):
                np.testing.assert_allclose(frame[:3, 2], pair.joint.axis, atol=1e-15)


def test_a_joint_torn_open_says_by_how_much():
    """2 cm along each locked direction, and 0.3 rad about a locked axis."""
    for kind in KINDS:
        rng = np.random.default_rng(15)
        model = chain(rng, [kind])
        setup = build(model, resolve_spaces(model, "SE3"))
        joint = model.joint("joint 0")
        axes = np.reshape(frame_of(setup.system.joints, 0, "a")[0], (3, 3))
        for component in joint.locked:
            direction = axes[:, "xyz".index(component[1])]
            state = setup.absolute[None].copy()
            if component[0] == "u":
                state[0, 0, 9:12] += 0.02 * direction
                expected = (0.02 * direction, 0 * direction)
            else:  # turned about the joint's point
                turn = expm(hat([*(0.3 * direction), 0, 0, 0]))[:3, :3]
                state[0, 0, :9] = (turn @ state[0, 0, :9].reshape(3, 3)).ravel()
                state[0, 0, 9:12] = joint.at + turn @ (state[0, 0, 9:12] - joint.at)
                expected = (0 * direction, 0.3 * direction)
            rotation, translation = gap(setup, "joint 0", state)
            np.testing.assert_allclose(translation[0], expected[0], atol=1e-14, err_msg=kind)
            np.testing.assert_allclose(rotation[0], expected[1], atol=1e-14, err_msg=kind)
