"""A04: Bricard's mechanism against its motion in one coordinate.

The six angles of a loop with threefold symmetry are alternately a and b.  In a loop of equal links
with right angles between neighbouring axes they obey (1 + cos a) (1 + cos b) = 1; the cube has
a = b = 90 degrees.  That this closes the loop is tested too.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chasles as ch
from chasles.studies.library.bricard import TRACED, relation
from chasles.studies.library.measures import point_path

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
AXES = -np.eye(3)[[1, 2, 0, 1, 2, 0]]  # in the sense in which the relation counts its angles
MIDDLES = (CORNERS[:-1] + CORNERS[1:]) / 2
SECTION, GRAVITY = 0.1, 9.81
MOMENTS = np.array([
    np.diag([(1.0 + SECTION**2) / 12 if axis != way else SECTION**2 / 6 for axis in range(3)])
    for way in np.abs(CORNERS[1:] - CORNERS[:-1]).argmax(axis=1)
])  # fmt: skip


def turned(axis: np.ndarray, angle) -> np.ndarray:
    """Rodrigues' formula, also for complex angles."""
    x, y, z = axis
    skew = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * (skew @ skew)


def chain(a, b):
    """Joint points, joint axes and attitudes of the rods; and the end of the loop, at P5."""
    attitude, point = np.eye(3, dtype=complex), CORNERS[0].astype(complex)
    points, axes, attitudes = [point], [], []
    for joint in range(6):
        axes.append(attitude @ AXES[joint])
        angle = (a if joint % 2 == 0 else b) - np.pi / 2
        attitude = attitude @ turned(AXES[joint], angle)
        attitudes.append(attitude)
        if joint < 5:
            points.append(points[-1] + attitude @ (CORNERS[joint + 1] - CORNERS[joint]))
    return points, axes, attitudes


def along(a, b):
    """The tangent of (1 + cos a) (1 + cos b) = 1, of length 1."""
    way = np.array([(1 + np.cos(a)) * np.sin(b), -(1 + np.cos(b)) * np.sin(a)])
    return way / np.sqrt(way @ way)


def inertia_and_potential(a, b):
    """Twice the kinetic energy at unit speed along the curve, and the potential energy."""
    points, axes, attitudes = chain(a, b)
    tangent = along(a, b)
    twice, potential = 0.0, 0.0
    omega, velocity = np.zeros(3, complex), np.zeros(3, complex)
    for rod in range(5):
        omega = omega + tangent[rod % 2] * axes[rod]
        arm = attitudes[rod] @ (MIDDLES[rod] - CORNERS[rod])
        of_centre = velocity + np.cross(omega, arm)
        local = attitudes[rod].T @ omega
        twice += of_centre @ of_centre + local @ MOMENTS[rod] @ local
        potential += GRAVITY * (points[rod] + arm)[1]
        velocity = velocity + np.cross(omega, points[rod + 1] - points[rod])
    return twice, potential


def rates(_: float, state: np.ndarray) -> np.ndarray:
    """(a, b)' = u tangent and m u' = -u^2 m' / 2 - V', derivatives along the curve."""
    a, b, u = state
    tangent, tiny = along(a, b), 1e-30j
    mass, potential = inertia_and_potential(*(np.array([a, b]) + tiny * tangent))
    slope, pull = mass.imag / tiny.imag, potential.imag / tiny.imag
    return np.array([*(u * tangent), -(u * u * slope / 2 + pull) / mass.real])


def integrated(t: np.ndarray) -> np.ndarray:
    """Positions (T, 3) of P3 from SciPy."""
    start = (np.pi / 2, np.pi / 2, 0.0)
    solved = solve_ivp(rates, (0, t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-11)
    return np.array([chain(a, b)[0][3].real for a, b in solved.y[:2].T])


@pytest.mark.parametrize("a", np.linspace(0.6, 2.0, 8))
def test_the_relation_of_the_angles_closes_the_loop(a):
    b = np.arccos(1 / (1 + np.cos(a)) - 1)
    points, _, attitudes = chain(a, b)
    assert np.abs(points[5] - CORNERS[5]).max() < 1e-14
    assert np.abs(attitudes[5] - np.eye(3)).max() < 1e-14


def test_the_corner_follows_the_motion_in_one_coordinate():
    result = ch.library.get("A04").run(until=2.5, save_every=100)
    assert np.abs(point_path(result, *TRACED["P3"]) - integrated(result.t)).max() < 1e-8


@pytest.mark.slow
def test_the_corner_follows_the_motion_in_one_coordinate_for_ten_seconds():
    result = ch.library.get("A04").run(save_every=100)
    assert np.abs(point_path(result, *TRACED["P3"]) - integrated(result.t)).max() < 1e-8


def test_the_relation_of_the_check_is_that_of_the_angles():
    result = ch.library.get("A04").run(until=1.0, save_every=100)
    assert np.abs(relation(result)).max() < 1e-12
    a, b = (np.pi / 2 - result.coordinate(joint) for joint in ("P0", "P1"))
    assert np.abs((1 + np.cos(a)) * (1 + np.cos(b)) - 1).max() < 1e-12
    assert np.ptp(a) > 0.3  # it moves


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_it_runs_in_every_space_with_one_redundant_row(spaces):
    benchmark = ch.library.get("A04")
    result = benchmark.run(spaces=spaces)
    assert (result.redundancy.rows, result.redundancy.rank) == (30, 29)
    assert all(check.passed for check in benchmark.check(result))
