"""A model ready to step on the subgroups of its joints: a tree of lower pairs, and what is cut."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_X, Floats, System
from chasles.core.recursion.flight import FLIGHT_WIDTH, first_flight, make_flight
from chasles.core.recursion.groups import Loops, make_loop_room
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.loading import in_world
from chasles.core.recursion.loop_mechanism import LoopMechanism
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.recursion.tree import DOF, SPHERICAL, STORED, make_recursion
from chasles.core.stabilisation.record import FED_BACK, Stabiliser
from chasles.core.stage import Promises
from chasles.core.state_block import POTENTIAL, SUPPLY_WIDTH, StateBlock, layout_of
from chasles.core.watch import SEEN_WIDTH
from chasles.dynamics.cut_joints import TreeScratch, cut_rows, watch_of_rows
from chasles.dynamics.kept_rows import kept_joints, kept_rows
from chasles.dynamics.solver import Solver
from chasles.integrators.admission import check_admitted
from chasles.integrators.maps import checked_map
from chasles.integrators.methods import Method, kept_beside, scheme_of
from chasles.start.conflicts import miss_rates
from chasles.start.consistent import driven_rates
from chasles.stepper import Stepper
from chasles.system.build import Setup
from chasles.system.coordinates import Key
from chasles.system.tree_setup import TreeSetup, tree_setup
from chasles.system.tree_state import (
    coordinates_of_points,
    known_coordinates,
    places_of_rates,
    state_of,
)


@dataclass(frozen=True)
class TreeStepper(Stepper):
    """The same for a tree on its joint subgroups."""

    mechanism: TreeMechanism | LoopMechanism

    def first_point(self) -> Floats:
        return start_of(self.solver, self.mechanism.tree)

    def first_momentum(self) -> Floats:
        return np.zeros((0, 3))

    def first_block(self) -> Floats:
        block, bodies = super().first_block(), self.mechanism.system.bodies
        inertia = bodies.inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        found = first_flight(self.mechanism.flight, bodies.mass, inertia, self.solver.start)
        block[self.layout.flight : self.layout.multipliers] = found.ravel()
        moved = self.solver.start[:, POSE_X : POSE_X + 3] - self.mechanism.promises.places
        potential = -(bodies.mass @ (moved @ self.mechanism.tree.gravity))
        StateBlock(block, self.layout).alarm()[POTENTIAL] = potential
        return block

    def absolute(self, points: Floats) -> Floats:
        tree = self.mechanism.tree
        out = np.zeros((len(points), tree.body_count, ABSOLUTE_WIDTH))
        tree_absolute(tree, self.mechanism.memory, np.ascontiguousarray(points), out)
        return out

    def coordinates(self, points: Floats) -> Floats | None:
        return coordinates_of_points(self.solver.setup, self.mechanism.tree, points)

    def coordinate_places(self) -> dict[Key, tuple[int, int] | None]:
        return places_of_rates(self.solver.setup, self.mechanism.tree)

    def spins(self, point: Floats) -> tuple[Floats, Floats]:
        tree = self.mechanism.tree
        first = tree.stored_count + tree.rate_at
        speeds = np.array([np.linalg.norm(point[at : at + 3]) for at in first])
        return np.where(tree.pair >= SPHERICAL, speeds, 0.0), speeds

    def removed(self, block: Floats) -> dict[str, float]:
        if not isinstance(self.mechanism, LoopMechanism) or self.mechanism.kept.count == 0:
            return {}  # there is nothing to remove
        setup, largest = self.solver.setup, float(self.mechanism.kept.largest[0])
        cut = tree_setup(setup).carried.cut
        held = self.mechanism.stabiliser.found.chosen
        return {name: largest for name in kept_joints(setup, held) if name in cut}

    def lost_bodies(self, point: Floats) -> list[int]:
        tree, lost = self.mechanism.tree, []
        for body, pair in enumerate(tree.pair.tolist()):
            q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
            own = (*point[q : q + STORED[pair]], *point[v : v + DOF[pair]])
            if not np.isfinite(own).all():
                lost.append(body)
        return lost

    def body_of_velocity(self, k: int) -> str:
        tree = self.mechanism.tree
        carried = [body for body, pair in enumerate(tree.pair.tolist()) if DOF[pair] > 0]
        body = max((b for b in carried if tree.rate_at[b] <= k), key=lambda b: tree.rate_at[b])
        return list(self.solver.setup.body_index)[body]

    def missed(self, block: Floats, t: float) -> Floats:
        """The same shared by all joints: those of the tree, which have no rows here, as well."""
        setup, solver = self.solver.setup, self.solver
        own, rates = super().missed(block, t), driven_rates(setup, t)
        if setup.model.couplings:  # which charts do not know
            return own
        self.factor_at(block, t)
        shared = np.zeros(setup.system.row_count)
        miss_rates(setup.system, solver.plan, solver.work, rates, shared)
        return shared if np.abs(shared).max(initial=0.0) > 0.0 else own

    def factor_at(self, block: Floats, t: float) -> None:
        state = StateBlock(block, self.layout)
        absolute = self.absolute(state.coordinates()[None])
        self.solver.evaluate(absolute, np.array([t]), state.integrals()[None])


def start_of(solver: Solver, tree: Any) -> Floats:
    """The coordinates at the start, angles with their whole turns."""
    follows = solver.setup.follows
    if "coordinates" not in follows:
        follows["coordinates"] = state_of(tree, solver.start, known_coordinates(solver.setup))
    start: Floats = follows["coordinates"]
    return start.copy()


def make_tree_stepper(
    solver: Solver,
    method: Method,
    stabiliser: Stabiliser,
    promises: Promises,
    until: float = 0.0,
    *,
    damp: bool = False,
) -> TreeStepper:
    """Storage for a model on subgroups, a method and what stabilises it, for times up to `until`.

    `damp` takes a damped factor in any case, and passes singular poses.
    """
    checked_map(method)
    setup = solver.setup
    found = tree_setup(setup)
    tree, forced = found.tree, setup.system.force_count > 0
    memory = make_recursion(tree, solver.work.signals, forced, efforts=False, rows=bool(found.cuts))
    scratch = TreeScratch(setup, tree, memory, solver.work)
    rows = cut_rows(scratch, solver, found.cuts, start_of(solver, tree), damp)
    watch, count = watch_of_rows(rows, stop=not damp), tree.rate_count
    tying = [cut for cut in found.cuts if not cut.terms]  # couplings push within a tree's joints
    tied = [(cut.a, cut.b, cut.balanced) for cut in tying]
    tied += [(-1, body, False) for cut in tying for body in cut.ties]
    if not method.additive:
        tied = [(-1, body, False) for body in range(tree.body_count)]
    flight = make_flight(tree, tied)
    linear = setup.system.quadrature_count + SUPPLY_WIDTH
    beside = kept_beside(method, setup.system.row_count, count, linear)
    common = {
        **parts_of(setup, found, until),
        "flight": flight,
        "memory": memory,
        "watch": watch,
        "promises": promises,
        "layout": layout_of(
            tree.stored_count + count, setup.system.quadrature_count,
            2 * count + FLIGHT_WIDTH * flight.count, 0,
            watch.joint_count * SEEN_WIDTH, flight=FLIGHT_WIDTH * flight.count, **beside,
        ),
    }  # fmt: skip
    mechanism: TreeMechanism | LoopMechanism
    if rows.loops.row_count == 0:
        mechanism = TreeMechanism(**common)
    else:
        loops = rows.loops
        if leaves_rows_alone(method, stabiliser, setup.system, loops):
            loops = in_world(loops, tree, setup.system)
        room = make_loop_room(loops, tree.body_count, count)
        mechanism = LoopMechanism(
            **common, loops=loops, room=room, stabiliser=stabiliser,
            kept=kept_rows(
                scratch, solver, found.cuts, start_of(solver, tree), stabiliser.found.chosen
            ),
            placed=np.zeros_like(memory.rows),
        )  # fmt: skip
    check_admitted(method, mechanism, setup)
    return TreeStepper(solver, mechanism, scheme_of(method, solver, mechanism))


def leaves_rows_alone(method: Method, stabiliser: Stabiliser, system: System, loops: Loops) -> bool:
    """Whether nobody looks at the rows of J at a stage: it need not form them."""
    looked_at = method.implicit or method.index > 0 or system.drive_count > 0
    drifts = stabiliser.kind == FED_BACK and stabiliser.drift_gain != 0.0
    return not (looked_at or drifts or loops.is_damped)


def parts_of(setup: Setup, found: TreeSetup, until: float) -> dict[str, Any]:
    """What follows from the model alone."""
    return {
        "system": setup.system._replace(signals=setup.signals.arrays(until)),
        "tree": found.tree,
        "coordinates": found.coordinates,
        "felt": np.zeros((found.tree.body_count, 6)),
        "efforts": np.zeros(found.tree.rate_count),
    }
