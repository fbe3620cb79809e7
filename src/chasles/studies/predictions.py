"""What theory says of each joint, held against the runs.

A joint that is linear with constant coefficients in the charts of its bodies holds to rounding,
with any method and any step; every other joint drifts as the method's global error does, with its
order.
"""

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from chasles.build.start.consistent import constraint_rows
from chasles.build.start.free_bodies import terms_at
from chasles.core.arrays import TWIST
from chasles.integrators.stabilisation import PROJECTION, chosen_stabiliser
from chasles.model import Model
from chasles.model.tables import small
from chasles.studies.measure import Candidate, Outcome, log_slope, measure

#: A joint open by less than this, times the size of the motion in m, is held by rounding alone;
#: beside what the start leaves open, see `start_drift`.
ROUNDING = 1e-12
#: Below this a gap that does not shrink with the step is rounding, however it came about.
LOOSE_ROUNDING = 1e-9
#: One Newton step after every step leaves the square of the step's error, m or rad.
PROJECTED = 1e-10
#: Observed orders this far below the predicted one are a disagreement; this far above, a remark.
ORDER_BELOW, ORDER_ABOVE = 0.5, 0.75


@dataclass(frozen=True)
class CheckedPrediction:
    """One joint of one candidate.

    expected  the order with which it is predicted to drift; None: to hold to rounding
    gap       the largest one observed, m or rad
    floor     gaps below this are rounding
    order     the observed order, None if it was not looked for or the gaps are all rounding
    gaps      step in s -> largest gap, where several steps were run
    """

    label: str
    joint: str
    expected: int | None
    gap: float
    floor: float
    order: float | None = None
    gaps: tuple[tuple[float, float], ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it is predicted to hold to rounding."""
        return self.expected is None

    @property
    def holds(self) -> bool:
        """Whether the joint was seen to hold to rounding."""
        if self.gap <= self.floor:
            return True
        flat = self.order is not None and self.order < 0.5
        return flat and self.gap <= LOOSE_ROUNDING

    @property
    def agrees(self) -> bool:
        """A joint that does better than predicted does not contradict: the bound holds."""
        if self.holds or self.expected is None:
            return self.holds
        return self.order is None or self.order >= self.expected - ORDER_BELOW

    @property
    def verdict(self) -> str:
        if not self.agrees:
            return "WRONG"
        if self.expected is None:
            return "as predicted"
        if self.holds:
            return "better than predicted: it holds"
        above = self.order is not None and self.order - self.expected > ORDER_ABOVE
        return "better than predicted" if above else "as predicted"

    def __str__(self) -> str:
        said = "exact" if self.exact else f"drifts with order {self.expected}"
        if self.holds:
            seen = f"holds at {small(self.gap)}"
        else:
            seen = f"drifts by {small(self.gap)}"
            seen += f", order {self.order:.1f}" if self.order is not None else ""
        return f"{self.label}, {self.joint}: predicted {said}; {seen}: {self.verdict}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "candidate": self.label,
            "joint": self.joint,
            "predicted": "exact" if self.exact else f"order {self.expected}",
            "gap": self.gap,
            "order": self.order,
            "gaps": [list(pair) for pair in self.gaps],
            "verdict": self.verdict,
        }


def predictions_of(model: Model, outcome: Outcome) -> list[CheckedPrediction]:
    """What is predicted of every joint, with the gap that one run shows."""
    drifting = set(outcome.result.problem.choice.drifting)
    floor = ROUNDING * extent(outcome) + start_drift(outcome)
    choice = chosen_stabiliser(outcome.candidate.options["stabilise"])
    if (
        choice is not None and choice.word == PROJECTION
    ):  # feedback leaves what drifts a little open
        drifting, floor = set(), max(floor, PROJECTED)
    return [
        CheckedPrediction(
            label=outcome.label,
            joint=name,
            expected=outcome.candidate.order if name in drifting else None,
            gap=gap.worst,
            floor=floor + 3 * max(float(gap.translation[0]), float(gap.rotation[0])),
        )
        for name, gap in outcome.gaps.items()
    ]


def extent(outcome: Outcome) -> float:
    """The size of the motion, at least 1 m: rounding is relative to it."""
    model = outcome.result.model
    return max(1.0, *(float(np.abs(outcome.result.position(b)).max()) for b in model.bodies))


def start_drift(outcome: Outcome) -> float:
    """What joints that hold may open by: where J V at the start is kept, it adds up."""
    problem = outcome.result.problem
    rows = constraint_rows(problem.setup, terms_at(problem.setup, problem.start).jacobian)
    if not len(rows.entries):
        return 0.0
    residual = rows.times(problem.start[:, TWIST : TWIST + 6])
    return 3.0 * float(np.abs(residual).max()) * float(outcome.t[-1])


def check_orders(
    model: Model, outcome: Outcome, until: float, halvings: int
) -> list[CheckedPrediction]:
    """The predictions of one candidate with the orders observed at 2^halvings h ... 2 h, h."""
    options = outcome.candidate.options
    steps = [options["step"] * 2.0**k for k in range(halvings, 0, -1)]
    runs = [
        measure(model, Candidate(outcome.label, {**options, "step": step}), until)
        for step in steps
        if step < until
    ]
    runs = [run for run in [*runs, outcome] if run.finished]
    found = []
    for prediction in predictions_of(model, outcome):
        gaps = [(run.candidate.options["step"], run.gaps[prediction.joint].worst) for run in runs]
        order = log_slope([(h, gap) for h, gap in gaps if gap > 3 * prediction.floor])
        observed = None if isnan(order) else order  # all at rounding
        found.append(replace(prediction, order=observed, gaps=tuple(gaps)))
    return found
