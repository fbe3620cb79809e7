"""Names on a picture that avoid each other, and what is drawn, as far as there is room."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from chasles.core.arrays import Floats
from chasles.view.theme import LIGHT

CELL = 4.0  # pixels of the grid in which ink is counted
#: What a place costs: a cell of ink, a cell of another name, and a cell's width of distance.
ON_INK, ON_NAME, AWAY, OUTSIDE = 1.0, 60.0, 0.55, 400.0
HALO = withStroke(linewidth=2.2, foreground=LIGHT["paper"])  # around names
NEAR = 22.0  # pixels beyond which a thin line leads back to what is named


@dataclass(frozen=True)
class Label:
    """A name, and the place on the page that it belongs to."""

    text: str
    at: Floats
    colour: str = LIGHT["ink"]
    size: float = 8.5
    slanted: bool = False


class Ink:
    """Which cells of a page are drawn on, and which are taken by names."""

    def __init__(self, ax: Axes, inked: Floats) -> None:
        width, height = canvas_of(ax).get_width_height()
        self.shape = (int(height / CELL) + 1, int(width / CELL) + 1)
        self.ink, self.names = np.zeros(self.shape), np.zeros(self.shape)
        pixels = ax.transData.transform(inked.reshape(-1, 2)) / CELL
        rows, columns = pixels[:, 1].astype(int), pixels[:, 0].astype(int)
        inside = (rows >= 0) & (rows < self.shape[0]) & (columns >= 0) & (columns < self.shape[1])
        self.ink[rows[inside], columns[inside]] = 1.0
        box = ax.bbox
        self.frame = (box.x0, box.y0, box.x1, box.y1)

    def cost(self, x: float, y: float, width: float, height: float) -> float:
        rows, columns = self.cells(x, y, width, height)
        left, low, right, high = self.frame
        beyond = x < left or y < low or x + width > right or y + height > high
        return float(
            ON_INK * self.ink[rows, columns].sum()
            + ON_NAME * self.names[rows, columns].sum()
            + OUTSIDE * beyond
        )

    def take(self, x: float, y: float, width: float, height: float) -> None:
        rows, columns = self.cells(x, y, width, height)
        self.names[rows, columns] = 1.0

    def cells(self, x: float, y: float, width: float, height: float) -> tuple[slice, slice]:
        low, left = max(0, int(y / CELL)), max(0, int(x / CELL))
        return (
            slice(low, max(low, int((y + height) / CELL) + 1)),
            slice(left, max(left, int((x + width) / CELL) + 1)),
        )


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def canvas_of(ax: Axes) -> FigureCanvasAgg:
    figure = figure_of(ax)
    canvas = figure.canvas
    return canvas if isinstance(canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)


def put_labels(ax: Axes, labels: list[Label], inked: Floats, halo: bool = True) -> None:
    """Each name at the cheapest place around what it names, in the order given."""
    renderer = canvas_of(ax).get_renderer()
    ink = Ink(ax, inked)
    for label in labels:
        x, y = label.at
        text = ax.text(x, y, label.text, fontsize=label.size, color=label.colour, zorder=20,
                       fontstyle="italic" if label.slanted else "normal", clip_on=False,
                       path_effects=[HALO] if halo else [])  # fmt: skip
        box = text.get_window_extent(renderer)
        anchor = ax.transData.transform(label.at)
        place = cheapest(ink, anchor, box.width, box.height)
        ink.take(place[0] - 2, place[1] - 1, box.width + 4, box.height + 2)
        text.set_position(tuple(ax.transData.inverted().transform(place)))
        lead(ax, anchor, place, box.width, box.height, label.colour)


def cheapest(ink: Ink, anchor: Floats, width: float, height: float) -> Floats:
    """The lower left corner, in pixels, of the best of many places around an anchor."""
    best, place = np.inf, anchor
    for reach in (9.0, 14.0, 20.0, 28.0, 38.0, 52.0, 70.0, 95.0):
        for angle in np.radians(np.arange(90, 450, 22.5)):
            direction = np.array([np.cos(angle), np.sin(angle)])
            middle = anchor + direction * (reach + 0.5 * np.abs(direction) @ (width, height))
            corner = middle - (width / 2, height / 2)
            x, y = corner.tolist()
            cost = ink.cost(x, y, width, height) + AWAY * reach / CELL * 2.0
            if cost < best:
                best, place = cost, corner
    return place


def lead(ax: Axes, anchor: Floats, place: Floats, width: float, height: float, colour: str) -> None:
    """A thin line back to what is named, if the name is far from it."""
    nearest = np.clip(anchor, place, place + (width, height))
    if np.linalg.norm(nearest - anchor) < NEAR:
        return
    ends = ax.transData.inverted().transform(np.array([anchor, nearest]))
    ax.plot(*ends.T, color=colour, lw=0.6, alpha=0.7, zorder=19, clip_on=False)
