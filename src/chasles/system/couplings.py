r"""Rows of joints that are no lower pairs: one scalar equation each, differentiated twice.

A row acts on the absolute velocities as
$\alpha\cdot\omega_{rel} + \beta\cdot(\dot x_b - \dot x_a)$ with directions that move; eta
collects what is left of $\ddot g = 0$ (or, for rolling, of the time derivative of the velocity
equation) when the accelerations are taken out.  All vectors are in the world.
"""

from typing import Any

from chasles.compiled import formula
from chasles.groups.scalar import sqrt
from chasles.groups.vectors import add, axpy, cross, dot, neg, scale, sub
from chasles.system.rows import axis_product, space_eta_point


@formula
def shafts_product(axes_a: Any, axes_b: Any, omega_a: Any, omega_b: Any) -> Any:
    r"""alpha and its rate for $g = x_a\cdot y_b - y_a\cdot x_b$: two shafts turn alike."""
    x_a, y_a = (axes_a[0], axes_a[3], axes_a[6]), (axes_a[1], axes_a[4], axes_a[7])
    x_b, y_b = (axes_b[0], axes_b[3], axes_b[6]), (axes_b[1], axes_b[4], axes_b[7])
    first, first_rate = axis_product(y_b, x_a, omega_a, omega_b)
    second, second_rate = axis_product(x_b, y_a, omega_a, omega_b)
    return sub(first, second), sub(first_rate, second_rate)


@formula
def distance_row(span: Any, span_rate: Any, length: Any) -> Any:
    r"""beta and its rate for $g = (d\cdot d - l^2)/2l$, $d = x_b - x_a$: $\beta = d/l$."""
    return scale(1.0 / length, span), scale(1.0 / length, span_rate)


@formula
def distance_eta(
    beta: Any, span_rate: Any, length: Any, omegas: Any, velocity_a: Any, velocity_b: Any
) -> Any:
    r"""$-\beta\cdot(\omega_b\times\dot x_b - \omega_a\times\dot x_a) - \dot d\cdot\dot d/l$"""
    turning = space_eta_point(omegas[0], velocity_a, omegas[1], velocity_b)
    return dot(beta, turning) - dot(span_rate, span_rate) / length


@formula
def sphere_contact(normal: Any, radius: Any) -> Any:
    """Centre to contact point of a sphere on a plane that rests, and its rate."""
    return scale(-radius, normal), (0.0, 0.0, 0.0)


@formula
def disc_contact(normal: Any, radius: Any, axis: Any, omega: Any) -> Any:
    r"""Centre to contact of a thin disc: $c = r(-n + (n\cdot a)a)/s$, $s^2 = 1-(n\cdot a)^2$.

    Its rate follows from $\dot a = \omega\times a$.
    """
    lean = dot(normal, axis)
    axis_rate = cross(omega, axis)
    lean_rate = dot(normal, axis_rate)
    s = sqrt(1.0 - lean * lean)
    down = axpy(lean, axis, neg(normal))
    contact = scale(radius / s, down)
    down_rate = add(scale(lean_rate, axis), scale(lean, axis_rate))
    s_rate = -lean * lean_rate / s
    rate = scale(radius / s, sub(down_rate, scale(s_rate / s, down)))
    return contact, rate


@formula
def rolling_eta(direction: Any, omega: Any, velocity: Any, contact_rate: Any) -> Any:
    r"""Eta of $e\cdot(\dot r + \omega\times c) = 0$, e fixed: $-e\cdot\omega\times(\dot r+\dot c)$.

    The acceleration of the centre is $R\dot v + \omega\times\dot r$.
    """
    return -dot(direction, add(cross(omega, velocity), cross(omega, contact_rate)))
