"""What accuracy costs: error over evaluations and over time, of several methods on one model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from typing import Any, Literal

import numpy as np

from chasles.build.system.state import State
from chasles.integrators.methods import Method, find_method
from chasles.integrators.stabilisation import Baumgarte
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.coordinates import Coordinates
from chasles.model.keywords import checked_keywords, explained
from chasles.model.tables import Table, plain, small
from chasles.model.words import ArrayLike, Stabiliser
from chasles.notices import progress_bar
from chasles.result.result import Result
from chasles.run.grid_pace import COUNTED
from chasles.run.motion_error import error_at_end
from chasles.run.time_grid import NEVER
from chasles.spaces.designation import Spaces
from chasles.studies.output import Printed, check_lists, checked_falling, checked_study, in_words
from chasles.studies.starts import Cases

#: Of this many runs the fastest is what a run costs: what else the machine does only adds to it.
REPEATS = 5
#: Runs below this are timed again until they took it in all, s.
TIMED_SECONDS = 0.02
#: The reference has this tolerance.
REFERENCE = {"method": "dop853", "rtol": 3e-14, "atol": 1e-15}


@dataclass(frozen=True)
class Point:
    """One setting of a method: medians over the starts.

    setting         the step in s, or rtol
    error           of the poses at the end, m
    evaluations     of the equations of motion, in all iterations; 0 where a method of the user's
                    own does not count them
    seconds         in steps; infinite where it was not timed
    iterations      of methods that iterate
    factorisations  of matrices beside those of the evaluations
    """

    setting: float
    error: float
    evaluations: float
    seconds: float = inf
    iterations: float = 0.0
    factorisations: float = 0.0


@dataclass(frozen=True)
class Work:
    """A method in a space: what its settings cost, or why it was refused."""

    method: str
    spaces: str
    kind: str  # "step" or "rtol"
    points: tuple[Point, ...] = ()
    refused: str = ""

    @property
    def label(self) -> str:
        return f"{self.method} by {self.kind}" if self.kind == "rtol" else self.method

    def cost_at(self, error: float, what: str = "evaluations") -> float:
        """What an error costs, between the settings; infinite where none is as accurate.

        So it is where nobody counted.
        """
        found = [(p.error, getattr(p, what)) for p in self.points if p.error > 0.0]
        kept = sorted((error, cost) for error, cost in found if 0.0 < cost < inf)
        if not kept or kept[0][0] > error:
            return inf
        errors, work = np.log(np.array(kept)).T
        return float(np.exp(np.interp(np.log(error), errors, work)))


@explained
@dataclass(frozen=True, repr=False)
class WorkPrecision(Printed):
    """Error against cost of several methods: `works`, one for each method in each space.

    Parameters
    ----------
    starts
        Number of starts.
    works
        One for each method in each space.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> found = ch.work_precision(model, until=0.5, steps=[0.05, 0.025], methods=["heun", "rk4"])
    >>> found.best(error=1e-4).method
    'rk4'
    """

    drawn_by = "figures:work_figure"

    model: Model
    until: float
    starts: int
    works: tuple[Work, ...]

    def best(self, error: float, what: Literal["evaluations", "seconds"] = "evaluations") -> Work:
        """The method and spaces that reach an error at the lowest cost.

        Parameters
        ----------
        error
            Error of poses at the end, m.
        what
            Cost: "evaluations" of the equations of motion, or "seconds".

        Returns
        -------
        Work
            The entry.
        """
        UnknownName.check("cost", what, ("evaluations", "seconds"), "work_precision: best")
        found = min(self.works, key=lambda work: work.cost_at(error, what))
        if found.cost_at(error, what) == inf:
            raise InvalidOption(
                f"work_precision: no setting has an error below {error:g} m.",
                "Give shorter steps, or tighter tolerances.",
            )
        return found

    def _parts(self) -> list[str | Table]:
        rows = [
            [w.method, w.spaces, f"{w.kind} {p.setting:.2g}", small(p.error),
             plain(p.evaluations) if p.evaluations else "-",
             plain(p.factorisations) if p.factorisations else "-",
             "-" if p.seconds == inf else plain(1e3 * p.seconds)]
            for w in self.works for p in w.points
        ]  # fmt: skip
        header = ["method", "spaces", "setting", "error [m]", "evaluations", "matrices", "ms"]
        runs = f", medians over {self.starts} starts" if self.starts > 1 else ""
        return [
            f"{self.model!r}, errors at {self.until:g} s{runs}",
            Table(header, rows, 3),
            *(f"{w.method} in {w.spaces}: {w.refused}" for w in self.works if w.refused),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        works = [{**vars(w), "points": [vars(p) for p in w.points]} for w in self.works]
        return {"until": self.until, "starts": self.starts, "works": works}


@explained
@checked_keywords
def work_precision(
    model: Model,
    until: float,
    steps: ArrayLike = (),
    tolerances: ArrayLike = (),
    methods: Sequence[str | Tableau | Method] = ("rk4", "dopri5", "dop853"),
    spaces: Sequence[Spaces] = ("auto",),
    starts: Sequence[State | Coordinates | None] = (None,),
    stabilise: Stabiliser | Baumgarte | None = None,
    timing: bool = True,
    progress: bool | None = None,
) -> WorkPrecision:
    """Measure error against cost of several methods: evaluations of the equations of motion, and
    time.

    Parameters
    ----------
    steps
        Steps, s, for every method.
    tolerances
        Values of rtol for methods with error control ("bs3", "dopri5", "tsit5", "dop853"). atol
        is a hundredth of it.
    spaces
        Spaces as in `simulate`.
    starts
        States or joint coordinates as in `simulate(start=...)`. Medians over several starts are
        more reliable, because the error of a single start may cross zero.
    timing
        Whether to measure time, too: seconds in steps, the best of five.

    Returns
    -------
    WorkPrecision
        One entry for each method in each space, and plots.

    Notes
    -----
    Errors are those of poses at the end, compared with a run of "dop853" at rtol 3e-14.

    Examples
    --------
    >>> import chasles as ch
    >>> top = ch.Body.box("top", size=(1, 2, 3), mass=2.0, angular_velocity=(1, 2, 3))
    >>> found = ch.work_precision(ch.Model([top], []), 1.0, [0.1, 0.05], methods=["heun", "dop853"])
    >>> found.best(1e-7).method
    'dop853'
    """
    until = checked_study("work_precision", model, until, progress, timing=timing)
    settings = {"step": positive(steps, "steps"), "rtol": positive(tolerances, "tolerances")}
    if not any(settings.values()):
        raise InvalidOption(
            "work_precision: there are neither steps nor tolerances.",
            "Give some of one kind: steps=[4e-3, 2e-3, 1e-3].",
        )
    check_lists("work_precision", methods=methods, spaces=spaces, starts=starts)
    common = {"stabilise": stabilise, "save_every": NEVER, "progress": False}
    cases = Cases(model, until, tuple(starts))
    exact = cases.run(**common, **REFERENCE)
    found, jobs = [find_method(method) for method in methods], []
    for method in found:
        for space in spaces:
            # Those with steps of one length are refused by name where there are tolerances alone.
            may = {"step": True, "rtol": method.adaptive or not settings["step"]}
            jobs += [(method, space, kind) for kind in settings if settings[kind] and may[kind]]
    works = []
    with progress_bar(jobs, "work", unit="family", progress=progress) as bar:
        for method, space, kind in bar:
            options = {**common, "method": method, "spaces": space}
            works.append(work_of(cases, kind, settings[kind], options, exact, timing))
    return WorkPrecision(model, until, len(starts), tuple(works))


def positive(values: Any, what: str) -> list[float]:
    return checked_falling(values, "work_precision", what, "positive", "Give positive numbers.")


def work_of(
    cases: Cases, kind: str, settings: list[float], options: dict[str, Any], exact: list[Result],
    timing: bool,
) -> Work:  # fmt: skip
    also = {"step": {}, "rtol": {"atol": 1e-2}}[kind]
    chosen = {x: {kind: x, **{name: part * x for name, part in also.items()}} for x in settings}
    found, refused = cases.tried(chosen, **options)
    points = []
    for setting, runs in found.items():
        errors = [error_at_end(run, other).pose for run, other in zip(runs, exact)]
        counts = [median(float(run.provenance[what]) for run in runs) for what in COUNTED]
        seconds = cpu_seconds(cases, {**options, **chosen[setting]}) if timing else inf
        points.append(Point(setting, median(errors), counts[0], seconds, *counts[1:]))
    return Work(options["method"].name, in_words(options["spaces"]), kind, tuple(points), refused)


def cpu_seconds(cases: Cases, options: dict[str, Any]) -> float:
    """Seconds in the steps of a run: the best of some."""
    best, spent, first = inf, 0.0, replace(cases, starts=cases.starts[:1])
    for _ in range(REPEATS):
        took = float(first.run(**options)[0].provenance["seconds_in_steps"])
        best, spent = min(best, took), spent + took
        if spent > 100 * TIMED_SECONDS:
            break
    return best
