r"""Block LDL^T along a layout, and solves with it; nodes have three or six rows.

Right-looking: a node's pivot is factored, $A = L D L^T$ with unit L, its column is solved,
$X = A_{ik} L^{-T}$, scaled to $X D^{-1}$, and every pair of neighbours is updated.  The right-hand
side goes along.  All arithmetic on blocks is written out (see `small`).
"""

from typing import Any

from chasles.compiled import hot, routine
from chasles.core.blocks.layout import (
    BLOCK,
    FACTORED,
    FIRST_SLOT,
    FIRST_TARGET,
    NEIGHBOUR,
    NODE_WIDTH,
    PIVOT,
    RHS,
    SIZE,
    SLOT_WIDTH,
    SLOTS,
)
from chasles.core.blocks.small import (
    backward3,
    backward6,
    dot3,
    dot6,
    forward3,
    forward6,
    get3,
    get6,
    get_triangle3,
    get_triangle6,
    ldl3,
    ldl6,
    minus_scaled3,
    minus_scaled6,
    put_row3,
    put_row6,
    put_triangle3,
    put_triangle6,
    scale3,
    scale6,
)


@hot
def factored_pivot(values: Any, node: Any, nodes: Any, get: Any, put: Any, ldl: Any) -> Any:
    """The factor of a node's pivot, computed unless the template held it already."""
    at = nodes[node + PIVOT]
    if nodes[node + FACTORED] != 0:
        return get(values, at)
    factor = ldl(get(values, at))
    put(values, at, factor)
    return factor


@hot
def update_triangle(
    values: Any,
    target: int,
    left: int,
    kept: Any,
    right: int,
    rows: int,
    size: int,
    get: Any,
    dot: Any,
) -> None:
    """A pivot loses X_p D^-1 X_p^T."""
    for r in range(rows):
        x = get(values, left + r * size)
        for c in range(r + 1):
            values[target] -= dot(x, get(kept, right + c * size))
            target += 1


@hot
def update_block(
    values: Any,
    target: int,
    left: int,
    kept: Any,
    right: int,
    rows: int,
    columns: int,
    size: int,
    get: Any,
    dot: Any,
) -> None:
    """A block loses X_p D^-1 X_q^T."""
    for r in range(rows):
        x = get(values, left + r * size)
        for c in range(columns):
            values[target] -= dot(x, get(kept, right + c * size))
            target += 1


@hot
def eliminate_node(
    plan: Any,
    node: int,
    values: Any,
    kept: Any,
    rhs: Any,
    size: int,
    factor: Any,
    get: Any,
    put: Any,
    forward: Any,
    scale: Any,
    dot: Any,
) -> None:
    """Solve one column, update the neighbours, and forward the right-hand side."""
    nodes, slots = plan.nodes, plan.slots
    own, target = nodes[node + RHS], nodes[node + FIRST_TARGET]
    first, count = nodes[node + FIRST_SLOT], nodes[node + SLOTS]
    y = forward(factor, get(rhs, own))
    put(rhs, own, scale(factor, y))
    base = 0
    for p in range(first, first + count):
        neighbour, left = slots[p * SLOT_WIDTH + NEIGHBOUR], slots[p * SLOT_WIDTH + BLOCK]
        rows = nodes[neighbour * NODE_WIDTH + SIZE]
        theirs = nodes[neighbour * NODE_WIDTH + RHS]
        for r in range(rows):
            x = forward(factor, get(values, left + r * size))
            scaled = scale(factor, x)
            put(kept, base + r * size, x)
            put(values, left + r * size, scaled)
            rhs[theirs + r] -= dot(scaled, y)
        right = 0
        for q in range(first, p):
            columns = nodes[slots[q * SLOT_WIDTH + NEIGHBOUR] * NODE_WIDTH + SIZE]
            update_block(
                values, plan.targets[target], left, kept, right, rows, columns, size, get, dot
            )
            right += columns * size
            target += 1
        update_triangle(values, plan.targets[target], left, kept, base, rows, size, get, dot)
        target += 1
        base += rows * size


