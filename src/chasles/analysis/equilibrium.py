r"""Static equilibrium: a configuration in which the joints balance all forces.

At rest $M\dot V = Q - J^T\lambda$ with $J\dot V = 0$, so a configuration is an equilibrium where the
reduced force $F = Z^T Q$ vanishes, Z a basis of $\ker J$.  A displacement
$\xi = (\omega, u) = Z p$ to $(R\exp\hat\omega, x + R u)$, followed by the way back
$\delta = -J^+ g$, stays on the constraints.  Along it $F(p) = F - K p + \dots$ with K of
`chasles.analysis.linearise`,

$$ K = -Z^T\bigl(\partial_\xi Q - \partial_\xi(J^T\lambda) + (0, \omega\times f)\bigr)Z,
   \qquad (\tau, f) = Q - J^T\lambda, $$

and the work of the forces is $F\cdot p - \frac12 p\cdot K p$ to second order.  The last term of K
is there because the body twist along that path is $(\omega, \exp(-s\hat\omega)u)$; the one before
it holds the curvature of the constraints, $Q\cdot\delta = -\lambda\cdot g$ with
$g = \frac12(\partial_\xi J)\xi + \dots$.  Bases and ways back are those of a metric in which this
path is a straight one, the mass matrix of bodies that resist rotation about all axes alike: the
equilibrium does not depend on it, and thin rods do not spin about themselves on the way.

**A stable equilibrium** is sought by steps of the most work within a trust region.  What a step
really does is found by integrating $Q\cdot d\xi$ along it: where the forces have a potential that is
its decrease, without the cancellation of a difference, and where they have none it still says
whether the step went with the forces.  Negative stiffness is followed, so an unstable equilibrium
is left.  **The nearest equilibrium**, stable or not, is a root of F, found by Newton's steps with K,
shortened where they do not help; these are also tried where the work leads nowhere, as circulatory
forces can make it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from chasles import diagnostics
from chasles.analysis.instant import Free, Instant, Terms, check_gaps, checked_state, make_instant
from chasles.analysis.linearise import (
    Linearisation,
    Reduced,
    Unbalance,
    check_regular,
    linearised,
    reduce,
    unbalance,
)
from chasles.analysis.modes import rounding_of
from chasles.analysis.poses import moved, orthogonal, rotations, unwrapped
from chasles.analysis.trust import to_the_root, with_the_forces
from chasles.diagnostics import Reaction
from chasles.dynamics.redundancy import DEPENDENT
from chasles.model import InvalidOption, Joint, Model, NoEquilibrium, UnknownName
from chasles.model.checks import checked_count
from chasles.model.model import checked_model
from chasles.system.arrays import (
    BODY_A,
    INERTIA,
    MASS,
    POINT_A,
    POSE_X,
    TWIST,
    Floats,
)
from chasles.system.state import State

PREFERENCES = ("stable", "nearest")
#: Unbalanced forces below this fraction of those that act count as balanced ...
BALANCED = 1e-10
#: ... and are then made smaller by so many more steps, as long as each halves them.
POLISHING = 5
MOST_STEPS = 300
#: Gauss-Legendre nodes and weights on [0, 1], for the work of a step.
NODES = (0.5 - 0.15**0.5, 0.5, 0.5 + 0.15**0.5)
WEIGHTS = (5 / 18, 8 / 18, 5 / 18)
#: No body turns by more than this in a step, rad; the first step moves none by more than this
#: share of the model's size.
LARGEST_TURN, FIRST_SHARE = 0.7, 0.3
#: A search whose steps are shorter than this fraction of the first one allowed has come to an end.
SHORTEST = 1e-13
#: Joints are closed to this fraction of the model's size, in so many corrections.
CLOSED, MOST_CORRECTIONS = 1e-15, 30
#: ... and if rounding does not let them close so well, to this one.
NEARLY_CLOSED = 1e-12
#: A body that has gone so many times the model's size is lost.
LOST = 1e4


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A configuration at rest in which all forces are balanced.

    state       poses, and zero velocities
    residual    the largest force (N) and torque (N m) on a body that is not balanced
    stability   "stable", "neutral" or "unstable": by the stiffness against small displacements
    neutral     (k, n, 6) displacements without stiffness: rotations and translations in body axes
    stiffness   eigenvalues of the reduced stiffness per mass, 1/s^2, smallest first
    iterations  steps it took
    """

    model: Model
    state: State
    residual: Unbalance
    stability: str
    neutral: Floats
    stiffness: Any
    iterations: int
    place: "Place" = field(repr=False)

    @property
    def stable(self) -> bool:
        """Whether every small displacement is pushed back."""
        return self.stability == "stable"

    def reaction(self, joint: Joint | str) -> Reaction:
        """Force and torque of a joint (or driver) on its bodies; arrays have one row."""
        setup = self.place.instant.solver.setup
        name = getattr(joint, "name", joint)
        if not isinstance(name, str) or name not in setup.joint_index:
            raise UnknownName.among("joint", name, setup.joint_index)
        return diagnostics.reaction(
            self.place.instant.solver, name, self.place.absolute[None], self._wrenches
        )

    def linearise(self) -> Linearisation:
        """Small vibrations about the equilibrium, drivers and motors held where they are."""
        return linearised(self.place.instant, self.place.absolute, self.place.angles, "body")

    @cached_property
    def _wrenches(self) -> Floats:
        """-J^T lambda of every joint on its bodies (1, m, 12); of several lambda the shortest."""
        place = self.place
        jacobian, forces = place.terms.jacobian, place.terms.forces
        lengths = np.linalg.lstsq(jacobian.T, forces, rcond=DEPENDENT)[0]
        multipliers = place.instant.padded(lengths)
        joints = place.parts.tangent.joints
        return -np.array([[multipliers[joint.rows] @ joint.entries for joint in joints]])

    def __repr__(self) -> str:
        count = len(self.neutral)
        words = "direction" if count == 1 else "directions"
        free = f", {count} {words} without stiffness" if count else ""
        return (
            f"Equilibrium({self.stability}{free}, unbalanced {self.residual.force:.2g} N and"
            f" {self.residual.torque:.2g} N m after {self.iterations} steps)"
        )


