r"""A configuration at rest on the constraints, and what the forces do there, on sparse matrices.

Displacements p are those of all unknowns, times the square root of a diagonal weight W: the length
of p is that of the metric.  A step $\xi$ of a quadratic model with the stiffness K along the
constraints $J\xi = 0$ solves

$$ (K + \mu W + \rho J^T J)\,\xi = f - J^T\nu, \qquad \nu \leftarrow \nu + \rho J\xi, $$

with J scaled so that $\mathrm{diag}(J W^{-1} J^T) = 1$.  For a large rho the matrix is positive if
and only if $K + \mu W$ is so on $\ker J$, which the signs of its pivots tell: the inertia of the
factor is the trust region's judge of negative stiffness, and the equilibrium's of stability.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.instant import Instant, check_gaps, make_instant
from chasles.analysis.linear import Linear, Unbalance, linear_at
from chasles.analysis.reduced import Reduced, reduce, rounding_of
from chasles.analysis.trust import to_the_root, with_the_forces
from chasles.build.system.sizes import gyration_radii
from chasles.build.system.state import State, checked_state
from chasles.core.arrays import POSE_X, TWIST, Floats, System
from chasles.model import Model

#: rho in units of the largest stiffness per weight: eps rho is what rounding does to stiffnesses.
PENALTY = 1e6
#: Multiplier steps at the most, and the fraction of the constraints that ends them.
MOST_MULTIPLIERS, TIED = 8, 1e-12
#: Stiffnesses below this fraction of the largest count as zero.
FLAT = 3e-10
#: A step is long enough if it misses the radius by less than this, after so many factors at most.
NEAR_RADIUS, MOST_FACTORS = 0.2, 60
#: Solves of a way back, which is repeated anyway.
RETURNING = 2
#: No body turns by more than this in a step, rad.
LARGEST_TURN = 0.7
#: Unbalanced forces below this fraction of those that act count as balanced.
BALANCED = 1e-10
#: Positions are known to this fraction of the largest coordinate, and angles to this many rad.
ROUNDED = 1e-15
#: More bodies than this are too many for the dense matrices that tell singular poses.
MOST_BODIES = 30
#: Frames without mass weigh this fraction of the lightest body on the way.
LIGHT = 1e-3


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
        shift = 1e-2 * FLAT * self.largest  # displacements without stiffness stay where they are
        matrix = self.own + shift * self.weight + self.penalty * self.tied
        try:
            self.factored = splu(matrix.tocsc())
        except RuntimeError:
            return None
        step = self.solve(force)
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


@dataclass(frozen=True)
class Place:
    """A configuration at rest on the constraints, and the forces there."""

    instant: Instant
    absolute: Floats
    angles: Floats  # (quadratures,) of joints, with whole turns
    weights: Floats  # (unknowns,), the diagonal of the metric
    metric: Any  # that and its inverse, sparse
    #: Closing joints after a step, J is taken anew if a correction leaves more than this.
    patience = 0.03

    @cached_property
    def linear(self) -> Linear:
        return Linear(self.instant, self.absolute, self.angles, *self.metric)

    def at(self, absolute: Floats, angles: Floats) -> "Place":
        """Another configuration of the same model."""
        return Place(self.instant, absolute, angles, self.weights, self.metric)

    # --- constraints ---

    def corrector(self) -> Callable[[Floats], Floats]:
        """The shortest way back to the constraints from gaps."""
        nothing, kkt = np.zeros(len(self.weights)), self.linear.kkt
        return lambda gaps: kkt.solve(nothing, -gaps, RETURNING)[: self.instant.bodies]

    def gaps(self, absolute: Floats) -> Floats:
        return self.instant.gaps(absolute, self.angles)

    # --- forces ---

    @property
    def roots(self) -> Floats:
        return np.sqrt(self.weights)

    @property
    def force(self) -> Floats:
        """F, in kg^(1/2) m/s^2."""
        return self.roots * self.linear.solution[0]

    def displacement(self, p: Floats) -> Floats:
        """Twists (n, 6) of all bodies."""
        return (p / self.roots)[: self.instant.bodies].reshape(-1, 6)

    @cached_property
    def sizes(self) -> Floats:
        """How large what is not balanced may be; stiff springs feel the rounding of positions."""
        tangent, bodies = self.linear.tangent, self.instant.bodies
        reach = np.zeros(self.instant.count)
        reach[:bodies] = np.tile(np.repeat((1.0, self.farthest), 3), len(self.absolute))
        multipliers = self.instant.padded(self.linear.solution[1])
        reactions = tangent.reaction_sizes(multipliers, self.instant.system)
        felt: Floats = abs(tangent.by_pose) @ reach + reactions
        return BALANCED * tangent.sizes + ROUNDED * felt

    @property
    def balanced(self) -> bool:
        if not self.is_large:
            basis = self.along.free.basis
            force = basis.T @ self.linear.terms.forces
            return bool(np.all(np.abs(force) <= np.abs(basis).T @ self.sizes))
        bodies = self.instant.bodies
        return bool(np.all(np.abs(self.roots * self.force)[:bodies] <= self.sizes[:bodies]))

    @property
    def farthest(self) -> float:
        """The largest coordinate of a body or of a point that a force or joint acts at, m."""
        system = self.instant.system
        points = [self.absolute[:, POSE_X : POSE_X + 3]]
        for pairs in (system.joints, system.forces):
            points += [pairs.point_a, pairs.point_b]
        return max(float(np.abs(p).max(initial=0.0)) for p in points)

    # --- stiffness ---

    @cached_property
    def stiffness(self) -> Stiffness:
        acceleration, multipliers = self.linear.solution
        blocks = self.linear.stiffness_blocks(multipliers, self.weights * acceleration)
        total = np.zeros(len(self.weights) + 1)  # the ground's are the last
        for columns, block in blocks:
            np.add.at(total, columns, np.abs(np.einsum("mii->mi", block)))
        largest = float((total[:-1] / self.weights).max(initial=0.0)) or 1.0
        stiff, scale = self.linear.summed(blocks), self.linear.kkt.scale
        return Stiffness(stiff, largest, self.weights, self.linear.terms.jacobian, scale)

    @property
    def is_uphill(self) -> bool:
        """Whether no displacement along the constraints leads downhill."""
        if self.is_large:
            return self.stiffness.factor(FLAT * self.stiffness.largest)
        stiffness = self.active.T @ self.along.stiffness @ self.active
        return bool(np.all(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)) > 0.0))

    @property
    def is_neutral(self) -> bool:
        """Whether some displacement along the constraints has no stiffness, or a negative one."""
        return not self.stiffness.factor(-FLAT * self.stiffness.largest)

    def with_the_forces(self, radius: float) -> Floats:
        """The step of most work within the radius."""
        if not self.is_large:
            return self.dense_step(with_the_forces, radius)
        return self.turned(self.stiffness.limited(self.weights * self.linear.solution[0], radius))

    def to_the_root(self, radius: float) -> Floats:
        """Newton's step to F = 0, within the radius."""
        if not self.is_large:
            return self.dense_step(to_the_root, radius)
        step = self.stiffness.newton(self.weights * self.linear.solution[0])
        if step is None:
            return np.zeros(len(self.weights))
        length = self.stiffness.length(step)
        return self.turned(step * min(1.0, radius / length) if length > 0.0 else step)

    @cached_property
    def along(self) -> Reduced:
        """On the tangent space, dense, in the metric of the search."""
        return reduce(self.linear, loose=False, check=False)

    @cached_property
    def active(self) -> Floats:
        """Columns span the displacements with a stiffness or an unbalanced force."""
        parts, basis = self.along, self.along.free.basis
        values, vectors = np.linalg.eigh(0.5 * (parts.stiffness + parts.stiffness.T))
        idle = np.abs(values) <= rounding_of(vectors, parts.noise)
        pulled = np.abs(vectors.T @ (basis.T @ self.linear.terms.forces))
        idle &= pulled <= np.abs(vectors).T @ (np.abs(basis).T @ self.sizes)
        return vectors[:, ~idle]

    def dense_step(self, rule: Callable[..., Floats], radius: float) -> Floats:
        """A step among the active displacements that turns no body too far."""
        basis = self.along.free.basis @ self.active
        stiffness = self.active.T @ self.along.stiffness @ self.active
        force = basis.T @ self.linear.terms.forces
        while True:
            step = basis @ rule(force, stiffness, radius)
            excess = self.largest_turn(step) / LARGEST_TURN
            if not excess > 1.0:
                return self.roots * step
            radius = 0.99 * float(np.linalg.norm(self.roots * step)) / excess

    def largest_turn(self, step: Floats) -> float:
        turns = step[: self.instant.bodies].reshape(-1, 6)[:, :3]
        return float(np.linalg.norm(turns, axis=1).max())

    def turned(self, step: Floats) -> Floats:
        """p of a step, shortened so that no body turns too far."""
        return self.roots * step * min(1.0, LARGEST_TURN / max(self.largest_turn(step), 1e-300))

    def gain(self, p: Floats) -> float:
        """The work that is expected of a step."""
        step = p / self.roots
        return float(self.force @ p) - 0.5 * float(step @ (self.stiffness.own @ step))

    # --- what is told ---

    @cached_property
    def let_go(self) -> Linear:
        """The same for bodies that begin to move: with their masses."""
        return linear_at(self.instant, self.absolute, self.angles)

    @cached_property
    def reduced(self) -> Reduced:
        """On the tangent space, dense, as wheels roll; singular poses are refused."""
        return reduce(self.let_go, loose=False)

    @property
    def residual(self) -> Unbalance:
        return self.let_go.unbalance(self.let_go.solution[0])

    def pull_on(self, body: int) -> Unbalance:
        """What is not balanced on one body."""
        twists = self.let_go.solution[0][: self.instant.bodies]
        return Unbalance.of((self.let_go.body_mass @ twists)[6 * body : 6 * body + 6])

    @property
    def wrenches(self) -> Floats:
        """-J^T lambda of every joint on its bodies (1, m, 12)."""
        multipliers = self.instant.padded(self.let_go.solution[1])
        return -self.linear.tangent.wrenches(multipliers, self.instant.system.joint_count)[None]

    @property
    def is_large(self) -> bool:
        return self.instant.system.body_count > MOST_BODIES


