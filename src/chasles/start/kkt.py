"""The KKT matrix of a whole model in SciPy's sparse form, for what is solved once: the start."""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats, Integers, System, padded
from chasles.core.ordering import mass_matrices
from chasles.system.build import Setup

#: Solves with one factor; each takes the error of dependent rows down by orders of magnitude.
PROXIMAL_SOLVES = 6


class Rows:
    """J as blocks: (rows, 12) entries and the bodies they act on."""

    def __init__(self, entries: Floats, columns: Integers) -> None:
        self.entries = entries
        self.columns = columns  # (rows, 12), -1 for the ground
        self.shape = entries.shape

    def times(self, twists: Floats) -> Floats:
        padded = np.append(twists.ravel(), 0.0)
        return np.einsum("rc,rc->r", self.entries, padded[self.columns])

    def dense(self, count: int) -> Floats:
        """(rows, count) for `count` velocities."""
        jacobian = np.zeros((len(self.entries), count + 1))
        np.put_along_axis(jacobian, self.columns, self.entries, axis=1)
        return jacobian[:, :count]

    def sparse(self, count: int) -> Any:
        """The same as a sparse matrix in columns."""
        from scipy.sparse import csc_matrix

        index = np.repeat(np.arange(len(self.entries)), 12)
        columns = self.columns.ravel() % (count + 1)  # the ground's entries go last
        shape = (len(self.entries), count + 1)
        return csc_matrix((self.entries.ravel(), (index, columns)), shape=shape)[:, :count]


def constraint_rows(setup: Setup, jacobian: Floats) -> Rows:
    """J as blocks, without the entries that would act on the ground."""
    system = setup.system
    count, entries = system.row_count, jacobian.copy()
    lengths = padded(system.joints.rows)
    ends = np.repeat(np.column_stack((system.joints.a, system.joints.b)), lengths, axis=0)
    columns = np.where(ends[:, :, None] < 0, -1, 6 * ends[:, :, None] + np.arange(6))
    columns = columns.reshape(count, 12)
    entries[columns < 0] = 0.0
    return Rows(entries, columns)


def mass_blocks(system: System, free: Any = None) -> list[Floats]:
    """Inertia of every body about its centre of mass: (6, 6), or what is `free` (n, 6) of it."""
    blocks = list(mass_matrices(system))
    if free is None:
        return blocks
    return [block[np.ix_(some, some)] for block, some in zip(blocks, free) if some.any()]


def unit_scale(blocks: list[Floats], jacobian: Any) -> Floats:
    r"""Factors of the rows of J that make $\mathrm{diag}(J W^{-1} J^T)$ one; 1 for empty rows."""
    from scipy.sparse import block_diag

    inverse = block_diag([np.linalg.inv(block) for block in blocks], format="csc")
    own = np.asarray(jacobian.multiply(jacobian @ inverse).sum(axis=1)).ravel()
    return 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0))


class DampedKkt:
    r"""A factor for repeated solves, whether or not the rows of J are independent:

    $$ \begin{pmatrix} W & J^T \\ J & -\mu \end{pmatrix}
       \begin{pmatrix} x \\ \lambda \end{pmatrix} =
       \begin{pmatrix} f \\ r \end{pmatrix} $$

    W has the given blocks.  Rows are scaled, by `unit_scale` unless told otherwise, so that mu is a
    pure number.
    """

    def __init__(
        self, blocks: list[Floats], jacobian: Any, damping: float, scale: Floats | None = None
    ) -> None:
        from scipy import sparse
        from scipy.sparse.linalg import splu

        self.count, self.damping = jacobian.shape[1], damping
        self.scale = unit_scale(blocks, jacobian) if scale is None else scale
        scaled = sparse.diags(self.scale) @ jacobian
        self.weight = sparse.block_diag(blocks, format="csc")
        below = -damping * sparse.identity(len(self.scale), format="csc")
        self.factor = splu(sparse.bmat([[self.weight, scaled.T], [scaled, below]], format="csc"))

    def solve(self, force: Floats, rows: Floats, solves: int = PROXIMAL_SOLVES) -> Floats:
        """x with J x = rows as far as that can be: one damped solve, or the limit of several."""
        wanted, multipliers = self.scale * rows, np.zeros(len(rows))
        both = np.zeros(self.count + len(rows))
        for _ in range(solves):
            rhs = np.concatenate((force, wanted - self.damping * multipliers))
            both = self.factor.solve(rhs)
            multipliers = both[self.count :]
        return both[: self.count]
