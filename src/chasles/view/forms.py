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
from chasles.view.scene import BODY_COLOURS, Part, Scene
from chasles.view.tracks import STEPS, Blob, Header

METALS = ("steel", "aluminium", "brass", "copper")
#: Colours of bodies in lit pictures: as those of drawings, which would wash out, even in lightness.
LIT = dict(zip(BODY_COLOURS, ("#4f86c6", "#e07a5f", "#5aa786", "#9b7ecb", "#e0a83e", "#43a3b5",
                              "#cf6a92", "#8a9a5b")))  # fmt: skip
PLAIN, OCTANTS, QUARTERS, EIGHTHS = range(4)  # patterns: a ball's, a wheel's and a ring's
MAIN = 0.3  # of a body's extent: a ball with at least that radius is the body, not a part of it
ONTO = {"x": [1, 2, 0], "y": [2, 0, 1], "z": [0, 1, 2]}  # columns that bring z onto an axis


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


def part_headers(scene: Scene, forms: Forms, tint: str | None) -> list[Header]:
    """What is drawn of a scene; floors that lie level are left to the page."""
    extent = extents(scene)
    headers = []
    for part in scene.parts:
        if floor_level(part, scene.up) is not None:
            continue
        turn = np.array(part.shape.rotation)[:, ONTO[getattr(part.shape, "axis", "z")]]
        matrix = np.vstack((turn.T, np.array(part.shape.position)))  # column by column
        colour, metal = paint_of(part, tint)
        headers.append({
            "body": scene.number(part.body), "form": forms.number(part.shape), "colour": colour,
            "role": part.role, "metal": int(metal),
            "pattern": pattern_of(part, extent.get(part.body, 0.0)),
            "matrix": [round(float(x), 7) for x in matrix.ravel()],
        })  # fmt: skip
    return headers


def paint_of(part: Part, tint: str | None) -> tuple[str, bool]:
    """Colour of a part, of a body that of its result if it has one; and whether it is metal."""
    metal = part.role == "joint" or part.shape.colour in METALS
    own = LIT.get(part.colour, part.colour)
    return (tint if tint is not None and part.role == "body" else own), metal


def extents(scene: Scene) -> dict[str, float]:
    """Body -> how far its shapes reach, m."""
    found: dict[str, float] = {}
    for part in scene.parts:
        if part.role == "body":
            wide = float(np.ptp(part.solid.vertices, axis=0).max())
            found[part.body] = max(found.get(part.body, 0.0), wide)
    return found


def pattern_of(part: Part, extent: float) -> int:
    """What shows that a round part turns; without it a ball that spins seems to stand."""
    shape = part.shape
    if part.role != "body":
        return PLAIN
    if isinstance(shape, Sphere) and shape.radius >= MAIN * extent:
        return OCTANTS
    if isinstance(shape, Cylinder) and shape.length < 1.2 * shape.radius:
        return QUARTERS
    return EIGHTHS if isinstance(shape, Ring) else PLAIN


def floor_level(part: Part, up: Floats) -> float | None:
    """The height of a contact's plane in the world, if it lies level."""
    if part.role != "floor" or part.body != GROUND.name or not isinstance(part.shape, Box):
        return None
    turn, at = np.array(part.shape.rotation), np.array(part.shape.position)
    if turn[:, 2] @ up < 1.0 - 1e-9:
        return None
    return float(at @ up) + part.shape.size[2] / 2.0
