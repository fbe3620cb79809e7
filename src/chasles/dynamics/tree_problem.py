"""A model on its joint subgroups, ready to run; for tests and benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, Floats
from chasles.core.evaluate import Workspace
from chasles.core.recursion.cuts import Cut, LoopRoom, Loops, make_loop_room, make_loops
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.motion import retract
from chasles.core.recursion.reactions import tree_reactions
from chasles.core.recursion.riding import SOLVED
from chasles.core.recursion.run import (
    FINISHED,
    NOT_FINITE,
    make_tree_stages,
    tree_correct,
    tree_factor,
    tree_run,
)
from chasles.core.recursion.tree import (
    ACCELERATION,
    ALPHA,
    OMEGA,
    TURN,
    Recursion,
    Tree,
    make_recursion,
)
from chasles.dynamics.solver import make_solver
from chasles.integrators.tableaux import Tableau
from chasles.integrators.tableaux import method as find_method
from chasles.model import Driver, Model, SimulationStopped
from chasles.start.redundancy import free_pivots
from chasles.system.build import Setup, build
from chasles.system.build_tree import (
    build_tree,
    cuts_of,
    links_of,
    pair_tree,
    relative_spaces,
)
from chasles.system.tree_state import state_of
from chasles.system.turns import first_integrals

#: A row that no coordinate moves by more than this fraction of what free bodies would, squared, at
#: any pose, holds by itself: rounding leaves 1e-32.
VANISHING = 1e-20
#: Poses of the tree at which rows are looked at: they vanish identically or almost nowhere.
POSES = 3
#: A pivot below this fraction of the row's own is redundant, and mu as a fraction of that.
REDUNDANT, DAMPING = 1e-10, 1e-7


@dataclass(frozen=True)
class TreeRun:
    """States of a run: t (T,), coordinates (T, q + v), and absolute rows (T, n, 18)."""

    t: Floats
    states: Floats
    absolute: Floats


@dataclass(frozen=True)
class TreeReactions:
    """At one state: rates of the velocities (v,), generalised forces (v,), wrenches of the joints
    about P in world axes (n, 6), on parent and body in their own axes at their COMs (n, 12), and
    the multipliers of all rows of J, those of the tree's joints zero.
    """

    rates: Floats
    efforts: Floats
    wrenches: Floats
    on_bodies: Floats
    multipliers: Floats


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
    def from_model(cls, model: Model, armature: Mapping[str, Any] | None = None) -> "TreeProblem":
        """Build the tree of a model; velocities left out are completed."""
        found = pair_tree(model)
        setup = build(model, relative_spaces(found))
        solver = make_solver(setup)
        system, carrying = setup.system, set(model.joint_names) - set(found.cut)
        driven = [d.name for d in model.drivers if isinstance(d, Driver) and d.joint in carrying]
        drives = {name: int(system.joints.drive[setup.joint_index[name]]) for name in driven}
        links = links_of(model, list(setup.body_index), found, armature, drives)
        tree = build_tree(links, model.gravity)
        start = state_of(tree, solver.start)
        others = [name for name in model.driver_names if name not in driven]
        cuts = cuts_of(system, setup.joint_index, [*found.cut, *others])
        memory = make_recursion(
            tree, solver.work.signals, system.force_count > 0, efforts=False, rows=bool(cuts)
        )
        free = free_pivots(setup, solver.work)
        loops = independent_loops(setup, tree, memory, solver.work, cuts, free, start)
        room = make_loop_room(loops, tree.body_count, tree.rate_count)
        return cls(setup, tree, loops, memory, solver.work, room, start)

    def absolute(self, states: Floats) -> Floats:
        """Absolute rows (T, n, 18) of states (T, q + v)."""
        out = np.zeros((len(states), self.tree.body_count, ABSOLUTE_WIDTH))
        tree_absolute(self.tree, self.memory, np.ascontiguousarray(states), out)
        return out

    def reactions(self, state: Floats, t: float = 0.0) -> TreeReactions:
        """Accelerations, efforts and joint wrenches at one state."""
        tree, count = self.tree, self.tree.body_count
        rates, efforts = np.zeros(tree.rate_count), np.zeros(tree.rate_count)
        wrenches, on_bodies = np.zeros((count, 6)), np.zeros((count, 12))
        if self.setup.system.signal_count:
            self.work.signals[:] = self.setup.signals.sample(np.array([t]))[0]
        outcome = tree_reactions(
            tree, self.memory, self.setup.system, self.work, self.loops, self.room, state, rates,
            wrenches, efforts, on_bodies,
        )  # fmt: skip
        if outcome != SOLVED:
            raise no_pivot(outcome)
        multipliers = np.zeros(self.setup.system.row_count)
        multipliers[self.loops.source] = self.room.multipliers[: self.loops.row_count]
        return TreeReactions(rates, efforts, wrenches, on_bodies, multipliers)

    def twist_rates(self, state: Floats, t: float = 0.0) -> Floats:
        """Rates of the body twists at the centres of mass (n, 6), after `reactions` at a state."""
        out, absolute = np.zeros((self.tree.body_count, 6)), self.absolute(state[None])[0]
        self.reactions(state, t)
        for k, row in enumerate(self.memory.rows):
            own = absolute[k, :9].reshape(3, 3)
            arm = row[TURN : TURN + 9].reshape(3, 3) @ self.tree.centre[k]
            omega, alpha = row[OMEGA : OMEGA + 3], row[ALPHA : ALPHA + 3]
            a = row[ACCELERATION : ACCELERATION + 3] + self.tree.gravity
            a = a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
            turned = np.cross(absolute[k, 12:15], absolute[k, 15:18])
            out[k] = np.concatenate((own.T @ alpha, own.T @ a - turned))
        return out

    def corrections(self, state: Floats, changes: Floats) -> Floats:
        """Changes of the coordinates (k, v) by which rows change as given (k, m)."""
        out = np.zeros((len(changes), self.tree.rate_count))
        outcome = tree_correct(
            self.tree, self.memory, self.setup.system, self.work, self.loops, self.room, state,
            np.ascontiguousarray(changes, float), out,
        )  # fmt: skip
        if outcome != SOLVED:
            raise no_pivot(outcome)
        return out

    def run(
        self, until: float, step: float, method: str | Tableau = "rk4", save_every: int = 1
    ) -> TreeRun:
        """Integrate from t = 0 with whole steps."""
        tableau, steps = find_method(method), round(until / step)
        system = self.setup.system._replace(signals=self.setup.signals.arrays(until))
        stages = make_tree_stages(
            self.tree, tableau.a, tableau.b, tableau.c, system.quadrature_count
        )
        stages.integrals[:] = first_integrals(self.setup)
        state = self.start.copy()
        saved = np.zeros((steps // save_every + 1, state.size))
        saved[0] = state
        reached, outcome = tree_run(
            self.tree, self.memory, system, self.work, self.loops, self.room, stages, state,
            step, 0, steps, save_every, saved.reshape(-1),
        )  # fmt: skip
        if outcome != FINISHED:
            why = (
                "a coordinate is not a number"
                if outcome == NOT_FINITE
                else f"row {outcome} of the cut joints depends on others"
            )
            raise SimulationStopped(
                f"{why} after t = {reached * step:.6g} s.",
                f"Take a smaller step than {step:g} s.",
            )
        kept = np.arange(len(saved), dtype=np.float64)
        return TreeRun(step * save_every * kept, saved, self.absolute(saved))


def no_pivot(row: int) -> SimulationStopped:
    return SimulationStopped(
        f"row {row} of the cut joints depends on others at this pose.",
        "Move off the singular pose.",
    )


def independent_loops(
    setup: Setup, tree: Tree, memory: Recursion, work: Workspace, cuts: list[Cut], free: Floats,
    start: Floats,
) -> Loops:  # fmt: skip
    """Loops without rows that vanish identically; damped where rows depend on each other."""
    if not cuts:
        return make_loops(tree.parent, [])

    def factored(loops: Loops, state: Floats) -> tuple[int, Floats]:
        room = make_loop_room(loops, tree.body_count, tree.rate_count)
        row = tree_factor(tree, memory, setup.system, work, loops, room, state)
        return row, room.values[: loops.row_count]

    rng = np.random.default_rng(0)
    moved: set[int] = set()
    for _ in range(POSES):
        state = perturbed(tree, start, rng)
        found = row_mobility(tree, memory, setup, work, cuts, state)
        moved.update(row for row, value in found.items() if value > VANISHING * free[row])
    kept = [cut._replace(rows=tuple(r for r in cut.rows if r in moved)) for cut in cuts]
    loops = make_loops(tree.parent, kept)
    if loops.row_count == 0:
        return loops
    failed, pivots = factored(loops, start)
    own = row_mobility(tree, memory, setup, work, kept, start)
    mobility: Floats = np.array([own[int(source)] for source in loops.source])
    if failed == SOLVED and (np.abs(pivots) > REDUNDANT * mobility).all():
        return loops
    return make_loops(tree.parent, kept, DAMPING * mobility)


def perturbed(tree: Tree, start: Floats, rng: np.random.Generator) -> Floats:
    """A random pose of the tree, loops open, at rest."""
    state = np.zeros_like(start)
    increment = np.concatenate((rng.normal(size=tree.rate_count), np.zeros(tree.rate_count)))
    retract(tree, start, increment, state)
    state[tree.stored_count :] = 0.0
    return state


def row_mobility(
    tree: Tree, memory: Recursion, setup: Setup, work: Workspace, cuts: list[Cut], state: Floats
) -> dict[int, float]:
    """(J M^-1 J^T)_rr of every row, each taken alone."""
    found = {}
    for cut in cuts:
        for row in cut.rows:
            loops = make_loops(tree.parent, [cut._replace(rows=(row,), balanced=False)])
            room = make_loop_room(loops, tree.body_count, tree.rate_count)
            tree_factor(tree, memory, setup.system, work, loops, room, state)
            found[row] = -float(room.values[0])
    return found


__all__ = ["TreeProblem", "TreeReactions", "TreeRun"]
