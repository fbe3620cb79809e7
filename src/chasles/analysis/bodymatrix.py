r"""The stiffness of a large model as a matrix of blocks, and steps of limited length with it.

A step $\xi$ of a quadratic model with the stiffness K, in a diagonal metric W, along the
constraints $J\xi = 0$, solves

$$ (K + \mu W + \rho J^T J)\,\xi = f - J^T\nu, \qquad \nu \leftarrow \nu + \rho J\xi, $$

with J scaled so that $\mathrm{diag}(J W^{-1} J^T) = 1$.  The matrix has a node per body and an edge
for every joint and every force between two bodies.  For a large rho it is positive if and only if
$K + \mu W$ is so on $\ker J$, which the signs of its pivots tell: the inertia of the factor is the
trust region's judge of negative stiffness, and the equilibrium's of stability.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chasles.build.start.kkt import Rows
from chasles.core.arrays import Floats, Integers, System
from chasles.core.blocks.matrix import BlockMatrix

#: rho in units of the largest stiffness per weight: eps rho is what rounding does to stiffnesses.
PENALTY = 1e6
#: ... and where the weight itself takes the place of the stiffness.
TIE_PENALTY = 1e8
#: Multiplier steps at the most, and the fraction of the constraints that ends them.
MOST_MULTIPLIERS, TIED = 8, 1e-12
#: Stiffnesses below this fraction of the largest count as zero.
FLAT = 3e-10
#: A step is long enough if it misses the radius by less than this, after so many factors at most.
NEAR_RADIUS, MOST_FACTORS = 0.2, 60

Blocks = Iterable[tuple[Integers, Floats]]  # columns (m, 12) and blocks (m, 12, 12)


class BodyGraph:
    """The pattern of such matrices, for one model: factors of one pattern share all of it."""

    def __init__(self, system: System) -> None:
        pairs = [
            np.column_stack((part.a, part.b))[(part.a >= 0) & (part.b >= 0)]
            for part in (system.joints, system.forces)
        ]
        self.edges, self.bodies = np.vstack(pairs), system.body_count
        self.symmetric, self.ties = self.matrix(symmetric=True), self.matrix(symmetric=True)
        self.general = self.matrix(symmetric=False)
        self.weights: Floats | None = None
        self.weight_values = np.zeros(0)
        self.known: dict[tuple[bytes, bool], Any] = {}  # see `places`

    def matrix(self, symmetric: bool) -> BlockMatrix:
        return BlockMatrix(np.full(self.bodies, 6), self.edges, symmetric)

    def spread(self, matrix: BlockMatrix, blocks: Blocks) -> Floats:
        """Blocks on pairs of bodies as values of the matrix; their symmetric part if it is so."""
        values = np.zeros_like(matrix.values)
        for columns, block in blocks:
            if matrix.symmetric:
                block = 0.5 * (block + block.transpose(0, 2, 1))
            for i, j, index in self.places(matrix, columns):
                part = block[:, 6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
                values += np.bincount(index, part.ravel(), len(values))
        return values

    def diagonal(self, weights: Floats) -> Floats:
        """Values of a diagonal matrix; the last one is kept."""
        if self.weights is None or not np.array_equal(weights, self.weights):
            self.weights = weights
            self.weight_values = self.spread(self.symmetric, weight_blocks(weights))
        return self.weight_values

    def places(self, matrix: BlockMatrix, columns: Integers) -> Any:
        """Where the four parts of such blocks go in a matrix of this pattern; found once."""
        key = (columns.tobytes(), matrix.symmetric)
        if key not in self.known:
            ends, found = columns[:, ::6] // 6, []
            for i, j in ((1, 1), (0, 0), (1, 0), (0, 1)):
                grounded = ends[0, 0] < 0 and (i, j) != (1, 1)
                if not grounded and not (matrix.symmetric and i < j):
                    index = matrix.spread(ends[:, i], ends[:, j], (len(ends), 6, 6))
                    found.append((i, j, index.ravel()))
            self.known[key] = found
        return self.known[key]


class Ties:
    r"""The constraints at one configuration in a diagonal metric W: $\min |x|_W^2/2 - f\cdot x$,
    $J x = r$, as in `Stiffness` with W for K.
    """

    def __init__(self, graph: BodyGraph, weights: Floats, rows: Rows, lengths: Integers) -> None:
        self.count, self.weights = len(weights), weights
        self.entries, self.columns = rows.entries, rows.columns
        self.flat = self.columns.ravel() % (self.count + 1)
        inverse = np.append(1.0 / weights, 0.0)
        own = np.einsum("rc,rc->r", self.entries**2, inverse[self.columns])
        self.scale = 1.0 / np.sqrt(np.where(own > 0.0, own, 1.0))
        self.scaled = self.scale[:, None] * self.entries
        self.matrix = graph.ties
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1])) if len(lengths) else lengths
        joints = squares_of(self.scaled, lengths, starts)
        places = self.columns[starts]
        grounded = places[:, 0] < 0
        self.blocks = [(places[some], joints[some]) for some in (grounded, ~grounded) if some.any()]
        self.values = graph.spread(self.matrix, self.blocks)
        self.matrix.values[:] = graph.diagonal(weights) + TIE_PENALTY * self.values
        self.matrix.factor()
        self.factored = self.matrix.factored

    def times(self, x: Floats) -> Floats:
        """J x, scaled."""
        return np.einsum("rc,rc->r", self.scaled, np.append(x, 0.0)[self.columns])

    def transposed(self, multipliers: Floats) -> Floats:
        """J^T of scaled multipliers."""
        pulled = (multipliers[:, None] * self.scaled).ravel()
        total: Floats = np.bincount(self.flat, pulled, self.count + 1)[:-1].astype(float)
        return total

    def solve_both(
        self, force: Floats, rows: Floats, most: int = MOST_MULTIPLIERS
    ) -> tuple[Floats, Floats]:
        """x and the multipliers, in so many multiplier steps at the most."""
        self.matrix.factored = self.factored
        wanted, multipliers = self.scale * rows, np.zeros(len(rows))
        x = np.zeros(self.count)
        for _ in range(most):
            pull = self.transposed(multipliers - TIE_PENALTY * wanted)
            before, x = x, self.matrix.solve(force - pull)
            multipliers = multipliers + TIE_PENALTY * (self.times(x) - wanted)
            if np.abs(x - before).max(initial=0.0) <= TIED * np.abs(x).max(initial=0.0):
                break
        return x, self.scale * multipliers


def squares_of(rows: Floats, lengths: Integers, starts: Integers) -> Floats:
    """J^T J of every joint (m, 12, 12), from its rows (r, 12)."""
    if len(lengths) and np.all(lengths == lengths[0]):
        stack = rows.reshape(len(lengths), -1, 12)
        return np.asarray(stack.transpose(0, 2, 1) @ stack)
    squares = np.einsum("rc,rd->rcd", rows, rows)
    return np.add.reduceat(squares, starts) if len(squares) else squares


def weight_blocks(weights: Floats) -> list[tuple[Integers, Floats]]:
    """A diagonal matrix as blocks on bodies."""
    count = len(weights) // 6
    diagonal = np.zeros((count, 12, 12))
    diagonal[:, 6:, 6:] = np.eye(6) * weights.reshape(-1, 6, 1)
    own = 6 * np.arange(count)[:, None] + np.arange(6)
    return [(np.hstack((np.full((count, 6), -1), own)), diagonal)]


class Stiffness:
    """K, W and J^T J of one configuration, in the pattern of a graph."""

    def __init__(self, graph: BodyGraph, blocks: list[Any], weights: Floats, ties: Ties) -> None:
        self.graph, self.blocks, self.weights, self.ties = graph, blocks, weights, ties
        self.tie_blocks = ties.blocks
        self.matrix = graph.symmetric
        self.weight_blocks = weight_blocks(weights)
        own = graph.spread(self.matrix, self.blocks)
        self.values = [own, graph.diagonal(weights), ties.values]
        self.largest = self.scale_of(blocks)

    def scale_of(self, blocks: Blocks) -> float:
        """About the largest stiffness per weight."""
        total = np.zeros(len(self.weights) + 1)
        for columns, block in blocks:
            sizes = np.abs(np.einsum("mii->mi", block))
            np.add.at(total, np.where(columns < 0, -1, columns), sizes)
        return float((total[:-1] / self.weights).max(initial=0.0)) or 1.0

    def factor(self, shift: float) -> bool:
        """Factor K + shift W along the constraints; whether it is positive."""
        self.penalty = PENALTY * (self.largest + abs(shift))
        own, weight, tied = self.values
        self.matrix.values[:] = own + shift * weight + self.penalty * tied
        return self.matrix.factor() and self.matrix.inertia[1] == 0

    def negative(self, shift: float) -> int:
        """How many eigenvalues of K, per weight and along the constraints, are below -shift."""
        self.factor(shift)
        return self.matrix.inertia[1]

    def solve(self, force: Floats, matrix: BlockMatrix | None = None) -> Floats:
        """The displacement along the constraints that the factored stiffness balances."""
        factor, multipliers = matrix or self.matrix, np.zeros(len(self.ties.scale))
        step = factor.solve(force)
        for _ in range(MOST_MULTIPLIERS):
            slip = self.ties.times(step)
            length = np.sqrt(step @ (self.weights * step))
            if np.abs(slip).max(initial=0.0) <= TIED * length:
                break
            multipliers += self.penalty * slip
            step = factor.solve(force - self.ties.transposed(multipliers))
        return step

    def length(self, step: Floats) -> float:
        return float(np.sqrt(step @ (self.weights * step)))

    def newton(self, force: Floats) -> Floats | None:
        """The step to F = 0 with the unsymmetric K; None where it has none."""
        general = self.graph.general
        self.penalty = PENALTY * self.largest
        values = [
            self.graph.spread(general, part)
            for part in (self.blocks, self.weight_blocks, self.tie_blocks)
        ]
        shift = 1e-2 * FLAT * self.largest  # displacements without stiffness stay where they are
        general.values[:] = values[0] + shift * values[1] + self.penalty * values[2]
        if not general.factor():
            return None
        step = self.solve(force, general)
        return step if np.isfinite(step).all() else None

    def limited(self, force: Floats, radius: float) -> Floats:
        """The step of most work within the radius: Newton's, or one with a shift mu > 0."""
        low, shift = 0.0, FLAT * self.largest
        pulled = float(np.sqrt(force @ (force / self.weights)))
        high, wanted = np.inf, 0.0
        best: Floats | None = None
        for _ in range(MOST_FACTORS):
            if self.factor(shift):
                step = self.solve(force)
                length = self.length(step)
                if length <= radius * (1.0 + NEAR_RADIUS):
                    best = step
                    if shift <= FLAT * self.largest or length >= radius * (1.0 - NEAR_RADIUS):
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
            if (
                np.isfinite(high) and high - low <= 1e-6 * high
            ):  # hardly any force along the steepest slope
                break
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
