"""Rows of J, which act on body twists, as the recursion sees bodies."""

from typing import Any

from chasles.compiled import formula
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, mat9, vec3
from chasles.core.recursion.tree import OMEGA, POINT, ROW, SPEED
from chasles.groups.vectors import add, cross, dot, matvec, sub


@formula
def row_on_body(rows: Any, absolute: Any, jacobian: Any, body: int, entry: int) -> Any:
    r"""(G_n, G_f, what velocities add) of a row (j, k) of J on a body, after `place`.

    Rows of J act on body twists at the centres of mass.  $\dot\omega_b = R^T\alpha$ and
    $\dot v_b = R^T\ddot r - \omega_b\times v_b$, so

    $$ G_f = \beta = R k, \quad G_n = R j + c\times\beta, \quad \beta\cdot(\omega\times\dot P); $$

    the centripetal part of the lever c cancels.
    """
    at = body * ROW
    own = mat9(absolute, body * ABSOLUTE_WIDTH + POSE_R)
    arm = sub(vec3(absolute, body * ABSOLUTE_WIDTH + POSE_X), vec3(rows, at + POINT))
    beta = matvec(own, vec3(jacobian, entry + 3))
    spin = add(matvec(own, vec3(jacobian, entry)), cross(arm, beta))
    return spin, beta, dot(beta, cross(vec3(rows, at + OMEGA), vec3(rows, at + SPEED)))
