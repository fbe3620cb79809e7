"""Observed orders: every method in every space on one model, against a run that is far better."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from chasles.build.system.state import State
from chasles.integrators.methods import Method, find_method
from chasles.integrators.stabilisation import Baumgarte
from chasles.integrators.tableaux import Tableau
from chasles.model import InvalidOption, Model, UnknownName
from chasles.model.coordinates import Coordinates
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords, explained
from chasles.model.tables import Table, small
from chasles.model.words import ArrayLike, Stabiliser
from chasles.notices import progress_bar
from chasles.result.result import Result
from chasles.run.motion_error import MotionError, sizes_of, states
from chasles.run.time_grid import NEVER
from chasles.spaces.designation import Spaces
from chasles.studies.measure import log_slope
from chasles.studies.output import Printed, check_lists, checked_falling, checked_study, in_words
from chasles.studies.starts import Cases

#: The reference: a run of order 8 in the best space, at the shortest step over this ...
FINER = 2
#: ... and an error is trusted if it is this many times what two such runs differ by.
TRUSTED = 10.0
#: Errors above this fraction of the size of the bodies are no longer in proportion to h^p.
COARSE = 0.1
#: What is tried where nothing is said.
METHODS = ("heun", "kutta3", "rk4", "cf4", "dopri5")


Quantity = Literal["pose", "velocity", "reaction"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)


@dataclass(frozen=True)
class Measured:
    """One run: its step (s), its error, and whether that says anything about an order."""

    step: float
    error: MotionError
    counts: bool = True


@dataclass(frozen=True)
class Family:
    """The runs of one method in one space, and their order.

    refused   why there are none
    """

    method: str
    spaces: str
    order: int  # of the method
    runs: tuple[Measured, ...] = ()
    refused: str = ""

    def observed(self, what: Quantity = "pose") -> float:
        """The slope of log error over log step; nan with fewer than two runs that count."""
        points = [(r.step, getattr(r.error, what)) for r in self.runs if r.counts]
        return log_slope([(h, e) for h, e in points if e is not None and e > 0.0])


@explained
@dataclass(frozen=True, repr=False)
class Convergence(Printed):
    """Measured orders of methods.

    Parameters
    ----------
    families
        One for each method in each space.
    uncertainty
        Estimated error of the reference at the end of the run.
    references
        The reference runs.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> found = ch.convergence(model, until=0.5, steps=[0.05, 0.025], methods=["heun"])
    >>> round(found.order("heun"))
    2
    """

    drawn_by = "figures:convergence_figure"

    model: Model
    until: float
    families: tuple[Family, ...]
    uncertainty: MotionError
    references: tuple[Result, ...] = field(repr=False)

    def order(self, method: Any, spaces: Any = "auto", what: Quantity = "pose") -> float:
        """Observed order of a method.

        Parameters
        ----------
        method
            The method or its name.
        spaces
            The spaces in which it was run.
        what
            Error that is looked at: "pose", "velocity" or "reaction".

        Returns
        -------
        float
            The slope of the logarithm of the error over that of the step.
        """
        name, wanted = find_method(method).name, in_words(spaces)
        UnknownName.check("quantity", what, QUANTITIES, "convergence: order")
        for family in self.families:
            if (family.method, family.spaces) == (name, wanted):
                return family.observed(what)
        raise InvalidOption(
            f"convergence: there are no runs of '{name}' in '{wanted}'.",
            "Those are " + ", ".join(f"{f.method} in {f.spaces}" for f in self.families) + ".",
        )

    @property
    def refused(self) -> dict[tuple[str, str], str]:
        """(method, spaces) -> why it was not run."""
        return {(f.method, f.spaces): f.refused for f in self.families if f.refused}

    def _parts(self) -> list[str | Table]:
        rows = []
        for f in self.families:
            row = [f.method, f.spaces, str(f.order)]
            if f.refused:
                rows.append(row + ["-"] * 5)
                continue
            slopes = map(f.observed, QUANTITIES)
            row += ["-" if np.isnan(slope) else f"{slope:.2f}" for slope in slopes]
            counted = sum(run.counts for run in f.runs)
            rows.append([*row, small(f.runs[-1].error.pose), f"{counted} of {len(f.runs)}"])
        header = ["method", "spaces", "order", "poses", "velocities", "reactions",
                  "best error [m]", "runs that count"]  # fmt: skip
        return [
            f"{self.model!r}, errors at {self.until:g} s",
            Table(header, rows, 2),
            *(f"{method} in {spaces}: {why}" for (method, spaces), why in self.refused.items()),
            f"The reference is good to {self.uncertainty}.",
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and words."""
        families = [
            {
                **vars(f),
                "observed": {what: f.observed(what) for what in QUANTITIES},
                "runs": [{"step": r.step, **vars(r.error), "counts": r.counts} for r in f.runs],
            }
            for f in self.families
        ]
        return {"until": self.until, "uncertainty": vars(self.uncertainty), "families": families}


