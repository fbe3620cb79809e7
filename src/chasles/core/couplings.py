r"""Rows of joints that are no lower pairs: one scalar equation each, differentiated twice.

A row acts on the absolute velocities as
$\alpha\cdot\omega_{rel} + \beta\cdot(\dot x_b - \dot x_a)$ with directions that move; eta
collects what is left of $\ddot g = 0$ (or, for rolling, of the time derivative of the velocity
equation) when the accelerations are taken out.  All vectors are in the world.
"""

from typing import Any

from chasles.compiled import formula
from chasles.core.rows import axis_product, space_eta_point
from chasles.groups.vectors import add, axpy, cross, dot, neg, scale, sub
from chasles.scalars.elementary import sqrt


@formula
def shafts_product(axes_a: Any, axes_b: Any, omega_a: Any, omega_b: Any) -> Any:
    r"""alpha and its rate for $g = x_a\cdot y_b - y_a\cdot x_b$: two shafts turn alike."""
    x_a, y_a = (axes_a[0], axes_a[3], axes_a[6]), (axes_a[1], axes_a[4], axes_a[7])
    x_b, y_b = (axes_b[0], axes_b[3], axes_b[6]), (axes_b[1], axes_b[4], axes_b[7])
    first, first_rate = axis_product(y_b, x_a, omega_a, omega_b)
    second, second_rate = axis_product(x_b, y_a, omega_a, omega_b)
    return sub(first, second), sub(first_rate, second_rate)


@formula
def shafts_crossed(turn: Any) -> Any:
    r"""The same g, from the axes of b seen from a."""
    return turn[1] - turn[3]


@formula
def disc_above_plane(radius: Any, turn: Any, shift: Any) -> Any:
    r"""How far the rim of a thin disc is above a plane: $h - r\sqrt{1 - (n\cdot a)^2}$."""
    return shift[2] - radius * sqrt(1.0 - turn[8] * turn[8])


@formula
def distance_eta(beta: Any, length: Any, omegas: Any, velocities: Any) -> Any:
    r"""Eta of $g = (d\cdot d - l^2)/2l$, $d = x_b - x_a$, whose row has $\beta = d/l$:

    $$-\beta\cdot(\omega_b\times\dot x_b - \omega_a\times\dot x_a) - \dot d\cdot\dot d/l$$
    """
    turning = space_eta_point(omegas[0], velocities[0], omegas[1], velocities[1])
    span_rate = sub(velocities[1], velocities[0])
    return dot(beta, turning) - dot(span_rate, span_rate) / length


@formula
def sphere_contact(normal: Any, normal_rate: Any, radius: Any) -> Any:
    """From the centre of a sphere to where it touches a plane, $c = -r n$, and its rate."""
    return scale(-radius, normal), scale(-radius, normal_rate)


@formula
def disc_contact(normal: Any, normal_rate: Any, radius: Any, axis: Any, axis_rate: Any) -> Any:
    r"""From the centre of a thin disc to where it touches a plane, and its rate.

    $$c = r\,\bigl((n\cdot a)\,a - n\bigr)/s, \qquad s^2 = 1 - (n\cdot a)^2$$

    with the normal n and the disc's axis a; s vanishes where the disc lies flat.
    """
    lean = dot(normal, axis)
    lean_rate = dot(normal_rate, axis) + dot(normal, axis_rate)
    s = sqrt(1.0 - lean * lean)
    down = axpy(lean, axis, neg(normal))
    down_rate = sub(add(scale(lean_rate, axis), scale(lean, axis_rate)), normal_rate)
    s_rate = -lean * lean_rate / s
    rate = scale(radius / s, sub(down_rate, scale(s_rate / s, down)))
    return scale(radius / s, down), rate


@formula
def rolling_eta(direction: Any, omegas: Any, travel: Any, slip: Any) -> Any:
    r"""Eta of $e\cdot(\dot x_b - \dot x_a) = 0$ at the point p where b touches a, e an axis of a:

    $$-e\cdot\bigl((\omega_b-\omega_a)\times\dot p\bigr)
      - (\omega_a\times e)\cdot(\dot x_b-\dot x_a)$$

    p travels on both bodies: $\dot p = \dot r_b + \dot c$, while $\dot x_b$ and $\dot x_a$ are the
    velocities of the bodies at p.
    """
    turning = cross(sub(omegas[1], omegas[0]), travel)
    return -dot(direction, turning) - dot(cross(omegas[0], direction), slip)
