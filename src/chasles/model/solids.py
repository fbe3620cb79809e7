"""One body from solids: between two points, from several shapes, and put together from bodies."""

from collections.abc import Sequence
from dataclasses import replace
from math import dist
from typing import Any

import numpy as np

from chasles.model.checks import (
    IDENTITY,
    Matrix3,
    Vector3,
    as_matrix,
    as_vector,
    checked_array,
    checked_positive,
    shape_of,
)
from chasles.model.errors import InvalidBody, short_repr
from chasles.model.rotations import TOLERANCE, turn_between
from chasles.model.shapes import AXES, Shape
from chasles.model.words import Floats

Part = tuple[float, Matrix3, Vector3, Matrix3]  # mass, inertia, centre, rotation


# --- inertia: nothing is repaired -----------------------------------------------------------------


def checked_inertia(value: Any, where: str) -> Matrix3:
    """A matrix that some distribution of mass can have: symmetric, positive, triangle rule."""
    array = checked_array(value, "inertia", where, InvalidBody)
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3):
        raise InvalidBody(
            f"{where}: inertia must be a matrix or three numbers, got {shape_of(array)}.",
            "Give a 3x3 matrix, or three principal moments, in kg m^2 about the centre of mass.",
        )
    scale = float(np.abs(array).max())
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > TOLERANCE * scale:
        raise InvalidBody(
            f"{where}: inertia is not symmetric: {array.tolist()}, mirrored entries differ by"
            f" {asymmetry:.1e} kg m^2.",
            "Give the products of inertia the same value on both sides of the diagonal.",
        )
    check_principal_moments(np.linalg.eigvalsh(array).tolist(), where)
    return as_matrix(array)


def check_principal_moments(moments: list[float], where: str) -> None:
    """0 < I1 <= I2 <= I3 <= I1 + I2, moments in ascending order."""
    small, middle, large = moments
    listed = f"({small:.6g}, {middle:.6g}, {large:.6g}) kg m^2"
    if small <= 4.0 * np.finfo(float).eps * abs(large):
        raise InvalidBody(
            f"{where}: inertia is not positive definite: its principal moments are {listed}.",
            "Every principal moment must be positive; give a thin body a small thickness.",
        )
    excess = large - (small + middle)
    if excess > TOLERANCE * large:
        raise InvalidBody(
            f"{where}: inertia breaks the triangle inequality by {excess:.3g} kg m^2: its"
            f" principal moments are {listed}, and no mass has the largest above the sum of the"
            " others.",
            "Check the units, and that it is about the centre of mass, in body axes.",
        )


# --- shapes and masses ----------------------------------------------------------------------------


def checked_shapes(shapes: Any, where: str) -> tuple[Shape, ...]:
    """Shapes from one, several or none."""
    if shapes is None:
        return ()
    if isinstance(shapes, Shape):
        return (shapes,)
    if isinstance(shapes, Sequence) and all(isinstance(shape, Shape) for shape in shapes):
        return tuple(shapes)
    raise InvalidBody(
        f"{where}: its shape must be one that can be drawn, got {short_repr(shapes)}.",
        "Give a Box, Rod, Cylinder, Sphere, Capsule, Ring, Cone or Mesh, or several in a list.",
    )


def mass_of(volume: float, mass: float | None, density: float | None, where: str) -> float:
    """The mass that was given, or density times volume; exactly one of them must be given."""
    if (mass is None) == (density is None):
        raise InvalidBody(
            f"{where}: mass is {short_repr(mass)} and density is {short_repr(density)}.",
            "Give exactly one of the two: mass= in kg or density= in kg/m^3.",
        )
    if density is not None:
        return checked_positive(density, "density", "kg/m^3", where, InvalidBody) * volume
    return checked_positive(mass, "mass", "kg", where, InvalidBody)


# --- between two points ---------------------------------------------------------------------------


