r"""Steps of limited length on sparse matrices.

Displacements p are those of all unknowns, times the square root of a diagonal weight W: the length
of p is that of the metric.  A step $\xi$ of a quadratic model with the stiffness K along the
constraints $J\xi = 0$ solves

$$ (K + \mu W + \rho J^T J)\,\xi = f - J^T\nu, \qquad \nu \leftarrow \nu + \rho J\xi, $$

with J scaled so that $\mathrm{diag}(J W^{-1} J^T) = 1$.  For a large rho the matrix is positive if
and only if $K + \mu W$ is so on $\ker J$, which the signs of its pivots tell: the inertia of the
factor is the trust region's judge of negative stiffness, and the equilibrium's of stability.

No rho is large enough for motions without stiffness which K couples to motions that joints lock, as
a body on a rail does whose weight the rail carries: the factor takes them for falling ones, by the
square of that coupling over rho.  Where it finds something negative, Lanczos's iteration with
factors of the constraints themselves tells whether it is.
"""

from functools import cached_property
from typing import Any

import numpy as np

from chasles.build.start.factor import DampedKkt
from chasles.core.arrays import Floats

#: rho in units of the largest stiffness per weight: eps rho is what rounding does to stiffnesses.
PENALTY = 1e6
#: Multiplier steps at the most, and the fraction of the constraints that ends them.
MOST_MULTIPLIERS, TIED = 8, 1e-12
#: A step is long enough if it misses the radius by less than this, after so many factors at most.
NEAR_RADIUS, MOST_FACTORS = 0.2, 60
#: Stiffnesses below this fraction of the largest count as zero.
SOFT = 3e-10
#: Shifts for the least stiffness, in units of the largest: beyond all of it, then nearer to zero.
SHIFTS = (2.0, 1e-2, 1e-5)
#: Solves with each of them at the most.
MOST_SOLVES = 100
#: The steepest slope is known to this fraction.
STEEPEST = 1e-9
#: mu of the rows where they are factored with K.
DAMPING = 1e-13


