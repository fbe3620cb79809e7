"""Formulas of users: which bodies they see, and that wrong ones are refused at once.

They are called once when a model is built.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chasles.model.body import GROUND, Body, checked_body
from chasles.model.checks import IDENTITY, NOT_FINITE, Invalid
from chasles.model.errors import ChaslesError, short_repr

Numbers = tuple[float, ...]


def check_once(call: Callable[..., Any], *given: Any) -> None:
    """Call a function of a user, with the checks of its answer.

    What fails for its numbers alone may be right for those of the run, which are not known yet.
    """
    try:
        with np.errstate(all="ignore"):
            call(*given)
    except ChaslesError as error:
        raised = error.__cause__
        if isinstance(raised, TypeError) or (raised is None and NOT_FINITE not in error.what):
            raise


def entered_pose(name: str, bodies: Mapping[str, Body]) -> tuple[Numbers, Numbers]:
    """R, nine numbers, and r of a body as it was entered."""
    body = bodies.get(name)
    rotation, position = (body.rotation, body.position) if body else (IDENTITY, (0.0, 0.0, 0.0))
    return tuple(x for row in rotation for x in row), position


def entered_motion(name: str, bodies: Mapping[str, Body]) -> tuple[Numbers, ...]:
    """Position, rotation, velocity and angular velocity; zero where they are left out."""
    rotation, position = entered_pose(name, bodies)
    body = bodies.get(name, GROUND)
    still = (0.0, 0.0, 0.0)
    given = (getattr(body, what, None) for what in ("velocity", "angular_velocity"))
    return position, rotation, *(still if value is None else value for value in given)


#: How many bodies a formula sees at the most: kernels keep room for so many.
MOST_SEEN = 16


def checked_several(bodies: Any, what: str, where: str, invalid: Invalid) -> tuple[str, ...]:
    """The names of two bodies or more, each once; the ground is none of them."""
    remedy = "Give a list of bodies or their names: [left, right, 'pulley']."
    if not isinstance(bodies, list | tuple):
        raise invalid(
            f"{where}: {what} must be a list of bodies, got {short_repr(bodies)}.", remedy
        )
    names: list[str] = []
    for index, body in enumerate(bodies):
        name = checked_body(body, f"{what}[{index}]", where, invalid, "never moves")
        if name in names:
            raise invalid(f"{where}: body '{name}' is named twice.", "Name every body once.")
        names.append(name)
    if not 2 <= len(names) <= MOST_SEEN:
        raise invalid(
            f"{where}: {what} must be 2 to {MOST_SEEN} bodies, got {len(names)}.",
            "Give a single body by itself, not in a list."
            if len(names) < 2
            else "Share the bodies among several parts.",
        )
    return tuple(names)
