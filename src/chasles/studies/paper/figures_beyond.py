"""Figures beyond the paper: references, forms of eta, random starts, loops, tableaux, steps."""

from collections.abc import Mapping

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.tableaux import METHODS, method
from chasles.studies.measure import log_slope
from chasles.studies.paper import examples
from chasles.studies.paper.examples import EXAMPLES, RANDOM_KINDS
from chasles.studies.paper.figures import (
    NAMES,
    captioned_figure,
    curves,
    drift_so_far,
    gap,
    largest_so_far,
    series,
)
from chasles.studies.paper.printed_top import (
    MIXED,
    PAPER_TOLERANCES,
    TIGHT_TOLERANCES,
    quaternion_reference,
)
from chasles.studies.paper.rules import DRIFTS
from chasles.studies.paper.study import (
    FORMS,
    PAPER_SPACES,
    SHOWN_SPACES,
    STEP_FACTORS,
    CaseResult,
    Study,
)
from chasles.studies.paper_mechanisms import heavy_top
from chasles.view.panels import Series, logarithmic, signed
from chasles.view.plots import Figure, Panel
from chasles.view.study_panels import dots, slopes, strips


def reference_figure(study: Study) -> Figure:
    """The paper's reference is less accurate than what it judges."""
    shown = study.shown("heavy-top")
    t = shown["SE3"].t
    printed, tight = (
        quaternion_reference(heavy_top(), t, tolerances)
        for tolerances in (PAPER_TOLERANCES, TIGHT_TOLERANCES)
    )

    def error_so_far(outcome: CaseResult) -> Floats:
        return distance_so_far(outcome.result.position("top"))

    def distance_so_far(position: Floats) -> Floats:
        return largest_so_far(np.linalg.norm(position - tight.position, axis=1))

    own = distance_so_far(printed.position)
    lost = printed.kinetic / printed.kinetic[0] - 1
    distances = [
        Series("paper's reference", own, "other", t, dashed=True),
        *curves(shown, error_so_far),
    ]
    drifts = [Series("paper's reference", lost, "other", t, width=1.0)]
    proper, product = (float(error_so_far(shown[s])[-1]) for s in PAPER_SPACES)
    words = {
        "energy": float(np.abs(tight.kinetic / tight.kinetic[0] - 1).max()),
        "own": float(own[-1]), "proper": proper, "product": product, "factor": product / proper,
        "printed": float(np.abs(lost).max()),
    }  # fmt: skip
    return captioned_figure("reference", words, (
        logarithmic(distances, "Distance from the tight reference", "largest so far, m", 1e-12),
        signed(drifts, "Its kinetic energy", "(T − T₀)/T₀"),
    ))  # fmt: skip


def eta_figure(study: Study) -> Figure:
    """Energy and gap of the top on SO(3)xR3 with three right-hand sides of the constraint."""
    proper, hybrid = study.pair("heavy-top", longer=True)
    mixed = study.printed(MIXED)
    mixed_energy = np.abs(mixed.kinetic / mixed.kinetic[0] - 1)
    both = {"SE3": proper, "hybrid η": hybrid}
    energies = curves(both, drift_so_far)
    energies.append(series("body-fixed η", largest_so_far(mixed_energy), mixed.t))
    gaps = [*curves(both, gap("pivot")), series("body-fixed η", mixed.gap, mixed.t)]
    words = {
        "hybrid": hybrid.energy_drift / proper.energy_drift,
        "mixed": float(mixed_energy.max()) / proper.energy_drift, "until": proper.until,
    }  # fmt: skip
    return captioned_figure("heavy-top-eta", words, (
        logarithmic(energies, "Kinetic energy", "|T − T₀|/T₀, largest so far"),
        logarithmic(gaps, "Pivot", "gap in m"),
    ))  # fmt: skip


def random_figure(study: Study) -> Figure:
    looks = {
        "pendulum": ("Double pendulums", "se3"),
        "floating": ("Floating pairs, drifting", "product"),
    }
    panels = []
    for kind in filter(lambda kind: study.has(RANDOM_KINDS[kind]), looks):
        title, colour = looks[kind]
        rows = [
            (f"{spin:g} rad/s, {form}", study.random_ratios(kind, spin, form))
            for spin in study.spins
            for form in FORMS
        ]
        medians = ", ".join(f"{name}: {np.median(v):.2f}" for name, v in rows)
        draw = strips(rows, title, "gap on SE(3) / gap on SO(3)×ℝ³", colour)
        label = f"{title}: ratio of the gaps for random starts, medians {medians}"
        panels.append(Panel(draw, label, size=(4.6, 0.95 + 0.43 * len(rows))))
    return captioned_figure("random-starts", {"starts": examples.STARTS}, panels)


def loop_figure(study: Study) -> Figure:
    panels = []
    runs = study.pair("three-bar")
    limit = max(o.largest_gap() for o in runs)
    screw = [study.loop_size(o) for o in study.pair("three-bar", "screw")]
    for letter, spaces, o in zip("ab", PAPER_SPACES, runs):
        loop, name = np.linalg.norm(study.loop_gap(o)[0], axis=1), NAMES[spaces]
        thin = [Series(joint, gap(joint)(o), colour, o.t) for joint, colour in zip(o.gaps, "xyz")]
        every = [Series("around the loop", loop, "ink", o.t, width=3.0), *thin]
        draw = signed(every, f"{letter}) {name}", "gap in {} m", limit, positive=True)
        panels.append(Panel(draw, f"Gaps of the three joints and of the loop on {name}"))
    return captioned_figure("loop-identity", {"screw": screw}, panels)


