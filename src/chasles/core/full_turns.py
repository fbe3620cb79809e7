r"""Rotations of a step near full turns, where the rate of an increment has a pole.

$$ |\mathrm{dexp}^{-1}_{-x}\,y| = \frac{|x|/2}{|\sin(|x|/2)|}\,|y| \qquad\text{for } y\perp x :$$

at $|x| = 2\pi k$ no rate of the increment x moves the axis of rotation.  A step that stretches its
rates tenfold (5.7 rad are the first that do; beyond three turns all) is not the step of a
method.  Only where x and y commute, as in a uniform rotation, dexp^-1 is 1 whatever the angle.
"""

from typing import Any

from chasles.compiled import formula
from chasles.groups.vectors import add, cross, dot
from chasles.scalars.elementary import absolute, sin, sqrt

#: Shorter increments (squared, 3 rad) are not looked at: they stretch rates 1.5 times at the most.
SHORT = 9.0
#: Rates are stretched so much at the most.
MOST_STRETCHED = 10.0
#: Sine between two axes that are one to rounding.
PARALLEL = 1e-9


@formula
def near_full_turn(x: Any) -> bool:
    """Whether dexp^-1 stretches rates too much at the rotation vector x."""
    square = dot(x, x)
    if square <= SHORT:
        return False
    half = 0.5 * sqrt(square)
    return half > MOST_STRETCHED * absolute(sin(half))


@formula
def parallel(x: Any, y: Any) -> bool:
    """Whether two vectors are along one line, to rounding."""
    across = cross(x, y)
    return dot(across, across) <= PARALLEL * PARALLEL * dot(x, x) * dot(y, y)


@formula
def commute(x: Any, y: Any) -> bool:
    """Whether two twists commute in SE(3), to rounding."""
    if not parallel(x[0], y[0]):
        return False
    across = add(cross(x[0], y[1]), cross(x[1], y[0]))
    size = dot(x[0], x[0]) * dot(y[1], y[1]) + dot(x[1], x[1]) * dot(y[0], y[0])
    return dot(across, across) <= PARALLEL * PARALLEL * size
