"""Rigid motions SE(3).

Element: (q, r), unit quaternion (w, x, y, z) and translation (x, y, z); point p goes to R p + r.
Algebra: twist (omega, v), a pair of vectors.  Differentials are right-trivialised;
left-trivialised methods call them at -X.  SE(3) is SO(3) over the dual numbers: the linear part
of dexp and dexp^-1 is the derivative of the angular part, in the direction of the linear part.
"""

from chasles.compiled import formula
from chasles.groups.coefficients import (
    dexp_coefficients,
    dexp_slopes,
    gamma_dual,
    se3_exp_coefficients,
)
from chasles.groups.so3 import (
    cayley_solve,
    so3_cay,
    so3_cay_inv,
    so3_compose,
    so3_dcay,
    so3_dcay_inv,
    so3_dexp_inv,
    so3_inverse,
    so3_log,
    so3_rotate,
)
from chasles.groups.vectors import add, axpy, cross, dot, neg

# --- group ---


@formula
def se3_compose(a, b):
    """(p, r)(q, s) = (p q, r + P s)."""
    return so3_compose(a[0], b[0]), add(a[1], so3_rotate(a[0], b[1]))


@formula
def se3_inverse(c):
    """(q^-1, -R^T r)."""
    q = so3_inverse(c[0])
    return q, neg(so3_rotate(q, c[1]))


@formula
def se3_act(c, point):
    """R p + r."""
    return add(so3_rotate(c[0], point), c[1])


@formula
def se3_adjoint(c, twist):
    """Ad_C (omega, v) = (R omega, R v + r x R omega)."""
    omega = so3_rotate(c[0], twist[0])
    return omega, add(so3_rotate(c[0], twist[1]), cross(c[1], omega))


# --- exp and log ---


@formula
def se3_exp(twist):
    """(exp x, dexp_x y) for the twist (x, y)."""
    x, y = twist
    c, k, first, second = se3_exp_coefficients(dot(x, x))
    once = cross(x, y)
    translation = axpy(second, cross(x, once), axpy(first, once, y))
    return (c, k * x[0], k * x[1], k * x[2]), translation


@formula
def se3_log(c):
    """(x, dexp_x^-1 r) with x = log q, the shortest."""
    x = so3_log(c[0])
    return x, so3_dexp_inv(x, c[1])


# --- differentials of exp ---


@formula
def se3_bracket(a, b):
    """[(x, y), (w, v)] = (x x w, x x v + y x w)."""
    return cross(a[0], b[0]), add(cross(a[0], b[1]), cross(a[1], b[0]))


@formula
def se3_dexp(at, z):
    r"""$$Z + B [X, Z] + C [X, [X, Z]] + \dot B [\epsilon X, Z] + \dot C [\epsilon X, [X, Z]]$$

    with Z = (w, v) and eps X = (0, x), where the dot is the derivative along y: 2 x . y times
    that with respect to |x|^2.
    """
    x, y = at
    s, along = dot(x, x), 2 * dot(x, y)
    b, c = dexp_coefficients(s)
    slope_b, slope_c = dexp_slopes(s)
    return dual_quadratic(at, z, b, c, along * slope_b, along * slope_c)


@formula
def dual_quadratic(at, z, b, c, b_dot, c_dot):
    """Z + b [X, Z] + c [X, [X, Z]] with dual coefficients b + eps b_dot, c + eps c_dot."""
    once = se3_bracket(at, z)
    twice = se3_bracket(at, once)
    angular = axpy(c, twice[0], axpy(b, once[0], z[0]))
    linear = axpy(c, twice[1], axpy(b, once[1], z[1]))
    return angular, axpy(c_dot, twice[0], axpy(b_dot, once[0], linear))


@formula
def se3_dexp_inv(at, z):
    r"""$$Z - \tfrac12 [X, Z] + \gamma [X, [X, Z]] + (0,\ \dot\gamma\, x \times (x \times w))$$

    where the dot is the derivative along y.  Valid for |x| < 2 pi.
    """
    gamma, gamma_dot = gamma_dual(at[0], at[1])
    return dual_quadratic(at, z, -0.5, gamma, 0.0, gamma_dot)


# --- Cayley (of the 4x4 matrices) ---


@formula
def se3_cay(twist):
    r"""$$(I - X/2)^{-1}(I + X/2) = (\mathrm{cay}\, x,\ (I - \hat x/2)^{-1} y)$$"""
    return so3_cay(twist[0]), cayley_solve(twist[0], twist[1])


@formula
def se3_cay_inv(c):
    r"""$$(x,\ r - \tfrac12 x \times r), \qquad x = \mathrm{cay}^{-1} q$$"""
    x = so3_cay_inv(c[0])
    return x, axpy(-0.5, cross(x, c[1]), c[1])


@formula
def se3_dcay(at, z):
    r"""$$(I - X/2)^{-1} Z (I + X/2)^{-1}$$"""
    x, y = at
    linear = axpy(-0.5, cross(z[0], cayley_solve(neg(x), y)), z[1])
    return so3_dcay(x, z[0]), cayley_solve(x, linear)


@formula
def se3_dcay_inv(at, z):
    r"""$$(I - X/2) Z (I + X/2) = Z - \tfrac12 [X, Z] - \tfrac14 X Z X$$"""
    x, y = at
    linear = axpy(0.5, cross(z[0], y), z[1])
    return so3_dcay_inv(x, z[0]), axpy(-0.5, cross(x, linear), linear)
