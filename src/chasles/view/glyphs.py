"""What a joint looks like: a few small shapes on each of its bodies, by its kind."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Joint
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
