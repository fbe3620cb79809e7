"""A sparse matrix of blocks, for callers in Python: put blocks, factor, solve."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from chasles.core.arrays import Floats, Integers


class BlockMatrix:
    r"""A square matrix of blocks on a graph; of a pair (i, j) that no edge joins both are zero.

    sizes      rows of every node
    edges      (E, 2) pairs of nodes; those named twice count once
    symmetric  of a block and its transpose only one is put, and pivots are taken from the diagonal:
               there is a factor if the matrix is definite, or if no leading minor vanishes

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
        own = np.repeat(np.arange(len(self.sizes))[:, None], 2, axis=1)
        blocks = np.concatenate([own, pairs[:, ::-1]] + ([] if symmetric else [pairs]))
        below, across = blocks.T
        wide = self.sizes[across]
        lengths = self.sizes[below] * wide
        starts = np.cumsum(lengths) - lengths
        self.places = dict(zip(map(tuple, blocks.tolist()), starts.tolist()))
        of = np.repeat(np.arange(len(blocks)), lengths)
        slot = np.arange(len(of))
        inside = slot - starts[of]
        rows = self.offsets[below[of]] + inside // wide[of]
        columns = self.offsets[across[of]] + inside % wide[of]
        if symmetric:
            twice = below[of] != across[of]
            slot = np.concatenate((slot, slot[twice]))
            rows, columns = (
                np.concatenate((rows, columns[twice])),
                np.concatenate((columns, rows[twice])),
            )
        #: Which number of `values` every entry is.
        self.pattern = csc_array((slot, (rows, columns)), shape=(int(self.sizes.sum()),) * 2)
        self.values = np.zeros(len(of))
        self.factored: Any = None

    def clear(self) -> None:
        """All blocks zero again."""
        self.values[:] = 0.0

    def put_block(self, row: int, column: int, block: Floats) -> None:
        """Add to the block of two nodes; in a symmetric matrix, its transpose goes along."""
        block = np.asarray(block)[None]
        np.add.at(self.values, self.spread(np.array([row]), np.array([column]), block.shape), block)

    def spread(self, rows: Integers, columns: Integers, shape: tuple[int, ...]) -> Integers:
        """Where every entry of a stack of blocks (m, r, c) goes."""
        high, wide = shape[1:]
        r, c = np.indices((high, wide))
        swapped = self.symmetric & (rows < columns)
        known = np.where(swapped, columns, rows), np.where(swapped, rows, columns)
        start = np.array([self.places[pair] for pair in zip(*(part.tolist() for part in known))])
        inside = np.where(swapped[:, None, None], c * high + r, r * wide + c)
        return np.asarray(start[:, None, None] + inside)

    def factor(self) -> bool:
        """Factor what was put; whether all pivots are regular."""
        matrix = csc_array(
            (self.values[self.pattern.data], self.pattern.indices, self.pattern.indptr),
            shape=self.pattern.shape,
        )
        self.factored = None
        if not np.isfinite(self.values).all():
            return False
        try:
            self.factored = splu(
                matrix, "MMD_AT_PLUS_A" if self.symmetric else "COLAMD",
                diag_pivot_thresh=0.0 if self.symmetric else 1.0,
                options={"SymmetricMode": self.symmetric},
            )  # fmt: skip
        except RuntimeError:  # exactly singular
            return False
        return bool(np.isfinite(self.pivots).all())

    def solve(self, rhs: Floats) -> Floats:
        """The solution for a right-hand side, in the order of the nodes as given."""
        return np.asarray(self.factored.solve(np.array(rhs, float)))

    @property
    def pivots(self) -> Floats:
        """D of a factored matrix, in the order of elimination."""
        return np.asarray(self.factored.U.diagonal())

    @property
    def inertia(self) -> tuple[int, int]:
        """How many eigenvalues of a factored symmetric matrix are positive, and negative."""
        if self.factored is None:
            return 0, 0
        pivots = self.pivots
        return int(np.sum(pivots > 0.0)), int(np.sum(pivots < 0.0))
