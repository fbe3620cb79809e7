"""The direct product SO(3) x R^3: rotation and translation that do not see each other.

Element: (q, r), unit quaternion (w, x, y, z) and translation (x, y, z), the same pose as in
SE(3).  Algebra: (omega, v), body-frame angular velocity and world-frame velocity.  Differentials
are right-trivialised; left-trivialised methods call them at -X.
"""

from chasles.compiled import formula
from chasles.groups.so3 import (
    so3_cay,
    so3_cay_inv,
    so3_compose,
    so3_dcay,
    so3_dcay_inv,
    so3_dexp,
    so3_dexp_inv,
    so3_exp,
    so3_inverse,
    so3_log,
    so3_rotate,
)
from chasles.groups.vectors import add, cross, neg

# --- group ---


@formula
def so3xr3_compose(a, b):
    """(p, r)(q, s) = (p q, r + s)."""
    return so3_compose(a[0], b[0]), add(a[1], b[1])


@formula
def so3xr3_inverse(c):
    """(q^-1, -r)."""
    return so3_inverse(c[0]), neg(c[1])


@formula
def so3xr3_act(c, point):
    """R p + r: the pose moves points as in SE(3)."""
    return add(so3_rotate(c[0], point), c[1])


@formula
def so3xr3_adjoint(c, twist):
    """Ad_C (omega, v) = (R omega, v)."""
    return so3_rotate(c[0], twist[0]), twist[1]


# --- exp and log ---


@formula
def so3xr3_exp(twist):
    """(exp x, y)."""
    return so3_exp(twist[0]), twist[1]


@formula
def so3xr3_log(c):
    """(log q, r), the shortest."""
    return so3_log(c[0]), c[1]


# --- differentials of exp ---


@formula
def so3xr3_bracket(a, b):
    """[(x, y), (w, v)] = (x x w, 0)."""
    return cross(a[0], b[0]), (0.0, 0.0, 0.0)


@formula
def so3xr3_dexp(at, z):
    """(dexp_x w, v)."""
    return so3_dexp(at[0], z[0]), z[1]


@formula
def so3xr3_dexp_inv(at, z):
    """(dexp_x^-1 w, v).  Valid for |x| < 2 pi."""
    return so3_dexp_inv(at[0], z[0]), z[1]


# --- Cayley ---


@formula
def so3xr3_cay(twist):
    """(cay x, y)."""
    return so3_cay(twist[0]), twist[1]


@formula
def so3xr3_cay_inv(c):
    """(cay^-1 q, r)."""
    return so3_cay_inv(c[0]), c[1]


@formula
def so3xr3_dcay(at, z):
    """(dcay_x w, v)."""
    return so3_dcay(at[0], z[0]), z[1]


@formula
def so3xr3_dcay_inv(at, z):
    """(dcay_x^-1 w, v)."""
    return so3_dcay_inv(at[0], z[0]), z[1]
