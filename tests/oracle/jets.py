"""Quantities that follow the bodies: a value, its rate, and its second derivative.

With V the velocities (v, omega) of all bodies and X their accelerations, in world axes,

    value' = slope V = rate,    value'' = slope X + bias.

So a holonomic row is written once, as a value; sums and products carry the rest along.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = Any


@dataclass(frozen=True)
class Jet:
    """A number or a vector in world axes; `slope` has a column for every velocity."""

    value: Floats
    rate: Floats
    slope: Floats
    bias: Floats

    def __sub__(self, other: "Jet") -> "Jet":
        return Jet(
            self.value - other.value,
            self.rate - other.rate,
            self.slope - other.slope,
            self.bias - other.bias,
        )

    def times(self, factor: float) -> "Jet":
        return Jet(factor * self.value, factor * self.rate, factor * self.slope, factor * self.bias)

    def along(self, direction: Floats) -> "Jet":
        """The component along a direction that is fixed in the world."""
        return Jet(
            direction @ self.value,
            direction @ self.rate,
            direction @ self.slope,
            direction @ self.bias,
        )


def dot(p: Jet, q: Jet) -> Jet:
    """p . q of two vectors."""
    return Jet(
        p.value @ q.value,
        p.rate @ q.value + p.value @ q.rate,
        q.value @ p.slope + p.value @ q.slope,
        p.bias @ q.value + p.value @ q.bias + 2.0 * (p.rate @ q.rate),
    )


def cross(a: Floats, b: Floats) -> Floats:
    """a x b; np.cross takes ten times as long for three numbers."""
    return np.array(
        (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    )


def hat(a: Floats) -> Floats:
    """The matrix of a x."""
    return np.array(((0.0, -a[2], a[1]), (a[2], 0.0, -a[0]), (-a[1], a[0], 0.0)))
