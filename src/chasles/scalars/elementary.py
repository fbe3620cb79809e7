"""Elementary functions and error-free sums that accept every kind of scalar.

Formulas are written once and run on floats, mpmath numbers, NumPy arrays (one entry per time or
per system), symbolic expressions and, inside kernels, machine doubles.  Only this file knows the
difference.  Branches go through `choose`, switches between a series and a closed form through
`below`.

Error-free transformations are sums and products of doubles with their rounding error.  Near
|x| = 2 pi, dexp^-1 grows like 1 / (2 pi - |x|), and |x| rounded to a double leaves that distance
with too few digits.  A pair (high, low) stands for the unevaluated sum high + low.  To algebra
every one of them is zero.  So they are opaque: a scalar that records what is done to it gets them
whole, by name, and never sees the differences inside.
"""

import math
from functools import singledispatch
from typing import Any

import numpy as np

from chasles.compiled import formula, overload

Scalar = Any
#: Digits added while mpmath evaluates a branch: closed forms cancel at small angles.
MPMATH_GUARD_DIGITS = 60


def is_mpmath(x: Scalar) -> bool:
    """Whether x is an mpmath number; they carry their context, so mpmath is never imported."""
    return type(x).__module__.startswith("mpmath")


def primitive_of(*args: Scalar) -> Any:
    """How the first scalar among the arguments that records what is done to it does so, or None."""
    for x in args:
        if hasattr(x, "primitive"):
            return x.primitive
    return None


def apply(name: str, numpy_name: str, *args: Scalar) -> Scalar:
    """Call the elementary function `name` of whichever library owns the arguments."""
    for x in args:
        if is_mpmath(x):
            return getattr(x.context, name)(*args)
    recording = primitive_of(*args)
    if recording is not None:
        return recording(name, args)
    if all(isinstance(x, float | int) for x in args):
        return getattr(math, name)(*args)
    if any(isinstance(x, np.ndarray | np.generic) for x in args):
        return getattr(np, numpy_name)(*args)
    return getattr(args[0], numpy_name)(*args[1:])


def in_kernels(function: Any, machines: Any) -> None:
    """Kernels run another function of the same arguments in the place of one."""
    overload(function, strict=False)(lambda *args: machines)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return apply("sqrt", "sqrt", x)


