"""Error-free transformations: sums and products of doubles with their rounding error.

Near |x| = 2 pi, dexp^-1 grows like 1 / (2 pi - |x|), and |x| rounded to a double leaves that
distance with too few digits.  A pair (high, low) stands for the unevaluated sum high + low.

To algebra every one of them is zero.  So they are opaque: a scalar that records what is done to it
gets them whole, by name, and never sees the differences inside.
"""

from typing import Any

from chasles.compiled import formula
from chasles.scalars.elementary import in_kernels, primitive_of, sqrt

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
