"""Storage of an implicit step, and what is known of a model before the first one."""

from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats, Integers, System, row_span
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.recursion.tree import DOF, ROW, SPHERICAL, Tree, turns_of
from chasles.core.retraction import slope_length
from chasles.core.tally import make_tally

#: What is told of the last step: iterations, factorisations of the whole Newton matrix, the
#: velocity that changed most in the last iteration, the row that was furthest open, and by how much
#: (sizes).
ITERATIONS, FACTORED, WORST_VELOCITY, WORST_ROW, OPEN = range(5)
AUDIT_WIDTH = 5


class Room(NamedTuple):
    """What the iteration of a step writes; f velocities."""

    measured: Integers  # (rows,) 1 for rows that have a gap, 0 for those that restrict speeds only
    own: Integers  # (rows,) 1 for rows whose multipliers the step finds: of a tree, cut joints
    weights: Floats  # (f,) by which changes of velocities are compared: square roots of inertias
    reach: float  # that of coordinates: what their rounding errors are compared with
    pose: Floats  # (f,) the increment of the pose without the unknown accelerations
    rate: Floats  # (f,) that of the velocities
    unknown: Floats  # (f,) accelerations at the end of the step
    guess: Floats  # (f,) where their iteration begins
    shift: Floats  # (f,) what moves the pose beside the velocities (index 2)
    apart: Floats  # (f,) unknown accelerations less those of the equations of motion
    reply: Floats  # (f,) how rows change accelerations, or poses
    change: Floats  # (f,) of the unknown accelerations in this iteration
    slope: Floats  # (slope length,)
    increment: Floats  # (slope length,)
    point: Floats  # (kept,)
    begun: Floats  # (linear,) rates of the integrals at the start of the step
    twists: Floats  # (6 n,)
    column: Floats  # (6 n + rows,)
    multipliers: Floats  # (rows,) lambda of the last iterate
    audit: Floats  # (AUDIT_WIDTH,)
    tally: Floats  # of all steps: see `core.tally`
    moved: Floats  # (kept,) a state of a tree with other velocities
    places: Floats  # (n, ROW) its kinematics
    absolute: Floats  # (n, 18)


def make_room(mechanism: Any) -> Room:
    """Storage for a mechanism."""
    system = mechanism.system
    count, bodies, rows = mechanism.tree.rate_count, system.body_count, system.row_count
    length, kept = slope_length(mechanism), mechanism.layout.kept
    weights = tree_weights(mechanism.tree)

    def vector() -> Floats:
        return np.zeros(count)

    return Room(
        measured=measured_rows(system),
        own=own_rows(mechanism),
        weights=weights,
        reach=reach_of(mechanism, weights),
        pose=vector(), rate=vector(), unknown=vector(), guess=vector(), shift=vector(),
        apart=vector(), reply=vector(), change=vector(),
        slope=np.zeros(length),
        increment=np.zeros(length),
        point=np.zeros(kept),
        begun=np.zeros(length - 2 * mechanism.tree.rate_count),
        twists=np.zeros(6 * bodies),
        column=np.zeros(6 * bodies + rows),
        multipliers=np.zeros(rows),
        audit=np.zeros(AUDIT_WIDTH),
        tally=make_tally(),
        moved=np.zeros(kept),
        places=np.zeros((bodies, ROW)),
        absolute=np.zeros((bodies, ABSOLUTE_WIDTH)),
    )  # fmt: skip


def measured_rows(system: System) -> Integers:
    """1 for the rows of J that have a gap; wheels roll on rows that have none."""
    measured = np.zeros(system.row_count, np.int64)
    for joint, code in enumerate(system.joints.kind):
        rows, kind = row_span(system, joint), CONSTRAINTS[code]
        known = kind.measured_of(rows.stop - rows.start)
        measured[[rows.start + k for k in known]] = 1
        measured[[rows.start + k for k in kind.rolling]] = 0
    return measured


def own_rows(mechanism: Any) -> Integers:
    """1 for the rows of J that have multipliers in a step."""
    own = np.zeros(mechanism.system.row_count, np.int64)
    own[mechanism.loops.source] = 1
    return own


def reach_of(mechanism: Any, weights: Floats) -> float:
    """All weights times 1 rad, or the largest length in the model."""
    promises = mechanism.promises
    lengths = [1.0, *promises.sizes.tolist(), *np.abs(promises.places).ravel().tolist()]
    return float(np.linalg.norm(weights)) * max(lengths)


def tree_weights(tree: Tree) -> Floats:
    """Square roots of the inertias that coordinates move; massless frames count as others."""
    turning, sliding = tree.inertia[:, [0, 2, 5]].mean(axis=1), np.array(tree.mass)
    turning = np.where(turning > 0.0, turning, turning.max(initial=0.0))
    sliding = np.where(sliding > 0.0, sliding, sliding.max(initial=0.0))
    weights = np.zeros(tree.rate_count)
    for body, pair in enumerate(tree.pair.tolist()):
        turns = 3 if pair >= SPHERICAL else turns_of(pair)
        slides = DOF[pair] - turns
        own = [turning[body]] * turns + [sliding[body]] * slides
        weights[tree.rate_at[body] : tree.rate_at[body] + len(own)] = np.sqrt(own)
    return weights