def platform_figure(study: Study) -> Figure:
    at = examples.PLATFORM_SPEED
    shown = study.shown(examples.PLATFORMS[at])
    moving = {speed: name for speed, name in examples.PLATFORMS.items() if speed > 0}
    lines = over_speeds(study, moving, "pivot")
    overtaken = [v for v, a, b in zip(moving, lines[0].values, lines[1].values) if a > b]
    crossing = (
        f" and is larger than that on SO(3)×ℝ³ from {overtaken[0]:g} m/s on" if overtaken else ""
    )
    words = {
        "crossing": crossing, "framed": max(lines[2].values), "inside": max(lines[3].values),
    }  # fmt: skip
    return captioned_figure("platform", words, (
        logarithmic(curves(shown, gap("pivot")), f"Platform at {at:g} m/s", "gap in m"),
        slopes(lines, "Any speed", "speed of the platform in m/s", "largest gap in m"),
    ))  # fmt: skip


def over_speeds(study: Study, models: Mapping[float, str], joint: str) -> list[Series]:
    """The largest gaps of a joint of the models of some speeds, in every space."""
    return [
        series(s, [study.shown(name)[s].gap(joint) for name in models.values()], list(models))
        for s in SHOWN_SPACES
    ]


def free_figure(study: Study) -> Figure:
    """A pair in flight at several speeds, and the momentum of one free body."""
    lines = over_speeds(study, examples.BOOSTED, "joint")

    def loss(outcome: CaseResult) -> Floats:
        momentum = outcome.result.momentum()
        return np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])

    words = {
        "proper": lines[0].values[-1], "product": lines[1].values[-1],
        "framed": max(lines[2].values), "inside": max(lines[3].values),
        "fastest": max(examples.BOOSTED),
    }  # fmt: skip
    return captioned_figure("free-flight", words, (
        slopes(lines, "Floating pair", "speed of the pair in m/s", "largest gap in m"),
        logarithmic(curves(study.shown("free body"), loss), "Free body", "|p − p₀|/|p₀|"),
    ))  # fmt: skip


def projection_figure(study: Study) -> Figure:
    """The 3-bar's loop-closing joint, closed again after every step."""
    free = study.chosen("three-bar")
    closed = study.chosen("three-bar", stabilise="projection")
    both = {"as it is": free, "projected": closed}

    def largest_gap(outcome: CaseResult) -> Floats:
        return np.max([own.translation for own in outcome.gaps.values()], axis=0)

    words = {
        "gap": closed.largest_gap(), "before": free.energy_drift, "after": closed.energy_drift
    }  # fmt: skip
    return captioned_figure("projection", words, (
        logarithmic(curves(both, largest_gap), "Largest gap of the three joints", "gap in m"),
        logarithmic(curves(both, drift_so_far), "Energy", "|E − E₀|/T₀, largest so far"),
    ))  # fmt: skip


# --- over many runs: every tableau, smaller steps, a longer time ----------------------------------


def tableaux_figure(study: Study) -> Figure:
    panels = []
    for key in filter(study.has, ("heavy-top", "double-pendulum")):
        joint, title = EXAMPLES[key].worst_joint, EXAMPLES[key].title
        runs = [study.shown(key, method=name) for name in METHODS]
        gaps = [series(s, [run[s].gap(joint) for run in runs]) for s in SHOWN_SPACES]
        drifts = [series(s, [run[s].energy_drift for run in runs]) for s in SHOWN_SPACES]
        draws = {
            "gap": dots(METHODS, gaps, title, f"gap of {joint} in m"),
            "energy": dots(METHODS, drifts, title, "|E − E₀|/T₀"),
        }
        labels = {what: f"{title}: {what} for nine tableaux" for what in draws}
        panels += [Panel(draw, labels[what], (4.8, 4.2)) for what, draw in draws.items()]
    return captioned_figure("tableaux", {}, panels)


def steps_figure(study: Study) -> Figure:
    panels: list[Panel] = []
    fitted: list[float] = []
    order = method(study.options.method).order
    steps = np.array([factor * study.options.step for factor in STEP_FACTORS])[::-1]
    for key in study.of_paper:
        joint, title = EXAMPLES[key].worst_joint, EXAMPLES[key].title
        lines = []
        for s in SHOWN_SPACES:
            gaps = np.array([study.shown(key, step=float(h))[s].gap(joint) for h in steps])
            lines.append(series(s, gaps, steps))
            if np.isfinite(gaps).all() and gaps.max() > DRIFTS:
                fitted.append(log_slope(list(zip(steps, gaps))))
        draw = slopes(lines, f"{title}, {joint}", "step in s", "largest gap in m", order=order)
        panels.append(Panel(draw, f"{title}: largest gap over the step"))
    return captioned_figure("steps", {"slope": np.median(fitted), "order": order}, panels)


def longer_figure(study: Study) -> Figure:
    panels = []
    for key in study.options.chosen:
        joint, shown = EXAMPLES[key].worst_joint, study.shown(key, longer=True)
        title, until = f"{EXAMPLES[key].title}, {joint}", shown["SE3"].until
        draw = logarithmic(curves(shown, gap(joint)), title, "gap in m")
        panels.append(Panel(draw, f"{title}, over {until:g} s"))
    return captioned_figure("longer", {"until": until}, panels)
