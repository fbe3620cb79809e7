r"""How pose, velocity and acceleration of a body follow from the unknowns of a step.

The unknowns are rates of velocities of the pairs, here as twists y of the body in its own axes at
its centre of mass.  A pair of three or six dimensions on the ground stores the velocity u of its
point P, and turns by omega; with c the lever from P to the centre of mass, and T = dexp at
$-h\Delta q$,

$$ (w, u) = (y_\omega,\; y_v - y_\omega\times c), \qquad
   \xi = g_2\,(T_\omega,\; T_u + T_\omega\times c), \qquad (T_\omega, T_u) = T (w, u) . $$

On SE(3), and for balls, velocities are the body's own, $\nu = g_1 y$ and $\alpha = y$.  On
SO(3)xR3 P has a velocity in the world; with $\dot P$ and $\ddot P$ in the axes of the body,

$$ \nu = g_1 y + (0,\; \dot P\times\xi_\omega), \qquad
   \alpha = y + \bigl(0,\; \ddot P\times\xi_\omega - g_1 y_\omega\times\dot P
   - \omega\times(g_1 u + \dot P\times\xi_\omega)\bigr) . $$

On other pairs $\xi = g_2 y$, $\nu = g_1 y$, $\alpha = y$ are taken: Newton's iteration gains half
the angle of a step there, and squares its error on these.
"""

from typing import Any

from chasles.compiled import beyond, formula, hot, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, clear, mat9, vec3
from chasles.core.placed import twist_of
from chasles.core.recursion.tree import FREE, SE3_PAIR, SPHERICAL
from chasles.core.terms import unit
from chasles.groups.se3 import se3_dexp
from chasles.groups.so3 import so3_dexp
from chasles.groups.vectors import add, axpy, cross, matvec, neg, scale, sub, tmatvec

#: Matrices (6, 6) of xi, nu and alpha, one after the other.
POSE_PART, TWIST_PART, RATE_PART, PARTIALS_WIDTH = 0, 36, 72, 108


@formula
def moved_by(pair: int, increment: Any, at: int, own: Any) -> Any:
    """T own: how the end of an increment moves as the increment changes by `own`."""
    back = neg(vec3(increment, at))
    if pair == SE3_PAIR:
        return se3_dexp((back, neg(vec3(increment, at + 3))), own)
    return so3_dexp(back, own[0]), own[1]


@routine
def grounded_partials(
    mechanism: Any, workspace: Any, iteration: Any, body: int, y: Any, factors: Any
) -> Any:
    """(xi, nu, alpha) of a body on the ground that turns freely, for one y."""
    tree, (g_1, g_2) = mechanism.tree, factors
    pair, k, axes = tree.pair[body], tree.rate_at[body], mat9(tree.axes, 9 * body)
    c = vec3(tree.centre, 3 * body)
    turn = tmatvec(axes, y[0])
    u = sub(tmatvec(axes, y[1]), cross(turn, c))
    moved = moved_by(pair, iteration.increment, k, (turn, u))
    spin = scale(g_2, matvec(axes, moved[0]))
    slide = scale(g_2, matvec(axes, add(moved[1], cross(moved[0], c))))
    nu = (scale(g_1, y[0]), scale(g_1, y[1]))
    if pair != FREE:
        return (spin, slide), nu, y
    omega, v = twist_of(workspace.absolute, body)
    speed = sub(v, cross(omega, matvec(axes, c)))
    own = mat9(workspace.absolute, body * ABSOLUTE_WIDTH + POSE_R)
    pull, slip = tmatvec(own, vec3(iteration.unknown, k + 3)), cross(speed, spin)
    grown = axpy(g_1, matvec(axes, u), slip)
    push = sub(cross(pull, spin), axpy(g_1, cross(y[0], speed), cross(omega, grown)))
    return (spin, slide), (nu[0], add(nu[1], slip)), (y[0], add(y[1], push))


@hot
def put_partials(
    mechanism: Any, workspace: Any, iteration: Any, partials: Any, factors: Any
) -> None:
    """Matrices of all bodies (n, PARTIALS_WIDTH), at the bodies placed in the workspace."""
    tree = mechanism.tree
    for body in range(tree.body_count):
        put_plain_partials(partials, body, factors)
        pair = tree.pair[body]
        if tree.base[body] >= 0 or pair not in (SPHERICAL, FREE, SE3_PAIR):
            continue
        for k in range(6):
            y = (unit(k), unit(k - 3))
            found = grounded_partials(mechanism, workspace, iteration, body, y, factors)
            for r in range(3):
                at = body * PARTIALS_WIDTH + 6 * r + k
                for part in range(3):
                    partials[at + 36 * part] = found[part][0][r]
                    partials[at + 36 * part + 18] = found[part][1][r]


@routine
def put_plain_partials(partials: Any, body: int, factors: Any) -> None:
    """xi = g_2 y, nu = g_1 y, alpha = y."""
    at = body * PARTIALS_WIDTH
    clear(beyond(partials, at), PARTIALS_WIDTH)
    for k in range(6):
        partials[at + POSE_PART + 7 * k] = factors[1]
        partials[at + TWIST_PART + 7 * k] = factors[0]
        partials[at + RATE_PART + 7 * k] = 1.0
