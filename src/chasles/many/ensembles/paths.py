"""What varies in an ensemble: "top.angular_velocity", "pivot.at", "spring.stiffness", "gravity"."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.errors import short_repr
from chasles.model.parameters import parameter_paths


def checked_values(model: Model, given: Any) -> tuple[dict[str, Floats], int]:
    """Arrays (members, ...) by path, and how many members these are."""
    if not isinstance(given, Mapping) or not given:
        raise InvalidOption(
            f"ensemble: what varies must be a dict of arrays, got {short_repr(given)}.",
            'Give {"top.angular_velocity": array}, with a row per member.',
        )
    known = parameter_paths(model)
    values: dict[str, Floats] = {}
    for path, value in given.items():
        UnknownName.check("parameter", path, known, "ensemble")
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
        array = np.asarray(value)
        if array.dtype.kind == "c":
            raise TypeError("complex")
        array = array.astype(float)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"ensemble: '{path}' must be an array of numbers, got {short_repr(value)}.",
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
