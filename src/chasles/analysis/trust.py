r"""Steps of limited length: the best ones of a quadratic model, and of a linear one.

Both are $p_i = a_i / (b_i + \mu)$ in the right basis, with the smallest $\mu\ge0$ for which p is
short enough and no denominator negative.

**On sparse matrices.**  Displacements p are those of all unknowns, times the square root of a
diagonal weight W: the length of p is that of the metric.  A step $\xi$ of a quadratic model with
the stiffness K along the constraints $J\xi = 0$ solves

$$ (K + \mu W + \rho J^T J)\,\xi = f - J^T\nu, \qquad \nu \leftarrow \nu + \rho J\xi, $$

with J scaled so that $\mathrm{diag}(J W^{-1} J^T) = 1$.  For a large rho the matrix is positive if
and only if $K + \mu W$ is so on $\ker J$, which the signs of its pivots tell: the inertia of the
factor is the trust region's judge of negative stiffness, and the equilibrium's of stability.
"""

from typing import Any

import numpy as np

from chasles.core.arrays import Floats

#: rho in units of the largest stiffness per weight: eps rho is what rounding does to stiffnesses.
PENALTY = 1e6
#: Multiplier steps at the most, and the fraction of the constraints that ends them.
MOST_MULTIPLIERS, TIED = 8, 1e-12
#: A step is long enough if it misses the radius by less than this, after so many factors at most.
NEAR_RADIUS, MOST_FACTORS = 0.2, 60
#: Stiffnesses below this fraction of the largest count as zero.
SOFT = 3e-10
#: Singular values of K below this fraction of the largest are left alone.
FLAT = 1e-12


def limited(a: Floats, b: Floats, radius: float) -> Floats:
    """p_i = a_i / (b_i + mu), |p| <= radius; to the full radius where some b is negative."""
    if not a.size:
        return a
    least = float(b.min())
    if least > 0.0 and np.linalg.norm(a / b) <= radius:
        return a / b
    low = max(0.0, -least)
    high = low + float(np.linalg.norm(a)) / radius
    if not high > low:  # no force at all: down the steepest slope
        return toward(np.zeros_like(a), int(np.argmin(b)), radius, 1.0)
    nearly = low + 1e-10 * (high - low)
    shortest = a / np.where(b + nearly == 0.0, np.inf, b + nearly)
    if np.linalg.norm(shortest) < radius:  # hardly any force along the steepest slope
        return toward(shortest, int(np.argmin(b)), radius, float(a[np.argmin(b)]))
    for _ in range(100):
        middle = 0.5 * (low + high)
        if np.linalg.norm(a / (b + middle)) > radius:
            low = middle
        else:
            high = middle
    return a / (b + high)


def toward(p: Floats, index: int, radius: float, sign: float) -> Floats:
    """p made as long as the radius by its component `index`."""
    others = float(p @ p) - p[index] ** 2
    p = p.copy()
    p[index] = np.sqrt(max(radius**2 - others, 0.0)) * (-1.0 if sign < 0.0 else 1.0)
    return p


def with_the_forces(force: Floats, stiffness: Floats, radius: float) -> Floats:
    """The step of most work F.p - p.K p / 2; Newton's if K is positive and it is short enough."""
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    if values.size and values.min() > 0.0:
        newton: Floats = np.linalg.solve(stiffness, force).astype(float)
        if np.linalg.norm(newton) <= radius:
            return newton
    return vectors @ limited(vectors.T @ force, values, radius)


def to_the_root(force: Floats, stiffness: Floats, radius: float) -> Floats:
    """The shortest step that makes |F - K p| smallest."""
    u, s, vt = np.linalg.svd(stiffness)
    rank = int(np.sum(s > FLAT * s.max(initial=0.0)))
    u, s, vt = u[:, :rank], s[:rank], vt[:rank]
    return vt.T @ limited(s * (u.T @ force), s * s, radius)


# --- on sparse matrices ---


class Stiffness:
    """K, W and J at one configuration: factors and steps of limited length."""

    def __init__(
        self, stiff: Any, largest: float, weights: Floats, jacobian: Any, scale: Floats
    ) -> None:
        from scipy import sparse

        self.own, self.weights, self.largest = stiff.tocsc(), weights, largest
        self.weight = sparse.diags(weights, format="csc")
        self.ties = (sparse.diags(scale) @ jacobian).tocsr()
        self.pulls = self.ties.T.tocsr()
        self.tied = (self.pulls @ self.ties).tocsc()
        self.even = 0.5 * (self.own + self.own.T)
        self.held = 0.0  # the penalty in `base`

    def factor(self, shift: float) -> bool:
        """Factor K + shift W along the constraints, K symmetric; whether it is positive."""
        from scipy.sparse.linalg import splu

        if self.held < PENALTY * max(self.largest, abs(shift)):
            self.held = PENALTY * max(self.largest, 2.0 * abs(shift))
            self.base = (self.even + self.held * self.tied + self.largest * self.weight).tocsc()
            columns = np.repeat(np.arange(len(self.weights)), np.diff(self.base.indptr))
            self.diagonal = np.flatnonzero(self.base.indices == columns)
        matrix, self.penalty = self.base.copy(), self.held
        matrix.data[self.diagonal] += (shift - self.largest) * self.weights
        symmetric = {"SymmetricMode": True}  # pivots on the diagonal: their signs are the inertia
        try:
            self.factored = splu(
                matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric
            )
        except RuntimeError:  # a pivot is zero
            return False
        return bool(np.all(self.factored.U.diagonal() > 0.0))

    def solve(self, force: Floats) -> Floats:
        """The displacement along the constraints that the factored stiffness balances."""
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
        from scipy.sparse.linalg import splu

        self.penalty = PENALTY * self.largest
        shift = 1e-2 * SOFT * self.largest  # displacements without stiffness stay where they are
        matrix = self.own + shift * self.weight + self.penalty * self.tied
        try:
            self.factored = splu(matrix.tocsc())
        except RuntimeError:
            return None
        step = self.solve(force)
        return step if np.isfinite(step).all() else None

    def limited(self, force: Floats, radius: float) -> Floats:
        """The step of most work within the radius: Newton's, or one with a shift mu > 0."""
        low, shift = 0.0, SOFT * self.largest
        pulled = float(np.sqrt(force @ (force / self.weights)))
        high, wanted = np.inf, 0.0
        best: Floats | None = None
        for _ in range(MOST_FACTORS):
            if self.factor(shift):
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
        self.factor(shift)
        down = np.random.default_rng(0).standard_normal(force.size) / np.sqrt(self.weights)
        for _ in range(8):
            down = self.solve(self.weights * down)
            down /= self.length(down)
        along = float(down @ (self.weights * step))
        down = down if along >= 0.0 else -down
        left = radius**2 - self.length(step) ** 2
        return step + down * (np.sqrt(along**2 + max(left, 0.0)) - abs(along))
