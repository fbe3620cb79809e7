"""Formulas of the paper in two versions: as printed, and right."""

from decimal import Decimal, localcontext

import numpy as np

from chasles.core.arrays import Floats


def hat(x: Floats) -> Floats:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def exp_so3(omega: Floats, printed: bool) -> Floats:
    """exp on SO(3); the printed last term divides by |w| instead of |w|^2."""
    angle = float(np.linalg.norm(omega))
    last = (1 - np.cos(angle)) / (angle if printed else angle**2)
    return np.eye(3) + np.sin(angle) / angle * hat(omega) + last * hat(omega) @ hat(omega)


def ad4_factor_printed(angle: float) -> float:
    """The factor of ad^4 in dexp^-1 on SE(3) as printed, in doubles."""
    return 1 / angle**4 + (angle + np.sin(angle)) / (4 * angle**3 * (np.cos(angle) - 1))


def ad4_factor_series(angle: float) -> float:
    """The same factor as a series: exact to rounding below about 0.5 rad."""
    s = angle * angle
    terms = (-1 / 720, -1 / 15120, -1 / 403200, -1 / 11975040, -691 / 261534873600)
    return sum(term * s**k for k, term in enumerate(terms))


def ad4_factor_exact(angle: float) -> float:
    """The printed expression with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(angle)
        sine = cosine = Decimal(0)
        term = Decimal(1)
        for k in range(60):
            if k % 2 == 0:
                cosine += term if k % 4 == 0 else -term
            else:
                sine += term if k % 4 == 1 else -term
            term = term * x / (k + 1)
        return float(1 / x**4 + (x + sine) / (4 * x**3 * (cosine - 1)))
