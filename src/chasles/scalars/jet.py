"""Truncated Taylor arithmetic: a number with its first and second derivatives along directions.

A formula made of arithmetic and NumPy's functions runs on these as on floats, and its derivatives
come out exact: no step size, no cancellation.  (NumPy calls the method of that name on what is no
number of its own.)  Functions of `math` refuse them, since a float would lose the derivatives.
"""

import math
from typing import Any

import numpy as np

from chasles.scalars.dual import OF_ARRAYS, Differentiated, Floats, rules_of


class Jet(Differentiated):
    """f + f' s + f'' s^2 / 2 along each of k directions."""

    __slots__ = ("first", "second")
    rules = rules_of(math)

    def __init__(self, value: Any, first: Floats, second: Floats) -> None:
        self.value, self.first, self.second = value, first, second

    def __repr__(self) -> str:
        return f"Jet({self.value:g})"

    def chain(self, value: Any, slope: Any, curvature: Any) -> "Jet":
        """h(self) from h, h' and h'' at the value."""
        second = slope * self.second + curvature * self.first**2
        return type(self)(value, slope * self.first, second)

    # --- arithmetic ---

    def __add__(self, other: Any) -> "Jet":
        if isinstance(other, Jet):
            first, second = self.first + other.first, self.second + other.second
            return type(self)(self.value + other.value, first, second)
        return type(self)(self.value + other, self.first, self.second)

    def __mul__(self, other: Any) -> "Jet":
        if isinstance(other, Jet):
            a, b = self, other
            first = a.value * b.first + b.value * a.first
            second = a.value * b.second + 2.0 * a.first * b.first + b.value * a.second
            return type(self)(a.value * b.value, first, second)
        return type(self)(self.value * other, self.first * other, self.second * other)

    def __neg__(self) -> "Jet":
        return self * -1.0

    def __pos__(self) -> "Jet":
        return self

    def __truediv__(self, other: Any) -> "Jet":
        """q = u / v from q v = u: q' v = u' - q v', q'' v = u'' - 2 q' v' - q v''."""
        if not isinstance(other, Jet):
            return type(self)(self.value / other, self.first / other, self.second / other)
        value = self.value / other.value
        first = (self.first - value * other.first) / other.value
        second = self.second - 2.0 * first * other.first - value * other.second
        return type(self)(value, first, second / other.value)

    def __rtruediv__(self, other: Any) -> "Jet":
        return type(self)(other, 0.0 * self.first, 0.0 * self.second) / self

    def __pow__(self, power: Any) -> "Jet":
        """A constant power; derivatives whose factor vanishes do so at x = 0 as well."""
        if isinstance(power, Jet):
            return (power * self.log()).exp()
        x = self.value
        slope = power * x ** (power - 1) if power != 0 else 0.0
        curvature = power * (power - 1) * x ** (power - 2) if power not in (0, 1) else 0.0
        return self.chain(x**power, slope, curvature)

    def __rpow__(self, base: Any) -> "Jet":
        return (self * self.rules["log"](base)[0]).exp()

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


class ArrayJet(Jet):
    """The same with an array for its value, along one direction; what is not defined is NaN."""

    __slots__ = ()
    rules = rules_of(OF_ARRAYS)

    def __abs__(self) -> Jet:
        return self.chain(np.abs(self.value), np.sign(self.value), 0.0)


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
