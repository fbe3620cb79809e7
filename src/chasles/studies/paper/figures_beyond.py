"""Figures beyond the paper: references, forms of eta, random starts, loops, tableaux, steps."""

from collections.abc import Callable, Sequence

import numpy as np

from chasles.integrators.tableaux import METHODS, method
from chasles.studies.paper import examples
from chasles.studies.paper.claims.rules import DRIFTS
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.figures import (
    COLOURS,
    NAMES,
    captioned_figure,
    gap_curves,
    running_maximum,
)
from chasles.studies.paper.printed_top import MIXED
from chasles.studies.paper.study import SHOWN_SPACES, STEP_FACTORS, CaseResult, Study
from chasles.view.panels import Curve, logarithmic, signed
from chasles.view.plots import Figure, Panel
from chasles.view.study_panels import Series, against, by_name, strips


def reference_figure(study: Study) -> Figure:
    """The paper's reference is less accurate than what it judges."""
    shown = study.shown("heavy-top")
    printed = study.reference_as_printed
    errors = {s: study.position_error(o.result.position("top")) for s, o in shown.items()}
    own = study.position_error(printed.position)
    curves = [
        Curve(study.times, running_maximum(own), "paper's reference", "other", dashed=True),
        *(Curve(study.times, running_maximum(errors[s]), NAMES[s], COLOURS[s]) for s in errors),
    ]
    worst = {s: float(e.max()) for s, e in errors.items()}
    tight = study.reference_tight
    energy = float(np.abs(tight.kinetic / tight.kinetic[0] - 1).max())
    lost = printed.kinetic / printed.kinetic[0] - 1
    drifts = [Curve(study.times, lost, "paper's reference", "other", width=1.0)]
    words = {
        "energy": energy, "own": float(own.max()), "proper": worst["SE3"],
        "product": worst["SO3xR3"], "factor": worst["SO3xR3"] / worst["SE3"],
        "printed": float(np.abs(lost).max()),
    }  # fmt: skip
    return captioned_figure("reference", words, (
        logarithmic(curves, "Distance from the tight reference", "largest so far, m", 1e-12),
        signed(drifts, "Its kinetic energy", "(T − T₀)/T₀"),
    ))  # fmt: skip


def eta_figure(study: Study) -> Figure:
    """Energy and gap of the top on SO(3)xR3 with three right-hand sides of the constraint."""
    proper = study.run("heavy-top", "SE3", longer=True)
    hybrid = study.run("heavy-top", "SO3xR3", longer=True)
    mixed = study.printed(MIXED)
    mixed_energy = np.abs(mixed.kinetic / mixed.kinetic[0] - 1)
    hybrid_ratio = hybrid.energy_drift / proper.energy_drift
    mixed_ratio = float(mixed_energy.max()) / proper.energy_drift
    energies = [
        Curve(proper.t, running_maximum(proper.energy_error), "SE(3)", "se3"),
        Curve(hybrid.t, running_maximum(hybrid.energy_error), "hybrid η", "product"),
        Curve(mixed.t, running_maximum(mixed_energy), "body-fixed η", "y"),
    ]
    gaps = [
        Curve(proper.t, np.linalg.norm(proper.gaps["pivot"], axis=1), "SE(3)", "se3"),
        Curve(hybrid.t, np.linalg.norm(hybrid.gaps["pivot"], axis=1), "hybrid η", "product"),
        Curve(mixed.t, mixed.gap, "body-fixed η", "y"),
    ]
    words = {"hybrid": hybrid_ratio, "mixed": mixed_ratio, "until": proper.case.until}
    return captioned_figure("heavy-top-eta", words, (
        logarithmic(energies, "Kinetic energy", "|T − T₀|/T₀, largest so far"),
        logarithmic(gaps, "Pivot", "gap in m"),
    ))  # fmt: skip


def random_figure(study: Study) -> Figure:
    panels = []
    for kind, title, colour in (
        ("pendulum", "Double pendulums", "se3"),
        ("floating", "Floating pairs, drifting", "product"),
    ):
        if not study.random_names(kind, study.spins[0]):
            continue
        rows = [
            (f"{spin:g} rad/s, {form}", study.random_ratios(kind, spin, form))
            for spin in study.spins
            for form in ("space", "screw")
        ]
        panels.append(
            Panel(
                strips(rows, title, "gap on SE(3) / gap on SO(3)×ℝ³", colour),
                f"{title}: ratio of the gaps for random starts, medians "
                + ", ".join(f"{name}: {np.median(v):.2f}" for name, v in rows),
                size=(4.6, 0.95 + 0.43 * len(rows)),
            )
        )
    return captioned_figure("random-starts", {"starts": examples.STARTS}, panels)


