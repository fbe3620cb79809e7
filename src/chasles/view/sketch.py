"""Line drawings of models: bodies from their shapes, joints as balls, seen from a corner."""

from itertools import combinations, product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon
from scipy.spatial import ConvexHull

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Joint, Model
from chasles.model.shapes import Box, Cylinder, Rod, Shape
from chasles.view.geometry import solid_of
from chasles.view.plots import Panel
from chasles.view.theme import LIGHT

# Orthographic projection: x to the lower right, y to the upper right, z up.
TURN, TILT = np.radians(-58.0), np.radians(24.0)
RIGHT = np.array([-np.sin(TURN), np.cos(TURN), 0.0])
TOWARDS = np.array([np.cos(TURN) * np.cos(TILT), np.sin(TURN) * np.cos(TILT), np.sin(TILT)])
UP = np.cross(TOWARDS, RIGHT)
LIGHT_FROM = np.array([0.1, -0.5, 0.85])


def seen(points: Floats) -> Floats:
    """World points (..., 3) on the page (..., 2)."""
    return np.stack((points @ RIGHT, points @ UP), axis=-1)


def sketch(model: Model, label: str, names: bool = True) -> Panel:
    """A panel with the model at its start."""

    def draw(ax: Axes) -> None:
        ax.set_axis_off()
        ax.set_aspect("equal")
        size = scale_of(model)
        for body in sorted(model.bodies, key=lambda b: float(np.array(b.position) @ TOWARDS)):
            draw_body(ax, model, body, size)
        for joint in model.joints:
            draw_joint(ax, model, joint, size)
        for body in model.bodies:
            draw_centre(ax, model, body, size, names and len(model.bodies) > 1)
        draw_axes(ax, model, size)
        ax.margins(0.06)

    return Panel(draw, label, size=(3.4, 2.6))


def scale_of(model: Model) -> float:
    points = [corner for body in model.bodies for corner in corners(body)]
    points += [np.array(joint.at) for joint in model.joints]
    spread = np.ptp(seen(np.array(points)), axis=0)
    return float(max(spread.max(), 1e-3))


def corners(body: Body) -> Floats:
    """The corners of the box around a body, in the world."""
    half = half_extent(body)
    signs = np.array(list(product((-1, 1), repeat=3)))
    return np.array(body.position) + (signs * half) @ np.array(body.rotation).T


def half_extent(body: Body) -> Floats:
    """Half edges of the box about the centre of mass that holds the body's shapes."""
    if not body.shapes:
        return equivalent_box(body)
    return np.max([np.abs(solid_of(shape).vertices).max(axis=0) for shape in body.shapes], axis=0)


def equivalent_box(body: Body) -> Floats:
    """Half edges of the box with the body's mass and moments, for a body without a shape."""
    moments = np.diag(body.inertia)
    squares = 6.0 / (body.mass or 1.0) * (moments.sum() - 2 * moments)
    return np.sqrt(np.maximum(squares, 1e-6)) / 2


def silhouette(model: Model, x: float) -> tuple[float, float] | None:
    """Lowest and highest point of the drawn bodies at a place across the page."""
    heights = []
    for body in model.bodies:
        points = seen(corners(body))
        for p, q in combinations(points, 2):
            if min(p[0], q[0]) <= x <= max(p[0], q[0]) and p[0] != q[0]:
                heights.append(p[1] + (q[1] - p[1]) * (x - p[0]) / (q[0] - p[0]))
    return (min(heights), max(heights)) if heights else None


def draw_body(ax: Axes, model: Model, body: Body, size: float) -> None:
    draw_levers(ax, model, body)
    turn, centre = np.array(body.rotation), np.array(body.position)
    if not body.shapes:
        draw_box(ax, turn, centre, half_extent(body))
    for shape in body.shapes:
        own, at = turn @ np.array(shape.rotation), centre + turn @ np.array(shape.position)
        if isinstance(shape, Cylinder | Rod):
            draw_cylinder(ax, own, at, shape)
        elif isinstance(shape, Box):
            draw_box(ax, own, at, np.array(shape.size) / 2)
        else:
            draw_outline(ax, turn, centre, shape)


def draw_outline(ax: Axes, turn: Floats, centre: Floats, shape: Shape) -> None:
    """The hull of a shape, in its body's pose."""
    flat = seen(centre + solid_of(shape).vertices @ turn.T)
    hull = flat[ConvexHull(flat).vertices]
    ax.add_patch(Polygon(hull, facecolor=LIGHT["shade"], edgecolor=LIGHT["ink"], linewidth=0.9,
                         joinstyle="round"))  # fmt: skip


def draw_cylinder(ax: Axes, turn: Floats, centre: Floats, shape: Cylinder | Rod) -> None:
    """The outline of both ends together, then the end that faces us."""
    axis = "xyz".index(shape.axis)
    radius = shape.radius or 0.0
    angle = np.linspace(0, 2 * np.pi, 73)
    ring = np.zeros((73, 3))
    ring[:, (axis + 1) % 3] = radius * np.cos(angle)
    ring[:, (axis + 2) % 3] = radius * np.sin(angle)
    towards = 1.0 if turn[:, axis] @ TOWARDS > 0 else -1.0
    shift = np.eye(3)[axis] * towards * shape.length / 2
    ends = [seen(centre + (ring + side) @ turn.T) for side in (shift, -shift)]
    both = np.concatenate(ends)
    outline = both[ConvexHull(both).vertices]
    edge: Any = {"edgecolor": LIGHT["ink"], "linewidth": 0.9, "joinstyle": "round"}
    ax.add_patch(Polygon(outline, facecolor=LIGHT["deep"], **edge))
    ax.add_patch(Polygon(ends[0], facecolor=LIGHT["face"], **edge))


