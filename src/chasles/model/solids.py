"""Bodies as people measure them: between two points, and put together from others."""

from collections.abc import Sequence
from math import dist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.model.checks import Matrix3, Vector3, as_matrix, as_vector, checked_array
from chasles.model.errors import InvalidBody, told
from chasles.model.rotations import turn_between
from chasles.model.shapes import AXES

Part = tuple[float, Matrix3, Vector3, Matrix3]  # mass, inertia, centre, rotation


def stretched(
    between: Any, axis: str, given: Sequence[str], where: str
) -> tuple[float, dict[str, Any]]:
    """Length, position and rotation of a body whose `axis` goes from one point to another."""
    for name in given:
        if name in ("length", "position", "rotation"):
            raise InvalidBody(
                f"{where}: {name} is given, but between= says where it lies.",
                f"Leave {name} out, or give length=, position= and rotation= instead of between=.",
            )
    points = checked_array(between, "between", where, InvalidBody)
    if points.shape != (2, 3):
        raise InvalidBody(
            f"{where}: between has shape {points.shape}, but is two points.",
            "Give between=((x, y, z), (x, y, z)), in the world.",
        )
    first, last = as_vector(points[0]), as_vector(points[1])
    length = dist(first, last)
    if not 0.0 < length < np.inf:
        raise InvalidBody(
            f"{where}: between gives two points {length:g} m apart.", "Give two different points."
        )
    direction = as_vector((points[1] - points[0]) / length)
    own = tuple(1.0 if name == axis else 0.0 for name in AXES)
    middle = as_vector(0.5 * points[0] + 0.5 * points[1])
    turn = turn_between((own[0], own[1], own[2]), direction)
    return length, {"position": middle, "rotation": turn}


def together(
    parts: Sequence[Part], rotation: Matrix3, where: str
) -> tuple[float, Matrix3, Vector3]:
    """Mass, inertia in the axes of `rotation`, and centre of mass, of parts in the world.

    parts  (mass, inertia about its own centre in its own axes, centre, rotation); a mass below
           zero is a hole

    By Steiner's theorem: I = sum of R_i I_i R_i^T + m_i (d_i.d_i 1 - d_i d_i^T), d_i from the
    common centre of mass to that of the part.
    """
    masses = np.array([mass for mass, *_ in parts])
    centres = np.array([centre for _, _, centre, _ in parts])
    mass = float(masses.sum())
    if not mass > 0.0:
        raise InvalidBody(
            f"{where}: its parts less its holes have a mass of {mass:g} kg.", "Make holes smaller."
        )
    with np.errstate(all="ignore"):  # a Body refuses what is not finite
        return mass, *about_centre(parts, masses @ centres / mass, np.array(rotation))


def about_centre(
    parts: Sequence[Part], centre: NDArray[np.float64], frame: NDArray[np.float64]
) -> tuple[Matrix3, Vector3]:
    """Inertia about a point in the axes of a frame, and the point."""
    inertia = np.zeros((3, 3))
    for part_mass, own, place, turn in parts:
        axes, d = np.array(turn), np.array(place) - centre
        sign = 1.0 if part_mass > 0.0 else -1.0
        inertia += sign * axes @ np.array(own) @ axes.T
        inertia += part_mass * (d @ d * np.eye(3) - np.outer(d, d))
    inertia = frame.T @ inertia @ frame
    return as_matrix(0.5 * (inertia + inertia.T)), as_vector(centre)


def part_of(body: Any, sign: float, what: str, where: str) -> Part:
    """The numbers of one part; it must not move by itself."""
    if not hasattr(body, "inertia"):
        raise InvalidBody(
            f"{where}: {what} is {told(body)}, which is not a Body.",
            "Give bodies, where they lie in the world: Body.box(..., position=...).",
        )
    if body.velocity is not None or body.angular_velocity is not None:
        raise InvalidBody(
            f"{where}: {what}, '{body.name}', has a velocity of its own.",
            "Give the velocity to the whole: Body.composite(..., velocity=...).",
        )
    return (sign * body.mass, body.inertia, body.position, body.rotation)


def members(value: ArrayLike | Any, what: str, where: str) -> list[Any]:
    if not isinstance(value, tuple | list):
        raise InvalidBody(f"{where}: {what} is {told(value)}.", f"Give a list: {what}=[...].")
    return list(value)
