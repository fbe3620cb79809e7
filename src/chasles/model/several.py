"""Formulas of users that see several bodies: which ones, and how many at the most."""

from typing import Any

from chasles.model.body import checked_body
from chasles.model.errors import ChaslesError, short_repr

#: How many bodies a formula sees at the most: kernels keep room for so many.
MOST_SEEN = 16


def checked_several(bodies: Any, where: str, error: type[ChaslesError]) -> tuple[str, ...]:
    """The names of two bodies or more, each once; the ground is none of them."""
    remedy = "Give a list of bodies or their names: [left, right, 'pulley']."
    if not isinstance(bodies, list | tuple):
        raise error(f"{where}: bodies must be a list of bodies, got {short_repr(bodies)}.", remedy)
    names: list[str] = []
    for index, body in enumerate(bodies):
        name = checked_body(body, f"bodies[{index}]", where, error, "never moves")
        if name in names:
            raise error(f"{where}: body '{name}' is named twice.", "Name every body once.")
        names.append(name)
    if not 2 <= len(names) <= MOST_SEEN:
        raise error(
            f"{where}: bodies must be 2 to {MOST_SEEN} bodies, got {len(names)}.",
            "Give a single body by itself, not in a list."
            if len(names) < 2
            else "Share the bodies among several parts.",
        )
    return tuple(names)
