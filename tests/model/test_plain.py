"""A model written as plain data and read again is the same to the bit."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chasles.model import (
    GROUND,
    Body,
    ChaslesError,
    Cylindrical,
    Fixed,
    Helical,
    InvalidBody,
    InvalidModel,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    UnknownName,
)
from chasles.model.plain import from_plain, to_plain


def everything() -> Model:
    """Every kind of joint and shape, with numbers that no short decimal has."""
    third = 1 / 3
    bodies = [
        Body.box("box", (third, 0.1, 0.2), density=1000 * third, velocity=(third, 0, -0.0)),
        Body.cylinder("cylinder", third, 0.7, mass=2.0, axis="y", angular_velocity=(0, 0, 1e-300)),
        Body.sphere("sphere", third, mass=5e-324**0.5),
        Body.rod("rod", 1.0, mass=1e300, rotation=(0.6, 0, 0.8, 0)),
        Body("Körper №5", 1.0, ((2, 0.1, 0), (0.1, 2, 0), (0, 0, third)), position=(1, 2, 3)),
    ]
    joints = [
        Spherical("a", GROUND, "box", (third, 0, 0)),
        Revolute("b", "box", "cylinder", (0, 0, 0), (1, 2, 3), at_b=(0, 0, third)),
        Prismatic("c", "cylinder", "sphere", axis=(3, -2, third)),
        Cylindrical("d", "sphere", "rod", (0, 0, 0), (1, 1, 1), axis_b=(1, 1, 1.1)),
        Helical("e", "rod", "Körper №5", (0, 0, 0), (0, 1, 7), pitch=-third),
        Planar("f", "Körper №5", GROUND, axis=(third, third, third)),
        Fixed("g", "rod", GROUND, at_b=(0, 0, third)),
    ]
    return Model(bodies, joints, gravity=(0, third, -9.81))


def test_a_model_survives_json_to_the_bit():
    model = everything()
    text = json.dumps(to_plain(model), allow_nan=False)
    again = from_plain(json.loads(text))
    assert again == model and repr(again.bodies) == repr(model.bodies)
    assert json.dumps(to_plain(again)) == text


@given(st.tuples(*[st.floats(-1e9, 1e9)] * 3).filter(lambda v: max(map(abs, v)) > 1e-9))
def test_a_direction_made_once_is_never_made_again(axis):
    joint = Revolute("hinge", GROUND, "rod", (0, 0, 0), axis)
    assert replace(joint).axis == joint.axis
    assert abs(np.linalg.norm(joint.axis) - 1) < 1e-15


def changed(**changes):
    """The plain data of `everything` with some of it changed: path (by dots) -> value."""
    plain = json.loads(json.dumps(to_plain(everything())))
    for path, value in changes.items():
        *way, last = (int(key) if key.isdigit() else key for key in path.split("__"))
        place = plain
        for key in way:
            place = place[key]
        if value is DELETED:
            del place[last]
        else:
            place[last] = value
    return plain


DELETED = object()


@pytest.mark.parametrize(
    "changes, error, said",
    [
        ({"bodies": DELETED}, InvalidModel, "model has no 'bodies'"),
        ({"bodies__1__mass": DELETED}, InvalidModel, "bodies[1] has no 'mass'"),
        ({"bodies__1__mass": -1}, InvalidBody, "body 'cylinder': mass must be positive, got -1"),
        ({"bodies__0__colour": "red"}, UnknownName, "bodies[0]: there is no field 'colour'"),
        (
            {"bodies__0": 7},
            InvalidModel,
            "bodies[0] must be a dict, got 7",
        ),
        ({"bodies": {"0": 7}}, InvalidModel, "bodies must be a list, got {'0': 7}"),
        (
            {"bodies__0__shapes__0__kind": "pyramid"},
            UnknownName,
            "bodies[0], shapes[0]: there is no shape 'pyramid'",
        ),
        (
            {"bodies__0__shapes__0__size": [1, 2]},
            InvalidBody,
            "size must be a vector of three numbers, got shape (2,)",
        ),
        ({"bodies__1__shapes__0__radius": 0}, InvalidBody, "radius must be positive, got 0 m"),
        (
            {"bodies__1__shapes__0__axis": "q"},
            InvalidBody,
            "axis must be 'x', 'y' or 'z', got 'q'",
        ),
        ({"joints__2__kind": "univrsal"}, UnknownName, "there is no joint kind 'univrsal'"),
        ({"joints__2__kind": ["revolute"]}, UnknownName, "joints[2]"),
        ({"joints__0__axis": [0, 0, 1]}, UnknownName, "joints[0]: there is no field 'axis'"),
        ({"joints__1__b": "nobody"}, UnknownName, "there is no body 'nobody'"),
        ({"gravity": None}, InvalidModel, "gravity"),
    ],
)
def test_plain_data_is_checked_like_a_users_words(changes, error, said):
    with pytest.raises(error) as caught:
        from_plain(changed(**changes))
    assert isinstance(caught.value, ChaslesError) and said in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, "model", [], {}, {"__class__": "Model"}])
def test_what_is_no_model_is_not_read_as_one(value):
    with pytest.raises(ChaslesError):
        from_plain(value)
