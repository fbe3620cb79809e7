"""A coupler without mass, or with hardly any, between two hinges of a four-bar: a rigid link."""

from functools import cache

import numpy as np
import pytest
from combinations import one_at_a_time

import chasles as ch

Y = "y"
STARTED = {"a": (0.0, 1.0)}


def cranks():
    return [
        ch.Body.box("crank", (0.1, 0.1, 1.0), mass=1.0, position=(0, 0, 0.5)),
        ch.Body.box("rocker", (0.1, 0.1, 1.3), mass=1.0, position=(1.0, 0, 0.35)),
    ]


def grounded(bodies):
    crank, rocker = bodies
    return [
        ch.Revolute("a", ch.GROUND, crank, (0, 0, 0), Y),
        ch.Revolute("d", ch.GROUND, rocker, (1, 0, -0.3), Y),
    ]


def with_a_link():
    """The coupler as a distance between its ends."""
    bodies = cranks()
    link = ch.Distance("link", *bodies, (0, 0, 1), (1, 0, 1))
    return ch.Model(bodies, [*grounded(bodies), link])


def with_a_coupler(mass, order=0):
    """The same with a coupler on hinges; joints and bodies are listed in some order."""
    crank, rocker = bodies = cranks()
    coupler = ch.Body.frame("coupler", position=(0.5, 0, 1.0))
    if mass > 0.0:
        coupler = ch.Body.box("coupler", (1.0, 0.1, 0.1), mass=mass, position=(0.5, 0, 1.0))
    a, d = grounded(bodies)
    b = ch.Revolute("b", crank, coupler, (0, 0, 1), Y)
    c = ch.Revolute("c", coupler, rocker, (1, 0, 1), Y)
    joints = [[a, b, c, d], [d, c, b, a], [b, a, d, c]][order]
    return ch.Model([[crank, coupler, rocker], [coupler, rocker, crank]][order % 2], joints)


@cache
def moved_by_a_link():
    return last(with_a_link(), method="dop853")


def last(model, **options):
    run = ch.simulate(model, 1.0, 1e-3, start=STARTED, **options)
    assert run.warnings == ()
    return np.concatenate([run.position("crank")[-1], run.position("rocker")[-1]])


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("method", ["rk4", "generalized-alpha", "linearly-implicit"])
def test_a_coupler_without_mass_is_a_link(method, order):
    step = 1e-3
    found = last(with_a_coupler(0.0, order), method=method)
    assert np.abs(found - moved_by_a_link()).max() < (1e-6 if method == "rk4" else 100.0 * step**2)


SPACES = ("SE3", "SO3xR3", "framed", "SE3 relative", "SO3xR3 on joints")
#: By method: how far it may be off after 1 s in steps of 1 ms.
METHODS = {
    "rk4": 1e-6, "gauss4": 1e-6, "half-explicit": 1e-6, "linearly-implicit": 1e-3,
    "generalized-alpha": 1e-4, "rattlie": 1e-4,
}  # fmt: skip


@pytest.mark.parametrize(
    "method, spaces", one_at_a_time(METHODS, SPACES, base=("rk4", "SO3xR3 on joints"))
)
def test_so_it_is_on_charts(method, spaces):
    for order in (0, 1):
        found = last(with_a_coupler(0.0, order), spaces=spaces, method=method)
        assert np.abs(found - moved_by_a_link()).max() < METHODS[method]


def test_a_body_on_a_chart_beside_it_keeps_its_joints():
    run = ch.simulate(with_a_coupler(0.0), 1.0, 1e-3, start=STARTED, spaces="SE3")
    for name in ("a", "b", "d"):
        assert run.violation(name).max() < 1e-13
    assert run.violation("c").max() > 1e-10


# --- in space: a rod with a ball at one end and a universal joint at the other ---


def in_space():
    bodies = [
        ch.Body.box("crank", (0.1, 0.1, 1.0), mass=1.0, position=(0, 0, 0.5)),
        ch.Body.box("rocker", (0.1, 0.1, 1.3), mass=1.0, position=(1.0, 0.4, 0.35)),
    ]
    joints = [
        ch.Revolute("a", ch.GROUND, bodies[0], (0, 0, 0), Y),
        ch.Revolute("d", ch.GROUND, bodies[1], (1, 0.4, -0.3), (0.3, 1, 0)),
    ]
    return bodies, joints


@cache
def moved_by_a_link_in_space():
    bodies, joints = in_space()
    link = ch.Distance("link", *bodies, (0, 0, 1), (1, 0.4, 1))
    return last(ch.Model(bodies, [*joints, link]), method="dop853")


def with_a_rod(order=0):
    (crank, rocker), (a, d) = in_space()
    rod = ch.Body.frame("coupler", position=(0.5, 0.2, 1.0))
    ball = ch.Spherical("b", crank, rod, (0, 0, 1))
    cross = ch.Universal("c", rod, rocker, (1, 0.4, 1), axis=(0, 0, 1), axis_b=(0.4, -1, 0))
    bodies = [[crank, rod, rocker], [rod, rocker, crank]][order]
    return ch.Model(bodies, [[a, ball, cross, d], [d, cross, ball, a]][order])


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("spaces", ["auto", *SPACES])
def test_a_rod_without_mass_between_a_ball_and_a_cross_is_a_distance(spaces, order):
    found = last(with_a_rod(order), spaces=spaces, method="dop853")
    assert np.abs(found - moved_by_a_link_in_space()).max() < 1e-9


def test_the_designation_says_what_moves_a_body_beside_such_a_rod():
    chosen = ch.designate(with_a_rod())
    assert chosen.spaces["crank"] == ch.Space("subgroup", "a")
    assert chosen.spaces["rocker"] == ch.Space("SE3")
    assert "d" in [p.joint for p in chosen.predictions if p.exact]


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("mass", [1e-6, 1e-9])
def test_a_coupler_with_hardly_any_mass_is_one_too(mass, spaces):
    """Its hinges repeat each other: three of ten rows are redundant in the plane."""
    model = with_a_coupler(mass)
    run = ch.simulate(model, 0.2, 1e-3, spaces=spaces, redundant="solve")
    assert run.redundancy is not None
    found = last(model, spaces=spaces, method="dop853")
    assert np.abs(found - moved_by_a_link()).max() < 10.0 * mass + 5e-6
