"""A model on its pairs at single states: accelerations, efforts, reactions, corrections."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.build.dynamics.cut_joints import TreeScratch, cut_rows, room_of
from chasles.build.dynamics.solver import make_solver
from chasles.build.start.kkt import FEATHER
from chasles.build.system.build import Setup
from chasles.build.system.build_tree import with_feathers
from chasles.build.system.state import State
from chasles.build.system.tree_setup import build_counted, known_coordinates, tree_setup
from chasles.build.system.tree_state import absolute_of, state_of
from chasles.core.arrays import POSE_R, TWIST, Floats
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import LoopRoom, Loops
from chasles.core.recursion.reactions import tree_reactions
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    BY_WRENCH,
    OMEGA,
    TURN,
    Recursion,
    Tree,
    make_recursion,
)
from chasles.core.workspace import Workspace
from chasles.model import Model, SimulationStopped
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
    memory: Recursion
    work: Workspace
    room: LoopRoom
    start: Floats  # (q + v,)

    @classmethod
    def from_model(
        cls, model: Model, spaces: Any = "subgroups", start: State | None = None,
        shared: bool = False,
    ) -> "TreeProblem":  # fmt: skip
        """Build the tree of a model; velocities left out are completed.

        In `spaces`, bodies may be on charts: any, or all of them.  A `start` is taken as it is.
        """
        setup = build_counted(model, resolve_spaces(model, spaces), start=start)
        return cls.from_setup(setup, shared)

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
        memory = make_recursion(
            tree, solver.work.signals, bool(forces), False, bool(found.cuts), forces
        )
        scratch = TreeScratch(setup, tree, memory, solver.work)
        damp = shared and solver.redundancy is not None
        loops = cut_rows(scratch, solver, found.cuts, begin, damp).loops
        return cls(setup, tree, loops, memory, solver.work, room_of(loops, tree), begin)

    def absolute(self, states: Floats) -> Floats:
        """Absolute rows (T, n, 18) of states (T, q + v)."""
        return absolute_of(self.tree, self.memory, states)

    def reactions(
        self, state: Floats, t: float = 0.0, multipliers: Floats | None = None
    ) -> TreeReactions:
        """Accelerations, efforts and joint wrenches at one state.

        Under `multipliers` (rows,) that a method has found by itself, if they are given.
        """
        tree, count = self.tree, self.tree.body_count
        rates, efforts = np.zeros(tree.rate_count), np.zeros(tree.rate_count)
        wrenches, on_bodies = np.zeros((count, 6)), np.zeros((count, 12))
        if self.setup.system.signal_count:
            self.work.signals[:] = self.setup.signals.sample(np.array([t]))[0]
        if multipliers is not None:
            self.room.multipliers[: self.loops.row_count] = multipliers[self.loops.source]
            tree = with_feathers(tree, FEATHER)
        outcome = tree_reactions(
            tree, self.memory, self.setup.system, self.work, self.loops, self.room, state, rates,
            wrenches, efforts, on_bodies, int(multipliers is not None),
        )  # fmt: skip
        if outcome != SOLVED:
            raise no_pivot(outcome)
        found = np.zeros(self.setup.system.row_count)
        found[self.loops.source] = self.room.multipliers[: self.loops.row_count]
        return TreeReactions(rates, efforts, wrenches, on_bodies, found, self.twist_rates(state))

    def twist_rates(self, state: Floats) -> Floats:
        """V' (n, 6) of the accelerations that were found at a state."""
        rows, tree, absolute = self.memory.rows, self.tree, self.absolute(state[None])[0]
        own, arms = absolute[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3), tree.centre[:, :, None]
        arms = (rows[:, TURN : TURN + 9].reshape(-1, 3, 3) @ arms)[:, :, 0]
        omega, alpha = rows[:, OMEGA : OMEGA + 3], rows[:, ALPHA : ALPHA + 3]
        a = rows[:, ACCELERATION : ACCELERATION + 3] + tree.gravity
        a = a + np.cross(alpha, arms) + np.cross(omega, np.cross(omega, arms))
        turned = np.cross(absolute[:, TWIST : TWIST + 3], absolute[:, TWIST + 3 :])
        seen = np.einsum("nji,knj->kni", own, np.stack((alpha, a)))
        return np.concatenate((seen[0], seen[1] - turned), axis=1)


def no_pivot(row: int) -> SimulationStopped:
    return SimulationStopped(
        f"row {row} of the loop-closing joints depends on others at this pose.",
        "Move off the singular pose.",
    )
