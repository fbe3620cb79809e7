"""Bodies and joints that make a model together, and the errors they may end in."""

import pickle
from dataclasses import replace

import pytest
from linkages import four_bar

import chasles as ch
from chasles.model import (
    GROUND,
    Body,
    ChaslesError,
    Coupling,
    CustomForce,
    Cylindrical,
    Drag,
    Driver,
    Fixed,
    InvalidDriver,
    InvalidForce,
    InvalidModel,
    JointFriction,
    JointSpring,
    Load,
    Model,
    Motor,
    Planar,
    PointDriver,
    Prismatic,
    Revolute,
    Signal,
    SimulationStopped,
    Spherical,
    Spring,
    TorsionSpring,
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


def test_degrees_of_freedom_of_trees_are_grublers_count():
    model = Model([CRANK, ROD], [PIVOT, ELBOW])
    assert model.degrees_of_freedom == model.grubler_count == 4
    assert repr(model) == "Model(2 bodies, 2 joints, 4 degrees of freedom)"
    assert Model([CRANK]).degrees_of_freedom == 6 and model.loops == 0


def test_degrees_of_freedom_of_loops_are_the_true_ones():
    """A four-bar moves although Grübler counts -2; flat, a parallelogram may also fold the other
    way; a hinge whose axis is not parallel to the others locks it."""
    corners = [(0, 0, 0), (0, 1.0, 0), (2, 1.5, 0), (2, 0, 0)]
    model = four_bar(corners)
    assert model.grubler_count == -2 and model.degrees_of_freedom == 1 and model.loops == 1
    assert repr(model) == "Model(3 bodies, 4 joints, 1 loop, 1 degree of freedom)"
    assert "1 degree of freedom (Grübler's count is -2" in model.summary()
    assert four_bar(corners, (UP, UP, UP, (0, 1, 1))).degrees_of_freedom == 0
    driven = replace(model, drivers=[Driver("crank", "h0", TURN)])
    assert driven.degrees_of_freedom == 0


def test_what_is_driven_twice_is_counted_once():
    """Three points of a body pushed along z leave it three of its six freedoms, a fourth too."""
    places = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    pushed = [PointDriver(f"push {k}", CRANK, at, UP, TURN) for k, at in enumerate(places)]
    assert Model([CRANK], drivers=pushed).degrees_of_freedom == 3
    assert Model([CRANK], drivers=pushed[:3]).degrees_of_freedom == 3


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
        (lambda: Model([CRANK], forces=["spring"]), ["forces[0]", "'spring'", "must be a Force"]),
        (lambda: Model([CRANK], gravity=-9.81), ["gravity", "the number -9.81"]),
        (lambda: Model([CRANK], gravity=(0, 0, float("nan"))), ["gravity", "nan"]),
    ],
)
def test_parts_that_make_no_model_are_named(make, said, refusal):
    message = refusal(make, InvalidModel)
    for part in said:
        assert part in message


SLEEVE = Cylindrical("sleeve", CRANK, ROD, ORIGIN, UP)
TURN = Signal.linear(1.0)


def test_a_model_with_forces_and_drivers():
    spring = Spring("coil", GROUND, ROD, ORIGIN, UP, 10.0)
    driver = Driver("drive", PIVOT, TURN)
    model = Model([CRANK, ROD], [PIVOT, ELBOW], [spring], drivers=[driver])
    assert model.force("coil") is spring and model.force(spring) is spring
    assert model.driver("drive").joint == "pivot"
    assert model.force_names == ("coil",) and model.driver_names == ("drive",)
    assert model.degrees_of_freedom == 3
    assert repr(model) == "Model(2 bodies, 2 joints, 1 force, 1 driver, 3 degrees of freedom)"
    for part in ("coil", "spring", "drive", "angle of joint 'pivot'"):
        assert part in model.summary()
    assert replace(model, drivers=()).degrees_of_freedom == 4


