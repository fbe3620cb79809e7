"""The search behind `advise`: which combination to run next, with which step.

All is counted and nothing is timed: the same call makes the same runs, and recommends the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log2
from typing import Any

import numpy as np

from chasles.build.problem import choose_spaces
from chasles.integrators.methods import Method, find_method
from chasles.integrators.rattlie import RATTLIE
from chasles.integrators.stabilisation import chosen_stabiliser
from chasles.integrators.tableaux import Tableau
from chasles.model import ChaslesError, InvalidOption, Model
from chasles.run.preparation import stabilised
from chasles.spaces.on_subgroups import on_subgroups
from chasles.studies.measure import Candidate, measure
from chasles.studies.operations import Counting

#: On the horizon, gap and energy drift stay this many times below what is asked for ...
MARGIN = 4.0
#: ... and the recommendation is run again, on a horizon longer by this factor, to half of it.
LONGER, MARGIN_LONGER = 2.0, 2.0
#: The longest step turns the fastest body by this angle, rad; each further one is RATIO shorter.
COARSEST_TURN, RATIO, STEPS = 0.7, 2.0**0.5, 24
#: Steps of the run that finds how fast the bodies turn.
PROBE_STEPS = 1000
#: Steps that are taken to predict what an iterating method costs.
FEW_STEPS = 8
#: Operations in a second of the budget.
OPERATIONS = 1e9
#: Runs of one combination of spaces, stabiliser and method; each may take this many steps.
MOST_RUNS, MOST_STEPS = 6, 200_000


@dataclass(frozen=True)
class Trial:
    """One measured run: how it was made, what it cost and what it left."""

    options: dict[str, Any]
    cost: float  # operations of a step
    worst_gap: float
    energy_drift: float
    until: float
    drifting: int = 0  # joints that neither their charts nor a stabiliser hold
    lasts: bool | None = None  # whether it is good enough on the longer horizon; None: not tried

    @property
    def cost_per_second(self) -> float:
        """Millions of operations per simulated second."""
        return 1e-6 * self.cost / self.options["step"]

    def within(self, target: float, energy: float) -> bool:
        return self.worst_gap <= target and self.energy_drift <= energy

    @property
    def words(self) -> tuple[str, str, str, str]:
        o = self.options
        method = find_method(o["method"]).name
        return str(o["spaces"]), str(o["stabilise"] or "none"), method, f"{o['step']:.3g}"

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        spaces, stabiliser, method, _ = self.words
        return {
            "spaces": spaces, "stabilise": stabiliser, "method": method,
            "step": self.options["step"], "operations_per_step": self.cost,
            "operations_per_second": 1e6 * self.cost_per_second, "worst_gap": self.worst_gap,
            "energy_drift": self.energy_drift, "until": self.until,
        }  # fmt: skip


def default_steps(model: Model, until: float) -> list[float]:
    """From the longest sensible step down, all of them parts of `until`."""
    options = {
        "spaces": "auto", "method": "rk4", "step": until / PROBE_STEPS, "acceleration": "screw",
        "stabilise": "projection",
    }  # fmt: skip
    result = measure(model, Candidate("probe", options), until).result
    rates = [np.linalg.norm(result.angular_velocity(body), axis=1).max() for body in model.bodies]
    fastest = float(max(rates))
    coarsest = min(until / 20, COARSEST_TURN / fastest if fastest > 0 else inf)
    return [until / ceil(until / coarsest * RATIO**k) for k in range(STEPS)]


def combined(
    model: Model,
    spaces: Sequence[Any],
    methods: Sequence[str | Tableau],
    stabilisers: Sequence[str | None],
    acceleration: str,
) -> list[Candidate]:
    """All combinations, less those that would run the same equations twice."""
    made: dict[Any, Candidate] = {}
    found = [find_method(method) for method in methods]
    for choice in spaces:
        chosen = choose_spaces(model, choice)
        for stabilise in stabilisers:
            wanted = chosen_stabiliser(stabilise)
            held = stabilised(chosen, wanted)
            if on_subgroups(chosen.spaces):  # joints without rows: nothing to stabilise
                kept = (*chosen.drifting, *model.driver_names)
                held = tuple(name for name in held if name in kept)
            for given, method in zip(methods, found):
                own = () if closes_joints(method) else held
                options = {
                    "spaces": choice, "method": given, "acceleration": acceleration,
                    "stabilise": stabilise if own else None,
                }  # fmt: skip
                label = f"{choice}, {options['stabilise'] or 'none'}, {method.name}"
                key = (str(chosen.spaces), wanted.word if wanted and own else "", own, method.name)
                made.setdefault(key, Candidate(label, options))
    return list(made.values())


def closes_joints(method: Method) -> bool:
    """Whether it takes no stabiliser: it closes the joints itself."""
    return method.index != 0 or method.name in RATTLIE


class AdviceSearch:
    """The runs of one piece of advice."""

    def __init__(
        self, model: Model, target: float, energy: float, until: float, budget: float
    ) -> None:
        self.model, self.target, self.energy, self.until = model, target, energy, until
        self.budget = OPERATIONS * budget
        self.operations = 0.0  # of all runs so far
        self.trials: list[Trial] = []
        self.best: Trial | None = None
        self.confirmed: Trial | None = None
        self.refused: dict[str, str] = {}  # label -> why
        self.complete = True

    # --- what is tried ---

    def prepare(self, candidates: list[Candidate], steps: list[float], acceleration: str) -> None:
        """Count the operations of a step of every combination."""
        self.steps = steps
        self.counting = Counting(self.model, steps[-1], acceleration)
        self.costs: dict[str, float] = {}
        self.candidates = []
        for candidate in candidates:
            try:
                self.costs[candidate.label] = self.predicted(candidate)
                self.candidates.append(candidate)
            except ChaslesError as refusal:
                self.refused[candidate.label] = refusal.what.removeprefix("simulate: ")
        if not self.candidates:
            label, why = next(iter(self.refused.items()))
            raise InvalidOption(
                f"advise: no combination can be run: {label}: {why}",
                "Give other spaces or methods.",
            )

    def predicted(self, candidate: Candidate) -> float:
        """Operations of a step: of an explicit method by its stages, else of a few steps."""
        options, method = candidate.options, find_method(candidate.options["method"])
        cost = self.counting.cost_of(options)
        if method.tableau is not None:
            return cost.evaluation * method.tableau.stages + cost.closing
        step = self.steps[len(self.steps) // 2]
        few = Candidate(candidate.label, {**options, "step": step})
        result = measure(self.model, few, FEW_STEPS * step).result
        return cost.of(result)

    def cheapest_first(self) -> list[Candidate]:
        """By what the order promises: a step's cost times (1 / target)^(1 / order)."""
        wanted = 1.0 / min(self.target, self.energy)
        return sorted(self.candidates, key=lambda c: self.costs[c.label] * wanted ** (1 / c.order))

    def explore(self, candidate: Candidate) -> None:
        """Find the longest step with which a combination is good enough, if it may be the best."""
        failed, passed = -1, len(self.steps)  # indices: steps get shorter
        index = min(len(self.steps) // 6, len(self.steps) - 1)
        for _ in range(MOST_RUNS):
            if not failed < index < passed or self.too_dear(candidate, index):
                return
            if self.operations > self.budget:
                self.complete = False
                return
            trial = self.run(candidate, self.steps[index], self.until)
            miss = self.miss(trial)
            if miss <= 1.0:  # then it is cheaper than the best: dearer ones are not run
                trial = replace(trial, lasts=self.confirm(candidate, trial))
            self.trials.append(trial)
            if trial.lasts:
                self.best, passed = trial, index
                index = max(failed + 1, index - self.jump(1.0 / max(miss, 1e-300), candidate))
            else:
                failed = index
                index = min(passed - 1, index + self.jump(miss, candidate))

    def jump(self, factor: float, candidate: Candidate) -> int:
        """How many steps of the list change an error by that factor."""
        if not isfinite(factor):
            return 4
        places = log2(factor) / (candidate.order * log2(RATIO))
        return max(1, min(8, floor(places)))

    def miss(self, trial: Trial) -> float:
        """By what factor a run misses the target with its margin."""
        return MARGIN * max(trial.worst_gap / self.target, trial.energy_drift / self.energy)

    def too_dear(self, candidate: Candidate, index: int) -> bool:
        step = self.steps[index]
        if self.until / step > MOST_STEPS:
            return True
        cost = 1e-6 * self.costs[candidate.label] / step
        return self.best is not None and cost >= self.best.cost_per_second

    # --- runs ---

    def run(self, candidate: Candidate, step: float, until: float) -> Trial:
        options = {**candidate.options, "step": step}
        outcome = measure(self.model, Candidate(candidate.label, options), until)
        cost = self.counting.cost_of(options).of(outcome.result)
        self.operations += cost * max(1, outcome.steps)
        self.costs[candidate.label] = cost
        drifting: tuple[str, ...] = ()
        if not (options["stabilise"] or closes_joints(find_method(options["method"]))):
            drifting = choose_spaces(self.model, options["spaces"]).drifting
        return Trial(
            options, cost, outcome.worst_gap, outcome.energy_drift, until, len(drifting)
        )  # fmt: skip

    def confirm(self, candidate: Candidate, trial: Trial) -> bool:
        """Whether it holds on a longer horizon as well."""
        longer = self.run(candidate, trial.options["step"], LONGER * self.until)
        holds = longer.within(self.target / MARGIN_LONGER, self.energy / MARGIN_LONGER)
        if holds:
            self.confirmed = longer
        return holds
