"""A mechanism at several instants of a result, the older ones paler, beside published curves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from scipy.spatial import ConvexHull, QhullError

from chasles.core.arrays import Floats
from chasles.model import (
    GROUND,
    Body,
    Distance,
    InvalidOption,
    Joint,
    Revolute,
    Spherical,
    Spring,
    Universal,
)
from chasles.result.result import Result
from chasles.view.geometry import solid_of
from chasles.view.panels import Curve, signed, thinned
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.sketch import RIGHT, UP, half_extent
from chasles.view.study_panels import COLOURS, legend_below
from chasles.view.theme import LIGHT

#: What is to the right and what is up on the page.
PLANES = {
    "xy": np.eye(3)[[0, 1]],
    "xz": np.eye(3)[[0, 2]],
    "yz": np.eye(3)[[1, 2]],
    "corner": np.array([RIGHT, UP]),
    "corner, y up": np.array([RIGHT, UP])[:, [1, 2, 0]],
}
#: Joints that hold one point of a body on one of the other.
PINS = (Revolute, Spherical, Universal, Distance)
PALEST = 0.18
SIZE = (4.3, 3.4)


def benchmark_figure(name: str, result: Result, drawing: Any) -> Figure:
    """What a library Drawing asks for."""
    curves = [
        Curve(result.t, values, label, COLOURS[index % len(COLOURS)])
        for index, (label, values) in enumerate(drawing.curves(result))
    ]
    return Figure(name, "", "", (
        Panel(strobe(result, drawing.instants, drawing.plane, drawing.traces(result),
                     drawing.cropped, drawing.masses),
              "The mechanism at some instants", SIZE),
        Panel(over_time(curves, drawing.title, drawing.label), drawing.title, SIZE),
    ))  # fmt: skip


def over_time(curves: list[Curve], title: str, label: str) -> Draw:
    """Curves on one linear axis, named below it."""

    def draw(ax: Axes) -> None:
        signed(curves, title, label)(ax)
        if len(curves) > 1:
            legend_below(ax, [curve.name for curve in curves])

    return draw


def strobe(
    result: Result,
    instants: Sequence[float],
    plane: str,
    traces: Sequence[tuple[str, Floats]] = (),
    cropped: tuple[float, float, float, float] | None = None,
    masses: Mapping[str, Any] | None = None,
) -> Draw:
    """The mechanism at the saved times nearest to the instants, as far as the result goes."""
    if plane not in PLANES:
        raise InvalidOption(
            f"strobe: plane must be a pair of axes, got {plane!r}.",
            f"Use one of {', '.join(PLANES)}.",
        )
    page, mass_of = PLANES[plane], masses or {}
    within = sorted(t for t in instants if t <= result.t[-1]) or [float(result.t[-1])]
    indices = [int(np.abs(result.t - t).argmin()) for t in within]

    def draw(ax: Axes) -> None:
        ax.set_axis_off()
        ax.set_aspect("equal")
        for _, path in traces:
            x, y = page @ path.T
            ax.plot(*thinned(x, y, 4000), color=LIGHT["product"], lw=0.6, alpha=0.6, zorder=1)
        for index, ink in zip(indices, np.linspace(PALEST, 1.0, len(indices) + 1)[1:]):
            draw_ties(ax, result, index, page, float(ink))
            for body in from_behind(result, index, page):
                draw_moved(ax, result, body, index, page, float(ink), mass_of.get(body.name))
        for joint in result.model.joints:
            draw_pin(ax, result, joint, indices[-1], page)
        frame(ax, cropped)
        words = ", ".join(f"{result.t[k]:.3g}" for k in indices)
        ax.text(1.0, 1.0, f"t = {words} s", transform=ax.transAxes, ha="right", va="top",
                fontsize=8.5, color=LIGHT["muted"])  # fmt: skip

    return draw


def from_behind(result: Result, index: int, page: Floats) -> list[Body]:
    """The bodies, those furthest from the reader first."""
    towards = np.cross(page[0], page[1])
    return sorted(result.model.bodies, key=lambda b: float(result.position(b)[index] @ towards))


def frame(ax: Axes, cropped: tuple[float, float, float, float] | None) -> None:
    """Limits around all that is drawn, or the given ones, with room for words at the top."""
    ax.margins(0.05)
    ax.autoscale_view()
    if cropped is not None:
        ax.set_xlim(*cropped[:2])
        ax.set_ylim(*cropped[2:])
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.1 * (high - low))


def draw_moved(
    ax: Axes, result: Result, body: Body, index: int, page: Floats, ink: float, mass: Any = None
) -> None:
    """The outline of a body's shape, or of the points at which joints and springs hold it.

    A point mass is a dot, which the outline reaches.
    """
    turn, centre = result.rotation(body)[index], result.position(body)[index]
    held = held_points(result, body)
    if mass is not None:
        held = np.vstack((held, in_body_axes(body, mass)))
        ax.plot(*(point_of(result, body.name, mass, index) @ page.T), "o", ms=9, mew=0,
                color=LIGHT["ink"], alpha=ink, zorder=2 + ink)  # fmt: skip
    style: Any = {"alpha": ink, "zorder": 2 + ink}
    for points in outlines(body, held):
        flat = (centre + points @ turn.T) @ page.T
        try:
            hull = flat[ConvexHull(flat).vertices]
        except (QhullError, ValueError):  # points on a line
            ax.plot(*extremes(flat).T, color=LIGHT["ink"], lw=1.8, solid_capstyle="round", **style)
            continue
        ax.add_patch(Polygon(hull, facecolor=LIGHT["shade"], edgecolor=LIGHT["ink"], lw=0.8,
                             joinstyle="round", **style))  # fmt: skip


def outlines(body: Body, held: Floats) -> list[Floats]:
    """Sets of points in body axes, each to be drawn as its hull."""
    if not body.shapes and len(held) > 1:
        return [held]
    outside = held[np.any(np.abs(held) > half_extent(body) * 1.001, axis=1)]
    levers = [np.array([np.zeros(3), point]) for point in outside]
    return [*levers, *shape_points(body)]


def held_points(result: Result, body: Body) -> Floats:
    """Where joints pin the body and springs hold it, in its axes."""
    pins: list[Any] = [joint for joint in result.model.joints if isinstance(joint, PINS)]
    springs: list[Any] = [force for force in result.model.forces if isinstance(force, Spring)]
    points = [
        in_body_axes(body, at)
        for part in pins + springs
        for name, at in sides(part)
        if name == body.name
    ]
    return np.array(points).reshape(-1, 3)


def sides(part: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """The two bodies of a joint or spring, and its points of them at the start."""
    return (part.a, part.at), (part.b, part.at if part.at_b is None else part.at_b)


def shape_points(body: Body) -> list[Floats]:
    """The corners of each of a body's shapes, or of the box that stands for it."""
    if body.shapes:
        return [solid_of(shape).vertices for shape in body.shapes]
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return [signs * half_extent(body)]


