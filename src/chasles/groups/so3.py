"""Rotations SO(3).

Element: unit quaternion (w, x, y, z), mapping body to world.  Algebra: rotation vector (x, y, z).
Differentials are right-trivialised; left-trivialised methods call them at -x.
"""

from chasles.compiled import formula
from chasles.groups.coefficients import dexp_coefficients, gamma_of, half_angle
from chasles.groups.vectors import axpy, cross, dot, neg, scale
from chasles.scalars.elementary import atan2, below, choose, sqrt

#: |q|^2 - 1 below which 3/8 of its square, 4e-17, is less than what rounding takes from 1.
NEARLY_UNIT = 1e-8

# --- group ---


@formula
def so3_compose(p, q):
    """p q (Hamilton)."""
    return (
        (p[0] * q[0] - p[1] * q[1]) - (p[2] * q[2] + p[3] * q[3]),
        (p[0] * q[1] + p[1] * q[0]) + (p[2] * q[3] - p[3] * q[2]),
        (p[0] * q[2] - p[1] * q[3]) + (p[2] * q[0] + p[3] * q[1]),
        (p[0] * q[3] + p[1] * q[2]) - (p[2] * q[1] - p[3] * q[0]),
    )


@formula
def so3_inverse(q):
    """q^-1 = (w, -x, -y, -z)."""
    return (q[0], -q[1], -q[2], -q[3])


@formula
def so3_normalise(q):
    """q / |q|."""
    square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])
    return choose(below(abs(square - 1.0), NEARLY_UNIT), unit_nearby, unit_of, q, square)


@formula
def unit_nearby(q, square):
    r"""q + q (1 - |q|^2) / 2, no root and no quotient to wait for.

    $1/\sqrt{1 + d} = 1 - d/2 + \tfrac38 d^2 - \dots$, and the rest is nothing to doubles.
    """
    lack = 0.5 - 0.5 * square
    return (q[0] + q[0] * lack, q[1] + q[1] * lack, q[2] + q[2] * lack, q[3] + q[3] * lack)


@formula
def unit_of(q, square):
    """q / |q| of any length."""
    inverse = 1 / sqrt(square)
    return (q[0] * inverse, q[1] * inverse, q[2] * inverse, q[3] * inverse)


@formula
def so3_rotate(q, v):
    """R v = v + 2 w (u x v) + 2 u x (u x v), with q = (w, u)."""
    u = (q[1], q[2], q[3])
    once = cross(u, v)
    twice = cross(u, once)
    return axpy(2.0, axpy(q[0], once, twice), v)


@formula
def so3_adjoint(q, x):
    """Ad_q x = R x."""
    return so3_rotate(q, x)


# --- matrices ---


@formula
def so3_matrix(q):
    """R = I + 2 w u^ + 2 u^ u^, row by row."""
    w, x, y, z = q
    xx, yy, zz = 2 * x, 2 * y, 2 * z
    return (
        1 - (y * yy + z * zz), x * yy - w * zz, x * zz + w * yy,
        x * yy + w * zz, 1 - (x * xx + z * zz), y * zz - w * xx,
        x * zz - w * yy, y * zz + w * xx, 1 - (x * xx + y * yy),
    )  # fmt: skip


@formula
def so3_from_matrix(m):
    """Shepperd: 4 |q_i| q for the largest component q_i, then normalised."""
    trace_largest = m[0] + m[4] + m[8] > 0.0
    return so3_normalise(choose(trace_largest, shepperd_w, shepperd_xyz, m))


@formula
def shepperd_w(m):
    """4 w q."""
    return (1 + m[0] + m[4] + m[8], m[7] - m[5], m[2] - m[6], m[3] - m[1])


@formula
def shepperd_xyz(m):
    """4 q_i q for the largest i of x, y, z."""
    return choose(m[0] >= m[4], shepperd_xz, shepperd_yz, m)


@formula
def shepperd_xz(m):
    """4 q_i q for the larger i of x, z."""
    return choose(m[0] >= m[8], shepperd_x, shepperd_z, m)


