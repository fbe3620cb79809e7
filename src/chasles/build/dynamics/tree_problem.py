r"""A model on its pairs at single states: accelerations, efforts, reactions, joint wrenches.

Whatever has equations has them here, frames without mass and couplings too.  The pass inward of the
recursion gives the whole wrench F of a joint, along the joint's own coordinates
$S^T F = \tau_{driver} - I_r\ddot q$.  What a driver exerts is taken out; what a rotor takes stays
with its joint.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from chasles.build.dynamics.cut_joints import TreeStorage, cut_rows, loop_workspace_of
from chasles.build.dynamics.solver import make_solver, needs_lift
from chasles.build.start.rows import FEATHER
from chasles.build.system.build import Setup
from chasles.build.system.build_tree import with_feathers
from chasles.build.system.coordinates import (
    angle_columns,
    coordinate_keys,
    coordinate_row,
    coupled_places,
)
from chasles.build.system.state import State
from chasles.build.system.tree_setup import build_counted, known_coordinates, tree_setup
from chasles.build.system.tree_state import absolute_of, place_of, state_of
from chasles.compiled.pointers import lend
from chasles.core.arrays import ROW_WIDTH, Floats, Workspace
from chasles.core.mechanism import Equations
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import Loops, LoopWorkspace
from chasles.core.recursion.reactions import tree_reactions
from chasles.core.recursion.tree import BY_WRENCH, Tree, TreeWorkspace, make_tree_workspace
from chasles.model import Driver, Model, SimulationStopped
from chasles.model.coordinates import ANGLE
from chasles.spaces import resolve_spaces


@dataclass(frozen=True)
class TreeReactions:
    """At one state: rates of the velocities (v,), generalised forces (v,), wrenches of the joints
    about P in world axes (n, 6), on parent and body in their own axes at their COMs (n, 12), the
    multipliers of all rows of J, those of the tree's joints zero, and rates of the body twists at
    the centres of mass (n, 6).
    """

    rates: Floats
    efforts: Floats
    wrenches: Floats
    on_bodies: Floats
    multipliers: Floats
    twist_rates: Floats


@dataclass(frozen=True)
class TreeProblem:
    """The arrays of a model's tree and its start; bodies are ordered as in `setup`."""

    setup: Setup
    tree: Tree
    loops: Loops
    tree_work: TreeWorkspace
    workspace: Workspace
    loop_work: LoopWorkspace
    start: Floats  # (q + v,)

    @classmethod
    def from_model(
        cls, model: Model, spaces: Any = "subgroups", start: State | None = None
    ) -> "TreeProblem":
        """Build the tree of a model; velocities left out are completed.

        In `spaces`, bodies may be on charts: any, or all of them.  A `start` is taken as it is.
        """
        setup = build_counted(model, resolve_spaces(model, spaces), start=start)
        return cls.from_setup(setup)

    @classmethod
    def from_setup(cls, setup: Setup, shared: bool = False) -> "TreeProblem":
        """The same for arrays that are made already.

        Of rows that repeat each other, couplings among them, some are chosen and push alone;
        `shared`, all do, and the shortest multipliers are taken.
        """
        solver = make_solver(setup)
        found = tree_setup(setup)
        tree, forces = found.tree, [BY_WRENCH] * setup.system.force_count
        begin = state_of(tree, solver.start, known_coordinates(setup))
        tree_work = make_tree_workspace(
            tree, solver.workspace.signals, True, False, bool(found.cuts), forces
        )
        storage = TreeStorage(setup, tree, tree_work, solver.workspace)
        lost = solver.form.least == 0.0 and needs_lift(setup)  # a damped factor takes 1 / m
        damp = shared and solver.redundancy is not None and not lost  # of light ones for dependent
        loops = cut_rows(storage, solver, found.cuts, begin, damp).loops
        return cls(
            setup, tree, loops, tree_work, solver.workspace, loop_workspace_of(loops, tree), begin
        )

    def absolute(self, states: Floats) -> Floats:
        """Absolute rows (T, n, 18) of states (T, q + v)."""
        return absolute_of(self.tree, self.tree_work, states)

    @cached_property
    def lent(self) -> tuple[Any, Any, Any]:
        """What kernels take, made once for all states: the equations, the same with feathers, which
        multipliers from elsewhere need, and the workspace.
        """
        system, own = self.setup.system, (self.tree_work, self.loops, self.loop_work)
        trees = self.tree, with_feathers(self.tree, FEATHER)
        plain, feathered = (lend(Equations(system, tree, *own)) for tree in trees)
        return plain, feathered, lend(self.workspace)

    def reactions(
        self, state: Floats, t: float = 0.0, multipliers: Floats | None = None
    ) -> TreeReactions:
        """Accelerations, efforts and joint wrenches at one state.

        Under `multipliers` (rows,) that a method has found by itself, if they are given.
        """
        tree, count = self.tree, self.tree.body_count
        rates, efforts = np.zeros(tree.rate_count), np.zeros(tree.rate_count)
        wrenches, on_bodies = np.zeros((count, 6)), np.zeros((count, 12))
        twist_rates = np.zeros((count, 6))
        if self.setup.system.signal_count:
            self.workspace.signals[:] = self.setup.signals.sample(np.array([t]))[0]
        if multipliers is not None:
            self.loop_work.multipliers[: self.loops.row_count] = multipliers[self.loops.source]
        given = multipliers is not None  # as loads, beside which nothing may weigh nothing
        outcome = tree_reactions(
            self.lent[given], self.lent[2], state, rates, wrenches, efforts, on_bodies, twist_rates,
            int(given),
        )  # fmt: skip
        if outcome != SOLVED:
            raise no_pivot(outcome)
        found = np.zeros(self.setup.system.row_count)
        found[self.loops.source] = self.loop_work.multipliers[: self.loops.row_count]
        return TreeReactions(rates, efforts, wrenches, on_bodies, found, twist_rates)


