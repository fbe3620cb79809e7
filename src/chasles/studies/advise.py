"""The cheapest way to run a model that keeps its joints closed and its energy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from chasles.integrators.tableaux import Tableau
from chasles.model import ChaslesError, InvalidOption, Model
from chasles.model.checks import checked_positive
from chasles.model.keywords import checked_keywords, explained
from chasles.model.tables import Table, plain, small
from chasles.notices import progress_bar
from chasles.spaces.designation import Spaces
from chasles.studies.advice_search import LONGER, AdviceSearch, Trial, combined, default_steps
from chasles.studies.output import Printed, check_lists, checked_falling, checked_study

SPACES = ("auto", "SE3", "SO3xR3")
METHODS = ("heun", "kutta3", "rk4", "dopri5", "dop853")
#: ... and where there are forces, which may be stiff.
STIFF = ("linearly-implicit",)
STABILISERS = (None, "projection", "projection of all joints")


class NothingMeetsTheTarget(ChaslesError):
    """No combination that was tried keeps the joints and the energy as asked.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", 1.0, mass=2.0, position=(0.5, 0, 0), angular_velocity=(1, 2, 3))
    >>> model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))])
    >>> advice = ch.advise(model, target=1e-30, spaces=["SO3xR3"], methods=["rk4"], steps=[1e-2])
    >>> try:
    ...     advice.best
    ... except ch.NothingMeetsTheTarget:
    ...     print(advice.met)
    False
    """


@explained
@dataclass(frozen=True, repr=False)
class Advice(Printed):
    """Recommended options for `simulate`, with the runs behind them.

    Parameters
    ----------
    target
        The target, m and rad.
    energy
        The target for the energy.
    evidence
        All runs that were made.
    chosen
        The run behind the recommendation.
    confirmed
        The recommendation on the longer end time.
    operations
        Operations of all runs.
    complete
        Whether everything was tried within the budget.
    refused
        Combination -> why a method does not support it.

    Notes
    -----
    `best` are the keyword arguments: ``simulate(model, until, **advice.best)``. `met` tells whether
    they meet the target.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> advice = ch.advise(model, target=1e-9)
    >>> sorted(advice.best)
    ['acceleration', 'method', 'spaces', 'stabilise', 'step']
    """

    drawn_by = "figures:advice_figure"  # worst gap and energy drift against cost

    model: Model
    target: float
    energy: float
    until: float
    evidence: tuple[Trial, ...]
    chosen: Trial | None
    confirmed: Trial | None
    operations: float
    complete: bool = True
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Whether a combination meets the target."""
        return self.chosen is not None

    @property
    def seconds(self) -> float:
        """The former name: now `operations`, in seconds of a processor of 1e9 a second."""
        return 1e-9 * self.operations

    @property
    def best(self) -> dict[str, Any]:
        """Options of `simulate` that are recommended. Raises an error if the target is not met."""
        if self.chosen is not None:
            return dict(self.chosen.options)
        closest = min(self.evidence, key=lambda t: self.shortfall(t), default=None)
        found = (
            f" The closest, {', '.join(closest.words[:3])} at step {closest.words[3]} s, leaves"
            f" {small(closest.worst_gap)} m or rad and {small(closest.energy_drift)} of the energy."
            if closest
            else ""
        )
        raise NothingMeetsTheTarget(
            f"no combination keeps every joint below {self.target:g} and the energy to"
            f" {self.energy:g} over {self.until:g} s.{found}",
            "Ask for less (target=, energy=), allow smaller steps (steps=) or more work (budget=).",
        )

    def shortfall(self, trial: Trial) -> float:
        """By what factor a run misses what was asked for."""
        return max(trial.worst_gap / self.target, trial.energy_drift / self.energy)

    @property
    def front(self) -> tuple[Trial, ...]:
        """The cheapest run, then each that comes closer to the target, or further below it."""
        kept: list[Trial] = []
        closest = float("inf")
        for trial in sorted(self.evidence, key=lambda t: t.cost_per_second):
            if self.shortfall(trial) < closest:
                kept.append(trial)
                closest = self.shortfall(trial)
        return tuple(kept)

    def _parts(self) -> list[str | Table]:
        rows = [
            ["->" if t is self.chosen else "", *t.words, plain(1e-3 * t.cost),
             plain(t.cost_per_second), small(t.worst_gap), small(t.energy_drift), self._judged(t)]
            for t in self.front
        ]  # fmt: skip
        header = ["", "spaces", "stabiliser", "method", "step [s]", "kop/step", "Mop per s",
                  "worst gap", "energy", ""]  # fmt: skip
        lines: list[str | Table] = [
            f"{self.model!r}: every joint below {self.target:g} (m, rad), energy to"
            f" {self.energy:g}, over {self.until:g} s",
            Table(header, rows, 4),
            f"{len(self.evidence)} runs, {plain(1e-6 * self.operations)} million operations (op);"
            " shown is each that comes closer to the target than all cheaper ones.",
        ]
        if not self.complete:
            lines.append("The budget ran out before everything was tried.")
        if self.confirmed is not None:
            lines.append(
                f"Over {self.confirmed.until:g} s the recommendation leaves"
                f" {small(self.confirmed.worst_gap)} m or rad and"
                f" {small(self.confirmed.energy_drift)} of the energy."
            )
        if self.chosen is not None and self.chosen.drifting:
            lines.append(
                f"It lets {self.chosen.drifting} of {len(self.model.joints)} joints drift: ask"
                " again before running much longer."
            )
        lines += [f"{label}: {why}" for label, why in self.refused.items()]
        if not self.met:
            lines.append("Nothing meets the target.")
        return lines

    def _judged(self, trial: Trial) -> str:
        if trial.lasts is not None:
            return "meets it" if trial.lasts else f"not to {LONGER * self.until:g} s"
        return "barely" if trial.within(self.target, self.energy) else "no"

    def as_dict(self) -> dict[str, Any]:
        """The targets, the recommendation and all trials as plain data."""
        chosen, confirmed = (t and t.as_dict() for t in (self.chosen, self.confirmed))
        return {
            "target": self.target,
            "energy": self.energy,
            "until": self.until,
            "met": self.met,
            "best": chosen,
            "confirmed": confirmed,
            "front": [t.as_dict() for t in self.front],
            "evidence": [t.as_dict() for t in self.evidence],
        }


