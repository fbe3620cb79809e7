"""A configuration at rest on the constraints, and what the forces do there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chasles.analysis.instant import Free, Instant, Terms, check_gaps, make_instant
from chasles.analysis.large import LARGEST_TURN, LargePlace, large_place
from chasles.analysis.reduced import (
    Reduced,
    Unbalance,
    check_regular,
    reduce,
    rounding_of,
    unbalance,
)
from chasles.analysis.sizes import BALANCED, ROUNDED, farthest
from chasles.analysis.trust import to_the_root, with_the_forces
from chasles.build.start.redundancy import DEPENDENT
from chasles.build.system.state import State, checked_state
from chasles.core.arrays import TWIST, Floats
from chasles.model import Model


@dataclass(frozen=True)
class Place:
    """A configuration at rest on the constraints, and the forces there."""

    instant: Instant
    absolute: Floats
    angles: Floats  # (quadratures,) of joints, with whole turns
    terms: Terms
    rank: int
    free: Free
    #: Closing joints after a step, J is taken anew if a correction leaves more than this.
    patience = 0.2

    @property
    def force(self) -> Floats:
        """F = Z^T Q, in kg^(1/2) m/s^2."""
        return self.free.basis.T @ self.terms.forces

    def displacement(self, p: Floats) -> Floats:
        """Twists (n, 6) of all bodies."""
        return (self.free.basis @ p).reshape(-1, 6)

    def corrector(self) -> Callable[[Floats], Floats]:
        """The shortest way back to the constraints from gaps."""
        return lambda gaps: -self.free.back @ gaps

    def corrector_at(self, absolute: Floats) -> Callable[[Floats], Floats]:
        """The same elsewhere; joints repeat each other as they do here."""
        instant = self.instant
        jacobian = instant.terms(absolute, self.angles).jacobian
        back = instant.way_back(jacobian, self.rank, instant.roundness)
        return lambda gaps: -back @ gaps

    def at(self, absolute: Floats, angles: Floats) -> "Place":
        """Another configuration of the same model."""
        return make_place(self.instant, absolute, angles)

    def with_the_forces(self, radius: float) -> Floats:
        """The step of most work within the radius."""
        return self.step(with_the_forces, radius)

    def to_the_root(self, radius: float) -> Floats:
        """The step within the radius that leaves the least force."""
        return self.step(to_the_root, radius)

    def pull_on(self, body: int) -> Unbalance:
        """What is not balanced on one body."""
        wrench = self.instant.mass @ self.let_go.acceleration
        torque, force = np.linalg.norm(wrench.reshape(-1, 2, 3)[body], axis=1)
        return Unbalance(float(force), float(torque))

    @property
    def wrenches(self) -> Floats:
        """-J^T lambda of every joint on its bodies (1, m, 12); of several lambda the shortest."""
        jacobian, forces = self.terms.jacobian, self.terms.forces
        shortest: Floats = np.linalg.lstsq(jacobian.T, forces, rcond=DEPENDENT)[0].astype(float)
        multipliers = self.instant.padded(shortest)
        return -self.parts.tangent.wrenches(multipliers, self.instant.system.joint_count)[None]

    @cached_property
    def parts(self) -> Reduced:
        """Derivatives along ways of the search."""
        return reduce(self.instant, self.absolute, self.angles, self.terms, self.free)

    @cached_property
    def let_go(self) -> Reduced:
        """The same for bodies that begin to move."""
        free = self.instant.free(self.terms.jacobian, self.rank, self.instant.inertia)
        return reduce(self.instant, self.absolute, self.angles, self.terms, free)

    @property
    def residual(self) -> Unbalance:
        """What is not balanced."""
        return unbalance(self.instant.mass, self.let_go.acceleration)

    @cached_property
    def active(self) -> Floats:
        """Columns span the displacements with a stiffness or an unbalanced force, in p."""
        values, vectors = np.linalg.eigh(0.5 * (self.parts.stiffness + self.parts.stiffness.T))
        idle = np.abs(values) <= rounding_of(vectors, self.parts.noise)
        idle &= np.abs(vectors.T @ self.force) <= np.abs(vectors).T @ self.allowed
        return vectors[:, ~idle]

    @cached_property
    def allowed(self) -> Floats:
        """How large F may be in a balanced place; stiff springs feel the rounding of positions."""
        slopes = np.abs(self.parts.tangent.by_pose)
        reach = np.tile(np.repeat((1.0, farthest(self)), 3), len(self.absolute))
        floor = BALANCED * self.parts.tangent.sizes + ROUNDED * (slopes @ reach)
        return np.abs(self.free.basis).T @ floor

    @property
    def balanced(self) -> bool:
        return bool(np.all(np.abs(self.force) <= self.allowed))

    @property
    def least_stiffness(self) -> float:
        """The smallest eigenvalue of K among the active displacements."""
        stiffness = self.active.T @ self.parts.stiffness @ self.active
        return float(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)).min(initial=np.inf))

    def step(self, rule: Callable[..., Floats], radius: float) -> Floats:
        """A step among the active displacements that turns no body too far."""
        basis = self.active
        stiffness, force = basis.T @ self.parts.stiffness @ basis, basis.T @ self.force
        while True:
            p = basis @ rule(force, stiffness, radius)
            turns = (self.free.basis @ p).reshape(-1, 6)[:, :3]
            excess = float(np.linalg.norm(turns, axis=1).max()) / LARGEST_TURN
            if not excess > 1.0:
                return p
            radius = 0.99 * float(np.linalg.norm(p)) / excess

    def gain(self, p: Floats) -> float:
        """The work that is expected of a step."""
        return float(self.force @ p - 0.5 * p @ self.parts.stiffness @ p)


AnyPlace = Place | LargePlace


def make_place(instant: Instant, absolute: Floats, angles: Floats) -> Place:
    terms = instant.terms(absolute, angles)
    rank = instant.rank(terms.entries)
    free = instant.free(terms.jacobian, rank, instant.roundness)
    return Place(instant, absolute, angles, terms, rank, free)


def first_place(model: Model, start: State | None) -> Place | LargePlace:
    """The start of the search, at rest."""
    begun = None if start is None else checked_state(start, "start")
    instant, absolute = make_instant(model, begun, held=True)
    absolute = absolute.copy()
    absolute[:, TWIST:] = 0.0
    check_gaps(instant, absolute)
    if instant.is_large:
        return large_place(instant, absolute, instant.integrals)
    place = make_place(instant, absolute, instant.integrals)
    check_regular(instant, place.parts)
    return place


def unbalanced(place: AnyPlace) -> float:
    """|F|: independent of the basis."""
    return float(np.linalg.norm(place.force))
