r"""Scalar coefficients of exp, dexp and dexp^-1 as functions of s = |x|^2.

$$c = \cos\tfrac\theta2,\quad k = \frac{\sin(\theta/2)}{\theta},\quad
  B = \frac{1 - \cos\theta}{\theta^2},\quad C = \frac{\theta - \sin\theta}{\theta^3},\quad
  \gamma = \frac{1 - \tfrac\theta2\cot\tfrac\theta2}{\theta^2},\qquad \theta = \sqrt s$$

SE(3) is SO(3) over dual numbers, so it needs their derivatives with respect to s as well.
"""

from chasles.compiled import formula
from chasles.groups.errorfree import dot_pair, norm_pair
from chasles.groups.scalar import below, choose, cos, gap_to_two_pi, sin, sqrt
from chasles.groups.vectors import dot

SHORT = 0.06

# --- exp: half angle ---


@formula
def half_angle(s):
    """(c, k): the unit quaternion exp(x) is (c, k x)."""
    return choose(below(s, SHORT), half_angle_series, half_angle_closed, s)


@formula
def half_angle_series(s):
    """Maclaurin series of c and k in s, for s < SHORT."""
    t = 0.25 * s
    c = 1 + t * (-1 / 2 + t * (1 / 24 + t * (-1 / 720 + t * (1 / 40320 - t / 3628800))))
    k = 1 + t * (-1 / 6 + t * (1 / 120 + t * (-1 / 5040 + t * (1 / 362880 - t / 39916800))))
    return c, 0.5 * k


@formula
def half_angle_closed(s):
    """(cos(theta/2), sin(theta/2)/theta) as written."""
    theta = sqrt(s)
    half = theta / 2
    return cos(half), sin(half) / theta


# --- dexp: B and C ---


@formula
def dexp_coefficients(s):
    """(B, C)."""
    return choose(below(s, SHORT), dexp_series, dexp_closed, s)


@formula
def dexp_series(s):
    """Maclaurin series of B and C in s."""
    b = 1 / 2 + s * (-1 / 24 + s * (1 / 720 + s * (-1 / 40320 + s * (1 / 3628800))))
    c = 1 / 6 + s * (-1 / 120 + s * (1 / 5040 + s * (-1 / 362880 + s * (1 / 39916800))))
    return b, c


@formula
def dexp_closed(s):
    """B = 2 k^2 and C = (1 - 2 c k) / s."""
    c, k = half_angle_closed(s)
    return 2 * k * k, (1 - 2 * c * k) / s


@formula
def dexp_slopes(s):
    """(dB/ds, dC/ds)."""
    return choose(below(s, SHORT), dexp_slopes_series, dexp_slopes_closed, s)


@formula
def dexp_slopes_series(s):
    """The series of B and C, differentiated."""
    db = -1 / 24 + s * (2 / 720 + s * (-3 / 40320 + s * (4 / 3628800 - s * (5 / 479001600))))
    dc = -1 / 120 + s * (2 / 5040 + s * (-3 / 362880 + s * (4 / 39916800 - s * (5 / 6227020800))))
    return db, dc


@formula
def dexp_slopes_closed(s):
    """(A - 2 B) / (2 s) and (B - 3 C) / (2 s), with A = sin(theta)/theta = 1 - s C."""
    b, c = dexp_closed(s)
    return (1 - s * c - 2 * b) / (2 * s), (b - 3 * c) / (2 * s)


# --- dexp^-1: gamma ---


@formula
def gamma_of(x):
    """gamma; takes x, not s, because near 2 pi the rounded s is not enough."""
    return choose(below(dot(x, x), SHORT), gamma_series, gamma_closed, x)


@formula
def gamma_series(x):
    """Series with the Bernoulli numbers |B_2k| / (2k)!."""
    s = dot(x, x)
    return 1 / 12 + s * (
        1 / 720 + s * (1 / 30240 + s * (1 / 1209600 + s * (1 / 47900160 + s * (691 / 1307674368000))))
    )


@formula
def gamma_closed(x):
    """(1 - (theta/2) cot(theta/2)) / theta^2, with cot(theta/2) = -cot((2 pi - theta)/2)."""
    theta, low = norm_pair(x)
    half_gap = 0.5 * gap_to_two_pi(theta, low)
    return (1 + 0.5 * theta * cos(half_gap) / sin(half_gap)) / (theta * theta)


@formula
def gamma_dual(x, y):
    """(gamma, its derivative at x along y), the latter being 2 (x . y) dgamma/ds."""
    return choose(below(dot(x, x), SHORT), gamma_dual_series, gamma_dual_closed, x, y)


@formula
def gamma_dual_series(x, y):
    """The series of gamma, differentiated."""
    s = dot(x, x)
    slope = 1 / 720 + s * (
        2 / 30240 + s * (3 / 1209600 + s * (4 / 47900160 + s * (5 * 691 / 1307674368000)))
    )
    return gamma_series(x), 2 * dot(x, y) * slope


@formula
def gamma_dual_closed(x, y):
    """dgamma/ds = (1/4 - 3 gamma + s gamma^2) / (2 s); x . y must keep its digits near 2 pi."""
    gamma = gamma_closed(x)
    s = dot(x, x)
    along, _ = dot_pair(x, y)
    return gamma, along * (0.25 - 3 * gamma + s * gamma * gamma) / s
