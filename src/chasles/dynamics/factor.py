r"""Block LDL^T of the KKT matrix along a `Plan`, and solves with it.

Right-looking: a node's pivot block is factored, $A = L D L^T$ with unit L, its column is solved,
$X = A_{ik} L^{-T}$, scaled, $X D^{-1}$, and every pair of neighbours is updated.  Pivots of bodies are positive,
those of joints negative; a joint pivot that vanishes is a dependent constraint.

Pivots and blocks are stored row by row; the diagonal of a factored pivot holds $1/D$.
"""

from typing import Any

from chasles.compiled import routine
from chasles.dynamics.ordering import (
    BLOCK,
    FACTORED,
    FIRST_SLOT,
    FIRST_TARGET,
    NEIGHBOUR,
    NODE_WIDTH,
    PIVOT,
    RHS,
    SIZE,
    SLOTS,
    SLOT_WIDTH,
)
from chasles.system.arrays import BODY_A, ENDS_WIDTH, FIRST_ROW, ROW_WIDTH, ROWS


OK = -1


@routine
def factor_pivot(values: Any, at: int, size: int) -> None:
    """LDL^T of a size x size block in place."""
    for j in range(size):
        row_j = at + j * size
        d = values[row_j + j]
        for k in range(j):
            # Row j holds L_jk D_k until its own turn, when it becomes L_jk.
            product = values[row_j + k]
            scaled = product * values[at + k * size + k]
            d -= product * scaled
            values[row_j + k] = scaled
        values[row_j + j] = 1.0 / d
        for i in range(j + 1, size):
            row_i = at + i * size
            entry = values[row_i + j]
            for k in range(j):
                entry -= values[row_i + k] * values[row_j + k]
            values[row_i + j] = entry


@routine
def solve_block(values: Any, at: int, size: int, block: int, rows: int, kept: Any, base: int) -> None:
    """X = A L^-T into `kept`, X D^-1 into the block's place."""
    for r in range(rows):
        row, out = block + r * size, base + r * size
        for j in range(size):
            entry = values[row + j]
            for k in range(j):
                entry -= kept[out + k] * values[at + j * size + k]
            kept[out + j] = entry
        for j in range(size):
            values[row + j] = kept[out + j] * values[at + j * size + j]


@routine
def update_block(values: Any, target: int, left: int, rows: int, kept: Any, right: int,
                 columns: int, size: int, lower: bool) -> None:
    """target -= (X_p D^-1) X_q^T; only the lower triangle of a pivot."""
    for r in range(rows):
        for c in range(r + 1 if lower else columns):
            entry = values[target + r * columns + c]
            for k in range(size):
                entry -= values[left + r * size + k] * kept[right + c * size + k]
            values[target + r * columns + c] = entry


@routine
def eliminate_node(nodes: Any, slots: Any, targets: Any, position: int, size: int,
                   values: Any, kept: Any, rhs: Any) -> None:
    """Factor one pivot, solve its column, update its neighbours, and forward the right-hand side."""
    at, own = nodes[position * NODE_WIDTH + PIVOT], nodes[position * NODE_WIDTH + RHS]
    first, count = nodes[position * NODE_WIDTH + FIRST_SLOT], nodes[position * NODE_WIDTH + SLOTS]
    target = nodes[position * NODE_WIDTH + FIRST_TARGET]
    if nodes[position * NODE_WIDTH + FACTORED] == 0:
        factor_pivot(values, at, size)
    for j in range(size):
        entry = rhs[own + j]
        for k in range(j):
            entry -= values[at + j * size + k] * rhs[own + k]
        rhs[own + j] = entry
    base = 0
    for p in range(first, first + count):
        row_node, left = slots[p * SLOT_WIDTH + NEIGHBOUR], slots[p * SLOT_WIDTH + BLOCK]
        rows, theirs = nodes[row_node * NODE_WIDTH + SIZE], nodes[row_node * NODE_WIDTH + RHS]
        solve_block(values, at, size, left, rows, kept, base)
        right = 0
        for q in range(first, p):
            columns = nodes[slots[q * SLOT_WIDTH + NEIGHBOUR] * NODE_WIDTH + SIZE]
            update_block(values, targets[target], left, rows, kept, right, columns, size, False)
            right += columns * size
            target += 1
        update_block(values, targets[target], left, rows, kept, base, rows, size, True)
        target += 1
        for r in range(rows):
            entry = rhs[theirs + r]
            for k in range(size):
                entry -= values[left + r * size + k] * rhs[own + k]
            rhs[theirs + r] = entry
        base += rows * size
    for j in range(size):
        rhs[own + j] *= values[at + j * size + j]


