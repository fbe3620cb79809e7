r"""From a tangent vector to a neighbouring point: what every Lie-group scheme is made of.

A scheme knows points (charts and integrals), slopes $F = (U, \dot U)$ there, and how both combine:

$$ x \to x\,\tau(\Phi), \qquad k = d\tau^{-1}_{-\Phi} F . $$

The map $\tau$ is data of the space: exp, or the Cayley map.  Velocities and integrals live in a
vector space, where $\tau$ is addition.  A slope has SLOPE_WIDTH numbers per body (of the pose, then
of the velocity), then one per integral.
"""

from math import nan
from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import (
    CHART_WIDTH,
    POSITION,
    ROTATION,
    SE3_CODE,
    SO3XR3_CODE,
    VELOCITY,
    put3,
    put4,
    put_twist,
    twist6,
    vec3,
    vec4,
)
from chasles.core.confinement import confine_velocities
from chasles.core.full_turns import commute, near_full_turn
from chasles.core.outcomes import OK, TURNED
from chasles.core.seam import seam
from chasles.core.state_block import CARRY_WIDTH
from chasles.groups.se3 import (
    se3_bracket,
    se3_cay,
    se3_compose,
    se3_dcay_inv,
    se3_dexp_inv,
    se3_exp,
)
from chasles.groups.so3 import so3_normalise
from chasles.groups.so3xr3 import (
    so3xr3_bracket,
    so3xr3_cay,
    so3xr3_compose,
    so3xr3_dcay_inv,
    so3xr3_dexp_inv,
    so3xr3_exp,
)
from chasles.groups.vectors import axpy, neg
from chasles.scalars.errorfree import compensated

SLOPE_WIDTH = 12
# Bodies.map.  TRUNCATED + q: exp, with dexp^-1 summed up to q brackets (see `truncated_back`).
EXP, CAYLEY, TRUNCATED = 0, 1, 2
#: B_k / k! of dexp^-1, with Bernoulli's numbers.
BERNOULLI = (1.0, -1.0 / 2.0, 1.0 / 12.0, 0.0, -1.0 / 720.0, 0.0, 1.0 / 30240.0)
#: A code that no group has leads nowhere, and the step that used it fails.
NOWHERE = ((nan, nan, nan, nan), (nan, nan, nan))
NO_TWIST = ((nan, nan, nan), (nan, nan, nan))


@formula
def retracted(group: int, tau: int, pose: Any, increment: Any) -> Any:
    """pose * tau(increment) in the group of a chart."""
    if group == SE3_CODE:
        if tau == CAYLEY:
            return se3_compose(pose, se3_cay(increment))
        return se3_compose(pose, se3_exp(increment))
    elif group == SO3XR3_CODE:
        if tau == CAYLEY:
            return so3xr3_compose(pose, so3xr3_cay(increment))
        return so3xr3_compose(pose, so3xr3_exp(increment))
    return NOWHERE


@formula
def pulled_back(group: int, tau: int, increment: Any, velocity: Any) -> Any:
    r"""$d\tau^{-1}_{-\Phi} U$: the rate of the increment while the body moves with U."""
    back = (neg(increment[0]), neg(increment[1]))
    if group == SE3_CODE:
        if tau == EXP:
            return se3_dexp_inv(back, velocity)
        if tau == CAYLEY:
            return se3_dcay_inv(back, velocity)
    elif group == SO3XR3_CODE:
        if tau == EXP:
            return so3xr3_dexp_inv(back, velocity)
        if tau == CAYLEY:
            return so3xr3_dcay_inv(back, velocity)
    if tau >= TRUNCATED:
        return truncated_back(group, tau - TRUNCATED, back, velocity)
    return NO_TWIST


@routine
def truncated_back(group: int, order: int, at: Any, velocity: Any) -> Any:
    r"""$\sum_{k\le q} \frac{B_k}{k!}\,\mathrm{ad}_X^k U$: dexp^-1 in part, to see what it does."""
    spin, slide = velocity
    term = velocity
    for k in range(1, order + 1):
        term = bracket(group, at, term)
        spin, slide = axpy(BERNOULLI[k], term[0], spin), axpy(BERNOULLI[k], term[1], slide)
    return spin, slide