def equilibrium(
    model: Model, start: State | None = None, prefer: str = "stable", most_steps: int = MOST_STEPS
) -> Equilibrium:
    """A configuration at rest in which all forces are balanced, found from a start.

    start       where to begin; the model's own start if left out.  Velocities are set to zero,
                functions of time (loads, drivers, motors) keep their values at the start's t
    prefer      "stable" goes with the forces, down their potential, until nothing moves any more;
                "nearest" takes the next configuration without unbalanced forces, stable or not
    most_steps  after how many steps down, and then straight to a root, to give up

    Friction that is smooth in the speed holds nothing at rest.  Wheels roll on the way.

    >>> import chasles as ch
    >>> rod = ch.Body.rod("rod", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0))
    >>> rest = ch.equilibrium(ch.Model([rod], [hinge]))
    >>> rest.stability, rest.state.position.round(12).tolist()
    ('stable', [[0.0, 0.0, -0.5]])
    """
    checked_model(model)
    if not isinstance(prefer, str) or prefer not in PREFERENCES:
        raise UnknownName.among("preference", prefer, PREFERENCES, where="prefer")
    most_steps = checked_count(most_steps, "most_steps", 10**6, "equilibrium", InvalidOption)
    place = first_place(model, start)
    search = Search(place, most_steps)
    methods = (search.down, search.root) if prefer == "stable" else (search.root,)
    for method in methods:
        found = method()
        if found is not None:
            return report(model, search.polished(found), search.steps)
    raise search.failure()


# --- where the search is ---


