"""Which simulations the report needs: each is run once and shared by all that look at it."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from math import inf
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.tableaux import METHODS
from chasles.model import InvalidOption, Model
from chasles.notices import progress_bar
from chasles.result.result import Result
from chasles.studies.gallery import floating_pair, platform_top
from chasles.studies.measure import Candidate, Judged, costs, run_of
from chasles.studies.paper import examples
from chasles.studies.paper.examples import EXAMPLES, Options
from chasles.studies.paper.printed_top import (
    PAPER_TOLERANCES,
    TIGHT_TOLERANCES,
    Equations,
    Reference,
    Trajectory,
    integrate,
    quaternion_reference,
)
from chasles.studies.paper_mechanisms import heavy_top

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


# --- everything that the report looks at, each computed once, on first use, and shared ------------

PAPER_SPACES = ("SE3", "SO3xR3")
SHOWN_SPACES = (*PAPER_SPACES, "framed", "auto")
FORMS = ("space", "screw")
LONGER = 5  # times the duration of the paper's figures
RANDOM_KINDS = ("pendulum", "floating")
STEP_FACTORS = (8, 4, 2, 1, 0.5, 0.25)


def form_of(spaces: str) -> str:
    """The form of the acceleration constraints in figures: the paper's, where there is a choice."""
    return "screw" if spaces == "auto" else "space"


