"""Functions of time with a name: data, so that they can be compared and saved.

Each is called with an array of times.  All but the sine and expressions are pieces of polynomials,
which is how kernels evaluate them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from chasles.model.errors import InvalidSignal
from chasles.model.fields import Number, given, positive
from chasles.model.registered import Part
from chasles.model.words import Floats
from chasles.scalars.polynomial import polynomial, sinusoid

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


HIGHEST_DEGREE = 5  # of the spline through a table
#: Where a curve is compared with its values, and how far it may leave them, as a part of the range.
WITHIN, SWING = np.linspace(0.125, 0.875, 7), 0.02


class Wave(Part, in_files=False):
    """A function of time with a name."""

    kind: ClassVar[str] = "wave"
    kinds: ClassVar[dict[str, type["Wave"]]] = {}
    invalid = InvalidSignal
    where = "signal"

    def derivative(self, t: Floats, order: int) -> Floats:
        """Its value, rate or second derivative at all times."""
        raise NotImplementedError

    def __call__(self, t: Floats) -> Floats:
        return self.derivative(t, 0)


@dataclass(frozen=True)
class Derivative:
    """A wave that has been differentiated."""

    wave: Wave
    order: int

    def __call__(self, t: Floats) -> Floats:
        return self.wave.derivative(t, self.order)


class Polynomial(Wave, in_files=False):
    """A wave in pieces; use Linear, Ramp or Table."""

    @cached_property
    def pieces(self) -> Pieces:
        raise NotImplementedError

    def derivative(self, t: Floats, order: int) -> Floats:
        return self.pieces.sample(t)[:, order]


class Linear(Polynomial):
    """offset + slope t"""

    slope: Number
    offset: Number = given(default=0.0, repr=False)

    @cached_property
    def pieces(self) -> Pieces:
        coefficients = np.array([[self.offset, self.slope]])
        return Pieces(np.zeros(1), np.zeros(1), np.ones(1), coefficients)


class Ramp(Polynomial):
    """From 0 to `height` in `duration` seconds from `start`: h (10 s^3 - 15 s^4 + 6 s^5)."""

    height: Number
    duration: Annotated[float, positive("s")]
    start: Number = given(default=0.0, repr=False)

    @cached_property
    def pieces(self) -> Pieces:
        starts = self.start + self.duration * np.array([-1.0, 0.0, 1.0])
        coefficients = np.zeros((3, 6))
        coefficients[1, 3:] = self.height * np.array([10.0, -15.0, 6.0])
        coefficients[2, 0] = self.height
        return Pieces(starts, starts, np.full(3, self.duration), coefficients)


class Sine(Wave):
    """offset + amplitude sin(2 pi frequency t + phase)"""

    amplitude: Number
    frequency: Number
    phase: Number = given(default=0.0, repr=False)
    offset: Number = given(default=0.0, repr=False)

    @property
    def pulse(self) -> float:
        """Radians per second."""
        return 2.0 * np.pi * self.frequency

    def derivative(self, t: Floats, order: int) -> Floats:
        angle = self.pulse * t + self.phase
        rows = sinusoid(np.sin(angle), np.cos(angle), self.amplitude, self.pulse, self.offset)
        values: Floats = rows[order]
        return values


class Table(Polynomial):
    """The quintic spline through points; the single polynomial if there are six or fewer."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def derivative(self, t: Floats, order: int) -> Floats:
        first, last = self.times[0], self.times[-1]
        slack = SLACK * (last - first)
        for outside in (np.min(t, initial=first), np.max(t, initial=last)):
            if not first - slack <= outside <= last + slack:
                raise InvalidSignal(
                    f"a table from t = {first:g} s to {last:g} s is asked at t = {outside:g} s.",
                    "Give the table for the whole run, or stop the run earlier.",
                )
        return super().derivative(t, order)

    @cached_property
    def pieces(self) -> Pieces:
        from scipy.interpolate import PPoly, make_interp_spline  # only where there is a table

        degree = min(HIGHEST_DEGREE, len(self.times) - 1)
        local = PPoly.from_spline(make_interp_spline(self.times, self.values, k=degree))
        widths = np.diff(local.x)
        real = np.flatnonzero(widths > 0.0)  # the knots at both ends are repeated
        starts, widths = local.x[real], widths[real]
        powers = widths[:, None] ** np.arange(degree + 1)
        coefficients = np.ascontiguousarray(local.c[::-1, real].T * powers)
        return Pieces(starts, starts, widths, coefficients, self.times[0], self.times[-1])

    def swing(self) -> tuple[int, float] | None:
        """The interval in which the curve leaves its values by most, and the value it reaches.

        Only where the values around only rise or only fall, and by more than a fraction of their
        whole range: the curve of a smooth function leaves them at its extremes.
        """
        times, values = np.array(self.times), np.array(self.values)
        if np.ptp(values) == 0.0:
            return None
        rises = np.diff(values, prepend=values[0], append=values[-1])
        around = np.array([rises[:-2], rises[1:-1], rises[2:]])
        one_way = np.all(around >= 0.0, axis=0) | np.all(around <= 0.0, axis=0)
        within = times[:-1, None] + np.diff(times)[:, None] * WITHIN
        curve = self.pieces.sample(within.ravel())[:, 0].reshape(within.shape)
        ends = np.sort(np.array([values[:-1], values[1:]]), axis=0)
        beyond = np.maximum(curve - ends[1][:, None], ends[0][:, None] - curve)
        worst = int(np.argmax(np.where(one_way, beyond.max(axis=1), 0.0)))
        if not one_way[worst] or beyond[worst].max() <= SWING * np.ptp(values):
            return None
        return worst, float(curve[worst, np.argmax(beyond[worst])])
