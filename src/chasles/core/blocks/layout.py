"""Where every pivot and block of a factor lies, from the order of elimination."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import kernel, routine
from chasles.core.arrays import Integers

# Columns of `nodes`: rows, offset in the right-hand side, offset of the pivot, first slot,
# number of slots, first target, whether the template holds the pivot's factor.
SIZE, RHS, PIVOT, FIRST_SLOT, SLOTS, FIRST_TARGET, FACTORED = 0, 1, 2, 3, 4, 5, 6
NODE_WIDTH = 7
# Columns of `slots`.
NEIGHBOUR, BLOCK = 0, 1
SLOT_WIDTH = 2


class Layout(NamedTuple):
    """The structure of a factor.  Positions count nodes in the order of elimination."""

    nodes: Integers  # (K, NODE_WIDTH): see the column names above
    slots: Integers  # (S, 2): neighbour's position, offset of its block (neighbour x node)
    targets: Integers  # (U,): offset of the block that a pair of slots updates
    position: Integers  # (K,) of every node
    node_count: int
    size: int  # length of the factor
    kept: int  # length of the scratch that holds one column


@kernel("the layout of the factor", seconds=0.5, plain=(4_000, 40_000))
def lay_out(sizes: Any, offsets: Any, order: Any, pointers: Any, neighbours: Any) -> Any:
    """Where every pivot and block of the factor lies.

    Returns (nodes, slots, targets, position, length of the factor, length of the longest column).
    """
    count = order.size
    position = np.empty(count, np.int64)
    for k in range(count):
        position[order[k]] = k
    nodes = np.zeros((count, 7), np.int64)
    slots = np.empty((neighbours.size, 2), np.int64)
    size, pairs, tallest = 0, 0, 0
    for k in range(count):
        node, first, last = order[k], pointers[k], pointers[k + 1]
        nodes[k, SIZE], nodes[k, RHS] = sizes[node], offsets[node]
        nodes[k, PIVOT], nodes[k, FIRST_SLOT], nodes[k, SLOTS] = size, first, last - first
        nodes[k, FIRST_TARGET] = pairs
        size += sizes[node] * (sizes[node] + 1) // 2
        pairs += (last - first) * (last - first + 1) // 2
        column_start = size
        for s in range(first, last):  # sorted by position, by insertion
            later, place = position[neighbours[s]], s
            while place > first and slots[place - 1, NEIGHBOUR] > later:
                slots[place, NEIGHBOUR] = slots[place - 1, NEIGHBOUR]
                place -= 1
            slots[place, NEIGHBOUR] = later
        for s in range(first, last):
            slots[s, BLOCK] = size
            size += sizes[order[slots[s, NEIGHBOUR]]] * sizes[node]
        tallest = max(tallest, size - column_start)
    targets = np.empty(pairs, np.int64)
    u = 0
    for k in range(count):
        first, last = pointers[k], pointers[k + 1]
        for p in range(first, last):
            row = slots[p, NEIGHBOUR]
            for q in range(first, p):
                targets[u] = block_offset(nodes, slots, slots[q, NEIGHBOUR], row)
                u += 1
            targets[u] = nodes[row, PIVOT]
            u += 1
    return nodes, slots, targets, position, size, tallest


@routine
def block_offset(nodes: Any, slots: Any, column: int, row: int) -> int:
    """Offset of the block (row, column), both as positions, row after column."""
    first = nodes[column, FIRST_SLOT]
    for s in range(first, first + nodes[column, SLOTS]):
        if slots[s, NEIGHBOUR] == row:
            return slots[s, BLOCK]
    return -1
