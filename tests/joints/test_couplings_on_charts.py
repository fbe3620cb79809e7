"""Couplings of joints that have rows: on charts, in mixtures, and where a joint closes a loop."""

import numpy as np
import pytest
from test_coordinate_couplings import planetary

import chasles as ch

X, Y, Z = np.eye(3)
SPACES = ("SE3", "SO3xR3", "framed", {"planet": "SE3"}, {"sun": "SO3xR3", "carrier": "SE3"})


@pytest.mark.parametrize("spaces", SPACES, ids=str)
def test_a_planetary_gear_moves_on_charts_as_on_subgroups(spaces):
    model = planetary(forces=[ch.Motor("motor", "s", effort=2.0)])
    ours, theirs = (
        ch.simulate(model, 0.5, 5e-3, method="dop853", spaces=space, rows="all")
        for space in (spaces, "subgroups")
    )
    for name in model.body_names:
        assert ours.position(name) == pytest.approx(theirs.position(name), abs=1e-11)
    assert ours.violation("mesh").max() < 1e-12
    for joint in "scp":
        assert ours.effort("mesh", on=joint) == pytest.approx(theirs.effort("mesh", on=joint))
        assert ours.reaction(joint).force == pytest.approx(theirs.reaction(joint).force, abs=1e-8)


@pytest.mark.parametrize(
    "method", ["generalized-alpha", "generalized-alpha index 2", "bliedf2", "rattlie", "gauss2"]
)
def test_other_methods_keep_their_second_order(method):
    model = planetary(forces=[ch.Motor("motor", "s", effort=0.2)])
    exact = ch.simulate(model, 1.0, 5e-3, method="dop853").position("planet")[-1]
    errors = [
        np.linalg.norm(
            ch.simulate(model, 1.0, step, method=method, spaces="SO3xR3").position("planet")[-1]
            - exact
        )
        for step in (2e-2, 1e-2, 5e-3)
    ]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert slopes == pytest.approx([2.0, 2.0], abs=0.3), errors


@pytest.mark.parametrize("spaces", ["auto", "SE3", "SO3xR3"])
def test_a_rack_and_its_pinion_after_many_turns(spaces):
    """x = r q: (m + I / r^2) x'' = F, whatever the number of turns."""
    radius, push = 0.05, 3.0
    rack = ch.Body.box("rack", (2.0, 0.05, 0.05), mass=2.0, position=(0, radius, 0))
    wheel = ch.Body.cylinder("wheel", radius, 0.02, mass=1.0, axis="z")
    joints = [
        ch.Prismatic("rail", ch.GROUND, rack, axis=X),
        ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis=Z),
        ch.Coupling("teeth", [("rail", "displacement", 1.0), ("axle", "angle", radius)]),
    ]
    load = ch.Load("push", rack, force=(push, 0, 0))
    model = ch.Model([rack, wheel], joints, forces=[load], gravity=(0, 0, 0))
    result = ch.simulate(model, 2.0, 2e-3, spaces=spaces, rows="all")
    inertia = 2.0 + 0.5 * 1.0  # a disc's m / 2
    assert result.position("rack")[-1, 0] == pytest.approx(0.5 * push / inertia * 4.0, rel=1e-9)
    assert result.coordinate("axle")[-1] == pytest.approx(-result.position("rack")[-1, 0] / radius)
    assert abs(result.coordinate("axle")[-1]) > 2 * np.pi
    assert result.violation("teeth").max() < 1e-9


def test_all_joints_of_a_loop_may_be_coupled():
    """A rhombus of four equal rods, two and two coupled: what closes the loop is coupled, too."""
    c, s = np.cos(0.6), np.sin(0.6)
    corners = np.array([(0, 0, 0), (c, 0, -s), (2 * c, 0, 0), (c, 0, s)])
    rods = [
        ch.Body.rod(f"r{k}", mass=1.0, between=(corners[k], corners[(k + 1) % 4])) for k in range(4)
    ]
    pins = [ch.Revolute(f"p{k}", rods[k - 1], rods[k], at=corners[k], axis=Y) for k in range(4)]
    held = ch.Fixed("held", ch.GROUND, rods[0])
    plain = ch.Model(rods, [held, *pins])
    opposite = ch.Coupling("opposite", {"p0": 1.0, "p2": -1.0})  # follows from the loop
    beside = ch.Coupling("beside", {"p1": 1.0, "p3": -1.0})
    coupled = ch.Model(rods, [held, *pins, opposite, beside])
    ours, theirs = (ch.simulate(m, 0.4, 1e-3, method="dop853") for m in (coupled, plain))
    assert ours.position("r2") == pytest.approx(theirs.position("r2"), abs=1e-8)
    assert ours.violation("opposite").max() < 1e-8 and ours.violation("beside").max() < 1e-8
