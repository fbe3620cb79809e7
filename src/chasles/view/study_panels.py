"""Kinds of panel for studies: dots on a logarithmic scale, bars, slopes, distributions, fronts."""

from collections.abc import Collection, Sequence
from math import ceil, floor, log10

import numpy as np
from matplotlib.axes import Axes

from chasles.core.arrays import Floats
from chasles.view.panels import Series, legend_below, log_scale, ticks_at, titles
from chasles.view.plots import NAMED_ROWS, drawing
from chasles.view.theme import LIGHT

#: Where a logarithmic axis shows what is less than it shows.
FLOOR = 1e-17
#: Ratio of the ends of a logarithmic axis below which powers of ten are too few ticks.
FEW_DECADES = 60.0
#: A panel of advice and its words, in points, about.
ACROSS, UPWARDS, WORD_SIZE = 275.0, 180.0, 7.5


def all_of(series: Sequence[Series], what: str = "values") -> Floats:
    """The values of all series, or all x."""
    return np.concatenate([np.asarray(getattr(one, what), float) for one in series])


def worded(
    ax: Axes, title: str, x_label: str, y_label: str = "", series: Sequence[Series] = ()
) -> None:
    """Title and labels of a panel; names of several series in rows below it."""
    titles(ax, title)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    if series:
        legend_below(ax, [one.name for one in series])


# --- axes -----------------------------------------------------------------------------------------


def log_limits(values: Floats, floor_at: float) -> tuple[float, float]:
    """Powers of ten around values; what is less than the floor is shown there."""
    kept = values[np.isfinite(values)]
    low = max(float(kept.min()), floor_at) if kept.size else floor_at
    high = max(float(kept.max()), low) if kept.size else low
    return 10.0 ** floor(log10(low) - 0.05), 10.0 ** ceil(log10(high) + 0.05)


def near_log_x(ax: Axes, values: Floats) -> None:
    """A logarithmic x axis that ends a little beyond the values."""
    log_scale(ax.xaxis, *log_limits(values, 1e-300))
    low, high = float(values.min()), float(values.max())
    room = (high / low) ** 0.06 if high > low else 2.0
    ax.set_xlim(low / room, high * room)
    if high / low < FEW_DECADES:
        powers = range(floor(log10(low / room)), ceil(log10(high * room)) + 1)
        ticks_at(ax.xaxis, [m * 10.0**k for k in powers for m in (1, 2, 5)])


def rows_of(ax: Axes, categories: Collection[str]) -> Floats:
    """A row for every category, from the top; returns their heights."""
    rows = np.arange(len(categories))[::-1].astype(float)
    ax.set_yticks(rows, list(categories))
    ax.set_label(NAMED_ROWS)
    return rows


# --- kinds of panel -------------------------------------------------------------------------------


@drawing
def dots(
    ax: Axes, categories: Collection[str], series: Sequence[Series], title: str, label: str
) -> None:
    """One row per category, one marker per series, on a logarithmic axis."""
    log_scale(ax.xaxis, *log_limits(all_of(series), FLOOR))
    rows = rows_of(ax, categories)
    offsets = np.linspace(0.22, -0.22, len(series)) if len(series) > 1 else [0.0]
    for one, offset in zip(series, offsets):
        one.markers(ax, one.above(FLOOR), rows + offset, ls="", ms=5.5, mew=0.5)
    ax.set_ylim(-0.6, len(categories) - 0.4)
    ax.grid(True, axis="x")
    worded(ax, title, label, series=series)


