r"""An implicit method instead of an explicit one whose steps stability limits.

Steps of one length h are tried, their number n from 32 on, each with a second run at 2h.  With
order p or more, $e(t) \le |x_{2h}(t) - x_h(t)| / (2^p - 1)$; forces that no step resolves may
reduce the order, to 1 at the worst: so the whole difference is taken.  n grows until e is below
what is asked for, or the work beyond that of the explicit method.

A linearly implicit step has the derivatives of forces at its start.  Where the direction of a stiff
spring turns, order 2 is not uniform in the stiffness (on a rod of 1e8 N/m that swings, errors at
2 ms are 0.4 m): then it is not taken.

*Work* is counted in evaluations: the same on every machine, and however busy it is.  A matrix of
Newton, or of a linearly implicit step, has the forces' derivatives along twelve directions of every
body by differences: about twelve evaluations (measured: 9 to 13, for a bob on a damper and for a
quadruped on its feet).  An iteration has rows of the joints and a solve beside its evaluation:
about three quarters of one (0.3 with Gauss methods, 0.75 half-explicit and with RATTLie, 1 and more
with Newton's).
"""

from dataclasses import dataclass, replace
from math import ceil, isfinite, log2
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.rattlie import RATTLIE
from chasles.integrators.rosenbrock import W_METHODS
from chasles.model import GROUND, ChaslesError, SimulationStopped, Spring
from chasles.result.result import Result
from chasles.run.motion_error import Judged, compared, pose_errors, sizes_of, states
from chasles.run.one_run import integrate
from chasles.run.options import Options, is_auto

#: What is tried, in turn: of order 3 on index 3, and of order 2 following from accelerations.
TRIED = ("bliedf3", "linearly-implicit")
#: Spaces that are tried where a method does not admit joint subgroups, and how that is said.
CHARTS, REFUSED = "framed", "is refused"
#: Steps of the first trial, the factor by which they grow at the most, and after a run stopped.
FEWEST, MOST_GROWTH, AFTER_STOP = 32, 64, 4
#: What is asked of a trial, as a fraction of what is wanted: the next one should do.
AIM = 0.7
#: Of a method that takes derivatives at the start of a step alone: by how much (rad) a stiff spring
#: may turn in a run.  Stiff is what moves its bodies within a step.
AT_START, TURNED = "linearly-implicit", 0.01
#: Evaluations that take as long as a matrix, and as an iteration beyond its evaluation.
MATRIX, ITERATION = 12, 0.75


@dataclass(frozen=True)
class Outcome:
    """What came of the trials: the cheapest that does, and a word on every method."""

    best: Judged | None
    words: tuple[str, ...]


def work_of(result: Result) -> float:
    """Of the steps of a run, in evaluations."""
    provenance = result.provenance
    if provenance.method in W_METHODS:  # a matrix a step, with all that is iterated for
        return float(provenance.evaluations + MATRIX * provenance.steps)
    matrix = 1 if provenance.method in RATTLIE else MATRIX  # that of an evaluation
    return (
        provenance.evaluations
        + ITERATION * provenance.iterations
        + matrix * provenance.factorisations
    )


def by_implicit_steps(asked: Options, tol: float, most_work: float) -> Outcome:
    """The implicit run with the least work that meets `tol`, if one does for less than so much."""
    best, words = None, []
    for name in TRIED:
        spaces = [asked.spaces, CHARTS] if is_auto(asked.spaces) else [asked.spaces]
        for space in spaces:
            options = replace(asked, method=name, spaces=space)
            found = longest_step(options, tol, most_work)
            if not isinstance(found, str) and name == AT_START:
                found = turning_spring(found.result) or found
            if not isinstance(found, str):
                most_work, best = work_of(found.result), found
                words.append(f"{name} takes {found.result.provenance.steps} steps")
            elif space == spaces[-1] or not found.startswith(REFUSED):
                words.append(f"{name} {found}")
            if not isinstance(found, str) or not found.startswith(REFUSED):
                break
    return Outcome(best, tuple(words))


def turning_spring(result: Result) -> str:
    """Which stiff spring turns in a run so far that derivatives are not to be trusted; or ""."""
    for spring in result.model.forces:
        if isinstance(spring, Spring) and is_stiff(spring, result):
            ends = zip((spring.a, spring.b), (spring.at, spring.at_b))
            at, at_b = (point_path(result, body, point) for body, point in ends)
            along = (at_b - at) / np.linalg.norm(at_b - at, axis=1)[:, None]
            turned = float(np.linalg.norm(along - along[0], axis=1).max())
            if turned > TURNED:
                return f"is left out: the stiff spring '{spring.name}' turns"
    return ""


def is_stiff(spring: Spring, result: Result) -> bool:
    """Whether it moves the lighter of its bodies within a step."""
    step, model = float(result.provenance.step), result.model
    mass = min(model.body(name).mass for name in (spring.a, spring.b) if name != GROUND.name)
    return step * (spring.damping + step * spring.stiffness) > mass


def point_path(result: Result, body: str, at: Any) -> Floats:
    """(T, 3) of a point of a body or of the ground."""
    if body == GROUND.name:
        return np.tile(np.array(at, float), (len(result.t), 1))
    entered = result.model.body(body)
    lever = np.array(entered.rotation).T @ (np.array(at) - np.array(entered.position))
    path: Floats = result.position(body) + result.rotation(body) @ lever
    return path


def longest_step(asked: Options, tol: float, most_work: float) -> Judged | str:
    """A run that meets `tol` with about as few steps as do, or why there is none."""
    until = asked.until
    longest = until if asked.max_step is None else float(asked.max_step)
    steps, runs = max(FEWEST, 2 * ceil(0.5 * until / longest)), False
    options = replace(asked, rtol=None, atol=None, first_step=None, max_step=None)
    while (MATRIX + 2) * steps < most_work:  # two evaluations and a matrix a step, at the least
        try:
            found = tried(replace(options, step=until / steps))
        except SimulationStopped:
            steps *= AFTER_STOP
            continue
        except ChaslesError as refused:
            return f"{REFUSED}: {refused.what.removeprefix('simulate: ')}"
        if found.worst <= tol and work_of(found.result) < most_work:
            return found
        if found.worst <= tol:
            break
        steps, runs = steps * growth(found.worst / tol), True
    return "would take more work" if runs else "stops, or would take more work"


def growth(excess: float) -> int:
    """By what factor there must be more steps, at second order, where errors exceed what is wanted
    by one."""
    if not isfinite(excess):
        return AFTER_STOP
    return min(MOST_GROWTH, max(2, 2 ** ceil(0.5 * log2(excess / AIM))))


def tried(fine: Options) -> Judged:
    """A run with a step, judged by one with twice that."""
    assert fine.step is not None
    result = integrate(fine)
    kept = compared(result)
    other = integrate(
        replace(fine, step=2 * fine.step, t_eval=result.t[kept], save_every=1, progress=False)
    )
    missed = pose_errors(other, states(result, kept))
    missed /= float(sizes_of(result).max())
    return Judged(result, fine, result.t[kept], missed, stiff=True)
