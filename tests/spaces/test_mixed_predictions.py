"""Predicted and measured where subgroups and charts mix: joints, and rows of joints that drift."""

import itertools

import numpy as np
import pytest
from mechanisms import KINDS, worst_gaps
from test_predictions import ON_1, ON_2, PLACES, pair
from test_rows_that_hold import upright

import chasles as ch
from chasles.spaces import Space

CHARTS_OF_B = (
    ch.SE3(), ch.SO3xR3(), ch.SO3xR3(at=ON_2), ch.SE3(relative_to="a"), ch.SO3xR3(relative_to="a"),
    ch.SO3xR3(at=ON_2, relative_to="a"),
)  # fmt: skip
CHARTS_OF_A = (ch.SE3(), ch.SO3xR3(), ch.SO3xR3(at=ON_1))


def check(model: ch.Model, spaces: dict[str, Space]) -> None:
    """Exact joints stay below 1e-12; the others drift at a step that shows it."""
    result = ch.simulate(model, 0.5, step=1e-2, spaces=spaces, progress=False)
    assert result.provenance["solver"] == "recursion"
    gaps = {name: max(gap) for name, gap in worst_gaps(result).items()}
    for p in ch.designate(model, spaces).predictions:
        assert gaps[p.joint] < 1e-12 if p.exact else gaps[p.joint] > 1e-11, (spaces, p)
        assert result.certificate(p.joint).exact == p.exact


def mixtures(second: str):
    """Two bodies in a row, one of them on a chart."""
    for first, place in itertools.product((*KINDS, "free"), PLACES):
        on_1 = None if first == "free" else ON_1
        for b in CHARTS_OF_B:
            yield first, second, place, {"a": Space("subgroup", on_1), "b": b}
        for a in CHARTS_OF_A:
            if on_1 or a.at is None:
                yield first, second, place, {"a": a, "b": Space("subgroup", ON_2, "a")}


def check_all(second: str, every: int) -> None:
    for number, (*shape, spaces) in enumerate(mixtures(second)):
        if number % every == KINDS.index(second) % every:
            check(pair(*shape, np.random.default_rng(number)), spaces)


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("second", KINDS)
def test_joints_of_mixtures_hold_where_it_is_predicted(second):
    check_all(second, every=7)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")
@pytest.mark.parametrize("second", KINDS)
def test_all_joints_of_mixtures_hold_where_it_is_predicted(second):
    check_all(second, every=1)


@pytest.mark.parametrize("charted", [("crank",), ("coupler",), ("rocker",), ("crank", "rocker")])
@pytest.mark.parametrize("chart", [ch.SE3(), ch.SO3xR3()])
def test_rows_of_a_planar_loop_with_charted_bars_hold_where_it_is_predicted(charted, chart):
    model = upright()
    spaces = {name: chart if name in charted else "subgroups" for name in model.body_names}
    found = ch.designate(model, spaces)
    result = ch.simulate(model, 0.5, step=5e-3, method="heun", spaces=spaces, progress=False)
    for p in found.predictions:
        assert {"wx", "wy", "uz"} <= set(p.rows)
        shift = np.abs(result.violation(p.joint, vector=True)).max(axis=0)
        turn = np.abs(result.violation(p.joint, "rotation", vector=True)).max(axis=0)
        assert shift[1] < 1e-13 and turn.max() < 1e-13
        assert (shift[[0, 2]].max() < 1e-13) == p.exact


def test_a_designation_says_who_keeps_what():
    model = upright()
    spaces = {"crank": "subgroups", "coupler": "SE3", "rocker": ch.SE3()}
    found = ch.designate(model, spaces)
    by_body = {row.body: row for row in found.rows}
    assert by_body["crank"].reason == "revolute joint: only its own coordinates move"
    assert by_body["coupler"].reason == "your choice: loses its joint"
    assert by_body["rocker"].reason == "your choice: keeps its joint"
    assert by_body["rocker"].joint == "d"
    assert set(found.exact) == {"a", "d"}
    assert found.certificate("d").lemma == "Lemma 1"
    assert "bracket" in found.certificate("b").obstruction
    assert any("Joint 'b' would be exact" in note for note in found.notes)


def test_a_planar_pair_on_a_subgroup_is_framed_on_the_centre_of_mass():
    """Shifts of the joint's point, off the centre of mass, are another group on the same poses."""
    model = pair("planar", "spherical", "coaxial", np.random.default_rng(0))
    spaces = {"a": Space("subgroup", ON_1), "b": ch.SO3xR3(at=ON_2)}
    found = {p.joint: p.exact for p in ch.designate(model, spaces).predictions}
    assert found == {ON_1: True, ON_2: False}
    framed = ch.designate(model, {"a": ch.SO3xR3(at=ON_1), "b": ch.SO3xR3(at=ON_2)}).predictions
    assert all(p.exact for p in framed)
