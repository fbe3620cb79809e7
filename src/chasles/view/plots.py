"""Figures with matplotlib, drawn to SVG and PNG without a display.

A figure is a row of panels.  On a page every panel is its own SVG, so that a phone can stack them;
as files, a figure is one picture.  Colours are those of `theme`; in SVG they become CSS variables,
so a figure follows the reader's light or dark scheme.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from chasles.system.arrays import Floats
from chasles.view.theme import (
    LIGHT,
    SANS,
    power_of_ten,
    scientific,
    style_variables,
    with_variables,
)

Draw = Callable[[Axes], None]
PANEL = (4.6, 2.75)  # inches; on the page a panel is about this many times 100 px wide

RC: Any = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.edgecolor": LIGHT["axis"],
    "axes.labelcolor": LIGHT["muted"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.titlesize": 10.0,
    "axes.titlecolor": LIGHT["ink"],
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 0.8,
    "xtick.color": LIGHT["axis"],
    "ytick.color": LIGHT["axis"],
    "xtick.labelcolor": LIGHT["muted"],
    "ytick.labelcolor": LIGHT["muted"],
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "text.color": LIGHT["ink"],
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "figure.constrained_layout.use": True,
    "path.simplify_threshold": 0.4,
}


@dataclass(frozen=True)
class Panel:
    """One picture: a drawing on axes, and words for readers who cannot see it."""

    draw: Draw
    label: str
    size: tuple[float, float] = PANEL


@dataclass(frozen=True)
class Figure:
    """Panels that belong together, with a caption that says what to see."""

    name: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 2


# --- output ---------------------------------------------------------------------------------------


def canvas_of(panels: tuple[Panel, ...], columns: int) -> Canvas:
    """All panels on one canvas, row by row."""
    columns = min(columns, len(panels))
    rows = ceil(len(panels) / columns)
    width, height = panels[0].size
    canvas = Canvas(figsize=(columns * width, rows * height))
    for index, panel in enumerate(panels):
        panel.draw(canvas.add_subplot(rows, columns, index + 1))
    return canvas


def svg_of(canvas: Canvas, salt: str) -> str:
    """The canvas as an <svg> element whose colours are CSS variables."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": salt}):
        canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'id="(?:figure|axes|patch|line2d|text|matplotlib\.axis|xtick|ytick|legend|'
                  r'LineCollection|PolyCollection|PathCollection|FillBetweenPolyCollection)_\d+"',
                  "", text)  # fmt: skip
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)  # would leak out
    text = re.sub(r" ?font-family: [^;\"]*;", "", text)  # the page's font, or the file's
    text = text.replace('transform="rotate(-0 ', 'data-x="(').replace("stroke-linejoin: miter", "")
    text = re.sub(r' data-x="\([^"]*"', "", text)
    text = re.sub(r"-?\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", text)
    return with_variables(text)


def inline_svg(panel: Panel, salt: str) -> str:
    """A panel for a page: scales with its column, named for screen readers."""
    with mpl.rc_context(RC):
        text = svg_of(canvas_of((panel,), 1), salt)
    head, body = text.split(">", 1)
    head = re.sub(r' (?:width|height)="[^"]*"', "", head)
    label = panel.label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return f'{head} role="img" aria-label="{label}">{body}'


def save_files(figure: Figure, folder: Path, png: bool = True) -> list[Path]:
    """NAME.svg, which follows the reader's scheme, and NAME.png on white."""
    written = []
    with mpl.rc_context(RC):
        canvas = canvas_of(figure.panels, figure.columns)
        text = svg_of(canvas, figure.name)
        style = f"<style>{style_variables()} text{{font-family:{SANS}}}</style>"
        head, body = text.split(">", 1)
        written.append(folder / f"{figure.name}.svg")
        written[0].write_text(f"{head}>{style}{body}", encoding="utf-8")
        if png:
            written.append(folder / f"{figure.name}.png")
            canvas.savefig(written[1], format="png", dpi=144, facecolor="white")
    return written


# --- axes -----------------------------------------------------------------------------------------


def titles(ax: Axes, left: str, right: str = "") -> None:
    ax.set_title(left, loc="left", fontweight="bold")
    if right:
        ax.set_title(right, loc="right", fontsize=8.5, color=LIGHT["muted"])


def seconds_axis(ax: Axes, t: Floats) -> None:
    ax.set_xlim(t[0], t[-1])
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.set_xlabel("t in s")


def scaled(values: float) -> tuple[float, str]:
    """A power of ten for an axis of such values, and its name."""
    exponent = floor(log10(values)) if values > 0 else 0
    if -2 < exponent < 3:
        return 1.0, ""
    return 10.0**exponent, power_of_ten(exponent)


