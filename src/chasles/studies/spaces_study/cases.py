"""What is measured, one function per question; each gives plain numbers, ready for JSON."""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.integrators.maps import munthe_kaas
from chasles.model import Model
from chasles.model.checks import as_vector
from chasles.spaces import Space
from chasles.studies import gallery
from chasles.studies.measure import Candidate, Outcome, costs, measure
from chasles.studies.predictions import predictions_of

STEP, UNTIL = 1e-3, 1.0
USUAL = {"method": "rk4", "step": STEP, "acceleration": "screw", "stabilise": None}
BOOSTS = (0.0, 0.1, 1.0, 10.0, 100.0)  # m/s
SPEEDS = (0.001, 0.01, 0.1, 1.0, 10.0)  # m/s, of the platform
RULES = ("SE3", "SO3xR3", "framed", "subgroups")
FAST = 100.0  # rad/s, where the maps are told apart
CAYLEY_STEPS = (2e-3, 1e-3)  # s
METHODS = ("heun", "kutta3", "rk4", "dopri5")


class Effort:
    """How much is run: `quick` fewer starts and sizes, `slow` a million steps of the long run."""

    def __init__(self, quick: bool, slow: bool = False) -> None:
        self.quick = quick
        self.long: tuple[int, ...] = (1_000, 10_000) if quick else (1_000, 10_000, 100_000)  # steps
        self.long += (1_000_000,) if slow else ()
        self.starts = 2 if quick else 7
        self.trees = 10 if quick else 100
        self.loops = 4 if quick else 30
        self.chains = (1, 4, 16) if quick else (1, 2, 4, 8, 16, 32, 64)
        self.laps = 2 if quick else 20


class Ledger:
    """Every prediction of the study, and how many were wrong."""

    def __init__(self) -> None:
        self.checked = 0
        self.held = 0
        self.wrong: list[str] = []

    def enter(self, model: Model, outcome: Outcome) -> None:
        for prediction in predictions_of(model, outcome):
            self.checked += 1
            self.held += prediction.exact
            if not prediction.agrees:
                self.wrong.append(str(prediction))


def run(
    model: Model, spaces: Any, ledger: Ledger | None = None, what: str = "", **more: Any
) -> Outcome:
    """One run with the study's usual options."""
    options = {**USUAL, "spaces": spaces, **more}
    until = options.pop("until", UNTIL)
    outcome = measure(model, Candidate(what, options), until)
    if ledger is not None:
        ledger.enter(model, outcome)
    return outcome


# --- lower pairs ----------------------------------------------------------------------------------

BOTH = "SO3xR3, both on the joint"
GROUNDED: dict[str, dict[str, Space]] = {
    "SE3": {"body": Space("SE3")},
    "SO3xR3 at the COM": {"body": Space("SO3xR3")},
    "SO3xR3 on the joint": {"body": Space("SO3xR3", "joint")},
    "subgroup": {"body": Space("subgroup", "joint")},
}
#: The base has the exact chart of its own joint, so that what differs is the chart of the body;
#: but for "both": there the base, too, is framed on the joint between the two.
BASE = Space("SO3xR3", "base joint")
MOVING: dict[str, dict[str, Space]] = {
    "SE3": {"base": BASE, "body": Space("SE3")},
    "SO3xR3 at the COM": {"base": BASE, "body": Space("SO3xR3")},
    "SO3xR3 on the joint": {"base": BASE, "body": Space("SO3xR3", "joint")},
    BOTH: {"base": Space("SO3xR3", "joint"), "body": Space("SO3xR3", "joint")},
    "SE3 relative": {"base": BASE, "body": Space("SE3", None, "base")},
    "SO3xR3 relative, at the COM": {"base": BASE, "body": Space("SO3xR3", None, "base")},
    "SO3xR3 relative, on the joint": {"base": BASE, "body": Space("SO3xR3", "joint", "base")},
    "subgroup": {
        "base": Space("subgroup", "base joint"),
        "body": Space("subgroup", "joint", "base"),
    },
}


def pairs(effort: Effort, ledger: Ledger, moving: bool) -> dict[str, Any]:
    """Median and largest gap of every lower pair in every chart, over a few random starts."""
    make = gallery.moving_pair if moving else gallery.grounded_pair
    charts = MOVING if moving else GROUNDED
    table: dict[str, Any] = {}
    for kind in gallery.PAIRS:
        models = [make(kind, seed) for seed in range(1, effort.starts + 1)]
        table[kind] = {}
        for name, spaces in charts.items():
            gaps = [run(m, spaces, ledger, f"{kind}, {name}").gaps["joint"].worst for m in models]
            table[kind][name] = {"median": float(np.median(gaps)), "largest": max(gaps)}
    return table


