r"""The equations of motion reduced to the tangent space, dense; see `chasles.analysis.linearise`.

The basis Z of $\ker J$ and $J^+$, with $J J^+ J = J$ and $Z^T M J^+ = 0$, come from a singular
value decomposition of J in a positive metric, so joints that repeat each other change nothing.

Some modes of a model of many bodies, on sparse matrices.

The equations of `chasles.analysis.linearise` with the constraints left beside them: for
displacements $\xi$ and changes of velocity $\nu$,

$$ M\dot\xi = M(B\xi + \nu) + J_h^T\alpha, \quad M\dot\nu = -K\xi - C\nu + J^T\beta, \qquad
   J_h\xi = 0, \quad (\partial_\xi J)V + J\nu = 0, $$

a pencil $E\dot x = A x$ whose multipliers alpha and beta belong to infinite eigenvalues.  Those s
nearest to a shift $\sigma$ are the largest $\theta = 1/(s - \sigma)$ of $(A - \sigma E)^{-1}E$, and
Arnoldi's iteration finds them: one sparse factor, and a solve per iteration.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import Any

import numpy as np

from chasles.analysis.linear import Linear, Unbalance
from chasles.build.start.redundancy import joint_of_row
from chasles.core.arrays import Floats
from chasles.model import RedundantConstraints

#: Repeated rows that change by more than this per rad or m stop repeating: a singular pose.
SINGULAR = 1e-6
#: Stiffnesses below this fraction of what was added up in them are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Free:
    """The motions that rows of J leave free at one configuration."""

    basis: Floats  # Z (unknowns, d), orthonormal in the mass matrix
    back: Floats  # J^+ (unknowns, rows)
    repeated: Floats  # (rows, r): combinations of rows that vanish


def free_motions(linear: Linear, jacobian: Floats, rank: int) -> Free:
    """The tangent space of constraints."""
    unweighted, mass = np.linalg.cholesky(linear.inverse.toarray()), linear.mass
    weighted = jacobian @ unweighted
    length = np.linalg.norm(weighted, axis=1)
    inverse = 1.0 / np.where(length > 0.0, length, 1.0)
    u, s, vt = np.linalg.svd(inverse[:, None] * weighted)
    back = unweighted @ ((vt[:rank].T / s[:rank]) @ u[:, :rank].T) * inverse
    basis = unweighted @ vt[rank:].T
    try:
        lower = np.linalg.cholesky(basis.T @ (mass @ basis))
    except np.linalg.LinAlgError:
        raise linear.moves_nothing() from None
    basis = np.linalg.solve(lower, basis.T).T
    back = back - basis @ (basis.T @ (mass @ back))
    return Free(basis, back, inverse[:, None] * u[:, rank:])


@dataclass(frozen=True)
class Reduced:
    """A linearised state on the tangent space."""

    linear: Linear
    free: Free  # Z and J^+
    positions: Floats  # Y, which is Z unless wheels roll

    @cached_property
    def stiffness(self) -> Floats:
        """K at rest."""
        blocks = self.linear.stiffness_blocks(self.linear.solution[0])
        found: Floats = self.free.basis.T @ (self.linear.summed(blocks) @ self.positions)
        return found

    @property
    def noise(self) -> Floats:
        """What was added up in the stiffness, without signs: also forces that turn with bodies."""
        linear, (acceleration, multipliers) = self.linear, self.linear.solution
        instant, slopes = linear.instant, linear.tangent
        parts = (
            slopes.by_pose,
            linear.summed(linear.geometric_blocks(multipliers)),
            linear.summed([linear.held_directions(acceleration)]),
        )
        total = sum(np.abs(part.toarray()) for part in parts)
        sizes = slopes.sizes + slopes.reaction_sizes(instant.padded(multipliers), instant.system)
        for first in range(0, instant.bodies, 6):
            total[first : first + 6, first : first + 3] += sizes[first : first + 6, None]
        size = np.abs(self.positions)
        return np.asarray(size.T @ total @ size)

    def matrix(self, axes: str) -> tuple[Floats, Floats]:
        """A, and V' in the axes asked for."""
        linear, parts = self.linear, self.linear.moving(axes)
        y, z, mass = self.positions, self.free.basis, linear.mass
        carried = -self.free.back @ (linear.slip @ y)  # N
        by_twist = parts.by_twist
        matrix = np.block(
            [
                [y.T @ (mass @ (parts.carried @ y + carried)), y.T @ (mass @ z)],
                [z.T @ (parts.stiff @ y + by_twist @ carried), z.T @ (by_twist @ z)],
            ]
        )
        return matrix, parts.acceleration


