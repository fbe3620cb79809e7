"""Numbers of a model by a path, "top.mass" or "pivot.at": to read them, and to vary them.

A path is the name of a body, joint, force, driver or sensor, a dot, and a field of it that is a
number, a vector or a matrix; or "gravity".  Names may have dots themselves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from numbers import Real
from typing import Any

import numpy as np

from chasles.model.errors import InvalidOption, UnknownName
from chasles.model.model import Model

#: The groups of parts that have fields to vary.
GROUPS = ("bodies", "joints", "forces", "drivers")


def parameter_paths(model: Model) -> dict[str, tuple[int, ...]]:
    """Every path, with the shape of what is there.

    >>> from chasles.model import Body
    >>> parameter_paths(Model([Body("top", mass=1.0, inertia=(1, 1, 1))]))["top.position"]
    (3,)
    """
    paths: dict[str, tuple[int, ...]] = {"gravity": (3,)}
    for group in GROUPS:
        for part in getattr(model, group):
            for name in numeric_fields(part):
                paths[f"{part.name}.{name}"] = shape_of(getattr(part, name))
    return paths


def numeric_fields(part: Any) -> list[str]:
    """The fields of a part that hold numbers, or that a body's start leaves open."""
    found = []
    for field in fields(part):
        value = getattr(part, field.name)
        left_open = value is None and field.name in ("velocity", "angular_velocity")
        if field.init and (left_open or is_numeric(value)):
            found.append(field.name)
    return found


def is_numeric(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, Real):
        return True
    return isinstance(value, tuple) and bool(value) and all(map(is_numeric, value))


def shape_of(value: Any) -> tuple[int, ...]:
    return (3,) if value is None else np.shape(value)


def parameter(model: Model, path: str) -> Any:
    """The value at a path, as the model has it."""
    check_path(model, path)
    if path == "gravity":
        return model.gravity
    name, _, field = path.rpartition(".")
    return getattr(part_named(model, name), field)


def with_parameters(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with other values at some paths, checked as if it had been written so.

    >>> from chasles.model import Body
    >>> model = Model([Body("top", mass=1.0, inertia=(1, 1, 1))])
    >>> with_parameters(model, {"top.mass": 2.0, "gravity": (0, 0, -1.62)}).bodies[0].mass
    2.0
    """
    changed: dict[str, dict[str, Any]] = {}
    others: dict[str, Any] = {}
    for path, value in values.items():
        check_path(model, path)
        number = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        if path == "gravity":
            others["gravity"] = number
            continue
        name, _, field = path.rpartition(".")
        changed.setdefault(name, {})[field] = number
    for group in GROUPS:
        parts = getattr(model, group)
        if any(part.name in changed for part in parts):
            others[group] = tuple(
                replace(part, **changed[part.name]) if part.name in changed else part
                for part in parts
            )
    return replace(model, **others)


def part_named(model: Model, name: str) -> Any:
    for group in GROUPS:
        for part in getattr(model, group):
            if part.name == name:
                return part
    return None


def check_path(model: Model, path: Any, others: Iterable[str] = ()) -> None:
    """Refuse a path that leads nowhere, with the nearest that does, or of other names."""
    if not isinstance(path, str):
        raise InvalidOption(
            f"a parameter must be a path like 'top.mass', got one of type {type(path).__name__}.",
            "Give 'part.field', or 'gravity'.",
        )
    known = parameter_paths(model)
    if path not in known:
        raise UnknownName.among("parameter", path, [*known, *others])
