"""A configuration at rest in a model of many bodies: as `place`, on sparse matrices throughout.

Displacements p are those of all bodies, times the square root of a diagonal weight: the length of p
is that of the metric, as it is in a small model with a basis of the tangent space.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.analysis.bodymatrix import FLAT, BodyGraph, Stiffness, Ties
from chasles.analysis.instant import Instant
from chasles.analysis.reduced import Unbalance
from chasles.analysis.sizes import BALANCED, ROUNDED, farthest, model_size
from chasles.analysis.stacks import GENERATORS
from chasles.analysis.tangent import Tangent
from chasles.build.start.kkt import DampedKkt, Rows, constraint_rows, mass_blocks
from chasles.core.arrays import Floats, Integers

#: Multiplier steps of a way back, which is repeated anyway.
RETURNING = 2
#: mu of the accelerations.
TIE_DAMPING = 1e-10
#: No body turns by more than this in a step, rad.
LARGEST_TURN = 0.7


@dataclass(frozen=True)
class LargePlace:
    """A configuration at rest on the constraints, and the forces there."""

    instant: Instant
    absolute: Floats
    angles: Floats  # (quadratures,) of joints, with whole turns
    forces: Floats  # Q (6n,)
    rows: Rows  # J
    graph: BodyGraph
    weights: Floats  # (6n,), the diagonal of the metric
    #: Closing joints after a step, J is taken anew if a correction leaves more than this.
    patience = 0.03

    # --- constraints ---

    @cached_property
    def ties(self) -> Ties:
        return self.tied(self.weights, self.rows)

    def tied(self, weights: Floats, rows: Rows) -> Ties:
        return Ties(self.graph, weights, rows, self.instant.system.joints.rows)

    def corrector(self) -> Callable[[Floats], Floats]:
        """The shortest way back to the constraints from gaps."""
        return self.way_back(self.rows)

    def corrector_at(self, absolute: Floats) -> Callable[[Floats], Floats]:
        """The same elsewhere."""
        return self.way_back(real_rows_at(self.instant, absolute, self.angles)[1])

    def way_back(self, rows: Rows) -> Callable[[Floats], Floats]:
        ties = self.tied(self.weights, rows)
        return lambda gaps: ties.solve_both(np.zeros(len(self.forces)), -gaps, RETURNING)[0]

    def at(self, absolute: Floats, angles: Floats) -> "LargePlace":
        """Another configuration of the same model."""
        forces, rows = real_rows_at(self.instant, absolute, angles)
        return LargePlace(self.instant, absolute, angles, forces, rows, self.graph, self.weights)

    # --- forces ---

    @cached_property
    def balance(self) -> tuple[Floats, Floats]:
        """The acceleration in the metric of the search, and the multipliers."""
        return self.ties.solve_both(self.forces, np.zeros(len(self.rows.entries)))

    @property
    def roots(self) -> Floats:
        return np.sqrt(self.weights)

    @property
    def force(self) -> Floats:
        """F, in kg^(1/2) m/s^2."""
        return self.roots * self.balance[0]

    def displacement(self, p: Floats) -> Floats:
        """Twists (n, 6) of all bodies."""
        return (p / self.roots).reshape(-1, 6)

    @cached_property
    def allowed(self) -> Floats:
        """How large F may be in a balanced place; stiff springs feel the rounding of positions."""
        reach = np.tile(np.repeat((1.0, farthest(self)), 3), len(self.absolute))
        felt = np.zeros(len(reach) + 1)
        padded = np.append(reach, 0.0)
        for load in self.tangent.loads:
            slopes = np.abs(load.slopes[:, :, :12])
            np.add.at(felt, load.columns, np.einsum("mcd,md->mc", slopes, padded[load.columns]))
        return (BALANCED * self.tangent.sizes + ROUNDED * felt[:-1]) / self.roots

    @property
    def balanced(self) -> bool:
        return bool(np.all(np.abs(self.force) <= self.allowed))

    # --- stiffness ---

    @cached_property
    def tangent(self) -> Tangent:
        return self.instant.tangent(self.absolute, self.angles)

    @cached_property
    def blocks(self) -> list[tuple[Integers, Floats]]:
        """K as blocks on pairs of bodies: columns (m, 12) and blocks (m, 12, 12)."""
        acceleration, multipliers = self.balance
        return stiffness_blocks(
            self.tangent, self.instant.padded(multipliers), self.weights * acceleration
        )

    @cached_property
    def stiffness(self) -> Stiffness:
        return Stiffness(self.graph, self.blocks, self.weights, self.ties)

    @property
    def least_stiffness(self) -> float:
        """Its sign: positive where no displacement leads downhill."""
        return 1.0 if self.stiffness.factor(FLAT * self.stiffness.largest) else -1.0

    @property
    def is_neutral(self) -> bool:
        """Whether some displacement along the constraints has no stiffness."""
        return self.stiffness.negative(-FLAT * self.stiffness.largest) > 0

    def with_the_forces(self, radius: float) -> Floats:
        """The step of most work within the radius."""
        return self.turned(self.stiffness.limited(self.weights * self.balance[0], radius))

    def to_the_root(self, radius: float) -> Floats:
        """Newton's step to F = 0, shortened to the radius."""
        step = self.stiffness.newton(self.weights * self.balance[0])
        if step is None:
            return np.zeros(len(self.forces))
        length = self.stiffness.length(step)
        return self.turned(step * min(1.0, radius / length) if length > 0.0 else step)

    def turned(self, step: Floats) -> Floats:
        """p of a step, shortened so that no body turns too far."""
        turns = np.linalg.norm(step.reshape(-1, 6)[:, :3], axis=1).max()
        return self.roots * step * min(1.0, LARGEST_TURN / max(float(turns), 1e-300))

    def gain(self, p: Floats) -> float:
        """The work that is expected of a step."""
        step = np.append(p / self.roots, 0.0)
        bent = sum(
            float(np.einsum("mc,mcd,md->", step[columns], block, step[columns]))
            for columns, block in self.blocks
        )
        return float(self.force @ p) - 0.5 * bent

    # --- what is told ---

    @cached_property
    def unbalanced_wrench(self) -> Floats:
        """What would be needed to accelerate the bodies, (n, 2, 3)."""
        jacobian = self.rows.sparse(len(self.forces))
        kkt = DampedKkt(mass_blocks(self.instant.system), jacobian, TIE_DAMPING)
        acceleration = kkt.solve(self.forces, np.zeros(jacobian.shape[0]))
        return (kkt.weight @ acceleration).reshape(-1, 2, 3)

    @property
    def residual(self) -> Unbalance:
        torque, force = np.linalg.norm(self.unbalanced_wrench, axis=2).max(axis=0, initial=0.0)
        return Unbalance(float(force), float(torque))

    def pull_on(self, body: int) -> Unbalance:
        torque, force = np.linalg.norm(self.unbalanced_wrench[body], axis=1)
        return Unbalance(float(force), float(torque))

    @property
    def wrenches(self) -> Floats:
        """-J^T lambda of every joint on its bodies (1, m, 12)."""
        multipliers = self.instant.padded(self.balance[1])
        return -self.tangent.wrenches(multipliers, self.instant.system.joint_count)[None]


