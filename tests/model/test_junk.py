"""Whatever is given in the place of any argument: a part is made, or a named error says why not."""

import numpy as np
import pytest

from chasles.model import (
    GROUND,
    Body,
    Bushing,
    ChaslesError,
    ConstantVelocity,
    Contact,
    CustomCoupling,
    CustomForce,
    CustomJoint,
    Distance,
    Drag,
    Driver,
    Gear,
    JointFriction,
    JointSpring,
    JointStop,
    Load,
    Model,
    Motor,
    PointDriver,
    PointOnLine,
    PointOnPlane,
    Revolute,
    RollingDisc,
    RollingSphere,
    Servo,
    Signal,
    Spring,
    TorsionSpring,
    Universal,
)

ROD, WHEEL = Body.rod("rod", 1.0, mass=1.0), Body.sphere("wheel", 1.0, mass=1.0)
HINGE = Revolute("hinge", GROUND, ROD, (0, 0, 0), (0, 0, 1))
X, Y, UP, SIX = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1,) * 6
PAIR = {"name": "p", "a": ROD, "b": WHEEL}


def formula(*arguments):
    return X


PARTS = {
    Universal: PAIR | {"at": X, "axis": X, "axis_b": Y},
    ConstantVelocity: PAIR | {"at": X, "axis": X},
    Distance: PAIR | {"at": X, "at_b": Y},
    PointOnLine: PAIR | {"at": X, "axis": X},
    PointOnPlane: PAIR | {"at": X, "axis": X},
    Gear: PAIR | {"axis": X, "axis_b": Y, "ratio": 2, "at": None},
    RollingSphere: PAIR | {"at": X, "axis": UP, "radius": 1},
    RollingDisc: PAIR | {"at": X, "axis": UP, "axis_b": X, "radius": 1},
    CustomJoint: PAIR | {"formula": formula, "rows": 3, "at": X, "jacobian": formula},
    Spring: PAIR | {"at": X, "at_b": Y, "stiffness": 1, "damping": 1, "rest_length": 1},
    Bushing: PAIR | {"at": X, "stiffness": SIX, "damping": SIX, "axis": X},
    Contact: PAIR
    | {
        "at": X,
        "axis": X,
        "radius": None,
        "shape": None,
        "stiffness": 1,
        "hertz": 1,
        "dissipation": 1,
        "friction": 1,
        "slip": 1,
    },
    JointSpring: {
        "name": "p",
        "joint": HINGE,
        "stiffness": 1,
        "damping": 1,
        "rest": 1,
        "coordinate": "angle",
    },
    TorsionSpring: {"name": "p", "joint": HINGE, "stiffness": 1, "damping": 1, "rest": 1},
    JointFriction: {
        "name": "p",
        "joint": HINGE,
        "level": 1,
        "smoothing": 1,
        "coordinate": "angle",
    },
    JointStop: {
        "name": "p",
        "joint": HINGE,
        "lower": -1,
        "upper": 1,
        "stiffness": 1,
        "damping": 1,
        "coordinate": "angle",
    },
    Motor: {
        "name": "p",
        "joint": HINGE,
        "target": 1,
        "stiffness": 1,
        "damping": 1,
        "effort": 1,
        "coordinate": "auto",
        "limit": 2,
        "gear": 3,
    },
    Servo: {
        "name": "p",
        "joint": HINGE,
        "target": 1,
        "stiffness": 1,
        "damping": 1,
        "effort": 1,
        "coordinate": "auto",
        "limit": (-1, 2),
        "gear": 3,
    },
    Load: {"name": "p", "body": ROD, "force": X, "torque": X, "at": X, "frame": "body"},
    Drag: {
        "name": "p",
        "body": ROD,
        "linear": 1,
        "quadratic": 1,
        "angular": 1,
        "angular_quadratic": 1,
    },
    CustomForce: {
        "name": "p",
        "body": ROD,
        "formula": formula,
        "reaction": GROUND,
        "compiled": False,
        "others": [],
    },
    CustomCoupling: {"name": "p", "bodies": [ROD, "b"], "formula": formula},
    Driver: {"name": "p", "joint": HINGE, "motion": np.sin, "coordinate": "auto"},
    PointDriver: {"name": "p", "body": ROD, "at": X, "direction": X, "motion": np.sin},
    Signal: {"function": np.sin, "rate": np.cos, "second": np.sin},
    Signal.table: {"t": [0, 1], "values": [0, 1]},
    Signal.constant: {"value": 1},
    Signal.linear: {"slope": 1, "offset": 1},
    Signal.ramp: {"height": 1, "duration": 1, "start": 1},
    Signal.sine: {"amplitude": 1, "frequency": 1, "phase": 1, "offset": 1},
    Model: {"bodies": [ROD], "joints": [HINGE], "forces": [], "gravity": X, "drivers": []},
}
JUNK = [
    None,
    True,
    0,
    -1,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    1j,
    "",
    "junk",
    b"junk",
    (),
    [None],
    (0, 0, 0),
    (1e308, -1e308, 1e308),
    ("a", "b", "c"),
    [[1, 2], [3]],
    {},
    {"a": 1},
    {1, 2, 3},
    object(),
    int,
    print,
    np.zeros((3, 3)),
    np.array(["a", "b", "c"]),
    np.array([None] * 3),
    np.ma.array([1.0, 2.0, 3.0]),
    np.datetime64("2020-01-01"),
    GROUND,
    ROD,
    HINGE,
    Signal.constant(1),
    lambda: 1,
    lambda t: "junk",
    iter([1, 2]),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "make, argument",
    [(make, argument) for make, arguments in PARTS.items() for argument in arguments],
    ids=lambda value: value if isinstance(value, str) else value.__qualname__,
)
def test_junk_is_refused_by_name_or_taken(make, argument):
    make(**PARTS[make])
    for junk in JUNK:
        try:
            make(**PARTS[make] | {argument: junk})
        except ChaslesError as error:
            assert error.what and error.remedy and len(str(error)) < 1000
            assert str(error).count("\n") == 1
