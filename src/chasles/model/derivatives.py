"""Values of a user's function of time, checked, and its derivatives where none are given.

The function is interpolated at Chebyshev points of a window around each time (shifted so that it
does not reach below t = 0), and the polynomial is differentiated.  The last coefficients tell how
well it fits: windows are halved until they do not get better.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from chasles.model.errors import ChaslesError, InvalidSignal, told

Floats = NDArray[np.float64]

DEGREE = 12
NODES: Floats = np.array(chebyshev.chebpts1(DEGREE + 1), np.float64)
TO_COEFFICIENTS: Floats = np.asarray(np.linalg.inv(chebyshev.chebvander(NODES, DEGREE)), np.float64)
WIDEST, HALVINGS = 0.5, 20  # half-widths from 0.5 s down to 0.5 microseconds
SETTLED = 3e-14  # size of the last coefficients that are rounding, and no reason to halve
ROUNDING = 4.0 * float(np.finfo(float).eps)


def evaluated(function: Callable[..., Any], t: Floats, what: str, owner: str) -> Floats:
    """The function at all times, whether it takes an array of them or one at a time."""
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(function(t))
            whole = values.shape == t.shape and values.dtype.kind in "iuf"
        except ChaslesError as error:
            raise type(error)(f"{owner}: {error.what}", error.remedy) from None
        except Exception:  # it may take numbers only
            whole = False
        if not whole:
            values = np.array([one_value(function, time, what, owner) for time in t.tolist()])
    bad = ~np.isfinite(values)
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidSignal(
            f"{owner}: {what}(t) is {values[at]} at t = {t[at]:g} s.",
            "Give a function that is finite at all times of the run.",
        )
    return values.astype(np.float64)


def one_value(function: Callable[..., Any], time: float, what: str, owner: str) -> float:
    try:
        value = np.asarray(function(time))
    except ChaslesError as error:
        raise type(error)(f"{owner}: {error.what}", error.remedy) from None
    except Exception as error:
        raise InvalidSignal(
            f"{owner}: {what}(t) raised {type(error).__name__} at t = {time:g} s: {error}",
            "Give a function that takes the time in s and returns a number.",
        ) from error
    if value.size != 1 or value.dtype.kind not in "iuf":
        raise InvalidSignal(
            f"{owner}: {what}(t) is {told(value.tolist())} at t = {time:g} s, which is not a"
            " number.",
            "Give a function that takes the time in s and returns one real number.",
        )
    return float(value.reshape(()))


def derivatives(function: Callable[..., Any], t: Floats, what: str, owner: str) -> Floats:
    """(2, T): first and second derivative at all times, each from its window of least error."""
    best, error = np.zeros((2, t.size)), np.full((2, t.size), np.inf)
    asked = np.arange(t.size)
    for halving in range(HALVINGS):
        found, doubt, settled = in_window(function, t[asked], WIDEST / 2**halving, what, owner)
        better = doubt < error[:, asked]
        best[:, asked] = np.where(better, found, best[:, asked])
        error[:, asked] = np.where(better, doubt, error[:, asked])
        asked = asked[~settled]
        if not asked.size:
            break
    return best


def in_window(
    function: Callable[..., Any], t: Floats, width: float, what: str, owner: str
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Both derivatives in windows of one half-width, their errors, and whether the fit is exact."""
    centre = np.where(t < 0.0, t, np.maximum(t, width))
    nodes = centre[:, None] + width * NODES
    values = evaluated(function, nodes.ravel(), what, owner).reshape(nodes.shape)
    coefficients = values @ TO_COEFFICIENTS.T
    place, basis = (t - centre) / width, np.eye(DEGREE + 1)
    slopes = np.array(
        [
            chebyshev.chebval(place, chebyshev.chebder(basis, order)).T / width**order
            for order in (1, 2)
        ]
    )
    size, tail = np.abs(coefficients).max(axis=1), np.abs(coefficients[:, -2:]).max(axis=1)
    doubt = (tail + ROUNDING * size) * np.abs(slopes).max(axis=2)
    return (slopes * coefficients).sum(axis=2), doubt, tail <= SETTLED * size
