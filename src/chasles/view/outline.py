"""Solids as line drawings, whose colours follow the reader's scheme: outlines and flat faces."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from scipy.spatial import ConvexHull, QhullError

from chasles.core.arrays import Floats
from chasles.view.camera import Camera
from chasles.view.geometry import Solid, face_normals
from chasles.view.scene import Part, Pose, place
from chasles.view.theme import LIGHT

LIGHT_FROM = np.array([-0.18, 0.58, 0.78])  # right, up, to the reader
#: Least light of a tone.
TONES = ((0.6, "face"), (0.2, "shade"), (-2.0, "deep"))


def draw_parts(
    ax: Axes, parts: Iterable[Part], poses: Mapping[str, Pose], camera: Camera, ink: float = 1.0
) -> None:
    """Parts of a scene, those furthest from the reader first; paler with less ink."""

    def near(part: Part) -> float:
        return float(camera.depth(place(poses[part.body], part.solid.vertices)).mean())

    for part in sorted(parts, key=near):
        draw_solid(ax, part.solid, poses[part.body], camera, ink)


def draw_solid(ax: Axes, solid: Solid, pose: Pose, camera: Camera, ink: float = 1.0) -> None:
    world = place(pose, solid.vertices)
    flat = camera.seen(world)
    style: Any = {
        "edgecolor": LIGHT["ink"], "lw": 0.9, "joinstyle": "round", "alpha": ink,
        "zorder": 2 + ink,
    }  # fmt: skip
    outline = hull(flat)
    if outline is None:  # seen from its edge, or a line
        ax.plot(*flat[[flat[:, 0].argmin(), flat[:, 0].argmax()]].T, color=LIGHT["ink"], lw=1.8,
                alpha=ink, zorder=2 + ink)  # fmt: skip
        return
    ax.add_patch(Polygon(outline, facecolor=LIGHT["deep"], **style))
    for points, normal in flat_faces(solid, world):
        face = hull(camera.seen(points))
        if normal @ camera.towards > 1e-9 and face is not None:
            light = np.array([normal @ camera.right, normal @ camera.up, normal @ camera.towards])
            tone = next(name for least, name in TONES if light @ LIGHT_FROM > least)
            ax.add_patch(Polygon(face, facecolor=LIGHT[tone], **style))


def hull(points: Floats) -> Floats | None:
    """The corners around points of a page; None where they are on a line."""
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except (QhullError, ValueError):
        return None


def flat_faces(solid: Solid, world: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Points and normal of every face that is flat: triangles of one normal within creases."""
    normals = face_normals(world, solid.triangles)
    _, label = np.unique(normals.round(6), axis=0, return_inverse=True)
    label = label.ravel()
    one, other = label[solid.sides].T
    curved = (one != other) & ~solid.creased
    round_ones = np.unique(label[solid.sides[curved]])
    for number in np.setdiff1d(label, round_ones):
        own = solid.triangles[label == number]
        yield world[np.unique(own)], normals[label == number][0]
