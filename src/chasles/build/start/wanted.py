"""Joint coordinates as users give them: values and rates, by joint and by word."""

from collections.abc import Mapping
from math import pi, radians
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from chasles.build.system.coordinates import Key
from chasles.model import ChaslesWarning, InvalidOption, Model
from chasles.model.checks import checked_number
from chasles.model.coordinates import ANGLE, AUTO, checked_coordinate, resolved_coordinate
from chasles.model.errors import short_repr


class Wanted(NamedTuple):
    """What is given of a coordinate; None: it stays as entered."""

    value: float | None
    rate: float | None


def checked_wanted(model: Model, coordinates: Any) -> dict[Key, Wanted]:
    """What is given, by coordinate."""
    if not isinstance(coordinates, Mapping):
        raise InvalidOption(
            f"start: coordinates must be a dict by joint, got {short_repr(coordinates)}.",
            "Give {'elbow': 0.3}, or {'elbow': (0.3, -2.0)} with a rate.",
        )
    found: dict[Key, Wanted] = {}
    for part, given in coordinates.items():
        joint = model.joint(part, where="start")
        several = given if isinstance(given, Mapping) else {AUTO: given}
        for word, value in several.items():
            where = f"start of joint '{joint.name}'"
            asked = checked_coordinate(word, "coordinate", where, InvalidOption)
            coordinate = resolved_coordinate(joint, asked, where, InvalidOption)
            if (joint.name, coordinate) in found:
                raise InvalidOption(
                    f"{where}: its {coordinate} is given twice.", "Give every coordinate once."
                )
            found[joint.name, coordinate] = checked_numbers(value, coordinate, where)
    return found


def checked_numbers(given: Any, coordinate: str, where: str) -> Wanted:
    """A value, or a value and a rate."""
    pair = given if isinstance(given, tuple | list | np.ndarray) else (given, None)
    if len(np.shape(np.array(pair, object))) != 1 or len(pair) != 2:
        raise InvalidOption(
            f"{where}: {coordinate} must be a number, or a number and a rate,"
            f" got {short_repr(given)}.",
            f"Give the {coordinate}, or ({coordinate}, rate).",
        )
    names = (f"the {coordinate}", f"the rate of the {coordinate}")
    value, rate = (
        None if number is None else checked_number(number, name, where, InvalidOption)
        for number, name in zip(pair, names)
    )
    return Wanted(value, rate)


def warn_of_degrees(wanted: Mapping[Key, Wanted]) -> None:
    """Warn of angles of more than a turn, which are meant sometimes, and degrees more often."""
    for (joint, coordinate), given in wanted.items():
        if coordinate == ANGLE and given.value is not None and abs(given.value) > 2.0 * pi:
            warn(
                f"start of joint '{joint}': the angle is {given.value:g} rad,"
                f" {abs(given.value) / (2.0 * pi):.3g} turns from the pose entered.  Angles are in"
                f" rad: {given.value:g} degrees are {radians(given.value):.4g} rad.",
                ChaslesWarning,
                stacklevel=5,  # past the check of keywords
            )


def wanted_text(wanted: Mapping[Key, Wanted]) -> str:
    """The coordinates given, in words."""
    parts = []
    for (joint, coordinate), given in wanted.items():
        unit = "rad" if coordinate == ANGLE else "m"
        value = "as entered" if given.value is None else f"{given.value:g} {unit}"
        rate = "" if given.rate is None else f" and {given.rate:g} {unit}/s"
        parts.append(f"joint '{joint}' at {value}{rate}")
    return ", ".join(parts)
