r"""Scalar coefficients of exp, dexp and dexp^-1 as functions of s = |x|^2.

$$c = \cos\tfrac\theta2,\quad k = \frac{\sin(\theta/2)}{\theta},\quad
  B = \frac{1 - \cos\theta}{\theta^2},\quad C = \frac{\theta - \sin\theta}{\theta^3},\quad
  \gamma = \frac{1 - \tfrac\theta2\cot\tfrac\theta2}{\theta^2},\qquad \theta = \sqrt s$$

SE(3) is SO(3) over dual numbers, so it needs their derivatives with respect to s as well.

Three ranges of s, placed by measurement against mpmath (largest relative error of a coefficient
in the range; the closed forms cancel to the left of theirs):

| s            | form                           | B, C    | dB, dC  | gamma   | dgamma  |
|--------------|--------------------------------|---------|---------|---------|---------|
| below SHORT  | six terms, fast: time steps    | 1.4e-16 | 1.4e-16 | 1.4e-16 | 2.3e-16 |
| below LONG   | 14 terms; pole plus 13 (gamma) | 2.9e-16 | 2.6e-16 | 2.3e-16 | 5.7e-16 |
| from LONG on | closed                         | 2.2e-16 | 1.1e-15 | 4.7e-16 | 1.6e-15 |

At s = 1 the closed forms are off by 8e-16 (C), 3e-14 (dC), 8e-15 (gamma) and 6e-13 (dgamma); at
s = 0.06 by 1e-14, 2e-12, 2e-13 and 3e-10.  c and k never cancel: their series only saves time.
B and dB vanish at 2 pi and are there accurate to 2e-18 absolutely.
"""

from fractions import Fraction
from math import comb, factorial

from chasles.compiled import formula
from chasles.groups.vectors import dot
from chasles.scalars.elementary import (
    below,
    choose,
    cos,
    dot_pair,
    gap_to_two_pi,
    norm_pair,
    sin,
    sqrt,
)

# --- series ---


def alternating(first: int, terms: int) -> tuple[Fraction, ...]:
    """Coefficients of s^k, (-1)^k / (2k + first)!: cos, sin and their remainders."""
    return tuple(Fraction((-1) ** k, factorial(2 * k + first)) for k in range(terms))


def bernoulli(terms: int) -> tuple[Fraction, ...]:
    """Coefficients of s^k in gamma, |B_(2k+2)| / (2k+2)!."""
    numbers = [Fraction(1)]
    for n in range(1, 2 * terms + 1):
        numbers.append(-sum(comb(n + 1, k) * b for k, b in enumerate(numbers)) / Fraction(n + 1))
    return tuple(abs(numbers[2 * k + 2]) / factorial(2 * k + 2) for k in range(terms))


