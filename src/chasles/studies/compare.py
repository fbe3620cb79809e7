"""The same model in several spaces: what each choice does to every joint, the energy, the cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from chasles.integrators.stabilisation import Baumgarte
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.checks import checked_count
from chasles.model.keywords import checked_keywords, explained
from chasles.model.tables import Table, plain, small
from chasles.model.words import Stabiliser
from chasles.notices import progress_bar
from chasles.run.preparation import check_progress
from chasles.spaces import resolve_spaces
from chasles.spaces.designation import Spaces
from chasles.spaces.on_subgroups import check_subgroups
from chasles.studies.candidates import candidates_of
from chasles.studies.measure import Candidate, Outcome, costs, measure
from chasles.studies.output import Printed, checked_study
from chasles.studies.predictions import CheckedPrediction, check_orders, predictions_of

SHOWN_JOINTS = 6


@explained
@checked_keywords
def compare(
    model: Model,
    candidates: Sequence[Spaces] | Mapping[str, Spaces | Mapping[str, Any]],
    until: float,
    step: float,
    method: str | Tableau = "rk4",
    acceleration: Literal["screw", "space"] = "screw",
    stabilise: Stabiliser | Baumgarte | None = None,
    orders: bool = False,
    timing: bool = True,
    progress: bool | None = None,
) -> "Comparison":
    """Run a model in several spaces and compare the results.

    Parameters
    ----------
    candidates
        A list of spaces as in `simulate`, ["SE3", "SO3xR3", "auto"]; or a dict label -> spaces;
        or label -> options, {"fine": {"spaces": "auto", "step": 1e-4}}, with spaces, method,
        step, acceleration, stabilise.
    step
        Length of a step, s, for candidates without their own.
    method
        Method, for candidates without their own.
    orders
        Whether to run each candidate at three steps and check the predicted drift of every
        joint.
    timing
        Whether to measure the time of a step.

    Notes
    -----
    Candidates that a model does not support are left out with a note: a massless frame has no chart
    of its own.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", 1.0, mass=2.0, position=(0.5, 0, 0), angular_velocity=(1, 2, 3))
    >>> model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))])
    >>> comparison = ch.compare(model, ["SO3xR3", "auto"], until=1.0, step=1e-2)
    >>> comparison["auto"].worst_gap < 1e-13 < comparison["SO3xR3"].worst_gap
    True
    """
    until = checked_study("compare", model, until, progress, orders=orders, timing=timing)
    common = {
        "step": step, "method": method, "spaces": "auto",
        "acceleration": acceleration, "stabilise": stabilise,
    }  # fmt: skip
    chosen, left_out = runnable(model, candidates_of(model, candidates, common))
    with progress_bar(total=len(chosen), unit="run", progress=progress, delay=1.0) as bar:
        outcomes = []
        for candidate in chosen:
            bar.set_description(candidate.label[:24])
            outcomes.append(measure(model, candidate, until))
            bar.update()
        if timing:
            bar.set_description("timing")
            measured = costs(model, chosen, until)
            outcomes = [replace(o, cost=cost) for o, cost in zip(outcomes, measured)]
    comparison = Comparison(model, until, tuple(outcomes), left_out=left_out)
    return comparison.check_order(progress=progress) if orders else comparison


def runnable(model: Model, every: list[Candidate]) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates in whose spaces the model has equations, and why the others have none."""
    chosen: list[Candidate] = []
    left_out: dict[str, str] = {}
    for candidate in every:
        spaces = resolve_spaces(model, candidate.options["spaces"])
        try:
            check_subgroups(model, spaces)
            chosen.append(candidate)
        except InvalidOption as refusal:
            left_out[candidate.label] = refusal.what.removeprefix("spaces: ")
            if not chosen and candidate is every[-1]:
                raise
    return chosen, left_out


