"""Forces: what is stored, and what is not a force."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from chasles.model import (
    GROUND,
    Body,
    Bushing,
    Contact,
    CustomForce,
    Drag,
    Force,
    InvalidForce,
    InvalidSignal,
    JointFriction,
    JointSpring,
    JointStop,
    Load,
    Model,
    Motor,
    Revolute,
    Ring,
    Signal,
    Sphere,
    Spring,
    TorsionSpring,
)

NAN, INF = float("nan"), float("inf")
ORIGIN, X, UP = (0, 0, 0), (1, 0, 0), (0, 0, 1)
SIX = (1, 2, 3, 4, 5, 6)
ROD = Body.rod("rod", 1.0, mass=1.0)
HINGE = Revolute("hinge", GROUND, ROD, ORIGIN, UP)
BARE = Body("bare", 1.0, (1, 1, 1))
HOLLOW = Body("hollow", 1.0, (1, 1, 1), shapes=[Ring(2, 1, 1)])


def lift(t, position, rotation, velocity, angular_velocity):
    return (0.0, 0.0, t), (0.0, 0.0, 0.0)


def twice(t):
    return 2.0 * t


FORCES = [
    Spring("f", GROUND, ROD, ORIGIN, X, 10, damping=1, rest_length=0.5),
    Bushing("f", GROUND, ROD, ORIGIN, SIX, SIX, axis=X),
    JointSpring("f", HINGE, 10, 1, 0.5, coordinate="angle"),
    TorsionSpring("f", HINGE, 10, 1, 0.5),
    JointFriction("f", "hinge", 0.1, 0.01),
    JointStop("f", "hinge", -1, 2, stiffness=10, damping=1),
    Motor("f", "hinge", twice, 10, 1, Signal.sine(1, 2)),
    Motor("f", "hinge", effort=3),
    Load("f", ROD, X, at=UP, frame="body"),
    Load("f", ROD, torque=lambda t: (t, 0, 0)),
    Drag("f", ROD, 1, 2, 3, 4),
    CustomForce("f", ROD, lift, reaction="other", compiled=True),
    Contact("f", GROUND, ROD, ORIGIN, UP, stiffness=10, dissipation=1, friction=0.5, slip=0.1),
    Contact("f", "other", ROD, radius=-2, shape=Sphere(0.1), hertz=10),
]


@pytest.mark.parametrize("force", FORCES, ids=lambda force: force.kind)
def test_a_force_can_be_varied_and_compared(force):
    assert isinstance(force, Force) and force.kind == type(force).__name__.lower()
    assert replace(replace(force, name="g"), name="f") == force and hash(force) is not None
    with pytest.raises(AttributeError):
        force.name = "g"


@pytest.mark.parametrize("force", [force for force in FORCES if force.kind != "load"][:5])
def test_a_force_without_functions_survives_the_way_between_processes(force):
    assert pickle.loads(pickle.dumps(force)) == force


def test_the_rest_length_is_the_distance_at_the_start():
    spring = Spring("coil", GROUND, ROD, ORIGIN, (0, 3, 4), stiffness=10)
    assert spring.rest_length == spring.length == 5.0 and spring.damping == 0.0
    assert (spring.a, spring.b, spring.bodies) == ("ground", "rod", ("ground", "rod"))
    assert Spring("coil", GROUND, ROD, ORIGIN, X, 10, rest_length=0).rest_length == 0.0
    assert Spring("damper", GROUND, ROD, ORIGIN, X, 0, damping=1).stiffness == 0.0


def test_what_else_is_stored():
    assert TorsionSpring("f", HINGE, 1).coordinate == "angle"
    assert isinstance(TorsionSpring("f", HINGE, 1), JointSpring)
    assert JointSpring("f", HINGE, 1).joint == "hinge"
    assert JointSpring("f", HINGE, 1).coordinate == "auto"
    assert Bushing("f", GROUND, ROD, X, SIX).damping == (0.0,) * 6
    assert Bushing("f", GROUND, ROD, X, SIX).axis == (0.0, 0.0, 1.0)
    assert CustomForce("f", ROD, lift).reaction == "ground"
    assert not CustomForce("f", ROD, lift).compiled
    load = Load("f", ROD, force=X)
    assert load.torque == (0.0, 0.0, 0.0) and load.at is None and load.frame == "world"


def test_targets_and_efforts_become_signals():
    motor = Motor("f", HINGE, target=0.5, stiffness=2, effort=twice)
    assert motor.target.sample([1.0]).tolist() == [[0.5, 0.0, 0.0]]
    assert motor.effort.function is twice
    assert Motor("f", HINGE, effort=1).target is None
    assert Motor("f", HINGE, target=0, damping=2).effort == Signal.constant(0.0)


def test_a_motor_is_sampled():
    motor = Motor("f", HINGE, target=twice, damping=1, effort=lambda t: float(t > 1))
    assert np.allclose(motor.sample([0.0, 2.0]), [[0, 2, 0], [4, 2, 1]], atol=1e-9)
    assert Motor("f", HINGE, effort=3).sample([1.0]).tolist() == [[0, 0, 3]]
    steps = Motor("f", HINGE, target=lambda t: float(t > 1), stiffness=1).sample([0.0, 2.0])
    assert steps.tolist() == [[0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("what", ["target", "effort"])
def test_a_motor_that_fails_is_named(what, refusal):
    for gain in ("stiffness", "damping"):
        motor = Motor("servo", HINGE, **{"target": 0, gain: 1, what: lambda t: NAN if t > 0 else t})
        message = refusal(lambda motor=motor: motor.sample([2.0]), InvalidSignal)
        assert f"force 'servo', {what}" in message and "nan at t = 2 s" in message


def test_a_load_is_sampled():
    load = Load("f", ROD, force=X, torque=lambda t: (t, 0, -t))
    force, torque = load.sample([0.0, 2.0])
    assert force.tolist() == [[1, 0, 0], [1, 0, 0]] and torque.tolist() == [[0, 0, 0], [2, 0, -2]]
    assert [part.shape for part in load.sample([])] == [(0, 3), (0, 3)]


@pytest.mark.parametrize(
    "function, said",
    [
        (lambda t: (0, NAN, 0) if t > 0 else X, ["nan", "t = 2 s"]),
        (lambda t: t, ["got the number 0", "t = 0 s"]),
        (lambda t: "up", ["'up'"]),
        (lambda t: 1 / t, ["ZeroDivisionError", "t = 0 s"]),
        (lambda: X, ["TypeError"]),
    ],
)
def test_a_load_that_fails_is_named(function, said, refusal):
    for what in ("force", "torque"):
        message = refusal(
            lambda what=what: Load("push", ROD, **{what: function}).sample([0.0, 2.0]), InvalidForce
        )
        for part in ["force 'push'", what, *said]:
            assert part in message


MOTION = (ORIGIN, (1, 0, 0, 0, 1, 0, 0, 0, 1), ORIGIN, ORIGIN)


def test_a_formula_returns_force_and_torque():
    force, torque = CustomForce("lift", ROD, lift).wrench(3.0, *MOTION)
    assert force == (0.0, 0.0, 3.0) and torque == (0.0, 0.0, 0.0)
    assert CustomForce("f", ROD, lambda *all: np.ones((2, 3))).wrench(0.0, *MOTION)[0] == (1, 1, 1)


@pytest.mark.parametrize(
    "formula, said",
    [
        (lambda *motion: (X, (0, 0, NAN)), ["the torque", "nan"]),
        (lambda *motion: (X, (0, 0)), ["the torque", "(2,)"]),
        (lambda *motion: ("up", X), ["the force", "'up'"]),
        (lambda *motion: X, ["returned (1, 0, 0)", "two vectors"]),
        (lambda *motion: None, ["returned None"]),
        (lambda t: (X, X), ["TypeError"]),
        (lambda *motion: [][1], ["IndexError"]),
    ],
)
def test_a_formula_that_fails_is_named(formula, said, refusal):
    force = CustomForce("lift", ROD, formula)
    message = refusal(lambda: force.wrench(2.0, *MOTION), InvalidForce)
    for part in ["force 'lift'", "t = 2 s", *said]:
        assert part in message


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Force("f"), ["no kind"]),
        (lambda: Spring("f", GROUND, ROD, X, X, 10), ["0 m apart", "direction"]),
        (
            lambda: Spring("f", GROUND, ROD, ORIGIN, X, -10),
            ["stiffness must not be negative, got -10 N/m"],
        ),
        (
            lambda: Spring("f", GROUND, ROD, ORIGIN, X, 10, -1),
            ["damping must not be negative, got -1 N s/m"],
        ),
        (lambda: Spring("f", GROUND, ROD, ORIGIN, X, 0), ["both 0"]),
        (lambda: Spring("f", GROUND, ROD, ORIGIN, X, NAN), ["stiffness must be finite, got nan"]),
        (
            lambda: Spring("f", GROUND, ROD, ORIGIN, X, 1, rest_length=-1),
            ["rest_length must not be negative, got -1 m"],
        ),
        (
            lambda: Spring("f", GROUND, ROD, None, X, 1),
            ["at must be an array of real numbers, got None"],
        ),
        (
            lambda: Spring("f", GROUND, ROD, ORIGIN, None, 1),
            ["at_b must be an array of real numbers, got None"],
        ),
        (lambda: Spring("f", ROD, ROD, ORIGIN, X, 1), ["'rod' to itself"]),
        (
            lambda: Spring("f", GROUND, 3, ORIGIN, X, 1),
            ["b must be a body, got 3"],
        ),
        (
            lambda: Bushing("f", GROUND, ROD, X, (1, 2, 3)),
            ["stiffness must be six numbers, got shape (3,)"],
        ),
        (
            lambda: Bushing("f", GROUND, ROD, X, 1.0),
            ["stiffness must be six numbers, got the number 1"],
        ),
        (lambda: Bushing("f", GROUND, ROD, X, (1, 1, 1, 1, 1, -1)), ["stiffness", "negative"]),
        (lambda: Bushing("f", GROUND, ROD, X, SIX, (NAN,) * 6), ["damping", "nan"]),
        (lambda: Bushing("f", GROUND, ROD, X, (0,) * 6), ["both 0"]),
        (lambda: Bushing("f", GROUND, ROD, X, SIX, axis=ORIGIN), ["axis is (0, 0, 0)"]),
        (lambda: Bushing("f", GROUND, GROUND, X, SIX), ["the ground to itself"]),
        (lambda: JointSpring("f", ROD, 1), ["joint must be a joint, got Body"]),
        (lambda: JointSpring("f", None, 1), ["joint must be a joint, got None"]),
        (lambda: JointSpring("f", HINGE, -1), ["stiffness must not be negative, got -1"]),
        (lambda: JointSpring("f", HINGE, 0), ["both 0"]),
        (lambda: JointSpring("f", HINGE, 1, rest=INF), ["rest must be finite, got inf"]),
        (
            lambda: JointSpring("f", HINGE, 1, coordinate="turn"),
            ["coordinate must be 'auto', 'angle' or 'displacement', got 'turn'"],
        ),
        (
            lambda: JointSpring("f", HINGE, 1, coordinate=np.zeros(2)),
            ["coordinate must be 'auto', 'angle' or 'displacement', got array"],
        ),
        (lambda: TorsionSpring("f", HINGE, "stiff"), ["stiffness must be a number, got 'stiff'"]),
        (lambda: JointFriction("f", HINGE, -1), ["level must not be negative, got -1"]),
        (lambda: JointFriction("f", HINGE, 1, smoothing=0), ["smoothing must be positive, got 0"]),
        (lambda: JointFriction("f", HINGE, None), ["level must be a number, got None"]),
        (lambda: Motor("f", HINGE), ["neither a target nor an effort"]),
        (lambda: Motor("f", HINGE, stiffness=1), ["no target", "target=0"]),
        (lambda: Motor("f", HINGE, damping=1, effort=1), ["no target"]),
        (lambda: Motor("f", HINGE, target=1), ["stiffness and damping are both 0", "Driver"]),
        (
            lambda: Motor("f", HINGE, target=1, stiffness=-1),
            ["stiffness must not be negative, got -1"],
        ),
        (
            lambda: Motor("f", HINGE, target="home", stiffness=1),
            ["target must be a number, a Signal or a function of t, got 'home'"],
        ),
        (lambda: Motor("f", HINGE, target=NAN, stiffness=1), ["target must be finite, got nan"]),
        (lambda: Motor("f", HINGE, effort=(1, 2)), ["or of t, q and rate, got (1, 2)"]),
        (lambda: Motor("f", HINGE, effort=None), ["or of t, q and rate, got None"]),
        (lambda: Load("f", ROD), ["neither a force nor a torque"]),
        (lambda: Load("f", GROUND, X), ["body is the ground"]),
        (lambda: Load("f", 3, X), ["body must be a body, got 3"]),
        (
            lambda: Load("f", ROD, 9.81),
            ["force must be a vector of three numbers, got the number 9.81"],
        ),
        (lambda: Load("f", ROD, torque=(0, NAN, 0)), ["torque", "nan"]),
        (
            lambda: Load("f", ROD, X, at=(0, 0)),
            ["at must be a vector of three numbers, got shape (2,)"],
        ),
        (
            lambda: Load("f", ROD, X, frame="local"),
            ["frame must be 'world' or 'body', got 'local'", "'body'"],
        ),
        (lambda: Load("f", ROD, X, frame=None), ["frame must be 'world' or 'body', got None"]),
        (lambda: Contact("f", GROUND, ROD, ORIGIN), ["stiffness and hertz are both 0"]),
        (
            lambda: Contact("f", GROUND, ROD, stiffness=1),
            ["at is left out", "'ground' is touched", "at=(x, y, z)"],
        ),
        (lambda: Contact("f", GROUND, ROD, radius=1, stiffness=1), ["at is left out"]),
        (lambda: Contact("f", "other", ROD, stiffness=1), ["'other' is touched"]),
        (lambda: Contact("f", ROD, GROUND, ORIGIN, stiffness=1), ["b is the ground", "as b"]),
        (lambda: Contact("f", ROD, ROD, ORIGIN, stiffness=1), ["'rod' to itself"]),
        (lambda: Contact("f", GROUND, 3, ORIGIN, stiffness=1), ["b must be a body, got 3"]),
        (lambda: Contact("f", GROUND, ROD, (0, NAN, 0), stiffness=1), ["at", "nan"]),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, ORIGIN, stiffness=1),
            ["axis is (0, 0, 0)"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, radius=0, stiffness=1),
            ["radius must not be 0"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, radius="big", stiffness=1),
            ["radius must be a number, got 'big'"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, UP, 2.0, stiffness=1),
            ["a radius of 2 m and an axis", "a ball has no normal"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, shape=Ring(2, 1, 1), stiffness=1),
            ["shape must be a Sphere, Capsule, Rod or Box, got ring"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, shape=0.1, stiffness=1),
            ["shape must be a Sphere, Capsule, Rod or Box, got 0.1"],
        ),
        (lambda: Contact("f", GROUND, ROD, ORIGIN, stiffness=-1), ["stiffness", "got -1 N/m"]),
        (lambda: Contact("f", GROUND, ROD, ORIGIN, hertz=-1), ["hertz", "got -1 N/m^1.5"]),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, hertz=1, dissipation=-1),
            ["dissipation must not be negative, got -1 s/m"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, hertz=1, friction=-0.5),
            ["friction must not be negative, got -0.5"],
        ),
        (
            lambda: Contact("f", GROUND, ROD, ORIGIN, hertz=1, slip=0),
            ["slip must be positive, got 0"],
        ),
        (
            lambda: Model([HOLLOW], forces=[Contact("f", GROUND, HOLLOW, ORIGIN, hertz=1)]),
            ["body 'hollow'", "shape must be a Sphere, Capsule, Rod or Box, got ring"],
        ),
        (
            lambda: Model([BARE], forces=[Contact("f", GROUND, BARE, ORIGIN, hertz=1)]),
            ["shape is left out, and body 'bare' has 0 shapes"],
        ),
        (lambda: Drag("f", ROD), ["angular_quadratic are all 0"]),
        (lambda: Drag("f", ROD, linear=-1), ["linear must not be negative, got -1 N s/m"]),
        (
            lambda: Drag("f", ROD, angular_quadratic=NAN),
            ["angular_quadratic must be finite, got nan"],
        ),
        (lambda: Drag("f", "ground", 1), ["body is the ground"]),
        (lambda: CustomForce("f", ROD, None), ["formula must be a function, got None"]),
        (lambda: CustomForce("f", GROUND, lift), ["body is the ground"]),
        (lambda: CustomForce("f", ROD, lift, reaction=ROD), ["both 'rod'"]),
        (lambda: CustomForce("f", ROD, lift, reaction=None), ["reaction must be a body, got None"]),
        (
            lambda: CustomForce("f", ROD, lift, compiled="yes"),
            ["compiled must be True or False, got 'yes'"],
        ),
    ],
)
def test_slips_are_named(make, said, refusal):
    what = refusal(make, InvalidForce)
    for part in ["force 'f'", *said]:
        assert part in what


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_force_has_a_name(name, refusal):
    assert repr(name) in refusal(lambda: Drag(name, ROD, 1), InvalidForce)
