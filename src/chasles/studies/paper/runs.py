"""Which simulations the report needs: each is run once and shared by all that look at it."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.notices import progress_bar
from chasles.result.result import Result
from chasles.studies.measure import Judged, run_of

#: Of a case: what is not an option of its run.
IN_WORDS = ("model", "until")


@dataclass(frozen=True)
class Case:
    """One simulation: a model by name, and how it is integrated."""

    model: str
    spaces: str
    until: float
    step: float = 1e-3
    method: str = "rk4"
    acceleration: str = "space"
    stabilise: str | None = None

    @property
    def id(self) -> str:
        return (
            f"{self.model} | {self.spaces} | {self.acceleration} | {self.method}"
            f" | step {self.step:g} s | {self.until:g} s"
            + (f" | {self.stabilise}" if self.stabilise else "")
        )


@dataclass(frozen=True)
class CaseResult(Judged):
    """What a run says about joints and energy."""

    case: Case
    result: Result = field(repr=False)
    gaps: dict[str, Floats] = field(repr=False)  # joint -> (T, 3) in m, world axes
    energy: Floats = field(repr=False)  # (T,) in J
    kinetic_at_start: float

    def gap(self, joint: str) -> float:
        """Largest violation of a joint, m; infinite if the run could not be finished."""
        if not self.finished:
            return inf
        return float(np.linalg.norm(self.gaps[joint], axis=1).max())

    def largest_gap(self) -> float:
        return max(self.gap(joint) for joint in self.gaps)

    @property
    def energy_error(self) -> Floats:
        """(E - E0) / T0 at every saved time."""
        return (self.energy - self.energy[0]) / self.kinetic_at_start


class Runs:
    """Simulations by case; a case that was run before is not run again."""

    def __init__(self, models: dict[str, Model]) -> None:
        self.models = dict(models)
        self.outcomes: dict[Case, CaseResult] = {}

    def __call__(self, case: Case) -> CaseResult:
        if case not in self.outcomes:
            self.outcomes[case] = self.run(case)
        return self.outcomes[case]

    def run_all(self, cases: Iterable[Case], progress: bool | None = None) -> None:
        """Run what has not been run, with a bar on stderr."""
        wanted = [case for case in dict.fromkeys(cases) if case not in self.outcomes]
        with progress_bar(wanted, unit="run", desc="simulating", progress=progress) as bar:
            for case in bar:
                self(case)

    def run(self, case: Case) -> CaseResult:
        options = {name: value for name, value in vars(case).items() if name not in IN_WORDS}
        result = run_of(self.models[case.model], case.until, options)
        with np.errstate(over="ignore", invalid="ignore"):  # of a run that broke off
            gaps = {name: result.violation(name, vector=True) for name in result.model.joint_names}
            kinetic = result.kinetic_energy()
            return CaseResult(case, result, gaps, result.energy(), float(kinetic[0]))

    def provenance(self) -> dict[str, dict[str, Any]]:
        """Every run by its id: what was asked for and what the result says of itself."""
        return {
            case.id: {
                "case": asdict(case),
                "status": outcome.result.message,
                **outcome.result.provenance,
            }
            for case, outcome in self.outcomes.items()
        }
