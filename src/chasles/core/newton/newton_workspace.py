"""Storage of an implicit step, and what it has to know of a model."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    Floats,
    Integers,
    sizes_of,
    storage,
)
from chasles.core.constraints.registry import measured_rows
from chasles.core.newton.past_points import PastPoints, make_past_points
from chasles.core.newton.structure import Newton, newton_of
from chasles.core.outcomes import TALLY_WIDTH
from chasles.core.recursion.tree import DOF, ROW, SPHERICAL, Tree, turns_of
from chasles.core.state_block import linear_count, slope_length

#: What is told of the last step: iterations, factorisations of the whole Newton matrix, the
#: velocity that changed most in the last iteration, the row that was furthest open, and by how much
#: (sizes).
ITERATIONS, FACTORED, WORST_VELOCITY, WORST_ROW, OPEN = range(5)
AUDIT_WIDTH = 5


class NewtonWorkspace(NamedTuple):
    """What the iteration of a step writes; f velocities."""

    measured: Integers  # (rows,) 1 for rows that have a gap, 0 for those that restrict speeds only
    own: Integers  # (rows,) 1 for rows whose multipliers the step finds: of a tree, cut joints
    weights: Floats  # (f,) by which changes of velocities are compared: square roots of inertias
    reach: float  # that of coordinates: what their rounding errors are compared with
    newton: Newton  # the whole matrix
    past: PastPoints  # of a multistep method
    pose: Annotated[Floats, "f"]  # the increment of the pose without the unknown accelerations
    rate: Annotated[Floats, "f"]  # that of the velocities
    unknown: Annotated[Floats, "f"]  # accelerations at the end of the step
    guess: Annotated[Floats, "f"]  # where their iteration begins
    shift: Annotated[Floats, "f"]  # what moves the pose beside the velocities (index 2)
    apart: Annotated[Floats, "f"]  # unknown accelerations less those of the equations of motion
    response: Annotated[Floats, "f"]  # how rows change accelerations, or poses
    change: Annotated[Floats, "f"]  # of the unknown accelerations in this iteration
    slope: Annotated[Floats, "slope"]
    increment: Annotated[Floats, "slope"]
    point: Annotated[Floats, "kept"]
    begun: Annotated[Floats, "linear"]  # rates of the integrals at the start of the step
    twists: Annotated[Floats, "6 n"]
    column: Annotated[Floats, "rows"]
    multipliers: Annotated[Floats, "rows"]  # lambda of the last iterate
    audit: Annotated[Floats, AUDIT_WIDTH]
    tally: Annotated[Floats, TALLY_WIDTH]  # of all steps: see `core.outcomes`
    moved: Annotated[Floats, "kept"]  # a state of a tree with other velocities
    places: Annotated[Floats, "n", ROW]  # its kinematics
    absolute: Annotated[Floats, "n", ABSOLUTE_WIDTH]


def make_newton_workspace(solver: Any, mechanism: Any, past: int = 0) -> NewtonWorkspace:
    """Storage for the model of a solver, stepped as a mechanism; `past` points may be looked at."""
    sizes = {
        **sizes_of(mechanism.system),
        "f": mechanism.tree.rate_count,
        "slope": slope_length(mechanism),
        "linear": linear_count(mechanism),
        "kept": mechanism.layout.kept,
    }
    return storage(
        NewtonWorkspace, sizes,
        measured=measured_rows(mechanism.system).astype(np.int64),
        own=own_rows(mechanism),
        weights=tree_weights(mechanism.tree),
        reach=reach_of(mechanism),
        newton=newton_of(solver, mechanism),
        past=make_past_points(mechanism, past),
    )  # fmt: skip


def own_rows(mechanism: Any) -> Integers:
    """1 for the rows of J that have multipliers in a step."""
    own = np.zeros(mechanism.system.row_count, np.int64)
    own[mechanism.loops.source] = 1
    return own


def reach_of(mechanism: Any) -> float:
    """All bodies turned by 1 rad, and moved by the largest length in the model."""
    accuracy = mechanism.accuracy
    lengths = accuracy.sizes[accuracy.lengths != 0.0]
    largest = max([0.0, *lengths.tolist(), *np.abs(accuracy.places).ravel().tolist()])
    turning, sliding = inertias_of(mechanism.tree)
    return float(np.sqrt(3.0 * (turning + sliding * largest**2).sum()))


def inertias_of(tree: Tree) -> tuple[Floats, Floats]:
    """Of the bodies, of turns and of displacements; massless frames count as others."""
    turning, sliding = tree.inertia[:, [0, 2, 5]].mean(axis=1), np.array(tree.mass)
    turning = np.where(turning > 0.0, turning, turning.max(initial=0.0))
    sliding = np.where(sliding > 0.0, sliding, sliding.max(initial=0.0))
    return turning, sliding


def tree_weights(tree: Tree) -> Floats:
    """Square roots of the inertias that coordinates move."""
    turning, sliding = inertias_of(tree)
    weights = np.zeros(tree.rate_count)
    for body, pair in enumerate(tree.pair.tolist()):
        turns = 3 if pair >= SPHERICAL else turns_of(pair)
        slides = DOF[pair] - turns
        own = [turning[body]] * turns + [sliding[body]] * slides
        weights[tree.rate_at[body] : tree.rate_at[body] + len(own)] = np.sqrt(own)
    return weights
