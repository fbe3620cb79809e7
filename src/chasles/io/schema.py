"""The types of a model file, made from the parts of the model themselves.

Each kind of part becomes one msgspec struct: its fields are those that make the part, their types
those of the part's own annotations, and what has a default may be left out.  So a file knows every
part that the model layer has, and nothing is declared twice.
"""

from collections.abc import Callable, Mapping
from functools import cache
from inspect import signature
from types import MappingProxyType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

from chasles.model import Body, Shape, Signal
from chasles.model.checks import Matrix3, Vector3
from chasles.model.fields import kept_as
from chasles.model.plain import (
    PACKED,
    PARTS,
    REQUIRED,
    SHAPES,
    WAVES,
    defaults_of,
    made_of,
    wave_fields,
)
from chasles.run.options import as_data

Numbers = list[float]
Axis = Literal["x", "y", "z", "-x", "-y", "-z"]


class Turn(msgspec.Struct, forbid_unknown_fields=True):
    """A rotation in words: {axis, angle}, {euler, angles} or {quaternion}."""

    axis: Vector3 | Axis | UnsetType = UNSET
    angle: float | UnsetType = UNSET
    euler: str | UnsetType = UNSET
    angles: Numbers | UnsetType = UNSET
    quaternion: Numbers | UnsetType = UNSET


#: how a body may be made, beside by mass and inertia
SOLIDS: dict[str, Callable[..., Body]] = {
    "box": Body.box,
    "cylinder": Body.cylinder,
    "rod": Body.rod,
    "sphere": Body.sphere,
}
BODY_TYPES: dict[str, Any] = {
    "name": str,
    "mass": float,
    "density": float,
    "inertia": list[float | Numbers],
    "position": Vector3,
    "rotation": list[float | Numbers] | Turn,
    "velocity": Vector3,
    "angular_velocity": Vector3,
    "size": Vector3,
    "radius": float,
    "length": float,
    "axis": str,
    "between": tuple[Vector3, Vector3],
    "colour": str,
}
START = ("position", "rotation", "velocity", "angular_velocity")
SPACE = dict[str, str | Numbers]
#: A joint coordinate: its value, or its value and its rate.
COORDINATE = float | list[float]
#: Options of `simulate` that are data; some are tables as well as words.
RUN_TYPES: dict[str, Any] = {
    **{name: option.metadata["data"] for name, option in as_data().items()},
    "spaces": str | dict[str, str | SPACE],
    "stabilise": str | dict[str, float],
    "start": dict[str, COORDINATE | dict[str, COORDINATE]],
}


def struct(name: str, fields: dict[str, Any], required: set[str], tag: str | None = None) -> Any:
    """A struct that takes exactly these fields; those that are not required may be left out."""
    ordered = sorted(fields, key=lambda field: field not in required)
    return msgspec.defstruct(
        name,
        [
            (field, fields[field])
            if field in required
            else (field, Union[fields[field], UnsetType], UNSET)  # noqa: UP007
            for field in ordered
        ],
        tag_field=None if tag is None else "kind",
        tag=tag,
        forbid_unknown_fields=True,
    )


def required_of(made: Any) -> set[str]:
    return {name for name, default in defaults_of(made).items() if default is REQUIRED}


def union(structs: Any) -> Any:
    return Union[tuple(structs)]  # noqa: UP007


def structs_of(
    kinds: Mapping[str, type[Any]], names: Callable[[type[Any]], Any] = made_of,
    title: str = "{}", known: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:  # fmt: skip
    """A struct for every kind; the types of `known` fields are not those of the kind."""
    structs = {}
    for tag, kind in kinds.items():
        hints = get_type_hints(kind)
        fields = {
            name: known[name] if name in known else file_type(hints[name], name)
            for name in names(kind)
        }
        required = required_of(kind) & set(fields)
        structs[tag] = struct(title.format(kind.__name__), fields, required, tag)
    return structs


@cache
def wave_structs() -> dict[str, Any]:
    return structs_of(WAVES, wave_fields)


@cache
def signal_type() -> Any:
    """A number, the text of an expression, or a table with its kind."""
    return Union[float, str, union(wave_structs().values())]  # noqa: UP007


@cache
def shape_structs() -> dict[str, Any]:
    return structs_of(SHAPES, title="{}_shape", known={**BODY_TYPES, **dict.fromkeys(PACKED, str)})


def file_type(hint: Any, field: str) -> Any:
    """How a field of a part is written in a file."""
    hint = kept_as(hint)
    if field == "terms":  # of a coupling: by joint, or in full
        return dict[str, float | Numbers] | list[tuple[str, str, Numbers]]
    if field in ("axis", "axis_b", "direction"):
        return Union[Vector3, Axis]  # noqa: UP007
    if hint in (Vector3, Matrix3):
        return hint
    if hint is Signal:
        return signal_type()
    if hint is Shape:
        return union(shape_structs().values())
    if get_origin(hint) in (Union, UnionType):
        kept = [entry for entry in get_args(hint) if entry is not type(None)]
        if any(not isinstance(entry, type) and "Callable" in str(entry) for entry in kept):
            return tuple[(signal_type(),) * 3]  # type: ignore[misc]
        return union(file_type(entry, field) for entry in kept)
    return hint


def body_structs() -> dict[str, Any]:
    shape = union(shape_structs().values())
    types = {**BODY_TYPES, "shape": shape, "shapes": list[shape]}  # type: ignore[valid-type]
    fields = {name: types[name] for name in defaults_of(Body)}
    structs = {"body": struct("Body", fields, required_of(Body), "body")}
    for tag, make in SOLIDS.items():
        names = [*(n for n in signature(make).parameters if n != "start"), *START]
        types = {name: BODY_TYPES[name] for name in names}
        structs[tag] = struct(tag, types, required_of(make) - {"start"}, tag)
    return structs


class FileType(msgspec.Struct):
    """What a file is made of: name of a list of parts -> kind -> struct; and the whole."""

    parts: dict[str, dict[str, Any]]
    run: Any
    whole: Any


@cache
def file_types() -> FileType:
    parts = {"bodies": body_structs(), **{what: structs_of(kinds) for what, kinds in PARTS.items()}}
    run = struct("run", RUN_TYPES, set())
    fields: dict[str, Any] = {
        what: list[union(kinds.values())]  # type: ignore[misc]
        for what, kinds in parts.items()
    }
    fields |= {"gravity": Vector3, "notes": list[str], "run": run}
    return FileType(parts, run, struct("file", fields, {"bodies"}))


def field_names(kind: Any) -> set[str]:
    """The keys that the table of a struct may have."""
    tagged = {"kind"} if kind.__struct_config__.tag_field else set()
    return set(kind.__struct_fields__) | tagged
