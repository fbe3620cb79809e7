"""What contacts look like: a plate where there is a plane, a ball where the ground has one."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Contact, Model
from chasles.model.checks import as_matrix, as_vector
from chasles.model.shapes import Box, Shape, Sphere
from chasles.view.glyphs import frame_along

PLATE, THICK = 1.3, 0.012  # width and thickness over the size of the model
COLOUR = "#aab2bd"


def planes_of(model: Model) -> list[list[Contact]]:
    """Contacts with planes: those with one plane together."""
    planes: dict[Any, list[Contact]] = {}
    for force in model.forces:
        if isinstance(force, Contact) and force.radius is None:
            height = float(np.dot(force.at, force.axis))  # type: ignore[arg-type]
            planes.setdefault((force.a, force.axis, round(height, 12)), []).append(force)
    return list(planes.values())


def feet_of(contact: Contact, centres: Floats) -> Floats:
    """Points of the plane below points of the world (points, 3)."""
    at, normal = np.array(contact.at), np.array(contact.axis)
    return np.asarray(centres - np.outer((centres - at) @ normal, normal))


def first_feet(model: Model, poses: Mapping[str, Any]) -> list[Floats]:
    """The points of all planes below their bodies at the start."""
    contacts = [contact for plane in planes_of(model) for contact in plane]
    return [feet_of(contact, poses[contact.b][1].reshape(1, 3)) for contact in contacts]


def middle_of(contact: Contact, poses: Mapping[str, Any]) -> Floats:
    """Where the shape of b is."""
    assert contact.shape is not None  # Model has completed every contact
    rotation, position = poses[contact.b]
    return np.asarray(position + rotation @ np.array(contact.shape.position))


def mark_of(force: Any, poses: Mapping[str, Any]) -> Any:
    """Where a force is marked: at its point, a contact at its shape; None if it has no point."""
    if isinstance(force, Contact):
        return middle_of(force, poses)
    return getattr(force, "at", None)


def contact_shapes(
    model: Model, poses: Mapping[str, Any], size: float, ways: Mapping[str, Floats]
) -> list[tuple[str, Shape]]:
    """(body, shape in the world at the start) of all surfaces that nothing else draws.

    `ways` are positions of bodies in the run that is shown: a floor reaches as far as they do.
    """
    shapes: list[tuple[str, Shape]] = []
    for plane in planes_of(model):
        carrier = plane[0].a
        seen = ways if carrier == GROUND.name else {}
        feet = [feet_of(c, seen.get(c.b, poses[c.b][1].reshape(1, 3))) for c in plane]
        shapes.append((carrier, plate_below(np.concatenate(feet), plane[0].axis, size)))
    for force in model.forces:
        if isinstance(force, Contact) and force.a == GROUND.name and (force.radius or 0.0) > 0.0:
            assert force.radius is not None and force.at is not None
            shapes.append((GROUND.name, Sphere(force.radius, position=force.at, colour=COLOUR)))
    return shapes


def plate_below(feet: Floats, axis: Any, size: float) -> Box:
    """A plate whose upper face holds all feet, with a margin."""
    frame = frame_along(axis)
    local = feet @ frame
    low, high = local.min(axis=0), local.max(axis=0)
    wide, long, _ = high - low + PLATE * size
    middle = (low + high) / 2.0 - (0.0, 0.0, 0.5 * THICK * size)
    return Box((wide, long, THICK * size), position=as_vector(frame @ middle),
               rotation=as_matrix(frame), colour=COLOUR)  # fmt: skip