def sin(x: Scalar) -> Scalar:
    """Sine."""
    return apply("sin", "sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine."""
    return apply("cos", "cos", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), in (-pi, pi]."""
    return apply("atan2", "arctan2", y, x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent."""
    return apply("tanh", "tanh", x)


def floor(x: Scalar) -> Scalar:
    """Largest whole number not above x."""
    return apply("floor", "floor", x)


def absolute(x: Scalar) -> Scalar:
    """Absolute value."""
    return abs(x)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers, without a branch that a recording would have to guard."""
    recording = primitive_of(a, b)
    if recording is not None:
        return recording("maximum", (a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.maximum(a, b)
    return b if b > a else a


def pick(condition: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds, b elsewhere: both are known, and a recording has no guard."""
    recording = getattr(condition, "pick", None)
    if recording is not None:
        return recording(a, b)
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    return a if condition else b


def anywhere(condition: Scalar) -> Scalar:
    """Whether a condition holds; of an array's entries, whether it does for one of them."""
    return condition.any() if isinstance(condition, np.ndarray) else condition


#: What kernels run; math.floor would be a whole number there, which ends at 2^63.
for ours, machines in {
    sqrt: lambda x: math.sqrt(x),
    sin: lambda x: math.sin(x),
    cos: lambda x: math.cos(x),
    atan2: lambda y, x: math.atan2(y, x),
    tanh: lambda x: math.tanh(x),
    floor: lambda x: np.floor(x),
    absolute: lambda x: abs(x),
    maximum: lambda a, b: max(a, b),
    pick: lambda condition, a, b: a if condition else b,
    anywhere: lambda condition: condition,
}.items():
    in_kernels(ours, machines)


# --- constants and comparisons that depend on the precision of the scalar ---


def below(s: Scalar, switch: float) -> Scalar:
    """Whether the series placed for doubles serves at s; in mpmath it does only at s = 0."""
    return s == 0 if is_mpmath(s) else s < switch


in_kernels(below, lambda s, switch: s < switch)


TWO_PI_HIGH, TWO_PI_LOW = 6.283185307179586, 2.4492935982947064e-16


def gap_to_two_pi(high: Scalar, low: Scalar) -> Scalar:
    """2 pi - (high + low), where 2 pi has as many digits as a pair of scalars holds."""
    if is_mpmath(high):
        return 2 * high.context.pi - high - low
    return (TWO_PI_HIGH - high) + (TWO_PI_LOW - low)


in_kernels(gap_to_two_pi, lambda high, low: (TWO_PI_HIGH - high) + (TWO_PI_LOW - low))


# --- branches ---


def choose(condition: Scalar, if_true: Any, if_false: Any, *args: Scalar) -> Any:
    """`if_true(*args)` where the condition holds, `if_false(*args)` elsewhere.

    Both are formulas.  Only the chosen one is evaluated, except on arrays (and on the symbolic
    conditions registered with `select`), where both are and the entries are picked.
    """
    return select(condition, if_true, if_false, args)


@overload(choose)
def _choose_compiled(condition, if_true, if_false, *args):
    def lazily(condition, if_true, if_false, *args):
        if condition:
            return if_true(*args)
        return if_false(*args)

    return lazily


@singledispatch
def select(condition: Any, if_true: Any, if_false: Any, args: tuple[Any, ...]) -> Any:
    """`choose` by the type of the condition; symbolic scalars register theirs here."""
    chosen = if_true if condition else if_false
    numbers = [x for x in flat(args) if is_mpmath(x)]
    if not numbers:
        return chosen(*args)
    with numbers[0].context.extradps(MPMATH_GUARD_DIGITS):
        return chosen(*args)


@select.register(np.ndarray)
def _select_entries(condition, if_true, if_false, args):
    with np.errstate(all="ignore"):
        return where(condition, if_true(*args), if_false(*args))


def where(condition: Any, a: Any, b: Any) -> Any:
    """np.where through nested tuples."""
    if isinstance(a, tuple):
        return tuple(where(condition, p, q) for p, q in zip(a, b, strict=True))
    return np.where(condition, a, b)


def flat(nested: Any) -> list[Any]:
    """The scalars of nested tuples, in storage order."""
    if isinstance(nested, tuple):
        return [x for part in nested for x in flat(part)]
    return [nested]


SPLITTER = 134217729.0  # 2^27 + 1


@formula
def plain_two_sum(a, b):
    """Knuth: a + b = high + low exactly."""
    high = a + b
    shadow = high - a
    return high, (a - (high - shadow)) + (b - shadow)


@formula
def plain_compensated(total, carry, term):
    """total + term and what rounding took from it (Kahan): (new total, new carry)."""
    wanted = term + carry
    result = total + wanted
    return result, wanted + (total - result)


@formula
def split(a):
    """Dekker: a = high + low with 26 bits each."""
    shifted = SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high


@formula
def plain_two_product(a, b):
    """Dekker: a b = high + low exactly."""
    product = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def two_sum(a: Any, b: Any) -> Any:
    """a + b = high + low exactly."""
    opaque = primitive_of(a, b)
    return plain_two_sum(a, b) if opaque is None else opaque("two_sum", (a, b))


def two_product(a: Any, b: Any) -> Any:
    """a b = high + low exactly."""
    opaque = primitive_of(a, b)
    return plain_two_product(a, b) if opaque is None else opaque("two_product", (a, b))


def compensated(total: Any, carry: Any, term: Any) -> Any:
    """total + term and what rounding took from it: (new total, new carry)."""
    opaque = primitive_of(total, carry, term)
    if opaque is None:
        return plain_compensated(total, carry, term)
    return opaque("compensated", (total, carry, term))


in_kernels(two_sum, plain_two_sum)
in_kernels(two_product, plain_two_product)
in_kernels(compensated, plain_compensated)


@formula
def dot_pair(a, b):
    """a . b as a pair, as if summed in twice the precision (Ogita, Rump and Oishi's Dot2)."""
    p0, e0 = two_product(a[0], b[0])
    p1, e1 = two_product(a[1], b[1])
    p2, e2 = two_product(a[2], b[2])
    s1, f1 = two_sum(p0, p1)
    s2, f2 = two_sum(s1, p2)
    return two_sum(s2, e0 + e1 + e2 + f1 + f2)


@formula
def norm_pair(a):
    """|a| as a pair: one Newton step on the rounded square root."""
    high, low = dot_pair(a, a)
    root = sqrt(high)
    square, error = two_product(root, root)
    return root, ((high - square) - error + low) / (2.0 * root)