def test_what_is_left_open_is_filled_in():
    joints = [PIVOT, SLEEVE, Prismatic("rail", GROUND, ROD, axis=UP)]
    forces = [
        JointSpring("hinge spring", "pivot", 1.0),
        JointFriction("rail friction", "rail", 1.0),
        Motor("turn", "sleeve", effort=1.0),
        Motor("push", "sleeve", effort=1.0, coordinate="displacement"),
        Load("weight", ROD, force=UP),
    ]
    drivers = [Driver("drive", "rail", TURN), PointDriver("shaker", CRANK, None, UP, TURN)]
    model = Model([CRANK, ROD], joints, forces, drivers=drivers)
    assert [model.force(force).coordinate for force in forces[:4]] == [
        "angle",
        "displacement",
        "angle",
        "displacement",
    ]
    assert model.force("weight").at == ROD.position
    assert model.driver("drive").coordinate == "displacement"
    assert model.driver("shaker").at == CRANK.position
    assert replace(model) == model


def test_different_coordinates_may_be_driven_together():
    drivers = [Driver("turn", SLEEVE, TURN), Driver("push", SLEEVE, TURN, "displacement")]
    points = [PointDriver(f"d{k}", ROD, UP, k, TURN) for k in ((1, 0, 0), (1, 1, 0), (0, 0, 1))]
    points = [replace(point, name=f"p{index}") for index, point in enumerate(points)]
    points.append(PointDriver("other point", ROD, ORIGIN, UP, TURN))
    model = Model([CRANK, ROD], [SLEEVE], drivers=drivers + points)
    assert model.grubler_count == 12 - 4 - 6
    assert model.degrees_of_freedom == 3  # two of the points are pushed along one line


@pytest.mark.parametrize(
    "drivers, said",
    [
        ([Driver("x", PIVOT, TURN), Driver("y", PIVOT, TURN)], "the angle of joint 'pivot'"),
        (
            [Driver("x", PIVOT, TURN), Driver("y", PIVOT, TURN, "angle")],
            "the angle of joint 'pivot'",
        ),
        (
            [PointDriver("x", ROD, UP, UP, TURN), PointDriver("y", ROD, UP, (0, 0, -2), TURN)],
            "a point of body 'rod'",
        ),
        (
            [PointDriver("x", ROD, None, UP, TURN), PointDriver("y", ROD, (2, 0, 0), UP, TURN)],
            "a point of body 'rod'",
        ),
    ],
)
def test_one_number_is_driven_once(drivers, said, refusal):
    message = refusal(lambda: Model([CRANK, ROD], [PIVOT], drivers=drivers), InvalidModel)
    assert "'x' and 'y'" in message and said in message


@pytest.mark.parametrize(
    "parts, said",
    [
        ({"forces": [Drag("pivot", ROD, 1)]}, ["joints[0]", "forces[0]", "'pivot'"]),
        ({"drivers": [Driver("pivot", PIVOT, TURN)]}, ["joints[0]", "drivers[0]", "'pivot'"]),
        (
            {"forces": [Drag("x", ROD, 1)], "drivers": [Driver("x", PIVOT, TURN)]},
            ["forces[0]", "drivers[0]", "'x'"],
        ),
        ({"forces": [Drag("x", ROD, 1)] * 2}, ["forces[0]", "forces[1]", "'x'"]),
        (
            {"forces": [Driver("x", PIVOT, TURN)]},
            ["forces[0]", "must be a Force", "Driver belongs among the drivers"],
        ),
        (
            {"drivers": [Drag("x", ROD, 1)]},
            ["drivers[0]", "must be a Driver", "Drag belongs among the forces"],
        ),
        ({"forces": [PIVOT]}, ["Revolute belongs among the joints: Model(..., joints=[...])"]),
        ({"sensors": [ROD]}, ["Body belongs among the bodies"]),
        (
            {"forces": [Coupling("x", {"pivot": 1, "y": 1})]},
            ["Coupling belongs among the joints"],
        ),
        ({"forces": [ch.Impact("x", PIVOT, upper=1)]}, ["simulate(..., events=[...])"]),
        ({"forces": Drag("x", ROD, 1)}, ["forces", "[...]"]),
        ({"drivers": 3}, ["drivers must be a list, got 3", "[...]"]),
    ],
)
def test_a_name_stands_for_one_part_and_a_part_has_its_list(parts, said, refusal):
    message = refusal(lambda: Model([CRANK, ROD], [PIVOT], **parts), InvalidModel)
    for part in said:
        assert part in message


