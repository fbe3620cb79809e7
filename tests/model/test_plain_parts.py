"""Every joint, force, signal and driver as plain data and back; functions are refused."""

import json
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chasles.model import (
    GROUND,
    Body,
    Bushing,
    ChaslesError,
    ConstantVelocity,
    Contact,
    CustomForce,
    CustomJoint,
    Cylindrical,
    Distance,
    Drag,
    Driver,
    Fixed,
    Force,
    Gear,
    Helical,
    InvalidForce,
    InvalidModel,
    JointFriction,
    JointSpring,
    JointStop,
    Load,
    Model,
    Motor,
    Planar,
    PointDriver,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    RollingDisc,
    RollingSphere,
    Signal,
    Sphere,
    Spherical,
    Spring,
    TorsionSpring,
    Universal,
    UnknownName,
)
from chasles.model.plain import from_plain, to_plain

ORIGIN, SLANTED, UP = (0, 0, 0), (1, 2, 3), (0, 0, 1)
BODIES = [
    Body.box("a", (1, 2, 3), mass=1.0, velocity=SLANTED),
    Body.rod("b", 1.0, mass=1.0, rotation=(np.sqrt(0.5), 0, 0, np.sqrt(0.5))),
    Body.sphere("c", 0.1, density=1000.0, position=(0.1, 0.2, 0.3)),
    Body("d", 1.0, (1, 1, 1)),
]
JOINTS = [
    Spherical("spherical", GROUND, "a", ORIGIN),
    Revolute("revolute", GROUND, "a", ORIGIN, SLANTED, at_b=(0, 0, 1e-12)),
    Prismatic("prismatic", "a", "b", axis=SLANTED),
    Cylindrical("cylindrical", "a", "b", ORIGIN, SLANTED),
    Helical("helical", "a", "b", ORIGIN, SLANTED, 0.1),
    Planar("planar", "a", "b", axis=SLANTED),
    Fixed("fixed", "a", "b"),
    Universal("universal", "a", "b", ORIGIN, SLANTED, (3, 0, -1)),
    ConstantVelocity("cv", "a", "b", ORIGIN, SLANTED),
    Distance("distance", "a", "b", ORIGIN, SLANTED),
    PointOnLine("line", "a", "b", ORIGIN, SLANTED),
    PointOnPlane("plane", "a", "b", ORIGIN, SLANTED),
    Gear("gear", "a", "b", SLANTED, UP, 2.0),
    RollingSphere("ball", GROUND, "c", ORIGIN, SLANTED, 0.1),
    RollingDisc("disc", GROUND, "d", ORIGIN, SLANTED, UP, 0.1),
]
FORCES = [
    Spring("spring", "a", "b", ORIGIN, SLANTED, 10.0, 1.0),
    Bushing("bushing", "a", "b", ORIGIN, range(6), axis=SLANTED),
    JointSpring("joint spring", "cylindrical", 1.0, coordinate="displacement"),
    TorsionSpring("torsion spring", "revolute", 1.0),
    JointFriction("friction", "prismatic", 1.0),
    Motor("motor", "helical", Signal.sine(1, 2), 1.0, effort=Signal.table([0, 1, 2], [0, 1, 5])),
    Load("load", "a", force=SLANTED, frame="body"),
    Load("wind", "b", torque=(1.0, Signal.expression("2 * sin(t)^2"), Signal.ramp(1, 2))),
    Drag("drag", "a", quadratic=2.0),
    JointStop("stop", "prismatic", lower=-1.0, stiffness=10.0),
    Contact("floor", GROUND, "a", ORIGIN, SLANTED, stiffness=10.0, friction=0.5),
    Contact("bowl", "a", "b", radius=-2.0, shape=Sphere(0.1, position=SLANTED), hertz=10.0),
]
DRIVERS = [
    Driver("crank", "revolute", Signal.ramp(1, 2)),
    Driver("screw", "helical", Signal.expression("t^3 / 3")),
    PointDriver("shaker", "d", None, SLANTED, Signal.linear(2.0)),
]
MODEL = Model(BODIES, JOINTS, FORCES, DRIVERS, gravity=SLANTED, notes=["made for the tests"])


def test_every_part_survives_the_way_through_text():
    text = json.dumps(to_plain(MODEL), allow_nan=False)
    again = from_plain(json.loads(text))
    assert again == MODEL and json.dumps(to_plain(again)) == text


def test_models_without_forces_and_drivers_do_not_mention_them():
    plain = to_plain(Model(BODIES))
    assert set(plain) == {"bodies", "joints", "gravity"} and from_plain(plain) == Model(BODIES)


def sine(t):
    return np.sin(t)


def level(pose_a, pose_b):
    return (pose_b[1][2],)


