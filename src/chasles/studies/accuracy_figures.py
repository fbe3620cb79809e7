"""Figures of observed orders and of what accuracy costs."""

from collections.abc import Sequence

import numpy as np

from chasles.model import InvalidOption
from chasles.studies.convergence import Convergence, Family
from chasles.studies.work_precision import Work, WorkPrecision
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.study_panels import COLOURS, Series, slopes

#: Lines that can be told apart in one panel.
MOST_LINES = len(COLOURS)
FLOOR = 1e-16


def named(family: Family) -> str:
    """The method with the order that was observed, if one was."""
    slope = family.observed()
    return family.method if np.isnan(slope) else f"{family.method} ({slope:.2f})"


def panels_of(families: Sequence[Family]) -> list[list[Family]]:
    """Families that share a panel: those of one space, so many at a time."""
    groups: dict[str, list[Family]] = {}
    for family in families:
        if family.runs:
            groups.setdefault(family.spaces, []).append(family)
    return [
        own[k : k + MOST_LINES] for own in groups.values() for k in range(0, len(own), MOST_LINES)
    ]


def convergence_figure(found: Convergence) -> Figure:
    """A panel for every space: error over step."""
    panels = []
    for group in panels_of(found.families):
        series = [
            Series(
                named(family),
                [run.error.pose for run in family.runs],
                COLOURS[k],
                x=[run.step for run in family.runs],
            )
            for k, family in enumerate(group)
        ]
        draw = slopes(series, group[0].spaces, "step in s", f"error at {found.until:g} s, m", FLOOR)
        panels.append(Panel(draw, f"Error over step in {group[0].spaces}"))
    return Figure("convergence", "", "", tuple(panels), columns=min(3, max(1, len(panels))))


def work_panel(works: Sequence[Work], what: str, title: str, label: str) -> Draw:
    scale = 1e3 if what == "seconds" else 1.0
    methods = list(dict.fromkeys(work.method for work in works))
    series = [
        Series(
            work.label,
            [point.error for point in work.points],
            COLOURS[methods.index(work.method) % MOST_LINES],
            x=[scale * getattr(point, what) for point in work.points],
            dashed=work.kind == "rtol",
        )
        for work in works
    ]
    return slopes(series, title, label, "error at the end, m", FLOOR)


def counted(works: Sequence[Work]) -> list[Work]:
    """Those whose evaluations are known."""
    return [work for work in works if all(point.evaluations > 0.0 for point in work.points)]


def work_figure(found: WorkPrecision) -> Figure:
    """For every space: error over evaluations, and over time."""
    panels = []
    for space in dict.fromkeys(work.spaces for work in found.works):
        own = [work for work in found.works if work.spaces == space and work.points]
        if not own:
            continue
        told = counted(own)
        if told:
            draw = work_panel(told, "evaluations", space, "evaluations of the equations of motion")
            panels.append(Panel(draw, f"Error over evaluations in {space}"))
        if all(np.isfinite(p.seconds) for work in own for p in work.points):
            draw = work_panel(own, "seconds", space, "ms of computing")
            panels.append(Panel(draw, f"Error over time in {space}"))
    if not panels:
        raise InvalidOption(
            "work_precision: there is nothing to draw: these methods do not count how often they"
            " solve the equations.",
            "Take the time: timing=True.",
        )
    return Figure("work", "", "", tuple(panels), columns=min(2, len(panels)))
