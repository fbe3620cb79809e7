r"""First derivatives of the forces and of the rows of J, along motions of the bodies.

A body moves by a twist in its own frame, $R\exp\hat\omega$ and $x + R u$ to first order, and its
twist V changes by nu.  A force or joint depends on two bodies, so that its derivatives are found
along their 24 directions and added up; a user's force may see more.  The formulas of the kernels
run on dual numbers for that (`chasles.scalars.dual`), on all joints or forces of a kind at once
(`chasles.analysis.stacks`): the derivatives are exact, and there is no step to choose.  A user's
joint runs on jets, as it does in a run (`chasles.analysis.extended`).  Only a user's force, which
takes floats, is differenced, by Ridders' extrapolation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.analysis.extended import formula_slopes
from chasles.analysis.stacks import (
    force_stacks,
    joint_stacks,
    stacked_forces,
    stacked_joints,
    stacked_weights,
)
from chasles.build.system.gaps import gyration_radii
from chasles.build.system.state import moved
from chasles.core.arrays import (
    ROW_WIDTH,
    TWIST,
    Floats,
    Integers,
    System,
    flat_arrays,
)
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.forces.registry import FORCES
from chasles.result.readout import one_wrench

#: Ridders: the first step (rad, m, and per second), and how often it is halved.
FIRST_STEP, HALVINGS = 0.1, 12
#: The ground as a body.
AT_ORIGIN = np.concatenate((np.eye(3).ravel(), np.zeros(9)))


@dataclass(frozen=True)
class Loads:
    """Wrenches of some forces on two bodies each, w = 12, or on more, and how they change."""

    columns: Integers  # (m, w) of the bodies' twists, -1 for the ground
    values: Floats  # (m, w)
    slopes: Floats  # (m, w, 2 w): along motions of the bodies, then of their twists

    @property
    def by_pose(self) -> Floats:
        """(m, w, w)"""
        return self.slopes[:, :, : self.columns.shape[1]]

    @property
    def by_twist(self) -> Floats:
        """(m, w, w)"""
        return self.slopes[:, :, self.columns.shape[1] :]


@dataclass(frozen=True)
class Rows:
    """Rows of some joints, and how they change as the bodies move."""

    joints: Integers  # (m,)
    rows: Integers  # (m, r) of J, padding counted
    columns: Integers  # (m, 12) of J, -1 for the ground
    entries: Floats  # (m, r, 12)
    slopes: Floats  # (m, r, 12 entries, 12 directions)


@dataclass(frozen=True)
class Tangent:
    r"""Derivatives at one state, as sparse matrices on all unknowns.

    count  of the unknowns: 6n, and coordinates beside the bodies
    loads  of Q
    rows   of J
    sizes  (count,) how large what is added up in Q is, in any direction: forces, and torques with
           those of forces at a radius of gyration
    """

    count: int
    loads: tuple[Loads, ...]
    rows: tuple[Rows, ...]
    sizes: Floats

    @cached_property
    def by_pose(self) -> Any:
        """Of Q: column k belongs to direction k of the bodies' poses."""
        return summed([(x.columns, x.by_pose) for x in self.loads], self.count)

    @cached_property
    def by_twist(self) -> Any:
        """Of Q: column k belongs to entry k of the bodies' twists."""
        return summed([(x.columns, x.by_twist) for x in self.loads], self.count)

    def reaction_blocks(self, multipliers: Floats) -> list[tuple[Integers, Floats]]:
        r"""$\partial_\xi (J^T\lambda)$ at constant $\lambda$, joint by joint."""
        return [
            (x.columns, np.einsum("mr,mrcd->mcd", multipliers[x.rows], x.slopes)) for x in self.rows
        ]

    def reaction_sizes(self, multipliers: Floats, system: System) -> Floats:
        """Sizes of the reactions, as in `sizes`."""
        total = np.zeros(self.count + 1)
        for x in self.rows:
            wrenches = np.einsum("mr,mrc->mc", multipliers[x.rows], x.entries)
            add_sizes(total, x.columns, wrenches, system)
        return total[:-1]

    def wrenches(self, multipliers: Floats, joint_count: int) -> Floats:
        """J^T lambda of every joint on its two bodies, (joints, 12)."""
        out = np.zeros((joint_count, ROW_WIDTH))
        for x in self.rows:
            out[x.joints] = np.einsum("mr,mrc->mc", multipliers[x.rows], x.entries)
        return out

    def of_slip(self, twists: Floats, row_count: int) -> Any:
        r"""$\partial_\xi (J V)$ at constant V, (row_count, count), padded rows."""
        padded = np.append(twists, 0.0)
        blocks = [
            (x.rows, x.columns, np.einsum("mrcd,mc->mrd", x.slopes, padded[x.columns]))
            for x in self.rows
        ]
        return placed(blocks, (row_count, self.count))


