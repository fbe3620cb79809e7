"""`model.plot()`: the model as it was entered, with names, joints, forces, drivers and a scale."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, Model
from chasles.model.checks import check_flag, pair_of
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.words import ViewDirection
from chasles.result.atomic_file import checked_file, write_whole
from chasles.view.camera import Camera, camera_of
from chasles.view.labels import Label, figure_of, put_labels
from chasles.view.marks import draw_feet, draw_forces, draw_frames, draw_world
from chasles.view.plots import RC, drawing, png_of
from chasles.view.raster import Page
from chasles.view.render import render
from chasles.view.scene import Pose, Scene, place, scene_of
from chasles.view.surfaces import surfaces_of, tie_ends
from chasles.view.theme import LIGHT

KINDS = (".png", ".svg", ".pdf")
FINENESS = 1.5  # pixels of the solids per pixel of the figure on a screen
MOST_PRINTED = 32e6  # pixels of a picture in a file
MOST_PIXELS = 6e6  # of the solids: some 100 bytes each while they are drawn
MOST_NAMES = 44  # more would cover what they name
INKED = 150  # cover of a pixel that a name avoids: solids, not their shadows


@checked_keywords
def plot_model(
    model: Model,
    path: str | PathLike[str] | None = None,
    *,
    view: ViewDirection = "auto",
    names: bool = True,
    frames: bool = False,
    size: tuple[float, float] = (7.0, 5.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw a model on axes of its own, or on given ones; write it where there is a path."""
    target = checked_target(path)
    check_flag(names, "names", "plot", InvalidOption)
    check_flag(frames, "frames", "plot", InvalidOption)
    camera, scene = camera_of(model, view), scene_of(model)
    with mpl.rc_context(RC):
        axes = checked_axes(ax) if ax is not None else new_axes(size)
        draw_scene(axes, scene, camera, names, frames)
    return finished(axes, target)


def picture_of(model: Model) -> bytes:
    return png_of(figure_of(plot_model(model)))


def checked_axes(ax: Any) -> Axes:
    if not isinstance(ax, Axes):
        raise InvalidOption(
            f"plot: ax must be axes of matplotlib, got {short_repr(ax)}.",
            "Give one of those that plt.subplots() makes: fig, ax = plt.subplots().",
        )
    return ax


