r"""The KKT matrix loaded and factored along a `Plan`.

Pivots of bodies are positive, those of joints negative; a joint pivot that vanishes is a dependent
constraint.  A joint with other than three or six rows is padded by rows "-lambda = 0".
"""

from typing import Any

from chasles.compiled import hot, routine
from chasles.core.arrays import ROW_WIDTH, body_of
from chasles.core.blocks.layout import NODE_WIDTH, PIVOT, RHS, SIZE
from chasles.core.blocks.small import get6, put_row6
from chasles.core.blocks.symmetric import factor_node, solve_backward, solve_factored
from chasles.core.outcomes import OK

__all__ = ["OK", "factor_and_solve", "load", "solve_factored"]


@hot
def load(system: Any, plan: Any, jacobian: Any, values: Any) -> None:
    """The KKT matrix: inertia and zeros from the template, J from its rows."""
    for k in range(plan.size):
        values[k] = plan.template[k]
    for joint in range(system.joint_count):
        first, rows = system.joints.first_row[joint], system.joints.rows[joint]
        for side in range(2):
            if body_of(system.joints, joint, side) >= 0:
                block = plan.row_blocks[4 * joint + 2 * side]
                across = plan.row_blocks[4 * joint + 2 * side + 1]
                for r in range(rows):
                    row = get6(jacobian, (first + r) * ROW_WIDTH + 6 * side)
                    if across == 1:
                        put_row6(values, block + 6 * r, row)
                    else:
                        for c in range(6):
                            values[block + r + c * across] = row[c]


@routine
def singular_row(plan: Any, node: int, unknowns: int, values: Any, floors: Any) -> int:
    """OK, or the constraint row of a joint node whose pivot vanished."""
    at, row = plan.nodes[node + PIVOT], plan.nodes[node + RHS] - unknowns
    for j in range(plan.nodes[node + SIZE]):
        at += j
        # 1/D of a joint is negative and not huge; NaN fails both.
        inverse = values[at]
        if not (inverse < 0.0 and -inverse * floors[row + j] < 1.0):
            return row + j
        at += 1
    return OK


@hot
def factor_and_solve(
    plan: Any, unknowns: int, values: Any, kept: Any, floors: Any, rhs: Any
) -> int:
    """Factor the loaded matrix and solve for (V', lambda) in place of (Q, eta).

    Returns OK, or the number of the constraint row whose pivot vanished.
    """
    for position in range(plan.node_count):
        factor_node(plan, position, values, kept, rhs)
        node = position * NODE_WIDTH
        if plan.nodes[node + RHS] >= unknowns:
            singular = singular_row(plan, node, unknowns, values, floors)
            if singular != OK:
                return singular
    solve_backward(plan, values, rhs)
    return OK
