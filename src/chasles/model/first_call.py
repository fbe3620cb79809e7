"""Functions of users are called once when a model is built: wrong ones are refused at once."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chasles.model.body import GROUND, Body
from chasles.model.checks import IDENTITY, NOT_FINITE
from chasles.model.errors import ChaslesError

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
