"""What bodies feel by themselves: inertia and gravity, (torque, force) at the centre of mass."""

from typing import Any

from chasles.compiled import formula
from chasles.groups.vectors import cross, dot, neg, scale, sub, symvec, tmatvec


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