def formula(t, position, rotation, velocity, angular_velocity):
    return ORIGIN, ORIGIN


@pytest.mark.parametrize(
    "part, said",
    [
        (Spring("x", GROUND, "rodd", ORIGIN, UP, 1), ["force 'x'", "body 'rodd'", "'rod'"]),
        (Drag("x", "rodd", 1), ["force 'x'", "body 'rodd'", "'rod'"]),
        (CustomForce("x", ROD, formula, reaction="krank"), ["force 'x'", "'krank'", "'crank'"]),
        (JointSpring("x", "pivott", 1), ["force 'x'", "joint 'pivott'", "'pivot'"]),
        (Driver("x", "pivott", TURN), ["driver 'x'", "joint 'pivott'", "'pivot'"]),
        (PointDriver("x", "rodd", UP, UP, TURN), ["driver 'x'", "body 'rodd'", "'rod'"]),
    ],
)
def test_what_a_part_refers_to_exists(part, said, refusal):
    parts = {"drivers" if "driver" in part.kind else "forces": [part]}
    message = refusal(lambda: Model([CRANK, ROD], [PIVOT], **parts), UnknownName)
    for word in [*said, "Did you mean"]:
        assert word in message


@pytest.mark.parametrize(
    "joint, coordinate, said",
    [
        ("elbow", "auto", ["spherical", "no coordinate"]),
        ("pivot", "displacement", ["revolute", "no displacement", "'angle'"]),
        ("rail", "angle", ["prismatic", "no angle", "'displacement'"]),
    ],
)
def test_a_joint_has_the_coordinate_that_is_asked_for(joint, coordinate, said, refusal):
    joints = [PIVOT, ELBOW, Prismatic("rail", GROUND, ROD, axis=UP)]
    force = JointFriction("x", joint, 1.0, coordinate=coordinate)
    driver = Driver("x", joint, TURN, coordinate)
    for error, who, parts in (
        (InvalidForce, "force 'x'", {"forces": [force]}),
        (InvalidDriver, "driver 'x'", {"drivers": [driver]}),
    ):
        message = refusal(lambda parts=parts: Model([CRANK, ROD], joints, **parts), error)
        for part in [who, f"joint '{joint}'", *said]:
            assert part in message


def test_a_torsion_spring_needs_an_angle(refusal):
    spring = TorsionSpring("x", "rail", 1.0)
    joints = [Prismatic("rail", GROUND, ROD, axis=UP)]
    message = refusal(lambda: Model([CRANK, ROD], joints, [spring]), InvalidForce)
    assert "force 'x'" in message and "prismatic" in message and "no angle" in message


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
    assert "no force 'coil'" in refusal(lambda: model.force("coil"), UnknownName)
    assert "no driver 'crank'" in refusal(lambda: model.driver("crank"), UnknownName)


def test_an_error_survives_the_way_between_processes():
    stopped = SimulationStopped("body 'rod' is at NaN.", "Take a smaller step.", result=[1, 2])
    again = pickle.loads(pickle.dumps(stopped))
    assert str(again) == "body 'rod' is at NaN.\n  Take a smaller step." and again.result == [1, 2]
    unknown = UnknownName.among("body", "rodd", ["rod"])
    assert isinstance(unknown, ChaslesError) and str(pickle.loads(pickle.dumps(unknown))) == str(
        unknown
    )
