r"""How pose, velocity and acceleration of a body follow from the unknowns of a step.

The unknowns are accelerations $\dot U$ of the chart, here as $y = A\,\delta\dot U$, twists of the
body.  On a chart against the ground, with T = dexp at $-h\Delta q$,

$$ \xi = g_2\,A\,T A^{-1} y, \qquad \nu = g_1 y + (0,\; c\times\xi_\omega), $$
$$ \alpha = y + \bigl(0,\; Q^T\dot u\times\xi_\omega - g_1 y_\omega\times c - \omega\times\delta c
   \bigr), \qquad \delta c = g_1 (y_v + y_\omega\times p) + c\times\xi_\omega, $$

c = $Q^T u$ being the velocity of the chart's point in body axes, on SO(3)xR3; on SE(3), whose
velocities are the body's own, $\nu = g_1 y$ and $\alpha = y$.  On charts against other bodies and
on joint subgroups $\xi = g_2 y$, $\nu = g_1 y$, $\alpha = y$ are taken: Newton's iteration gains
half the angle of a step there, and squares its error on the others.
"""

from typing import Any

from chasles.compiled import formula, hot, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    SE3_CODE,
    mat9,
    twist6,
    vec3,
)
from chasles.core.assemble import twist_of
from chasles.core.charts import chart_velocity, grounded_twist
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.retraction import SLOPE_WIDTH
from chasles.core.seam import on, seam
from chasles.groups.se3 import se3_dexp
from chasles.groups.so3 import so3_dexp
from chasles.groups.vectors import add, axpy, cross, neg, scale, sub, tmatvec

ZERO = (0.0, 0.0, 0.0)
STILL = (ZERO, ZERO)
#: Matrices (6, 6) of xi, nu and alpha, one after the other.
POSE_WAY, TWIST_WAY, RATE_WAY, WAYS_WIDTH = 0, 36, 72, 108


@formula
def pose_way(group: int, own: Any, way: Any) -> Any:
    """T(way) own: how the end of an increment moves as the increment changes by `own`."""
    back = (neg(way[0]), neg(way[1]))
    if group == SE3_CODE:
        return se3_dexp(back, own)
    return so3_dexp(back[0], own[0]), own[1]


@routine
def chart_ways(mechanism: Any, scratch: Any, room: Any, body: int, y: Any, factors: Any) -> Any:
    """(xi, nu, alpha) of a body on a chart against the ground, for one y."""
    bodies, (g_1, g_2) = mechanism.system.bodies, factors
    group, p = bodies.group[body], vec3(bodies.frame_point, 3 * body)
    turn = mat9(scratch.absolute, body * ABSOLUTE_WIDTH + POSE_R)
    own = chart_velocity(group, y, turn, ZERO, p, STILL)
    moved = pose_way(group, own, twist6(room.increment, SLOPE_WIDTH * body))
    xi = grounded_twist(group, (scale(g_2, moved[0]), scale(g_2, moved[1])), turn, p)
    nu = (scale(g_1, y[0]), scale(g_1, y[1]))
    if group == SE3_CODE:
        return xi, nu, y
    omega, v = twist_of(scratch.absolute, body)
    c = add(v, cross(omega, p))
    pull = tmatvec(turn, vec3(room.unknown, 6 * body + 3))
    slip = cross(c, xi[0])
    grown = add(scale(g_1, add(y[1], cross(y[0], p))), slip)
    push = sub(cross(pull, xi[0]), axpy(g_1, cross(y[0], c), cross(omega, grown)))
    return xi, (nu[0], add(nu[1], slip)), (y[0], add(y[1], push))


@seam
@hot
def put_ways(mechanism: Any, scratch: Any, room: Any, ways: Any, factors: Any) -> None:
    """Matrices of all bodies (n, WAYS_WIDTH)."""
    system = mechanism.system
    for body in range(system.body_count):
        put_plain_ways(ways, body, factors)
        if system.bodies.reference[body] >= 0:
            continue
        for k in range(6):
            y = (
                (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)),
                (1.0 * (k == 3), 1.0 * (k == 4), 1.0 * (k == 5)),
            )
            found = chart_ways(mechanism, scratch, room, body, y, factors)
            for r in range(3):
                at = body * WAYS_WIDTH + 6 * r + k
                for part in range(3):
                    ways[at + 36 * part] = found[part][0][r]
                    ways[at + 36 * part + 18] = found[part][1][r]


@routine
def put_plain_ways(ways: Any, body: int, factors: Any) -> None:
    """xi = g_2 y, nu = g_1 y, alpha = y."""
    at = body * WAYS_WIDTH
    for k in range(WAYS_WIDTH):
        ways[at + k] = 0.0
    for k in range(6):
        ways[at + POSE_WAY + 7 * k] = factors[1]
        ways[at + TWIST_WAY + 7 * k] = factors[0]
        ways[at + RATE_WAY + 7 * k] = 1.0


@hot
def put_tree_ways(mechanism: Any, scratch: Any, room: Any, ways: Any, factors: Any) -> None:
    for body in range(mechanism.system.body_count):
        put_plain_ways(ways, body, factors)


for kind in (TreeMechanism, LoopMechanism):
    on(put_ways, kind)(put_tree_ways)
