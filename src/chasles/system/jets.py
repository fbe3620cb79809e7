"""Truncated Taylor arithmetic: a number with its first and second derivatives along directions.

A formula that is generic in the scalar runs on these as on floats, and its derivatives come out
exact: no step size, no cancellation.
"""

from typing import Any

import numpy as np

from chasles.system.arrays import Floats


class Jet:
    """f + f' s + f'' s^2 / 2 along each of k directions."""

    __slots__ = ("first", "second", "value")

    def __init__(self, value: float, first: Floats, second: Floats) -> None:
        self.value, self.first, self.second = value, first, second

    def chain(self, value: float, slope: float, curvature: float) -> "Jet":
        """h(self) from h, h' and h'' at the value."""
        second = slope * self.second + curvature * self.first**2
        return Jet(value, slope * self.first, second)

    def __add__(self, other: Any) -> "Jet":
        if isinstance(other, Jet):
            first, second = self.first + other.first, self.second + other.second
            return Jet(self.value + other.value, first, second)
        return Jet(self.value + other, self.first, self.second)

    def __mul__(self, other: Any) -> "Jet":
        if isinstance(other, Jet):
            a, b = self, other
            first = a.value * b.first + b.value * a.first
            second = a.value * b.second + 2.0 * a.first * b.first + b.value * a.second
            return Jet(a.value * b.value, first, second)
        return Jet(self.value * other, self.first * other, self.second * other)

    def __neg__(self) -> "Jet":
        return self * -1.0

    def __sub__(self, other: Any) -> "Jet":
        return self + (-other)

    def __rsub__(self, other: Any) -> "Jet":
        return -self + other

    def inverse(self) -> "Jet":
        x = self.value
        return self.chain(1.0 / x, -1.0 / x**2, 2.0 / x**3)

    def __truediv__(self, other: Any) -> "Jet":
        return self * (other.inverse() if isinstance(other, Jet) else 1.0 / other)

    def __rtruediv__(self, other: Any) -> "Jet":
        return self.inverse() * other

    def __pow__(self, power: float) -> "Jet":
        x = self.value
        if power == 2:
            return self * self
        slope, curvature = power * x ** (power - 1), power * (power - 1) * x ** (power - 2)
        return self.chain(x**power, slope, curvature)

    __radd__ = __add__
    __rmul__ = __mul__

    def sqrt(self) -> "Jet":
        root = np.sqrt(self.value)
        return self.chain(root, 0.5 / root, -0.25 / root**3)

    def sin(self) -> "Jet":
        s, c = np.sin(self.value), np.cos(self.value)
        return self.chain(s, c, -s)

    def cos(self) -> "Jet":
        s, c = np.sin(self.value), np.cos(self.value)
        return self.chain(c, -s, -c)

    def arctan2(self, x: Any) -> "Jet":
        """The angle of the point (x, self), by the arc tangent of the better conditioned ratio."""
        other = x if isinstance(x, Jet) else self * 0.0 + x
        angle = np.arctan2(self.value, other.value)
        if abs(other.value) >= abs(self.value):
            ratio = self / other
            sign = 1.0
        else:
            ratio = other / self
            sign = -1.0
        t = ratio.value
        scale = 1.0 / (1.0 + t * t)
        turned = ratio.chain(0.0, sign * scale, -2.0 * sign * t * scale**2)
        return Jet(angle, turned.first, turned.second)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < getattr(other, "value", other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > getattr(other, "value", other))

    def __abs__(self) -> "Jet":
        return -self if self.value < 0.0 else self


def hat(w: Floats) -> Floats:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def pose_jets(rotation: Floats, position: Floats, twists: Floats) -> Any:
    """A pose (R, r) as jets along body twists (k, 6) held constant: the path C exp(s V)."""
    first_r = np.array([rotation @ hat(v[:3]) for v in twists])
    second_r = np.array([rotation @ hat(v[:3]) @ hat(v[:3]) for v in twists])
    first_x = np.array([rotation @ v[3:] for v in twists])
    second_x = np.array([rotation @ np.cross(v[:3], v[3:]) for v in twists])
    entries = tuple(
        Jet(rotation[i, j], first_r[:, i, j], second_r[:, i, j]) for i in range(3) for j in range(3)
    )
    return entries, tuple(Jet(position[i], first_x[:, i], second_x[:, i]) for i in range(3))