def stretched(
    between: Any, axis: str, given: Sequence[str], where: str
) -> tuple[float, dict[str, Any]]:
    """Length, position and rotation of a body whose `axis` goes from one point to another."""
    for name in given:
        if name in ("length", "position", "rotation"):
            raise InvalidBody(
                f"{where}: {name} was given as well as between, which says where it lies.",
                f"Leave {name} out, or give length=, position= and rotation= instead of between=.",
            )
    points = checked_array(between, "between", where, InvalidBody)
    if points.shape != (2, 3):
        raise InvalidBody(
            f"{where}: between must be two points, got shape {points.shape}.",
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


# --- several as one -------------------------------------------------------------------------------


def joined(
    shapes: tuple[Shape, ...], mass: float | None, density: float | None, where: str
) -> tuple[float, Matrix3, Vector3, tuple[Shape, ...]]:
    """Mass, inertia about the centre of mass, that centre, and the shapes seen from it.

    All have one density, so a shape's share of the mass is that of its volume.  Shapes are taken
    not to overlap.
    """
    if not shapes:
        raise InvalidBody(f"{where}: there are no shapes.", "Give at least one, with a volume.")
    volumes = np.array([shape.volume for shape in shapes])
    total = mass_of(float(volumes.sum()), mass, density, where)
    parts = [
        (share, as_matrix(shape.inertia(share)), shape.centroid, IDENTITY)
        for shape, share in zip(shapes, (total * (volumes / volumes.sum())).tolist())
    ]
    _, inertia, centre = together(parts, IDENTITY, where)
    seen = tuple(seen_from(shape, (0.0, 0.0, 0.0), IDENTITY, centre, IDENTITY) for shape in shapes)
    return total, inertia, centre, seen


def together(
    parts: Sequence[Part], rotation: Matrix3, where: str
) -> tuple[float, Matrix3, Vector3]:
    r"""Mass, inertia in the axes of `rotation`, and centre of mass, of parts in one frame.

    parts  (mass, inertia about its own centre in its own axes, centre, rotation); a mass below
           zero is a hole

    By Steiner's theorem, with d_i from the common centre of mass to that of part i,

    $$\Theta = \sum_i R_i \Theta_i R_i^T + m_i (|d_i|^2 - d_i d_i^T)$$
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


def about_centre(parts: Sequence[Part], centre: Floats, frame: Floats) -> tuple[Matrix3, Vector3]:
    """Inertia about a point in the axes of a frame, and the point."""
    inertia = np.zeros((3, 3))
    for part_mass, own, place, turn in parts:
        axes, d = np.array(turn), np.array(place) - centre
        sign = 1.0 if part_mass > 0.0 else -1.0
        inertia += sign * axes @ np.array(own) @ axes.T
        inertia += part_mass * (d @ d * np.eye(3) - np.outer(d, d))
    inertia = frame.T @ inertia @ frame
    return as_matrix(0.5 * (inertia + inertia.T)), as_vector(centre)


def seen_from(
    shape: Shape, position: Vector3, rotation: Matrix3, centre: Vector3, axes: Matrix3
) -> Shape:
    """A shape of a body at `position`, `rotation`, in a body at `centre` with other `axes`."""
    frame, own = np.array(axes).T, np.array(rotation)
    place = np.array(position) + own @ np.array(shape.position) - np.array(centre)
    return replace(
        shape,
        position=as_vector(frame @ place),
        rotation=as_matrix(frame @ own @ np.array(shape.rotation)),
    )


def part_of(body: Any, sign: float, where: str) -> Part:
    """The numbers of one part; it must not move by itself."""
    if body.velocity is not None or body.angular_velocity is not None:
        raise InvalidBody(
            f"{where}: its part '{body.name}' has a velocity of its own.",
            "Give the velocity to the whole: Body.composite(..., velocity=...).",
        )
    return (sign * body.mass, body.inertia, body.position, body.rotation)
