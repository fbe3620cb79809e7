"""Bodies and joints that make a model together, and the errors they may end in."""

import pickle
from dataclasses import replace

import pytest

from chasles.model import (
    GROUND,
    Body,
    ChaslesError,
    Fixed,
    InvalidModel,
    Model,
    Planar,
    Prismatic,
    Revolute,
    SimulationStopped,
    Spherical,
    UnknownName,
)

ORIGIN, UP = (0, 0, 0), (0, 0, 1)
CRANK = Body.rod("crank", 1.0, mass=1.0, position=(0.5, 0, 0))
ROD = Body.rod("rod", 2.0, mass=2.0, position=(2, 0, 0))
PIVOT = Revolute("pivot", GROUND, CRANK, ORIGIN, UP)
ELBOW = Spherical("elbow", CRANK, ROD, (1, 0, 0))


def test_a_model_finds_its_parts_by_name():
    model = Model([CRANK, ROD], [PIVOT, ELBOW])
    assert model.body("rod") is ROD and model.joint("elbow") is ELBOW
    assert model.body_names == ("crank", "rod") and model.joint_names == ("pivot", "elbow")
    assert model.gravity == (0.0, 0.0, -9.81) and model.forces == ()


def test_a_model_is_frozen_and_can_be_varied():
    model = Model([CRANK], [PIVOT])
    assert replace(model, gravity=ORIGIN).gravity == (0.0, 0.0, 0.0)
    assert model == Model((CRANK,), [PIVOT]) and pickle.loads(pickle.dumps(model)) == model
    with pytest.raises(AttributeError):
        model.gravity = ORIGIN


def test_grublers_count():
    model = Model([CRANK, ROD], [PIVOT, ELBOW])
    assert model.degrees_of_freedom == 4
    assert repr(model) == "Model(2 bodies, 2 joints, 4 degrees of freedom)"
    assert Model([CRANK]).degrees_of_freedom == 6
    # a planar four-bar of four hinges: three links, one true freedom, counted in space as -2
    links = [Body.rod(f"link {i}", 1.0, mass=1.0) for i in range(3)]
    ends = [GROUND, *links, GROUND]
    hinges = [Revolute(f"hinge {i}", ends[i], ends[i + 1], (i, 0, 0), UP) for i in range(4)]
    assert Model(links, hinges).degrees_of_freedom == -2


def test_a_summary_names_everything():
    summary = Model([CRANK, ROD], [PIVOT, ELBOW]).summary()
    for part in ("crank", "rod", "pivot", "elbow", "revolute", "spherical", "4 degrees", "-9.81"):
        assert part in summary


@pytest.mark.parametrize("kind", [Prismatic, Planar])
def test_a_sliding_joint_without_a_point_sits_at_the_second_bodys_centre(kind):
    assert Model([CRANK, ROD], [kind("j", CRANK, ROD, axis=UP)]).joint("j").at == ROD.position
    assert Model([CRANK], [kind("j", CRANK, GROUND, axis=UP)]).joint("j").at == CRANK.position


def test_a_weld_without_a_point_sits_at_the_second_bodys_centre():
    assert Model([CRANK, ROD], [Fixed("j", CRANK, ROD)]).joint("j").at == ROD.position


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Model([]), ["no bodies"]),
        (lambda: Model([CRANK, ROD, CRANK]), ["bodies[0]", "bodies[2]", "'crank'"]),
        (lambda: Model([CRANK], [PIVOT, PIVOT]), ["joints[0]", "joints[1]", "'pivot'"]),
        (lambda: Model(CRANK), ["bodies", "[...]"]),
        (lambda: Model([CRANK], PIVOT), ["joints", "[...]"]),
        (lambda: Model([CRANK, PIVOT]), ["bodies[1]", "pivot"]),
        (lambda: Model(["crank"]), ["bodies[0]", "'crank'"]),
        (lambda: Model("crank"), ["bodies", "'c'"]),
        (lambda: Model([CRANK], [None]), ["joints[0]", "None"]),
        (lambda: Model([CRANK], forces=["spring"]), ["forces[0]", "'spring'", "no Force"]),
        (lambda: Model([CRANK], gravity=-9.81), ["gravity", "()"]),
        (lambda: Model([CRANK], gravity=(0, 0, float("nan"))), ["gravity", "nan"]),
    ],
)
def test_parts_that_make_no_model_are_named(make, said, refusal):
    message = refusal(make, InvalidModel)
    for part in said:
        assert part in message


def test_an_unknown_body_is_named_with_its_joint_and_the_closest_name(refusal):
    joint = Spherical("elbow", CRANK, "rodd", (1, 0, 0))
    message = refusal(lambda: Model([CRANK, ROD], [joint]), UnknownName)
    assert "joint 'elbow'" in message and "'rodd'" in message and "Did you mean 'rod'?" in message


def test_a_name_in_the_wrong_case_is_recognised():
    assert "Did you mean 'rk4'?" in str(UnknownName.among("method", "RK4", ["euler", "rk4"]))


def test_long_lists_of_names_are_cut():
    message = str(UnknownName.among("body", "x", [f"link {i}" for i in range(1000)]))
    assert "'link 0'" in message and "988 more" in message and len(message) < 300


def test_looking_up_what_is_not_there(refusal):
    model = Model([CRANK, ROD], [PIVOT, ELBOW])
    assert "Did you mean 'crank'?" in refusal(lambda: model.body("krank"), UnknownName)
    assert "Did you mean 'pivot'?" in refusal(lambda: model.joint("pivott"), UnknownName)


def test_an_error_survives_the_way_between_processes():
    stopped = SimulationStopped("body 'rod' is at NaN.", "Take a smaller step.", result=[1, 2])
    again = pickle.loads(pickle.dumps(stopped))
    assert str(again) == "body 'rod' is at NaN.\n  Take a smaller step." and again.result == [1, 2]
    unknown = UnknownName.among("body", "rodd", ["rod"])
    assert isinstance(unknown, ChaslesError) and str(pickle.loads(pickle.dumps(unknown))) == str(
        unknown
    )