@dataclass(frozen=True)
class Place:
    """A configuration at rest on the constraints, and the forces there."""

    instant: Instant
    absolute: Floats
    angles: Floats
    terms: Terms
    rank: int
    free: Free

    @property
    def force(self) -> Floats:
        """F = Z^T Q, in kg^(1/2) m/s^2."""
        return self.free.basis.T @ self.terms.forces

    @cached_property
    def parts(self) -> Reduced:
        """Derivatives; displacements are those that wheels can roll."""
        return self.in_metric(self.free)

    @cached_property
    def let_go(self) -> Reduced:
        """The same for bodies that begin to move."""
        terms, instant = self.terms, self.instant
        return self.in_metric(instant.free(terms.jacobian, self.rank, instant.inertia))

    def in_metric(self, free: Free) -> Reduced:
        parts = reduce(self.instant, self.absolute, self.angles, self.terms, free)
        return replace(parts, positions=free.basis)

    @property
    def residual(self) -> Unbalance:
        """What is not balanced."""
        return unbalance(self.instant, self.let_go.acceleration)

    @cached_property
    def active(self) -> Floats:
        """Columns span the displacements with a stiffness or an unbalanced force, in p."""
        values, vectors = np.linalg.eigh(0.5 * (self.parts.stiffness + self.parts.stiffness.T))
        idle = np.abs(values) <= rounding_of(vectors, self.parts.noise)
        idle &= np.abs(vectors.T @ self.force) <= np.abs(vectors).T @ self.allowed
        return vectors[:, ~idle]

    @property
    def allowed(self) -> Floats:
        """How large F may be in a balanced place."""
        return BALANCED * (np.abs(self.free.basis).T @ self.parts.tangent.sizes)

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
            if excess <= 1.0:
                return p
            radius = 0.99 * float(np.linalg.norm(p)) / excess

    def gain(self, p: Floats) -> float:
        """The work that is expected of a step."""
        return float(self.force @ p - 0.5 * p @ self.parts.stiffness @ p)


def make_place(instant: Instant, absolute: Floats, angles: Floats) -> Place:
    terms = instant.terms(absolute, angles)
    rank = instant.rank()
    free = instant.free(terms.jacobian, rank, instant.roundness)
    return Place(instant, absolute, angles, terms, rank, free)


def first_place(model: Model, start: State | None) -> Place:
    """The start of the search, at rest."""
    if start is None:
        instant, absolute = make_instant(model, 0.0, held=True)
    else:
        absolute = checked_state(start, "start").to_absolute(model)
        instant, _ = make_instant(model, start.t, held=True)
    absolute = absolute.copy()
    absolute[:, TWIST:] = 0.0
    check_gaps(instant, absolute)
    angles = unwrapped(instant.system, absolute, np.zeros(instant.system.quadrature_count))
    place = make_place(instant, absolute, angles)
    check_regular(instant, place.parts)
    return place