def first_place(model: Model, start: State | None) -> Place:
    """The start of the search, at rest."""
    from scipy.sparse import diags

    begun = None if start is None else checked_state(start, "start")
    instant, absolute = make_instant(model, begun, held=True)
    absolute = absolute.copy()
    absolute[:, TWIST:] = 0.0
    check_gaps(instant, absolute)
    weights = stiff_weights(instant, absolute)
    metric = diags(weights, format="csc"), diags(1.0 / weights, format="csc")
    place = Place(instant, absolute, instant.integrals, weights, metric)
    if not place.is_large:
        _ = place.reduced
    return place


def stiff_weights(instant: Instant, absolute: Floats) -> Floats:
    """The metric of the search: turning a body costs as much as moving the whole model.

    Steps are then made of turns, and what hangs on a body follows by shifts.  In a long chain the
    potential is nearly a sum over the turns of single links, and Newton's steps are long: 9 for a
    chain of 200 links that starts out straight, against 204 in the metric of the masses.  Gaps are
    closed by shifts as well, which is exact for what hangs on a joint, whatever its size.
    Where turning is cheap, a long chain buckles instead, and further open joints come of it.
    """
    mass = instant.system.bodies.mass
    mass = np.where(mass > 0.0, mass, LIGHT * mass[mass > 0.0].min(initial=np.inf))
    mass = np.where(np.isfinite(mass), mass, 1.0)
    size = model_size(instant.system, absolute)
    bodies = np.repeat(np.column_stack((mass * size**2, mass)), 3)
    rates = instant.jacobian(instant.evaluated(absolute, instant.integrals), [])
    first, count = len(instant.real), len(instant.coordinates)
    own = rates[first : first + count, : instant.bodies]
    return np.concatenate((bodies, 1.0 / np.asarray(own.multiply(own) @ (1.0 / bodies)).ravel()))


def model_size(system: System, absolute: Floats) -> float:
    """The extent of the bodies, m, at the least a radius of gyration."""
    fixed = system.joints.point_a[system.joints.a < 0]
    points = np.vstack((absolute[:, POSE_X : POSE_X + 3], fixed))
    extent = np.ptp(points, axis=0).max()
    return max(float(extent), float(gyration_radii(system).max())) or 1.0


def unbalanced(place: Place) -> float:
    """|F|: independent of the basis."""
    return float(np.linalg.norm(place.force))