class Study:
    """The runs and small integrations of one report."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.spins = examples.SPINS[:1] if options.quick else examples.SPINS
        self.runs = Runs(self.models())
        self.printed = cache(self.integrated)

    def models(self) -> dict[str, Model]:
        models = {key: EXAMPLES[key].model for key in self.options.chosen}
        if self.has("double-pendulum"):
            for spin in self.spins:
                models |= examples.random_models("pendulum", spin)
        if self.has("floating-pair"):
            for spin in self.spins:
                models |= examples.random_models("floating", spin)
            models["free body"] = examples.free_body()
            for boost in examples.BOOSTS:
                models[examples.boosted_name(boost)] = floating_pair(boost)
        if self.has("heavy-top"):
            for speed in examples.PLATFORM_SPEEDS:
                models[examples.platform_name(speed)] = platform_top(speed)
            models["heavy top in gravity"] = heavy_top(gravity=9.81)
        return models

    def has(self, example: str) -> bool:
        return example in self.options.chosen

    @property
    def of_paper(self) -> list[str]:
        """The examples of this report that the paper has."""
        return [key for key in self.options.chosen if EXAMPLES[key].in_paper]

    # --- simulations ---

    def case(
        self,
        model: str,
        spaces: str,
        acceleration: str = "space",
        method: str | None = None,
        longer: bool = False,
        step: float | None = None,
        stabilise: str | None = None,
    ) -> Case:
        o = self.options
        until = o.until * (LONGER if longer else 1)
        return Case(
            model, spaces, until, step or o.step, method or o.method, acceleration, stabilise
        )

    def run(self, model: str, spaces: str, acceleration: str = "space", **more) -> CaseResult:
        return self.runs(self.case(model, spaces, acceleration, **more))

    def pair(self, model: str, acceleration: str = "space", **more) -> list[CaseResult]:
        """The runs on the paper's two groups."""
        return [self.run(model, spaces, acceleration, **more) for spaces in PAPER_SPACES]

    def chosen(self, model: str, **more) -> CaseResult:
        """The run this package would make when nothing is asked for: auto spaces, screw form."""
        return self.run(model, "auto", "screw", **more)

    def shown(self, model: str, **more) -> dict[str, CaseResult]:
        """The runs side by side in every figure: only the spaces differ.

        The joint subgroups of "auto" have no constraints that could have a form.
        """
        return {spaces: self.run(model, spaces, form_of(spaces), **more) for spaces in SHOWN_SPACES}

    def cases(self) -> Iterator[Case]:
        """Every simulation of the report, so that the bar knows how many there are."""
        for model in self.runs.models:
            random = model.startswith("random")
            for form in FORMS:
                for spaces in PAPER_SPACES:
                    yield self.case(model, spaces, form)
            yield self.case(model, "auto", "screw")
            if random:
                continue
            for form in FORMS:
                yield self.case(model, "framed", form)
            if model == "three-bar":
                yield self.case(model, "auto", "screw", stabilise="projection")
            if model in EXAMPLES:
                for spaces in SHOWN_SPACES:
                    yield self.case(model, spaces, form_of(spaces), longer=True)
                if not self.options.quick:
                    yield from self.more_cases(model)

    def more_cases(self, model: str) -> Iterator[Case]:
        for spaces in SHOWN_SPACES:
            for method in METHODS:
                yield self.case(model, spaces, form_of(spaces), method=method)
            for factor in STEP_FACTORS:
                yield self.case(model, spaces, form_of(spaces), step=factor * self.options.step)

    # --- the heavy top in the paper's own equations ---

    def integrated(self, equations: Equations) -> Trajectory:
        """The top as printed, over the longer duration."""
        step = self.options.step
        try:
            return integrate(heavy_top(), equations, LONGER * self.options.until, step)
        except (ArithmeticError, np.linalg.LinAlgError):
            raise InvalidOption(
                f"the paper's equations of the top break off with --step {step:g}.",
                "Take a smaller step.",
            ) from None

    def first(self, trajectory: Trajectory) -> slice:
        """The part of a longer trajectory that the paper's figures show."""
        return slice(0, round(self.options.until / self.options.step) + 1)

    @cached_property
    def times(self) -> Floats:
        return self.run("heavy-top", "SE3").t

    @cached_property
    def reference_as_printed(self) -> Reference:
        return quaternion_reference(heavy_top(), self.times, PAPER_TOLERANCES)

    @cached_property
    def reference_tight(self) -> Reference:
        return quaternion_reference(heavy_top(), self.times, TIGHT_TOLERANCES)

    def position_error(self, position: Floats) -> Floats:
        """Distance of the top's centre of mass from the tight reference, m."""
        return np.linalg.norm(position - self.reference_tight.position, axis=1)

    # --- many starts, loops, cost ---

    def random_names(self, kind: str, spin: float) -> list[str]:
        return [name for name in self.runs.models if name.startswith(f"random {kind} {spin:g} ")]

    def random_ratios(self, kind: str, spin: float, form: str = "space") -> Floats:
        """Largest gap of the joint between the links, SE(3) over SO(3)xR3, start by start."""
        names = self.random_names(kind, spin)
        gaps = [[self.run(n, s, form).gap("joint 2") for s in PAPER_SPACES] for n in names]
        table = np.array(gaps)
        return table[:, 0] / table[:, 1]

    def random_in_subgroups(self, kind: str, spin: float) -> float:
        """The largest gap of any joint and start, in the joints' subgroups, m."""
        return max(self.chosen(name).largest_gap() for name in self.random_names(kind, spin))

    def loop_gap(self, outcome: CaseResult) -> tuple[Floats, Floats]:
        """The sum of the 3-bar's joint gaps around its loop, and the same from rotations alone.

        g1 + g2 + g3 = (C - A) - 2 R1 h - 2 R2 h: positions cancel, so no choice of group for the
        positions can make the sum smaller.
        """
        result = outcome.result
        start, end = (np.array(result.model.joint(name).at) for name in ("joint 1", "joint 3"))
        half = np.array([0.1, 0.0, 0.0])
        ends = {}
        for name in ("link 1", "link 2"):
            arm = result.rotation(name) @ half
            ends[name] = (result.position(name) - arm, result.position(name) + arm)
        gaps = (
            (ends["link 1"][0] - start)
            + (ends["link 2"][0] - ends["link 1"][1])
            + (end - ends["link 2"][1])
        )
        arms = sum(result.rotation(name) @ half for name in ("link 1", "link 2"))
        return gaps, (end - start) - 2 * arms

    def loop_size(self, outcome: CaseResult) -> float:
        """The largest gap around the 3-bar's loop, m."""
        return float(np.linalg.norm(self.loop_gap(outcome)[0], axis=1).max())

    @cached_property
    def microseconds_per_step(self) -> dict[str, dict[str, float]]:
        """Example -> spaces -> time of one step, us: the best of some."""
        asked = {"method": self.options.method, "step": self.options.step}
        ways = [Candidate(spaces, {**asked, "spaces": spaces}) for spaces in SHOWN_SPACES]
        return {
            key: dict(zip(SHOWN_SPACES, costs(EXAMPLES[key].model, ways, self.options.until)))
            for key in self.options.chosen
        }