def new_axes(size: tuple[float, float]) -> Axes:
    """Axes that fill a figure, which needs no display."""
    inches = pair_of(size)
    if inches is None or not all(0.5 <= length <= 100.0 for length in inches):
        raise InvalidOption(
            f"plot: size must be two lengths in inches, got {short_repr(size)}.",
            "Give width and height in inches: size=(7, 5).",
        )
    figure = Figure(figsize=inches, dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    return figure.add_axes((0.01, 0.01, 0.98, 0.98))


@drawing
def sketch(ax: Axes, model: Model) -> None:
    """The model at its start, with its names: as text, for pages that are light or dark."""
    draw_scene(ax, scene_of(model), camera_of(model), names=True, frames=False, halo=False)


def draw_scene(
    ax: Axes, scene: Scene, camera: Camera, names: bool, frames: bool, halo: bool = True
) -> None:
    ax.set_axis_off()
    ax.set_aspect("equal")
    bound = frame(ax, camera.seen(points_of(scene, scene.start)))
    inked = [draw_solids(ax, scene, scene.start, camera, bound), *draw_feet(ax, scene, camera)]
    labels, drawn = draw_forces(ax, scene, camera)
    inked += drawn
    if frames:
        draw_frames(ax, scene, camera)
    inked.append(draw_world(ax, scene, camera, bound))
    if names:
        put_labels(ax, readable(ax, scene, camera, labels), np.concatenate(inked), halo)


def draw_solids(
    ax: Axes, scene: Scene, poses: Mapping[str, Pose], camera: Camera, bound: Floats,
    ink: float = 1.0,
) -> Floats:  # fmt: skip
    """The solids as an image behind all lines and words; returns where it has ink."""
    (left, low), (right, high) = bound
    fineness = min(FINENESS, np.sqrt(MOST_PIXELS / (ax.bbox.width * ax.bbox.height)))
    width, height = int(fineness * ax.bbox.width), int(fineness * ax.bbox.height)
    page = Page((left, low), (right, high), width, height)
    floor = lowest(scene, poses) if any(scene.model.gravity) and ink == 1.0 else None
    image = render(surfaces_of(scene, poses), camera, page, scene.up, floor)
    ax.imshow(image, extent=(left, right, low, high), zorder=4 + ink, aspect="equal", alpha=ink,
              interpolation="antialiased")  # fmt: skip
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    rows, columns = np.nonzero(image[::3, ::3, 3] > INKED)
    share = np.stack((3 * columns / width, 1.0 - 3 * rows / height), axis=1)
    return np.asarray(bound[0] + share * (bound[1] - bound[0]))


def lowest(scene: Scene, poses: Mapping[str, Pose]) -> float:
    """The least height of all parts in one pose."""
    return min(
        float((place(poses[part.body], part.solid.vertices) @ scene.up).min())
        for part in scene.parts
    )


def points_of(scene: Scene, poses: Mapping[str, Pose]) -> Floats:
    """All that is drawn of a scene, as points of the world."""
    points = [place(poses[part.body], part.solid.vertices) for part in scene.parts]
    return np.concatenate([*points, *(np.array(tie_ends(tie, poses)) for tie in scene.ties)])


def frame(ax: Axes, points: Floats, below: float = 0.16) -> Floats:
    """Limits around points of the page, with room for names and, below, for the world's axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    told_apart = 1e-6 * np.abs(points).max()  # bodies of no extent, or far from the origin
    span = np.maximum(high - low, max(0.35 * (high - low).max(), told_apart))
    middle = (low + high) / 2.0
    low, high = middle - 0.62 * span, middle + 0.62 * span
    low[1] -= below * max(span[1], 0.6 * span[0])
    page = ax.bbox.width / ax.bbox.height
    width, height = high - low
    if width / height < page:
        low[0], high[0] = middle[0] - 0.5 * page * height, middle[0] + 0.5 * page * height
    else:
        extra = (width / page - height) / 2.0
        low[1], high[1] = low[1] - extra, high[1] + extra
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    return np.array([low, high])


def readable(ax: Axes, scene: Scene, camera: Camera, others: list[Label]) -> list[Label]:
    """As many names as can be read: bodies go before joints, and what is left out is said."""
    joints = [
        Label(spot.name, camera.seen(scene.world(spot.a, spot.at)), slanted=True)
        for spot in scene.spots
    ]
    bodies = [
        Label(body.name, camera.seen(np.array(body.position)), LIGHT["se3"], 9.0)
        for body in scene.model.bodies
    ]
    left_out = []
    if len(joints) + len(bodies) + len(others) > MOST_NAMES:
        left_out.append(f"{len(joints)} joints")
        joints = []
    if len(bodies) + len(others) > MOST_NAMES:
        left_out.append(f"{len(bodies)} bodies")
        bodies = []
    if left_out:
        ax.text(0.99, 0.985, f"without the names of {' and '.join(left_out)}", ha="right", va="top",
                transform=ax.transAxes, fontsize=8, color=LIGHT["muted"])  # fmt: skip
    return [*joints, *bodies, *others][:MOST_NAMES]


# --- output ---


def checked_target(path: str | PathLike[str] | None) -> Path | None:
    return None if path is None else checked_file(path, KINDS, "plot: the figure")


def finished(ax: Axes, target: Path | None) -> Axes:
    """The axes, written to a file if there is one, and able to show themselves in a notebook."""
    figure = figure_of(ax)
    if target is not None:
        dpi = min(160.0, np.sqrt(MOST_PRINTED / np.prod(figure.get_size_inches())))
        kind = target.suffix.removeprefix(".").lower()
        write_whole(
            target, lambda file: figure.savefig(file, format=kind, dpi=dpi, facecolor="white")
        )
    ax._repr_png_ = lambda: png_of(figure)  # type: ignore[attr-defined]
    return ax