def stiffness_blocks(
    tangent: Tangent, multipliers: Floats, needed: Floats
) -> list[tuple[Integers, Floats]]:
    r"""$-(\partial_\xi Q - \partial_\xi(J^T\lambda) + (0, \omega\times f))$ on pairs of bodies."""
    blocks = [(x.columns, -x.slopes[:, :, :12]) for x in tangent.loads]
    blocks += list(tangent.reaction_blocks(multipliers))
    force = needed.reshape(-1, 2, 3)[:, 1]
    held = np.zeros((len(force), 12, 12))
    held[:, 9:12, 6:9] = np.einsum("bk,kij->bij", force, GENERATORS)
    return [*blocks, (tangent.loads[0].columns, held)]


def real_rows_at(instant: Instant, absolute: Floats, angles: Floats) -> tuple[Floats, Rows]:
    """Q, and J without padding."""
    found = instant.evaluated(absolute, angles)
    every = constraint_rows(instant.setup, found.jacobian)
    return found.forces, Rows(every.entries[instant.rows], every.columns[instant.rows])


def sparse_terms(instant: Instant, absolute: Floats, angles: Floats) -> tuple[Floats, Any, Floats]:
    """Q, J of the real rows as a sparse matrix, and eta of these."""
    found = instant.evaluated(absolute, angles)
    jacobian = constraint_rows(instant.setup, found.jacobian)
    sparse = jacobian.sparse(6 * instant.system.body_count).tocsr()[instant.rows]
    return found.forces, sparse, found.eta[instant.rows]


def large_place(instant: Instant, absolute: Floats, angles: Floats) -> LargePlace:
    forces, rows = real_rows_at(instant, absolute, angles)
    graph, weights = BodyGraph(instant.system), stiff_weights(instant, absolute)
    return LargePlace(instant, absolute, angles, forces, rows, graph, weights)


def stiff_weights(instant: Instant, absolute: Floats) -> Floats:
    """The metric of a large model: turning a body costs as much as moving the whole model.

    Steps are then made of turns, and what hangs on a body follows by shifts.  In a long chain the
    potential is nearly a sum over the turns of single links, and Newton's steps are long: 9 for a
    chain of 200 links that starts out straight, against 204 in the metric of the masses.  Gaps are
    closed by shifts as well, which is exact for what hangs on a joint, whatever its size.
    Where turning is cheap, a long chain buckles instead, and further open joints come of it.
    """
    weights = instant.weights.reshape(-1, 2, 3).copy()
    weights[:, 0] = weights[:, 1] * model_size(Start(instant, absolute)) ** 2
    return weights.ravel()


class Start(NamedTuple):
    """A configuration before anything is known of it."""

    instant: Instant
    absolute: Floats