# --- trees, floating bodies -----------------------------------------------------------------------


def trees(effort: Effort, ledger: Ledger) -> dict[str, Any]:
    """Worst joint and energy drift of random trees; the worst joint with Heun's method as well."""
    kinds = ("gap", "heun", "energy")
    found: dict[str, Any] = {what: {rule: [] for rule in RULES} for what in kinds}
    models = [gallery.random_tree(seed) for seed in range(effort.trees)]
    for seed, model in enumerate(models):
        for rule in RULES:
            outcome = run(model, rule, ledger, f"tree {seed}")
            heun = run(model, rule, ledger, f"tree {seed}, heun", method="heun")
            found["gap"][rule].append(outcome.worst_gap)
            found["heun"][rule].append(heun.worst_gap)
            found["energy"][rule].append(outcome.energy_drift)
    return {**found, "bodies": [len(model.bodies) for model in models]}


def floating() -> dict[str, Any]:
    """The boosted pair: gap, linear and angular momentum."""
    table: dict[str, Any] = {rule: {"gap": [], "momentum": [], "angular": []} for rule in RULES}
    for boost in BOOSTS:
        model = gallery.floating_pair(boost)
        for rule in RULES:
            outcome = run(model, rule)
            table[rule]["gap"].append(outcome.worst_gap)
            table[rule]["momentum"].append(outcome.momentum_drift)
            table[rule]["angular"].append(outcome.angular_drift)
    return {"boost": list(BOOSTS), **table}


def platform() -> dict[str, Any]:
    """The pivot of a top on a platform of 100 t, drifting at several speeds."""
    found = {
        rule: [run(gallery.platform_top(speed), rule).worst_gap for speed in SPEEDS]
        for rule in RULES
    }
    return {
        "speed": list(SPEEDS),
        **found,
        "fixed pivot on SE3": run(gallery.heavy_top(), "SE3").worst_gap,
    }


def orders() -> dict[str, Any]:
    """Gap of the double pendulum's second joint against the step, method by method."""
    steps = [2e-3 / 2**k for k in range(6)]
    model = gallery.double_pendulum()
    rules = ("SE3", "framed", "subgroups")
    table: dict[str, Any] = {"step": steps, **{rule: {} for rule in rules}}
    for method in METHODS:
        for rule in rules:
            table[rule][method] = [
                run(model, rule, method=method, step=step, until=0.2).gaps["joint 2"].worst
                for step in steps
            ]
    gaps = {m: np.array(table["SE3"][m]) for m in METHODS}
    table["observed"] = {
        m: float(np.polyfit(np.log(np.array(steps)[g > 1e-13]), np.log(g[g > 1e-13]), 1)[0])
        for m, g in gaps.items()
    }
    return table


# --- cost, Cayley ---------------------------------------------------------------------------------


def cost(effort: Effort) -> dict[str, Any]:
    """Microseconds per step of every rule, on spherical chains; laps go round all of them."""
    rules = ("SE3", "SO3xR3", "SO3xR3 on joints", "SE3 relative", "framed", "subgroups")
    models = [gallery.chain(length, spin=3.0) for length in effort.chains]
    best = np.full((len(rules), len(models)), np.inf)
    for _ in range(effort.laps):
        for column, model in enumerate(models):
            ways = [Candidate(rule, {**USUAL, "spaces": rule}) for rule in rules]
            measured = costs(model, ways, UNTIL, repeats=2)
            best[:, column] = np.minimum(best[:, column], measured)
    return {"bodies": list(effort.chains), **dict(zip(rules, best.tolist()))}


def cayley_against_exp() -> dict[str, Any]:
    """The gap of every lower pair to ground on SE(3), by map and by step."""
    models = {kind: turning_at(gallery.grounded_pair(kind), FAST) for kind in gallery.PAIRS}
    methods = {"exp": munthe_kaas("rk4"), "Cayley": munthe_kaas("rk4", map="cayley")}
    return {
        kind: {
            name: [run(model, "SE3", method=own, step=step).worst_gap for step in CAYLEY_STEPS]
            for name, own in methods.items()
        }
        for kind, model in models.items()
    }


def turning_at(model: Model, rate: float) -> Model:
    """A model of one body with its motion scaled until it turns at that rate, if it turns."""
    body = model.bodies[0]
    omega, velocity = np.array(body.angular_velocity), np.array(body.velocity)
    turning = float(np.linalg.norm(omega))
    factor = rate / turning if turning > 1e-9 else 1.0
    moved = replace(
        body, angular_velocity=as_vector(factor * omega), velocity=as_vector(factor * velocity)
    )
    return replace(model, bodies=(moved,))