@explained
@dataclass(frozen=True, repr=False)
class Comparison(Printed):
    """Results of several candidates. `comparison[label]` is one of them; print shows the table.

    Parameters
    ----------
    outcomes
        One for each candidate, in their order.
    predictions
        Predicted and observed drift of the joints of each candidate.
    left_out
        Label -> why a candidate could not be run.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> found = ch.compare(model, ["SE3", "SO3xR3"], until=0.5, step=1e-2)
    >>> found.labels, found["SE3"].worst_gap < 1e-12 < found["SO3xR3"].worst_gap
    (('SE3', 'SO3xR3'), True)
    """

    drawn_by = "figures:comparison_figure"  # gap of each joint over time, energy drift, cost

    model: Model
    until: float
    outcomes: tuple[Outcome, ...]
    predictions: tuple[CheckedPrediction, ...] = field(default=())
    left_out: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.predictions:
            found = [p for o in self.outcomes for p in predictions_of(self.model, o)]
            object.__setattr__(self, "predictions", tuple(found))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(outcome.label for outcome in self.outcomes)

    def __getitem__(self, label: str) -> Outcome:
        for outcome in self.outcomes:
            if outcome.label == label:
                return outcome
        if label in self.left_out:
            raise InvalidOption(
                f"compare: {label} was left out: {self.left_out[label]}",
                f"Those that were run are {', '.join(self.labels)}.",
            )
        raise UnknownName.among("candidate", label, self.labels, where="compare")

    @property
    def disagreements(self) -> tuple[CheckedPrediction, ...]:
        """Predictions that the runs contradict."""
        return tuple(p for p in self.predictions if not p.agrees)

    def check_order(self, halvings: int = 2, progress: bool | None = None) -> "Comparison":
        """This comparison with predictions checked by slope: steps 4 h, 2 h, h of every candidate.

        With `halvings`, h is halved so many times from the coarsest step, 2^halvings h.
        """
        check_progress(progress, "check_order")
        halvings = checked_count(halvings, "halvings", 6, "check_order", InvalidOption)
        found: list[CheckedPrediction] = []
        with progress_bar(self.outcomes, "orders", unit="candidate", progress=progress) as bar:
            for outcome in bar:
                found += check_orders(self.model, outcome, self.until, halvings)
        return replace(self, predictions=tuple(found))

    # --- for people ---

    def _parts(self) -> list[str | Table]:
        said = f"{self.model!r}, {self.until:g} s"
        notes = [f"{o.label}: {o.result.message}" for o in self.outcomes if not o.finished]
        notes += [f"{label} was left out: {why}" for label, why in self.left_out.items()]
        checked = [p for p in self.predictions if p.order is not None]
        if checked or self.disagreements:
            notes += [str(p) for p in self.predictions if p.order is not None or not p.agrees]
        if self.disagreements:
            notes.append(f"{len(self.disagreements)} predictions were wrong.")
        elif self.predictions:
            notes.append("* predicted to hold; no prediction is contradicted.")
        return [said, self._table(), *notes]

    def _table(self) -> Table:
        every, shown = self.outcomes, self.shown_joints
        columns: dict[str, Sequence[str]] = {"candidate": self.labels}
        for name in shown:
            for unit in every[0].gap_units(name):
                columns[f"{name} [{unit}]"] = [self._cell(o, name, unit) for o in every]
        rest = [name for name in self.model.joint_names if name not in shown]
        if rest:
            worst = [max(o.gaps[name].worst for name in rest) for o in every]
            columns[f"worst of {len(rest)} more"] = list(map(small, worst))
        columns["energy"] = [small(o.energy_drift) for o in every]
        for k, title in enumerate(("momentum", "ang. mom.")):
            drifts = [o.momentum_drifts[k] for o in every]
            if any(drift is not None for drift in drifts):
                columns[title] = list(map(small, drifts))
        columns["us/step"] = ["-" if o.cost is None else plain(o.cost) for o in every]
        columns["steps"] = [str(o.steps) for o in every]
        return Table(list(columns), list(zip(*columns.values())))

    def _cell(self, outcome: Outcome, joint: str, unit: str) -> str:
        gap = outcome.gaps[joint]
        exact = any(
            p.exact for p in self.predictions if (p.label, p.joint) == (outcome.label, joint)
        )
        return small(gap.metres if unit == "m" else gap.radians) + ("*" if exact else " ")

    @property
    def shown_joints(self) -> list[str]:
        """All joints if they are few, else the worst ones."""
        names = self.model.joint_names
        worst = {name: max(o.gaps[name].worst for o in self.outcomes) for name in names}
        chosen = sorted(names, key=worst.__getitem__, reverse=True)[:SHOWN_JOINTS]
        return [name for name in names if name in chosen]

    # --- as data ---

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words: what the table shows, with every joint and the spaces."""
        return {
            "until": self.until,
            "candidates": {outcome.label: outcome_dict(outcome) for outcome in self.outcomes},
            "predictions": [p.as_dict() for p in self.predictions],
            "left_out": dict(self.left_out),
        }


def outcome_dict(outcome: Outcome) -> dict[str, Any]:
    kept = ("spaces", "method", "step", "acceleration", "stabilise", "order")
    return {
        **{key: outcome.result.provenance[key] for key in kept},
        "status": outcome.result.message,
        "gaps": {name: {"m": gap.metres, "rad": gap.radians} for name, gap in outcome.gaps.items()},
        "worst_gap": outcome.worst_gap,
        "energy_drift": outcome.energy_drift,
        "momentum_drift": outcome.momentum_drift,
        "angular_momentum_drift": outcome.angular_drift,
        "us_per_step": outcome.cost,
        "steps": outcome.steps,
    }
