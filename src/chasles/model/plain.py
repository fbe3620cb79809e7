"""A model as plain data, and back: dicts, lists, strings and floats, as JSON has them.

Floats keep every bit (JSON writes the shortest text that reads back the same).  Reading makes the
bodies and joints anew, so plain data is checked like a user's own words.
"""

from typing import Any

from chasles.model.body import Body, checked_axis
from chasles.model.checks import checked_positive, checked_vector
from chasles.model.errors import ChaslesError, InvalidBody, InvalidModel, UnknownName, told
from chasles.model.joints import (
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from chasles.model.model import Model
from chasles.model.shapes import Box, Cylinder, Shape, Sphere

Plain = dict[str, Any]

JOINTS: dict[str, type[Joint]] = {
    kind.__name__.lower(): kind
    for kind in (Spherical, Revolute, Prismatic, Cylindrical, Helical, Planar, Fixed)
}
WITHOUT_AXIS = (Spherical, Fixed)
SHAPES = {"box": ("size",), "cylinder": ("radius", "length", "axis"), "sphere": ("radius",)}
BODY = ("name", "mass", "inertia", "position", "rotation", "velocity", "angular_velocity", "shape")


def to_plain(model: Model) -> Plain:
    """The model as plain data."""
    return {
        "bodies": [body_to_plain(body) for body in model.bodies],
        "joints": [joint_to_plain(joint) for joint in model.joints],
        "gravity": list(model.gravity),
    }


def from_plain(plain: Any) -> Model:
    """The model that `to_plain` was given, or an error that says where the data is wrong."""
    fields = checked_fields(plain, ("bodies", "joints", "gravity"), "model")
    bodies = [
        body_from_plain(body, f"bodies[{index}]")
        for index, body in enumerate(checked_list(fields["bodies"], "bodies"))
    ]
    joints = [
        joint_from_plain(joint, f"joints[{index}]")
        for index, joint in enumerate(checked_list(fields["joints"], "joints"))
    ]
    return Model(bodies, joints, gravity=fields["gravity"])


def body_to_plain(body: Body) -> Plain:
    plain = {name: listed(getattr(body, name)) for name in BODY}
    plain["shape"] = None if body.shape is None else shape_to_plain(body.shape)
    return plain


def body_from_plain(plain: Any, where: str) -> Body:
    fields = checked_fields(plain, BODY, where)
    shape = fields["shape"]
    return Body(**{**fields, "shape": None if shape is None else shape_from_plain(shape, where)})


def shape_to_plain(shape: Shape) -> Plain:
    kind = type(shape).__name__.lower()
    return {"kind": kind, **{name: listed(getattr(shape, name)) for name in SHAPES[kind]}}


def shape_from_plain(plain: Any, where: str) -> Shape:
    kind = checked_kind(plain, SHAPES, "shape", where)
    fields = checked_fields(plain, ("kind", *SHAPES[kind]), f"{where}, {kind}")

    def length(name: str) -> float:
        return checked_positive(fields[name], name, "m", where, InvalidBody)

    if kind == "box":
        return Box(checked_vector(fields["size"], "size", where, InvalidBody))
    if kind == "cylinder":
        return Cylinder(length("radius"), length("length"), checked_axis(fields["axis"], where))
    return Sphere(length("radius"))


def joint_to_plain(joint: Joint) -> Plain:
    return {
        "kind": joint.kind,
        **{name: listed(getattr(joint, name)) for name in joint_fields(type(joint))},
    }


def joint_from_plain(plain: Any, where: str) -> Joint:
    kind = JOINTS[checked_kind(plain, JOINTS, "joint kind", where)]
    fields = checked_fields(plain, ("kind", *joint_fields(kind)), where)
    return kind(**{name: value for name, value in fields.items() if name != "kind"})


def joint_fields(kind: type[Joint]) -> tuple[str, ...]:
    axes = () if issubclass(kind, WITHOUT_AXIS) else ("axis", "axis_b")
    return ("name", "a", "b", "at", "at_b", *axes, *(("pitch",) if kind is Helical else ()))


def listed(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    return [listed(entry) for entry in value] if isinstance(value, tuple) else value


def checked_fields(plain: Any, expected: tuple[str, ...], where: str) -> Plain:
    """A dict with exactly the expected keys."""
    if not isinstance(plain, dict):
        raise wrong(where, f"is {told(plain)}, but is a dict of {', '.join(expected)}.")
    for key in plain:
        if key not in expected:
            raise UnknownName.among("field", key, expected, where=where)
    for key in expected:
        if key not in plain:
            raise wrong(where, f"has no '{key}'.")
    return plain


def checked_kind(plain: Any, known: dict[str, Any], what: str, where: str) -> str:
    """The kind that the data says it is of."""
    kind = plain.get("kind") if isinstance(plain, dict) else None
    if not isinstance(kind, str) or kind not in known:
        raise UnknownName.among(what, kind, known, where=where)
    return kind


def checked_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise wrong(where, f"is {told(value)}, but is a list.")
    return value


def wrong(where: str, what: str) -> ChaslesError:
    return InvalidModel(f"{where} {what}", "Write the data with to_plain, and do not edit it.")
