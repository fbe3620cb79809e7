r"""Accuracy of the motion instead of a step: three runs, whose differences say how good they are.

A run at tolerance r is repeated at 10 r and at 100 r (docs/integrators.md).  Where errors go with
the tolerance, that of the best run is about a tenth of either number,

$$ |x_{10r}(t) - x_r(t)|, \qquad \tfrac1{10}|x_{100r}(t) - x_{10r}(t)| . $$

Where they do not, because steps are few, forces have kinks or one difference is small by chance,
it may be as large as the larger one, and a little larger in one of twenty random models: twice
that is the estimate (`chasles.run.motion_error` compares poses).  Where both runs take as many
steps, stability limits them, and implicit methods are tried (`chasles.run.implicit_choice`).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.build.system.step_bounds import UNBOUNDED, StepBounds
from chasles.core.arrays import Floats
from chasles.integrators.methods import find_method, methods
from chasles.model import ChaslesWarning, InvalidOption, SimulationStopped
from chasles.model.checks import checked_positive
from chasles.model.errors import short_repr
from chasles.result.result import Result
from chasles.run.checks import UNBALANCED
from chasles.run.implicit_choice import by_implicit_steps, work_of
from chasles.run.motion_error import Judged, compared, pose_errors, sizes_in, sizes_of, states
from chasles.run.one_run import integrate, prepared
from chasles.run.options import USUAL_WITH_TOLERANCES, Options, is_auto
from chasles.run.recording import OtherRun, open_recording

#: The accuracy of `method="auto"` where none is asked for.
USUAL_TOL = 1e-6
#: What can be asked for: doubles have no more.
SMALLEST_TOL = 1e-12
#: The tolerances of the second and the third run over that of the first.
COARSER, COARSEST = 10.0, 100.0
#: Where functions of time limit the steps, or so few do, all runs would take the same ones and
#: agree whatever they miss: those that one is judged by take steps of this fraction there.
OTHER, FEW = 0.7, 8
#: The estimate over the larger difference.  Without it the error was up to 1.8 times the estimate
#: in 5 of 75 random models (see tests/oracle/test_coverage_of_tol.py).
SAFETY = 2.0
#: Above it there is no third run, whose steps would tell nothing.
LARGEST_RTOL = 0.3
#: Steps are first judged by this fraction of what is asked for; tolerances below the smallest
#: would judge rounding errors.
FIRST, SMALLEST = 0.3, 2e-13
#: Bodies at rest are judged by this fraction of the tolerance times the size of the bodies, in s.
STILL = 1e-3
#: How often tolerances are tried.
ROUNDS = 6
#: At a tenth of the tolerance a pair of order p takes 10^(1/p) times as many steps, unless
#: stability is what limits them: then about as many.
AS_MANY, MANY = 1.08, 100
#: ... or the longest step allowed: that is this fraction of it or more, then.
LONGEST = 0.9


class GivenUp(Exception):
    """A run that stability limits, ended early: whatever it takes is too much."""

    def __init__(self, result: Result) -> None:
        self.result = result


def to_accuracy(options: Options) -> Result:
    """A run whose motion is accurate to `tol` times the size of the bodies, at all times."""
    wanted = checked_tol(options)
    controller = SameAgain(options.controller) if callable(options.controller) else None
    chosen = replace(
        options, method=checked_method(options.method), rtol=SMALLEST, tol=None,
        controller=controller or options.controller, into=None, resume=False,
    )  # fmt: skip
    record = open_recording(options.into, options.resume)  # refused before anything is run
    if record is not None:
        record.close()
    made = prepared(chosen)
    size = float(sizes_in(made.settings.setup).max())
    texts: tuple[str, ...] = ()
    try:
        with warnings.catch_warnings():  # only what is returned is to be heard
            warnings.simplefilter("ignore", ChaslesWarning)
            if may_change_method(options):
                bounds: StepBounds = getattr(made.run.pace, "bounds", UNBOUNDED)
                judged, words = with_stiffness_check(chosen, wanted, size, bounds.shortest)
            else:
                judged, words = by_tolerances(chosen, wanted, size), ""
            result = with_estimate(judged, wanted, words)
            if options.into is not None:
                result = recorded(options, judged, wanted, words)
        if controller is not None:
            controller.check()
        texts = result.warnings
    except SimulationStopped as stopped:
        texts = () if stopped.result is None else stopped.result.warnings
        raise
    finally:
        for text in texts:
            warnings.warn(text, ChaslesWarning, stacklevel=4)
    return result


def recorded(options: Options, judged: Judged, wanted: float, words: str) -> Result:
    """The run once more, into a folder: only now its tolerances are known."""
    again = replace(judged.options, into=options.into, resume=options.resume)
    try:
        return integrate(
            again, seal=lambda result: with_estimate(replace(judged, result=result), wanted, words)
        )
    except OtherRun as error:
        raise OtherRun(
            f"{error.what} Method, steps and tolerances follow from tol={wanted:g} and until ="
            f" {options.until:g} s.",
            "A run with tol can be resumed with the same tol and until. To go on longer, continue"
            " its result: simulate(model, until, start=load(folder), rtol=1e-8).",
        ) from None


class SameAgain:
    """A controller of runs that are compared: `failed` if its answers at t = 0 differ, because it
    remembers the run before.
    """

    def __init__(self, controller: Any) -> None:
        self.controller, self.failed = controller, False
        self.said: dict[Any, Any] | None = None

    def __call__(self, t: float, state: Any) -> Any:
        given = self.controller(t, state)
        if t == 0.0 and isinstance(given, Mapping):
            said = {getattr(key, "name", key): value for key, value in given.items()}
            self.failed = self.failed or repr(self.said or said) != repr(said)
            self.said = self.said or said
        return given

    def check(self) -> None:
        if self.failed:
            raise InvalidOption(
                "simulate: tol repeats the run, and the controller does not give the same again at"
                f" t = 0 as the first time, {short_repr(self.said)}: it keeps data of its own.",
                "Let it begin anew where t is 0, or give rtol instead of tol: that takes one run.",
            )


def may_change_method(options: Options) -> bool:
    """Whether the method is free and forces may be stiff; continued runs keep their method."""
    is_free = options.method is None or is_auto(options.method)
    is_new = not isinstance(options.start, Result) and options.controller is None
    return is_free and is_new and bool(options.model.forces)


def by_tolerances(chosen: Options, wanted: float, size: float, gives_up: bool = False) -> Judged:
    """A run with tolerances that are made smaller until they do."""
    rtol, judged = max(SMALLEST, FIRST * wanted), None
    for _ in range(ROUNDS):
        fine = replace(chosen, rtol=rtol, atol=STILL * rtol * size)
        judged = judged_run(fine, gives_up)
        if judged.worst <= wanted or rtol <= SMALLEST:
            break
        rtol = max(SMALLEST, rtol * min(0.3, max(1e-3, 0.5 * wanted / judged.worst)))
    assert judged is not None
    return judged


def judged_run(fine: Options, gives_up: bool = False) -> Judged:
    """A run and what it is judged by; if it may be given up, GivenUp where stability limits it."""
    probe = StiffnessProbe(fine) if gives_up else None
    result = integrate(fine, probe)
    if probe is not None and probe.is_stiff:
        raise GivenUp(result)
    kept = compared(result)
    times, steps = result.t[kept], result.provenance.steps
    beside = fine
    if steps <= FEW:
        longest = np.inf if fine.max_step is None else float(fine.max_step)
        beside = replace(fine, max_step=OTHER * min(longest, times[-1] / steps))
    other = coarser_run(beside, times, COARSER)
    missed = differences(other, states(result, kept))  # where the other did not come nobody knows
    assert fine.rtol is not None
    if COARSEST * fine.rtol <= LARGEST_RTOL:
        third = coarser_run(beside, times, COARSEST)
        floor = COARSER / COARSEST * differences(third, other)
        floor[~np.isfinite(floor)] = 0.0
        missed[: len(floor)] = np.maximum(missed[: len(floor)], floor)
    size = float(sizes_of(result).max())
    stiff = is_limited_by_stability(steps, other.provenance.steps, result.t[-1] / steps, fine)
    return Judged(result, fine, times, SAFETY * missed / size, stiff)


def coarser_run(fine: Options, times: Floats, factor: float) -> Result:
    """A run at larger tolerances by which another is judged; up to where it stopped, if it did."""
    assert fine.rtol is not None and fine.atol is not None
    coarse = replace(
        fine, rtol=factor * fine.rtol, atol=factor * fine.atol, t_eval=times, save_every=1,
        progress=False,
    )  # fmt: skip
    try:
        return integrate(coarse, shortened=OTHER)
    except SimulationStopped as stopped:
        if stopped.result is None:
            raise
        return stopped.result


def differences(other: Result, result: Result) -> Floats:
    """(T,) Between the poses of two runs at the same times; inf after the end of the other run."""
    count = min(len(result.t), len(other.t))
    missed = np.full(len(result.t), np.inf)
    missed[:count] = pose_errors(states(other, range(count)), states(result, range(count)))
    return missed


# --- stiff or not ---


def is_limited_by_stability(steps: int, others: int, mean: float, fine: Options) -> bool:
    """Whether steps of a mean length are as many as those at ten times the tolerance."""
    if fine.max_step is not None and mean > LONGEST * float(fine.max_step):
        return False
    return steps > MANY and steps < AS_MANY * others


@dataclass
class StiffnessProbe:
    """Looks at a run on its way, and ends it where stability limits its steps."""

    fine: Options
    is_stiff: bool = False

    def __call__(self, t: float, steps: int) -> bool:
        other = coarser_run(replace(self.fine, until=t), np.array([t]), COARSER)
        others = other.provenance.steps
        self.is_stiff = is_limited_by_stability(steps, others, t / steps, self.fine)
        return self.is_stiff


def with_stiffness_check(
    chosen: Options, wanted: float, size: float, longest: float
) -> tuple[Judged, str]:
    """A run with tolerances, or with an implicit method and steps up to `longest` (s) if stability
    limits the steps; and why, in words.
    """
    try:
        judged = by_tolerances(chosen, wanted, size, gives_up=True)
        if not judged.stiff or judged.worst > wanted:
            return judged, ""
        return judged, f"{limited(judged.result)}; they are made already, and kept"
    except GivenUp as early:
        result = early.result
    work = work_of(result) * chosen.until / result.t[-1]
    if chosen.max_step is not None:
        longest = min(longest, float(chosen.max_step))
    equal = replace(chosen, max_step=min(longest, chosen.until))
    found = by_implicit_steps(equal, wanted, work)
    words = "; ".join((limited(result), *found.words))
    if found.best is not None:
        return found.best, words
    judged = by_tolerances(chosen, wanted, size)
    return judged, f"{words}; so {result.provenance.method} is kept"


def limited(result: Result) -> str:
    """What an explicit method has found out about its steps."""
    return (
        f"stability limits the steps of {result.provenance.method}"
        f" ({result.provenance.steps} to t = {result.t[-1]:.4g} s)"
    )


def resolved(result: Result) -> Result:
    """Without the warning of an energy balance that does not close: the work of stiff forces within
    a step is not integrated, but the motion is right.
    """
    kept = tuple(text for text in result.warnings if not text.startswith(UNBALANCED))
    return replace(result, provenance=replace(result.provenance, warnings=kept))


def with_estimate(judged: Judged, tol: float, choice: str = "") -> Result:
    """The result, with what it knows of its error; warned of where that is more than asked for."""
    is_implicit = judged.options.rtol is None
    result = resolved(judged.result) if is_implicit else judged.result
    size = float(sizes_of(result).max())
    trusted, texts = judged.trusted_until(tol), list(result.provenance.warnings)
    if judged.worst > tol:
        known = f"errors grow, to an estimated {judged.worst * size:.1e} m in the end, and doubles"
        known += " have no digits to make them smaller."
        if not np.isfinite(judged.worst):
            known = "a second run, at ten times the tolerances, ended there."
        text = (
            f"the motion could be computed to {tol:g} of the size of the bodies up to t ="
            f" {trusted:.4g} s only: {known}"
        )
        texts.append(text)
    found = {
        "tol": tol,
        "global_error": judged.worst * size,
        "trusted_until": trusted,
        "limited_by": "stability" if judged.stiff else "accuracy",
        "choice": choice or "by tolerances",
    }
    others = {**result.provenance.others, **found}
    provenance = replace(result.provenance, warnings=tuple(texts), others=others)
    message = f"{result.message}; the motion is accurate to about {judged.worst * size:.1e} m"
    if judged.worst > tol:
        message += f", to {tol:g} of the size of the bodies up to t = {trusted:.4g} s only"
    if not np.isfinite(judged.worst):
        message = f"{result.message}; how accurate it is, is known up to t = {trusted:.4g} s"
    if choice:
        message += f" ({choice})"
    return replace(result, provenance=provenance, message=message)


def checked_tol(options: Options) -> float:
    tol = options.tol
    given = {name: getattr(options, name) for name in ("step", "rtol", "atol")}
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise InvalidOption(
            f"simulate: {named[0]} was given, and an accuracy of the motion (tol, or method"
            "='auto'), from which steps and tolerances follow.",
            f"Leave {named[0]} out, or give a method by name and no tol.",
        )
    if tol is None:
        return USUAL_TOL
    wanted = checked_positive(tol, "tol", "", "simulate", InvalidOption)
    if not SMALLEST_TOL <= wanted <= 0.1:
        raise InvalidOption(
            f"simulate: tol is {wanted:g}, a fraction of the size of the bodies.",
            f"Give one from {SMALLEST_TOL:g} to 0.1.",
        )
    return wanted


def checked_method(method: Any) -> str:
    """The name of a method that chooses its steps."""
    if method is None or is_auto(method):
        return USUAL_WITH_TOLERANCES
    found = find_method(method)
    if not found.adaptive:
        able = ", ".join(name for name, known in methods().items() if known.adaptive)
        raise InvalidOption(
            f"simulate: the method '{found.name}' cannot choose its steps, which tol asks for.",
            f"Leave the method out, give a step instead of tol, or take one of {able}.",
        )
    return found.name
