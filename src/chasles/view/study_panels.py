"""Kinds of panel for studies: dots on a logarithmic scale, bars, slopes, distributions, fronts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from chasles.core.arrays import Floats
from chasles.view.panels import log_axis, titles
from chasles.view.plots import LEGEND_BELOW, NAMED_ROWS, Draw
from chasles.view.theme import LIGHT, power_of_ten

MARKERS = {"se3": "o", "product": "s", "chosen": "D", "other": "^", "y": "P", "x": "v", "z": "X"}
COLOURS = tuple(MARKERS)
#: Ratio of the ends of a logarithmic axis below which powers of ten are too few ticks.
FEW_DECADES = 60.0
#: A panel of advice and its words, in points, about.
ACROSS, UPWARDS, WORD_SIZE = 275.0, 180.0, 7.5
#: Characters of legend that fit under a panel.
LEGEND_CHARACTERS = 66


@dataclass(frozen=True)
class Series:
    """Values that belong to one name and colour: at the categories, or over `x`."""

    name: str
    values: Sequence[float] | Floats
    colour: str
    x: Sequence[float] | Floats = ()
    words: Sequence[str] = ()  # one for each value, if they are to be named
    dashed: bool = False  # another way with what has the same colour


def log_limits(values: Floats, floor_at: float) -> tuple[int, int]:
    """Powers of ten around positive values."""
    kept = values[np.isfinite(values) & (values > 0)]
    low = max(float(kept.min()), floor_at) if kept.size else floor_at
    high = max(float(kept.max()), low) if kept.size else low
    first = floor(log10(low) - 0.05)
    return first, max(first + 1, ceil(log10(high) + 0.05))


def log_x(ax: Axes, low: int, high: int, ticks: int = 6) -> None:
    """A logarithmic x axis between powers of ten, few of them named."""
    ax.set_xscale("log")
    ax.set_xlim(10.0**low, 10.0**high)
    every = max(1, ceil((high - low) / ticks))
    ax.xaxis.set_major_locator(FixedLocator([10.0**k for k in range(low, high + 1, every)]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: power_of_ten(round(log10(x)))))


def near_log_x(ax: Axes, values: Floats) -> None:
    """A logarithmic x axis that ends a little beyond the values."""
    log_x(ax, *log_limits(values, 1e-300))
    low, high = float(values.min()), float(values.max())
    room = (high / low) ** 0.06 if high > low else 2.0
    ax.set_xlim(low / room, high * room)
    if high / low < FEW_DECADES:
        powers = range(floor(log10(low / room)), ceil(log10(high * room)) + 1)
        ax.xaxis.set_major_locator(FixedLocator([m * 10.0**k for k in powers for m in (1, 2, 5)]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def dots(
    categories: Sequence[str], series: Sequence[Series], title: str, label: str,
    floor_at: float = 1e-17,
) -> Draw:  # fmt: skip
    """One row per category, one marker per series, on a logarithmic axis."""

    def draw(ax: Axes) -> None:
        rows = np.arange(len(categories))[::-1].astype(float)
        every = np.concatenate([np.asarray(s.values, float) for s in series])
        log_x(ax, *log_limits(every, floor_at))
        offsets = np.linspace(0.22, -0.22, len(series)) if len(series) > 1 else [0.0]
        for one, offset in zip(series, offsets):
            values = np.maximum(np.asarray(one.values, float), floor_at)
            ax.plot(values, rows + offset, ls="", marker=MARKERS[one.colour], ms=5.5,
                    mec="white", mew=0.5, color=LIGHT[one.colour], label=one.name)  # fmt: skip
        ax.set_yticks(rows, categories)
        ax.set_label(NAMED_ROWS)
        ax.set_ylim(-0.6, len(categories) - 0.4)
        ax.grid(True, axis="x")
        ax.set_xlabel(label)
        titles(ax, title)
        legend_below(ax, [one.name for one in series])

    return draw


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


def bars(
    categories: Sequence[str], series: Sequence[Series], title: str, label: str,
    colours: Sequence[str] | None = None,
) -> Draw:  # fmt: skip
    """Horizontal bars from zero, one group per category, each with its number.

    A lone series may have a colour for every category.
    """

    def draw(ax: Axes) -> None:
        rows = np.arange(len(categories))[::-1].astype(float)
        height = 0.8 / len(series)
        largest = max(float(np.nanmax(np.asarray(s.values, float))) for s in series)
        for index, one in enumerate(series):
            at = rows + (len(series) / 2 - index - 0.5) * height
            values = np.asarray(one.values, float)
            paint = [LIGHT[c] for c in colours] if colours else LIGHT[one.colour]
            ax.barh(at, values, height * 0.86, color=paint, label=one.name)
            for y, value in zip(at, values):
                ax.text(value + 0.01 * largest, y, f" {value:.3g}", va="center", fontsize=7.5,
                        color=LIGHT["muted"])  # fmt: skip
        ax.set_yticks(rows, categories)
        ax.set_label(NAMED_ROWS)
        ax.set_xlim(0, 1.13 * largest)
        ax.grid(False)
        ax.set_xlabel(label)
        titles(ax, title)
        if len(series) > 1:
            legend_below(ax, [one.name for one in series])

    return draw


def slopes(
    series: Sequence[Series], title: str, x_label: str, y_label: str, floor_at: float = 1e-17,
) -> Draw:  # fmt: skip
    """Lines with markers over a logarithmic x axis."""

    def draw(ax: Axes) -> None:
        everything = np.concatenate([np.asarray(s.values, float) for s in series])
        low, high = log_limits(everything, floor_at)
        log_axis(ax, 10.0**low, 10.0**high)
        for one in series:
            values = np.maximum(np.asarray(one.values, float), floor_at)
            edge = {"mec": LIGHT[one.colour], "mfc": "white", "mew": 1.0, "ls": (0, (4, 2))}
            style: Any = edge if one.dashed else {"mec": "white", "mew": 0.4}
            ax.plot(one.x, values, marker=MARKERS[one.colour], ms=4.5, color=LIGHT[one.colour],
                    label=one.name, **style)  # fmt: skip
        near_log_x(ax, np.concatenate([np.asarray(s.x, float) for s in series]))
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        titles(ax, title)
        legend_below(ax, [one.name for one in series])

    return draw


def distribution(series: Sequence[Series], title: str, label: str, floor_at: float = 1e-17) -> Draw:
    """The share of cases at or below a value, on a logarithmic axis."""

    def draw(ax: Axes) -> None:
        everything = np.concatenate([np.asarray(s.values, float) for s in series])
        log_x(ax, *log_limits(everything, floor_at))
        for one in series:
            values = np.sort(np.maximum(np.asarray(one.values, float), floor_at))
            share = 100 * np.arange(1, len(values) + 1) / len(values)
            ax.step(values, share, where="post", color=LIGHT[one.colour], label=one.name)
        ax.set_ylim(0, 102)
        ax.set_ylabel("% of models")
        ax.set_xlabel(label)
        ax.grid(True, axis="x")
        titles(ax, title)
        legend_below(ax, [one.name for one in series])

    return draw


def draw_front(ax: Axes, series: Sequence[Series]) -> None:
    """The Pareto front as steps: at no point is anything both cheaper and more accurate."""
    points = [
        (x, y, one.words[k] if len(one.words) else "")
        for one in series
        for k, (x, y) in enumerate(zip(one.x, one.values))
    ]
    best: list[tuple[float, float, str]] = []
    for point in sorted(points):
        if not best or point[1] < best[-1][1]:
            best.append(point)
    ax.step(
        [x for x, _, _ in best],
        [y for _, y, _ in best],
        where="post",
        color=LIGHT["ink"],
        lw=0.9,
        alpha=0.45,
        zorder=1,
    )
    name_points(ax, best)


def name_points(ax: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Words beside points on logarithmic axes: below to the left, where a front has nothing, or
    in the next corner where they cover no other words."""
    (left, right), (low, high) = ([log10(v) for v in lim] for lim in (ax.get_xlim(), ax.get_ylim()))
    taken: list[tuple[float, float, float, float]] = []
    for x, y, words in points:
        at = (
            (log10(x) - left) / (right - left) * ACROSS,
            (log10(y) - low) / (high - low) * UPWARDS,
        )
        wide = WORD_SIZE * 0.62 * len(words)
        for side, above in ((-1, -1), (1, 1), (-1, 1), (1, -1)):
            x0 = at[0] + 6 if side > 0 else at[0] - 6 - wide
            y0 = at[1] + 4 if above > 0 else at[1] - 4 - WORD_SIZE
            box = (x0, y0, x0 + wide, y0 + WORD_SIZE)
            inside = x0 >= 0 and box[2] <= ACROSS and y0 >= 0 and box[3] <= UPWARDS
            free = all(box[2] < o[0] or o[2] < box[0] or box[3] < o[1] or o[3] < box[1]
                       for o in taken)  # fmt: skip
            if inside and free:
                taken.append(box)
                ax.annotate(words, (x, y), xytext=(6 * side, 4 * above), fontsize=WORD_SIZE,
                            textcoords="offset points", ha="left" if side > 0 else "right",
                            va="bottom" if above > 0 else "top", color=LIGHT["ink"])  # fmt: skip
                break


