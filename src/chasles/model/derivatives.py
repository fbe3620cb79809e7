"""Values of a user's function of time, checked, and its derivatives where none are given.

The function is interpolated at Chebyshev points of a window around each time (shifted so that it
does not reach below t = 0), and the polynomial is differentiated.  Its last coefficients tell how
well it fits: windows are halved until it fits to rounding, and the best one counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from chasles.model.checks import answer_of, has_unit, refuse_units
from chasles.model.errors import ChaslesError, InvalidSignal, short_repr
from chasles.model.words import Floats

Function = Callable[..., Any]

DEGREE = 12
NODES: Floats = np.array(chebyshev.chebpts1(DEGREE + 1), np.float64)
TO_COEFFICIENTS: Floats = np.asarray(np.linalg.inv(chebyshev.chebvander(NODES, DEGREE)), np.float64)
#: Coefficients of the first and second derivative of each Chebyshev polynomial.
DERIVED = tuple(chebyshev.chebder(np.eye(DEGREE + 1), order) for order in (1, 2))
WIDEST, HALVINGS = 0.5, 20  # half-widths from 0.5 s down to 0.5 microseconds
SETTLED = 3e-14  # size of the last coefficients that are rounding, and no reason to halve
ROUNDING = 4.0 * float(np.finfo(float).eps)


def evaluated(function: Function, t: Floats, what: str, owner: str) -> Floats:
    """The function at all times; the first one where it is not a number is named."""
    values = at_all(function, t, lambda time: one_value(function, time, what, owner))
    bad = ~np.isfinite(values)
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidSignal(
            f"{owner}: {what}(t) is {values[at]} at t = {t[at]:g} s.",
            "Give a function that is finite at all times of the run.",
        )
    return values


def at_all(function: Function, t: Floats, one: Callable[[float], float]) -> Floats:
    """The function at all times at once, or one by one if it does not take an array."""
    with np.errstate(all="ignore"):
        values = at_once(function, t)
        return np.array([one(time) for time in t.tolist()]) if values is None else values


def at_once(function: Function, t: Floats) -> Floats | None:
    """The function of an array of times, or None if it does not take one."""
    try:
        given = function(t.copy())
        values = np.asarray(None if has_unit(given) or np.ma.is_masked(given) else given)
    except Exception:
        return None
    if values.shape != t.shape or values.dtype.kind not in "iuf":
        return None
    try:
        single = np.size(function(t.tolist()[0])) if t.size else 1
    except Exception:  # it takes arrays only
        single = 1
    return values.astype(np.float64) if single == 1 else None  # as many components as times


def one_value(function: Function, time: float, what: str, owner: str) -> float:
    remedy = "Give a function that takes the time in s and returns a number."
    try:
        given = answer_of(function, (time,), f"{what}(t)", remedy, InvalidSignal, t=time)
    except ChaslesError as error:
        raise type(error)(f"{owner}: {error.what}", error.remedy) from error.__cause__
    if type(given) is float:  # nearly always, and quick
        return given
    refuse_units(given, f"{what}(t) at t = {time:g} s", owner, InvalidSignal)
    if np.ma.is_masked(given):
        given = None
    value = answer_of(np.asarray, (given,), f"{owner}: {what}(t)", remedy, InvalidSignal, t=time)
    if value.size != 1 or value.dtype.kind not in "iuf":
        raise InvalidSignal(
            f"{owner}: {what}(t) is {short_repr(value.tolist())} at t = {time:g} s, which is not a"
            " number.",
            "Give a function that takes the time in s and returns one real number.",
        )
    return float(value.reshape(()))


def derivatives(function: Function, t: Floats, what: str, owner: str) -> Floats:
    """(2, T): first and second derivative at all times, each from its window of least error."""
    best, error = np.zeros((2, t.size)), np.full((2, t.size), np.inf)
    for side in (1.0, -1.0):  # to the left only where nothing else is left: at the end of a table
        asked = np.flatnonzero(~np.isfinite(error[0]))
        for halving in range(HALVINGS):
            if not asked.size:
                break
            found, doubt, settled = in_window(function, t[asked], WIDEST / 2**halving, side)
            better = doubt < error[:, asked]
            best[:, asked] = np.where(better, found, best[:, asked])
            error[:, asked] = np.where(better, doubt, error[:, asked])
            asked = asked[~settled]
    lost = ~np.isfinite(error[0])
    if lost.any():
        raise InvalidSignal(
            f"{owner}: {what}(t) is not a number on either side of t = {t[np.argmax(lost)]:g} s, so"
            " it has no derivative there.",
            "Give its rate and second derivative: Signal(function, rate, second).",
        )
    return best


def in_window(
    function: Function, t: Floats, width: float, side: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Both derivatives in windows of one half-width, their errors, and whether the fit is exact."""
    centre = np.where(t < 0.0, t, np.maximum(t, width)) if side > 0.0 else t - width
    nodes = centre[:, None] + width * NODES
    values = wherever_possible(function, nodes.ravel()).reshape(nodes.shape)
    shifted = values - values[:, DEGREE // 2, None]  # so that a constant has a rate of exactly zero
    coefficients = shifted @ TO_COEFFICIENTS.T
    place = (t - centre) / width
    slopes = np.array(
        [chebyshev.chebval(place, basis).T / width**order for order, basis in enumerate(DERIVED, 1)]
    )
    size, tail = np.abs(values).max(axis=1), np.abs(coefficients[:, -2:]).max(axis=1)
    doubt = (tail + ROUNDING * size) * np.abs(slopes).max(axis=2)
    return (slopes * coefficients).sum(axis=2), doubt, tail <= SETTLED * size


def wherever_possible(function: Function, t: Floats) -> Floats:
    """The function at all times, NaN where it is none: a window may reach beyond its domain."""

    def value(time: float) -> float:
        try:
            return one_value(function, time, "", "")
        except ChaslesError:
            return np.nan

    values = at_all(function, t, value)
    return np.where(np.isfinite(values), values, np.nan)
