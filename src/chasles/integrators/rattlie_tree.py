r"""RATTLie on joint subgroups whose mass matrix is constant: bodies that each hang on the ground.

There is nothing to close: no joint of a tree can open.  Pairs of one to three axes on the ground
have a constant mass matrix and commuting motions (the planar one by its chart), so that their step
is that of Stoermer and Verlet; a ball on the ground, and a body that is free, turn with

$$ \mathrm{dexp}^{-T}_{h\xi} I\xi = I\omega_n + \tfrac h2 f_n, \qquad
   I\omega_{n+1} = \mathrm{dexp}^{-T}_{-h\xi} I\xi + \tfrac h2 f_{n+1}, $$

I the inertia about the joint's point.  Forces are accelerations of `stage` less the gyroscopic
ones, $f = I\dot\omega + \omega\times I\omega$.
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, routine
from chasles.core.arrays import put3, vec3
from chasles.core.blocks.small import backward3, forward3, ldl3, scale3
from chasles.core.outcomes import NOT_CONVERGED, OK
from chasles.core.recursion.inertia import spread
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.recursion.tree import FREE, SPHERICAL, triangle
from chasles.core.retraction import retract, slope_length
from chasles.core.seam import on
from chasles.core.stage import Role, stage
from chasles.core.tally import EVALUATED, ITERATED, count_up
from chasles.groups.so3 import so3_dexp_inv
from chasles.groups.vectors import add, axpy, cross, dot, scale, sub
from chasles.integrators.gauss import LOST, slope_size
from chasles.integrators.rattlie import begin, substep
from chasles.integrators.rattlie_ends import MOST_ITERATIONS, settled
from chasles.scalars.elementary import sqrt


@formula
def divided(inertia: Any, torque: Any) -> Any:
    """I^-1 of a torque."""
    factor = ldl3(inertia)
    return backward3(factor, scale3(factor, forward3(factor, torque)))


@formula
def turns_freely(pair: int) -> bool:
    """Whether a pair has rotations in space."""
    return pair in (SPHERICAL, FREE)


@routine
def kick(tree: Any, velocities: Any, slope: Any, half: float, before: Any, out: Any) -> None:
    """before + half * M^-1 f, f the forces behind the accelerations of a slope at `velocities`."""
    rates = tree.rate_count
    for k in range(rates):
        out[k] = before[k] + half * slope[rates + k]
    for body in range(tree.body_count):
        if turns_freely(tree.pair[body]):
            v, inertia = tree.rate_at[body], triangle(tree.inertia, 6 * body)
            omega = vec3(velocities, v)
            gyroscopic = divided(inertia, cross(omega, spread(inertia, omega)))
            put3(out, v, axpy(half, gyroscopic, vec3(out, v)))


@routine
def mean_spin(inertia: Any, omega: Any, length: float) -> Any:
    """xi of dexp^-T (I xi) = I omega: (OK or NOT_CONVERGED, xi)."""
    xi, last, wanted = omega, 0.0, spread(inertia, omega)
    size = sqrt(dot(omega, omega))
    for index in range(MOST_ITERATIONS):
        found = so3_dexp_inv(scale(-length, xi), spread(inertia, xi))
        more = divided(inertia, sub(wanted, found))
        xi = add(xi, more)
        change = sqrt(dot(more, more))
        if settled(index, change, last, size):
            return OK, xi
        if not change <= LOST * size:
            return NOT_CONVERGED, xi
        last = change
    return NOT_CONVERGED, xi


@routine
def drift(tree: Any, length: float, mean: Any, out: Any) -> int:
    """From M^-1 p at the start, in `mean`, to xi in its place and M^-1 p at the end in `out`."""
    for k in range(tree.rate_count):
        out[k] = mean[k]
    for body in range(tree.body_count):
        if turns_freely(tree.pair[body]):
            v, inertia = tree.rate_at[body], triangle(tree.inertia, 6 * body)
            outcome, xi = mean_spin(inertia, vec3(mean, v), length)
            if outcome != OK:
                return outcome
            put3(mean, v, xi)
            own = spread(inertia, xi)
            more = sub(so3_dexp_inv(scale(length, xi), own), own)
            put3(out, v, add(xi, divided(inertia, more)))  # I^-1 I xi would be rounded every time
    return OK


@routine
def arrive(mechanism: Any, scratch: Any, scheme: Any, t: float, length: float) -> int:
    """Velocities and the slope at the end, where the trial is: OK, or why there are none."""
    tree, last = mechanism.tree, 0.0
    velocities = beyond(scheme.trial, tree.stored_count)
    for index in range(MOST_ITERATIONS):
        outcome = stage(mechanism, scratch, scheme.trial, t, Role(0.0), scheme.force)
        count_up(scheme.tally, EVALUATED, 1)
        count_up(scheme.tally, ITERATED, 1)
        if outcome != OK:
            return outcome
        kick(tree, velocities, scheme.force, 0.5 * length, scheme.start, scheme.rates)
        square = 0.0
        for k in range(tree.rate_count):
            difference = scheme.rates[k] - velocities[k]
            square += difference * difference
            velocities[k] = scheme.rates[k]
        change, size = sqrt(square), sqrt(slope_size(mechanism, scheme.force, length))
        if settled(index, change, last, size):
            return OK
        if not change <= LOST * size:
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


@on(substep, TreeMechanism)
@routine
def substep_on_tree(mechanism: Any, scratch: Any, scheme: Any, t: float, length: float) -> int:
    """From the point, whose slope is in scheme.force, to an increment: OK, or why not."""
    tree, total = mechanism.tree, slope_length(mechanism)
    rates = tree.rate_count
    velocities = beyond(scheme.point, tree.stored_count)
    kick(tree, velocities, scheme.force, 0.5 * length, velocities, scheme.mean)
    for k in range(2 * rates, total):
        scheme.increment[k] = 0.5 * length * scheme.force[k]
    outcome = drift(tree, length, scheme.mean, scheme.start)
    if outcome != OK:
        return outcome
    for k in range(total):
        scheme.rates[k] = 0.0
    for k in range(rates):
        scheme.increment[k] = length * scheme.mean[k]
        scheme.rates[k] = scheme.increment[k]
        scheme.rates[rates + k] = scheme.start[k] - velocities[k]  # a guess that forces may see
    retract(mechanism, scheme.point, scheme.rates, scheme.trial)
    outcome = arrive(mechanism, scratch, scheme, t + length, length)
    if outcome != OK:
        return outcome
    for k in range(rates):
        new = scheme.trial[tree.stored_count + k]
        scheme.increment[rates + k] = new - velocities[k]
    for k in range(2 * rates, total):
        scheme.increment[k] += 0.5 * length * scheme.force[k]
    return OK


@on(begin, TreeMechanism)
@hot
def begin_on_tree(mechanism: Any, work: Any, scheme: Any, t: float) -> int:
    outcome: int = stage(mechanism, work, scheme.point, t, Role(0.0), scheme.force)
    count_up(scheme.tally, EVALUATED, 1)
    return outcome
