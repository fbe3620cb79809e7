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

from chasles.build.dynamics.cut_joints import cut_rows
from chasles.build.dynamics.solver import make_solver, needs_lift
from chasles.build.start.free_bodies import Solved, inputs_of, solve
from chasles.build.start.rows import FEATHER
from chasles.build.system.build import Setup
from chasles.build.system.build_tree import with_feathers
from chasles.build.system.coordinates import (
    Key,
    angle_columns,
    coordinate_keys,
    coordinate_row,
    coupled_places,
)
from chasles.build.system.state import State
from chasles.build.system.tree_setup import (
    TreeStorage,
    build_counted,
    first_point,
    points_near,
    tree_setup,
)
from chasles.build.system.tree_state import absolute_of, place_of
from chasles.core.arrays import ROW_WIDTH, Floats, Integers, Workspace
from chasles.core.mechanism import Equations
from chasles.core.recursion.groups import Loops, LoopWorkspace
from chasles.core.recursion.tree import BY_WRENCH, Tree, TreeWorkspace, make_tree_workspace
from chasles.model import Driver, Model, SimulationStopped
from chasles.model.coordinates import ANGLE
from chasles.spaces import resolve_spaces


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
        begin = first_point(setup, solver.start)
        tree_work = make_tree_workspace(
            tree, solver.workspace.signals, True, False, bool(found.cuts), forces
        )
        storage = TreeStorage(setup, tree, tree_work, solver.workspace)
        lost = solver.form.least == 0.0 and needs_lift(setup)  # a damped factor takes 1 / m
        damp = shared and solver.redundancy is not None and not lost  # of light ones for dependent
        loops = cut_rows(storage, solver, found.cuts, begin, damp).loops
        loop_work = storage.equations(loops).loop_work
        return cls(setup, tree, loops, tree_work, solver.workspace, loop_work, begin)

    def absolute(self, states: Floats) -> Floats:
        """Absolute rows (T, n, 18) of states (T, q + v)."""
        return absolute_of(self.tree, self.tree_work, states)

    @cached_property
    def carriers(self) -> Integers:
        """(n, 3) The joint of every body's pair, and where its wrenches on parent and body go."""
        found, joints = np.full((self.tree.body_count, 3), -1), self.setup.system.joints
        for name, body in tree_setup(self.setup).body_of.items():
            index = self.setup.joint_index[name]
            found[body] = index, *((0, 6) if joints.b[index] == body else (6, 0))
        return found

    def reactions(
        self, points: Floats, times: Floats | None = None, integrals: Floats | None = None,
        multipliers: Floats | None = None,
    ) -> Solved:  # fmt: skip
        """Accelerations, efforts and joint wrenches at points (T, q + v).

        Under `multipliers` (T, rows) that a method has found by itself, if they are given: they are
        loads then, beside which nothing may weigh nothing.
        """
        tree = self.tree if multipliers is None else with_feathers(self.tree, FEATHER)
        own = self.tree_work, self.loops, self.loop_work
        inputs = inputs_of(self.setup, len(points), times, integrals)
        found = solve(
            self.setup, Equations(self.setup.system, tree, *own), self.workspace, self.carriers,
            np.ascontiguousarray(points), inputs, multipliers,
        )  # fmt: skip
        if not found.is_solved:
            raise SimulationStopped(
                f"row {found.outcome} of the loop-closing joints depends on others at this pose.",
                "Move off the singular pose.",
            )
        return found


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
    found = problem.reactions(points, times, integrals, multipliers)
    joints, wrenches, carried = setup.system.joints, found.wrenches, tree_setup(setup).body_of
    for driver in setup.model.drivers:
        if not isinstance(driver, Driver) or driver.joint not in carried:
            continue  # a row like those of cut joints
        body, driven = carried[driver.joint], setup.model.joint(driver.joint)
        at = place_of(problem.tree, body, driven, driver.coordinate)[1]
        index, joint = setup.joint_index[driver.name], setup.joint_index[driver.joint]
        row = coordinate_row(setup, driver.joint, driver.coordinate, absolute)
        pushed = (found.efforts[:, at, None] * row).reshape(-1, 2, 6)
        wrenches[:, joint] -= pushed.reshape(-1, ROW_WIDTH)
        same = joints.b[index] == joints.b[joint]  # whether both have the bodies in one order
        wrenches[:, index] = pushed[:, :: 1 if same else -1].reshape(-1, ROW_WIDTH)
    return OnPairs(wrenches, -found.multipliers[:, coupled_places(setup)], found.accelerations)


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
    """States (T, q + v) of poses and twists (T, n, 18), with the whole turns that were counted."""
    return points_near(setup, absolute, kept_coordinates(setup, integrals, known))


def kept_coordinates(setup: Setup, integrals: Floats, known: Floats | None) -> dict[Key, Floats]:
    """Angles and displacements (T,) with whole turns: those that a run kept.

    Unknown ones, as in older files, follow from integrals and poses.
    """
    near = dict[Key, Floats]()
    for joint, (column, *_) in angle_columns(setup).items():
        near[joint, ANGLE] = integrals[:, column]
    for column, key in enumerate(coordinate_keys(setup.model) if known is not None else ()):
        if known is not None and np.isfinite(known[:, column]).all():
            near[key] = known[:, column]
    return near
