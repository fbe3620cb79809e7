"""Twists, and other unknowns, under constraint rows in some metric: a damped sparse factor."""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats

#: Solves with one factor at the most; each takes the error down by orders of magnitude, but for
#: rows that nearly depend on others: of these it takes one away.
PROXIMAL_SOLVES = 12
#: What is left and cannot be reduced by more than this fraction of it is a contradiction.
CONTRADICTED = 0.1
#: A correction of this fraction is rounding.
NOTHING = 1e-16


def joined(blocks: Any) -> Any:
    """Blocks along the diagonal of a sparse matrix."""
    from scipy.sparse import block_diag

    return block_diag([*blocks, np.zeros((0, 0))], format="csc")  # also of none


def inverses(blocks: list[Floats]) -> Any:
    """The inverse of a matrix of such blocks."""
    return joined([np.linalg.inv(block) for block in blocks])


def unit_scale(inverse: Any, jacobian: Any) -> Floats:
    r"""Factors of the rows of J that make $\mathrm{diag}(J W^{-1} J^T)$ one; 1 for empty rows."""
    own = np.asarray(jacobian.multiply(jacobian @ inverse).sum(axis=1)).ravel()
    return 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0))


class DampedKkt:
    r"""A factor for repeated solves, whether or not the rows of J are independent:

    $$ \begin{pmatrix} W & J^T \\ J & -\mu \end{pmatrix}
       \begin{pmatrix} x \\ \lambda \end{pmatrix} =
       \begin{pmatrix} f \\ r \end{pmatrix} $$

    Rows are scaled, by `unit_scale` say, so that mu is a pure number.
    """

    def __init__(self, weight: Any, jacobian: Any, damping: float, scale: Floats) -> None:
        from scipy import sparse
        from scipy.sparse.linalg import splu

        self.count, self.damping = jacobian.shape[1], damping
        self.weight, self.scale = weight, scale
        scaled = sparse.diags(self.scale) @ jacobian
        below = -damping * sparse.identity(len(self.scale), format="csc")
        self.factor = splu(sparse.bmat([[self.weight, scaled.T], [scaled, below]], format="csc"))

    def solve(self, force: Floats, rows: Floats, solves: int = PROXIMAL_SOLVES) -> Floats:
        """x with J x = rows as far as that can be: one damped solve, or the limit of several."""
        return self.solve_both(force, rows, solves)[0]

    def solve_both(
        self, force: Floats, rows: Floats, solves: int = PROXIMAL_SOLVES
    ) -> tuple[Floats, Floats]:
        r"""The same, and the multipliers.

        Conjugate residuals, as in `core.recursion.refine.converge`: what a damped solve leaves
        is $r = -\mu\lambda$, and a solve for r yields $(\delta, \delta\lambda)$ with
        $J\delta = r + \mu\,\delta\lambda$.
        """
        both = self.factor.solve(np.concatenate((force, self.scale * rows)))
        left = -self.damping * both[self.count :]
        search, gain = np.zeros_like(both), np.zeros_like(left)
        for _ in range(solves - 1):
            step = self.factor.solve(np.concatenate((np.zeros(self.count), left)))
            taken = left + self.damping * step[self.count :]
            if not taken @ taken > CONTRADICTED**2 * (left @ left):
                break
            share = (taken @ gain) / (gain @ gain) if gain.any() else 0.0
            search, gain = step - share * search, taken - share * gain
            if not gain @ gain > 0.0:  # too small to be squared
                break
            length = (left @ gain) / (gain @ gain)
            both, left = both + length * search, left - length * gain
            moved = np.abs(length * search[: self.count]).max(initial=0.0)
            if moved <= NOTHING * np.abs(both[: self.count]).max(initial=0.0):
                break
        return both[: self.count], self.scale * both[self.count :]