def reduce(linear: Linear, loose: bool = True) -> Reduced:
    """On the tangent space, `loose`: wheels may be anywhere; singular poses are refused."""
    instant, terms = linear.instant, linear.terms
    jacobian = terms.jacobian.toarray()
    free = free_motions(linear, jacobian, instant.rank(terms.entries, linear.absolute))
    positions, chosen = free.basis, instant.holonomic()
    if loose and len(chosen) < len(instant.rows):
        rank = instant.rank(terms.entries, linear.absolute, chosen)
        positions = free_motions(linear, jacobian[chosen], rank).basis
    found = Reduced(linear, free, positions)
    check_regular(found)
    return found


def rounding_of(shapes: Any, noise: Floats) -> Floats:
    """The rounding error of the stiffness along every shape (columns); noise as in `Reduced`."""
    size = np.abs(shapes)
    return ROUNDING * np.einsum("ik,ij,jk->k", size, noise, size)


def check_regular(parts: Reduced) -> None:
    """Refuse a pose in which the joints hold more than they do beside it."""
    z, y, linear = parts.free.basis, parts.positions, parts.linear
    if not y.size:
        return
    sizes = [np.sqrt(np.einsum("ik,ik->k", basis, basis)) for basis in (z, y)]
    for row in parts.free.repeated.T:
        bending = np.abs(z.T @ (linear.summed(linear.geometric_blocks(row)) @ y))
        bending = bending / np.outer(*sizes) / np.abs(row).max()
        if bending.max() > SINGULAR:
            worst, instant = int(np.argmax(np.abs(row))), linear.instant
            name, component = joint_of_row(instant.setup, int(instant.rows[worst]))
            raise RedundantConstraints(
                f"joint '{name}' (direction {component}) repeats other joints in this pose only:"
                " the pose is singular, and the directions in which the mechanism can move are not"
                " determined there.",
                "Take a state beside this pose: start={joint: coordinate}, or other positions.",
            )


#: mu of the multipliers in the pencil.
REGULARISED = 1e-13
#: The shift, and below what an eigenvalue is zero, in units of the fastest frequency there may be.
SHIFT, ZERO = 1e-5, 1.7e-5
#: Arnoldi's tolerance, and vectors beyond those asked for.
TOLERANCE, SPARE = 1e-12, 24


def some_modes(linear: Linear, axes: str, count: int, near: float) -> tuple[Any, Any, Unbalance]:
    """About `count` eigenvalues with frequencies nearest to `near` Hz, and their shapes."""
    from scipy import sparse

    mass, parts = linear.mass, linear.moving(axes)
    scale = sparse.diags(linear.kkt.scale)
    slip, ties = scale @ linear.slip, scale @ linear.terms.jacobian
    chosen = linear.instant.holonomic()
    first = sparse.bmat([[mass @ parts.carried, mass], [parts.stiff, parts.by_twist]], format="csc")
    rows = sparse.bmat([[ties[chosen], None], [slip, ties]], format="csc")
    columns = sparse.block_diag((ties[chosen].T, ties.T), format="csc")
    values, shapes = nearest(first, rows, columns, mass, count, near)
    return values, shapes[: linear.instant.bodies], linear.unbalance(parts.acceleration)


def nearest(
    first: Any, rows: Any, columns: Any, mass: Any, count: int, near: float
) -> tuple[Any, Any]:
    """Eigenvalues nearest to a shift, and the displacements (6n, k) of their vectors."""
    from scipy import sparse
    from scipy.sparse.linalg import LinearOperator, eigs, splu

    size = mass.shape[0]
    heavy = np.where(mass.diagonal() > 0.0, mass.diagonal(), np.inf)
    stiff = np.abs(first[size:, :size].diagonal()) / heavy
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
