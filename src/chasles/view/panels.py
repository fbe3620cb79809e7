"""Kinds of panel: what is drawn on the axes of a figure.

Linear axes where signs and components matter, logarithmic ones where figures of different size are
compared; every panel says its largest value, so that a scale of its own cannot mislead.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from chasles.core.arrays import Floats
from chasles.view.plots import END_NAME, LEGEND_BELOW, Draw, drawing
from chasles.view.theme import LIGHT, power_of_ten, scientific

MARKERS = {"se3": "o", "product": "s", "chosen": "D", "other": "^", "y": "P", "x": "v", "z": "X"}
COLOURS = tuple(MARKERS)
#: Characters of legend that fit under a panel.
LEGEND_CHARACTERS = 66

# --- axes -----------------------------------------------------------------------------------------


def titles(ax: Axes, left: str, right: str = "") -> None:
    """What is drawn; the axes may be the user's, where a dollar would begin a formula."""
    ax.set_title(left, loc="left", fontweight="bold", parse_math=False)
    if right:
        ax.set_title(right, loc="right", fontsize=8.5, color=LIGHT["muted"])


def largest_of(values: list[Floats]) -> str:
    """The largest value in words: of magnitudes, where the largest one is negative."""
    every = np.concatenate(values)
    every = every[np.isfinite(every)]
    if not every.size:
        return ""
    largest = float(np.abs(every).max())
    return f"max{' |·|' if -float(every.min()) == largest > 0.0 else ''} {scientific(largest)}"


def seconds_axis(ax: Axes, t: Sequence[float] | Floats) -> None:
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


def log_scale(
    axis: Axis, low: float, high: float, margin: float = 1.0, zero: float | None = None
) -> None:
    """A logarithmic axis between powers of ten, few of them named.

    What is drawn at `zero` stands for 0: it lies above the axis, and is named so.
    """
    first, last = floor(log10(low)), ceil(log10(high))
    last = max(last, first + 1)  # all curves at one power of ten still have an axis
    bottom, top = 10.0**first / margin, 10.0**last * margin
    way: str = axis.axis_name  # type: ignore[attr-defined]
    every = max(1, ceil((last - first) / (6 if way == "x" else 5)))
    ticks = [10.0**k for k in range(last, first - 1, -every)]
    lowest = None
    if zero is not None and low <= zero:
        lowest = round(log10(zero))
        ticks = [tick for tick in ticks if tick > 3.0 * zero] + [zero]
        bottom = zero / 10.0 ** (0.05 * (last - first))
    axis.axes.set(**{f"{way}scale": "log", f"{way}lim": (bottom, top)})

    def named(value: float) -> str:
        power = round(log10(value))
        return "0" if power == lowest else power_of_ten(power)

    ticks_at(axis, ticks, named)


def ticks_at(
    axis: Axis, places: list[float], named: Callable[[float], str] = "{:g}".format
) -> None:
    """An axis with these ticks alone."""
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: named(value)))


