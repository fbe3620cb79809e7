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


def planes_of(model: Model) -> list[Contact]:
    """Contacts with planes, each plane once."""
    planes: dict[Any, Contact] = {}
    for force in model.forces:
        if isinstance(force, Contact) and force.radius is None:
            height = float(np.dot(force.at, force.axis))  # type: ignore[arg-type]
            planes.setdefault((force.a, force.axis, round(height, 12)), force)
    return list(planes.values())


def foot_of(contact: Contact, poses: Mapping[str, Any]) -> Floats:
    """The point of the plane below b."""
    at, normal, centre = np.array(contact.at), np.array(contact.axis), poses[contact.b][1]
    return np.asarray(centre - normal * (normal @ (centre - at)))


def middle_of(contact: Contact, poses: Mapping[str, Any]) -> Floats:
    """Where the shape of b is."""
    assert contact.shape is not None  # Model has completed every contact
    rotation, position = poses[contact.b]
    return np.asarray(position + rotation @ np.array(contact.shape.position))


def contact_shapes(model: Model, poses: Mapping[str, Any], size: float) -> list[tuple[str, Shape]]:
    """(body, shape in the world at the start) of all surfaces that nothing else draws."""
    shapes: list[tuple[str, Shape]] = []
    for plane in planes_of(model):
        normal, width = np.array(plane.axis), PLATE * size
        middle = foot_of(plane, poses) - 0.5 * THICK * size * normal
        plate = Box((width, width, THICK * size), position=as_vector(middle),
                    rotation=as_matrix(frame_along(normal)), colour=COLOUR)  # fmt: skip
        shapes.append((plane.a, plate))
    for force in model.forces:
        if isinstance(force, Contact) and force.a == GROUND.name and (force.radius or 0.0) > 0.0:
            assert force.radius is not None and force.at is not None
            shapes.append((GROUND.name, Sphere(force.radius, position=force.at, colour=COLOUR)))
    return shapes