def lift(t, *motion):
    return (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "parts, said",
    [
        ({"joints": [CustomJoint("level", GROUND, "d", level, 1)]}, ["joint 'level': formula"]),
        ({"forces": [CustomForce("lift", "d", lift)]}, ["force 'lift': formula"]),
        ({"forces": [Load("push", "d", torque=lambda t: (0.0, t, 0.0))]}, ["force 'push': torque"]),
        ({"drivers": [PointDriver("pull", "d", None, UP, sine)]}, ["driver 'pull': motion"]),
        (
            {"drivers": [PointDriver("pull", "d", None, UP, Signal(Signal.linear(1).function))]},
            ["driver 'pull': motion"],
        ),
    ],
)
def test_functions_are_not_saved(parts, said, refusal):
    message = refusal(lambda: to_plain(Model(BODIES, **parts)), InvalidModel)
    for part in [*said, "cannot be saved", "Signal.table"]:
        assert part in message


def changed(*path, to):
    """The plain model with one entry changed."""
    plain = deepcopy(to_plain(MODEL))
    place = plain
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return plain


@pytest.mark.parametrize(
    "plain, error, said",
    [
        (changed("drivers", to=3), InvalidModel, ["drivers must be a list, got 3"]),
        (changed("forces", 0, to=3), InvalidModel, ["forces[0] must be a dict, got 3"]),
        (changed("forces", 0, "kind", to=None), InvalidModel, ["forces[0] has no 'kind'"]),
        (changed("joints", 7, "kind", to="univrsal"), UnknownName, ["mean 'universal'"]),
        (changed("joints", 7, "kind", to="customjoint"), UnknownName, ["joints[7]"]),
        (changed("joints", 9, "axis", to=[0, 0, 1]), UnknownName, ["joints[9]", "'axis'"]),
        (changed("forces", 0, "kind", to="sprung"), UnknownName, ["mean 'spring'"]),
        (changed("forces", 0, "wobble", to=1), UnknownName, ["forces[0]", "'wobble'"]),
        (changed("forces", 0, "stiffness", to=-1), InvalidForce, ["force 'spring'", "-1 N/m"]),
        (changed("forces", 5, "target", to=[1.0]), InvalidModel, ["target must be a dict, got [1"]),
        (changed("forces", 5, "target", "kind", to="sin"), UnknownName, ["mean 'sine'"]),
        (changed("forces", 5, "target", "pitch", to=1), UnknownName, ["target", "'pitch'"]),
        (
            changed("forces", 5, "target", "phase", to="x"),
            InvalidModel,
            ["phase must be a number, got 'x'"],
        ),
        (changed("drivers", 0, "motion", "duration", to=0), InvalidModel, ["drivers[0], motion"]),
        (changed("drivers", 0, "motion", to={"kind": "ramp"}), InvalidModel, ["no 'height'"]),
        (changed("drivers", 0, "joint", to="nothing"), UnknownName, ["joint 'nothing'"]),
    ],
)
def test_what_is_no_model_is_named(plain, error, said, refusal):
    message = refusal(lambda: from_plain(plain), error)
    for part in said:
        assert part in message


PLACES = [
    (*path, key)
    for path, table in [
        ((what, index), part)
        for what in ("bodies", "joints", "forces", "drivers")
        for index, part in enumerate(to_plain(MODEL)[what])
    ]
    for key in table
]
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.one_of(st.floats(), st.text(max_size=2)), max_size=4),
    st.dictionaries(st.text(max_size=5), st.floats(), max_size=2),
    st.builds(lambda kind: {"kind": kind}, st.sampled_from(["sine", "table", "box", "linear"])),
)


@given(place=st.sampled_from(PLACES), junk=JUNK)
def test_no_data_raise_anything_but_a_named_error(place, junk):
    try:
        from_plain(changed(*place, to=junk))
    except ChaslesError as error:
        assert error.what and error.remedy


@pytest.fixture
def wind():
    """A kind of load with fields that bodies and signals have, too, and mean otherwise."""

    @dataclass(frozen=True)
    class Wind(Load, in_files=True):
        position: float = 0.5
        velocity: float = 3.0
        rotation: float = 0.1
        order: int = 2

    yield Wind("wind", "d", force=(1, 0, 0))
    del Force.kinds["wind"]


def test_fields_of_a_kind_from_elsewhere_are_its_own(wind):
    model = Model(BODIES, forces=[wind])
    assert from_plain(to_plain(model)).forces == model.forces
    (moved,) = model.placed("left ", position=(1, 2, 3), rotation=("z", np.pi / 2)).forces
    assert (moved.position, moved.velocity, moved.rotation, moved.order) == (0.5, 3.0, 0.1, 2)
    assert moved.body == "left d" and moved.force == pytest.approx((0, 1, 0))
