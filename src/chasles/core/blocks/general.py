r"""Block LU along a layout, for matrices whose pattern is symmetric and whose values are not.

A node's pivot is factored, $P A = L U$ with row exchanges inside the node only; its column becomes
$A_{ik} U^{-1}$, its row $L^{-1} P A_{kj}$, and every pair of neighbours is updated.  Nodes have any
number of rows.  A slot holds the block (neighbour x node) and after it the block (node x
neighbour).
"""

from typing import Any

import numpy as np

from chasles.compiled import borrow, kernel, routine
from chasles.core.blocks.layout import (
    BLOCK,
    FIRST_SLOT,
    FIRST_TARGET,
    NEIGHBOUR,
    NODE_WIDTH,
    PIVOT,
    RHS,
    SIZE,
    SLOT_WIDTH,
    SLOTS,
    block_offset,
)

FACTORED_ALL = -1


@kernel("a block matrix", seconds=2)
def lay_out_general(sizes: Any, offsets: Any, order: Any, pointers: Any, neighbours: Any) -> Any:
    """(nodes, slots, targets, position, length of the factor), as `lay_out` but with whole pivots.

    Targets are those of all pairs of slots of a node, row by row.
    """
    count = order.size
    position = np.empty(count, np.int64)
    for k in range(count):
        position[order[k]] = k
    nodes = np.zeros((count, NODE_WIDTH), np.int64)
    slots = np.empty((neighbours.size, 2), np.int64)
    size, pairs = 0, 0
    for k in range(count):
        node, first, last = order[k], pointers[k], pointers[k + 1]
        nodes[k, SIZE], nodes[k, RHS], nodes[k, PIVOT] = sizes[node], offsets[node], size
        nodes[k, FIRST_SLOT], nodes[k, SLOTS] = first, last - first
        nodes[k, FIRST_TARGET] = pairs
        pairs += (last - first) * (last - first)
        size += sizes[node] * sizes[node]
        for s in range(first, last):
            slots[s, NEIGHBOUR], slots[s, BLOCK] = position[neighbours[s]], size
            size += 2 * sizes[neighbours[s]] * sizes[node]
    targets = np.empty(pairs, np.int64)
    u = 0
    for k in range(count):
        for p in range(pointers[k], pointers[k + 1]):
            for q in range(pointers[k], pointers[k + 1]):
                targets[u] = place_of(nodes, slots, slots[p, NEIGHBOUR], slots[q, NEIGHBOUR])
                u += 1
    return nodes, slots, targets, position, size


@routine
def place_of(nodes: Any, slots: Any, row: int, column: int) -> int:
    """Offset of the block (row, column), both as positions."""
    if row == column:
        return nodes[row, PIVOT]
    if row > column:
        return block_offset(nodes, slots, column, row)
    return block_offset(nodes, slots, row, column) + nodes[row, SIZE] * nodes[column, SIZE]


@routine
def factor_pivot(values: Any, at: int, n: int, swaps: Any, own: int) -> bool:
    """L and U of a pivot in its place, by rows; whether it is regular."""
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(values[at + r * n + c]) > abs(values[at + best * n + c]):
                best = r
        swaps[own + c] = best
        if best != c:
            for k in range(n):
                values[at + c * n + k], values[at + best * n + k] = (
                    values[at + best * n + k],
                    values[at + c * n + k],
                )
        pivot = values[at + c * n + c]
        if not abs(pivot) > 0.0:  # NaN, too
            return False
        for r in range(c + 1, n):
            values[at + r * n + c] /= pivot
            for k in range(c + 1, n):
                values[at + r * n + k] -= values[at + r * n + c] * values[at + c * n + k]
    return True


@routine
def solve_lower(
    values: Any, at: int, n: int, swaps: Any, own: int, x: Any, to: int, by: int
) -> None:
    """L^-1 P x for n entries of x from `to` on, `by` apart."""
    for r in range(n):
        other = swaps[own + r]
        if other != r:
            x[to + r * by], x[to + other * by] = x[to + other * by], x[to + r * by]
    for r in range(n):
        for k in range(r):
            x[to + r * by] -= values[at + r * n + k] * x[to + k * by]


@routine
def solve_row(values: Any, at: int, n: int, to: int) -> None:
    """A row of n entries from `to` on, times U^-1."""
    for c in range(n):
        for k in range(c):
            values[to + c] -= values[to + k] * values[at + k * n + c]
        values[to + c] /= values[at + c * n + c]