class Search:
    """The steps from a start to an equilibrium."""

    def __init__(self, place: Place, most_steps: int) -> None:
        self.start, self.best = place, place
        self.size = model_size(place)
        self.most_steps, self.steps = most_steps, 0

    def down(self) -> Place | None:
        """With the forces, to a place that no displacement leaves downhill."""
        place = self.start
        first = radius = self.first_radius(place)
        for _ in range(self.most_steps):
            self.note(place)
            if place.balanced and place.least_stiffness > 0.0:
                return place
            self.steps += 1
            near = None if place.balanced else self.newton(place, radius)
            if near is not None:
                place = near
                continue
            p = place.step(with_the_forces, radius)
            length, expected = float(np.linalg.norm(p)), place.gain(p)
            trial = self.walk(place, p)
            share = trial.work / expected if trial is not None and expected > 0.0 else -1.0
            if trial is not None and share > 0.1:
                place = trial.arrive()
                radius = 2.0 * length if share > 0.7 else max(radius, length)
            elif trial is not None and place.least_stiffness > 0.0 and trial.halves(place):
                place = trial.arrive()  # so near that the work is lost in rounding
            else:
                radius = 0.25 * length
            if radius <= SHORTEST * first:
                return None
        return None

    def newton(self, place: Place, radius: float) -> Place | None:
        """Where a whole Newton step leads, if it goes with the forces and makes them much smaller.

        Only there the unsymmetric K helps: a rod that may spin about itself has a singular one,
        but the symmetric part is indefinite as long as there are forces.
        """
        p = place.step(to_the_root, radius)
        if np.linalg.norm(p) >= 0.99 * radius:
            return None
        trial = self.walk(place, p)
        if trial is None or trial.work < 0.0:
            return None
        return trial.arrive() if unbalanced(trial.arrive()) < 0.1 * unbalanced(place) else None

    def root(self) -> Place | None:
        """To a place without forces, stable or not."""
        place = self.best
        first = radius = self.first_radius(place)
        for _ in range(self.most_steps):
            self.note(place)
            if place.balanced:
                return place
            self.steps += 1
            p = place.step(to_the_root, radius)
            length = float(np.linalg.norm(p))
            trial = self.walk(place, p)
            if trial is not None and unbalanced(trial.arrive()) < unbalanced(place):
                place = trial.arrive()
                radius = max(radius, 2.0 * length)
            else:
                radius = 0.25 * length
            if radius <= SHORTEST * first:
                return None
        return None

    def polished(self, place: Place) -> Place:
        """A balanced place with its last digits."""
        for _ in range(POLISHING if unbalanced(place) > 0.0 else 0):
            trial = self.walk(place, place.step(to_the_root, np.inf))
            if trial is None or not trial.halves(place):
                break
            place = trial.arrive()
            self.steps += 1
        return place

    def note(self, place: Place) -> None:
        """Remember the best place, and stop where a body runs away."""
        if unbalanced(place) < unbalanced(self.best):
            self.best = place
        gone = place.absolute[:, POSE_X : POSE_X + 3] - self.start.absolute[:, POSE_X : POSE_X + 3]
        distance = np.linalg.norm(gone, axis=1)
        if distance.max() > LOST * self.size:
            body = int(np.argmax(distance))
            name = place.instant.solver.setup.model.body_names[body]
            x, y, z = gone[body] / distance[body]
            raise NoEquilibrium(
                f"body '{name}' runs away along ({x:.3g}, {y:.3g}, {z:.3g}): no joint or spring"
                f" stops it, and it is still pulled with {pull_on(place, body).force:.3g} N after"
                f" {distance[body]:.3g} m.",
                "Hold it by a joint or a spring, or take the force away that pulls it.",
                self.best.residual,
            )

    def failure(self) -> NoEquilibrium:
        """What is left after all steps."""
        place = self.best
        names = place.instant.solver.setup.model.body_names
        pulls = [pull_on(place, body) for body in range(len(names))]
        worst = max(range(len(names)), key=lambda body: max(pulls[body]))
        force, torque = pulls[worst]
        return NoEquilibrium(
            f"no equilibrium was found in {self.steps} steps: at the best place, body"
            f" '{names[worst]}' is left with {force:.3g} N and {torque:.3g} N m.",
            "Begin elsewhere (start=), allow more steps (most_steps=), or simulate with drag"
            " until it rests.",
            place.residual,
        )

    def first_radius(self, place: Place) -> float:
        """A step along the force that moves and turns no body much."""
        force = place.force
        if not np.any(force):
            force = np.ones_like(force)
        twists = (place.free.basis @ (force / np.linalg.norm(force))).reshape(-1, 6)
        turn = np.linalg.norm(twists[:, :3], axis=1).max()
        shift = np.linalg.norm(twists[:, 3:], axis=1).max()
        return float(FIRST_SHARE / max(turn, shift / self.size))

    def walk(self, place: Place, p: Floats) -> "Trial | None":
        """Displace by Z p and close the joints; None where they do not close."""
        trial = Trial(place, place.absolute)
        trial.move((place.free.basis @ p).reshape(-1, 6))
        back, before = place.free.back, np.inf
        scale = self.size + float(np.abs(place.absolute[:, POSE_X : POSE_X + 3]).max())
        for _ in range(MOST_CORRECTIONS):
            gaps = place.instant.gaps(trial.absolute)
            opening = float(np.abs(gaps).max(initial=0.0))
            stagnant = 0.5 * before < opening <= NEARLY_CLOSED * scale
            if opening <= CLOSED * scale or stagnant:
                break
            if opening > 0.2 * before:  # too far for J as it was at the place
                back = trial.way_back()
            trial.move((back @ -gaps).reshape(-1, 6))
            before = opening
        return trial if opening <= NEARLY_CLOSED * scale else None


