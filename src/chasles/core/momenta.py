r"""Momenta of bodies on charts whose mass matrix is constant, and how they move along a step.

On SE(3), and on SO(3)xR3 at the centre of mass, the kinetic energy is $\tfrac12 U\cdot M U$ with a
constant $M = (\Theta, m)$ in the chart's velocity U.  A momentum $M U$ is a covector at a pose; a
step $\exp(h\xi)$ takes it from the middle to its two ends by

$$ \mathrm{dexp}^{-T}_{h\xi} \;\text{(start)}, \qquad \mathrm{dexp}^{-T}_{-h\xi} \;\text{(end)}. $$

Transposed, dexp^-1 is dexp^-1 again: on SO(3) $\mathrm{ad}^T = -\mathrm{ad}$, so that
$\mathrm{dexp}^{-T}_x = \mathrm{dexp}^{-1}_{-x}$, and SE(3) is SO(3) over the dual numbers: as a
block matrix dexp^-1 is (A, 0; B, A) with B the derivative of A, whose transpose maps (torque,
force) as $\mathrm{dexp}^{-1}_{-x}$ maps (force, torque).
"""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import SE3_CODE
from chasles.groups.se3 import se3_dexp_inv
from chasles.groups.so3 import so3_dexp_inv
from chasles.groups.vectors import neg, scale, symvec, tmatvec


@formula
def momentum(mass: Any, inertia: Any, twist: Any) -> Any:
    """(angular, linear) momentum of a velocity at the centre of mass."""
    return symvec(inertia, twist[0]), scale(mass, twist[1])


@formula
def moved_momentum(group: int, x: Any, covector: Any) -> Any:
    r"""$\mathrm{dexp}^{-T}_{x}$ of a covector, in the group of a chart."""
    back = (neg(x[0]), neg(x[1]))
    if group == SE3_CODE:
        force, torque = se3_dexp_inv(back, (covector[1], covector[0]))
        return torque, force
    return so3_dexp_inv(back[0], covector[0]), covector[1]


@formula
def in_body_axes(group: int, rotation: Any, twist: Any) -> Any:
    """A chart's velocity, or covector, at the centre of mass in the axes of the body."""
    return twist if group == SE3_CODE else (twist[0], tmatvec(rotation, twist[1]))
