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


class Layout(NamedTuple):
    """Where blocks of a factor lie.  Positions count nodes in the order of elimination."""

    nodes: Integers  # (K, NODE_WIDTH): see the column names above
    slots: Integers  # (S, 2): neighbour's position, offset of its blocks with the node
    targets: Integers  # offsets of the blocks that all pairs of slots of a node update, row by row
    places: dict[tuple[int, int], int]  # offset of the block of two nodes
    size: int  # length of the factor
    products: int  # multiplications of one factorisation, about


def lay_out(
    sizes: Integers, offsets: Integers, order: Iterable[int], edges: Iterable[tuple[int, int]]
) -> Layout:
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
    nodes, slots, columns, size, pairs, products = [], [], [], 0, 0, 0
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
    return Layout(
        np.array(nodes, np.int64).reshape(-1, NODE_WIDTH),
        np.array(slots, np.int64).reshape(-1, SLOT_WIDTH),
        np.array(targets, np.int64), places, size, products,
    )  # fmt: skip



