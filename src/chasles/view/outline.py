"""Solids as line drawings, whose colours follow the reader's scheme: outlines and flat faces."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon
from scipy.spatial import ConvexHull, QhullError

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.view.camera import FROM_A_CORNER, Camera, angled
from chasles.view.geometry import Solid, face_normals
from chasles.view.marks import draw_feet, draw_world
from chasles.view.plots import drawing
from chasles.view.scene import Part, Pose, place, scene_of
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


NAME: Any = {"textcoords": "offset points", "ha": "center", "fontsize": 8.5, "zorder": 7}


@drawing
def sketch(ax: Axes, model: Model) -> None:
    """The model at its start."""
    ax.set_axis_off()
    ax.set_aspect("equal")
    scene, camera = scene_of(model), angled(np.array([0.0, 0.0, 1.0]), *FROM_A_CORNER)
    parts = [part for part in scene.parts if part.role == "body"]
    outlines = [camera.seen(place(scene.start[p.body], p.solid.vertices)) for p in parts]
    ax.update_datalim(np.concatenate(outlines))
    draw_parts(ax, parts, scene.start, camera)
    draw_feet(ax, scene, camera)
    for spot in scene.spots:
        at = camera.seen(place(scene.start[spot.a], spot.at))
        draw_joint(ax, spot.name, at, 0.018 * scene.size, outlines)
    for body in model.bodies:
        at = camera.seen(np.array(body.position))
        ax.plot(*at, "o", ms=3.2, color=LIGHT["ink"], zorder=6)
        below = across(outlines, at[0])
        if len(model.bodies) > 1 and below:
            ax.annotate(body.name, (at[0], min(below)), xytext=(0, -4), va="top",
                        color=LIGHT["muted"], **NAME)  # fmt: skip
    (x, y), (right, high) = ax.dataLim.get_points()
    room = 0.16 * max(right - x, high - y)
    draw_world(ax, scene, camera, np.array([(x - room, y - 1.5 * room), (right, high)]), 0.1)
    ax.margins(0.06)


def across(outlines: list[Floats], x: float) -> list[float]:
    """Heights at which outlines are crossed at a place across the page."""
    heights = []
    for points in outlines:
        ring = hull(points)
        for p, q in () if ring is None else zip(ring, np.roll(ring, 1, axis=0)):
            if min(p[0], q[0]) <= x <= max(p[0], q[0]) and p[0] != q[0]:
                heights.append(float(p[1] + (q[1] - p[1]) * (x - p[0]) / (q[0] - p[0])))
    return heights


def draw_joint(ax: Axes, name: str, at: Floats, radius: float, outlines: list[Floats]) -> None:
    """A ball, and its name above all that is drawn there, with a line to it."""
    ax.add_patch(
        Circle((float(at[0]), float(at[1])), radius, facecolor=LIGHT["paper"],
               edgecolor=LIGHT["ink"], lw=1.3, zorder=5)
    )  # fmt: skip
    beside = [h for k in (-3, 0, 3) for h in across(outlines, at[0] + k * radius)]
    above = max(at[1] + 2.2 * radius, max(beside, default=at[1]) + 1.2 * radius)
    if above > at[1] + 3 * radius:
        leader = np.array([at + (0, radius), (at[0], above)])
        ax.plot(*leader.T, color=LIGHT["muted"], lw=0.7, zorder=4)
    ax.annotate(name, (at[0], above), xytext=(0, 2), va="bottom", color=LIGHT["ink"], **NAME)
