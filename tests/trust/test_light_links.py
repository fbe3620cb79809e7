"""Links too light for the others: right, or refused, or told; never silent."""

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import chasles as ch

sys.path.insert(0, str(Path(__file__).parents[1] / "dynamics"))

from linkages import closing_points
from mechanisms import in_a_ring
from test_nearly_redundant import gripper, near_parallelogram

LIGHT = [1e-6, 1e-8, 1e-9, 1e-12, 1e-20, 1e-30]


def angles_of_massless_coupler(points, speed, until):
    r"""The crank's and the rocker's turn, $E = \tfrac12 (I_c + I_r r^2) \dot\theta^2$ constant.

    r = the rocker's rate by the crank's, $\theta$ the crank's angle; a coupler without mass.
    """
    a, b, c, d = (np.array(point)[:2] for point in points)
    above = np.sign(rotated(d - b, np.pi / 2) @ (c - b))

    def pose(angle):
        turned = a + rotated(b - a, angle)
        reach, base = np.linalg.norm(c - b), d - turned
        far, arm = np.linalg.norm(base), np.linalg.norm(d - c)
        along = (far**2 + reach**2 - arm**2) / (2 * far)
        side = above * np.sqrt(reach**2 - along**2)
        return turned, turned + along * base / far + side * rotated(base, np.pi / 2) / far

    def inertia(angle):
        one, two = pose(angle)
        rod = two - one
        rate = (rod @ rotated(one - a, np.pi / 2)) / (rod @ rotated(two - d, np.pi / 2))
        return (np.sum((b - a) ** 2) + rate**2 * np.sum((c - d) ** 2)) / 3, rate

    begin = inertia(0.0)[0]

    def rate(t, y):
        return [speed * np.sqrt(begin / inertia(y[0])[0])]

    turn = solve_ivp(rate, (0.0, until), [0.0], method="DOP853", rtol=1e-13, atol=1e-15).y[0, -1]
    end = pose(turn)
    return (a + end[0]) / 2, (d + end[1]) / 2