@routine
def factor_blocks(plan: Any, values: Any, swaps: Any) -> int:
    """Factor in place: FACTORED_ALL, or the position of the node whose pivot is singular.

    `plan` has nodes, slots, targets and the number of nodes; all arrays are borrowed.
    """
    nodes, slots = plan.nodes, plan.slots
    for k in range(plan.node_count):
        node = k * NODE_WIDTH
        n, at, own = nodes[node + SIZE], nodes[node + PIVOT], nodes[node + RHS]
        if not factor_pivot(values, at, n, swaps, own):
            return k
        first = nodes[node + FIRST_SLOT]
        last = first + nodes[node + SLOTS]
        for s in range(first, last):
            lower = slots[SLOT_WIDTH * s + BLOCK]
            rows = nodes[slots[SLOT_WIDTH * s + NEIGHBOUR] * NODE_WIDTH + SIZE]
            for r in range(rows):
                solve_row(values, at, n, lower + r * n)
                solve_lower(values, at, n, swaps, own, values, lower + rows * n + r, rows)
        target = nodes[node + FIRST_TARGET]
        for p in range(first, last):
            left = slots[SLOT_WIDTH * p + BLOCK]
            rows = nodes[slots[SLOT_WIDTH * p + NEIGHBOUR] * NODE_WIDTH + SIZE]
            for q in range(first, last):
                columns = nodes[slots[SLOT_WIDTH * q + NEIGHBOUR] * NODE_WIDTH + SIZE]
                right = slots[SLOT_WIDTH * q + BLOCK] + columns * n
                take_product(values, plan.targets[target], rows, columns, left, right, n)
                target += 1
    return FACTORED_ALL


@routine
def take_product(
    values: Any, to: int, rows: int, columns: int, left: int, right: int, n: int
) -> None:
    """Take the product of two blocks, (rows x n) and (n x columns), from a third."""
    for r in range(rows):
        for c in range(columns):
            total = 0.0
            for j in range(n):
                total += values[left + r * n + j] * values[right + j * columns + c]
            values[to + r * columns + c] -= total


@routine
def solve_blocks(plan: Any, values: Any, swaps: Any, rhs: Any) -> None:
    """Solve with the factor, in place."""
    nodes, slots = plan.nodes, plan.slots
    for k in range(plan.node_count):
        node = k * NODE_WIDTH
        n, at, own = nodes[node + SIZE], nodes[node + PIVOT], nodes[node + RHS]
        solve_lower(values, at, n, swaps, own, rhs, own, 1)
        first = nodes[node + FIRST_SLOT]
        for s in range(first, first + nodes[node + SLOTS]):
            other, lower = (
                slots[SLOT_WIDTH * s + NEIGHBOUR] * NODE_WIDTH,
                slots[SLOT_WIDTH * s + BLOCK],
            )
            theirs = nodes[other + RHS]
            for r in range(nodes[other + SIZE]):
                for j in range(n):
                    rhs[theirs + r] -= values[lower + r * n + j] * rhs[own + j]
    for back in range(plan.node_count):
        node = (plan.node_count - 1 - back) * NODE_WIDTH
        n, at, own = nodes[node + SIZE], nodes[node + PIVOT], nodes[node + RHS]
        first = nodes[node + FIRST_SLOT]
        for s in range(first, first + nodes[node + SLOTS]):
            other = slots[SLOT_WIDTH * s + NEIGHBOUR] * NODE_WIDTH
            theirs, columns = nodes[other + RHS], nodes[other + SIZE]
            upper = slots[SLOT_WIDTH * s + BLOCK] + columns * n
            for r in range(n):
                for c in range(columns):
                    rhs[own + r] -= values[upper + r * columns + c] * rhs[theirs + c]
        for step in range(n):
            r = n - 1 - step
            for c in range(r + 1, n):
                rhs[own + r] -= values[at + r * n + c] * rhs[own + c]
            rhs[own + r] /= values[at + r * n + r]


@kernel("a block matrix", seconds=2)
def factor_general(layout: Any, values: Any, swaps: Any) -> int:
    """`factor_blocks` for Python."""
    return factor_blocks(borrow(layout), borrow(values), borrow(swaps))


@kernel("a block matrix", seconds=2)
def solve_general(layout: Any, values: Any, swaps: Any, rhs: Any) -> None:
    """`solve_blocks` for Python."""
    solve_blocks(borrow(layout), borrow(values), borrow(swaps), borrow(rhs))
