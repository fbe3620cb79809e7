"""The paper's figures: every joint and every energy, on both groups and on what chasles chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.runs import CaseResult
from chasles.studies.paper.study import Study
from chasles.studies.paper.words import filled, words
from chasles.view.outline import sketch
from chasles.view.panels import Curve, components, logarithmic, signed
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.theme import scientific

COLOURS = {"SE3": "se3", "SO3xR3": "product", "framed": "other", "auto": "chosen"}
NAMES = {"SE3": "SE(3)", "SO3xR3": "SO(3)×ℝ³", "framed": "framed", "auto": "subgroup"}
LETTERS = {
    "SE3": "a) SE(3)",
    "SO3xR3": "b) SO(3)×ℝ³",
    "framed": "c) SO(3)×ℝ³ framed on the joint",
    "auto": "d) the joint's subgroup",
}
#: From panel to panel.
ONE_CHANGE = (
    " From b) to c) only frame point and reference change: the group is framed on the"
    " parent joint of the body, and relative to the parent body; d) has the joint's own motion"
    " subgroup, the default of this package, in which a tree has no constraints at all."
)
#: How a space is called in a sentence.
PLACES = {"framed": "on SO(3)×ℝ³", "subgroup": "in the joint's"}
#: Energy panels share an axis if the largest drift is less than this many times the smallest.
SHARED_AXIS = 30.0
WORDS = ("title", "caption")


def told_figure(
    name: str, numbers: Mapping[str, Any], panels: Sequence[Panel | Draw], **more: Any
) -> Figure:
    """A figure with the words of words.toml; `more` is about the panels that have theirs there."""
    entry = words()["figures"][name]
    title, caption = (filled(entry[what], numbers) for what in WORDS)
    labels = (filled(label, numbers) for label in entry.get("panels", ()))
    drawn = (p if isinstance(p, Panel) else Panel(p, next(labels), **more) for p in panels)
    return Figure(name, title, caption, tuple(drawn))


def gap_curves(shown: dict[str, CaseResult], joint: str) -> list[Curve]:
    return [
        Curve(o.t, np.linalg.norm(o.gaps[joint], axis=1), NAMES[s], COLOURS[s])
        for s, o in shown.items()
    ]


def joint_figure(study: Study, example: str, joint: str) -> Figure:
    """Panels a) and b) as in the paper, c) framed on the joint, d) the joint's subgroup."""
    shown = study.shown(example)
    panels = [
        Panel(
            components(o.t, o.gaps[joint], LETTERS[s]),
            f"{EXAMPLES[example].title}, {joint}, {NAMES[s]}: gap over time, at most"
            f" {scientific(o.gap(joint))} m",
        )
        for s, o in shown.items()
    ]
    panels.append(
        Panel(
            logarithmic(gap_curves(shown, joint), "All on one axis", "gap in m"),
            f"{EXAMPLES[example].title}, {joint}: the four gaps on one logarithmic axis",
        )
    )
    gaps = {s: o.gap(joint) for s, o in shown.items()}
    return Figure(
        f"{example}-{joint}".replace(" ", "-"),
        f"{EXAMPLES[example].title}: {joint}",
        gap_caption(gaps)
        + " Mind the units: panels a) to d) have their own scales."
        + ONE_CHANGE
        + same_form(study, example),
        tuple(panels),
    )  # fmt: skip


def same_form(study: Study, example: str) -> str:
    """Where a paper's space is better in that form as well, this is said."""
    product, chosen = study.run(example, "SO3xR3", "screw"), study.chosen(example)
    if product.largest_gap() >= chosen.largest_gap():
        return ""
    return (
        " In d) the joint that closes the loop is in the screw form. In this form plain SO(3)×ℝ³"
        " has the smaller largest gap,"
        f" {scientific(product.largest_gap())} m against {scientific(chosen.largest_gap())} m,"
        f" with an energy drift of {scientific(product.energy_drift())} against"
        f" {scientific(chosen.energy_drift())} (both before projection)."
    )


def gap_caption(gaps: dict[str, float]) -> str:
    """What to see, from the figures themselves."""
    exact = [NAMES[s] for s in gaps if gaps[s] < 1e-12]
    drifting = {NAMES[s]: gaps[s] for s in gaps if gaps[s] >= 1e-12}
    parts = []
    if exact:
        held = f"{', '.join(exact[:-1])} and {exact[-1]}" if len(exact) > 1 else exact[0]
        held = held if len(exact) < len(gaps) else "all four"
        parts.append(f"{held} hold{'s' if len(exact) == 1 else ''} the joint to round-off")
    if drifting:
        opened = ", ".join(
            f"{scientific(v)} m {PLACES.get(n, 'on')} {n}" for n, v in drifting.items()
        )
        parts.append(f"it drifts by up to {opened}")
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def energy_figure(study: Study, example: str) -> Figure:
    shown = study.shown(example)
    drifts = [o.energy_drift() for o in shown.values()]
    shared = max(drifts) < SHARED_AXIS * min(drifts)
    label = "(E − E₀)/T₀"
    panels = [
        Panel(
            signed(
                [Curve(o.t, o.energy_error, NAMES[s], COLOURS[s])],
                LETTERS[s],
                label,
                max(drifts) if shared else None,
            ),
            f"{EXAMPLES[example].title}, {NAMES[s]}: drift of {EXAMPLES[example].energy_name}, at"
            f" most {scientific(o.energy_drift())}",
        )
        for s, o in shown.items()
    ]
    running = [
        Curve(o.t, running_maximum(o.energy_error), NAMES[s], COLOURS[s]) for s, o in shown.items()
    ]
    panels.append(
        Panel(
            logarithmic(running, "Largest so far, on one axis", "|E − E₀|/T₀"),
            f"{EXAMPLES[example].title}: the four energy drifts on one logarithmic axis",
        )
    )
    axes = "Panels a) to d) share their axis." if shared else "Panels a) to d) have their own axes."
    name = EXAMPLES[example].energy_name
    return Figure(
        f"{example}-energy",
        f"{EXAMPLES[example].title}: drift of {name}",
        f"Relative to the kinetic energy at the start: {scientific(drifts[0])} on SE(3),"
        f" {scientific(drifts[1])} on SO(3)×ℝ³, {scientific(drifts[2])} framed on the joints,"
        f" {scientific(drifts[3])} in their subgroups. {axes}{ONE_CHANGE}",
        tuple(panels),
    )


def running_maximum(values: Floats) -> Floats:
    return np.maximum.accumulate(np.abs(values))


def story_figure(study: Study) -> Figure:
    """The one picture: joint 2 of the double pendulum."""
    shown, o = study.shown("double-pendulum"), study.options
    curves = [replace(curve, width=2.0) for curve in gap_curves(shown, "joint 2")]
    gaps = [outcome.gap("joint 2") for outcome in shown.values()]
    draw = logarithmic(curves, "", "gap of joint 2 in m")
    numbers = {"method": o.method, "step": o.step, "gaps": gaps}
    return told_figure("story", numbers, [draw], size=(7.6, 3.4), phone_size=(4.6, 3.0))


def sketch_figure(example: str) -> Figure:
    model = EXAMPLES[example].model
    return Figure(
        f"sketch-{example}",
        "",
        "Drawn from the model at its start, to scale.",
        (sketch(model, f"Sketch of the {EXAMPLES[example].title.lower()}"),),
        columns=1,
    )


def example_figures(study: Study, example: str) -> list[Figure]:
    joints = EXAMPLES[example].model.joint_names
    return [
        *(joint_figure(study, example, joint) for joint in joints),
        energy_figure(study, example),
    ]
