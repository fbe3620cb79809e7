"""The rolling disc against the classical equations in Euler angles, and closed forms.

With e1 horizontal in the disc's plane, e3 its axis, e2 = e3 x e1 uphill, k = sin(a) e2 + cos(a) e3
the vertical, and w = (w1, w2, w3) the disc's angular velocity in these axes, which themselves turn
at W = (w1, w2, w2 cot a), the centre moves at v = w x r e2 = r (-w3, 0, w1).  The force F at the
contact gives

    m (v' + W x v) = F - m g k,   L' + W x L = -r e2 x F,   L = (A w1, A w2, C w3),

and without F

    (A + m r^2) w1' = A W3 w2 - (C + m r^2) w2 w3 - m g r cos a,
    A w2' = (C w3 - A W3) w1,   (C + m r^2) w3' = m r^2 w1 w2.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.studies.library.rolling_disc import model

M, R, G = 15.0, 1.0, 9.81
A, C = M * R**2 / 4, M * R**2 / 2


def axes(lean, heading):
    """e1, e2, e3 in the world, by columns."""
    s, c, t, u = np.sin(lean), np.cos(lean), np.sin(heading), np.cos(heading)
    return np.array([(u, -t * c, t * s), (t, u * c, -u * s), (0, s, c)])


def rates(t, state):
    lean, heading, _, _, w1, w2, w3 = state
    around = w2 / np.tan(lean)
    centre = axes(lean, heading) @ (-R * w3, 0, R * w1)
    return [
        w1,
        w2 / np.sin(lean),
        centre[0],
        centre[1],
        (A * around * w2 - (C + M * R**2) * w2 * w3 - M * G * R * np.cos(lean)) / (A + M * R**2),
        (C * w3 - A * around) * w1 / A,
        M * R**2 * w1 * w2 / (C + M * R**2),
    ]


def reference(tilt, spin, times):
    """Centre (T, 3) and axis (T, 3) of the disc that the benchmark starts with."""
    disc = model(tilt, spin).bodies[0]
    turn = np.array(disc.rotation)
    # the benchmark's axis leans by `tilt` from y towards z; e1 = -x completes it
    lean, heading = np.pi / 2 - np.radians(tilt), np.pi
    omega = axes(lean, heading).T @ turn @ spin
    assert axes(lean, heading)[:, 2] == pytest.approx(turn[:, 2], abs=1e-15)
    solution = solve_ivp(
        rates, (0, times[-1]), [lean, heading, 0, 0, *omega], "DOP853", times,
        rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    lean, heading, x, y = solution.y[:4]
    axis = np.array([axes(a, h)[:, 2] for a, h in zip(lean, heading)])
    return np.column_stack((x, y, R * np.sin(lean))), axis


@pytest.mark.parametrize("name, tilt", [("rolling-disc", 15.0), ("rolling-disc-upright", 0.0)])
def test_the_disc_moves_as_the_classical_equations_say(name, tilt):
    result = ch.library.get(name).run(step=5e-4, save_every=100)
    centre, axis = reference(tilt, (0.0, 15.0, 5.0), result.t)
    assert np.ptp(axis[:, 2]) > 0.4  # it rocks
    assert result.position("disc") == pytest.approx(centre, abs=1e-7)
    assert result.rotation("disc")[:, :, 2] == pytest.approx(axis, abs=1e-7)


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_an_upright_disc_rolls_straight_on(spaces):
    result = ch.simulate(model(0.0, (0.0, 0.0, 5.0)), 1.0, 1e-3, spaces=spaces, save_every=100)
    ahead = result.velocity("disc")[0]
    assert np.linalg.norm(ahead) == pytest.approx(5.0 * R) and ahead[2] == 0.0
    line = np.outer(result.t, ahead) + (0, 0, R)
    assert result.position("disc") == pytest.approx(line, abs=1e-9)


def test_a_steady_circle_is_kept():
    """w' = 0 at a constant lean needs (C + m r^2) w2 w3 - A cot(a) w2^2 + m g r cos a = 0."""
    tilt, turning = 20.0, 3.0
    lean = np.pi / 2 - np.radians(tilt)
    rolling = (A / np.tan(lean) * turning**2 - M * G * R * np.cos(lean)) / (
        (C + M * R**2) * turning
    )
    # in the benchmark's axes y is e2 and z is e3
    result = ch.simulate(model(tilt, (0.0, turning, rolling)), 2.0, 1e-3, save_every=20)
    assert result.rotation("disc")[:, 2, 2] == pytest.approx(np.cos(lean), abs=1e-8)
    speed = turning / np.sin(lean)  # of the circle
    x, y, _ = result.position("disc").T
    radius = R * abs(rolling) / speed
    start, ahead = result.position("disc")[0], result.velocity("disc")[0]
    middle = start + np.array([-ahead[1], ahead[0], 0]) / speed
    assert np.hypot(x - middle[0], y - middle[1]) == pytest.approx(radius, abs=1e-8)
