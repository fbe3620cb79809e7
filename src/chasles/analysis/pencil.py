r"""Some modes of a model of many bodies, on sparse matrices.

The equations of `chasles.analysis.linearise` with the constraints left beside them: for
displacements $\xi$ and changes of velocity $\nu$,

$$ M\dot\xi = M(B\xi + \nu) + J_h^T\alpha, \quad M\dot\nu = -K\xi - C\nu + J^T\beta, \qquad
   J_h\xi = 0, \quad (\partial_\xi J)V + J\nu = 0, $$

a pencil $E\dot x = A x$ whose multipliers alpha and beta belong to infinite eigenvalues.  Those s
nearest to a shift $\sigma$ are the largest $\theta = 1/(s - \sigma)$ of $(A - \sigma E)^{-1}E$, and
Arnoldi's iteration finds them: one sparse factor, and a solve per iteration.
"""

from math import pi
from typing import Any

import numpy as np

from chasles.analysis.linear import Linear, Unbalance

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
