"""A number with its first derivatives: a formula that runs on these yields exact derivatives.

`scalars.jet` keeps second derivatives as well, which a custom joint needs.  Here they would double
the work, and those of drag do not exist at rest.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: NumPy's functions under the names of `math`.
OF_ARRAYS = SimpleNamespace(
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    exp=np.exp, log=np.log, sqrt=np.sqrt, asin=np.arcsin, acos=np.arccos, atan=np.arctan,
)  # fmt: skip


def rules_of(f: Any) -> dict[str, Callable[[Any], Any]]:
    """h, h' and h'' of elementary functions at a number, by their names in NumPy.

    `f` has the functions of such numbers; where that is `math`, Numba compiles the rules, too.
    """

    def sin(x: Any) -> Any:
        s, c = f.sin(x), f.cos(x)
        return s, c, -s

    def cos(x: Any) -> Any:
        s, c = f.sin(x), f.cos(x)
        return c, -s, -c

    def tan(x: Any) -> Any:
        t = f.tan(x)
        return t, 1.0 + t * t, 2.0 * t * (1.0 + t * t)

    def sinh(x: Any) -> Any:
        s, c = f.sinh(x), f.cosh(x)
        return s, c, s

    def cosh(x: Any) -> Any:
        s, c = f.sinh(x), f.cosh(x)
        return c, s, c

    def tanh(x: Any) -> Any:
        t = f.tanh(x)
        return t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)

    def arcsin(x: Any) -> Any:
        slope = 1.0 / f.sqrt(1.0 - x * x)
        return f.asin(x), slope, x * slope**3

    def arccos(x: Any) -> Any:
        slope = -1.0 / f.sqrt(1.0 - x * x)
        return f.acos(x), slope, x * slope**3

    def arctan(x: Any) -> Any:
        slope = 1.0 / (1.0 + x * x)
        return f.atan(x), slope, -2.0 * x * slope**2

    def exp(x: Any) -> Any:
        e = f.exp(x)
        return e, e, e

    def log(x: Any) -> Any:
        return f.log(x), 1.0 / x, -1.0 / x**2

    def sqrt(x: Any) -> Any:
        root = f.sqrt(x)
        return root, 0.5 / root, -0.25 / root**3

    rules = (sin, cos, tan, sinh, cosh, tanh, arcsin, arccos, arctan, exp, log, sqrt)
    return {rule.__name__: rule for rule in rules}


class Differentiated:
    """What these numbers share: differences, functions by the chain rule, comparisons by value."""

    __slots__ = ("value",)
    rules = rules_of(OF_ARRAYS)
    value: Any

    def chain(self, value: Any, slope: Any, curvature: Any) -> Any:
        """h(self) from h, h' and h'' at the value."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """A function under the name that NumPy looks for."""
        if name not in self.rules:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return lambda: self.chain(*self.rules[name](self.value))

    def __radd__(self: Any, other: Any) -> Any:
        return self + other

    def __rmul__(self: Any, other: Any) -> Any:
        return self * other

    def __sub__(self: Any, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self: Any, other: Any) -> Any:
        return -self + other

    def __lt__(self, other: Any) -> Any:
        return self.value < value_of(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= value_of(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > value_of(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= value_of(other)


def value_of(x: Any) -> Any:
    """The number itself."""
    return x.value if isinstance(x, Differentiated) else x


class Dual(Differentiated):
    """f and its derivatives along k directions; f may be an array (m,), then they are (k, m)."""

    __slots__ = ("slope",)
    __array_ufunc__ = None  # NumPy's scalars leave arithmetic to this class

    def __init__(self, value: Any, slope: Floats) -> None:
        self.value, self.slope = value, slope

    def chain(self, value: Any, slope: Any, curvature: Any) -> "Dual":
        return Dual(value, slope * self.slope)

    def __add__(self, other: Any) -> "Dual":
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __mul__(self, other: Any) -> "Dual":
        if isinstance(other, Dual):
            slope = self.value * other.slope + other.value * self.slope
            return Dual(self.value * other.value, slope)
        return Dual(self.value * other, self.slope * other)

    def __neg__(self) -> "Dual":
        return Dual(-self.value, -self.slope)

    def __abs__(self) -> "Dual":
        """At zero the symmetric derivative, which is zero."""
        return Dual(np.abs(self.value), np.sign(self.value) * self.slope)

    def __truediv__(self, other: Any) -> "Dual":
        if isinstance(other, Dual):
            quotient = self.value / other.value
            return Dual(quotient, (self.slope - quotient * other.slope) / other.value)
        return Dual(self.value / other, self.slope / other)

    def __rtruediv__(self, other: float) -> "Dual":
        quotient = other / self.value
        return Dual(quotient, (-quotient / self.value) * self.slope)

    def sqrt(self) -> "Dual":
        """At zero the symmetric derivative, also zero: that of |v| at v = 0."""
        root = np.sqrt(self.value)
        with np.errstate(divide="ignore"):
            return Dual(root, self.slope * np.where(root > 0.0, 0.5 / root, 0.0))

    def arctan2(self, x: "Dual") -> "Dual":
        """The angle of the point (x, self)."""
        square = x.value * x.value + self.value * self.value
        slope = (x.value / square) * self.slope - (self.value / square) * x.slope
        return Dual(np.arctan2(self.value, x.value), slope)

    def floor(self) -> Any:
        return np.floor(self.value)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """np.where, through which `choose` picks the entries of arrays."""
        if func is not np.where:
            return NotImplemented
        condition, a, b = args
        values = [value_of(x) for x in (a, b)]
        slopes = [x.slope if isinstance(x, Dual) else 0.0 for x in (a, b)]
        return Dual(np.where(condition, *values), np.where(condition, *slopes))
