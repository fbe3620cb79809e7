"""Functions of time with a name: data, so that they can be compared and saved.

Each is called with an array of times; `order` is how often it has been differentiated.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.model.derivatives import Floats
from chasles.model.errors import InvalidSignal
from chasles.model.expressions import Expression

HIGHEST_DEGREE = 5  # of the spline through a table


@dataclass(frozen=True)
class Linear:
    """offset + slope t"""

    slope: float
    offset: float = 0.0
    order: int = 0

    def __call__(self, t: Floats) -> Floats:
        if self.order == 0:
            return self.offset + self.slope * t
        return np.full_like(t, self.slope if self.order == 1 else 0.0)


@dataclass(frozen=True)
class Ramp:
    """From 0 to `height` in `duration` seconds from `start`: h (10 s^3 - 15 s^4 + 6 s^5)."""

    height: float
    duration: float
    start: float = 0.0
    order: int = 0

    def __call__(self, t: Floats) -> Floats:
        s = np.clip((t - self.start) / self.duration, 0.0, 1.0)
        shape = (
            s * s * s * (10.0 - 15.0 * s + 6.0 * s * s),
            30.0 * s * s * (1.0 - s) * (1.0 - s),
            60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
        )[self.order]
        return self.height / self.duration**self.order * shape


@dataclass(frozen=True)
class Sine:
    """offset + amplitude sin(2 pi frequency t + phase)"""

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0
    order: int = 0

    def __call__(self, t: Floats) -> Floats:
        pulse = 2.0 * np.pi * self.frequency
        angle = pulse * t + self.phase
        if self.order == 0:
            return self.offset + self.amplitude * np.sin(angle)
        if self.order == 1:
            return self.amplitude * pulse * np.cos(angle)
        return -self.amplitude * pulse * pulse * np.sin(angle)


@dataclass(frozen=True)
class Table:
    """The quintic spline through points; the single polynomial if there are six or fewer."""

    times: tuple[float, ...]
    values: tuple[float, ...]
    order: int = 0

    def __call__(self, t: Floats) -> Floats:
        first, last = self.times[0], self.times[-1]
        slack = 1e-9 * (last - first)  # a run's last time may be one rounding off
        for outside in (np.min(t, initial=first), np.max(t, initial=last)):
            if not first - slack <= outside <= last + slack:
                raise InvalidSignal(
                    f"a table from t = {first:g} s to {last:g} s is asked at t = {outside:g} s.",
                    "Give the table for the whole run, or stop the run earlier.",
                )
        values: Floats = self.spline(np.clip(t, first, last))
        return values

    @cached_property
    def spline(self) -> Any:
        from scipy.interpolate import make_interp_spline  # only where there is a table

        degree = min(HIGHEST_DEGREE, len(self.times) - 1)
        spline = make_interp_spline(self.times, self.values, k=degree)
        return spline.derivative(self.order) if self.order <= degree else np.zeros_like


Wave = Linear | Ramp | Sine | Table | Expression