def no_pivot(row: int) -> SimulationStopped:
    return SimulationStopped(
        f"row {row} of the loop-closing joints depends on others at this pose.",
        "Move off the singular pose.",
    )


def needs_tree(setup: Setup) -> bool:
    """Whether coordinates are coupled, or a body has no mass, or too little for rows of joints."""
    frames = not setup.system.bodies.mass.all()
    return bool(setup.model.couplings) or frames or needs_lift(setup)


class OnPairs(NamedTuple):
    """What the pairs of a model tell at states."""

    wrenches: Floats  # (T, m, 12) of the joints; what a coupling does on bodies is not among them
    couplings: Floats  # (T, c) -lambda: times f' it is what they exert along a coordinate
    rates: Floats  # (T, n, 6) V'


def read_on_pairs(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None = None,
    problem: TreeProblem | None = None, multipliers: Floats | None = None,
) -> OnPairs:  # fmt: skip
    """At absolute states (T, n, 18), by the recursion, on the tree of a problem if it is given.

    `known` (T, coordinates) has angles with their whole turns, see `coordinate_keys`.  Under the
    multipliers (T, rows) of a method of index 2 or 3, if they are given: every joint exerts what
    its rows do, and what carries a body the rest, so that all bodies are in balance.
    """
    problem = problem or TreeProblem.from_setup(setup, shared=True)
    points = points_of(problem.setup, absolute, integrals, known)
    joints = setup.system.joints
    wrenches = np.zeros((len(absolute), setup.system.joint_count, ROW_WIDTH))
    rates, places = np.zeros((*absolute.shape[:2], 6)), coupled_places(setup)
    couplings = np.zeros((len(absolute), len(places)))
    efforts = np.zeros((len(absolute), problem.tree.rate_count))
    carried = tree_setup(setup).body_of
    for k, t in enumerate(times.tolist()):
        given = None if multipliers is None else multipliers[k]
        problem.workspace.quadratures[: integrals.shape[1]] = integrals[k]
        found = problem.reactions(points[k], t, given)
        efforts[k], rates[k] = found.efforts, found.twist_rates
        couplings[k] = -found.multipliers[places]
        for index in np.unique(problem.loops.joints).tolist():  # -J^T lambda of what is cut
            first = int(joints.first_row[index])
            rows = slice(first, first + int(joints.span[index]))
            wrenches[k, index] = -found.multipliers[rows] @ problem.workspace.jacobian[rows]
        for name, body in carried.items():
            index, halves = setup.joint_index[name], found.on_bodies[body].reshape(2, 6)
            wrenches[k, index] += halves[:: 1 if joints.b[index] == body else -1].ravel()
    for driver in setup.model.drivers:
        if not isinstance(driver, Driver) or driver.joint not in carried:
            continue  # a row like those of cut joints
        body, driven = carried[driver.joint], setup.model.joint(driver.joint)
        at = place_of(problem.tree, body, driven, driver.coordinate)[1]
        index, joint = setup.joint_index[driver.name], setup.joint_index[driver.joint]
        row = coordinate_row(setup, driver.joint, driver.coordinate, absolute)
        pushed = (efforts[:, at, None] * row).reshape(-1, 2, 6)
        wrenches[:, joint] -= pushed.reshape(-1, ROW_WIDTH)
        same = joints.b[index] == joints.b[joint]  # whether both have the bodies in one order
        wrenches[:, index] = pushed[:, :: 1 if same else -1].reshape(-1, ROW_WIDTH)
    return OnPairs(wrenches, couplings, rates)


def own_readings(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None,
    multipliers: Floats,
) -> tuple[Any, OnPairs] | None:  # fmt: skip
    """What the multipliers (T, rows) of a method of index 2 or 3 tell, and at which times (T,).

    They are the method's own: what the joints that carry bodies exert follows from the balance of
    the bodies under them.  At the start they are not known (NaN).
    """
    problem = TreeProblem.from_setup(setup)
    if problem.loops.row_count == 0:
        return None
    found = ~np.isnan(multipliers[:, problem.loops.source]).any(axis=1)
    if not found.any():
        return None
    return found, read_on_pairs(
        setup, absolute[found], times[found], integrals[found],
        None if known is None else known[found], problem, multipliers[found],
    )  # fmt: skip


def points_of(setup: Setup, absolute: Floats, integrals: Floats, known: Floats | None) -> Floats:
    """States (T, q + v) of poses and twists (T, n, 18), with the whole turns that were counted.

    Coordinates that are not known, those of older files, are told by integrals and poses.
    """
    found = tree_setup(setup)
    tree, body_of = found.tree, found.body_of
    columns = dict[tuple[int, str], Floats]()
    for joint, (column, *_) in angle_columns(setup).items():
        if joint in body_of:
            columns[body_of[joint], ANGLE] = integrals[:, column]
    for column, (joint, word) in enumerate(coordinate_keys(setup.model)):
        if known is not None and joint in body_of and np.isfinite(known[:, column]).all():
            columns[body_of[joint], word] = known[:, column]
    rows = [
        state_of(tree, row, {key: float(column[k]) for key, column in columns.items()})
        for k, row in enumerate(absolute)
    ]
    return np.array(rows).reshape(len(absolute), -1)