@drawing
def bars(
    ax: Axes, categories: Sequence[str], series: Sequence[Series], title: str, label: str,
    colours: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Horizontal bars from zero, one group per category, each with its number.

    A lone series may have a colour for every category.
    """
    rows, height = rows_of(ax, categories), 0.8 / len(series)
    largest = float(np.nanmax(all_of(series)))
    for index, one in enumerate(series):
        at = rows + (len(series) / 2 - index - 0.5) * height
        values = np.asarray(one.values, float)
        paint = [LIGHT[c] for c in colours] if colours else LIGHT[one.colour]
        ax.barh(at, values, height * 0.86, color=paint, label=one.name)
        for y, value in zip(at, values):
            ax.text(value + 0.01 * largest, y, f" {value:.3g}", va="center", fontsize=7.5,
                    color=LIGHT["muted"])  # fmt: skip
    ax.set_xlim(0, 1.13 * largest)
    ax.grid(False)
    worded(ax, title, label, series=series if len(series) > 1 else ())


@drawing
def slopes(
    ax: Axes, series: Sequence[Series], title: str, x_label: str, y_label: str,
    floor_at: float = FLOOR, order: int | None = None,
) -> None:  # fmt: skip
    """Lines with markers over a logarithmic x axis, and the slope of an order beside them."""
    log_scale(ax.yaxis, *log_limits(all_of(series), floor_at))
    for one in series:
        edge = {"mec": LIGHT[one.colour], "mfc": "white", "mew": 1.0, "ls": (0, (4, 2))}
        one.markers(ax, one.x, one.above(floor_at), **(edge if one.dashed else {}))
    near_log_x(ax, all_of(series, "x"))
    worded(ax, title, x_label, y_label, series)
    if order is not None:
        guide(ax, series, order)


def guide(ax: Axes, series: Sequence[Series], slope: int) -> None:
    """A dashed line of the given order under the steepest series."""
    steep = max(series, key=lambda one: float(np.nanmax(one.values)))
    order = np.argsort(steep.x)
    x, middle = np.asarray(steep.x)[order], len(steep.x) // 2
    y = np.asarray(steep.values)[order][middle] * (x / x[middle]) ** slope / 4
    ax.plot(x, y, color=LIGHT["muted"], lw=1.0, ls=(0, (2, 2)))
    ax.annotate(f"slope {slope}", (x[-2], y[-2]), xytext=(4, -11), textcoords="offset points",
                fontsize=8, color=LIGHT["muted"])  # fmt: skip


@drawing
def strips(
    ax: Axes, rows: Sequence[tuple[str, Floats]], title: str, x_label: str, colour: str
) -> None:
    """Ratios as dots on a logarithmic axis, one row per name, with the median marked."""
    rng = np.random.default_rng(0)
    for height, (_, values) in enumerate(rows):
        y = -height + rng.uniform(-0.18, 0.18, len(values))
        ax.plot(values, y, "o", ms=4.2, mew=0, alpha=0.75, color=LIGHT[colour])
        middle = float(np.median(values))
        ax.plot([middle, middle], [-height - 0.34, -height + 0.34], color=LIGHT["ink"], lw=1.8)
        ax.annotate(f"{middle:.2f}", (1.0, -height), xytext=(4, 0), va="center", fontsize=8.5,
                    xycoords=("axes fraction", "data"), textcoords="offset points")  # fmt: skip
    everything = np.concatenate([values for _, values in rows])
    low, high = min(0.2, everything.min() / 1.2), max(5, everything.max() * 1.2)
    ax.set_xscale("log")
    ticks_at(ax.xaxis, [x for x in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if low <= x <= high])
    ax.set_xlim(low, high)
    ax.axvline(1.0, color=LIGHT["axis"], lw=0.9)
    ax.set_label(NAMED_ROWS)
    ax.set_yticks([-k for k in range(len(rows))], [name for name, _ in rows], fontsize=8.5)
    ax.set_ylim(-len(rows) + 0.4, 0.75)
    ax.grid(False)
    titles(ax, title, "median")
    ax.set_xlabel(x_label)


@drawing
def distribution(ax: Axes, series: Sequence[Series], title: str, label: str) -> None:
    """The share of cases at or below a value, on a logarithmic axis."""
    log_scale(ax.xaxis, *log_limits(all_of(series), FLOOR))
    for one in series:
        values = np.sort(one.above(FLOOR))
        share = 100 * np.arange(1, len(values) + 1) / len(values)
        ax.step(values, share, where="post", color=LIGHT[one.colour], label=one.name)
    ax.set_ylim(0, 102)
    ax.grid(True, axis="x")
    worded(ax, title, label, "% of models", series)


@drawing
def front(
    ax: Axes, series: Sequence[Series], best: tuple[float, float] | None, target: float,
    title: str, x_label: str, y_label: str,
) -> None:  # fmt: skip
    """Scattered trade-offs between a cost (x) and an error (y), the chosen one ringed."""
    log_scale(ax.yaxis, *log_limits(np.append(all_of(series), target), FLOOR), margin=3.0)
    for one in series:
        one.markers(ax, one.x, one.values, ls="")
    near_log_x(ax, all_of(series, "x"))
    ax.axhline(target, color=LIGHT["axis"], lw=1.0, ls=(0, (4, 2)))
    ax.annotate("target", (1.0, target), xycoords=("axes fraction", "data"), xytext=(-2, 3),
                textcoords="offset points", ha="right", fontsize=8,
                color=LIGHT["muted"])  # fmt: skip
    draw_front(ax, series)
    if best is not None:
        ax.plot(*best, marker="o", ms=12, mfc="none", mec=LIGHT["ink"], mew=1.2)
    worded(ax, title, x_label, y_label, series)


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
    ax.step([x for x, _, _ in best], [y for _, y, _ in best], where="post", color=LIGHT["ink"],
            lw=0.9, alpha=0.45, zorder=1)  # fmt: skip
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
