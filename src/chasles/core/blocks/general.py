r"""Block LU along a layout, for matrices whose pattern is symmetric and whose values are not.

A node's pivot is factored, $P A = L U$ with row exchanges inside the node only; its column becomes
$A_{ik} U^{-1}$, its row $L^{-1} P A_{kj}$, and every pair of neighbours is updated.  Nodes have any
number of rows.  A slot holds the block (neighbour x node) and after it the block (node x
neighbour).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import routine
from chasles.core.arrays import Integers

FACTORED_ALL = -1
# Columns of `nodes`: rows, offset in the right-hand side, offset of the pivot, first slot,
# number of slots, first target.
SIZE, RHS, PIVOT, FIRST_SLOT, SLOTS, FIRST_TARGET = range(6)
NODE_WIDTH = 6
# Columns of `slots`.
NEIGHBOUR, BLOCK = 0, 1
SLOT_WIDTH = 2


class BlockLayout(NamedTuple):
    """Where blocks of a factor lie.  Positions count nodes in the order of elimination."""

    nodes: Integers  # (K, NODE_WIDTH): see the column names above
    slots: Integers  # (S, 2): neighbour's position, offset of its blocks with the node
    targets: Integers  # offsets of the blocks that all pairs of slots of a node update, row by row
    places: dict[tuple[int, int], int]  # offset of the block of two nodes
    size: int  # length of the factor
    products: int  # multiplications of one factorisation, about


def lay_out(
    sizes: Integers, offsets: Integers, order: Iterable[int], edges: Iterable[tuple[int, int]]
) -> BlockLayout:
    """The factor of a graph whose nodes are eliminated in some order: neighbours become those of
    each other.
    """
    order, rows = list(order), sizes.tolist()
    position = {node: k for k, node in enumerate(order)}
    near: list[set[int]] = [set() for _ in order]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    places: dict[tuple[int, int], int] = {}
    slots: list[tuple[int, int]] = []
    nodes, columns, size, pairs, products = [], [], 0, 0, 0
    for node in order:
        later, own = sorted(near[node] - {node}, key=position.__getitem__), rows[node]
        nodes.append((own, offsets[node], size, len(slots), len(later), pairs))
        places[node, node] = size
        size += own * own
        for other in later:
            near[other].update(later)
            near[other].discard(node)
            slots.append((position[other], size))
            places[other, node], places[node, other] = size, size + own * rows[other]
            size += 2 * own * rows[other]
        below = sum(rows[other] for other in later)
        # Both triangles: twice what a symmetric matrix takes.
        products += 2 * (own**3 // 3 + own * own * below + own * below * (below + 1) // 2)
        columns.append(later)
        pairs += len(later) ** 2
    targets = [places[p, q] for later in columns for p in later for q in later]
    return BlockLayout(
        np.array(nodes, np.int64).reshape(-1, NODE_WIDTH),
        np.array(slots, np.int64).reshape(-1, SLOT_WIDTH),
        np.array(targets, np.int64), places, size, products,
    )  # fmt: skip


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
def factor_blocks(layout: Any, values: Any, swaps: Any) -> int:
    """Factor in place: FACTORED_ALL, or the position of the node whose pivot is singular.

    `layout` has nodes, slots, targets and the number of nodes; all arrays are borrowed.
    """
    nodes, slots = layout.nodes, layout.slots
    for k in range(layout.node_count):
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
                take_product(values, layout.targets[target], rows, columns, left, right, n)
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
def solve_blocks(layout: Any, values: Any, swaps: Any, rhs: Any) -> None:
    """Solve with the factor, in place."""
    nodes, slots = layout.nodes, layout.slots
    for k in range(layout.node_count):
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
    for back in range(layout.node_count):
        node = (layout.node_count - 1 - back) * NODE_WIDTH
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