def draw_box(ax: Axes, turn: Floats, centre: Floats, half: Floats) -> None:
    for axis, side in product(range(3), (-1, 1)):
        normal = turn[:, axis] * side
        if normal @ TOWARDS <= 1e-9:
            continue  # turned away from us
        first, second = (axis + 1) % 3, (axis + 2) % 3
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        local = np.zeros((4, 3))
        local[:, axis] = side * half[axis]
        local[:, first], local[:, second] = square[:, 0] * half[first], square[:, 1] * half[second]
        shade = normal @ LIGHT_FROM
        colour = "face" if shade > 0.6 else "shade" if shade > 0.2 else "deep"
        ax.add_patch(
            Polygon(
                seen(centre + local @ turn.T),
                facecolor=LIGHT[colour],
                edgecolor=LIGHT["ink"],
                linewidth=0.9,
                joinstyle="round",
            )
        )


def draw_levers(ax: Axes, model: Model, body: Body) -> None:
    """A rod from the centre of mass to a joint that lies outside the body."""
    turn, centre, half = np.array(body.rotation), np.array(body.position), half_extent(body)
    for joint in model.joints:
        if body.name not in (joint.a, joint.b):
            continue
        local = turn.T @ (np.array(joint.at) - centre)
        if np.all(np.abs(local) <= half * 1.001):
            continue
        ends = seen(np.array([centre, joint.at]))
        ax.plot(*ends.T, color=LIGHT["ink"], lw=2.2, solid_capstyle="round")


def draw_joint(ax: Axes, model: Model, joint: Joint, size: float) -> None:
    """A ball; on the ground it gets the hatched foot of the textbooks."""
    at = seen(np.array(joint.at))
    radius = 0.021 * size
    if GROUND.name in (joint.a, joint.b):
        draw_foot(ax, at, 3.1 * radius)
    ax.add_patch(
        Circle(
            tuple(at), radius, facecolor=LIGHT["paper"], edgecolor=LIGHT["ink"], lw=1.3, zorder=5
        )
    )
    around = [silhouette(model, at[0] + k * radius) for k in (-3, 0, 3)]  # as wide as the name
    highest = max([pair[1] for pair in around if pair], default=at[1])
    above = max(at[1] + 2.2 * radius, highest + 1.2 * radius)
    if above > at[1] + 3 * radius:
        leader = np.array([at + (0, radius), (at[0], above)])
        ax.plot(*leader.T, color=LIGHT["muted"], lw=0.7, zorder=4)
    ax.annotate(
        joint.name,
        (at[0], above),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=8.5,
        color=LIGHT["ink"],
        zorder=7,
    )


def draw_foot(ax: Axes, at: Floats, size: float) -> None:
    left, right = at + (-0.75 * size, -size), at + (0.75 * size, -size)
    ax.plot(*np.array([left, at, right]).T, color=LIGHT["ink"], lw=1.1, zorder=4)
    wide_left, wide_right = at + (-1.15 * size, -size), at + (1.15 * size, -size)
    ax.plot(*np.array([wide_left, wide_right]).T, color=LIGHT["ink"], lw=1.3, zorder=4)
    for k in np.linspace(0, 1, 6):
        top = wide_left + (0.12 * size, 0) + k * 0.92 * (wide_right - wide_left)
        ax.plot(*np.array([top, top - (0.32 * size, 0.36 * size)]).T, color=LIGHT["muted"], lw=0.8)


def draw_centre(ax: Axes, model: Model, body: Body, size: float, named: bool) -> None:
    at = seen(np.array(body.position))
    ax.plot(*at, "o", ms=3.2, color=LIGHT["ink"], zorder=6)
    around = silhouette(model, at[0])
    if named and around:
        ax.annotate(
            body.name,
            (at[0], around[0]),
            xytext=(0, -4),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=8.5,
            color=LIGHT["muted"],
            zorder=7,
        )


def draw_axes(ax: Axes, model: Model, size: float) -> None:
    """The world's axes, small, in the lower left corner; gravity where there is some."""
    points = seen(np.array([corner for body in model.bodies for corner in corners(body)]))
    joints = seen(np.array([joint.at for joint in model.joints])) if model.joints else points
    low = np.minimum(points.min(axis=0), joints.min(axis=0))
    origin = low + (-0.1 * size, -0.27 * size)
    length = 0.13 * size
    for k, name in enumerate("xyz"):
        direction = seen(np.eye(3)[k])
        arrow(ax, origin, origin + length * direction, LIGHT[name])
        tip = origin + length * direction + 0.035 * size * direction / np.linalg.norm(direction)
        ax.annotate(name, tuple(tip), ha="center", va="center", fontsize=8, color=LIGHT[name])
    if any(model.gravity):
        high = np.maximum(points.max(axis=0), joints.max(axis=0))
        start = np.array([high[0] + 0.06 * size, low[1] + 0.05 * size])
        arrow(ax, start, start + (0, -0.16 * size), LIGHT["muted"])
        ax.annotate("g", tuple(start + (0.03 * size, -0.09 * size)), fontsize=8.5,
                    fontstyle="italic", color=LIGHT["muted"])  # fmt: skip


def arrow(ax: Axes, start: Floats, end: Floats, colour: str, zorder: float = 3.0) -> None:
    style: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "lw": 1.2}
    style |= {"shrinkA": 0, "shrinkB": 0}
    style |= {"mutation_scale": 8}
    ax.annotate("", tuple(end), tuple(start), arrowprops=style, zorder=zorder)
    ax.update_datalim([start, end])  # so that the axes make room
