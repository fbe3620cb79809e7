r"""The nearest configuration at which all joints are closed, on the group, weighted by mass.

$$ \min\ \tfrac12\sum_b \bigl(m_b |r_b - \bar r_b|^2 + \theta_b^T \Theta_b \theta_b\bigr),
   \qquad \theta_b = \log \bar R_b^T R_b, \qquad g(R, r) = 0, $$

with the bar for the configuration as entered.  Bodies move by body twists: R exp(omega), r + R v.
First the joints are closed, by damped Newton steps that are the shortest in the mass metric; then
the bodies move with the joints closed until the displacement does no work on any motion that the
joints allow: $\nabla = -J^T\mu$, the Lagrange condition of the nearest point.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from chasles.build.start.factor import DampedKkt, joined
from chasles.build.start.rows import (
    HEAVY,
    Rows,
    constraint_rows,
    gaps_and_rows,
    mass_matrices,
    scaled,
    weights,
)
from chasles.build.system.build import Setup
from chasles.build.system.coordinates import coupled_places
from chasles.build.system.gaps import components, row_units, typical_length
from chasles.build.system.state import moved, rotations
from chasles.core.arrays import POSE_X, Floats, make_workspace
from chasles.core.constraints.registry import measured_rows
from chasles.core.kinds import RAD
from chasles.groups.so3 import so3_dexp_inv, so3_from_matrix, so3_log

#: Steps at the most that close the joints, and that then move along them.
MOST_STEPS, MOST_MOVES = 200, 200
#: Residuals at which closing stops, as a multiple of the largest length: rounding, nearly.
ROUNDING = 4e-16
#: ... and where a step that does not halve them is the last, in units of that.
NEARLY_ROUNDING = 1e3
#: No body turns by more than this in one step (rad).
LONGEST_TURN = 0.5
#: Damping of the steps: the relative gap squared, within these bounds, times the caution.
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e2
LEAST_CAUTION, MOST_CAUTION = 1e-4, 1e12
#: Steps that gain less than this fraction, so many in a row, are the end of it.
SLOW, MOST_SLOW = 1e-8, 5
#: Damping of the motion along closed joints.
ALONG = 1e-12
#: The nearest point is found when what is left to go is this fraction of the distance, or when so
#: many moves in a row come no nearer by a visible fraction of its square.
NEAREST, MOST_IDLE, VISIBLE = 1e-13, 4, 1e-13
#: A move may lengthen the square of the distance by this fraction: rounding, and joints that are
#: closed to rounding only.
INVISIBLE = 1e-12
MOST_HALVINGS = 20
#: Joints are closed after a move if they are to this fraction of the length.
STILL_CLOSED = 1e-11
#: Weight of what is held beside joints that cannot be closed.
FIRMLY = 1e3
#: Earlier moves that shape the next.
MEMORY = 12


class Closure:
    """The joints of a model as equations g = 0 for the poses of its bodies, at t = 0.

    Held bodies stay where they are, and the drivers in `holds` prescribe what they find.  Rows that
    are speeds only (gears, rolling) are left out, and drivers that are `loose`.
    """

    def __init__(
        self, setup: Setup, held: Any = (), holds: Sequence[str] = (), loose: Any = ()
    ) -> None:
        system = setup.system
        self.setup, self.system, self.entered = setup, system, setup.absolute
        self._scratch = make_workspace(system)
        if system.signal_count:
            self._scratch.signals[:] = setup.signals.sample(np.zeros(1))[0]
        self.kept = measured_rows(system)
        turns = self.kept & (row_units(system) == RAD)
        self.kept[coupled_places(setup)] = turns[coupled_places(setup)] = True
        self.kept[system.joints.first_row[list(loose)]] = False
        self.free = np.ones((system.body_count, 1), bool)
        self.free[list(held)] = False
        heavier = np.where(self.free, 1.0, HEAVY) * np.ones(6)
        self.masses, self.length = joined(scaled(weights(system), heavier)), typical_length(system)
        even = np.diag(np.repeat((self.length**2, 1.0), 3))[None]
        self.even = joined(scaled(even, heavier))
        self.levers = np.where(turns, self.length, 1.0)  # by which turns are lengths
        self.weights = self.levers.copy()  # of gaps that cannot all be closed
        before = self.rows_at(self.entered)[0]
        for name in holds:
            index = setup.joint_index[name]
            row = system.joints.first_row[index]
            self._scratch.signals[system.joints.drive[index]] += before[row]
            self.weights[row] *= FIRMLY

    def rows_at(self, absolute: Floats) -> tuple[Floats, Rows]:
        """g and J of every row, padding included."""
        gaps = gaps_and_rows(self.setup, self._scratch, absolute)
        return gaps, constraint_rows(self.setup, self._scratch.jacobian, absolute)

    def at(self, absolute: Floats) -> tuple[Floats, Rows]:
        """The same, g of the rows that are positions and zeros."""
        gaps, rows = self.rows_at(absolute)
        return np.where(self.kept, gaps, 0.0), rows

    def largest(self, gaps: Floats) -> float:
        """The largest gap, m; of turns at a typical lever: the same in all units."""
        return float(np.abs(self.levers * gaps).max(initial=0.0))

    def scale(self, rows: Rows) -> Floats:
        """What makes every row one, in the mass metric."""
        return rows.unit_scale(scaled(np.linalg.inv(weights(self.system)), self.free * np.ones(6)))

    def factor(self, metric: Any, rows: Rows, damping: float, scale: Floats) -> DampedKkt:
        """Of the rows that are positions."""
        jacobian = rows.matrix(6 * self.system.body_count)[self.kept]
        return DampedKkt(metric, jacobian, damping, scale[self.kept])

    def displaced(self, absolute: Floats, step: Floats) -> Floats:
        """R exp(omega), r + R v for the free bodies."""
        there = moved(absolute, step.reshape(-1, 6))
        return np.where(self.free, there, absolute)  # held bodies to the bit

    # --- closing ---

    def closed(self, absolute: Floats, by_mass: bool = True) -> tuple[Floats, float]:
        """Poses at which the joints are as closed as can be, and the `largest` gap there.

        Levenberg-Marquardt steps: by mass they are short where bodies are heavy; otherwise all
        gaps count alike, so that what is left of them is the least in squares.
        """
        g, rows = self.at(absolute)
        if not self.free.any():
            return absolute, self.largest(g)
        metric, scale = (self.masses, self.scale(rows)) if by_mass else (self.even, self.weights)
        nothing = np.zeros(6 * self.system.body_count)
        caution, slow = 1.0, 0
        for _ in range(MOST_STEPS):
            gap = self.largest(g)
            reach = 2.0 * self.length + np.abs(absolute[:, POSE_X : POSE_X + 3]).max()
            if gap <= ROUNDING * reach or slow > MOST_SLOW:
                break
            damping = max(LEAST_DAMPING, min(MOST_DAMPING, (gap / self.length) ** 2 * caution))
            factor = self.factor(metric, rows, damping, scale)
            trial = self.displaced(absolute, limited(factor.solve(nothing, -g[self.kept], 1)))
            trial_g, trial_rows = self.at(trial)
            before, after = np.linalg.norm(scale * g), np.linalg.norm(scale * trial_g)
            if after < before and np.isfinite(trial_rows.entries).all():
                slow = slow + 1 if after > (1.0 - SLOW) * before else 0
                # Rows that repeat each other keep rounding errors that no step takes away.
                if after > 0.5 * before and gap < NEARLY_ROUNDING * ROUNDING * reach:
                    slow = MOST_SLOW + 1
                absolute, g, rows = trial, trial_g, trial_rows
                caution = max(LEAST_CAUTION, 0.2 * caution)
            else:
                caution *= 10.0
                if caution > MOST_CAUTION or gap < NEARLY_ROUNDING * ROUNDING * reach:
                    break
        return absolute, self.largest(g)

    # --- moving along ---

    def distance(self, absolute: Floats) -> tuple[float, Floats]:
        """Half the squared distance from the entered poses in the mass metric, and its gradient."""
        bodies = self.system.bodies
        rotation = rotations(absolute)
        theta = turn_between(self.entered, absolute)
        shift = absolute[:, POSE_X : POSE_X + 3] - self.entered[:, POSE_X : POSE_X + 3]
        momentum = np.einsum("bij,bj->bi", mass_matrices(self.system)[:, :3, :3], theta)
        value = 0.5 * (np.sum(theta * momentum) + np.sum(bodies.mass[:, None] * shift**2))
        # exp(theta) exp(delta) = exp(theta + dexp^-1_{-theta} delta), transposed
        turn = so3_dexp_inv(components(theta, 0, 3), components(momentum, 0, 3))
        pull = bodies.mass[:, None] * np.einsum("bji,bj->bi", rotation, shift)
        gradient = np.hstack((np.stack(np.broadcast_arrays(*turn), axis=-1), pull))
        return float(value), np.where(self.free, gradient, 0.0).ravel()

    def nearest(self, absolute: Floats) -> Floats:
        """From closed joints, along them, to the point nearest to the entered poses.

        Steepest descent in the mass metric gains about a digit per move, since the metric is the
        curvature of the distance but for the bend of the joints; the memory of earlier moves
        (L-BFGS) takes care of that bend.
        """
        here = best = self.place(absolute)
        moves: list[tuple[Floats, Floats]] = []
        idle = 0
        for _ in range(MOST_MOVES):
            if here.left <= NEAREST * sqrt(2.0 * here.value) or idle > MOST_IDLE:
                break
            direction = limited(here.along(lbfgs_direction(-here.slope, moves, self.masses)))
            if direction @ here.gradient >= 0.0:
                moves, direction = [], limited(-here.slope)
            length, there = self.moved(here, direction)
            if there is None:
                idle, moves = idle + 1, []
                continue
            moves = [*moves[1 - MEMORY :], (length * direction, there.slope - here.slope)]
            nearer = there.value < (1.0 - VISIBLE) * best.value or there.left < 0.5 * best.left
            here, idle = there, 0 if nearer else idle + 1
            if nearer or there.left < best.left:
                best = there
        return best.absolute

    def place(self, absolute: Floats) -> "Place":
        value, gradient = self.distance(absolute)
        rows = self.at(absolute)[1]
        factor = self.factor(self.masses, rows, ALONG, self.scale(rows))
        return Place(absolute, value, gradient, factor, self.masses)

    def moved(self, here: "Place", direction: Floats) -> tuple[float, "Place | None"]:
        """A move along the joints that comes nearer, closed again; None if there is none."""
        length, slope = 1.0, float(direction @ here.gradient)
        for _ in range(MOST_HALVINGS):
            absolute, gap = self.closed(self.displaced(here.absolute, length * direction))
            if gap <= STILL_CLOSED * self.length:
                value = self.distance(absolute)[0]
                # Near the end the gain is lost in the rounding errors of the value.
                if value <= here.value + 1e-4 * length * slope + INVISIBLE * here.value:
                    return length, self.place(absolute)
            length *= 0.5
        return 0.0, None


class Place:
    """A point with closed joints: how far it is from the entered poses, and which way is nearer."""

    def __init__(
        self, absolute: Floats, value: float, gradient: Floats, factor: DampedKkt, masses: Any
    ) -> None:
        self.absolute, self.value, self.gradient = absolute, value, gradient
        self.factor, self.masses, self.closed = factor, masses, np.zeros(len(factor.scale))
        self.slope = -factor.solve(-gradient, self.closed)  # the gradient along joints
        self.left = sqrt(max(0.0, float(self.slope @ (masses @ self.slope))))

    def along(self, direction: Floats) -> Floats:
        """The part of a direction that keeps the joints closed."""
        return self.factor.solve(self.masses @ direction, self.closed)


def lbfgs_direction(direction: Floats, moves: list[tuple[Floats, Floats]], masses: Any) -> Floats:
    """The two-loop recursion of L-BFGS, in the mass metric."""
    kept = [(s, y, float(s @ (masses @ y))) for s, y in moves]
    kept = [(s, y, curve) for s, y, curve in kept if curve > 0.0]
    pulls = []
    for s, y, curve in reversed(kept):
        pulls.append(float(s @ (masses @ direction)) / curve)
        direction = direction - pulls[-1] * y
    if kept:
        y, curve = kept[-1][1:]
        direction = direction * (curve / float(y @ (masses @ y)))
    for (s, y, curve), pull in zip(kept, reversed(pulls)):
        direction = direction + (pull - float(y @ (masses @ direction)) / curve) * s
    return direction


def limited(step: Floats) -> Floats:
    """The step, shortened so that no body turns by more than half a radian in it."""
    turn = float(np.abs(step.reshape(-1, 6)[:, :3]).max(initial=0.0))
    return step * min(1.0, LONGEST_TURN / turn) if turn > 0.0 else step


def turn_between(before: Floats, after: Floats) -> Floats:
    """Rotation vectors (n, 3) that turn bodies from one state to another, in body axes."""
    relative = np.einsum("bji,bjk->bik", rotations(before), rotations(after)).reshape(-1, 9)
    theta = so3_log(so3_from_matrix(components(relative, 0, 9)))
    return np.stack(np.broadcast_arrays(*theta), axis=-1)
