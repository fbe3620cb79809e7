"""Predictions that a search through random joints between the same bodies found to be wrong."""

import numpy as np
import pytest
from linkages import INDEPENDENT, parallelogram

import chasles as ch

INERTIA = np.diag([0.1, 0.2, 0.3])


def on_a_table(at) -> ch.Model:
    """A body on a plane, a point of which stays on a line of the plane."""
    puck = ch.Body("puck", 1.0, INERTIA, (0.3, 0.1, 0), angular_velocity=(0, 0, 2.0))
    table = ch.Planar("table", ch.GROUND, puck, at=(0, 0, 0), axis=(0, 0, 1))
    slot = ch.PointOnLine("slot", ch.GROUND, puck, at=at, axis=(1, 0, 0))
    return ch.Model([puck], [table, slot], gravity=(0.5, -9.81, 0))


def test_a_planar_pair_stores_the_centre_of_mass_and_no_other_point():
    model = on_a_table((0, 0, 0))
    assert "slot" not in ch.designate(model, "subgroups").exact
    ours, theirs = (
        ch.simulate(model, 0.5, step=1e-3, close=True, spaces=spaces)
        for spaces in ("subgroups", "SE3")
    )
    assert not ours.provenance["warnings"]
    assert np.abs(ours.position("puck") - theirs.position("puck")).max() < 1e-9


def test_a_centre_of_mass_on_a_line_is_kept_by_a_planar_pair():
    model = on_a_table((0.3, 0.1, 0))
    assert "slot" in ch.designate(model, "subgroups").exact
    result = ch.simulate(model, 0.5, step=1e-2, method="euler", close=True, spaces="subgroups")
    assert result.violation("slot").max() < 1e-15
    assert result.position("puck")[-1, 1] == pytest.approx(0.1, abs=1e-15)


def test_a_loop_of_welded_bodies_is_designated():
    a, b = (ch.Body(name, 1.0, INERTIA, (x, 0, 0)) for name, x in (("a", 0.3), ("b", 0.9)))
    joints = [
        ch.Revolute("hinge", ch.GROUND, a, at=(0, 0, 0), axis=(0, 0, 1)),
        ch.Fixed("weld", a, b),
        ch.Spherical("ball", a, b, at=(0.5, 0.2, 0)),
        ch.PointOnPlane("plane", ch.GROUND, b, at=(1, 0, 0), axis=(0, 0, 1)),
    ]
    designation = ch.designate(ch.Model([a, b], joints))  # a point on a plane: charts
    assert set(designation.exact) >= {"hinge", "weld"}
    (ball,) = (p for p in designation.predictions if p.joint == "ball")
    assert ball.whole and ball.rows == ("ux", "uy", "uz")


def test_what_a_choice_costs_is_told_of_joints_that_end_on_the_ground():
    a, b = (ch.Body(name, 1.0, INERTIA, (x, 0, 0)) for name, x in (("a", 0.3), ("b", 0.9)))
    joints = [
        ch.Fixed("foot", ch.GROUND, a),
        ch.Fixed("weld", a, b),
        ch.Spherical("ball", b, ch.GROUND, at=(0, 1, 0)),
    ]
    designation = ch.designate(ch.Model([a, b], joints), "SO3xR3")
    assert any("'ball' would be exact" in note for note in designation.notes)


@pytest.mark.parametrize("method", ["rk4", "gauss4", "half-explicit"])
def test_a_loop_that_translates_drifts_where_its_crank_is_driven(method):
    """The crank's angle follows its function exactly, the rocker's is integrated."""
    loop = parallelogram(1.2, crank=1.0, coupler=1.7, kinds=INDEPENDENT)
    assert ch.simulate(loop, 0.1, 0.01, method=method).certificate("C").exact
    turn = ch.Signal(
        lambda t: 0.1 - 0.1 * np.cos(9 * t), lambda t: 0.9 * np.sin(9 * t),
        lambda t: 8.1 * np.cos(9 * t),
    )  # fmt: skip
    model = ch.Model(loop.bodies, loop.joints, drivers=[ch.Driver("drive", "A", turn)])
    run = ch.simulate(model, 0.5, 0.02, method=method)
    assert not run.certificate("C").exact and not run.warnings
    assert 1e-9 < run.violation("C").max() < 1e-6
    closed = ch.simulate(model, 0.5, 0.02, method=method, stabilise="projection")
    assert closed.violation("C").max() < 1e-11
