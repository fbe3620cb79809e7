"""Closed loops: every loop-closing joint, and what redundant constraints leave of joints."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.model import Model
from chasles.spaces import Space, designate
from chasles.studies import gallery
from chasles.studies.library import bennett, bricard, four_bar
from chasles.studies.measure import Outcome
from chasles.studies.spaces_study.cases import RULES, STEP, Scope, run

REDUNDANT_STEP = 5e-3  # s
REDUNDANT_METHODS = ("heun", "rk4")

#: Runs of a loop beside those with a chosen loop-closing joint.
UNCUT: dict[str, tuple[str, str | None]] = {
    "SE3": ("SE3", None),
    "SO3xR3": ("SO3xR3", None),
    "framed": ("framed", None),
    "subgroups": ("subgroups", None),
    "SE3, projected": ("SE3", "projection"),
    "SO3xR3, projected": ("SO3xR3", "projection of all joints"),
    "framed, projected": ("framed", "projection"),
    "subgroups, projected": ("subgroups", "projection"),
}


def cuts(model: Model, scope: Scope, what: str) -> dict[str, Any]:
    """Every joint as the loop-closing one: gap, energy and error, without and with projection.

    The error is the largest distance of a centre of mass from a run of order 8 with a quarter of
    the step, over the first half second.
    """
    reference = run(
        model, "subgroups", method="dop853", step=STEP / 4, stabilise="projection", until=0.5
    )
    rows = {}
    for joint in model.joint_names:
        chosen = designate(model, cut=[joint])
        row: dict[str, Any] = {"depth": depth(chosen.spaces)}
        for name, stabilise in (("none", None), ("projected", "projection")):
            outcome = scope.run(model, chosen, f"{what} closed by {joint}", stabilise=stabilise)
            row[name] = numbers(outcome, reference)
        rows[joint] = row
    others = {}
    for name, (rule, stabilise) in UNCUT.items():
        outcome = scope.run(model, rule, f"{what}, {name}", stabilise=stabilise)
        others[name] = numbers(outcome, reference)
    return {"cuts": rows, "others": others}


def numbers(outcome: Outcome, reference: Outcome) -> dict[str, float]:
    """Gap, energy, and error over the reference's duration, at the times of the coarser run."""
    count = (len(reference.t) - 1) // 4 + 1
    near, far = reference.result, outcome.result
    missed = [
        np.linalg.norm(far.position(b)[:count] - near.position(b)[::4][:count], axis=1).max()
        for b in far.model.bodies
    ]
    return {"gap": outcome.worst_gap, "energy": outcome.energy_drift, "error": float(max(missed))}


def depth(spaces: Mapping[str, Space]) -> int:
    """The longest way from a body to the ground through references."""
    longest = 0
    for name in spaces:
        length, at = 1, spaces[name].relative_to
        while at is not None:
            length, at = length + 1, spaces[at].relative_to
        longest = max(longest, length)
    return longest


def loops(scope: Scope) -> dict[str, Any]:
    """Every loop-closing joint of the 3-bar, the slider-crank and of random loops."""
    random = {f"loop {seed}": gallery.random_loop(seed) for seed in range(scope.loops)}
    return {
        "three-bar": cuts(gallery.three_bar(), scope, "three-bar"),
        "slider-crank": cuts(gallery.slider_crank(), scope, "slider-crank"),
        "random": [cuts(model, scope, name) for name, model in random.items()],
    }


# --- over-constrained linkages --------------------------------------------------------------------

LINKAGES = {
    "four-bar": four_bar.model,
    "Bennett's linkage": bennett.model,
    "Bricard's linkage": bricard.model,
}


def redundant(scope: Scope) -> dict[str, Any]:
    """The worst joint of those predicted to hold, and the worst of the others, run by run."""
    return {
        name: {
            method: {rule: gaps_of(scope, name, model(), rule, method) for rule in RULES}
            for method in REDUNDANT_METHODS
        }
        for name, model in LINKAGES.items()
    }


def gaps_of(scope: Scope, name: str, model: Model, rule: str, method: str) -> dict[str, Any]:
    what = f"{name}, {rule}, {method}"
    outcome = scope.run(model, rule, what, method=method, step=REDUNDANT_STEP)
    drifting = outcome.result.problem.choice.drifting
    gaps = {joint: gap.worst for joint, gap in outcome.gaps.items()}
    held = [gap for joint, gap in gaps.items() if joint not in drifting]
    return {
        "held": max(held) if held else None,
        "drifting": max(gaps[joint] for joint in drifting),
    }