class Trial:
    """Where a step leads, and the work of the forces on the way."""

    def __init__(self, place: Place, absolute: Floats) -> None:
        self.place, self.absolute, self.work = place, absolute, 0.0
        self.arrived: Place | None = None

    def move(self, twists: Floats) -> None:
        """Displace all bodies by twists (n, 6)."""
        instant, angles, speed = self.place.instant, self.place.angles, twists.copy()
        straight = np.einsum("bij,bj->bi", rotations(self.absolute), twists[:, 3:])
        for node, weight in zip(NODES, WEIGHTS):
            between = moved(self.absolute, node * twists)
            speed[:, 3:] = np.einsum("bji,bj->bi", rotations(between), straight)
            self.work += weight * float(instant.forces(between, angles) @ speed.ravel())
        self.absolute = orthogonal(moved(self.absolute, twists))

    def way_back(self) -> Floats:
        """J^+ where the bodies are now; joints repeat each other as at the place."""
        terms = self.place.instant.terms(self.absolute, self.place.angles)
        instant = self.place.instant
        return instant.free(terms.jacobian, self.place.rank, instant.roundness).back

    def arrive(self) -> Place:
        if self.arrived is None:
            instant = self.place.instant
            angles = unwrapped(instant.system, self.absolute, self.place.angles)
            self.arrived = make_place(instant, self.absolute, angles)
        return self.arrived

    def halves(self, place: Place) -> bool:
        """Whether the forces are at most half of those at a place."""
        return unbalanced(self.arrive()) <= 0.5 * unbalanced(place)


def unbalanced(place: Place) -> float:
    """|F|: independent of the basis."""
    return float(np.linalg.norm(place.force))


def pull_on(place: Place, body: int) -> Unbalance:
    """What is not balanced on one body."""
    wrench = place.instant.mass @ place.let_go.acceleration
    torque, force = np.linalg.norm(wrench.reshape(-1, 2, 3)[body], axis=1)
    return Unbalance(float(force), float(torque))


def model_size(place: Place) -> float:
    """The extent of the bodies, m, at the least a radius of gyration."""
    system = place.instant.system
    ends = system.joint_bodies
    fixed = system.joints[ends[:, BODY_A] < 0, POINT_A : POINT_A + 3]
    points = np.vstack((place.absolute[:, POSE_X : POSE_X + 3], fixed))
    gyration = np.sqrt(system.bodies[:, INERTIA : INERTIA + 3].max(1) / system.bodies[:, MASS])
    return max(float(np.ptp(points, axis=0).max()), float(gyration.max()))


def report(model: Model, place: Place, steps: int) -> Equilibrium:
    """What was found, and how stable it is."""
    parts = place.let_go
    check_regular(place.instant, parts)
    values, vectors = np.linalg.eig(parts.stiffness)
    tolerance = rounding_of(vectors, parts.noise)
    still = np.abs(values) <= tolerance
    flutter = np.abs(values.imag) > np.maximum(tolerance, 1e-9 * np.abs(values))
    unstable = bool(np.any((values.real < 0.0) & ~still) or np.any(flutter & ~still))
    neutral = (parts.positions @ np.real(vectors[:, still])).T.reshape(-1, len(model.bodies), 6)
    values = np.where(still, 0.0, values)
    return Equilibrium(
        model=model,
        state=State.from_absolute(place.instant.t, model, place.absolute),
        residual=place.residual,
        stability="unstable" if unstable else "neutral" if still.any() else "stable",
        neutral=neutral,
        stiffness=np.sort_complex(values) if flutter.any() else np.sort(values.real),
        iterations=steps,
        place=place,
    )