def differentiated(series: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Coefficients of the derivative of a power series."""
    return tuple(k * c for k, c in enumerate(series))[1:]


def without_pole(series: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Coefficients of gamma - 2 / (4 pi^2 - s), which is regular up to s = 16 pi^2."""
    return tuple(c - 2 / (4 * PI**2) ** (k + 1) for k, c in enumerate(series))


def halved(series: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Coefficients of f(s/4): half of the angle, and no double is rounded otherwise."""
    return tuple(c / 4**k for k, c in enumerate(series))


def floats(series: tuple[Fraction, ...]) -> tuple[float, ...]:
    """The coefficients as doubles."""
    return tuple(float(c) for c in series)


PI = Fraction("3.1415926535897932384626433832795028841971693993751")
FOUR_PI_SQUARED = float(4 * PI**2)
SHORT, LONG = 0.06, 9.0
COS_HALF = floats(halved(alternating(0, 6)))
SIN_HALF = floats(tuple(c / 2 for c in halved(alternating(1, 6))))
B_SHORT, SLOPE_B_SHORT = floats(alternating(2, 6)), floats(differentiated(alternating(2, 7)))
C_SHORT, SLOPE_C_SHORT = floats(alternating(3, 6)), floats(differentiated(alternating(3, 7)))
B_LONG, SLOPE_B_LONG = floats(alternating(2, 14)), floats(differentiated(alternating(2, 15)))
C_LONG, SLOPE_C_LONG = floats(alternating(3, 14)), floats(differentiated(alternating(3, 15)))
GAMMA_SHORT, SLOPE_GAMMA_SHORT = floats(bernoulli(6)), floats(differentiated(bernoulli(7)))
REST_LONG = floats(without_pole(bernoulli(13)))
SLOPE_REST_LONG = floats(differentiated(without_pole(bernoulli(15))))


@formula
def horner(coefficients, s):
    """The sum of coefficients[k] s^k."""
    total = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        total = coefficients[k] + s * total
    return total


@formula
def in_pairs(c, s):
    """`horner` of six coefficients in half as many steps that wait for each other."""
    square = s * s
    return (c[0] + s * c[1]) + square * ((c[2] + s * c[3]) + square * (c[4] + s * c[5]))


# --- exp: half angle ---


@formula
def half_angle(s):
    """(c, k): the unit quaternion exp(x) is (c, k x)."""
    return choose(below(s, SHORT), half_angle_series, half_angle_closed, s)


@formula
def half_angle_series(s):
    """Series of c and k."""
    return in_pairs(COS_HALF, s), in_pairs(SIN_HALF, s)


@formula
def half_angle_closed(s):
    """(cos(theta/2), sin(theta/2)/theta)."""
    theta = sqrt(s)
    half = theta / 2
    return cos(half), sin(half) / theta


@formula
def se3_exp_coefficients(s):
    """(c, k, B, C) at once: B = 2 k^2 has no cancellation."""
    return choose(below(s, SHORT), se3_exp_short, se3_exp_beyond, s)


@formula
def se3_exp_short(s):
    """(c, k, B, C) for s < SHORT."""
    c, k = half_angle_series(s)
    return c, k, 2 * k * k, in_pairs(C_SHORT, s)


@formula
def se3_exp_beyond(s):
    """(c, k, B, C) for s >= SHORT; C multiplies s, which hides its cancellation."""
    c, k = half_angle_closed(s)
    return c, k, 2 * k * k, (1 - 2 * c * k) / s


# --- dexp: B and C ---


@formula
def dexp_coefficients(s):
    """(B, C)."""
    return choose(below(s, SHORT), dexp_short, dexp_beyond, s)


@formula
def dexp_beyond(s):
    """(B, C) for s >= SHORT."""
    return choose(below(s, LONG), dexp_long, dexp_closed, s)


@formula
def dexp_short(s):
    """Series of B and C for s < SHORT."""
    return in_pairs(B_SHORT, s), in_pairs(C_SHORT, s)


@formula
def dexp_long(s):
    """Series of B and C for s < LONG."""
    return horner(B_LONG, s), horner(C_LONG, s)


@formula
def dexp_closed(s):
    """B = 2 k^2 and C = (1 - 2 c k) / s."""
    c, k = half_angle_closed(s)
    return 2 * k * k, (1 - 2 * c * k) / s


@formula
def dexp_slopes(s):
    """(dB/ds, dC/ds)."""
    return choose(below(s, SHORT), dexp_slopes_short, dexp_slopes_beyond, s)


@formula
def dexp_slopes_beyond(s):
    """(dB/ds, dC/ds) for s >= SHORT."""
    return choose(below(s, LONG), dexp_slopes_long, dexp_slopes_closed, s)


@formula
def dexp_slopes_short(s):
    """Series of dB/ds and dC/ds for s < SHORT."""
    return in_pairs(SLOPE_B_SHORT, s), in_pairs(SLOPE_C_SHORT, s)


@formula
def dexp_slopes_long(s):
    """Series of dB/ds and dC/ds for s < LONG."""
    return horner(SLOPE_B_LONG, s), horner(SLOPE_C_LONG, s)


@formula
def dexp_slopes_closed(s):
    """(A - 2 B) / (2 s) and (B - 3 C) / (2 s), with A = sin(theta)/theta = 1 - s C."""
    b, c = dexp_closed(s)
    return (1 - s * c - 2 * b) / (2 * s), (b - 3 * c) / (2 * s)


# --- dexp^-1: gamma ---


@formula
def gamma_of(x):
    """gamma; takes x, not s, because near 2 pi the rounded s is not enough."""
    s = dot(x, x)
    return choose(below(s, SHORT), gamma_short, gamma_beyond, s, x)


@formula
def gamma_beyond(s, x):
    """gamma for s >= SHORT."""
    return choose(below(s, LONG), gamma_long, gamma_closed, s, x)


@formula
def gamma_short(s, x):
    """Series of gamma for s < SHORT."""
    return in_pairs(GAMMA_SHORT, s)


@formula
def gamma_long(s, x):
    """Pole at 2 pi plus a series, for s < LONG."""
    return 2 / (FOUR_PI_SQUARED - s) + horner(REST_LONG, s)


@formula
def gamma_closed(s, x):
    """(1 + (theta/2) cot(gap/2)) / theta^2, where gap = 2 pi - theta keeps its digits."""
    theta, low = norm_pair(x)
    half_gap = 0.5 * gap_to_two_pi(theta, low)
    return (1 + 0.5 * theta * cos(half_gap) / sin(half_gap)) / s


@formula
def gamma_dual(x, y):
    """(gamma, its derivative at x along y), the latter being 2 (x . y) dgamma/ds."""
    s = dot(x, x)
    return choose(below(s, SHORT), gamma_dual_short, gamma_dual_beyond, s, x, y)


@formula
def gamma_dual_beyond(s, x, y):
    """gamma_dual for s >= SHORT."""
    return choose(below(s, LONG), gamma_dual_long, gamma_dual_closed, s, x, y)


@formula
def gamma_dual_short(s, x, y):
    """Series of gamma_dual for s < SHORT."""
    return in_pairs(GAMMA_SHORT, s), 2 * dot(x, y) * in_pairs(SLOPE_GAMMA_SHORT, s)


@formula
def gamma_dual_long(s, x, y):
    """Pole at 2 pi plus a series, for s < LONG."""
    inverse = 1 / (FOUR_PI_SQUARED - s)
    slope = 2 * inverse * inverse + horner(SLOPE_REST_LONG, s)
    return 2 * inverse + horner(REST_LONG, s), 2 * dot(x, y) * slope


@formula
def gamma_dual_closed(s, x, y):
    """dgamma/ds = (1/4 - 3 gamma + s gamma^2) / (2 s); x . y must keep its digits near 2 pi."""
    gamma = gamma_closed(s, x)
    along, _ = dot_pair(x, y)
    return gamma, along * (0.25 - 3 * gamma + s * gamma * gamma) / s