@explained
@checked_keywords
def convergence(
    model: Model,
    until: float,
    steps: ArrayLike,
    methods: Sequence[str | Tableau | Method] = METHODS,
    spaces: Sequence[Spaces] = ("auto",),
    stabilise: Stabiliser | Baumgarte | None = None,
    reactions: bool = False,
    starts: Sequence[State | Coordinates | None] = (None,),
    reference: Result | None = None,
    progress: bool | None = None,
) -> Convergence:
    """Measure the order of methods: errors at `until` for several steps, and their slope.

    Parameters
    ----------
    steps
        Two or more steps, s, that divide `until`.
    spaces
        Spaces as in `simulate`. Every method is run in each.
    reactions
        Whether to compare reactions, too.
    starts
        States or joint coordinates as in `simulate(start=...)`. The error of a single start may
        cross zero; the root mean square of several does not.
    reference
        For a single start: a Result that ends at `until`. Default: a run of "dop853" at half
        the shortest step; a second run at that step estimates its uncertainty.

    Returns
    -------
    Convergence
        Orders, and tables and plots of the errors.

    Notes
    -----
    Errors are of whole bodies (see `chasles.run.motion_error`). Runs whose error is below ten times
    the uncertainty of the reference, or above a tenth of the size of the bodies, are shown but not
    used for the slope. If a method does not support a space, the reason is listed.

    Examples
    --------
    >>> import chasles as ch
    >>> top = ch.Body.box("top", size=(1, 2, 3), mass=2.0, angular_velocity=(1, 2, 3))
    >>> table = ch.convergence(ch.Model([top], []), 1.0, [0.1, 0.05, 0.025], methods=["rk4"])
    >>> abs(table.order("rk4") - 4) < 0.2
    True
    """
    until = checked_study("convergence", model, until, progress, reactions=reactions)
    lengths = checked_lengths(steps, until)
    check_lists("convergence", methods=methods, spaces=spaces, starts=starts)
    found = [find_method(method) for method in methods]
    common: dict[str, Any] = {"stabilise": stabilise, "save_every": NEVER, "progress": False}
    cases = Cases(model, until, tuple(starts), reactions)
    exact, uncertainty = trusted_reference(cases, lengths[-1], common, reference)
    families = []
    pairs = [(method, space) for method in found for space in spaces]
    with progress_bar(pairs, "orders", unit="family", progress=progress) as bar:
        for method, space in bar:
            options = {**common, "method": method, "spaces": space}
            runs, refused = measured(cases, lengths, options, exact, uncertainty)
            families.append(Family(method.name, in_words(space), method.order, runs, refused))
    return Convergence(model, until, tuple(families), uncertainty, tuple(exact))


def checked_lengths(steps: Any, until: float) -> list[float]:
    rule, remedy = "two or more positive times", "Give halves, say: [4e-3, 2e-3, 1e-3]."
    array = np.array(checked_falling(steps, "convergence", "steps", rule, remedy, fewest=2))
    counts = until / array
    if not np.allclose(counts, np.round(counts), rtol=1e-9) or counts.min() < 0.5:
        bad = array[~np.isclose(counts, np.round(counts), rtol=1e-9)]
        raise InvalidOption(
            f"convergence: a step of {float(bad[0]) if len(bad) else array.max():g} s is not a part"
            f" of {until:g} s: the last one would be shorter.",
            f"Give until/n, n a whole number: {until / round(max(1.0, counts[0])):g} s, say.",
        )
    return [until / round(n) for n in counts]


def trusted_reference(
    cases: Cases, step: float, common: dict[str, Any], given: Result | None
) -> tuple[list[Result], MotionError]:
    """Runs that others are measured against, and by what they may be off."""
    if given is not None:
        if not isinstance(given, Result) or given.model.body_names != cases.model.body_names:
            raise InvalidOption(
                f"convergence: the reference must be a Result of the model, got"
                f" {short_repr(given)}.",
                "Give the result of simulate(model, ...), or leave it out.",
            )
        if len(cases.starts) > 1 or abs(given.t[-1] - cases.until) > 1e-12 * cases.until:
            raise InvalidOption(
                f"convergence: the reference is one run to {given.t[-1]:g} s, for"
                f" {len(cases.starts)} starts to {cases.until:g} s.",
                "Give a run of one start that ends there, or leave it out.",
            )
        ends = states(given, [0, len(given) - 1])  # as the other runs keep them
        return [ends], MotionError(0.0, 0.0, 0.0 if cases.reactions else None)
    coarse = cases.run(step=step, method="dop853", **common)
    fine = cases.run(step=step / FINER, method="dop853", **common)
    return fine, cases.error(coarse, fine)


def measured(
    cases: Cases, steps: list[float], options: dict[str, Any], exact: list[Result],
    uncertainty: MotionError,
) -> tuple[tuple[Measured, ...], str]:  # fmt: skip
    """The runs of a method in a space; or why it has none."""
    largest = COARSE * float(sizes_of(exact[0]).max())
    found, refused = cases.tried({step: {"step": step} for step in steps}, **options)
    errors = {step: cases.error(runs, exact) for step, runs in found.items()}
    if not errors:
        return (), refused or "stopped before the end at every step"
    least = TRUSTED * uncertainty.pose
    return tuple(Measured(h, e, least < e.pose < largest) for h, e in errors.items()), ""
