"""Line drawings of models at their start: bodies, joints as balls, names, seen from a corner."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.view.camera import FROM_A_CORNER, angled
from chasles.view.marks import draw_feet, draw_world
from chasles.view.outline import draw_parts, hull
from chasles.view.plots import Panel
from chasles.view.scene import place, scene_of
from chasles.view.theme import LIGHT

NAME: Any = {"textcoords": "offset points", "ha": "center", "fontsize": 8.5, "zorder": 7}


def sketch(model: Model, label: str) -> Panel:
    """A panel with the model at its start."""

    def draw(ax: Axes) -> None:
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

    return Panel(draw, label, size=(3.4, 2.6))


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
