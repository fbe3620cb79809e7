"""Rows of J, which act on body twists, as the recursion sees bodies."""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import twist6, vec3
from chasles.core.placed import pose_of
from chasles.core.recursion.tree import OMEGA, POINT, ROW, SPEED
from chasles.groups.vectors import add, cross, dot, matvec, sub
from chasles.scalars.elementary import absolute as absolute_of


@formula
def row_on_body(tree: Any, rows: Any, absolute: Any, jacobian: Any, body: int, entry: int) -> Any:
    r"""(G_n, G_f, what velocities and gravity add) of a row (j, k) of J on a body, after `place`.

    Rows of J act on body twists at the centres of mass.  $\dot\omega_b = R^T\alpha$ and
    $\dot v_b = R^T\ddot r - \omega_b\times v_b$, so

    $$ G_f = \beta = R k, \quad G_n = R j + c\times\beta, \quad
       \beta\cdot(\omega\times\dot P - g); $$

    the centripetal part of the lever c cancels.
    """
    at = body * ROW
    own, place = pose_of(absolute, body)
    arm, (j, k) = sub(place, vec3(rows, at + POINT)), twist6(jacobian, entry)
    beta = matvec(own, k)
    spin = add(matvec(own, j), cross(arm, beta))
    carried = dot(beta, cross(vec3(rows, at + OMEGA), vec3(rows, at + SPEED)))
    return spin, beta, carried - dot(beta, vec3(tree.gravity, 0))


@routine
def row_times_motion(
    tree: Any, rows: Any, absolute: Any, jacobian: Any, body: int, entry: int, column: Any
) -> Any:
    """What such a row makes of a body's motion in a column (see `refine`), and its size.

    With what velocities and gravity add behind.
    """
    spin, beta, known = row_on_body(tree, rows, absolute, jacobian, body, entry)
    at, moved, size = tree.rate_count + 6 * body, 0.0, 0.0
    for c in range(3):
        turned, shifted = spin[c] * column[at + c], beta[c] * column[at + 3 + c]
        moved += turned + shifted
        size += absolute_of(turned) + absolute_of(shifted)
    return moved, size, known
