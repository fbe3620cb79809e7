"""Truncated Taylor arithmetic: a number with its first and second derivatives along directions.

A formula made of arithmetic and NumPy's functions runs on these as on floats, and its derivatives
come out exact: no step size, no cancellation.  (NumPy calls the method of that name on what is no
number of its own.)  Functions of `math` refuse them, since a float would lose the derivatives.
"""

import math
from typing import Any

import numpy as np

from chasles.scalars.dual import Differentiated, Floats


class Jet(Differentiated):
    """f + f' s + f'' s^2 / 2 along each of k directions."""

    __slots__ = ("first", "second")
    functions = math

    def __init__(self, value: float, first: Floats, second: Floats) -> None:
        self.value, self.first, self.second = value, first, second

    def __repr__(self) -> str:
        return f"Jet({self.value:g})"

    def chain(self, value: float, slope: float, curvature: float) -> "Jet":
        """h(self) from h, h' and h'' at the value."""
        second = slope * self.second + curvature * self.first**2
        return Jet(value, slope * self.first, second)

    # --- arithmetic ---

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

    def __pos__(self) -> "Jet":
        return self

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
        """A constant power; derivatives whose factor vanishes do so at x = 0 as well."""
        x = self.value
        slope = power * x ** (power - 1) if power != 0 else 0.0
        curvature = power * (power - 1) * x ** (power - 2) if power not in (0, 1) else 0.0
        return self.chain(x**power, slope, curvature)

    __radd__ = __add__
    __rmul__ = __mul__

    # --- functions, under the names that NumPy looks for ---

    def sqrt(self) -> "Jet":
        root = math.sqrt(self.value)
        return self.chain(root, 0.5 / root, -0.25 / root**3)

    def exp(self) -> "Jet":
        e = math.exp(self.value)
        return self.chain(e, e, e)

    def log(self) -> "Jet":
        x = self.value
        return self.chain(math.log(x), 1.0 / x, -1.0 / x**2)

    def tan(self) -> "Jet":
        t = math.tan(self.value)
        slope = 1.0 + t * t
        return self.chain(t, slope, 2.0 * t * slope)

    def arcsin(self) -> "Jet":
        x = self.value
        slope = 1.0 / math.sqrt(1.0 - x * x)
        return self.chain(math.asin(x), slope, x * slope**3)

    def arccos(self) -> "Jet":
        return 0.5 * math.pi - self.arcsin()

    def arctan(self) -> "Jet":
        x = self.value
        slope = 1.0 / (1.0 + x * x)
        return self.chain(math.atan(x), slope, -2.0 * x * slope**2)

    def arctan2(self, x: Any) -> "Jet":
        """The angle of the point (x, self), by the arc tangent of the better conditioned ratio."""
        other = x if isinstance(x, Jet) else self * 0.0 + x
        angle = math.atan2(self.value, other.value)
        if abs(other.value) >= abs(self.value):
            turned = (self / other).arctan()
        else:
            turned = -(other / self).arctan()
        return Jet(angle, turned.first, turned.second)

    def hypot(self, other: Any) -> "Jet":
        return (self * self + other * other).sqrt()

    def __abs__(self) -> "Jet":
        return -self if self.value < 0.0 else self


def hats(w: Floats) -> Floats:
    """The matrices (k, 3, 3) of the cross products with vectors (k, 3)."""
    matrices = np.zeros((len(w), 3, 3))
    matrices[:, [2, 0, 1], [1, 2, 0]] = w
    matrices[:, [1, 2, 0], [2, 0, 1]] = -w
    return matrices


def pose_jets(rotation: Floats, position: Floats, twists: Floats) -> Any:
    """A pose (R, r) as jets along body twists (k, 6) held constant: the path C exp(s V)."""
    turning = hats(twists[:, :3])
    first_r = rotation @ turning
    second_r = first_r @ turning
    first_x = twists[:, 3:] @ rotation.T
    second_x = np.einsum("kij,kj->ki", first_r, twists[:, 3:])
    entries = tuple(
        Jet(float(rotation[i, j]), first_r[:, i, j], second_r[:, i, j])
        for i in range(3)
        for j in range(3)
    )
    return entries, tuple(Jet(float(position[i]), first_x[:, i], second_x[:, i]) for i in range(3))
