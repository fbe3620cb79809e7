r"""Some modes of a model of many bodies, on sparse matrices.

The equations of `chasles.analysis.linearise` with the constraints left beside them: for
displacements $\xi$ and changes of velocity $\nu$,

$$ M\dot\xi = M(B\xi + \nu) + J_h^T\alpha, \quad M\dot\nu = -K\xi - C\nu + J^T\beta, \qquad
   J_h\xi = 0, \quad (\partial_\xi J)V + J\nu = 0, $$

a pencil $E\dot x = A x$ whose multipliers alpha and beta belong to infinite eigenvalues.  Those s
nearest to a shift $\sigma$ are the largest $\theta = 1/(s - \sigma)$ of $(A - \sigma E)^{-1}E$, and
Arnoldi's iteration finds them: one sparse factor, and a solve per iteration.
"""

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from chasles.analysis.instant import Instant
from chasles.analysis.large import sparse_terms, stiffness_blocks
from chasles.analysis.reduced import Unbalance, relative_spin
from chasles.analysis.stacks import GENERATORS, POSES
from chasles.build.start.kkt import DampedKkt, mass_blocks
from chasles.core.arrays import TWIST, Floats

#: mu of the accelerations, and of the multipliers in the pencil.
DAMPING, REGULARISED = 1e-10, 1e-13
#: The shift, and below what an eigenvalue is zero, in units of the fastest frequency there may be.
SHIFT, ZERO = 1e-5, 1.7e-5
#: Arnoldi's tolerance, and vectors beyond those asked for.
TOLERANCE, SPARE = 1e-12, 24


@dataclass(frozen=True)
class SomeModes:
    """Eigenvalues nearest to a frequency, their shapes, and what is not balanced."""

    eigenvalues: Any  # (k,)
    shapes: Any  # (6n, k)
    residual: Unbalance


def some_modes(
    instant: Instant, absolute: Floats, angles: Floats, axes: str, count: int, near: float
) -> SomeModes:
    """About `count` modes with frequencies nearest to `near` Hz."""
    from scipy import sparse

    forces, jacobian, eta = sparse_terms(instant, absolute, angles)
    kkt = DampedKkt(mass_blocks(instant.system), jacobian, DAMPING)
    acceleration, multipliers = kkt.solve_both(forces, eta)
    mass, velocity = kkt.weight, absolute[:, TWIST:].ravel()
    tangent = instant.tangent(absolute, angles)
    size = len(forces)
    spin = relative_spin(instant, absolute, axes)
    turning = sparse.block_diag(list(turned(spin)), format="csc")
    carried = turning - sparse.block_diag(list(adjoints(absolute)), format="csc")
    steady = acceleration + turning @ velocity
    blocks = stiffness_blocks(tangent, instant.padded(multipliers), mass @ steady)
    stiff = -summed(blocks, size)
    by_twist = summed([(x.columns, x.slopes[:, :, POSES:]) for x in tangent.loads], size)
    scale = sparse.diags(kkt.scale)
    slip = scale @ slipping(tangent, velocity, instant)
    ties = scale @ jacobian
    chosen = instant.holonomic()
    first = sparse.bmat([[mass @ carried, mass], [stiff, by_twist + mass @ turning]], format="csc")
    rows = sparse.bmat([[ties[chosen], None], [slip, ties]], format="csc")
    columns = sparse.block_diag((ties[chosen].T, ties.T), format="csc")
    values, shapes = nearest(first, rows, columns, mass, count, near)
    wrench = (mass @ steady).reshape(-1, 2, 3)
    torque, force = np.linalg.norm(wrench, axis=2).max(axis=0, initial=0.0)
    return SomeModes(values, shapes, Unbalance(float(force), float(torque)))


def nearest(
    first: Any, rows: Any, columns: Any, mass: Any, count: int, near: float
) -> tuple[Any, Any]:
    """Eigenvalues nearest to a shift, and the displacements (6n, k) of their vectors."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigs, splu

    size = mass.shape[0]
    stiff = np.abs(first[size:, :size].diagonal()) / mass.diagonal()
    fastest = float(np.sqrt(stiff.max(initial=0.0))) or 1.0
    shift: Any = SHIFT * fastest
    if near > 0.0:
        shift = shift + 2j * pi * near
    weight = sparse.block_diag((mass, mass), format="csc")
    below = -REGULARISED * sparse.identity(rows.shape[0], format="csc")
    matrix = sparse.bmat([[first - shift * weight, columns], [rows, below]], format="csc")
    factor = splu(matrix)
    kind = complex if near > 0.0 else float

    def apply(x: Any) -> Any:
        rhs = np.concatenate((weight @ x, np.zeros(rows.shape[0], x.dtype)))
        return factor.solve(rhs.astype(kind))[: 2 * size]

    wanted = min(2 * count, 2 * size - 2)
    start = apply(np.random.default_rng(0).standard_normal(2 * size).astype(kind))
    theta, vectors = eigs(
        LinearOperator((2 * size, 2 * size), matvec=apply, dtype=kind), k=wanted,
        ncv=min(2 * size, 2 * wanted + SPARE), which="LM", v0=start, tol=TOLERANCE,
    )  # fmt: skip
    finite = np.abs(theta) > 1e-9 / fastest  # the others belong to the constraints
    values = shift + 1.0 / theta[finite]
    still = np.abs(values) <= ZERO * fastest
    return np.where(still, 0.0, values), vectors[:size, finite]


def summed(blocks: Any, size: int) -> Any:
    """Stacks of blocks (m, 12, 12) at their columns (m, 12) as a sparse matrix."""
    from scipy.sparse import coo_matrix

    rows, columns, values = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
    for where, block in blocks:
        down = np.broadcast_to(where[:, :, None], block.shape)
        across = np.broadcast_to(where[:, None, :], block.shape)
        kept = (down >= 0) & (across >= 0)
        rows.append(down[kept])
        columns.append(across[kept])
        values.append(block[kept])
    places = (np.concatenate(rows), np.concatenate(columns))
    return coo_matrix((np.concatenate(values), places), shape=(size, size)).tocsc()


def slipping(tangent: Any, velocity: Floats, instant: Instant) -> Any:
    """d(J V) at constant V, as a sparse matrix with the real rows."""
    from scipy.sparse import coo_matrix

    size = len(velocity)
    shape = (instant.system.row_count, size)
    total = coo_matrix(shape)
    for rows, columns, block in tangent.slip_blocks(velocity):
        down = np.broadcast_to(rows[:, :, None], block.shape)
        across = np.broadcast_to(columns[:, None, :], block.shape)
        kept = across >= 0
        total = total + coo_matrix((block[kept], (down[kept], across[kept])), shape=shape)
    return total.tocsr()[instant.rows]


def turned(spin: Floats) -> Floats:
    """spin x on rotation and translation of every body, (n, 6, 6)."""
    out = np.zeros((len(spin), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = np.einsum("bk,kij->bij", spin, GENERATORS)
    return out


def adjoints(absolute: Floats) -> Floats:
    r"""$\mathrm{ad}_V$ of every body, (n, 6, 6)."""
    out = turned(absolute[:, TWIST : TWIST + 3])
    out[:, 3:, :3] = np.einsum("bk,kij->bij", absolute[:, TWIST + 3 :], GENERATORS)
    return out