@formula
def bracket(group: int, a: Any, b: Any) -> Any:
    """[a, b] in the algebra of a chart."""
    return se3_bracket(a, b) if group == SE3_CODE else so3xr3_bracket(a, b)


@seam
@formula
def slope_length(mechanism: Any) -> int:
    """How many numbers a slope has."""
    system = mechanism.system
    return SLOPE_WIDTH * system.body_count + system.quadrature_count + 2


@seam
@hot
def retract(mechanism: Any, point: Any, increment: Any, out: Any) -> None:
    """out = point * tau(increment), integrals included."""
    system, bodies = mechanism.system, mechanism.system.bodies
    for body in range(system.body_count):
        at, into = body * CHART_WIDTH, body * SLOPE_WIDTH
        pose = (vec4(point, at + ROTATION), vec3(point, at + POSITION))
        q, rho = retracted(bodies.group[body], bodies.map[body], pose, twist6(increment, into))
        put4(out, at + ROTATION, q)
        put3(out, at + POSITION, rho)
        for c in range(6):
            out[at + VELOCITY + c] = point[at + VELOCITY + c] + increment[into + 6 + c]
    add_integrals(system, point, increment, out)


@hot
def add_integrals(system: Any, point: Any, increment: Any, out: Any) -> None:
    """Integrals grow by their increments."""
    at, into = CHART_WIDTH * system.body_count, SLOPE_WIDTH * system.body_count
    for k in range(system.quadrature_count + 2):
        out[at + k] = point[at + k] + increment[into + k]


@seam
@hot
def pull_back(mechanism: Any, increment: Any, slope: Any) -> int:
    """The slope of a point at `increment`, in place, as a slope of the increment: OK or TURNED."""
    system, bodies = mechanism.system, mechanism.system.bodies
    outcome = OK
    for body in range(system.body_count):
        at = body * SLOPE_WIDTH
        group, tau = bodies.group[body], bodies.map[body]
        if tau == EXP and mechanism.confinement.commutes[body] != 0:
            continue  # dexp^-1 is 1
        turn, velocity = twist6(increment, at), twist6(slope, at)
        if tau == EXP and near_full_turn(turn[0]):
            if commute(group, turn, velocity):
                continue
            outcome = TURNED
        put_twist(slope, at, pulled_back(group, tau, turn, velocity))
    return outcome


@seam
@hot
def finish(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """out = point * tau(increment), rounded once per step and not at all on average.

    Positions and velocities carry what rounding took from them into the next step, and products of
    unit quaternions get their length back, so that joints stay closed over millions of steps.
    """
    system, bodies = mechanism.system, mechanism.system.bodies
    for body in range(system.body_count):
        at, into, carried = body * CHART_WIDTH, body * SLOPE_WIDTH, body * CARRY_WIDTH
        turn = (vec4(point, at + ROTATION), (0.0, 0.0, 0.0))
        q, shift = retracted(bodies.group[body], bodies.map[body], turn, twist6(increment, into))
        put4(out, at + ROTATION, so3_normalise(q))
        for c in range(3):
            out[at + POSITION + c], carry_out[carried + c] = compensated(
                point[at + POSITION + c], carry[carried + c], shift[c]
            )
        for c in range(6):
            out[at + VELOCITY + c], carry_out[carried + 3 + c] = compensated(
                point[at + VELOCITY + c], carry[carried + 3 + c], increment[into + 6 + c]
            )
    confine_velocities(system, mechanism.confinement, out)
    add_integrals(system, point, increment, out)


@hot
def combine(weights: Any, first: int, count: int, step: float, slopes: Any, length: int,
            out: Any) -> None:  # fmt: skip
    """out = step * sum_l weights[first + l] slopes_l; `slopes` holds `length` numbers each."""
    begun = False
    for stage in range(count):
        weight, at = step * weights[first + stage], stage * length
        if weight != 0.0 and begun:
            for k in range(length):
                out[k] += weight * slopes[at + k]
        elif weight != 0.0:
            begun = True
            for k in range(length):
                out[k] = weight * slopes[at + k]
    if not begun:
        for k in range(length):
            out[k] = 0.0
