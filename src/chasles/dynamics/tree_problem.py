"""A tree of lower pairs on its joint subgroups, ready to run; for tests and benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, DRIVE, Floats
from chasles.core.evaluate import Workspace
from chasles.core.recursion.reactions import tree_reactions
from chasles.core.recursion.run import (
    FINISHED,
    make_tree_stages,
    tree_absolute,
    tree_run,
)
from chasles.core.recursion.tree import Recursion, Tree, make_recursion
from chasles.dynamics.solver import make_solver
from chasles.integrators.tableaux import Tableau
from chasles.integrators.tableaux import method as find_method
from chasles.model import InvalidModel, Model, SimulationStopped
from chasles.spaces import resolve_spaces
from chasles.spaces.tree import spanning_tree
from chasles.system.build import Setup, build
from chasles.system.build_tree import build_tree, links_of, state_of
from chasles.system.turns import first_integrals


@dataclass(frozen=True)
class TreeRun:
    """States of a run: t (T,), coordinates (T, q + v), and absolute rows (T, n, 18)."""

    t: Floats
    states: Floats
    absolute: Floats


@dataclass(frozen=True)
class TreeReactions:
    """At one state: rates of the velocities (v,), generalised forces (v,), wrenches of the joints
    about P in world axes (n, 6), and on parent and body in their own axes at their COMs (n, 12).
    """

    rates: Floats
    efforts: Floats
    wrenches: Floats
    on_bodies: Floats


@dataclass(frozen=True)
class TreeProblem:
    """The arrays of a model's tree and its start; bodies are ordered as in `setup`."""

    setup: Setup
    tree: Tree
    memory: Recursion
    work: Workspace
    start: Floats  # (q + v,)

    @classmethod
    def from_model(cls, model: Model, armature: Mapping[str, Any] | None = None) -> "TreeProblem":
        """Build the tree of a model without loops; velocities left out are completed."""
        found = spanning_tree(model)
        if found.cut:
            raise InvalidModel(
                f"joint '{found.cut[0]}' closes a loop.", "Give a model whose joints form a tree."
            )
        setup = build(model, resolve_spaces(model, "auto"))
        solver = make_solver(setup)
        drives = {
            name: int(setup.system.joint_bodies[setup.joint_index[name], DRIVE])
            for name in model.driver_names
        }
        links = links_of(model, list(setup.body_index), found, armature, drives)
        tree = build_tree(links, model.gravity)
        memory = make_recursion(
            tree, setup.system.signal_count, setup.system.force_count > 0, efforts=False
        )
        return cls(setup, tree, memory, solver.work, state_of(tree, solver.start))

    def absolute(self, states: Floats) -> Floats:
        """Absolute rows (T, n, 18) of states (T, q + v)."""
        out = np.zeros((len(states), self.tree.body_count, ABSOLUTE_WIDTH))
        tree_absolute(self.tree, self.memory, np.ascontiguousarray(states), out)
        return out

    def reactions(self, state: Floats) -> "TreeReactions":
        """Accelerations, efforts and joint wrenches at one state, without loads."""
        tree, count = self.tree, self.tree.body_count
        rates, efforts = np.zeros(tree.rate_count), np.zeros(tree.rate_count)
        wrenches, on_bodies = np.zeros((count, 6)), np.zeros((count, 12))
        tree_reactions(tree, self.memory, state, rates, wrenches, efforts, on_bodies)
        return TreeReactions(rates, efforts, wrenches, on_bodies)

    def run(
        self, until: float, step: float, method: str | Tableau = "rk4", save_every: int = 1
    ) -> TreeRun:
        """Integrate from t = 0 with whole steps."""
        tableau, steps = find_method(method), round(until / step)
        system = self.setup.system
        stages = make_tree_stages(self.tree, tableau.a, tableau.b, system.quadrature_count)
        stages.integrals[:] = first_integrals(self.setup)
        state = self.start.copy()
        saved = np.zeros((steps // save_every + 1, state.size))
        saved[0] = state
        table = np.zeros(1)
        if system.signal_count:
            nodes = np.arange(steps)[:, None] + tableau.c[: stages.count]
            times = np.append(step * nodes.ravel(), step * steps)
            table = self.setup.signals.sample_run(times).reshape(-1)
        reached, outcome = tree_run(
            self.tree, self.memory, system, self.work, stages, state, table, step, 0, steps,
            save_every, saved,
        )  # fmt: skip
        if outcome != FINISHED:
            raise SimulationStopped(
                f"a coordinate is not a number after t = {reached * step:.6g} s.",
                f"Take a smaller step than {step:g} s.",
            )
        kept = save_every * np.arange(len(saved))
        return TreeRun(step * kept, saved, self.absolute(saved))
