"""A coupler without mass, or with hardly any, between two hinges of a four-bar: a rigid link."""

import numpy as np
import pytest

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


def last(model, **options):
    run = ch.simulate(model, 1.0, 1e-3, start=STARTED, **options)
    assert run.warnings == ()
    return np.concatenate([run.position("crank")[-1], run.position("rocker")[-1]])


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("method", ["rk4", "generalized-alpha", "linearly-implicit"])
def test_a_coupler_without_mass_is_a_link(method, order):
    exact, step = last(with_a_link(), method="dop853"), 1e-3
    found = last(with_a_coupler(0.0, order), method=method)
    assert np.abs(found - exact).max() < (1e-6 if method == "rk4" else 100.0 * step**2)


@pytest.mark.parametrize("spaces", ["auto", "SE3"])
@pytest.mark.parametrize("mass", [1e-6, 1e-9])
def test_a_coupler_with_hardly_any_mass_is_one_too(mass, spaces):
    """Its hinges repeat each other: three of ten rows are redundant in the plane."""
    model = with_a_coupler(mass)
    run = ch.simulate(model, 0.2, 1e-3, spaces=spaces, redundant="solve")
    assert run.redundancy is not None
    found = last(model, spaces=spaces, method="dop853")
    assert np.abs(found - last(with_a_link(), method="dop853")).max() < 10.0 * mass + 5e-6
