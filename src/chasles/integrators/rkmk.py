r"""Runge-Kutta-Munthe-Kaas: any explicit tableau on the group of every body's space.

With the state X = (q, U) and $X(t) = X_0 \exp(\Phi)$, a step of length h is

$$ \Psi_j = h\sum_l a_{jl} k_l, \quad X_j = X_0\exp(\Psi_j), \quad
   k_j = \mathrm{dexp}^{-1}_{-\Psi_j} F(X_j), \quad X_1 = X_0\exp\bigl(h\sum_j b_j k_j\bigr), $$

F = (U, U').  Velocities live in a vector space, where exp is addition.  The joint of a lower pair keeps U in a
subalgebra, dexp^-1 maps it to itself and exp into the subgroup: the joint holds to rounding.
"""

from typing import Any

import numpy as np

from chasles.compiled import formula, kernel
from chasles.dynamics.evaluate import evaluate
from chasles.dynamics.factor import OK
from chasles.groups.se3 import se3_compose, se3_dexp_inv, se3_exp
from chasles.groups.so3 import so3_normalise
from chasles.groups.so3xr3 import so3xr3_compose, so3xr3_dexp_inv, so3xr3_exp
from chasles.groups.vectors import neg
from chasles.system.arrays import (
    FRAME_POINT,
    GROUP,
    POSE_R,
    POSITION,
    REFERENCE,
    ROTATION,
    SE3_CODE,
    TWIST,
    VELOCITY,
    mat9,
    put3,
    put4,
    put_twist,
    twist6,
    vec3,
    vec4,
)
from chasles.system.charts import chart_acceleration, grounded_acceleration


@formula
def moved(group: int, pose: Any, increment: Any) -> Any:
    """pose * exp(increment) in the chart's group, with the quaternion brought back to length 1."""
    if group == SE3_CODE:
        q, rho = se3_compose(pose, se3_exp(increment))
    else:
        q, rho = so3xr3_compose(pose, so3xr3_exp(increment))
    return so3_normalise(q), rho


@formula
def pulled_back(group: int, increment: Any, velocity: Any) -> Any:
    """dexp^-1 at -increment of the velocity: the slope of a Munthe-Kaas method."""
    back = (neg(increment[0]), neg(increment[1]))
    if group == SE3_CODE:
        return se3_dexp_inv(back, velocity)
    return so3xr3_dexp_inv(back, velocity)


@kernel
def move_state(body_spaces: Any, chart: Any, weights: Any, slopes: Any, stages: int, step: float,
               increments: Any, out: Any) -> None:
    """out = chart * exp(step * sum weights_l slopes_l); the increments are kept for dexp^-1."""
    for body in range(chart.shape[0]):
        for c in range(6):
            increments[body, c] = 0.0
            out[body, VELOCITY + c] = chart[body, VELOCITY + c]
        for l in range(stages):
            weight = step * weights[l]
            if weight != 0.0:
                for c in range(6):
                    increments[body, c] += weight * slopes[l, body, c]
                    out[body, VELOCITY + c] += weight * slopes[l, body, 6 + c]
        pose = (vec4(chart, body, ROTATION), vec3(chart, body, POSITION))
        q, rho = moved(body_spaces[body, GROUP], pose, twist6(increments, body, 0))
        put4(out, body, ROTATION, q)
        put3(out, body, POSITION, rho)


@kernel
def slope(bodies: Any, body_spaces: Any, chart: Any, absolute: Any, turn: Any, rates: Any,
          increments: Any, out: Any) -> None:
    """(dexp^-1 U, U') of every body from the body accelerations in `rates`."""
    for body in range(bodies.shape[0]):
        group, reference = body_spaces[body, GROUP], body_spaces[body, REFERENCE]
        point = vec3(bodies, body, FRAME_POINT)
        velocity, twist = twist6(chart, body, VELOCITY), twist6(absolute, body, TWIST)
        rate = rate_of(rates, body)
        if reference < 0:
            acceleration = grounded_acceleration(group, twist, rate, mat9(absolute, body, POSE_R), point)
        else:
            acceleration = chart_acceleration(
                group, velocity, twist, rate, mat9(turn, body, 0), vec3(chart, body, POSITION), point,
                twist6(absolute, reference, TWIST), rate_of(rates, reference),
            )
        put_twist(out, body, 0, pulled_back(group, twist6(increments, body, 0), velocity))
        put_twist(out, body, 6, acceleration)


@formula
def rate_of(rates: Any, body: int) -> Any:
    """Twist rate of a body from the solution vector."""
    at = 6 * body
    return (rates[at], rates[at + 1], rates[at + 2]), (rates[at + 3], rates[at + 4], rates[at + 5])


@kernel
def rkmk_step(system: Any, plan: Any, work: Any, a: Any, b: Any, slopes: Any, increments: Any,
              stage: Any, chart: Any, step: float, out: Any) -> int:
    """One step from `chart` to `out` (which may not be the same array); OK or the singular row."""
    stages = b.size
    for j in range(stages):
        move_state(system.body_spaces, chart, a[j], slopes, j, step, increments, stage)
        failed = evaluate(system, plan, work, stage)
        if failed != OK:
            return failed
        slope(
            system.bodies, system.body_spaces, stage, work.absolute, work.turn, work.rhs,
            increments, slopes[j],
        )
    move_state(system.body_spaces, chart, b, slopes, stages, step, increments, out)
    return OK


@kernel
def rkmk_steps(system: Any, plan: Any, work: Any, a: Any, b: Any, slopes: Any, increments: Any,
               stage: Any, chart: Any, step: float, steps: int, spare: Any) -> Any:
    """Advance `chart` in place by `steps` steps: (steps done, OK or the singular row or NOT_FINITE).

    On failure `chart` is the last good state.
    """
    for done in range(steps):
        failed = rkmk_step(
            system, plan, work, a, b, slopes, increments, stage, chart, step, spare
        )
        if failed != OK:
            return done, failed
        if not np.isfinite(np.sum(spare)):
            return done, NOT_FINITE
        chart[:] = spare
    return steps, OK


NOT_FINITE = -2
