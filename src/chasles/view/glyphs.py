"""What joints and contacts look like: a few small shapes on their bodies, by their kind."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Contact, Joint, Model
from chasles.model.checks import as_matrix, as_vector
from chasles.model.shapes import Box, Cylinder, Ring, Rod, Shape, Sphere

ON_A, ON_B = "#59626f", "#d89a3a"  # dark on the body that carries, amber on the one that moves
Glyph = tuple[list[Shape], list[Shape]]
SLANT = float(np.radians(14.0))  # of the turns of a screw


def glyph_of(joint: Joint, size: float) -> Glyph:
    """Shapes on body a and on body b, in world coordinates at the start."""
    at = np.array(joint.at)
    own, other = (
        LEFT if joint.kind == "helical" and joint.pitch < 0.0 else KINDS.get(joint.kind, CUSTOM)
    )
    frame, at_b = frame_along(joint.axis), np.array(joint.at if joint.at_b is None else joint.at_b)
    axis_b = getattr(joint, "axis_b", None) or joint.axis
    frame_b = frame_along(axis_b) if joint.kind in OWN_AXIS else frame
    return (
        [placed(shape, size, at, frame, ON_A) for shape in own],
        [placed(shape, size, at_b, frame_b, ON_B) for shape in other],
    )


def placed(shape: Shape, size: float, at: Floats, frame: Floats, colour: str) -> Shape:
    """A shape of size one, larger, at a place."""
    numbers = {f.name: getattr(shape, f.name) for f in fields(shape)}
    lengths: Any = {name: size * x for name, x in numbers.items() if isinstance(x, float)}
    if isinstance(shape, Box):
        lengths["size"] = as_vector(size * np.array(shape.size))
    return replace(
        shape,
        **lengths,
        position=as_vector(at + size * (frame @ np.array(shape.position))),
        rotation=as_matrix(frame @ np.array(shape.rotation)),
        colour=colour,
    )


def frame_along(axis: Any) -> Floats:
    """Axes with z along a direction of length 1."""
    z = np.array(axis, dtype=float)
    helper = np.eye(3)[int(np.abs(z).argmin())]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack((x, np.cross(z, x), z), axis=1)


# --- by kind, with z along the joint's axis, of size one ---


def screw(slant: float) -> Glyph:
    """A thread whose turns are slanted by an angle, and its nut."""
    turns = [
        Ring(0.62, 0.3, 0.22, position=(0.0, 0.0, 0.75 * k), rotation=("x", slant))
        for k in (-4, -3, -2, 2, 3, 4)
    ]
    return [Rod(7.0, 0.42, "z"), *turns], [Ring(1.1, 0.5, 1.6)]


CUBE, PLATE = Box((1.5, 1.5, 1.5)), Cylinder(1.8, 0.08)
#: By kind; screws as right-handed ones, those with a negative pitch by LEFT.
KINDS: dict[str, Glyph] = {
    "spherical": ([Ring(1.3, 0.9, 0.6)], [Sphere(1.0)]),
    "revolute": ([Cylinder(0.9, 2.2)], [Cylinder(0.45, 3.4)]),
    "prismatic": ([Box((0.7, 0.7, 7.0))], [Box((1.8, 1.8, 2.2))]),
    "cylindrical": ([Rod(7.0, 0.42, "z")], [Ring(1.05, 0.5, 2.2)]),
    "helical": screw(SLANT),
    "planar": ([Box((7.0, 7.0, 0.2))], [Cylinder(1.3, 0.5, position=(0.0, 0.0, 0.35))]),
    "fixed": ([CUBE], []),
    "universal": ([Cylinder(0.42, 3.4)], [Cylinder(0.42, 3.4), Sphere(0.6)]),
    "constantvelocity": ([Ring(1.45, 1.0, 1.1)], [Sphere(1.0)]),
    "distance": ([Sphere(0.6)], [Sphere(0.6)]),
    "pointonline": ([Rod(9.0, 0.2, "z")], [Sphere(0.8)]),
    "pointonplane": ([Box((7.0, 7.0, 0.15))], [Sphere(0.8)]),
    "cartesian": ([Box((7.0, 0.35, 0.35)), Box((0.35, 7.0, 0.35)), Box((0.35, 0.35, 7.0))], [CUBE]),
    "gear": ([], [Ring(1.5, 1.1, 0.5)]),
    "rollingsphere": ([PLATE], []),
    "rollingdisc": ([PLATE], []),
}
LEFT = screw(-SLANT)
CUSTOM: Glyph = [], [Box((1.5, 1.5, 1.5), rotation=("z", np.pi / 4))]
OWN_AXIS = ("universal", "gear")  # whose second body has an axis of its own


# --- contacts: a plate for a plane, a ball where the ground has one -------------------------------

SPREAD, THICK = 1.3, 0.012  # width and thickness over the size of the model
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
    wide, long, _ = high - low + SPREAD * size
    middle = (low + high) / 2.0 - (0.0, 0.0, 0.5 * THICK * size)
    return Box((wide, long, THICK * size), position=as_vector(frame @ middle),
               rotation=as_matrix(frame), colour=COLOUR)  # fmt: skip
