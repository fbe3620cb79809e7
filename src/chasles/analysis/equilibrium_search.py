"""The search for an equilibrium on the constraints; see `chasles.analysis.equilibrium`."""

import numpy as np

from chasles.analysis.place import Place, model_size
from chasles.build.system.state import moved, orthogonal, rotations
from chasles.core.arrays import POSE_X, Floats
from chasles.model import InvalidModel, NoEquilibrium

#: A balanced place is improved by so many more steps, as long as each halves what is left.
POLISHING = 5
Rule = tuple[tuple[float, float], ...]
#: Gauss-Legendre nodes and weights on [0, 1], for the work of a step, and of its corrections.
GAUSS: Rule = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))
MIDDLE: Rule = ((0.5, 1.0),)
#: In large models Newton's step is tried where the forces are this fraction of the first ones.
NEAR_ENOUGH = 0.2
#: The first step turns no body by more than this (rad), and moves none by more of the model's size.
FIRST_SHARE = 0.3
#: Work below this fraction of what is added up in it is a rounding error.
ROUNDED_WORK = 1e-11
#: A search whose steps are shorter than this fraction of the first one allowed has come to an end.
SHORTEST = 1e-13
#: Joints are closed to this fraction of the model's size, in so many corrections ...
CLOSED, MOST_CORRECTIONS = 1e-15, 30
#: ... and if rounding does not let them close so well, to this one.
NEARLY_CLOSED = 1e-12
#: A body that has gone so many times the model's size is lost.
LOST = 1e4


