"""A configuration at rest on the constraints, and what the forces do there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.instant import Instant, check_gaps, make_instant
from chasles.analysis.linear import Linear, Unbalance, linear_at
from chasles.analysis.reduced import Reduced, reduce
from chasles.analysis.trust import Stiffness
from chasles.build.system.gaps import gyration_radii
from chasles.build.system.state import State, checked_state
from chasles.core.arrays import POSE_X, TWIST, Floats, System
from chasles.model import Model

#: Solves of a way back, which is repeated anyway.
RETURNING = 2
#: No body turns by more than this in a step, rad.
LARGEST_TURN = 0.7
#: Unbalanced forces below this fraction of those that act count as balanced.
BALANCED = 1e-10
#: Positions are known to this fraction of the largest coordinate, and angles to this many rad.
ROUNDED = 1e-15
#: More bodies than this are too many for the dense matrices that find singular poses and the
#: motions without stiffness.
MOST_BODIES = 30
#: Frames without mass weigh this fraction of the lightest body on the way.
LIGHT = 1e-3


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
    def force(self) -> Floats:
        """(unknowns,) What is not balanced, N and N m."""
        return self.weights * self.linear.solution[0]

    @property
    def unbalanced(self) -> float:
        """Its size in the metric, kg^(1/2) m/s^2: independent of the basis."""
        return self.length(self.linear.solution[0])

    def length(self, step: Floats) -> float:
        """Of a step (unknowns,) in the metric."""
        return float(np.sqrt(step @ (self.weights * step)))

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
        """Whether no body is pulled by more than `sizes`: frames without mass move with others."""
        heavy = np.repeat(self.instant.system.bodies.mass > 0.0, 6)
        pulls = np.abs(self.force)[: self.instant.bodies]
        return bool(np.all(pulls[heavy] <= self.sizes[: self.instant.bodies][heavy]))

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
        blocks = self.linear.stiffness_blocks(self.linear.solution[0])
        roots = np.append(np.sqrt(self.weights), np.inf)  # the ground's is the last
        total = np.zeros(len(roots))
        for columns, block in blocks:
            scaled = np.abs(block) / roots[columns][:, :, None] / roots[columns][:, None]
            np.add.at(total, columns, 0.5 * (scaled.sum(axis=2) + scaled.sum(axis=1)))
        largest = float(total.max(initial=0.0)) or 1.0
        stiff, scale = self.linear.summed(blocks), self.linear.kkt.scale
        return Stiffness(stiff, largest, self.weights, self.linear.terms.jacobian, scale)

    @property
    def is_uphill(self) -> bool:
        """Whether no displacement along the constraints leads downhill."""
        return self.stiffness.positive

    @property
    def is_neutral(self) -> bool:
        """Whether some displacement along the constraints has no stiffness, or a negative one."""
        return not self.stiffness.definite

    def with_the_forces(self, radius: float) -> Floats:
        """The step of most work within the radius."""
        return turned(self.stiffness.limited(self.force, radius), self.instant.bodies)

    def to_the_root(self, radius: float) -> Floats:
        """Newton's step to F = 0, within the radius."""
        step = self.stiffness.newton(self.force)
        if step is None:
            return np.zeros(len(self.weights))
        length = self.length(step)
        within = step * min(1.0, radius / length) if length > 0.0 else step
        return turned(within, self.instant.bodies)

    def gain(self, step: Floats) -> float:
        """The work that is expected of a step."""
        return float(self.force @ step) - 0.5 * float(step @ (self.stiffness.own @ step))

    # --- results ---

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
    check_gaps(instant, absolute, instant.integrals)
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
    own = instant.of_coordinates(rates)
    return np.concatenate((bodies, 1.0 / np.asarray(own.multiply(own) @ (1.0 / bodies)).ravel()))


def model_size(system: System, absolute: Floats) -> float:
    """The extent of the bodies, m, at the least a radius of gyration."""
    fixed = system.joints.point_a[system.joints.a < 0]
    points = np.vstack((absolute[:, POSE_X : POSE_X + 3], fixed))
    extent = np.ptp(points, axis=0).max()
    return max(float(extent), float(gyration_radii(system).max())) or 1.0


def turned(step: Floats, bodies: int) -> Floats:
    """A step, shortened so that no body turns too far."""
    turns = step[:bodies].reshape(-1, 6)[:, :3]
    largest = float(np.linalg.norm(turns, axis=1).max())
    return step * min(1.0, LARGEST_TURN / max(largest, 1e-300))