def placed(blocks: Any, shape: tuple[int, int]) -> Any:
    """Blocks (m, r, c) at their rows (m, r) and columns (m, c), -1: none, added up, sparse."""
    from scipy.sparse import coo_matrix

    down, across, values = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
    for rows, columns, block in blocks:
        one = np.broadcast_to(rows[:, :, None], block.shape)
        other = np.broadcast_to(columns[:, None, :], block.shape)
        kept = (one >= 0) & (other >= 0)
        down.append(one[kept])
        across.append(other[kept])
        values.append(block[kept])
    places = (np.concatenate(down), np.concatenate(across))
    return coo_matrix((np.concatenate(values), places), shape=shape).tocsr()


def summed(blocks: Any, size: int) -> Any:
    """Blocks (m, w, w) on the same rows and columns (m, w), added up to a square matrix."""
    return placed([(where, where, block) for where, block in blocks], (size, size))


def tangent(
    system: System, absolute: Floats, signals: Floats, angles: Floats, formulas: Any = None,
    count: int = 0,
) -> Tangent:  # fmt: skip
    """Derivatives at an absolute state (n, 18), for given functions of time and joint angles.

    `formulas` are users' joints by number, `count` unknowns if there are more than those of bodies.
    """
    forces, joints, count = system.forces, system.joints, count or 6 * system.body_count
    bodies, ground = np.arange(system.body_count), np.full(system.body_count, -1)
    loads = [Loads(columns_of(ground, bodies), *stacked_weights(system, absolute))]
    for members in force_stacks(system):
        if forces.address[members[0]] != 0:  # a user's formula
            loads.append(custom_force(system, absolute, int(members[0]), signals, angles))
            continue
        found = stacked_forces(system, members, absolute, signals, angles)
        loads.append(Loads(columns_of(forces.a[members], forces.b[members]), *found))
    rows = []
    for members in joint_stacks(system):
        if joints.rows[members[0]] == 0:
            continue  # a coupling
        if CONSTRAINTS[joints.kind[members[0]]].calls_user:
            ends = (int(joints.a[members[0]]), int(joints.b[members[0]]))
            states = np.array([AT_ORIGIN if body < 0 else absolute[body] for body in ends])
            found = formula_slopes(formulas[int(members[0])], states)
            entries, slopes = found[0][None], found[1][None]
        else:
            entries, slopes = stacked_joints(system, members, absolute)
        if joints.a[members[0]] < 0:
            entries[:, :, :6], slopes[:, :, :6] = 0.0, 0.0  # whatever stands there does not act
        places = joints.first_row[members][:, None] + np.arange(entries.shape[1])
        columns = columns_of(joints.a[members], joints.b[members])
        rows.append(Rows(members, places, columns, entries, slopes))
    sizes = np.zeros(count + 1)
    for load in loads:
        add_sizes(sizes, load.columns, load.values, system)
    return Tangent(count, tuple(loads), tuple(rows), sizes[:-1])


def add_sizes(sizes: Floats, columns: Integers, values: Floats, system: System) -> None:
    """Add the sizes of wrenches (m, w) on bodies, the same for all three axes."""
    for side in range(0, columns.shape[1], 6):
        acting = columns[:, side] >= 0
        owners = columns[acting, side] // 6
        pairs = values[acting, side : side + 6].reshape(-1, 2, 3)
        torque, force = np.linalg.norm(pairs, axis=2).T
        gyration = gyration_radii(system)[owners]
        for c in range(3):
            np.add.at(sizes, 6 * owners + c, torque + gyration * force)
            np.add.at(sizes, 6 * owners + 3 + c, force)


def columns_of(*bodies: Integers) -> Integers:
    """Columns (m, 6 k) of k bodies each (m,); those of the ground are all the last one."""
    return np.hstack([np.where(x[:, None] < 0, -1, 6 * x[:, None] + np.arange(6)) for x in bodies])


# --- formulas of users ---


def differenced(
    function: Callable[[Floats], Floats], absolute: Floats, bodies: Sequence[int]
) -> Floats:
    """Derivatives (k, 12 n) of a function of an absolute state along motions and twists of n
    bodies.
    """
    columns, poses = [], 6 * len(bodies)
    for direction in range(2 * poses):
        body = bodies[direction % poses // 6]
        shift, change = np.zeros((2, absolute.shape[0], 6))
        if body >= 0:
            (shift if direction < poses else change)[body, direction % 6] = 1.0

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


def custom_force(
    system: System, absolute: Floats, force: int, signals: Floats, angles: Floats
) -> Loads:
    """A user's force on its two bodies, or on all that it sees."""
    forces, flat = system.forces, flat_arrays(system)
    count, wrench = int(forces.seen[force, 0]), FORCES[forces.kind[force]].wrench
    ends = forces.seen[force, 1 : 1 + count] if count else (forces.a[force], forces.b[force])
    bodies = [int(body) for body in ends]
    columns = columns_of(*np.array(bodies, np.int64)[:, None])

    def wrenches(state: Floats) -> Floats:
        rhs = one_wrench(wrench, flat, force, state.ravel(), signals, angles)[0]
        return np.where(columns[0] < 0, 0.0, rhs[columns[0]])

    slopes = differenced(wrenches, absolute, bodies)
    return Loads(columns, wrenches(absolute)[None], slopes[None])
