"""The KKT matrix of a whole model in SciPy's sparse form, for what is solved once: the start."""

from typing import Any

import numpy as np

from chasles.build.system.build import Setup, rotor_places
from chasles.build.system.coupled import coupled_matrix, coupled_places
from chasles.core.arrays import Floats, Integers, System, padded

#: Solves with one factor at the most; each takes the error down by orders of magnitude, but for
#: rows that nearly depend on others: of these it takes one away.
PROXIMAL_SOLVES = 12
#: What is left and cannot be reduced by more than this fraction of it is a contradiction.
CONTRADICTED = 0.1
#: Weight of a frame without mass, as a fraction of the lightest body's.
FEATHER = 1e-9
#: A correction of this fraction is rounding.
NOTHING = 1e-16


class Rows:
    """J as blocks: (rows, 12) entries and the bodies they act on; couplings act on any number."""

    def __init__(self, entries: Floats, columns: Integers, coupled: Any = None) -> None:
        self.entries = entries
        self.columns = columns  # (rows, 12), -1 for the ground
        self.coupled = coupled  # (rows, 6 n) sparse, or None: what couplings add
        self.shape = entries.shape

    def some(self, rows: Integers) -> "Rows":
        """Some of the rows."""
        coupled = None if self.coupled is None else self.coupled[rows]
        return Rows(self.entries[rows], self.columns[rows], coupled)

    def times(self, twists: Floats) -> Floats:
        padded = np.append(twists.ravel(), 0.0)
        found = np.einsum("rc,rc->r", self.entries, padded[self.columns])
        return found if self.coupled is None else found + self.coupled @ twists.ravel()

    def sizes(self) -> Floats:
        """(rows, 2) sums of the entries' sizes, on angular and on linear velocities."""
        found: Floats = np.abs(self.entries).reshape(-1, 2, 2, 3).sum(axis=(1, 3))
        if self.coupled is not None:
            found = found + np.abs(self.coupled.toarray()).reshape(len(found), -1, 2, 3).sum(
                axis=(1, 3)
            )
        return found

    def dense(self, count: int) -> Floats:
        """(rows, count) for `count` velocities."""
        jacobian = np.zeros((len(self.entries), count + 1))
        np.put_along_axis(jacobian, self.columns, self.entries, axis=1)
        if self.coupled is not None:
            jacobian[:, :count] += self.coupled.toarray()
        return jacobian[:, :count]

    def sparse(self, count: int) -> Any:
        """The same as a sparse matrix in columns."""
        from scipy.sparse import csc_matrix

        index = np.repeat(np.arange(len(self.entries)), 12)
        columns = self.columns.ravel() % (count + 1)  # the ground's entries go last
        shape = (len(self.entries), count + 1)
        found = csc_matrix((self.entries.ravel(), (index, columns)), shape=shape)[:, :count]
        return found if self.coupled is None else (found + self.coupled).tocsc()


def constraint_rows(setup: Setup, jacobian: Floats, absolute: Floats | None = None) -> Rows:
    """J as blocks, without the entries that would act on the ground.

    With couplings, if the poses (n, 18) are given, at which J is known.
    """
    system = setup.system
    count, entries = system.row_count, jacobian.copy()
    lengths = padded(system.joints.span)
    ends = np.repeat(np.column_stack((system.joints.a, system.joints.b)), lengths, axis=0)
    columns = np.where(ends[:, :, None] < 0, -1, 6 * ends[:, :, None] + np.arange(6))
    columns = columns.reshape(count, 12)
    entries[columns < 0] = 0.0
    entries[rotor_places(system)[0]] = 0.0  # which are no constraints
    coupled = None
    if absolute is not None and setup.model.couplings:
        from scipy.sparse import csr_matrix

        matrix = np.zeros((count, 6 * system.body_count))
        matrix[coupled_places(setup)] = coupled_matrix(setup, absolute)
        coupled = csr_matrix(matrix)
    return Rows(entries, columns, coupled)


def mass_matrices(system: System) -> Floats:
    """6x6 inertia of bodies at their centres of mass, (n, 6, 6)."""
    mass, inertia = system.bodies.mass, system.bodies.inertia
    matrices = np.zeros((len(mass), 6, 6))
    matrices[:, :3, :3] = inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    matrices[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    return matrices


def weights(system: System) -> Floats:
    """Inertia of every body about its centre of mass, (n, 6, 6), that chooses between velocities.

    Frames have a feather's: what the joints leave open of them has to be chosen somehow.
    """
    matrices, mass = mass_matrices(system), system.bodies.mass
    frames = mass == 0.0
    if frames.any():
        heavy = system.bodies.inertia[~frames, :3], mass[~frames]
        light = np.repeat([part.min() if part.size else 1.0 for part in heavy], 3)
        matrices[frames] = FEATHER * np.diag(light)
    return matrices


def mass_blocks(system: System, free: Any = None) -> list[Floats]:
    """Inertia of every body about its centre of mass: (6, 6), or what is `free` (n, 6) of it."""
    blocks = list(weights(system))
    if free is None:
        return blocks
    return [block[np.ix_(some, some)] for block, some in zip(blocks, free) if some.any()]


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

    @classmethod
    def of(cls, blocks: list[Floats], jacobian: Any, damping: float) -> "DampedKkt":
        """W of blocks along its diagonal."""
        return cls(joined(blocks), jacobian, damping, unit_scale(inverses(blocks), jacobian))

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