class Stiffness:
    """K, W and J at one configuration: factors and steps of limited length."""

    def __init__(
        self, stiff: Any, largest: float, weights: Floats, jacobian: Any, scale: Floats
    ) -> None:
        from scipy import sparse

        self.own, self.weights, self.largest = stiff.tocsc(), weights, largest
        self.weight = sparse.diags(weights, format="csc")
        self.jacobian, self.scale = jacobian, scale
        self.ties = (sparse.diags(scale) @ jacobian).tocsr()
        self.pulls = self.ties.T.tocsr()
        self.tied = (self.pulls @ self.ties).tocsc()
        self.even = 0.5 * (self.own + self.own.T)
        self.held = 0.0  # the penalty in `base`
        self.kkt: DampedKkt | None = None  # what `tie` has factored

    def factor(self, shift: float) -> bool:
        """Factor K + shift W along the constraints, K symmetric; whether it is positive."""
        from scipy.sparse.linalg import splu

        if self.held < PENALTY * max(self.largest, abs(shift)):
            self.held = PENALTY * max(self.largest, 2.0 * abs(shift))
            self.base = (self.even + self.held * self.tied + self.largest * self.weight).tocsc()
            columns = np.repeat(np.arange(len(self.weights)), np.diff(self.base.indptr))
            self.diagonal = np.flatnonzero(self.base.indices == columns)
        matrix, self.penalty, self.kkt = self.base.copy(), self.held, None
        matrix.data[self.diagonal] += (shift - self.largest) * self.weights
        symmetric = {"SymmetricMode": True}  # pivots on the diagonal: their signs are the inertia
        try:
            self.factored = splu(
                matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric
            )
        except RuntimeError:  # a pivot is zero
            return False
        return bool(np.all(self.factored.U.diagonal() > 0.0))

    def tie(self, stiff: Any, shift: float) -> bool:
        """Factor a stiffness + shift W with the constraints, whatever its signs are."""
        matrix = (stiff + shift * self.weight) / self.largest
        try:
            self.kkt = DampedKkt(matrix, self.jacobian, DAMPING, self.scale)
        except RuntimeError:  # singular
            return False
        return True

    def solve(self, force: Floats) -> Floats:
        """The displacement along the constraints that the factored stiffness balances."""
        if self.kkt is not None:
            return self.kkt.solve(force / self.largest, np.zeros(len(self.scale)))
        multipliers = np.zeros(self.ties.shape[0])
        step: Floats = self.factored.solve(force)
        for _ in range(MOST_MULTIPLIERS):
            slip = self.ties @ step
            if np.abs(slip).max(initial=0.0) <= TIED * self.length(step):
                break
            multipliers += self.penalty * slip
            step = self.factored.solve(force - self.pulls @ multipliers)
        return step

    def length(self, step: Floats) -> float:
        return float(np.sqrt(step @ (self.weights * step)))

    def newton(self, force: Floats) -> Floats | None:
        """The step to F = 0 with the unsymmetric K; None where it has none."""
        if not self.tie(self.own, 1e-2 * SOFT * self.largest):  # idle ones stay where they are
            return None
        step = self.solve(force)
        return step if np.isfinite(step).all() else None

    def softest(self, shift: float, enough: float, exact: float) -> tuple[float, Floats]:
        """The least stiffness along the constraints, and where it is; `tie` has made the factor.

        Lanczos's iteration for the largest softness 1 / (k + shift).  What it has found is never
        below the least one, so it ends where that is less than `enough`, or `exact` relative to
        the shift.
        """
        roots = np.sqrt(self.weights)
        basis = np.zeros((min(MOST_SOLVES, roots.size) + 1, roots.size))
        reduced = np.zeros((len(basis), len(basis)))
        basis[0] = roots * self.solve(np.random.default_rng(0).standard_normal(roots.size) * roots)
        basis[0] /= np.linalg.norm(basis[0]) or 1.0  # zero: nothing can move
        stiffness, shape = np.inf, basis[0]
        for k in range(len(basis) - 1):
            soft = roots * self.solve(roots * basis[k])
            for _ in range(2):
                along = basis[: k + 1] @ soft
                reduced[: k + 1, k] += along
                soft -= along @ basis[: k + 1]
            left = float(np.linalg.norm(soft))
            values, vectors = np.linalg.eigh(reduced[: k + 1, : k + 1], UPLO="U")
            largest, mixed = float(values[-1]), vectors[:, -1]
            if not largest > 0.0:
                break
            stiffness, shape = 1.0 / largest - shift, mixed @ basis[: k + 1]
            if stiffness < enough or left * abs(float(mixed[-1])) <= exact * largest:
                break
            basis[k + 1] = soft / left
        return stiffness, shape / roots

    @cached_property
    def least(self) -> float:
        """The least stiffness along the constraints, rough where it is negative."""
        found = np.inf
        for shift, nearer in zip(SHIFTS, (*SHIFTS[1:], SOFT), strict=True):
            if not self.tie(self.even, shift * self.largest):
                return -np.inf
            enough = -SOFT * self.largest
            found, _ = self.softest(shift * self.largest, enough, 0.1 * nearer / shift)
            if found < enough:
                break
        return found

    @cached_property
    def positive(self) -> bool:
        """Whether no displacement along the constraints has a negative stiffness."""
        return self.factor(SOFT * self.largest) or self.least >= -SOFT * self.largest

    @property
    def definite(self) -> bool:
        """Whether every displacement along the constraints has a stiffness."""
        return self.factor(-SOFT * self.largest) or self.least > SOFT * self.largest

    def factored_as(self, shift: float) -> bool:
        """`factor`, or `tie` where that takes idle motions for falling ones."""
        return self.factor(shift) or (self.positive and self.tie(self.even, shift))

    def limited(self, force: Floats, radius: float) -> Floats:
        """The step of most work within the radius: Newton's, or one with a shift mu > 0."""
        low, shift = 0.0, SOFT * self.largest
        pulled = float(np.sqrt(force @ (force / self.weights)))
        high, wanted = np.inf, 0.0
        best: Floats | None = None
        for _ in range(MOST_FACTORS):
            if self.factored_as(shift):
                step = self.solve(force)
                length = self.length(step)
                if length <= radius * (1.0 + NEAR_RADIUS):
                    best = step
                    if shift <= SOFT * self.largest or length >= radius * (1.0 - NEAR_RADIUS):
                        return step
                    high = shift
                else:
                    low = shift
                curve = float((self.weights * step) @ self.solve(self.weights * step))
                wanted = shift + (length - radius) / radius * length**2 / max(curve, 1e-300)
            else:
                low, wanted = shift, -1.0
            if np.isinf(high) and not wanted > low:
                wanted = max(4.0 * shift, 0.1 * pulled / radius, 1e-6 * self.largest)
            elif not low < wanted < high:
                wanted = np.sqrt(max(low, 1e-3 * high) * high)
            if np.isfinite(high) and high - low <= 1e-6 * high:
                break  # hardly any force along the steepest slope
            shift = wanted
        return self.lengthened(best, force, high, radius)

    def lengthened(self, step: Floats | None, force: Floats, shift: float, radius: float) -> Floats:
        """A step that is too short, made as long as the radius along the least stiffness."""
        if step is None:
            return np.zeros_like(force)
        self.tie(self.even, shift)
        _, down = self.softest(shift, -np.inf, STEEPEST)
        along = float(down @ (self.weights * step))
        down = down if along >= 0.0 else -down
        left = radius**2 - self.length(step) ** 2
        return step + down * (np.sqrt(along**2 + max(left, 0.0)) - abs(along))
