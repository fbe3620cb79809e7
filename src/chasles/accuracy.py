r"""Accuracy of the motion instead of a step: two runs, whose difference says how good they are.

A tolerance is about single steps; what their errors add up to depends on the motion.  So a run at
tolerance r is repeated at 10 r.  Errors go with the tolerance to the power 0.9 to 1.1 (measured),
so that of the better run is about

$$ e(t) \approx \frac{|x_{10r}(t) - x_r(t)|}{10^{0.9} - 1}, $$

of which twice is taken; poses are compared body by body (see `chasles.motion_error`).  Where e
exceeds what is asked for, r is made smaller.  In a chaotic motion errors grow until no tolerance
that doubles know can hold them: then the run says up to when its digits mean something, and warns.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.methods import find_method, methods
from chasles.model import ChaslesWarning, InvalidOption, Model, SimulationStopped
from chasles.model.checks import checked_positive
from chasles.motion_error import pose_errors, sizes_in, sizes_of
from chasles.one_run import USUAL_WITH_TOLERANCES, RunOptions, integrate, prepared
from chasles.result import Result

#: The accuracy of `method="auto"` where none is asked for.
USUAL_TOL = 1e-6
#: What can be asked for: doubles have no more.
SMALLEST_TOL = 1e-12
#: The tolerance of the second run over that of the first, and what their difference is divided by.
COARSER, DIVIDED = 10.0, 6.9 / 2.0
#: Steps are first judged by this fraction of what is asked for; tolerances below the smallest
#: would judge rounding errors.
FIRST, SMALLEST = 0.3, 2e-13
#: Bodies at rest are judged by this fraction of the tolerance times the size of the bodies, in s.
STILL = 1e-3
#: How often tolerances are tried.
ROUNDS = 6
#: States at which two runs are compared, at the most.
COMPARED = 1000
#: At a tenth of the tolerance a pair of order p takes 10^(1/p) times as many steps, unless
#: stability is what limits them: then about as many.
AS_MANY, MANY = 1.08, 100


@dataclass(frozen=True)
class Judged:
    """A run, what its error is estimated at (T,) as a fraction of the size of the bodies."""

    result: Result
    times: Floats
    estimate: Floats
    stiff: bool

    @property
    def worst(self) -> float:
        return float(self.estimate.max())

    def trusted_until(self, tol: float) -> float:
        """The last time up to which the error is below `tol`."""
        over = np.flatnonzero(self.estimate > tol)
        return float(self.times[-1] if not len(over) else self.times[max(0, over[0] - 1)])


def to_accuracy(model: Model, until: float, tol: Any, asked: RunOptions) -> Result:
    """A run whose motion is accurate to `tol` times the size of the bodies, at all times."""
    wanted = checked_tol(tol, asked)
    chosen = replace(asked, method=checked_method(asked.method), rtol=SMALLEST)
    size = float(sizes_in(prepared(model, until, chosen).settings.setup).max())
    rtol, judged = max(SMALLEST, FIRST * wanted), None
    for _ in range(ROUNDS):
        judged = judged_run(model, until, replace(chosen, rtol=rtol, atol=STILL * rtol * size))
        if judged.worst <= wanted or rtol <= SMALLEST:
            break
        rtol = max(SMALLEST, rtol * min(0.3, max(1e-3, 0.5 * wanted / judged.worst)))
    assert judged is not None
    return told(judged, wanted)


def judged_run(model: Model, until: float, fine: RunOptions) -> Judged:
    """A run and what it is judged by; only what it warns of itself is heard."""
    result = integrate(model, until, fine, stacklevel=6)
    kept = np.unique(np.linspace(0, len(result.t) - 1, min(len(result.t), COMPARED)).astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChaslesWarning)
        coarse = replace(
            fine, rtol=COARSER * fine.rtol, atol=COARSER * fine.atol, t_eval=result.t[kept],
            save_every=1, progress=False,
        )  # fmt: skip
        other = as_far_as_it_goes(model, until, coarse)
    count = min(len(kept), len(other.t))  # an event may end them at different times
    size = float(sizes_of(result).max())
    missed = np.full(len(kept), np.inf)  # where the other did not come nobody knows
    missed[:count] = pose_errors(states(other, range(count)), states(result, kept[:count]))
    steps = result.provenance.steps
    stiff = steps > MANY and steps < AS_MANY * other.provenance.steps
    return Judged(result, result.t[kept], missed / (DIVIDED * size), stiff)


def as_far_as_it_goes(model: Model, until: float, asked: RunOptions) -> Result:
    """A run, or what there is of one that stopped."""
    try:
        return integrate(model, until, asked)
    except SimulationStopped as stopped:
        if stopped.result is None:
            raise
        return stopped.result


def states(result: Result, rows: Any) -> Result:
    """The same with some of its states."""
    index = np.array(rows, dtype=int)
    coordinates = None if result.coordinates is None else result.coordinates[index]
    return replace(
        result, t=result.t[index], absolute=result.absolute[index],
        integrals=result.integrals[index], coordinates=coordinates, checkpoint=None,
    )  # fmt: skip


def told(judged: Judged, tol: float) -> Result:
    """The result, with what it knows of its error; warned of where that is more than asked for."""
    result, size = judged.result, float(sizes_of(judged.result).max())
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
        warnings.warn(text, ChaslesWarning, stacklevel=5)
    found = {
        "tol": tol,
        "global_error": judged.worst * size,
        "trusted_until": trusted,
        "limited_by": "stability" if judged.stiff else "accuracy",
    }
    others = {**result.provenance.others, **found}
    provenance = replace(result.provenance, warnings=tuple(texts), others=others)
    message = f"{result.message}; the motion is accurate to about {judged.worst * size:.1e} m"
    if not np.isfinite(judged.worst):
        message = f"{result.message}; how accurate it is, is known up to t = {trusted:.4g} s"
    return replace(result, provenance=provenance, message=message)


def checked_tol(tol: Any, asked: RunOptions) -> float:
    given = {name: getattr(asked, name) for name in ("step", "rtol", "atol")}
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
    if method is None or (isinstance(method, str) and method == "auto"):
        return USUAL_WITH_TOLERANCES
    found = find_method(method)
    if not found.adaptive:
        able = ", ".join(name for name, known in methods().items() if known.adaptive)
        raise InvalidOption(
            f"simulate: the method '{found.name}' cannot choose its steps, which tol asks for.",
            f"Leave the method out, or take one of {able}.",
        )
    return found.name
