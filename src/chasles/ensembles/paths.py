"""What varies in an ensemble: "top.angular_velocity", "pivot.at", "spring.stiffness", "gravity"."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.errors import told

#: Where the parts of a model stand in it.
PARTS = ("bodies", "joints", "forces", "drivers")
#: Vectors that may be left out of a body.
LEFT_OUT = {"velocity": (3,), "angular_velocity": (3,)}


def shape_of(name: str, value: Any) -> tuple[int, ...] | None:
    """The shape of a field that holds numbers; None of any other."""
    if value is None:
        return LEFT_OUT.get(name)
    if isinstance(value, bool | str):
        return None
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array.shape if array.dtype.kind in "fiu" and array.size else None


def known_paths(model: Model) -> dict[str, tuple[int, ...]]:
    """All that may vary, and its shape."""
    known: dict[str, tuple[int, ...]] = {"gravity": (3,)}
    for part in PARTS:
        for one in getattr(model, part):
            for field in fields(one):
                shape = shape_of(field.name, getattr(one, field.name))
                if shape is not None:
                    known[f"{one.name}.{field.name}"] = shape
    return known


def checked_values(model: Model, given: Any) -> tuple[dict[str, Floats], int]:
    """Arrays (members, ...) by path, and how many members these are."""
    if not isinstance(given, Mapping) or not given:
        raise InvalidOption(
            f"ensemble: what varies must be a dict of arrays, got {told(given)}.",
            'Give {"top.angular_velocity": array}, with a row per member.',
        )
    known = known_paths(model)
    values: dict[str, Floats] = {}
    for path, value in given.items():
        if path not in known:
            raise UnknownName.among("parameter", path, known, where="ensemble")
        values[path] = checked_value(path, value, known[path])
    counts = {path: len(array) for path, array in values.items() if len(array) != 1}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"'{path}' has {count}" for path, count in counts.items())
        raise InvalidOption(
            f"ensemble: arrays must have as many members as each other, but {listed}.",
            "Give every array one row per member, or one row for all members.",
        )
    count = next(iter(counts.values()), 1)
    return {p: np.broadcast_to(a, (count, *a.shape[1:])) for p, a in values.items()}, count


def checked_value(path: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """(members, *shape), or (1, *shape) of what is the same for all."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"ensemble: '{path}' must be an array of numbers, got {told(value)}.",
            f"Give an array of the shape {('members', *shape)}.",
        ) from None
    own = array.shape[array.ndim - len(shape) :] if array.ndim >= len(shape) else None
    if own != shape or array.ndim > len(shape) + 1 or array.size == 0:
        wanted = "(members" + "".join(f", {n}" for n in shape) + ("," if not shape else "") + ")"
        raise InvalidOption(
            f"ensemble: '{path}' must have the shape {wanted}, got {array.shape}.",
            "Give one row per member, or one value for all of them.",
        )
    return array.reshape(-1, *shape)


def with_values(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with other numbers."""
    changes: dict[str, dict[str, Any]] = {}
    others: dict[str, Any] = {}
    for path, value in values.items():
        if path == "gravity":
            others["gravity"] = tuple(value.tolist())
        else:
            name, field = path.rsplit(".", 1)
            changes.setdefault(name, {})[field] = value.tolist() if value.ndim else float(value)
    for part in PARTS:
        parts = getattr(model, part)
        if any(one.name in changes for one in parts):
            others[part] = tuple(replace(one, **changes.get(one.name, {})) for one in parts)
    return replace(model, **others)
