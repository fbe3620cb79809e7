"""Shapes as triangles: one surface for every picture, film and viewer.

Bodies of revolution are turned from a profile; creases, edges and normals follow from the
triangles alone, so that a mesh from a file is treated like a box.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.model.checks import IDENTITY
from chasles.model.mesh import Mesh
from chasles.model.shapes import Box, Capsule, Cone, Cylinder, Ring, Rod, Shape, Sphere

Whole = NDArray[np.int64]
AROUND, SLIM = 64, 28  # segments of a turned solid, and of one where they cannot be counted
CREASE = np.cos(np.radians(32.0))  # more than 360 / 28 degrees, less than any corner meant as one


@dataclass(frozen=True, eq=False)
class Solid:
    """A surface in body axes.

    vertices    (V, 3)
    triangles   (T, 3), counter-clockwise from outside
    normals     (T, 3, 3), of each corner, smooth but across creases
    edges       (E, 2) vertices of every edge
    sides       (E, 2) the triangles that meet there, twice the same on a rim
    creased     (E,) whether the surface has a corner or a rim there
    """

    vertices: Floats
    triangles: Whole
    normals: Floats
    edges: Whole
    sides: Whole
    creased: NDArray[np.bool_]


@lru_cache(maxsize=512)
def own_solid(shape: Shape) -> Solid:
    """The surface of a shape in its own axes; ask for it by `at_rest(shape)`, to share it."""
    return solid_from(*own_triangles(shape))


def solid_from(vertices: Floats, triangles: Whole) -> Solid:
    """A surface with its normals and edges."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-300)
    edges, sides = edges_of(triangles)
    creased = np.einsum("ei,ei->e", facing[sides[:, 0]], facing[sides[:, 1]]) < CREASE
    creased |= sides[:, 0] == sides[:, 1]
    return Solid(vertices, triangles, corner_normals(triangles, facing), edges, sides, creased)


def at_rest(shape: Shape) -> Shape:
    """A shape without pose and colour: what many have in common."""
    return replace(shape, position=(0.0, 0.0, 0.0), rotation=IDENTITY, colour=None)


def solid_of(shape: Shape) -> Solid:
    """The surface of a shape where the body has it."""
    own, turn = own_solid(at_rest(shape)), np.array(shape.rotation)
    vertices = np.array(shape.position) + own.vertices @ turn.T
    return replace(own, vertices=vertices, normals=own.normals @ turn.T)


def own_triangles(shape: Shape) -> tuple[Floats, Whole]:
    """Vertices and triangles in the shape's own axes."""
    if isinstance(shape, Mesh):
        return shape.vertices, shape.triangles
    if isinstance(shape, Box):
        return box(np.array(shape.size) / 2)
    if isinstance(shape, Sphere):
        tilt = np.linspace(-np.pi / 2, np.pi / 2, SLIM // 2 + 1)
        return turned(shape.radius * np.stack((np.cos(tilt), np.sin(tilt)), 1), "z", SLIM)
    if isinstance(shape, Rod | Cylinder):
        radius = shape.radius or 0.0
        profile = rectangle(0.0, radius, shape.length / 2)
        return turned(profile, shape.axis, SLIM if 8.0 * radius < shape.length else AROUND)
    if isinstance(shape, Ring):
        profile = rectangle(shape.inner, shape.outer, shape.length / 2)
        return turned(np.vstack((profile, profile[:1])), shape.axis)
    if isinstance(shape, Cone):
        low, high = -shape.length / 4, 0.75 * shape.length
        return turned(np.array([(0, low), (shape.radius, low), (0, high)]), shape.axis)
    assert isinstance(shape, Capsule)
    tilt = np.linspace(0, np.pi / 2, SLIM // 4 + 1)
    cap = shape.radius * np.stack((np.cos(tilt), np.sin(tilt)), 1) + (0, shape.length / 2)
    return turned(np.vstack((cap[::-1] * (1, -1), cap)), shape.axis, SLIM)


def box(half: Floats) -> tuple[Floats, Whole]:
    """Eight corners in binary order, two triangles a side."""
    corners = np.array(list(product((-1, 1), repeat=3))) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([(q[0], *q[k : k + 2]) for q in quads for k in (1, 2)])


def rectangle(inner: float, outer: float, half: float) -> Floats:
    return np.array([(inner, -half), (outer, -half), (outer, half), (inner, half)])


def turned(profile: Floats, axis: str, around: int = AROUND) -> tuple[Floats, Whole]:
    """The surface that a profile of (radius, height) sweeps about an axis.

    Points on the axis are one vertex each; a closed profile ends where it begins.
    """
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False)
    rings: list[Whole] = []
    vertices: list[Floats] = []
    count = 0
    for radius, height in profile:
        on_axis = radius <= 1e-12 * np.abs(profile).max()
        turn = angle[:1] if on_axis else angle
        reach = 0.0 if on_axis else radius
        points = (reach * np.cos(turn), reach * np.sin(turn), np.full(turn.size, height))
        vertices.append(np.stack(points, 1))
        rings.append(count + (np.zeros(around, int) if on_axis else np.arange(around)))
        count += turn.size
    if np.array_equal(profile[0], profile[-1]):  # back where it began
        rings[-1], vertices = rings[0], vertices[:-1]
    triangles = []
    for low, high in pairwise(rings):
        next_low, next_high = np.roll(low, -1), np.roll(high, -1)
        triangles += [np.stack((low, next_low, next_high), 1), np.stack((low, next_high, high), 1)]
    every = np.concatenate(triangles)
    a, b, c = every.T
    kept = every[(a != b) & (b != c) & (c != a)]
    return np.roll(np.concatenate(vertices), "xyz".index(axis) + 1, axis=1), kept


def with_normals(solid: Solid, steps: float) -> tuple[Whole, Floats, Whole]:
    """Every vertex once for each normal it has: its number, the normal in steps, and triangles."""
    normals = np.round(steps * solid.normals.reshape(-1, 3))
    pairs = np.column_stack((solid.triangles.ravel(), normals))
    unique, index = np.unique(pairs, axis=0, return_inverse=True)
    numbers = unique[:, 0].astype(np.int64)
    return numbers, np.asarray(unique[:, 1:], float), index.reshape(-1, 3).astype(np.int64)


def edges_of(triangles: Whole) -> tuple[Whole, Whole]:
    """Every edge once, and the triangles on its sides."""
    runs = np.sort(np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    owner = np.tile(np.arange(len(triangles)), 3)
    edges, index = np.unique(runs, axis=0, return_inverse=True)
    order = np.argsort(index.ravel(), kind="stable")
    first = np.searchsorted(index.ravel()[order], np.arange(len(edges)))
    last = np.append(first[1:], len(order)) - 1
    return edges, np.stack((owner[order[first]], owner[order[last]]), 1)


def corner_normals(triangles: Whole, facing: Floats) -> Floats:
    """Of each corner: the mean of the faces around its vertex that are no crease away."""
    corners = triangles.ravel()
    order = np.argsort(corners, kind="stable")
    size = np.bincount(corners)[corners[order]]
    start = np.searchsorted(corners[order], corners[order])
    one = np.repeat(order, size)
    steps = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    other = order[np.repeat(start, size) + steps]
    near = np.einsum("pi,pi->p", facing[one // 3], facing[other // 3]) >= CREASE
    total = np.zeros((corners.size, 3))
    np.add.at(total, one[near], facing[other[near] // 3])
    length = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return (total / length).reshape(-1, 3, 3)
