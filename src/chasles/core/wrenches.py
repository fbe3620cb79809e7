"""What bodies feel by themselves: inertia and gravity, (torque, force) at the centre of mass."""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, TWIST, get6, mat9, twist6, vec3
from chasles.groups.vectors import cross, dot, neg, scale, sub, symvec, tmatvec
from chasles.scalars.elementary import sqrt


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


@routine
def own_wrench(system: Any, absolute: Any, body: int) -> Any:
    """Gyroscopic terms and gravity of one of the placed bodies."""
    at = body * ABSOLUTE_WIDTH
    return inertial_and_gravity_wrench(
        system.bodies.mass[body],
        get6(system.bodies.inertia, 6 * body),
        mat9(absolute, at + POSE_R),
        twist6(absolute, at + TWIST),
        vec3(system.gravity, 0),
    )


@formula
def kinetic_energy(mass: Any, inertia: Any, twist: Any) -> Any:
    r"""$\tfrac12\,\omega\cdot\Theta\omega + \tfrac12\,m\,v\cdot v$"""
    omega, v = twist
    return 0.5 * dot(omega, symvec(inertia, omega)) + 0.5 * mass * dot(v, v)


@formula
def gravity_potential(mass: Any, position: Any, gravity: Any) -> Any:
    r"""$-m\,g\cdot r$"""
    return -mass * dot(gravity, position)


@routine
def mass_norm(system: Any, x: Any) -> float:
    r"""$\sqrt{V^T M V}$ of the twists in x."""
    total = 0.0
    for body in range(system.body_count):
        inertia = get6(system.bodies.inertia, 6 * body)
        total += 2.0 * kinetic_energy(system.bodies.mass[body], inertia, twist6(x, 6 * body))
    return sqrt(total)


@routine
def force_norm(system: Any, forces: Any) -> float:
    r"""About $\sqrt{Q^T M^{-1} Q}$: how fast the forces would accelerate free bodies."""
    total = 0.0
    for body in range(system.body_count):
        for c in range(3):
            torque, force = forces[6 * body + c], forces[6 * body + 3 + c]
            total += torque * torque / system.bodies.inertia[6 * body + c]
            total += force * force / system.bodies.mass[body]
    return sqrt(total)
