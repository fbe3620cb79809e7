"""Colours of shapes: a few by name, all others as "#rrggbb"."""

import re
from typing import Any

from chasles.model.checks import Invalid
from chasles.model.errors import UnknownName, short_repr

#: Muted, so that a mechanism of many parts stays readable on white and on black.
COLOURS = {
    "steel": "#8fa3b8",
    "aluminium": "#c3ccd6",
    "brass": "#c9a24b",
    "copper": "#c07a50",
    "black": "#2b2f36",
    "grey": "#8b929c",
    "white": "#f2f3f5",
    "red": "#c8503c",
    "orange": "#d9822b",
    "yellow": "#e0bb3f",
    "green": "#4f9163",
    "teal": "#2f8f8f",
    "blue": "#3f73b8",
    "purple": "#8a63a8",
    "wood": "#b98d5e",
}
HEX = re.compile(r"#[0-9a-fA-F]{6}")


def checked_colour(colour: Any, what: str, where: str, invalid: Invalid) -> str | None:
    """A known name, "#rrggbb", or None; returned as given."""
    if colour is None:
        return None
    if not isinstance(colour, str):
        raise invalid(
            f"{where}: {what} must be a string, got {short_repr(colour)}.",
            "Give a name such as 'steel' or 'red', or '#rrggbb'.",
        )
    if colour in COLOURS or HEX.fullmatch(colour):
        return colour
    if colour.startswith("#"):
        raise invalid(f"{where}: {what} is '{colour}'.", "Give six hexadecimal digits: '#3f73b8'.")
    raise UnknownName.among("colour", colour, COLOURS, where=where)


def hex_of(colour: str) -> str:
    """'#rrggbb' of a checked colour."""
    return COLOURS.get(colour, colour)