def rotated(vector, angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ vector


@pytest.mark.parametrize("coupler", LIGHT)
def test_a_light_coupler_on_pairs_moves_as_one_without_mass(coupler):
    model = near_parallelogram(longer=0.05, coupler=coupler)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(model, 0.1, 1e-4, save_every=1000)
    points = closing_points(0.4, 0.2, 0.4, 0.25, 1.2, up=(0, 1, 0))
    crank, rocker = angles_of_massless_coupler(points, -8.0, 0.1)
    close = 5 * coupler + 1e-11
    assert result.position("crank")[-1, :2] == pytest.approx(crank, abs=close)
    assert result.position("rocker")[-1, :2] == pytest.approx(rocker, abs=close)
    assert np.ptp(result.energy()) < 1e-10 * result.energy()[0]


@pytest.fixture(scope="module")
def reaction_on_a_rod():
    """At A; the rod is the same coupler without mass, and no joint repeats another."""
    crank, _, rocker = near_parallelogram(longer=0.05).bodies
    points = closing_points(0.4, 0.2, 0.4, 0.25, 1.2, up=(0, 1, 0))
    joints = [
        ch.Revolute("A", ch.GROUND, crank, points[0], (0, 0, 1)),
        ch.Distance("rod", crank, rocker, points[1], points[2]),
        ch.Revolute("D", ch.GROUND, rocker, points[3], (0, 0, 1)),
    ]
    rod = ch.simulate(ch.Model([crank, rocker], joints, gravity=(0, 0, 0)), 0.1, 1e-4)
    return rod.reaction("A").force


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("coupler", LIGHT)
def test_reactions_on_a_light_coupler_are_those_of_a_rod(coupler, spaces, reaction_on_a_rod):
    model = near_parallelogram(longer=0.05, coupler=coupler)
    try:
        result = ch.simulate(model, 0.1, 1e-4, spaces=spaces)
    except ch.InvalidModel as refused:
        assert spaces == "SE3" and coupler < 1e-8
        assert "'coupler'" in str(refused) or "lost in rounding" in str(refused)
        return
    expected = reaction_on_a_rod
    error = np.abs(result.reaction("A").force - expected)[:, :2].max()
    assert error < (1e3 * coupler + (1e-9 if spaces == "auto" else 1e-4)) * np.abs(expected).max()


@pytest.mark.parametrize("light", [1e-8, 1e-12, 1e-30])
def test_light_rods_of_a_gripper_on_pairs_keep_the_energy(light):
    result = ch.simulate(gripper(light), 0.02, 1e-5, save_every=100)
    assert np.abs(result.energy_balance()).max() < 1e-12 * result.kinetic_energy().max()
    less = ch.simulate(gripper(1e-6), 0.02, 1e-5, save_every=100)
    moved = less.position("slider")[-1, 1] - result.position("slider")[-1, 1]
    assert abs(moved) < 1e-9


def point_masses(share):
    """A four-bar whose links have `share` of m l^2 as inertia about their centres."""
    model = near_parallelogram(longer=0.05)
    links = [
        ch.Body(
            link.name,
            mass=1.0,
            inertia=[share * length**2] * 3,
            position=link.position,
            angular_velocity=link.angular_velocity,
        )
        for link, length in zip(model.bodies, (0.2, 0.4, 0.25))
    ]
    points = closing_points(0.4, 0.2, 0.4, 0.25, 1.2, up=(0, 1, 0))
    return ch.Model(links, in_a_ring(links, points, (0, 0, 1), "ABCD", None), gravity=(0, 0, 0))


def test_point_masses_run_on_pairs_and_are_told_on_charts():
    heavier = ch.simulate(point_masses(1e-6), 0.1, 1e-4)
    for share in (1e-9, 1e-12, 1e-20):
        result = ch.simulate(point_masses(share), 0.1, 1e-4)
        assert np.ptp(result.energy()) < 1e-10 * result.energy()[0]
        gap = result.position("rocker")[-1] - heavier.position("rocker")[-1]
        assert np.abs(gap).max() < 1e-8
        for spaces in ("framed", "SE3", "SO3xR3"):
            with pytest.raises(ch.InvalidModel, match="spaces='auto'"):
                ch.simulate(point_masses(share), 0.1, 1e-4, spaces=spaces, rows="all")


@pytest.mark.parametrize(
    "model, lightest",
    [
        (near_parallelogram(longer=0.05, coupler=1e-9), "coupler"),
        (near_parallelogram(longer=0.05, coupler=1e-10), "coupler"),
        (gripper(1e-10), "left follower"),
    ],
    ids=["coupler", "lighter coupler", "gripper"],
)
def test_what_rounding_cannot_solve_on_charts_is_refused_with_the_true_reason(model, lightest):
    with pytest.raises(ch.InvalidModel, match=f"the lightest body is '{lightest}'") as refused:
        ch.simulate(model, 0.01, 1e-4, spaces="SE3")
    assert "spaces='auto'" in str(refused.value)


@pytest.mark.parametrize("coupler", [1e-6, 1e-9, 1e-30])
def test_equations_of_light_links_are_those_of_the_run(coupler):
    eq = ch.equations(near_parallelogram(longer=0.05, coupler=coupler))
    left = eq.mass @ eq.acceleration + eq.jacobian.T @ eq.multipliers - eq.forces
    missed = eq.jacobian @ eq.acceleration - eq.eta
    assert np.abs(left).max() < 1e-9 and np.abs(missed).max() < 1e-9


@pytest.mark.parametrize("coupler", [1.0, 1e-9, 1e-30])
def test_a_light_link_counts_in_the_mobility_as_a_heavy_one(coupler):
    assert near_parallelogram(longer=0.05, coupler=coupler).degrees_of_freedom == 1


@pytest.mark.parametrize("options", [{}, {"spaces": "SE3", "rows": "all"}], ids=str)
def test_a_coupler_of_a_hundred_millionth_of_the_crank_keeps_the_energy(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ch.simulate(near_parallelogram(longer=0.05, coupler=1e-8), 0.2, 1e-4, **options)
    assert np.ptp(result.energy()) < 1e-7 * result.energy()[0]


@pytest.mark.parametrize("coupler", [1.0, 1e-7])
def test_those_that_are_met_raise_no_alarm(coupler):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ch.simulate(near_parallelogram(longer=0.05, coupler=coupler), 0.2, 1e-4)


def strung_bob(mass):
    """A bob on a straight string with a bead: two rods without mass, which are rows."""
    bead = ch.Body.sphere("bead", radius=0.05, mass=mass, position=(0.6, 0, -0.8))
    bob = ch.Body.sphere("bob", radius=0.1, mass=1.0, position=(1.2, 0, -1.6))
    rods = [
        ch.Distance("upper", ch.GROUND, bead, at=(0, 0, 0), at_b=bead.position),
        ch.Distance("lower", bead, bob, at=bead.position, at_b=bob.position),
    ]
    return ch.Model([bead, bob], rods)


@pytest.mark.parametrize("mass", [1e-6, 1e-8, 1e-10, 1e-11, 1e-12, 1e-13, 1e-15])
def test_a_bead_between_two_rods_holds_the_bob_or_is_refused(mass):
    """It begins as a pendulum: 9.81 m/s^2 times the sine of its angle, 0.6."""
    try:
        found = ch.equations(strung_bob(mass))
    except ch.InvalidModel as error:
        assert mass < 1e-12 and "is lost in rounding" in str(error)
        return
    wanted = 0.6 * 9.81 * np.array((-0.8, 0, -0.6))
    assert found.acceleration[9:] == pytest.approx(wanted, abs=2 * mass + 1e-6)
    assert found.multipliers == pytest.approx(0.8 * 9.81, rel=2 * mass + 1e-4)


@pytest.mark.parametrize("mass", [1e-8, 1e-10, 1e-13, 1e-15])
def test_a_bead_on_a_bent_string_does_not_let_go_of_the_bob(mass):
    model = strung_bob(mass)
    bob = replace(model.body("bob"), position=(1.4, 0, -1.4))
    lower = ch.Distance("lower", "bead", bob, at=(0.6, 0, -0.8), at_b=bob.position)
    bent = ch.Model([model.body("bead"), bob], [model.joint("upper"), lower])
    result = ch.simulate(bent, 0.05, 1e-3)
    assert max(result.violation(name).max() for name in ("upper", "lower")) < 1e-7