def front(
    series: Sequence[Series], best: tuple[float, float] | None, target: float,
    title: str, x_label: str, y_label: str,
) -> Draw:  # fmt: skip
    """Scattered trade-offs between a cost (x) and an error (y), the chosen one ringed."""

    def draw(ax: Axes) -> None:
        everything = np.concatenate([np.asarray(s.values, float) for s in series])
        low, high = log_limits(np.append(everything, target), 1e-17)
        log_axis(ax, 10.0**low, 10.0**high, margin=3.0)
        for one in series:
            ax.plot(one.x, one.values, ls="", marker=MARKERS[one.colour], ms=4.5, mec="white",
                    mew=0.4, color=LIGHT[one.colour], label=one.name)  # fmt: skip
        near_log_x(ax, np.concatenate([np.asarray(s.x, float) for s in series]))
        ax.axhline(target, color=LIGHT["axis"], lw=1.0, ls=(0, (4, 2)))
        ax.annotate("target", (1.0, target), xycoords=("axes fraction", "data"), xytext=(-2, 3),
                    textcoords="offset points", ha="right", fontsize=8,
                    color=LIGHT["muted"])  # fmt: skip
        draw_front(ax, series)
        if best is not None:
            ax.plot(*best, marker="o", ms=12, mfc="none", mec=LIGHT["ink"], mew=1.2)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        titles(ax, title)
        legend_below(ax, [one.name for one in series])

    return draw
