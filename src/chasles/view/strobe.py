"""A mechanism at several instants of a result, the older ones paler, beside published curves."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from chasles.model import GROUND
from chasles.result.result import Result
from chasles.view.camera import FROM_A_CORNER, Camera, angled, camera_of
from chasles.view.marks import tie_ends
from chasles.view.outline import draw_parts
from chasles.view.panels import Curve, signed, thinned
from chasles.view.plots import Figure, Panel, drawing
from chasles.view.scene import Pose, Scene, held_points, in_body, place, poses_at, scene_of
from chasles.view.study_panels import COLOURS, legend_below
from chasles.view.theme import LIGHT

Poses = Mapping[str, Pose]
#: Joints that hold one point of a body on one of the other.
PINS = ("revolute", "spherical", "universal")
#: Of the views from above a corner: what points upwards.
UP = {"corner": np.array([0.0, 0.0, 1.0]), "corner, y up": np.array([0.0, 1.0, 0.0])}
PALEST = 0.18
SIZE = (4.3, 3.4)


def benchmark_figure(name: str, result: Result, asked: Any) -> Figure:
    """What a Drawing of the library asks for: the mechanism, and curves beside it."""
    curves = [
        Curve(result.t, values, label, COLOURS[index % len(COLOURS)])
        for index, (label, values) in enumerate(asked.curves(result))
    ]
    return Figure(name, "", "", (
        Panel(strobe(result, asked), "The mechanism at some instants", SIZE),
        Panel(over_time(curves, asked.title, asked.label), asked.title, SIZE),
    ))  # fmt: skip


@drawing
def over_time(ax: Axes, curves: list[Curve], title: str, label: str) -> None:
    """Curves on one linear axis, named below it."""
    signed(curves, title, label)(ax)
    if len(curves) > 1:
        legend_below(ax, [curve.name for curve in curves])


@drawing
def strobe(ax: Axes, result: Result, asked: Any) -> None:
    """The mechanism at the saved times nearest to the instants, as far as the result goes.

    `asked` is a Drawing of the library.
    """
    model, scene, up = result.model, scene_of(result.model), UP.get(asked.plane)
    camera = camera_of(model, asked.plane) if up is None else angled(up, *FROM_A_CORNER)
    parts = [part for part in scene.parts if part.role == "body"]
    within = sorted(t for t in asked.instants if t <= result.t[-1]) or [float(result.t[-1])]
    indices = [int(np.abs(result.t - t).argmin()) for t in within]
    ax.set_axis_off()
    ax.set_aspect("equal")
    for _, path in asked.traces(result):
        x, y = camera.seen(path).T
        ax.plot(*thinned(x, y, 4000), color=LIGHT["product"], lw=0.6, alpha=0.6, zorder=1)
    for index, ink in zip(indices, np.linspace(PALEST, 1.0, len(indices) + 1)[1:]):
        poses = poses_at(result, index)
        draw_ties(ax, scene, poses, camera, float(ink))
        draw_masses(ax, scene, poses, camera, float(ink), asked.masses)
        draw_parts(ax, parts, poses, camera, float(ink))
    draw_pins(ax, scene, poses, camera)
    frame(ax, asked.cropped)
    words = ", ".join(f"{result.t[k]:.3g}" for k in indices)
    ax.text(1.0, 1.0, f"t = {words} s", transform=ax.transAxes, ha="right", va="top",
            fontsize=8.5, color=LIGHT["muted"])  # fmt: skip


def frame(ax: Axes, cropped: tuple[float, float, float, float] | None) -> None:
    """Limits around all that is drawn, or the given ones, with room for words at the top."""
    ax.margins(0.05)
    ax.autoscale_view()
    if cropped is not None:
        ax.set_xlim(*cropped[:2])
        ax.set_ylim(*cropped[2:])
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.1 * (high - low))


def draw_ties(ax: Axes, scene: Scene, poses: Poses, camera: Camera, ink: float) -> None:
    """Rods without mass as lines, springs as dashed ones."""
    for tie in scene.ties:
        ends = camera.seen(np.array(tie_ends(tie, poses)))
        ax.plot(*ends.T, color=LIGHT["ink"], lw=1.0, alpha=ink, zorder=2,
                ls=(0, (2, 1.5)) if tie.spring else "-")  # fmt: skip


def draw_masses(
    ax: Axes, scene: Scene, poses: Poses, camera: Camera, ink: float, masses: Mapping[str, Any]
) -> None:
    """Point masses as dots, with a line to where their bodies are held."""
    for body, at in masses.items():
        held = held_points(scene.model, body, scene.start)[0]
        ends = place(poses[body], np.array([held, in_body(scene.start[body], at)]))
        flat = camera.seen(ends)
        style: Any = {"color": LIGHT["ink"], "alpha": ink, "zorder": 2 + ink}
        ax.plot(*flat.T, lw=1.8, **style)
        ax.plot(*flat[1], "o", ms=9, mew=0, **style)


def draw_pins(ax: Axes, scene: Scene, poses: Poses, camera: Camera) -> None:
    """Small rings where joints hold bodies together, filled on the ground."""
    pins = [(s.a, s.at, s.grounded) for s in scene.spots if s.kind in PINS]
    for tie in scene.ties:
        if not tie.spring:
            ends = ((tie.a, tie.at_a), (tie.b, tie.at_b))
            pins += [(name, at, name == GROUND.name) for name, at in ends]
    for name, at, fixed in pins:
        ax.plot(*camera.seen(place(poses[name], at)), "o", ms=3.8, mew=0.9, zorder=5,
                mec=LIGHT["ink"], mfc=LIGHT["ink" if fixed else "paper"])  # fmt: skip
