"""Figures over many runs: every tableau, smaller steps, a longer time."""

import numpy as np

from chasles.integrators.tableaux import METHODS, method
from chasles.studies.paper.claims.rules import DRIFTS
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.figures import COLOURS, NAMES, gap_curves, told_figure
from chasles.studies.paper.runs import CaseResult
from chasles.studies.paper.study import SHOWN_SPACES, STEP_FACTORS, Study
from chasles.view.panels import logarithmic
from chasles.view.plots import Figure, Panel
from chasles.view.study_panels import Series, against, by_name

WORST_JOINT = {
    "heavy-top": "pivot",
    "double-pendulum": "joint 2",
    "floating-pair": "joint",
    "three-bar": "joint 2",
    "bruls-cardona-top": "pivot",
}


def tableaux_figure(study: Study) -> Figure:
    panels = []
    names = list(METHODS)
    for example in ("heavy-top", "double-pendulum"):
        if not study.has(example):
            continue
        for what in ("gap", "energy"):
            series = []
            for k, s in enumerate(SHOWN_SPACES):
                outcomes = [study.shown(example, method=m)[s] for m in names]
                y = [value_of(o, WORST_JOINT[example], what) for o in outcomes]
                x = [place + 0.17 * (k - 1.5) for place in range(len(names))]
                series.append(Series(NAMES[s], y, COLOURS[s], x))
            label = f"gap of {WORST_JOINT[example]} in m" if what == "gap" else "|E − E₀|/T₀"
            panels.append(
                Panel(
                    by_name(names, series, EXAMPLES[example].title, label),
                    f"{EXAMPLES[example].title}: {what} for nine tableaux",
                    size=(5.0, 2.75),
                )
            )
    return told_figure("tableaux", {}, panels)


def value_of(outcome: CaseResult, joint: str, what: str) -> float:
    return outcome.gap(joint) if what == "gap" else outcome.energy_drift()


def steps_figure(study: Study) -> Figure:
    panels: list[Panel] = []
    slopes: list[float] = []
    order = method(study.options.method).order
    steps = np.array([factor * study.options.step for factor in STEP_FACTORS])[::-1]
    for example in ("heavy-top", "double-pendulum", "floating-pair", "three-bar"):
        if not study.has(example):
            continue
        series = []
        for s in SHOWN_SPACES:
            outcomes = [study.shown(example, step=float(h))[s] for h in steps]
            gaps = np.array([o.gap(WORST_JOINT[example]) for o in outcomes])
            series.append(Series(NAMES[s], gaps, COLOURS[s], steps))
            if np.isfinite(gaps).all() and gaps.max() > DRIFTS:
                slopes.append(np.polyfit(np.log(steps), np.log(gaps), 1)[0])
        panels.append(
            Panel(
                against(series, f"{EXAMPLES[example].title}, {WORST_JOINT[example]}",
                        "step in s", "largest gap in m", slope=order),
                f"{EXAMPLES[example].title}: largest gap over the step",
            )
        )  # fmt: skip
    return told_figure("steps", {"slope": np.median(slopes), "order": order}, panels)


def longer_figure(study: Study) -> Figure:
    panels = []
    until = 0.0
    for example in study.options.chosen:
        joint = WORST_JOINT[example]
        shown = study.shown(example, longer=True)
        until = shown["SE3"].case.until
        panels.append(
            Panel(
                logarithmic(gap_curves(shown, joint), f"{EXAMPLES[example].title}, {joint}",
                            "gap in m"),
                f"{EXAMPLES[example].title}, {joint}, over {until:g} s",
            )
        )  # fmt: skip
    return told_figure("longer", {"until": until}, panels)
