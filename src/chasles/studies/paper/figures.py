"""The paper's figures: every joint and every energy, on both groups and on what chasles chooses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.rules import EXACT
from chasles.studies.paper.study import CaseResult, Study
from chasles.studies.words import filled, words
from chasles.view.panels import Series, components, logarithmic, signed
from chasles.view.picture import sketch
from chasles.view.plots import Draw, Figure, Panel
from chasles.view.theme import scientific

COLOURS = {
    "SE3": "se3", "SO3xR3": "product", "framed": "other", "auto": "chosen",
    "hybrid η": "product", "body-fixed η": "y", "as it is": "chosen", "projected": "other",
}  # fmt: skip
NAMES = {"SE3": "SE(3)", "SO3xR3": "SO(3)×ℝ³", "framed": "framed", "auto": "subgroup"}
LETTERS = {
    "SE3": "a) SE(3)",
    "SO3xR3": "b) SO(3)×ℝ³",
    "framed": "c) SO(3)×ℝ³ framed on the joint",
    "auto": "d) the joint's subgroup",
}
#: How a space is called in a sentence.
PLACES = {"framed": "on SO(3)×ℝ³", "subgroup": "in the joint's"}
#: Energy panels share an axis if the largest drift is less than this many times the smallest.
SHARED_AXIS = 30.0


def captioned_figure(
    name: str, numbers: Mapping[str, Any], panels: Sequence[Panel | Draw], entry: str = "",
    also: Sequence[str] = (), **more: Any,
) -> Figure:  # fmt: skip
    """A figure with the words of an entry in words.toml, by default that of its name.

    also   remarks that follow the caption
    more   about the panels that have their words there
    """
    texts = words()["figures"]
    text_of = texts[entry or name]
    captions = [text_of["caption"], *(texts["remarks"][remark] for remark in also)]
    labels = (filled(label, numbers) for label in text_of.get("panels", ()))
    drawn = [p if isinstance(p, Panel) else Panel(p, next(labels), **more) for p in panels]
    title, caption = filled(text_of["title"], numbers), filled(" ".join(captions), numbers)
    return Figure(name, drawn, title, caption)


# --- curves of runs -------------------------------------------------------------------------------

Values = Callable[[CaseResult], Floats]


def curves(shown: Mapping[str, CaseResult], values: Values) -> list[Series]:
    """Values of the runs over time, in the colours of their spaces."""
    return [series(s, values(o), o.t) for s, o in shown.items()]


def series(key: str, values: Any, x: Any = ()) -> Series:
    """Values in a space, or in another case, by its name and in its colour."""
    return Series(NAMES.get(key, key), values, COLOURS[key], x)


def gap(joint: str) -> Values:
    return lambda outcome: outcome.gaps[joint].translation


def largest_so_far(values: Floats) -> Floats:
    return np.maximum.accumulate(np.abs(values))


def drift_so_far(outcome: CaseResult) -> Floats:
    return largest_so_far(outcome.energy_error)


# --- the examples ---------------------------------------------------------------------------------


def joint_figure(study: Study, example: str, joint: str) -> Figure:
    """Panels a) and b) as in the paper, c) framed on the joint, d) the joint's subgroup."""
    shown = study.shown(example)
    gaps = {s: o.gap(joint) for s, o in shown.items()}
    both = study.run(example, "SO3xR3", "screw"), study.chosen(example)
    sizes = [o.largest_gap() for o in both]
    # Where a paper's space is better in that form as well, this is said.
    remarks = ["change", "form"] if sizes[0] < sizes[1] else ["change"]
    numbers = {
        "example": EXAMPLES[example].title, "joint": joint, "gaps": list(gaps.values()),
        "found": gap_caption(gaps), "sizes": sizes, "drifts": [o.energy_drift for o in both],
    }  # fmt: skip
    panels = [
        components(o.t, o.result.violation(joint, vector=True), LETTERS[s], "gap in {} m")
        for s, o in shown.items()
    ]
    panels.append(logarithmic(curves(shown, gap(joint)), "All on one axis", "gap in m"))
    name = f"{example}-{joint}".replace(" ", "-")
    return captioned_figure(name, numbers, panels, "joint", remarks)


def gap_caption(gaps: Mapping[str, float]) -> str:
    """What to see, from the figures themselves."""
    exact = [NAMES[s] for s in gaps if gaps[s] < EXACT]
    drifting = {NAMES[s]: gaps[s] for s in gaps if gaps[s] >= EXACT}
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
    drifts = [o.energy_drift for o in shown.values()]
    shared = max(drifts) < SHARED_AXIS * min(drifts)
    limit = max(drifts) if shared else None
    panels = [
        signed([curve], LETTERS[s], "(E − E₀)/T₀", limit)
        for s, curve in zip(shown, curves(shown, lambda o: o.energy_error))
    ]
    so_far = curves(shown, drift_so_far)
    panels.append(logarithmic(so_far, "Largest so far, on one axis", "|E − E₀|/T₀"))
    numbers = {
        "example": EXAMPLES[example].title, "energy": EXAMPLES[example].energy_name,
        "drifts": drifts, "axes": "share their axis" if shared else "have their own axes",
    }  # fmt: skip
    return captioned_figure(f"{example}-energy", numbers, panels, "energy", ["change"])


def story_figure(study: Study) -> Figure:
    """The one picture: joint 2 of the double pendulum."""
    shown, o = study.shown("double-pendulum"), study.options
    thick = [replace(curve, width=2.0) for curve in curves(shown, gap("joint 2"))]
    gaps = [outcome.gap("joint 2") for outcome in shown.values()]
    draw = logarithmic(thick, "", "gap of joint 2 in m")
    numbers = {"method": o.method, "step": o.step, "gaps": gaps}
    return captioned_figure("story", numbers, [draw], size=(7.6, 3.4), phone_size=(4.6, 3.0))


def sketch_figure(example: str) -> Figure:
    words = f"Sketch of the {EXAMPLES[example].title.lower()}"
    panel = Panel(sketch(EXAMPLES[example].model), words, (3.4, 2.6))
    caption = "Drawn from the model at its start, to scale."
    return Figure(f"sketch-{example}", [panel], caption=caption)


def example_figures(study: Study, example: str) -> list[Figure]:
    joints = EXAMPLES[example].model.joint_names
    return [
        *(joint_figure(study, example, joint) for joint in joints),
        energy_figure(study, example),
    ]
