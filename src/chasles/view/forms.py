"""Shapes as a film's page wants them: a kind and its lengths, and what tells that it spins.

The page makes the surfaces itself, with corners that catch the light; only meshes bring theirs.
The axis of a form is its z.
"""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND
from chasles.model.shapes import Box, Capsule, Cone, Cylinder, Ring, Rod, Shape, Sphere
from chasles.view.geometry import at_rest, own_solid, with_normals
from chasles.view.scene import Part, Scene
from chasles.view.surfaces import ONTO, pattern_of
from chasles.view.tracks import STEPS, Blob, Header

#: What says how large a shape is, as the page takes it.
LENGTHS: dict[type[Shape], tuple[str, ...]] = {
    Box: ("size",), Sphere: ("radius",), Ring: ("outer", "inner", "length"),
    **dict.fromkeys((Rod, Cylinder, Capsule, Cone), ("radius", "length")),
}  # fmt: skip


class Forms:
    """Forms of all groups of a film, each kept once."""

    def __init__(self, blob: Blob) -> None:
        self.blob = blob
        self.list: list[list[Any]] = []
        self.known: dict[Any, int] = {}

    def number(self, shape: Shape) -> int:
        resting = at_rest(shape)
        lengths = lengths_of(resting)
        key = tuple(lengths) if lengths else resting
        if key not in self.known:
            self.known[key] = len(self.list)
            self.list.append(lengths or self.mesh(resting))
        return self.known[key]

    def mesh(self, shape: Shape) -> list[Any]:
        """["mesh", grid, centre, keys]: vertices once for each normal that they have."""
        solid, number = own_solid(shape), len(self.list)
        vertices, normals, triangles = with_normals(solid, 127.0)
        points = solid.vertices[vertices]
        low, high = points.min(axis=0), points.max(axis=0)
        grid = max(float(np.max(high - low)) / (2.0 * STEPS), 1e-12)
        kind = "u2" if len(vertices) < 65536 else "u4"
        return [
            "mesh", grid, *((low + high) / 2.0).tolist(),
            self.blob.add(f"m{number}.p", np.round((points - (low + high) / 2.0) / grid), "i2"),
            self.blob.add(f"m{number}.n", normals, "i1"),
            self.blob.add(f"m{number}.f", triangles, kind),
        ]  # fmt: skip


def lengths_of(shape: Shape) -> list[Any] | None:
    """The kind of a shape and its lengths; None of what has none."""
    names = LENGTHS.get(type(shape))
    if names is None:
        return None
    lengths = [x for name in names for x in np.ravel(getattr(shape, name)).tolist()]
    return [shape.kind, *(float(f"{length:.6g}") for length in lengths)]


def part_headers(scene: Scene, forms: Forms) -> list[Header]:
    """What is drawn of a scene; floors that lie level are left to the page."""
    headers = []
    for part in scene.parts:
        if floor_level(part, scene.up) is not None:
            continue
        turn = np.array(part.shape.rotation)[:, ONTO[getattr(part.shape, "axis", "z")]]
        matrix = np.vstack((turn.T, np.array(part.shape.position)))  # column by column
        headers.append({
            "body": scene.numbers[part.body], "form": forms.number(part.shape),
            "colour": part.colour, "role": part.role, "metal": int(part.metal),
            "pattern": pattern_of(scene, part),
            "matrix": [round(float(x), 7) for x in matrix.ravel()],
        })  # fmt: skip
    return headers


def floor_level(part: Part, up: Floats) -> float | None:
    """The height of a contact's plane in the world, if it lies level."""
    if part.role != "floor" or part.body != GROUND.name or not isinstance(part.shape, Box):
        return None
    turn, at = np.array(part.shape.rotation), np.array(part.shape.position)
    if turn[:, 2] @ up < 1.0 - 1e-9:
        return None
    return float(at @ up) + part.shape.size[2] / 2.0
