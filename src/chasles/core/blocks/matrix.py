"""The owner of a matrix of blocks, for callers in Python: put blocks, factor, solve."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.compiled import borrow, kernel
from chasles.core.arrays import Floats, Integers
from chasles.core.blocks.elimination import eliminate_graph
from chasles.core.blocks.general import FACTORED_ALL, factor_general, lay_out_general, solve_general
from chasles.core.blocks.layout import (
    BLOCK,
    FIRST_SLOT,
    NEIGHBOUR,
    PIVOT,
    SIZE,
    SLOTS,
    Layout,
    lay_out,
)
from chasles.core.blocks.symmetric import factor_node, solve_factored


@kernel("a block matrix", seconds=2)
def factor_symmetric(layout: Any, values: Any, kept: Any, rhs: Any) -> None:
    """L D L^T in place, without a look at the pivots."""
    plan, factor, scratch, right = borrow(layout), borrow(values), borrow(kept), borrow(rhs)
    for position in range(plan.node_count):
        factor_node(plan, position, factor, scratch, right)


@kernel("a block matrix", seconds=2)
def solve_symmetric(layout: Any, values: Any, rhs: Any) -> None:
    """Solve with that factor, in place."""
    solve_factored(borrow(layout), borrow(values), borrow(rhs))


class BlockMatrix:
    r"""A square matrix of blocks on a graph; of a pair (i, j) that no edge joins both are zero.

    sizes      rows of every node; three or six in a symmetric matrix, any number otherwise
    edges      (E, 2) pairs of nodes; those named twice count once
    symmetric  $L D L^T$, and of a block and its transpose only one is put; otherwise $L U$, with
               row exchanges inside a node

    Neither looks for pivots beyond a node: a symmetric matrix has a factor if it is definite, or
    if its nodes come in an order that keeps pivots regular.

    >>> matrix = BlockMatrix([3, 3], [(0, 1)])
    >>> for node in (0, 1):
    ...     matrix.put_block(node, node, 2.0 * np.eye(3))
    >>> matrix.put_block(1, 0, np.eye(3))
    >>> matrix.factor()
    True
    >>> matrix.solve(np.ones(6)).round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333, 0.333333333333, 0.333333333333, 0.333333333333]
    >>> matrix.inertia
    (6, 0)
    """

    def __init__(self, sizes: ArrayLike, edges: ArrayLike, symmetric: bool = True) -> None:
        self.sizes = np.array(sizes, np.int64)
        self.offsets: Integers = np.concatenate(([0], np.cumsum(self.sizes)))[:-1]
        self.symmetric = symmetric
        pairs = np.sort(np.array(edges, np.int64).reshape(-1, 2), axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
        order, pointers, neighbours, self.flops, _ = eliminate_graph(self.sizes, pairs)
        if symmetric:
            nodes, slots, targets, position, size, kept = lay_out(
                self.sizes, self.offsets, order, pointers, neighbours
            )
        else:
            nodes, slots, targets, position, size = lay_out_general(
                self.sizes, self.offsets, order, pointers, neighbours
            )
            kept = 0
        self.layout = Layout(nodes, slots, targets, position, len(nodes), int(size), int(kept) + 1)
        self.values = np.zeros(int(size))
        self.swaps = np.zeros(int(self.sizes.sum()), np.int64)
        row = np.concatenate([np.arange(size) for size in nodes[:, SIZE]])
        starts = np.repeat(nodes[:, PIVOT], nodes[:, SIZE])
        self.diagonal = starts + row * (row + 3) // 2  # of the triangles of a symmetric matrix
        self.places = {(k, k): int(nodes[k, PIVOT]) for k in range(len(nodes))}
        for k, node in enumerate(nodes):
            for slot in slots[node[FIRST_SLOT] : node[FIRST_SLOT] + node[SLOTS]]:
                self.places[int(slot[NEIGHBOUR]), k] = int(slot[BLOCK])

    def clear(self) -> None:
        """All blocks zero again."""
        self.values[:] = 0.0

    def put_block(self, row: int, column: int, block: Floats) -> None:
        """Add to the block of two nodes; in a symmetric matrix, its transpose goes along."""
        self.put_blocks(np.array([row]), np.array([column]), np.asarray(block)[None])

    def put_blocks(self, rows: Integers, columns: Integers, blocks: Floats) -> None:
        """Add a stack of blocks (m, r, c), all of the same shape."""
        np.add.at(self.values, *self.spread(rows, columns, blocks))

    def spread(self, rows: Integers, columns: Integers, blocks: Floats) -> tuple[Any, Any]:
        """Where every entry of a stack goes, and the entries."""
        below, across = self.layout.position[rows], self.layout.position[columns]
        high, wide = blocks.shape[1:]
        r, c = np.indices((high, wide))
        later = below >= across
        corner = [
            self.places[max(i, j), min(i, j)] for i, j in zip(below.tolist(), across.tolist())
        ]
        by_rows, by_columns = r * wide + c, c * high + r
        if not self.symmetric:
            start = np.where(later, corner, np.array(corner) + high * wide)
            return start[:, None, None] + by_rows, blocks
        start = np.array(corner)[:, None, None]
        places = start + np.where(later[:, None, None], by_rows, by_columns)
        own = (below == across)[:, None, None]
        triangle = np.broadcast_to(start + r * (r + 1) // 2 + c, places.shape)
        return np.where(own, np.where(c <= r, triangle, 0), places), np.where(
            own & (c > r), 0.0, blocks
        )

    def factor(self) -> bool:
        """Factor what was put, in its place; whether all pivots are regular."""
        if self.symmetric:
            count = int(self.sizes.sum())
            kept = np.zeros(self.layout.kept)
            factor_symmetric(self.layout, self.values, kept, np.zeros(count))
            return bool(np.isfinite(self.pivots).all())
        return bool(factor_general(self.layout, self.values, self.swaps) == FACTORED_ALL)

    def solve(self, rhs: Floats) -> Floats:
        """The solution for a right-hand side, in the order of the nodes as given."""
        out = np.array(rhs, float)
        if self.symmetric:
            solve_symmetric(self.layout, self.values, out)
        else:
            solve_general(self.layout, self.values, self.swaps, out)
        return out

    @property
    def pivots(self) -> Floats:
        """1/D of a factored symmetric matrix, in the order of elimination."""
        return self.values[self.diagonal]

    @property
    def inertia(self) -> tuple[int, int]:
        """How many eigenvalues of a factored symmetric matrix are positive, and negative."""
        pivots = self.pivots
        return int(np.sum(pivots > 0.0)), int(np.sum(pivots < 0.0))
