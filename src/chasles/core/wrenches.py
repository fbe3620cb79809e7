"""Wrenches and potentials: formulas, (torque, force) in the body frame at the centre of mass."""

from typing import Any

from chasles.compiled import formula
from chasles.groups.so3 import so3_dexp_inv
from chasles.groups.vectors import add, cross, dot, neg, scale, sub, symvec, tmatvec
from chasles.scalars.elementary import sqrt, tanh


@formula
def inertial_and_gravity_wrench(
    mass: Any, inertia: Any, rotation: Any, twist: Any, gravity: Any
) -> Any:
    r"""Right-hand side of the Newton-Euler equations without joints:

    $$(-\omega\times\Theta\omega,\; m R^T g - m\,\omega\times v)$$
    """
    omega, v = twist
    torque = neg(cross(omega, symvec(inertia, omega)))
    force = scale(mass, sub(tmatvec(rotation, gravity), cross(omega, v)))
    return torque, force


@formula
def kinetic_energy(mass: Any, inertia: Any, twist: Any) -> Any:
    r"""$\tfrac12\,\omega\cdot\Theta\omega + \tfrac12\,m\,v\cdot v$"""
    omega, v = twist
    return 0.5 * dot(omega, symvec(inertia, omega)) + 0.5 * mass * dot(v, v)


@formula
def gravity_potential(mass: Any, position: Any, gravity: Any) -> Any:
    r"""$-m\,g\cdot r$"""
    return -mass * dot(gravity, position)


# --- springs, bushings, drag ---


@formula
def wrench_of_force(rotation: Any, point: Any, force: Any) -> Any:
    """A world force at a body point, as a wrench on the body."""
    local = tmatvec(rotation, force)
    return cross(point, local), local


@formula
def spring_tension(stiffness: Any, damping: Any, rest: Any, span: Any, span_rate: Any) -> Any:
    r"""Force on the far end, and the power of the damper.

    $$f = -\bigl(k(l - l_0) + c\,\dot l\bigr)\,d/l, \qquad \dot l = d\cdot\dot d/l$$

    A spring of no rest length pulls with $-k d$, also where d = 0; all else has no direction there
    and counts as zero.
    """
    length = sqrt(dot(span, span))
    per_length = 1.0 / (length + (length == 0.0))
    rate = per_length * dot(span, span_rate)
    pull = stiffness + per_length * (damping * rate - stiffness * rest)
    return scale(-pull, span), -damping * rate * rate


@formula
def spring_potential(stiffness: Any, rest: Any, span: Any) -> Any:
    r"""$\tfrac12 k (l - l_0)^2$"""
    stretch = sqrt(dot(span, span)) - rest
    return 0.5 * stiffness * stretch * stretch


@formula
def coordinate_effort(law: Any, value: Any, rate: Any, target: Any, target_rate: Any) -> Any:
    r"""Generalised force on a joint coordinate q, and the power of all but the spring.

    $$-k(q-q_0) - c\dot q - F\tanh(\dot q/\epsilon) + k_p(q_t-q) + k_d(\dot q_t-\dot q) + e$$
    """
    stiffness, damping, rest, friction, smoothing, gain, rate_gain, effort = law
    spring = -stiffness * (value - rest)
    other = effort - damping * rate - friction * tanh(rate / smoothing)
    other += gain * (target - value) + rate_gain * (target_rate - rate)
    return spring + other, other * rate


@formula
def times(a: Any, b: Any) -> Any:
    """Componentwise product."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@formula
def bushing_wrench(shift: Any, shift_rate: Any, turn: Any, spin: Any, law: Any) -> Any:
    r"""Force along the axes of A, torque along those of B, and the power of the damping.

    $f = -(K s + C\dot s)$; with the rotation vector phi of B against A and potential
    $\tfrac12\phi\cdot K_r\phi$, $\tau = -\mathrm{dexp}^{-1}_{\phi}(K_r\phi) - C_r w$.
    """
    stiffness, turning, damping, turning_damping = law
    drag, turning_drag = times(damping, shift_rate), times(turning_damping, spin)
    force = neg(add(times(stiffness, shift), drag))
    torque = neg(add(so3_dexp_inv(turn, times(turning, turn)), turning_drag))
    return force, torque, -dot(drag, shift_rate) - dot(turning_drag, spin)


@formula
def bushing_potential(shift: Any, turn: Any, law: Any) -> Any:
    r"""$\tfrac12 s\cdot K s + \tfrac12\phi\cdot K_r\phi$"""
    return 0.5 * dot(shift, times(law[0], shift)) + 0.5 * dot(turn, times(law[1], turn))


@formula
def drag_wrench(twist: Any, law: Any) -> Any:
    r"""$(-c_\omega\omega - d_\omega|\omega|\omega,\; -c v - d|v|v)$"""
    omega, v = twist
    linear, quadratic, angular, angular_quadratic = law
    slow = -linear - quadratic * sqrt(dot(v, v))
    slow_turn = -angular - angular_quadratic * sqrt(dot(omega, omega))
    return scale(slow_turn, omega), scale(slow, v)


@formula
def power(wrench: Any, twist: Any) -> Any:
    """Of a wrench on a body that moves with a twist, both in the body frame."""
    return dot(wrench[0], twist[0]) + dot(wrench[1], twist[1])