@explained
@checked_keywords
def advise(
    model: Model,
    target: float = 1e-9,
    until: float = 1.0,
    energy: float = 1e-6,
    spaces: Sequence[Spaces] = SPACES,
    methods: Sequence[str | Tableau] | None = None,
    stabilisers: Sequence[str | None] = STABILISERS,
    steps: Sequence[float] | None = None,
    acceleration: Literal["screw", "space"] = "screw",
    budget: float = 30.0,
    progress: bool | None = None,
) -> Advice:
    """Find the cheapest spaces, method, step and stabiliser that keep every joint below `target`.

    Parameters
    ----------
    target
        Largest constraint violation, m and rad, of every joint at every time up to `until`.
    energy
        Largest ``|E - E0|`` relative to the largest kinetic energy. Closed joints alone do not
        make a motion accurate.
    spaces
        Spaces to try.
    methods
        Methods to try. Default: explicit methods, and "linearly-implicit" if there are forces.
    stabilisers
        Stabilisers to try.
    steps
        Steps that may be recommended, s. Default: halves of the step in which the fastest body
        turns by half a radian.
    budget
        Effort after which no new run is started, in units of 1e9 operations.

    Returns
    -------
    Advice
        ``simulate(model, until, **advice.best)`` runs the recommendation.

    Notes
    -----
    Every combination is run with the longest step that may be sufficient. Its violation determines
    the next step to try. Combinations that cannot become cheaper than the best are dropped. The
    recommendation stays four times below the target and is confirmed on twice the end time. The
    cost is the number of operations. Operations are counted, not timed, so the answer is the same
    on every machine.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", 1.0, mass=2.0, position=(0.5, 0, 0), angular_velocity=(1, 2, 3))
    >>> model = ch.Model([arm], [ch.Spherical("pivot", ch.GROUND, arm, at=(0, 0, 0))])
    >>> advice = ch.advise(model, target=1e-9)
    >>> bool(ch.simulate(model, 2.0, **advice.best).violation("pivot").max() < 1e-9)
    True
    """
    until = checked_study("advise", model, until, progress)
    search = AdviceSearch(
        model,
        checked_positive(target, "target", "m", "advise", InvalidOption),
        checked_positive(energy, "energy", "", "advise", InvalidOption),
        until,
        checked_positive(budget, "budget", "s", "advise", InvalidOption),
    )
    if methods is None:
        methods = (*METHODS, *STIFF) if model.forces else METHODS
    check_lists("advise", spaces=spaces, methods=methods, stabilisers=stabilisers)
    combinations = combined(model, spaces, methods, stabilisers, acceleration)
    with progress_bar(total=len(combinations), unit="combination", progress=progress) as bar:
        bar.set_description("counting")
        rule, remedy = "positive times", "Give positive times in s."
        allowed = (
            default_steps(model, search.until)
            if steps is None
            else checked_falling(steps, "advise", "steps", rule, remedy, fewest=1)
        )
        search.prepare(combinations, allowed, acceleration)
        for candidate in search.cheapest_first():
            bar.set_description(candidate.label[:32])
            search.explore(candidate)
            bar.update()
    return Advice(
        model, search.target, search.energy, search.until, tuple(search.trials), search.best,
        search.confirmed, search.operations, search.complete, search.refused,
    )  # fmt: skip