@formula
def shepperd_yz(m):
    """4 q_i q for the larger i of y, z."""
    return choose(m[4] >= m[8], shepperd_y, shepperd_z, m)


@formula
def shepperd_x(m):
    """4 x q."""
    return (m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6])


@formula
def shepperd_y(m):
    """4 y q."""
    return (m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7])


@formula
def shepperd_z(m):
    """4 z q."""
    return (m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8])


# --- exp and log ---


@formula
def so3_exp(x):
    r"""$$(\cos\tfrac\theta2,\ \tfrac{\sin(\theta/2)}\theta\, x), \qquad \theta = |x|$$"""
    c, k = half_angle(dot(x, x))
    return (c, k * x[0], k * x[1], k * x[2])


@formula
def so3_log(q):
    r"""Shortest x with exp(x) = +-q: $$x = 2 \operatorname{atan2}(|u|, |w|)\, u / |u|$$."""
    w, x, y, z = choose(q[0] < 0.0, opposite, same, q)
    u = (x, y, z)
    n = dot(u, u)
    return scale(choose(below(n, 1e-4), log_series, log_closed, w, n), u)


@formula
def opposite(q):
    """-q, the same rotation."""
    return (-q[0], -q[1], -q[2], -q[3])


@formula
def same(q):
    """q."""
    return (q[0], q[1], q[2], q[3])


@formula
def log_series(w, n):
    """2 atan(t)/(t w), t^2 = n / w^2, where n = |u|^2 < 1e-4."""
    t2 = n / (w * w)
    return 2 * (1 - t2 * (1 / 3 - t2 * (1 / 5 - t2 * (1 / 7)))) / w


@formula
def log_closed(w, n):
    """2 atan2(|u|, w) / |u|."""
    length = sqrt(n)
    return 2 * atan2(length, w) / length


# --- differentials of exp ---


@formula
def so3_bracket(x, y):
    """[x, y] = x x y."""
    return cross(x, y)


@formula
def so3_dexp(x, y):
    r"""$$y + B\, x \times y + C\, x \times (x \times y)$$"""
    b, c = dexp_coefficients(dot(x, x))
    once = cross(x, y)
    return axpy(c, cross(x, once), axpy(b, once, y))


@formula
def so3_dexp_inv(x, y):
    r"""$$y - \tfrac12 x \times y + \gamma\, x \times (x \times y)$$  Valid for |x| < 2 pi."""
    once = cross(x, y)
    return axpy(gamma_of(x), cross(x, once), axpy(-0.5, once, y))


# --- Cayley ---


@formula
def so3_cay(x):
    r"""$$(I - \hat x/2)^{-1}(I + \hat x/2) \;\leftrightarrow\; (1, x/2)/\sqrt{1 + |x|^2/4}$$"""
    w = 1 / sqrt(1 + 0.25 * dot(x, x))
    half = 0.5 * w
    return (w, half * x[0], half * x[1], half * x[2])


@formula
def so3_cay_inv(q):
    """x = 2 u / w, for q = (w, u); rotations by pi are out of reach."""
    return scale(2 / q[0], (q[1], q[2], q[3]))


@formula
def so3_dcay(x, y):
    r"""$$(y + \tfrac12 x \times y) / (1 + |x|^2/4)$$"""
    return scale(1 / (1 + 0.25 * dot(x, x)), axpy(0.5, cross(x, y), y))


@formula
def so3_dcay_inv(x, y):
    r"""$$y - \tfrac12 x \times y + \tfrac14 (x \cdot y)\, x$$"""
    return axpy(0.25 * dot(x, y), x, axpy(-0.5, cross(x, y), y))


@formula
def cayley_solve(x, y):
    r"""$$(I - \hat x/2)^{-1} y = \mathrm{dcay}^{-1}_{-x}\, y / (1 + |x|^2/4)$$"""
    return scale(1 / (1 + 0.25 * dot(x, x)), so3_dcay_inv(neg(x), y))