def log_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic y axis between powers of ten, few of them named."""
    first, last = floor(log10(low)), ceil(log10(high))
    ax.set_yscale("log")
    ax.set_ylim(10.0**first, 10.0**last)
    every = max(1, ceil((last - first) / 5))
    ticks = [10.0**k for k in range(last, first - 1, -every)]
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: power_of_ten(round(log10(y)))))


def thinned(t: Floats, values: Floats, most: int = 1200) -> tuple[Floats, Floats]:
    """Every k-th sample, so that a long run does not make a heavy picture."""
    every = max(1, len(t) // most)
    return t[::every], values[::every]


# --- kinds of panel -------------------------------------------------------------------------------


def components(
    t: Floats, vector: Floats, title: str, unit: str = "m", limit: float | None = None
) -> Draw:
    """x, y, z and the norm of a vector over time, on an axis of its own scale."""
    norm = np.linalg.norm(vector, axis=1)

    def draw(ax: Axes) -> None:
        factor, named = scaled(float(norm.max()) if limit is None else limit)
        for k, name in enumerate("xyz"):
            ax.plot(*thinned(t, vector[:, k] / factor), color=LIGHT[name], lw=1.0, label=name)
        ax.plot(*thinned(t, norm / factor), color=LIGHT["ink"], lw=1.5, label="norm")
        titles(ax, title, f"max {scientific(float(norm.max()))} {unit}")
        seconds_axis(ax, t)
        ax.set_ylabel(f"gap in {named} {unit}".replace("  ", " "))
        if limit is not None:
            ax.set_ylim(-1.1 * limit / factor, 1.1 * limit / factor)
        ax.legend(loc="upper left", ncols=4, handlelength=1.2, columnspacing=1.0)
        low, high = ax.get_ylim()
        ax.set_ylim(low, high + 0.18 * (high - low))

    return draw


@dataclass(frozen=True)
class Curve:
    t: Floats
    values: Floats
    name: str
    colour: str
    dashed: bool = False
    width: float = 1.5


def logarithmic(curves: list[Curve], title: str, label: str, floor_at: float = 1e-17) -> Draw:
    """Positive quantities over time on one logarithmic axis, named at their right ends."""

    def draw(ax: Axes) -> None:
        low, high = np.inf, 0.0
        for curve in curves:
            values = np.maximum(curve.values[1:], floor_at)
            low, high = min(low, float(np.median(values)) / 10), max(high, float(values.max()))
            ax.plot(
                *thinned(curve.t[1:], values),
                color=LIGHT[curve.colour],
                ls=(0, (4, 2)) if curve.dashed else "-",
                lw=curve.width,
                label=curve.name,
            )
        log_axis(ax, max(low, floor_at), high)
        titles(ax, title)
        seconds_axis(ax, curves[0].t)
        ax.set_ylabel(label)
        name_ends(ax, curves, floor_at)

    return draw


def name_ends(ax: Axes, curves: list[Curve], floor_at: float) -> None:
    """Each curve's name at its right end, pushed apart where they would overlap."""
    low, high = (log10(y) for y in ax.get_ylim())
    span = high - low
    ends = []
    for curve in curves:
        tail = np.maximum(curve.values[-max(1, len(curve.values) // 20) :], floor_at)
        ends.append(log10(float(np.exp(np.log(tail).mean()))))
    order = np.argsort(ends)
    placed: list[float] = []
    for index in order:
        here = (ends[index] - low) / span
        placed.append(max(here, placed[-1] + 0.085) if placed else max(here, 0.03))
    excess = max(0.0, placed[-1] - 1.0)
    for index, height in zip(order, placed):
        curve = curves[index]
        ax.annotate(
            curve.name,
            (1.0, height - excess),
            xycoords="axes fraction",
            xytext=(5, 0),
            textcoords="offset points",
            color=LIGHT[curve.colour],
            fontsize=8.5,
            va="center",
        )


def signed(curves: list[Curve], title: str, label: str, limit: float | None = None) -> Draw:
    """Signed quantities over time on one linear axis."""

    def draw(ax: Axes) -> None:
        largest = max(float(np.abs(curve.values).max()) for curve in curves)
        factor, named = scaled(largest if limit is None else limit)
        for curve in curves:
            t, values = thinned(curve.t, curve.values / factor)
            ax.plot(
                t, values, color=LIGHT[curve.colour], lw=curve.width,
                ls=(0, (4, 2)) if curve.dashed else "-", label=curve.name,
            )  # fmt: skip
        titles(ax, title, f"max {scientific(largest)}")
        seconds_axis(ax, curves[0].t)
        ax.axhline(0, color=LIGHT["axis"], lw=0.8)
        ax.set_ylabel(f"{label} in {named}" if named else label)
        if limit is not None:
            ax.set_ylim(-1.08 * limit / factor, 1.08 * limit / factor)
        if len(curves) > 1:
            ax.legend(loc="best")

    return draw
