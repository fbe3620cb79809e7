r"""First derivatives of the forces and of the rows of J, along motions of the bodies.

A body moves by a twist in its own frame, $R\exp\hat\omega$ and $x + R u$ to first order, and its
twist V changes by nu.  Every force and every joint depends on two bodies only, so its derivatives
are found along their 24 directions and added up.  The formulas of the kernels run on dual numbers
for that (`chasles.scalars.dual`): the derivatives are exact, and there is no step to choose.  Only
a user's own formula, which takes floats, is differenced, by Ridders' extrapolation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from chasles.analysis.poses import moved
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    ROW_WIDTH,
    TWIST,
    Floats,
    Forces,
    Integers,
    System,
    sym6,
)
from chasles.core.constraints.registry import CONSTRAINTS, assemble_joint
from chasles.core.forces.registry import FORCES, apply_forces
from chasles.core.wrenches import inertial_and_gravity_wrench
from chasles.scalars.dual import Dual

#: Directions: six of the pose of body a, six of that of b, then those of their twists.
POSES, DIRECTIONS = 12, 24
#: hat(e_k), so that turning about axis k changes R by R hat(e_k).
GENERATORS = np.array(
    [
        [[0, 0, 0], [0, 0, -1], [0, 1, 0]],
        [[0, 0, 1], [0, 0, 0], [-1, 0, 0]],
        [[0, -1, 0], [1, 0, 0], [0, 0, 0]],
    ],
    dtype=float,
)
#: Ridders: the first step (rad, m, and per second), and how often it is halved.
FIRST_STEP, HALVINGS = 0.1, 12


@dataclass(frozen=True)
class JointSlopes:
    """How the rows of one joint change as its bodies move."""

    rows: slice  # of J, padding included
    columns: Integers  # (12,) of J, -1 for the ground
    entries: Floats  # (rows, 12)
    slopes: Floats  # (rows, 12 entries, 12 directions)


@dataclass(frozen=True)
class Tangent:
    r"""Derivatives at one state.

    by_pose, by_twist  of Q, (6n, 6n): column k belongs to direction k of the bodies
    sizes              (6n,) how large what is added up in Q is, in any direction: forces, and
                       torques with those of forces at a radius of gyration
    joints             of the rows of J
    """

    by_pose: Floats
    by_twist: Floats
    sizes: Floats
    joints: tuple[JointSlopes, ...]

    def of_reactions(self, multipliers: Floats) -> Floats:
        r"""$\partial_\xi (J^T\lambda)$ at constant $\lambda$, (6n, 6n)."""
        total = np.zeros((len(self.sizes) + 1,) * 2)  # the last row and column are the ground's
        for joint in self.joints:
            block = np.einsum("r,rcd->cd", multipliers[joint.rows], joint.slopes)
            np.add.at(total, np.ix_(joint.columns, joint.columns), block)
        return total[:-1, :-1]

    def reaction_sizes(self, multipliers: Floats, system: System) -> Floats:
        """Sizes of the reactions, as in `sizes`."""
        total = np.zeros(len(self.sizes))
        for joint in self.joints:
            add_sizes(total, joint.columns, multipliers[joint.rows] @ joint.entries, system)
        return total

    def of_slip(self, twists: Floats, row_count: int) -> Floats:
        r"""$\partial_\xi (J V)$ at constant V, (row_count, 6n)."""
        padded = np.append(twists.ravel(), 0.0)
        total = np.zeros((row_count, padded.size))
        for joint in self.joints:
            block = np.einsum("rcd,c->rd", joint.slopes, padded[joint.columns])
            np.add.at(total[joint.rows].T, joint.columns, block.T)
        return total[:, :-1]


def tangent(system: System, absolute: Floats, signals: Floats, angles: Floats) -> Tangent:
    """Derivatives at an absolute state (n, 18), for given functions of time and joint angles."""
    count = 6 * system.body_count
    by_pose, by_twist = np.zeros((count + 1,) * 2), np.zeros((count + 1,) * 2)
    sizes = np.zeros(count + 1)
    flat = flattened(system)
    loads = [gravity_slopes(system, absolute, body) for body in range(system.body_count)]
    loads += [force_slopes(flat, absolute, k, signals, angles) for k in range(system.force_count)]
    for columns, values, slopes in loads:
        add_sizes(sizes, columns, values, system)
        np.add.at(by_pose, np.ix_(columns, columns), slopes[:, :POSES])
        np.add.at(by_twist, np.ix_(columns, columns), slopes[:, POSES:])
    joints = tuple(joint_slopes(flat, absolute, k, signals) for k in range(system.joint_count))
    return Tangent(by_pose[:-1, :-1], by_twist[:-1, :-1], sizes[:-1], joints)


def add_sizes(sizes: Floats, columns: Integers, values: Floats, system: System) -> None:
    """Add the sizes of two wrenches (12,), the same for all three axes."""
    for side in (0, 6):
        body = columns[side] // 6
        if body >= 0:
            torque, force = np.linalg.norm(values[side : side + 6].reshape(2, 3), axis=1)
            bodies = system.bodies
            gyration = np.sqrt(bodies.inertia[body, :3].max() / bodies.mass[body])
            sizes[6 * body : 6 * body + 3] += torque + gyration * force
            sizes[6 * body + 3 : 6 * body + 6] += force


def flattened(system: System) -> System:
    """The system as plain numbers, as routines see it outside a kernel."""
    flat: System = plain_numbers(system)
    return flat


def plain_numbers(record: Any) -> Any:
    """A record with flat lists for arrays."""
    if isinstance(record, np.ndarray):
        return record.ravel().tolist()
    if hasattr(record, "_fields"):
        return type(record)(*(plain_numbers(part) for part in record))
    return record


def columns_of(a: int, b: int) -> Integers:
    """Columns of two bodies; those of the ground are all the last one."""
    own = [6 * body + np.arange(6) if body >= 0 else np.full(6, -1) for body in (a, b)]
    return np.concatenate(own)


def dual_bodies(absolute: Floats, a: int, b: int) -> dict[int, Any]:
    """The entries of an absolute state that belong to two bodies, with their derivatives."""
    entries: dict[int, Any] = {}
    for side, body in enumerate((a, b)):
        if body < 0:
            continue
        row, slopes = absolute[body], np.zeros((ABSOLUTE_WIDTH, DIRECTIONS))
        rotation = row[POSE_R : POSE_R + 9].reshape(3, 3)
        turns = np.einsum("ij,kjl->ilk", rotation, GENERATORS)
        slopes[POSE_R : POSE_R + 9, 6 * side : 6 * side + 3] = turns.reshape(9, 3)
        slopes[POSE_X : POSE_X + 3, 6 * side + 3 : 6 * side + 6] = rotation
        slopes[TWIST:, POSES + 6 * side : POSES + 6 * side + 6] = np.eye(6)
        for c, value in enumerate(row.tolist()):
            entries[ABSOLUTE_WIDTH * body + c] = Dual(value, slopes[c])
    return entries


def split(numbers: Any) -> tuple[Floats, Floats]:
    """Values (k,) and slopes (k, DIRECTIONS) of numbers of which some are constant."""
    constant = np.zeros(DIRECTIONS)
    values = [x.value if isinstance(x, Dual) else x for x in numbers]
    slopes = [x.slope if isinstance(x, Dual) else constant for x in numbers]
    return np.array(values, float), np.array(slopes)


# --- forces ---


def gravity_slopes(system: System, absolute: Floats, body: int) -> Any:
    """Gravity and gyroscopic terms of a body: columns, values and derivatives."""
    entries = dual_bodies(absolute, -1, body)
    row = [entries[ABSOLUTE_WIDTH * body + c] for c in range(ABSOLUTE_WIDTH)]
    torque, force = inertial_and_gravity_wrench(
        float(system.bodies.mass[body]),
        sym6(system.bodies.inertia[body].tolist(), 0),
        tuple(row[POSE_R : POSE_R + 9]),
        (tuple(row[TWIST : TWIST + 3]), tuple(row[TWIST + 3 :])),
        tuple(system.gravity.tolist()),
    )
    return columns_of(-1, body), *split((0.0,) * 6 + torque + force)


def one_force(flat: System, force: int) -> System:
    """The system with one force only."""
    own: list[Any] = []
    for column in flat.forces:
        width = len(column) // flat.force_count
        own.append(column[force * width : (force + 1) * width])
    return flat._replace(forces=Forces(*own), force_count=1)


def force_slopes(
    flat: System, absolute: Floats, force: int, signals: Floats, angles: Floats
) -> Any:
    """A force on its two bodies: columns, values and derivatives."""
    alone = one_force(flat, force)
    a, b = int(alone.forces.a[0]), int(alone.forces.b[0])
    order = [6 * body + c for body in (a, b) for c in range(6)]

    def wrenches(entries: Any) -> list[Any]:
        rhs = {k: 0.0 for k in order if k >= 0}
        work = SimpleNamespace(
            absolute=entries, rhs=rhs, signals=signals.tolist(), quadratures=angles.tolist(),
            quadrature_rates={}, exchange=np.zeros(36), answer=np.zeros(84),
        )  # fmt: skip
        apply_forces(alone, work)
        return [rhs.get(k, 0.0) for k in order]

    if not FORCES[alone.forces.kind[0]].calls_user:
        return columns_of(a, b), *split(wrenches(dual_bodies(absolute, a, b)))

    def at(state: Floats) -> Floats:
        return np.array(wrenches(state.ravel()))

    return columns_of(a, b), at(absolute), differenced(at, absolute, a, b, DIRECTIONS)


# --- joints ---


def joint_slopes(flat: System, absolute: Floats, joint: int, signals: Floats) -> JointSlopes:
    """Derivatives of the rows of a joint or driver."""
    joints = flat.joints
    a, b = int(joints.a[joint]), int(joints.b[joint])
    first, rows = int(joints.first_row[joint]), int(joints.rows[joint])
    work = SimpleNamespace(signals=signals.tolist(), exchange=np.zeros(36), answer=np.zeros(84))

    def entries_of(bodies: Any) -> list[Any]:
        jacobian: dict[int, Any] = {}
        assemble_joint(flat, joint, bodies, work, jacobian, {})
        places = range(first * ROW_WIDTH, (first + rows) * ROW_WIDTH)
        return [jacobian[k] for k in places]

    def at(state: Floats) -> Floats:
        return np.array(entries_of(state.ravel()))

    if CONSTRAINTS[joints.kind[joint]].calls_user:
        values, slopes = at(absolute), differenced(at, absolute, a, b, POSES)
    else:
        values, slopes = split(entries_of(dual_bodies(absolute, a, b)))
    values = values.reshape(rows, ROW_WIDTH)
    slopes = slopes[:, :POSES].reshape(rows, ROW_WIDTH, POSES)
    if a < 0:
        values[:, :6], slopes[:, :6] = 0.0, 0.0  # whatever stands there does not act
    return JointSlopes(slice(first, first + rows), columns_of(a, b), values, slopes)


# --- formulas of users ---


def differenced(
    function: Callable[[Floats], Floats], absolute: Floats, a: int, b: int, directions: int
) -> Floats:
    """Derivatives (k, directions) of a function of an absolute state along motions of a and b."""
    columns = []
    for direction in range(directions):
        body = (a, b)[direction // 6 % 2]
        shift, change = np.zeros((2, absolute.shape[0], 6))
        if body >= 0:
            (shift if direction < POSES else change)[body, direction % 6] = 1.0

        def along(s: float, shift: Floats = shift, change: Floats = change) -> Floats:
            state = moved(absolute, s * shift)
            state[:, TWIST:] += s * change
            return function(state)

        columns.append(ridders(along) if body >= 0 else 0.0 * function(absolute))
    return np.stack(columns, axis=-1)


def ridders(function: Callable[[float], Floats]) -> Floats:
    """The derivative at 0: central differences at halved steps, extrapolated to step 0.

    The extrapolation that changes least from its neighbours is taken.
    """
    best, smallest = 0.0 * function(0.0), np.inf
    above: list[Floats] = []
    for halving in range(HALVINGS):
        step = FIRST_STEP * 0.5**halving
        row = [(function(step) - function(-step)) / (2.0 * step)]
        for order, previous in enumerate(above):
            factor = 4.0 ** (order + 1)
            row.append((factor * row[order] - previous) / (factor - 1.0))
            change = np.abs(row[-1] - row[-2]).max(initial=0.0)
            error = max(change, np.abs(row[-1] - previous).max(initial=0.0))
            if error < smallest:
                best, smallest = row[-1], error
        above = row
    return best
