"""A mechanism at several instants of a result, the older ones paler, beside published curves."""

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from chasles.model.checks import as_vector
from chasles.model.colours import hex_of
from chasles.model.shapes import Sphere
from chasles.result.result import Result
from chasles.view.camera import FROM_A_CORNER, angled, camera_of
from chasles.view.panels import COLOURS, Series, signed, thinned
from chasles.view.picture import draw_solids, frame, points_of
from chasles.view.plots import Figure, Panel, drawing
from chasles.view.scene import (
    Part,
    Scene,
    held_points,
    place,
    poses_at,
    scene_of,
    stick,
    tubes_of,
)
from chasles.view.theme import LIGHT

#: Of the views from above a corner: what points upwards.
UP = {"corner": np.array([0.0, 0.0, 1.0]), "corner, y up": np.array([0.0, 1.0, 0.0])}
#: Joints that hold one point of a body on one of the other.
PINS = ("revolute", "spherical", "universal")
PALEST = 0.18
SIZE = (4.3, 3.4)
BALL = 0.028  # radius of a point mass, over the size of the model


def benchmark_figure(name: str, result: Result, asked: Any) -> Figure:
    """What a Drawing of the library asks for: the mechanism, and curves beside it."""
    curves = [
        Series(label, values, COLOURS[index % len(COLOURS)], result.t)
        for index, (label, values) in enumerate(asked.curves(result))
    ]
    return Figure(name, (
        Panel(strobe(result, asked), "The mechanism at some instants", SIZE),
        Panel(signed(curves, asked.title, asked.label), asked.title, SIZE),
    ))  # fmt: skip


@drawing
def strobe(ax: Axes, result: Result, asked: Any) -> None:
    """The mechanism at the saved times nearest to the instants, as far as the result goes.

    `asked` is a Drawing of the library.
    """
    scene, up = with_masses(scene_of(result.model), asked.masses), UP.get(asked.plane)
    camera = camera_of(result.model, asked.plane) if up is None else angled(up, *FROM_A_CORNER)
    within = sorted(t for t in asked.instants if t <= result.t[-1]) or [float(result.t[-1])]
    indices = [int(np.abs(result.t - t).argmin()) for t in within]
    every = [poses_at(result, index) for index in indices]
    ax.set_axis_off()
    ax.set_aspect("equal")
    paths = [camera.seen(path) for _, path in asked.traces(result)]
    seen = [camera.seen(points_of(scene, poses)) for poses in every]
    if asked.cropped is not None:
        seen = [np.reshape(asked.cropped, (2, 2)).T]
    bound = frame(ax, np.concatenate([*seen, *(() if asked.cropped else paths)]), below=0.05)
    for path in paths:
        x, y = thinned(path[:, 0], path[:, 1], 4000)
        ax.plot(x, y, color=LIGHT["product"], lw=0.6, alpha=0.6, zorder=1)
    for poses, ink in zip(every, np.linspace(PALEST, 1.0, len(every) + 1)[1:]):
        draw_solids(ax, scene, poses, camera, bound, float(ink))
    hidden, _ = tubes_of(scene)
    for spot in scene.spots:
        if spot.kind in PINS and spot.name not in hidden:  # small rings, filled on the ground
            at = camera.seen(place(every[-1][spot.a], spot.at))
            ax.plot(*at, "o", ms=3.8, mew=0.9, zorder=6, mec=LIGHT["ink"],
                    mfc=LIGHT["ink" if spot.grounded else "paper"])  # fmt: skip
    words = ", ".join(f"{result.t[k]:.3g}" for k in indices)
    ax.text(1.0, 1.0, f"t = {words} s", transform=ax.transAxes, ha="right", va="top",
            fontsize=8.5, color=LIGHT["muted"])  # fmt: skip


def with_masses(scene: Scene, masses: Any) -> Scene:
    """Bodies alone, with point masses as balls, on sticks from where their bodies are held."""
    parts, ink = [part for part in scene.parts if part.role == "body"], hex_of("grey")
    for body, at in masses.items():
        held = held_points(scene, body)[0]
        point = scene.local(body, at)
        ball = Sphere(BALL * scene.size, position=as_vector(point))
        rod = stick(held, point, 0.3 * BALL * scene.size)
        parts += [Part(body, shape, ink, "body") for shape in (ball, rod)]
    return replace(scene, parts=parts)
