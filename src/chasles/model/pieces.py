"""Functions of time in pieces, each a polynomial: what kernels know of tables, ramps and lines."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.scalars.polynomial import polynomial

Floats = NDArray[np.float64]

#: How far beyond its ends a table may be asked, as a part of its length: a run's last time may be
#: one rounding off.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Pieces:
    """Piece p, from starts[p] to the next: sum of coefficients[p, k] s^k, s = (t - origin) / width.

    The first piece also holds before its start, the last for ever, unless `first` and `last` say
    otherwise.  A width of 0 marks a piece that is not a polynomial: there the function itself has
    to be asked.
    """

    starts: Floats  # (P,) increasing
    origins: Floats  # (P,)
    widths: Floats  # (P,)
    coefficients: Floats  # (P, degree + 1)
    first: float = -np.inf
    last: float = np.inf

    @property
    def degree(self) -> int:
        return int(self.coefficients.shape[1]) - 1

    def of(self, t: Floats) -> NDArray[np.intp]:
        """(T,): which piece holds at each time."""
        return np.maximum(np.searchsorted(self.starts, t, side="right") - 1, 0)

    def sample(self, times: Floats) -> Floats:
        """(T, 3): value, rate and second derivative; NaN beyond the ends and where unknown."""
        slack = SLACK * (self.last - self.first) if np.isfinite(self.last - self.first) else 0.0
        known = (times >= self.first - slack) & (times <= self.last + slack)
        t = np.clip(times, self.first, self.last)
        piece = self.of(t)
        width = self.widths[piece]
        known &= width > 0.0
        width = np.where(known, width, 1.0)
        s = (t - self.origins[piece]) / width
        value, rate, second = polynomial(s, self.degree, self.coefficients[piece].T, 0)
        rows = np.column_stack(np.broadcast_arrays(value, rate / width, second / (width * width)))
        return np.where(known[:, None], rows, np.nan)


def one_piece(*coefficients: float) -> Pieces:
    """The polynomial with these coefficients, at all times."""
    return Pieces(np.zeros(1), np.zeros(1), np.ones(1), np.array([coefficients], np.float64))


def step_pieces(height: float, duration: float, start: float) -> Pieces:
    """Zero, then h (10 s^3 - 15 s^4 + 6 s^5) with s from 0 to 1 in `duration`, then h."""
    starts = np.array([start - duration, start, start + duration])
    coefficients = np.zeros((3, 6))
    coefficients[1, 3:] = 10.0 * height, -15.0 * height, 6.0 * height
    coefficients[2, 0] = height
    return Pieces(starts, starts, np.full(3, duration), coefficients)


def spline_pieces(times: Any, values: Any, highest: int) -> Pieces:
    """The spline of degree `highest` through points, or the one polynomial if there are fewer."""
    from scipy.interpolate import PPoly, make_interp_spline  # only where there is a table

    degree = min(highest, len(times) - 1)
    local = PPoly.from_spline(make_interp_spline(times, values, k=degree))
    widths = np.diff(local.x)
    real = np.flatnonzero(widths > 0.0)  # the knots at both ends are repeated
    starts, widths = local.x[real], widths[real]
    powers = widths[:, None] ** np.arange(degree + 1)
    coefficients = local.c[::-1, real].T * powers
    return Pieces(
        starts,
        starts,
        widths,
        np.ascontiguousarray(coefficients),
        float(times[0]),
        float(times[-1]),
    )
