"""What a joint looks like: a few small shapes on each of its bodies, by its kind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Joint
from chasles.model.checks import Matrix3, as_matrix, as_vector
from chasles.model.shapes import Box, Cylinder, Ring, Rod, Shape, Sphere

ON_A, ON_B = "#59626f", "#d89a3a"  # dark on the body that carries, amber on the one that moves
Glyph = tuple[list[Shape], list[Shape]]


def glyph_of(joint: Joint, size: float) -> Glyph:
    """Shapes on body a and on body b, in world coordinates at the start."""
    at = np.array(joint.at)
    own, other = KINDS.get(joint.kind, custom)(joint, size)
    frame, at_b = frame_along(joint.axis), np.array(joint.at if joint.at_b is None else joint.at_b)
    axis_b = getattr(joint, "axis_b", None) or joint.axis
    frame_b = frame_along(axis_b) if joint.kind in OWN_AXIS else frame
    return (
        [placed(shape, at, frame, ON_A) for shape in own],
        [placed(shape, at_b, frame_b, ON_B) for shape in other],
    )


def placed(shape: Shape, at: Floats, frame: Floats, colour: str) -> Shape:
    return replace(
        shape,
        position=as_vector(at + frame @ np.array(shape.position)),
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


# --- by kind, with z along the joint's axis and s its size ---


def helical(joint: Joint, s: float) -> Glyph:
    tilt = np.radians(14.0 if joint.pitch > 0 else -14.0)
    slanted: Matrix3 = (
        (1.0, 0.0, 0.0),
        (0.0, float(np.cos(tilt)), -float(np.sin(tilt))),
        (0.0, float(np.sin(tilt)), float(np.cos(tilt))),
    )
    turns = [
        Ring(0.62 * s, 0.3 * s, 0.22 * s, position=(0.0, 0.0, k * 0.75 * s), rotation=slanted)
        for k in (-4, -3, -2, 2, 3, 4)
    ]
    return [Rod(7.0 * s, 0.42 * s, "z"), *turns], [Ring(1.1 * s, 0.5 * s, 1.6 * s)]


def custom(joint: Joint, s: float) -> Glyph:
    on_its_corner: Matrix3 = ((0.70710678118654752, -0.70710678118654752, 0.0),
                              (0.70710678118654752, 0.70710678118654752, 0.0),
                              (0.0, 0.0, 1.0))  # fmt: skip
    return [], [Box((1.5 * s,) * 3, rotation=on_its_corner)]


def plain(a: Callable[[float], list[Shape]], b: Callable[[float], list[Shape]]) -> Any:
    """A glyph by its size alone."""
    return lambda joint, s: (a(s), b(s))


def nothing(s: float) -> list[Shape]:
    return []


def cube(s: float) -> list[Shape]:
    return [Box((1.5 * s,) * 3)]


def plate(s: float) -> list[Shape]:
    return [Cylinder(1.8 * s, 0.08 * s)]


def rails(s: float) -> list[Shape]:
    long, thin = 7.0 * s, 0.35 * s
    return [Box((long, thin, thin)), Box((thin, long, thin)), Box((thin, thin, long))]


KINDS: dict[str, Callable[[Any, float], Glyph]] = {
    "spherical": plain(lambda s: [Ring(1.3 * s, 0.9 * s, 0.6 * s)], lambda s: [Sphere(s)]),
    "revolute": plain(
        lambda s: [Cylinder(0.9 * s, 2.2 * s)], lambda s: [Cylinder(0.45 * s, 3.4 * s)]
    ),
    "prismatic": plain(
        lambda s: [Box((0.7 * s, 0.7 * s, 7.0 * s))], lambda s: [Box((1.8 * s, 1.8 * s, 2.2 * s))]
    ),
    "cylindrical": plain(
        lambda s: [Rod(7.0 * s, 0.42 * s, "z")], lambda s: [Ring(1.05 * s, 0.5 * s, 2.2 * s)]
    ),
    "helical": helical,
    "planar": plain(
        lambda s: [Box((7.0 * s, 7.0 * s, 0.2 * s))],
        lambda s: [Cylinder(1.3 * s, 0.5 * s, position=(0.0, 0.0, 0.35 * s))],
    ),
    "fixed": plain(cube, nothing),
    "universal": plain(
        lambda s: [Cylinder(0.42 * s, 3.4 * s)],
        lambda s: [Cylinder(0.42 * s, 3.4 * s), Sphere(0.6 * s)],
    ),
    "constantvelocity": plain(lambda s: [Ring(1.45 * s, s, 1.1 * s)], lambda s: [Sphere(s)]),
    "distance": plain(lambda s: [Sphere(0.6 * s)], lambda s: [Sphere(0.6 * s)]),
    "pointonline": plain(lambda s: [Rod(9.0 * s, 0.2 * s, "z")], lambda s: [Sphere(0.8 * s)]),
    "pointonplane": plain(
        lambda s: [Box((7.0 * s, 7.0 * s, 0.15 * s))], lambda s: [Sphere(0.8 * s)]
    ),
    "cartesian": plain(rails, cube),
    "gear": plain(nothing, lambda s: [Ring(1.5 * s, 1.1 * s, 0.5 * s)]),
    "rollingsphere": plain(plate, nothing),
    "rollingdisc": plain(plate, nothing),
}
OWN_AXIS = ("universal", "gear")  # whose second body has an axis of its own
