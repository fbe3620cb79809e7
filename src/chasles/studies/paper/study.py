"""The runs of one report: each is made when first asked for, and shared by all that use it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import inf
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption
from chasles.studies.measure import Candidate, Outcome, costs, run_of
from chasles.studies.paper.examples import EXAMPLES, HALF, SPINS, Options, models, random_models
from chasles.studies.paper.printed_top import (
    Equations,
    Trajectory,
    integrate,
)
from chasles.studies.paper_mechanisms import heavy_top

PAPER_SPACES = ("SE3", "SO3xR3")
SHOWN_SPACES = (*PAPER_SPACES, "framed", "auto")
FORMS = ("space", "screw")
LONGER = 5  # times the duration of the paper's figures
STEP_FACTORS = (8, 4, 2, 1, 0.5, 0.25)


class Measure(float):
    """A measured number, its unit, and where it comes from: runs, or words for anything else."""

    label: str
    unit: str
    runs: tuple[str, ...]
    source: str

    def __new__(
        cls,
        label: str,
        value: float,
        unit: str = "",
        runs: tuple[str, ...] = (),
        source: str = "",
    ) -> "Measure":
        made = super().__new__(cls, value)
        made.label, made.unit, made.runs, made.source = label, unit, runs, source
        return made


def measures_in(values: Any) -> Iterator[Measure]:
    """Those among values, in lists and in dicts, too."""
    if isinstance(values, Measure):
        yield values
    elif isinstance(values, dict | list):
        for value in values.values() if isinstance(values, dict) else values:
            yield from measures_in(value)


@dataclass(frozen=True)
class CaseResult(Outcome):
    """What a run says about joints and energy, as the paper measures them."""

    model: str = field(kw_only=True)  # its name
    until: float = field(kw_only=True)

    def gap(self, joint: str) -> Measure:
        """Largest violation of a joint, m; infinite if the run could not be finished."""
        value = self.gaps[joint].metres if self.finished else inf
        return Measure(f"gap of {joint}", value, "m", (self.label,))

    def largest_gap(self) -> Measure:
        return max(self.gap(joint) for joint in self.gaps)

    @property
    def kinetic_at_start(self) -> Measure:
        value = float(self.result.kinetic_energy()[0])
        return Measure("kinetic energy at the start", value, "J", (self.label,))

    @cached_property
    def energy_error(self) -> Floats:
        """(E - E0) / T0 at every saved time."""
        energy = self.result.energy()
        return (energy - energy[0]) / self.kinetic_at_start

    @property
    def energy_drift(self) -> Measure:
        return Measure("energy drift", super().energy_drift, "of T0", (self.label,))


def form_of(spaces: str) -> str:
    """The form of the acceleration constraints in figures: the paper's, where there is a choice."""
    return "screw" if spaces == "auto" else "space"


class Study:
    """The runs and small integrations of one report; `ran` is called after every run."""

    def __init__(self, options: Options, ran: Callable[[], Any] = lambda: None) -> None:
        self.options, self.ran = options, ran
        self.spins = SPINS[:1] if options.quick else SPINS
        self.outcomes: dict[str, CaseResult] = {}
        self.printed = cache(self.integrated)

    def has(self, example: str) -> bool:
        return example in self.options.chosen

    @property
    def of_paper(self) -> list[str]:
        """The examples of this report that the paper has."""
        return [key for key in self.options.chosen if EXAMPLES[key].in_paper]

    # --- simulations ---

    def run(
        self,
        model: str,
        spaces: str,
        acceleration: str = "space",
        method: str | None = None,
        longer: bool = False,
        step: float | None = None,
        stabilise: str | None = None,
    ) -> CaseResult:
        o, until = self.options, self.options.until * (LONGER if longer else 1)
        asked = {
            "spaces": spaces, "step": step or o.step, "method": method or o.method,
            "acceleration": acceleration, "stabilise": stabilise,
        }  # fmt: skip
        label = (
            f"{model} | {spaces} | {acceleration} | {asked['method']} | step {asked['step']:g} s"
            f" | {until:g} s" + (f" | {stabilise}" if stabilise else "")
        )
        if label not in self.outcomes:
            result = run_of(models()[model], until, asked)
            outcome = CaseResult(Candidate(label, asked), result, model=model, until=until)
            self.check_end(outcome)
            self.outcomes[label] = outcome
            self.ran()
        return self.outcomes[label]

    def check_end(self, outcome: CaseResult) -> None:
        """Runs with the report's own step and tableau must reach their end."""
        asked, o = outcome.candidate.options, self.options
        if (asked["method"], asked["step"]) == (o.method, o.step) and not outcome.finished:
            raise InvalidOption(
                f"{outcome.model} on {asked['spaces']} breaks off with --method {o.method} --step"
                f" {o.step:g}: {outcome.result.message}",
                "Take a smaller step, or a tableau of higher order.",
            )

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

    @property
    def first(self) -> slice:
        """The part of a longer trajectory that the paper's figures show."""
        return slice(0, round(self.options.until / self.options.step) + 1)

    # --- many starts, loops, cost ---

    def random_pairs(self, kind: str, spin: float, form: str = "space") -> list[list[Measure]]:
        """Gaps of the joint between the links on SE(3) and on SO(3)xR3, start by start."""
        names = random_models(kind, spin)
        return [[o.gap("joint 2") for o in self.pair(name, form)] for name in names]

    def random_ratios(self, kind: str, spin: float, form: str = "space") -> Floats:
        """The former over the latter."""
        table = np.array(self.random_pairs(kind, spin, form))
        return table[:, 0] / table[:, 1]

    def random_in_subgroups(self, kind: str, spin: float) -> Measure:
        """The largest gap of any joint and start, in the joints' subgroups, m."""
        return max(self.chosen(name).largest_gap() for name in random_models(kind, spin))

    def loop_gap(self, outcome: CaseResult) -> tuple[Floats, Floats]:
        """The sum of the 3-bar's joint gaps around its loop, and the same from rotations alone.

        g1 + g2 + g3 = (C - A) - 2 R1 h - 2 R2 h: positions cancel, so no choice of group for the
        positions can make the sum smaller.
        """
        result = outcome.result
        start, end = (np.array(result.model.joint(name).at) for name in ("joint 1", "joint 3"))
        (first, arm), (second, other) = (
            (result.position(name), result.rotation(name) @ (HALF, 0, 0))
            for name in ("link 1", "link 2")
        )
        gaps = (first - arm - start) + ((second - other) - (first + arm)) + (end - (second + other))
        return gaps, (end - start) - 2 * (arm + other)

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
