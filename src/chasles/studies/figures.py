"""Figures of comparisons and advice; how they are drawn is the view's business."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from chasles.model import InvalidOption
from chasles.studies.advice_search import Trial
from chasles.studies.advise import Advice
from chasles.studies.compare import Comparison
from chasles.studies.convergence import Convergence, Family
from chasles.studies.measure import Outcome
from chasles.studies.work_precision import Work, WorkPrecision
from chasles.view.panels import COLOURS, Series, logarithmic
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.study_panels import bars, front, slopes

ROOM = 1e-17  # zero on a logarithmic axis
OWN = {"SE3": "se3", "SO3xR3": "product", "auto": "chosen"}


def colours_of(labels: tuple[str, ...]) -> dict[str, str]:
    """A colour for every label; the usual spaces keep theirs."""
    free = [colour for colour in COLOURS if colour not in OWN.values()]
    others = [label for label in labels if label not in OWN]
    return OWN | {label: free[index % len(free)] for index, label in enumerate(others)}


def comparison_figure(comparison: Comparison) -> Figure:
    """A panel per joint, one for the energy, one for the cost."""
    colours = colours_of(comparison.labels)
    panels = [joint_panel(comparison, joint, colours) for joint in comparison.shown_joints]
    curves = [
        Series(o.label, np.abs(o.energy_error), colours[o.label], o.t) for o in comparison.outcomes
    ]
    energy = logarithmic(curves, "Energy", "|E − E₀| / max T", ROOM)
    panels.append(Panel(energy, "Energy drift over time"))
    timed = [o for o in comparison.outcomes if o.cost is not None]
    if timed:
        panels.append(Panel(cost_chart(timed, colours), "Cost of a step"))
    return Figure("comparison", panels, columns=2 if len(panels) <= 4 else 3)


def joint_panel(comparison: Comparison, joint: str, colours: dict[str, str]) -> Panel:
    gaps = {o: o.gaps[joint] for o in comparison.outcomes}
    curves = [
        Series(o.label, np.maximum(gap.translation, gap.rotation), colours[o.label], o.t)
        for o, gap in gaps.items()
    ]
    unit = " or ".join(comparison.outcomes[0].gap_units(joint))
    return Panel(logarithmic(curves, joint, f"gap in {unit}", ROOM), f"Gap of {joint} over time")


def cost_chart(outcomes: list[Outcome], colours: dict[str, str]) -> Draw:
    names = [outcome.label for outcome in outcomes]
    cost = Series("", [outcome.cost or 0.0 for outcome in outcomes], "se3")
    return bars(names, [cost], "Cost", "µs per step", colours=[colours[name] for name in names])


def advice_figure(advice: Advice) -> Figure:
    """What every run costs, against what it leaves of joints and energy."""
    labels = tuple(dict.fromkeys(family(t) for t in advice.evidence))
    colours = colours_of(labels)
    finite = [t for t in advice.evidence if np.isfinite(t.worst_gap) and t.energy_drift > 0]
    chosen = advice.chosen

    def panel(title: str, unit: str, attribute: str, target: float) -> Panel:
        series = []
        for label in labels:
            own = [t for t in finite if family(t) == label]
            values = [max(getattr(t, attribute), ROOM) for t in own]
            if own:
                costs = [t.cost_per_second for t in own]
                words = [f"{t.words[2]}, {1e3 * t.options['step']:.3g} ms" for t in own]
                series.append(Series(label, values, colours[label], costs, words))
        ring = (chosen.cost_per_second, max(getattr(chosen, attribute), ROOM)) if chosen else None
        draw = front(series, ring, target, title, "million operations per simulated second", unit)
        return Panel(draw, f"{title} against cost", (4.6, 3.8))

    return Figure("advice", (
        panel("Worst joint", "gap in m or rad", "worst_gap", advice.target),
        panel("Energy", "|E − E₀| / max T", "energy_drift", advice.energy),
    ))  # fmt: skip


def family(trial: Trial) -> str:
    """Spaces and stabiliser of a run: what has one colour."""
    spaces, stabiliser, _, _ = trial.words
    short = {"none": "", "projection": ", projected", "projection of all joints": ", all projected"}
    return spaces + short.get(stabiliser, f", {stabiliser}")


#: Lines that can be told apart in one panel.
MOST_LINES = len(COLOURS)
FLOOR = 1e-16


def convergence_figure(found: Convergence) -> Figure:
    """A panel for every space: error over step, so many methods in each."""
    panels = []
    drawn = [family for family in found.families if family.runs]
    for space in dict.fromkeys(family.spaces for family in drawn):
        lines = [order_line(family) for family in drawn if family.spaces == space]
        for k in range(0, len(lines), MOST_LINES):
            group = [replace(line, colour=c) for line, c in zip(lines[k:], COLOURS)]
            draw = slopes(group, space, "step in s", f"error at {found.until:g} s, m", FLOOR)
            panels.append(Panel(draw, f"Error over step in {space}"))
    return Figure("convergence", panels, columns=3)


def order_line(family: Family) -> Series:
    """Errors over steps, named by the method and the order that was observed, if one was."""
    slope = family.observed()
    name = family.method if np.isnan(slope) else f"{family.method} ({slope:.2f})"
    errors, steps = [run.error.pose for run in family.runs], [run.step for run in family.runs]
    return Series(name, errors, "", steps)


def work_panel(works: Sequence[Work], what: str, title: str, label: str) -> Draw:
    scale = 1e3 if what == "seconds" else 1.0
    methods = list(dict.fromkeys(work.method for work in works))
    series = [
        Series(
            work.label, [point.error for point in work.points],
            COLOURS[methods.index(work.method) % MOST_LINES],
            [scale * getattr(point, what) for point in work.points], dashed=work.kind == "rtol",
        )
        for work in works
    ]  # fmt: skip
    return slopes(series, title, label, "error at the end, m", FLOOR)


def work_panels(works: Sequence[Work], title: str, words: str) -> Iterator[Panel]:
    """Error over evaluations where they are known, and over time where it was taken."""
    counted = [work for work in works if all(point.evaluations > 0.0 for point in work.points)]
    if counted:
        draw = work_panel(counted, "evaluations", title, "evaluations of the equations of motion")
        yield Panel(draw, f"Error over evaluations {words}")
    if works and all(np.isfinite(point.seconds) for work in works for point in work.points):
        draw = work_panel(works, "seconds", title, "ms of computing")
        yield Panel(draw, f"Error over time {words}")


def work_figure(found: WorkPrecision) -> Figure:
    """For every space: error over evaluations, and over time."""
    panels: list[Panel] = []
    for space in dict.fromkeys(work.spaces for work in found.works):
        own = [work for work in found.works if work.spaces == space and work.points]
        panels += work_panels(own, space, f"in {space}")
    if not panels:
        raise InvalidOption(
            "work_precision: there is nothing to draw: these methods do not count how often they"
            " solve the equations.",
            "Take the time: timing=True.",
        )
    return Figure("work", panels)