class EquilibriumSearch:
    """The steps from a start to an equilibrium."""

    def __init__(self, place: Place, most_steps: int) -> None:
        self.start, self.best = place, place
        self.size = model_size(place.instant.system, place.absolute)
        self.most_steps, self.steps = most_steps, 0

    def down(self) -> Place | None:
        """With the forces, to a place that no displacement leaves downhill."""
        place = self.start
        first = radius = self.first_radius(place)
        for _ in range(self.most_steps):
            self.note(place)
            if place.balanced and place.is_uphill:
                return place
            self.steps += 1
            far = place.is_large and place.unbalanced > NEAR_ENOUGH * self.start.unbalanced
            near = None if place.balanced or far else self.newton(place, radius)
            if near is not None:
                place = near
                continue
            step = place.with_the_forces(radius)
            length, expected = place.length(step), place.gain(step)
            trial = self.walk(place, step)
            share = trial.work / expected if trial is not None and expected > 0.0 else -1.0
            if trial is not None and share > 0.1:
                place = trial.arrive()
                radius = 2.0 * length if share > 0.7 else max(radius, length)
            elif trial is not None and place.is_uphill and trial.halves(place):
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
        step = place.to_the_root(radius)
        if place.length(step) >= 0.99 * radius:
            return None
        trial = self.walk(place, step)
        if trial is None or trial.work < -ROUNDED_WORK * trial.added:
            return None
        return trial.arrive() if trial.arrive().unbalanced < 0.1 * place.unbalanced else None

    def root(self) -> Place | None:
        """To a place without forces, stable or not."""
        place = self.best
        first = radius = self.first_radius(place)
        for _ in range(self.most_steps):
            self.note(place)
            if place.balanced:
                return place
            self.steps += 1
            step = place.to_the_root(radius)
            if place.length(step) <= SHORTEST * first:  # a rod held level: its stiffness is 0
                step = place.with_the_forces(radius)
            length = place.length(step)
            trial = self.walk(place, step)
            if trial is not None and trial.arrive().unbalanced < place.unbalanced:
                place = trial.arrive()
                radius = max(radius, 2.0 * length)
            else:
                radius = 0.25 * length
            if radius <= SHORTEST * first:
                return None
        return None

    def polished(self, place: Place) -> Place:
        """A balanced place with its last digits."""
        for _ in range(POLISHING if place.unbalanced > 0.0 else 0):
            trial = self.walk(place, place.to_the_root(np.inf))
            if trial is None or not trial.halves(place):
                break
            place = trial.arrive()
            self.steps += 1
        return place

    def note(self, place: Place) -> None:
        """Remember the best place, and stop where a body runs away."""
        if place.unbalanced < self.best.unbalanced:
            self.best = place
        gone = place.absolute[:, POSE_X : POSE_X + 3] - self.start.absolute[:, POSE_X : POSE_X + 3]
        distance = np.linalg.norm(gone, axis=1)
        if distance.max() > LOST * self.size:
            body = int(np.argmax(distance))
            name = place.instant.setup.model.body_names[body]
            x, y, z = gone[body] / distance[body]
            raise NoEquilibrium(
                f"body '{name}' runs away along ({x:.3g}, {y:.3g}, {z:.3g}): no joint or spring"
                f" stops it, and it is still pulled with {place.pull_on(body).force:.3g} N after"
                f" {distance[body]:.3g} m.",
                "Hold it by a joint or a spring, or take the force away that pulls it.",
                self.best.residual,
            )

    def failure(self) -> NoEquilibrium:
        """What is left after all steps."""
        place = self.best
        names = place.instant.setup.model.body_names
        pulls = [place.pull_on(body) for body in range(len(names))]
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
        step = place.linear.solution[0]
        if not np.any(step):
            step = 1.0 / np.sqrt(place.weights)
        twists = self.twists(place, step / place.length(step))
        turn = np.linalg.norm(twists[:, :3], axis=1).max()
        shift = np.linalg.norm(twists[:, 3:], axis=1).max()
        return FIRST_SHARE / max(float(turn), float(shift) / self.size)

    def twists(self, place: Place, step: Floats) -> Floats:
        """(n, 6) Those of the bodies in a step of all unknowns."""
        return step[: place.instant.bodies].reshape(-1, 6)

    def walk(self, place: Place, step: Floats) -> "Trial | None":
        """Displace by a step and close the joints; None where that is not possible."""
        try:
            return self.closed(place, self.twists(place, step))
        except InvalidModel:  # the ends of a spring have met on the way, say
            return None

    def closed(self, place: Place, twists: Floats) -> "Trial | None":
        trial = Trial(place, place.absolute)
        trial.move(twists)
        turn = float(np.linalg.norm(twists[:, :3], axis=1).max())
        far = turn > place.patience  # J has turned with the bodies
        back, before = None, np.inf
        scale = self.size + float(np.abs(place.absolute[:, POSE_X : POSE_X + 3]).max())
        for _ in range(MOST_CORRECTIONS):
            gaps = place.gaps(trial.absolute)
            opening = float(np.abs(gaps).max(initial=0.0))
            stagnant = 0.5 * before < opening <= NEARLY_CLOSED * scale
            if opening <= CLOSED * scale or stagnant:
                break
            if back is None and not far:
                back = place.corrector()
            elif back is None or opening > place.patience * before:  # too far for J as it was
                back = place.at(trial.absolute, place.angles).corrector()
            trial.move(back(gaps).reshape(-1, 6), MIDDLE)
            before = opening
        return trial if opening <= NEARLY_CLOSED * scale else None


class Trial:
    """Where a step leads, and the work of the forces on the way."""

    def __init__(self, place: Place, absolute: Floats) -> None:
        self.place, self.absolute = place, absolute
        self.work, self.added = 0.0, 0.0  # ... and what was added up in it
        self.arrived: Place | None = None

    def move(self, twists: Floats, rule: Rule = GAUSS) -> None:
        """Displace all bodies by twists (n, 6); the work by a rule of integration."""
        instant, angles, speed = self.place.instant, self.place.angles, twists.copy()
        straight = np.einsum("bij,bj->bi", rotations(self.absolute), twists[:, 3:])
        for node, weight in rule:
            between = moved(self.absolute, node * twists)
            speed[:, 3:] = np.einsum("bji,bj->bi", rotations(between), straight)
            work = instant.forces(between, angles) * speed.ravel()
            self.work += weight * float(work.sum())
            self.added += weight * float(np.abs(work).sum())
        self.absolute = orthogonal(moved(self.absolute, twists))

    def arrive(self) -> Place:
        if self.arrived is None:
            instant = self.place.instant
            angles = instant.counted(self.absolute, self.place.angles)
            self.arrived = self.place.at(self.absolute, angles)
        return self.arrived

    def halves(self, place: Place) -> bool:
        """Whether the forces are at most half of those at a place."""
        return self.arrive().unbalanced <= 0.5 * place.unbalanced