def extremes(points: Floats) -> Floats:
    """The two ends of points on a line."""
    direction = points - points.mean(axis=0)
    along = direction @ direction[np.argmax(np.linalg.norm(direction, axis=1))]
    return points[[int(along.argmin()), int(along.argmax())]]


def point_of(result: Result, name: str, at: Any, index: int) -> Floats:
    """Where a point is that was at `at` in the world at the start and stays in its body."""
    if name == GROUND.name:
        return np.array(at)
    body = result.model.body(name)
    return result.position(body)[index] + result.rotation(body)[index] @ in_body_axes(body, at)


def in_body_axes(body: Body, at: Any) -> Floats:
    """A point of the world at the start, from the body's centre of mass in its axes."""
    return np.array(body.rotation).T @ (np.array(at) - np.array(body.position))


def draw_ties(ax: Axes, result: Result, index: int, page: Floats, ink: float) -> None:
    """Rods without mass as lines, springs as dashed ones."""
    rods: list[Any] = [joint for joint in result.model.joints if isinstance(joint, Distance)]
    springs: list[Any] = [force for force in result.model.forces if isinstance(force, Spring)]
    for tie in rods + springs:
        ends = [point_of(result, name, at, index) for name, at in sides(tie)]
        ax.plot(*(np.array(ends) @ page.T).T, color=LIGHT["ink"], lw=1.0, alpha=ink, zorder=2,
                ls=(0, (2, 1.5)) if isinstance(tie, Spring) else "-")  # fmt: skip


def draw_pin(ax: Axes, result: Result, joint: Joint, index: int, page: Floats) -> None:
    """A small ring where a joint holds its bodies together, filled on the ground."""
    if not isinstance(joint, PINS):
        return
    apart = isinstance(joint, Distance)
    for name, at in sides(joint)[: 2 if apart else 1]:
        fixed = GROUND.name == name or (not apart and GROUND.name == joint.b)
        ax.plot(*(point_of(result, name, at, index) @ page.T), "o", ms=3.8, mew=0.9, zorder=5,
                mec=LIGHT["ink"], mfc=LIGHT["ink" if fixed else "paper"])  # fmt: skip