@routine
def substitute_back(nodes: Any, slots: Any, position: int, size: int, values: Any, rhs: Any) -> None:
    """L^T x = y for one node, all later ones being solved."""
    at, own = nodes[position * NODE_WIDTH + PIVOT], nodes[position * NODE_WIDTH + RHS]
    first = nodes[position * NODE_WIDTH + FIRST_SLOT]
    for p in range(first, first + nodes[position * NODE_WIDTH + SLOTS]):
        row_node, left = slots[p * SLOT_WIDTH + NEIGHBOUR], slots[p * SLOT_WIDTH + BLOCK]
        rows, theirs = nodes[row_node * NODE_WIDTH + SIZE], nodes[row_node * NODE_WIDTH + RHS]
        for r in range(rows):
            known = rhs[theirs + r]
            for j in range(size):
                rhs[own + j] -= values[left + r * size + j] * known
    for back in range(size):
        j = size - 1 - back
        entry = rhs[own + j]
        for i in range(j + 1, size):
            entry -= values[at + i * size + j] * rhs[own + i]
        rhs[own + j] = entry


@routine
def load(system: Any, plan: Any, jacobian: Any, values: Any) -> None:
    """The KKT matrix: inertia and zeros from the template, J from its rows."""
    for k in range(plan.size):
        values[k] = plan.template[k]
    for joint in range(system.joint_count):
        at = joint * ENDS_WIDTH
        first, rows = system.joint_bodies[at + FIRST_ROW], system.joint_bodies[at + ROWS]
        for side in range(2):
            if system.joint_bodies[at + BODY_A + side] >= 0:
                block = plan.row_blocks[4 * joint + 2 * side]
                down = plan.row_blocks[4 * joint + 2 * side + 1]
                across = 1 if down == 6 else rows
                for r in range(rows):
                    for c in range(6):
                        entry = jacobian[(first + r) * ROW_WIDTH + 6 * side + c]
                        values[block + r * down + c * across] = entry


@routine
def factor_and_solve(plan: Any, unknowns: int, values: Any, kept: Any, floors: Any, rhs: Any) -> int:
    """Factor the loaded matrix and solve for (V', lambda) in place of (Q, eta).

    Returns OK, or the number of the constraint row whose pivot vanished.
    """
    nodes, slots, targets, count = plan.nodes, plan.slots, plan.targets, plan.node_count
    for position in range(count):
        size = nodes[position * NODE_WIDTH + SIZE]
        if size == 6:
            eliminate_node(nodes, slots, targets, position, 6, values, kept, rhs)
        elif size == 3:
            eliminate_node(nodes, slots, targets, position, 3, values, kept, rhs)
        elif size == 5:
            eliminate_node(nodes, slots, targets, position, 5, values, kept, rhs)
        else:
            eliminate_node(nodes, slots, targets, position, size, values, kept, rhs)
        row = nodes[position * NODE_WIDTH + RHS] - unknowns
        if row >= 0:
            at = nodes[position * NODE_WIDTH + PIVOT]
            for j in range(size):
                # 1/D of a joint is negative and not huge; NaN fails both.
                inverse = values[at + j * size + j]
                if not (inverse < 0.0 and -inverse * floors[row + j] < 1.0):
                    return row + j
    for back in range(count):
        position = count - 1 - back
        size = nodes[position * NODE_WIDTH + SIZE]
        if size == 6:
            substitute_back(nodes, slots, position, 6, values, rhs)
        elif size == 3:
            substitute_back(nodes, slots, position, 3, values, rhs)
        else:
            substitute_back(nodes, slots, position, size, values, rhs)
    return OK
