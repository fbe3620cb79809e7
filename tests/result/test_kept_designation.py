"""The designation, once made, is kept: from simulate to the result, into the file and back."""

import numpy as np
import pytest
from mechanisms import linkage

import chasles as ch
from chasles.build.problem import choose_spaces
from chasles.integrators.stabilisation import chosen_stabiliser
from chasles.run.preparation import stabilised


def square() -> ch.Model:
    """Three rods on ball joints, two of which are on the ground."""
    corners = [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0)]
    return linkage(corners, names=("left", "top", "right"), kinds=[ch.Spherical] * 4)


def run(model: ch.Model, spaces, **options) -> ch.Result:
    return ch.simulate(model, 0.02, 1e-2, spaces=spaces, **options)


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_a_given_designation_is_the_results_with_its_cut(cut, tmp_path):
    model = square()
    given = ch.designate(model, cut=[cut])
    result = run(model, given)
    assert result.designation is given and result.designation.cut == (cut,)
    loaded = ch.load(result.save(tmp_path / "run.nc"))
    assert loaded.designation.cut == (cut,)
    assert str(loaded.designation) == str(given) and loaded.designation == given


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_projection_holds_what_the_given_designation_lets_drift(cut):
    given = ch.designate(square(), cut=[cut])
    result = run(square(), given, stabilise="projection")
    assert tuple(result.provenance["stabilised"]) == given.drifting == (cut,)


@pytest.mark.parametrize(
    "spaces", ["auto", "SE3", "SO3xR3 on joints", {"top": "SE3"}, {"top": ch.SE3("left")}, ch.SE3]
)
def test_the_designation_of_a_result_has_the_spaces_of_the_run(spaces, tmp_path):
    result = run(square(), spaces)
    assert result.designation.spaces == result.problem.spaces
    assert result.designation is result.designation
    loaded = ch.load(result.save(tmp_path / "run.nc"))
    assert str(loaded.designation) == str(result.designation)
    by_hand = {row.body for row in result.designation.rows if "your choice" in row.reason}
    assert set(result.designation.by_hand) == by_hand


def test_joints_wanted_cut_that_are_not_are_told_after_loading_too(tmp_path):
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, (0, 0, 0))])
    given = ch.designate(model, cut=["pivot"])
    loaded = ch.load(run(model, given).save(tmp_path / "run.nc"))
    assert loaded.designation.notes == given.notes and "pivot" in given.notes[0]


def test_the_designation_of_a_like_model_lends_its_spaces_only():
    lighter = ch.Model(square().bodies, square().joints, gravity=(0, 0, -1.6))
    given = ch.designate(square(), cut=["A"])
    result = run(lighter, given)
    assert result.designation.spaces == given.spaces and result.designation.cut == ("A",)
    assert result.designation.model == lighter


def test_nothing_is_designated_unless_it_is_asked_for():
    result = run(square(), "auto")
    assert "designation" not in vars(result.problem.choice)


def test_the_same_joints_drift_by_either_way():
    for spaces in ("auto", "SE3", "SO3xR3"):
        choice = choose_spaces(square(), spaces)
        assert choice.drifting == choice.designation.drifting
        assert stabilised(choice, chosen_stabiliser("projection")) == choice.drifting


def test_provenance_is_typed_and_reads_like_a_dict(tmp_path):
    result = run(square(), "auto", method="heun")
    provenance = result.provenance
    assert provenance.method == provenance["method"] == "heun" and provenance.step == 1e-2
    assert dict(provenance) == provenance.as_dict() == provenance
    assert type(provenance).from_dict(provenance.as_dict()) == provenance
    assert {**provenance}["order"] == 2 and provenance.get("nothing") is None
    assert provenance["versions"]["numpy"] == np.__version__
    with pytest.raises(KeyError):
        provenance["nothing"]
    with pytest.raises(AttributeError):
        provenance.method = "euler"
    with pytest.raises(TypeError):
        provenance.spaces["top"] = "SE3"
    provenance["spaces"].clear()  # a copy
    assert len(provenance.spaces) == 3


def test_what_a_later_version_adds_to_provenance_is_kept():
    from chasles.result.provenance import Provenance

    plain = {"acceleration": "screw", "method": "rk4", "step": 0.1, "weather": ["rain"]}
    found = Provenance.from_dict(plain)
    assert found["weather"] == ["rain"] and "weather" in found and found.as_dict() == {**found}


def test_provenance_survives_a_pickle():
    import pickle

    provenance = run(square(), "auto").provenance
    assert pickle.loads(pickle.dumps(provenance)) == provenance
