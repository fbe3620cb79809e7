"""Shapes as plain data, and back.  A mesh's numbers are packed: base64 of their bytes."""

import binascii
from base64 import b64decode, b64encode
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any

import numpy as np

from chasles.model import shapes
from chasles.model.checks import IDENTITY
from chasles.model.errors import InvalidModel, UnknownName
from chasles.model.mesh import Mesh
from chasles.model.shapes import Shape

KINDS: dict[str, type[Shape]] = {
    kind.__name__.lower(): kind
    for kind in (
        shapes.Box, shapes.Rod, shapes.Cylinder, shapes.Sphere, shapes.Capsule, shapes.Ring,
        shapes.Cone, Mesh,
    )
}  # fmt: skip
PACKED = {"vertices": "<f8", "triangles": "<i8"}
POSE = {"position": (0.0, 0.0, 0.0), "rotation": IDENTITY, "colour": None}


def shape_to_plain(shape: Shape) -> dict[str, Any]:
    """The kind and all that it takes to make it; a pose only where there is one."""
    plain: dict[str, Any] = {"kind": shape.kind}
    for field in fields_of(shape):
        value = getattr(shape, field.name)
        if field.name in PACKED:
            value = b64encode(value.astype(PACKED[field.name]).tobytes()).decode("ascii")
        if field.name not in POSE or repr(value) != repr(POSE[field.name]):  # -0.0 is not 0.0
            plain[field.name] = as_lists(value)
    return plain


def shape_from_plain(plain: Any, where: str) -> Shape:
    kind = plain.get("kind") if isinstance(plain, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownName.among("shape", kind, KINDS, where=where)
    values = {name: value for name, value in plain.items() if name != "kind"}
    known = {field.name: field for field in fields_of(KINDS[kind])}
    for name in values:
        if name not in known:
            raise UnknownName.among("field", name, known, where=f"{where}, {kind}")
    for name, field in known.items():
        if name not in values and field.default is MISSING:
            raise InvalidModel(f"{where}, {kind} has no '{name}'.", "Write the data with to_plain.")
    for name, kind_of_number in PACKED.items():
        if name in values:
            values[name] = unpacked(values[name], kind_of_number, f"{where}, {kind}, {name}")
    return KINDS[kind](**values)


def unpacked(text: Any, kind: str, where: str) -> Any:
    try:
        return np.frombuffer(b64decode(text, validate=True), kind).reshape(-1, 3)
    except (TypeError, ValueError, binascii.Error):
        raise InvalidModel(
            f"{where} is not base64 of rows of three numbers.", "Write the data with to_plain."
        ) from None


def as_lists(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    return [as_lists(entry) for entry in value] if isinstance(value, tuple) else value
