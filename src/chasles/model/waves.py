"""Functions of time with a name: data, so that they can be compared and saved.

Each is called with an array of times; `order` is how often it has been differentiated.  All but the
sine and expressions are pieces of polynomials, which is how kernels evaluate them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chasles.model.derivatives import Floats
from chasles.model.errors import InvalidSignal
from chasles.model.expressions import Expression
from chasles.model.pieces import SLACK, Pieces, one_piece, spline_pieces, step_pieces
from chasles.scalars.polynomial import sinusoid

HIGHEST_DEGREE = 5  # of the spline through a table
#: Where a curve is compared with its values, and how far it may leave them, as a part of the range.
WITHIN, SWING = np.linspace(0.125, 0.875, 7), 0.02


@dataclass(frozen=True)
class Polynomial:
    """A wave in pieces; use Linear, Ramp or Table."""

    @cached_property
    def pieces(self) -> Pieces:
        """The wave itself, not differentiated."""
        raise NotImplementedError

    def __call__(self, t: Floats) -> Floats:
        order: int = getattr(self, "order", 0)
        return self.pieces.sample(t)[:, order]


@dataclass(frozen=True)
class Linear(Polynomial):
    """offset + slope t"""

    slope: float
    offset: float = 0.0
    order: int = 0

    @cached_property
    def pieces(self) -> Pieces:
        return one_piece(self.offset, self.slope)


@dataclass(frozen=True)
class Ramp(Polynomial):
    """From 0 to `height` in `duration` seconds from `start`: h (10 s^3 - 15 s^4 + 6 s^5)."""

    height: float
    duration: float
    start: float = 0.0
    order: int = 0

    @cached_property
    def pieces(self) -> Pieces:
        return step_pieces(self.height, self.duration, self.start)


@dataclass(frozen=True)
class Sine:
    """offset + amplitude sin(2 pi frequency t + phase)"""

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0
    order: int = 0

    @property
    def pulse(self) -> float:
        """Radians per second."""
        return 2.0 * np.pi * self.frequency

    def __call__(self, t: Floats) -> Floats:
        angle = self.pulse * t + self.phase
        rows = sinusoid(np.sin(angle), np.cos(angle), self.amplitude, self.pulse, self.offset)
        values: Floats = rows[self.order]
        return values


@dataclass(frozen=True)
class Table(Polynomial):
    """The quintic spline through points; the single polynomial if there are six or fewer."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    order: int = 0

    def __call__(self, t: Floats) -> Floats:
        first, last = self.times[0], self.times[-1]
        slack = SLACK * (last - first)
        for outside in (np.min(t, initial=first), np.max(t, initial=last)):
            if not first - slack <= outside <= last + slack:
                raise InvalidSignal(
                    f"a table from t = {first:g} s to {last:g} s is asked at t = {outside:g} s.",
                    "Give the table for the whole run, or stop the run earlier.",
                )
        return super().__call__(t)

    @cached_property
    def pieces(self) -> Pieces:
        return spline_pieces(self.times, self.values, HIGHEST_DEGREE)

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


#: what kernels evaluate as it is, with both derivatives; an expression is fitted by pieces
KernelWave = Linear | Ramp | Sine | Table
Wave = KernelWave | Expression