@routine
def substitute_forward(
    plan: Any, node: int, values: Any, rhs: Any, size: int, factor: Any,
    get: Any, put: Any, forward: Any, scale: Any, dot: Any,
) -> None:  # fmt: skip
    """L y = b for one node of a factored matrix."""
    nodes, slots = plan.nodes, plan.slots
    own, first = nodes[node + RHS], nodes[node + FIRST_SLOT]
    y = forward(factor, get(rhs, own))
    put(rhs, own, scale(factor, y))
    for p in range(first, first + nodes[node + SLOTS]):
        neighbour, left = slots[p * SLOT_WIDTH + NEIGHBOUR], slots[p * SLOT_WIDTH + BLOCK]
        theirs = nodes[neighbour * NODE_WIDTH + RHS]
        for r in range(nodes[neighbour * NODE_WIDTH + SIZE]):
            rhs[theirs + r] -= dot(get(values, left + r * size), y)


@hot
def substitute_back(
    plan: Any,
    node: int,
    values: Any,
    rhs: Any,
    size: int,
    factor: Any,
    get: Any,
    put: Any,
    backward: Any,
    minus_scaled: Any,
) -> None:
    """L^T x = y for one node, all later ones being solved."""
    nodes, slots = plan.nodes, plan.slots
    own, first = nodes[node + RHS], nodes[node + FIRST_SLOT]
    x = get(rhs, own)
    for p in range(first, first + nodes[node + SLOTS]):
        neighbour, left = slots[p * SLOT_WIDTH + NEIGHBOUR], slots[p * SLOT_WIDTH + BLOCK]
        theirs = nodes[neighbour * NODE_WIDTH + RHS]
        for r in range(nodes[neighbour * NODE_WIDTH + SIZE]):
            x = minus_scaled(x, rhs[theirs + r], get(values, left + r * size))
    put(rhs, own, backward(factor, x))


@hot
def factor_node(plan: Any, position: int, values: Any, kept: Any, rhs: Any) -> None:
    """Factor the pivot of a node, solve its column, update its neighbours."""
    node = position * NODE_WIDTH
    if plan.nodes[node + SIZE] == 6:
        six = factored_pivot(values, node, plan.nodes, get_triangle6, put_triangle6, ldl6)
        eliminate_node(
            plan, node, values, kept, rhs, 6, six, get6, put_row6, forward6, scale6, dot6
        )
    else:
        three = factored_pivot(values, node, plan.nodes, get_triangle3, put_triangle3, ldl3)
        eliminate_node(
            plan, node, values, kept, rhs, 3, three, get3, put_row3, forward3, scale3, dot3
        )


@hot
def solve_backward(plan: Any, values: Any, rhs: Any) -> None:
    """L^T x = y for all nodes."""
    for back in range(plan.node_count):
        node = (plan.node_count - 1 - back) * NODE_WIDTH
        if plan.nodes[node + SIZE] == 6:
            six = get_triangle6(values, plan.nodes[node + PIVOT])
            substitute_back(
                plan, node, values, rhs, 6, six, get6, put_row6, backward6, minus_scaled6
            )
        else:
            three = get_triangle3(values, plan.nodes[node + PIVOT])
            substitute_back(
                plan, node, values, rhs, 3, three, get3, put_row3, backward3, minus_scaled3
            )


@routine
def solve_factored(plan: Any, values: Any, rhs: Any) -> None:
    """Solve with the factor that `factor_and_solve` left, in place."""
    for position in range(plan.node_count):
        node = position * NODE_WIDTH
        if plan.nodes[node + SIZE] == 6:
            six = get_triangle6(values, plan.nodes[node + PIVOT])
            substitute_forward(
                plan, node, values, rhs, 6, six, get6, put_row6, forward6, scale6, dot6
            )
        else:
            three = get_triangle3(values, plan.nodes[node + PIVOT])
            substitute_forward(
                plan, node, values, rhs, 3, three, get3, put_row3, forward3, scale3, dot3
            )
    solve_backward(plan, values, rhs)