def thinned(t: Floats, values: Floats, most: int = 1200) -> tuple[Floats, Floats]:
    """At most about so many samples, so that a long run does not make a heavy picture.

    Of every stretch the lowest and the highest are kept, with both ends of the run: a blow of one
    millisecond is as high in the picture as it was.
    """
    count = len(t)
    if count <= most:
        return t, values
    stretch = -(-2 * count // most)
    starts = np.arange(0, count - 1, stretch)
    known = np.where(np.isfinite(values), values, 0.0)
    ends = [known[k : k + stretch] for k in starts]
    low = starts + [int(part.argmin()) for part in ends]
    high = starts + [int(part.argmax()) for part in ends]
    kept = np.unique(np.concatenate(([0, count - 1], low, high)))
    return t[kept], values[kept]


def legend_below(ax: Axes, names: Sequence[str]) -> None:
    """Names in rows under the axis, where nothing is drawn; as many side by side as fit."""
    fitting = max(1, LEGEND_CHARACTERS // (max(len(name) for name in names) + 5))
    rows = ceil(len(names) / fitting)
    layout: Any = {
        "ncols": ceil(len(names) / rows), "borderaxespad": 0.0, "handlelength": 1.2,
        "handletextpad": 0.4, "columnspacing": 1.1, "fontsize": 8,
    }  # fmt: skip
    legend = ax.legend(loc="upper center", **layout)
    legend.set_label(f"{LEGEND_BELOW}{rows}")  # placed with the panel's margins


# --- kinds of panel -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Series:
    """Values that belong to one name and colour: over `x`, or at the categories of a panel."""

    name: str
    values: Sequence[float] | Floats
    colour: str
    x: Sequence[float] | Floats = ()
    words: Sequence[str] = ()  # one for each value, if they are to be named
    dashed: bool = False  # another way with what has the same colour
    width: float = 1.5  # of a curve

    def above(self, floor_at: float) -> Floats:
        """The values, none of them below what an axis shows."""
        return np.maximum(np.asarray(self.values, float), floor_at)

    def curve(self, ax: Axes, values: Floats) -> None:
        """A line over time."""
        line: Any = (0, (4, 2)) if self.dashed else "-"
        t = np.asarray(self.x)[-len(values) :]
        ax.plot(*thinned(t, values), color=LIGHT[self.colour], lw=self.width, ls=line,
                label=self.name)  # fmt: skip

    def markers(self, ax: Axes, x: Any, y: Any, **style: Any) -> None:
        """Markers of its own, in its colour, with its name."""
        usual = {"marker": MARKERS[self.colour], "ms": 4.5, "mec": "white", "mew": 0.4}
        ax.plot(x, y, color=LIGHT[self.colour], label=self.name, **{**usual, **style})


@drawing
def logarithmic(
    ax: Axes, curves: list[Series], title: str, label: str, floor_at: float = 1e-17
) -> None:
    """Positive quantities over time on one logarithmic axis, named at their right ends."""
    low, high = np.inf, 0.0
    for curve in curves:
        values = curve.above(floor_at)[1:]
        low = min(low, max(float(np.median(values)) / 10, floor_at))
        high = max(high, float(values.max()))
        curve.curve(ax, values)
    log_scale(ax.yaxis, low, high, zero=floor_at)
    titles(ax, title)
    seconds_axis(ax, curves[0].x)
    ax.set_ylabel(label)
    name_ends(ax, curves, floor_at)


def name_ends(ax: Axes, curves: list[Series], floor_at: float) -> None:
    """The name of each curve at its right end, pushed apart where they overlap."""
    low, high = (log10(y) for y in ax.get_ylim())
    ends = []
    for curve in curves:
        values = curve.above(floor_at)
        ends.append(log10(float(np.exp(np.log(values[-max(1, len(values) // 20) :]).mean()))))
    order = np.argsort(ends)
    placed: list[float] = []
    for index in order:
        here = (ends[index] - low) / (high - low)
        placed.append(max(here, placed[-1] + 0.085) if placed else max(here, 0.03))
    excess = max(0.0, placed[-1] - 1.0)
    for index, height in zip(order, placed):
        curve = curves[index]
        ax.annotate(curve.name, (1.0, height - excess), xycoords="axes fraction", xytext=(5, 0),
                    textcoords="offset points", color=LIGHT[curve.colour], fontsize=8.5,
                    va="center", label=END_NAME)  # fmt: skip


@drawing
def signed(
    ax: Axes, curves: list[Series], title: str, label: str, limit: float | None = None,
    positive: bool = False,
) -> None:  # fmt: skip
    """Signed quantities over time on one linear axis; up from zero if they are `positive`.

    The power of ten of the axis is put at {} in the label, or after it.
    """
    largest = max(float(np.abs(curve.values).max()) for curve in curves)
    factor, named = scaled(largest if limit is None else limit)
    for curve in curves:
        curve.curve(ax, np.asarray(curve.values) / factor)
    titles(ax, title, largest_of([np.asarray(curve.values) for curve in curves]))
    seconds_axis(ax, curves[0].x)
    ax.axhline(0, color=LIGHT["axis"], lw=0.8)
    unit = f" in {named}" if named else ""
    ax.set_ylabel(label.format(named).replace("  ", " ") if "{}" in label else label + unit)
    if limit is not None:
        low = 0.0 if positive else -1.08 * limit / factor
        ax.set_ylim(low, 1.08 * limit / factor)
    if len(curves) > 1:
        legend_below(ax, [curve.name for curve in curves])


def components(t: Floats, vector: Floats, title: str, label: str) -> Draw:
    """x, y, z and the norm of a vector over time, on an axis of its own scale."""
    parts = [Series(name, vector[:, k], name, t, width=1.0) for k, name in enumerate("xyz")]
    norm = Series("norm", np.linalg.norm(vector, axis=1), "ink", t)
    return signed([*parts, norm], title, label)
