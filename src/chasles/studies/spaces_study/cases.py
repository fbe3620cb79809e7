"""What is measured, one function per question; each gives plain numbers, ready for JSON."""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.integrators.maps import munthe_kaas
from chasles.model import Model
from chasles.model.checks import as_vector
from chasles.spaces import Space
from chasles.studies import gallery
from chasles.studies.measure import Candidate, Outcome, costs, log_slope, measure
from chasles.studies.predictions import predictions_of

STEP, UNTIL = 1e-3, 1.0
USUAL = {"method": "rk4", "step": STEP, "acceleration": "screw", "stabilise": None}
BOOSTS = (0.0, 0.1, 1.0, 10.0, 100.0)  # m/s
SPEEDS = (0.001, 0.01, 0.1, 1.0, 10.0)  # m/s, of the platform
RULES = ("SE3", "SO3xR3", "framed", "subgroups")
FAST = 100.0  # rad/s, where the maps are told apart
CAYLEY_STEPS = (2e-3, 1e-3)  # s
METHODS = ("heun", "kutta3", "rk4", "dopri5")


class Scope:
    """How much is run, and what was predicted of it.

    `quick` takes fewer starts and sizes, `slow` a million steps of the long run.
    """

    def __init__(self, quick: bool = False, slow: bool = False) -> None:
        self.quick = quick
        self.long: tuple[int, ...] = (1_000, 10_000) if quick else (1_000, 10_000, 100_000)  # steps
        self.long += (1_000_000,) if slow else ()
        self.starts = 2 if quick else 7
        self.trees = 10 if quick else 100
        self.loops = 4 if quick else 30
        self.chains = (1, 4, 16) if quick else (1, 2, 4, 8, 16, 32, 64)
        self.laps = 2 if quick else 20
        self.predictions: dict[str, Any] = {"checked": 0, "exact": 0, "wrong": []}

    def run(self, model: Model, spaces: Any, what: str, **more: Any) -> Outcome:
        """A run, after which the predictions of its joints are checked."""
        outcome = run(model, spaces, what, **more)
        for prediction in predictions_of(model, outcome):
            self.predictions["checked"] += 1
            self.predictions["exact"] += prediction.exact
            if not prediction.agrees:
                self.predictions["wrong"].append(str(prediction))
        return outcome


def run(model: Model, spaces: Any, what: str = "", **more: Any) -> Outcome:
    """One run with the study's usual options."""
    options = {**USUAL, "spaces": spaces, **more}
    until = options.pop("until", UNTIL)
    return measure(model, Candidate(what, options), until)


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


def pairs(scope: Scope, moving: bool = False) -> dict[str, Any]:
    """Median and largest gap of every lower pair in every chart, over a few random starts."""
    make = gallery.moving_pair if moving else gallery.grounded_pair
    charts = MOVING if moving else GROUNDED
    table: dict[str, Any] = {}
    for kind in gallery.PAIRS:
        models = [make(kind, seed) for seed in range(1, scope.starts + 1)]
        table[kind] = {}
        for name, spaces in charts.items():
            runs = [scope.run(model, spaces, f"{kind}, {name}") for model in models]
            gaps = [outcome.gaps["joint"].worst for outcome in runs]
            table[kind][name] = {"median": float(np.median(gaps)), "largest": max(gaps)}
    return table


# --- trees, floating bodies -----------------------------------------------------------------------


def trees(scope: Scope) -> dict[str, Any]:
    """Worst joint and energy drift of random trees; the worst joint with Heun's method as well."""
    models = [gallery.random_tree(seed) for seed in range(scope.trees)]
    found: dict[str, Any] = {
        what: {rule: [] for rule in RULES} for what in ("gap", "heun", "energy")
    }
    for seed, model in enumerate(models):
        for rule in RULES:
            outcome = scope.run(model, rule, f"tree {seed}")
            heun = scope.run(model, rule, f"tree {seed}, heun", method="heun")
            found["gap"][rule].append(outcome.worst_gap)
            found["heun"][rule].append(heun.worst_gap)
            found["energy"][rule].append(outcome.energy_drift)
    return {**found, "bodies": [len(model.bodies) for model in models]}


def floating(scope: Scope) -> dict[str, Any]:
    """The boosted pair: gap, linear and angular momentum."""
    table: dict[str, Any] = {"boost": BOOSTS}
    for rule in RULES:
        runs = [run(gallery.floating_pair(boost), rule) for boost in BOOSTS]
        table[rule] = {
            "gap": [o.worst_gap for o in runs],
            "momentum": [o.momentum_drift for o in runs],
            "angular": [o.angular_drift for o in runs],
        }
    return table


def platform(scope: Scope) -> dict[str, Any]:
    """The pivot of a top on a platform of 100 t, drifting at several speeds."""
    tops = [gallery.platform_top(speed) for speed in SPEEDS]
    found = {rule: [run(top, rule).worst_gap for top in tops] for rule in RULES}
    fixed = run(gallery.heavy_top(), "SE3").worst_gap
    return {"speed": SPEEDS, **found, "fixed pivot on SE3": fixed}


def orders(scope: Scope) -> dict[str, Any]:
    """Gap of the double pendulum's second joint against the step, method by method."""
    steps = [2e-3 / 2**k for k in range(6)]
    model = gallery.double_pendulum()
    table: dict[str, Any] = {"step": steps}
    for rule in ("SE3", "framed", "subgroups"):
        table[rule] = {}
        for method in METHODS:
            runs = [run(model, rule, method=method, step=step, until=0.2) for step in steps]
            table[rule][method] = [outcome.gaps["joint 2"].worst for outcome in runs]
    table["observed"] = {
        method: log_slope([(h, gap) for h, gap in zip(steps, gaps) if gap > 1e-13])
        for method, gaps in table["SE3"].items()
    }
    return table


# --- cost, Cayley ---------------------------------------------------------------------------------


def cost(scope: Scope) -> dict[str, Any]:
    """Microseconds per step of every rule, on spherical chains; laps go round all of them."""
    rules = ("SE3", "SO3xR3", "SO3xR3 on joints", "SE3 relative", "framed", "subgroups")
    models = [gallery.chain(length, spin=3.0) for length in scope.chains]
    best = np.full((len(rules), len(models)), np.inf)
    for _ in range(scope.laps):
        for column, model in enumerate(models):
            ways = [Candidate(rule, {**USUAL, "spaces": rule}) for rule in rules]
            measured = costs(model, ways, UNTIL, repeats=2)
            best[:, column] = np.minimum(best[:, column], measured)
    return {"bodies": scope.chains, **dict(zip(rules, best.tolist()))}


def cayley_against_exp(scope: Scope) -> dict[str, Any]:
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
    turning = float(np.linalg.norm(np.array(body.angular_velocity)))
    factor = rate / turning if turning > 1e-9 else 1.0
    omega, velocity = (
        as_vector(factor * np.array(v)) for v in (body.angular_velocity, body.velocity)
    )
    return replace(model, bodies=(replace(body, angular_velocity=omega, velocity=velocity),))
