"""One body from several solids: mass, centre of mass and inertia by Steiner's theorem."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.checks import as_vector, checked_positive
from chasles.model.errors import InvalidBody, told
from chasles.model.shapes import Shape

Floats = NDArray[np.float64]


def checked_shapes(shapes: Any, where: str) -> tuple[Shape, ...]:
    """Shapes from one, several or none."""
    if shapes is None:
        return ()
    if isinstance(shapes, Shape):
        return (shapes,)
    several = tuple(shapes) if isinstance(shapes, Sequence) and not isinstance(shapes, str) else ()
    if several and all(isinstance(shape, Shape) for shape in several):
        return several
    if isinstance(shapes, Sequence) and len(shapes) == 0:
        return ()
    raise InvalidBody(
        f"{where}: its shape is {told(shapes)}, which cannot be drawn.",
        "Give a Box, Rod, Cylinder, Sphere, Capsule, Ring, Cone or Mesh, or several in a list.",
    )


def mass_of(volume: float, mass: float | None, density: float | None, where: str) -> float:
    """The mass that was given, or density times volume; exactly one of them must be given."""
    if (mass is None) == (density is None):
        raise InvalidBody(
            f"{where}: mass is {mass} and density is {density}.",
            "Give exactly one of the two: mass= in kg or density= in kg/m^3.",
        )
    if density is not None:
        return checked_positive(density, "density", "kg/m^3", where, InvalidBody) * volume
    return checked_positive(mass, "mass", "kg", where, InvalidBody)


def joined(
    shapes: tuple[Shape, ...], mass: float | None, density: float | None, where: str
) -> tuple[float, Floats, Floats, tuple[Shape, ...]]:
    r"""Mass, centre, inertia about it, and the shapes seen from it.

    All have one density, so a shape's share of the mass is that of its volume, and

    $$\Theta = \sum_i \Theta_i + m_i (|d_i|^2 - d_i d_i^T)$$

    with d_i from the common centre to the centroid of shape i.  Shapes are taken not to overlap.
    """
    if not shapes:
        raise InvalidBody(f"{where}: there are no shapes.", "Give at least one, with a volume.")
    volumes = np.array([shape.volume for shape in shapes])
    total = mass_of(float(volumes.sum()), mass, density, where)
    masses = total * (volumes / volumes.sum())
    centroids = np.array([shape.centroid for shape in shapes])
    centre = masses @ centroids / masses.sum()
    inertia = np.zeros((3, 3))
    for shape, part, d in zip(shapes, masses.tolist(), centroids - centre):
        inertia += shape.inertia(part) + part * (d @ d * np.eye(3) - np.outer(d, d))
    moved = tuple(
        replace(shape, position=as_vector(np.array(shape.position) - centre)) for shape in shapes
    )
    return total, centre, (inertia + inertia.T) / 2.0, moved