def loop_figure(study: Study) -> Figure:
    panels = []
    runs = {s: study.run("three-bar", s) for s in ("SE3", "SO3xR3")}
    limit = max(o.largest_gap() for o in runs.values())
    screw = [study.loop_size(o) for o in study.pair("three-bar", "screw")]
    for s, outcome in runs.items():
        loop = np.linalg.norm(study.loop_gap(outcome)[0], axis=1)
        curves = [
            Curve(outcome.t, loop, "around the loop", "ink", width=3.0),
            *(
                Curve(outcome.t, np.linalg.norm(outcome.gaps[joint], axis=1), joint, colour)
                for joint, colour in (("joint 1", "x"), ("joint 2", "y"), ("joint 3", "z"))
            ),
        ]
        panels.append(
            Panel(
                signed(
                    curves,
                    f"{'a' if s == 'SE3' else 'b'}) {NAMES[s]}",
                    "gap in {} m",
                    limit,
                    positive=True,
                ),
                f"Gaps of the three joints and of the loop on {NAMES[s]}",
            )
        )
    return captioned_figure("loop-identity", {"screw": screw}, panels)


def platform_figure(study: Study) -> Figure:
    shown = study.shown(examples.platform_name(examples.PLATFORM_SPEED))
    speeds = [v for v in examples.PLATFORM_SPEEDS if v > 0]
    series = over_speeds(study, examples.platform_name, speeds, "pivot")
    overtaken = [v for v, a, b in zip(speeds, series[0].values, series[1].values) if a > b]
    crossing = (
        f" and is larger than that on SO(3)×ℝ³ from {overtaken[0]:g} m/s on" if overtaken else ""
    )
    words = {
        "crossing": crossing, "framed": max(series[2].values), "inside": max(series[3].values),
    }  # fmt: skip
    return captioned_figure("platform", words, (
        logarithmic(gap_curves(shown, "pivot"), f"Platform at {examples.PLATFORM_SPEED:g} m/s",
                    "gap in m"),
        against(series, "Any speed", "speed of the platform in m/s", "largest gap in m"),
    ))  # fmt: skip


def over_speeds(
    study: Study, name: Callable[[float], str], speeds: Sequence[float], joint: str
) -> list[Series]:
    """The largest gaps of a joint of the models of some speeds, in every space."""
    return [
        Series(NAMES[s], [study.shown(name(v))[s].gap(joint) for v in speeds], COLOURS[s], speeds)
        for s in SHOWN_SPACES
    ]


def free_figure(study: Study) -> Figure:
    """A pair in flight at several speeds, and the momentum of one free body."""
    series = over_speeds(study, examples.boosted_name, examples.BOOSTS, "joint")
    curves = []
    for s, outcome in study.shown("free body").items():
        momentum = outcome.result.momentum()
        loss = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
        curves.append(Curve(outcome.t, loss, NAMES[s], COLOURS[s]))
    words = {
        "proper": series[0].values[-1], "product": series[1].values[-1],
        "framed": max(series[2].values), "inside": max(series[3].values),
        "fastest": examples.BOOSTS[-1],
    }  # fmt: skip
    return captioned_figure("free-flight", words, (
        against(series, "Floating pair", "speed of the pair in m/s", "largest gap in m"),
        logarithmic(curves, "Free body", "|p − p₀|/|p₀|"),
    ))  # fmt: skip


def projection_figure(study: Study) -> Figure:
    """The 3-bar's loop-closing joint, closed again after every step."""
    free = study.chosen("three-bar")
    closed = study.chosen("three-bar", stabilise="projection")
    named = (("as it is", free, "chosen"), ("projected", closed, "other"))
    gaps = [
        Curve(o.t, np.max([np.linalg.norm(g, axis=1) for g in o.gaps.values()], axis=0), name, c)
        for name, o, c in named
    ]
    energies = [Curve(o.t, running_maximum(o.energy_error), name, c) for name, o, c in named]
    words = {
        "gap": closed.largest_gap(), "before": free.energy_drift, "after": closed.energy_drift
    }  # fmt: skip
    return captioned_figure("projection", words, (
        logarithmic(gaps, "Largest gap of the three joints", "gap in m"),
        logarithmic(energies, "Energy", "|E − E₀|/T₀, largest so far"),
    ))  # fmt: skip


# --- over many runs: every tableau, smaller steps, a longer time ----------------------------------

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
    return captioned_figure("tableaux", {}, panels)


def value_of(outcome: CaseResult, joint: str, what: str) -> float:
    return outcome.gap(joint) if what == "gap" else outcome.energy_drift


def steps_figure(study: Study) -> Figure:
    panels: list[Panel] = []
    slopes: list[float] = []
    order = method(study.options.method).order
    steps = np.array([factor * study.options.step for factor in STEP_FACTORS])[::-1]
    for example in study.of_paper:
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
    return captioned_figure("steps", {"slope": np.median(slopes), "order": order}, panels)


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
    return captioned_figure("longer", {"until": until}, panels)
