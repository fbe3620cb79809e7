"""A model ready to step: its mechanism, a scheme, and storage for both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from chasles.build.dynamics.constant_rows import constant_row_joints, constant_rows
from chasles.build.dynamics.cut_joints import (
    cut_rows,
    monitor_of_rows,
    no_rows,
    nothing_seen,
)
from chasles.build.dynamics.solver import Solver, never_depend
from chasles.build.start.consistent import driven_rates
from chasles.build.system.build import Setup
from chasles.build.system.coordinates import Key, first_integrals
from chasles.build.system.tree_setup import (
    TreeStorage,
    coordinates_of_points,
    first_point,
    tree_setup,
)
from chasles.build.system.tree_state import absolute_of
from chasles.core.arrays import POSE_X, Floats, System, Workspace, lend
from chasles.core.forces.registry import FORCES
from chasles.core.kinds import no_effort
from chasles.core.mechanism import AccuracyLimits, Mechanism
from chasles.core.rank_monitor import SEEN_WIDTH
from chasles.core.recursion.floating import FLOATING_WIDTH, find_floating, floating_at_start
from chasles.core.recursion.groups import in_world, make_loop_workspace
from chasles.core.recursion.tables import in_order
from chasles.core.recursion.tree import BY_WRENCH, DOF, SPHERICAL, STORED, Tree, make_tree_workspace
from chasles.core.stabilisation import FED_BACK, Stabiliser, no_constant_rows
from chasles.core.state_block import (
    AT_START,
    MISSED_SINCE,
    NEVER,
    OPEN_SINCE,
    POTENTIAL,
    SUPPLY_WIDTH,
    UNBALANCED_SINCE,
    Layout,
    StateBlock,
    make_layout,
)
from chasles.integrators.advance import SEEN_LAST, advance
from chasles.integrators.methods import Method, check_admitted, kept_beside, scheme_of
from chasles.integrators.rattlie import RATTLIE
from chasles.model import JointForce
from chasles.result.energy import kinetic_of_all
from chasles.spaces.on_subgroups import on_subgroups


@dataclass(frozen=True)
class Stepper:
    """What `advance` needs; one thread at a time may use it."""

    solver: Solver
    mechanism: Mechanism
    scheme: Any
    # what takes steps instead of the generic kernel: see `chasles.many.traced`
    recorded: Any = None

    @property
    def layout(self) -> Layout:
        return self.mechanism.layout

    @property
    def kernel(self) -> str:
        """What takes the steps, in words."""
        return "generic" if self.recorded is None else str(self.recorded)

    @property
    def workspace(self) -> Workspace:
        return self.solver.workspace

    @cached_property
    def lent(self) -> tuple[Any, Any, Any]:
        """Mechanism, scratch and scheme as kernels take them."""
        return lend(self.mechanism), lend(self.workspace), lend(self.scheme)

    @cached_property
    def places(self) -> Mapping[Key, tuple[int, int] | None]:
        """(joint, "angle", "displacement" or "auto") -> places of the coordinate and its rate in a
        block; None if they follow from poses.
        """
        model = self.solver.setup.model
        places = tree_setup(self.solver.setup).places
        usual = {(j.name, "auto"): places[j.name, j.coordinates[0]] for j in model.joints
                 if j.coordinates}  # fmt: skip
        return places | usual

    def with_signals(self, signals: Any) -> Self:
        """The same with functions of time that reach further."""
        system = self.mechanism.system._replace(signals=signals)
        return replace(self, mechanism=self.mechanism._replace(system=system), recorded=None)

    def first_block(self) -> Floats:
        """The state block at the start of a run."""
        solver, layout = self.solver, self.layout
        state = StateBlock(np.zeros(layout.width), layout)
        state.coordinates()[:] = first_point(solver.setup, solver.start)
        state.integrals()[:] = first_integrals(solver.setup)
        state.seen()[:] = nothing_seen(self.mechanism.monitor).ravel()
        state.block[layout.multipliers : layout.kept] = np.nan  # no step has found any yet
        state.alarm()[AT_START] = kinetic_of_all(solver.setup, solver.start[None])[0]
        state.alarm()[[UNBALANCED_SINCE, OPEN_SINCE, MISSED_SINCE]] = NEVER
        state.block[layout.chosen : layout.alarm] = 1.0
        bodies = self.mechanism.system.bodies
        inertia = bodies.inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        found = floating_at_start(self.mechanism.floating, bodies.mass, inertia, solver.start)
        state.block[layout.floating : layout.multipliers] = found.ravel()
        moved = solver.start[:, POSE_X : POSE_X + 3] - self.mechanism.accuracy.places
        fallen = bodies.mass @ (moved @ self.mechanism.tree.gravity)
        state.alarm()[POTENTIAL] = 0.0 - fallen  # no negative zero: see `take_step`
        return state.block

    def absolute(self, points: Floats) -> Floats:
        """Absolute states (T, n, 18) of what places and moves the bodies (T, coordinates)."""
        return absolute_of(self.mechanism.tree, self.mechanism.tree_work, points)

    def coordinates(self, points: Floats) -> Floats:
        """Joint coordinates (T, c) as `coordinate_keys` names them; NaN where poses tell them."""
        return coordinates_of_points(self.solver.setup, points)

    def spins(self, point: Floats) -> tuple[Floats, Floats]:
        """How fast the pairs turn (rad/s): those whose rotations do not commute, and all (n,)."""
        tree = self.mechanism.tree
        first = tree.stored_count + tree.rate_at
        behind = np.concatenate((point, np.zeros(2)))  # of a last body with one velocity
        speeds = np.linalg.norm(behind[first[:, None] + np.arange(3)], axis=1)
        return np.where(tree.pair >= SPHERICAL, speeds, 0.0), speeds

    def removed(self, block: Floats) -> dict[str, float]:
        """Joint with constant rows -> the largest velocity error that was removed, as a fraction
        of its reach or in rad: rounding, unless redundant joints contradict (`constant_rows`).
        """
        if self.mechanism.constant_rows.count == 0:
            return {}  # there is nothing to remove
        setup, largest = self.solver.setup, float(block[self.layout.removed])
        cut = tree_setup(setup).carried.cut
        held = self.mechanism.stabiliser.found.chosen
        return {name: largest for name in constant_row_joints(setup, held) if name in cut}

    def lost_bodies(self, point: Floats) -> list[int]:
        """Bodies with a position or velocity that is not a number."""
        tree, lost = self.mechanism.tree, []
        for body, pair in enumerate(tree.pair.tolist()):
            q, v = tree.stored_at[body], tree.stored_count + tree.rate_at[body]
            own = (*point[q : q + STORED[pair]], *point[v : v + DOF[pair]])
            if not np.isfinite(own).all():
                lost.append(body)
        return lost

    def body_of_velocity(self, k: int) -> str:
        """The name of the body that velocity k moves."""
        tree = self.mechanism.tree
        carried = [body for body, pair in enumerate(tree.pair.tolist()) if DOF[pair] > 0]
        body = max((b for b in carried if tree.rate_at[b] <= k), key=lambda b: tree.rate_at[b])
        return list(self.solver.setup.body_index)[body]

    def speed_residual(self, block: Floats, t: float) -> Floats:
        """(rows,) By how much the rows of all joints miss contradicting speeds at t, also of joints
        that have no rows in a step; `block` is the last good state.
        """
        setup, solver = self.solver.setup, self.solver
        own = solver.workspace.residual.copy()
        if setup.model.couplings:  # which are not among the rows of all joints
            return own
        shared = self.residual_of_all_rows(block, t)
        return shared if np.abs(shared).max(initial=0.0) > 0.0 else own

    def residual_of_all_rows(self, block: Floats, t: float) -> Floats:
        """(rows,) The same by the equations of all joints, at the poses of a block."""
        state, setup = StateBlock(block, self.layout), self.solver.setup
        absolute = self.absolute(state.coordinates()[None])[0]
        return self.solver.form.speed_residual(
            absolute, t, state.integrals(), driven_rates(setup, t)
        )

    def advance(
        self, block: Floats, spare: Floats, grid: tuple[float, float, int, int, int],
        save_every: int, monitoring: int, saved: Floats, first_row: int = 0,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps of a grid on a block, in place: (step reached, outcome)."""
        chosen = self.advance_generic if self.recorded is None else self.recorded.advance
        reached, outcome = chosen(block, spare, grid, save_every, monitoring, saved, first_row)
        return reached, outcome

    def advance_generic(
        self, block: Floats, spare: Floats, grid: tuple[float, float, int, int, int],
        save_every: int, monitoring: int, saved: Floats, first_row: int = 0,
    ) -> tuple[int, int]:  # fmt: skip
        """The same by the kernel of all models."""
        given = (*self.lent, block, spare, grid, save_every, monitoring, saved, first_row)
        known = self.__dict__.get("direct")
        if known is not None:
            found: tuple[int, int] = known(*given)
            return found
        reached, outcome = advance(*given)
        if hasattr(advance, "direct"):  # not where the compiler is switched off
            self.__dict__["direct"] = advance.direct(given)
        return int(reached), int(outcome)

    def __getstate__(self) -> dict[str, Any]:
        """Machine code is of this process."""
        return {name: value for name, value in self.__dict__.items() if name != "direct"}

    def monitor(self, block: Floats, t: float) -> None:
        """Look at gaps and the energy balance of a block at time t; it keeps what is found."""
        grid = (t, 0.0, 0, 0, 0)
        self.advance(block, np.zeros_like(block), grid, 1, SEEN_LAST, np.zeros((1, 1)))


def make_stepper(
    solver: Solver,
    method: Method,
    stabiliser: Stabiliser,
    accuracy: AccuracyLimits,
    until: float = 0.0,
    *,
    damp: bool = False,
) -> Stepper:
    """Storage for a model, a method and a stabiliser, for times up to `until`; with `damp`, with a
    damped factor, which passes singular poses.
    """
    setup = solver.setup
    found = tree_setup(setup)
    tree = found.tree._replace(map=method.map)
    again = method.name in RATTLIE  # whose factor solves for several loads, with rows or without
    along = forces_along(setup, tree)
    tree_work = make_tree_workspace(
        tree, solver.workspace.signals, BY_WRENCH in along, any(at != BY_WRENCH for at in along),
        again or bool(found.cuts), along,
    )  # fmt: skip
    storage = TreeStorage(setup, tree, tree_work, solver.workspace)
    start = first_point(setup, solver.start)
    rows = cut_rows(storage, solver, found.cuts, start, damp)
    if never_depend(setup.model):  # small pivots are those of much that hangs on a joint
        loops = rows.loops._replace(floors=np.zeros_like(rows.loops.floors))
        watched = no_rows(tree) if found.cuts else rows
        rows, monitor = rows._replace(loops=loops), monitor_of_rows(watched, stop=not damp)
    else:
        monitor = monitor_of_rows(rows, stop=not damp)
    count = tree.rate_count
    # Couplings push within joints.
    tying = [cut for cut in found.cuts if not (cut.terms or cut.gauges)]
    tied = [(cut.a, cut.b, cut.balanced) for cut in tying]
    tied += [(-1, body, False) for cut in tying for body in cut.ties]
    if not method.additive:
        tied = [(-1, body, False) for body in range(tree.body_count)]
    # A body without joints on a chart makes the steps of the method: nothing is put back.
    tied += [(-1, body, False) for body in lone_charts(setup)]
    floating = find_floating(tree, tied)
    linear = setup.system.quadrature_count + SUPPLY_WIDTH
    beside = kept_beside(method, setup.system.row_count, count, linear)
    loops = rows.loops
    if again:  # all bodies have loads
        loops = loops._replace(isolated=0 * loops.isolated)
    elif leaves_rows_alone(method, stabiliser, setup.system):
        loops = in_world(loops, tree, setup.system)
    if found.cuts and tree_work.has_wrenches == 0:
        tree, loops = in_order(tree, loops)
        tree_work = tree_work._replace(is_loaded=0)
    mechanism = Mechanism(
        system=setup.system._replace(signals=setup.signals.arrays(until)),
        coordinates=found.coordinates,
        joint_wrench=np.zeros((found.tree.body_count, 6)),
        efforts=np.zeros(found.tree.rate_count),
        tree=tree,
        floating=floating,
        tree_work=tree_work,
        monitor=monitor,
        accuracy=accuracy,
        layout=make_layout(
            tree.stored_count + count, setup.system.quadrature_count,
            2 * count + FLOATING_WIDTH * floating.count, monitor.joint_count * SEEN_WIDTH,
            floating=FLOATING_WIDTH * floating.count,
            chosen=loops.row_count * loops.is_chosen, **beside,
        ),
        loops=loops,
        loop_work=make_loop_workspace(loops, tree.body_count, count),
        stabiliser=stabiliser,
        constant_rows=constant_rows(storage, solver, found.cuts, start, stabiliser.found.chosen)
        if found.cuts else no_constant_rows(),
        placed=np.zeros_like(tree_work.rows),
    )  # fmt: skip
    check_admitted(method, mechanism, setup)
    return Stepper(solver, mechanism, scheme_of(method, solver, mechanism))


def lone_charts(setup: Setup) -> list[int]:
    """Bodies without joints, where a user has put all bodies on charts of six dimensions."""
    if on_subgroups(setup.spaces):
        return []
    jointed = {end for joint in setup.model.joints for end in (joint.a, joint.b)}
    return [body for name, body in setup.body_index.items() if name not in jointed]


def leaves_rows_alone(method: Method, stabiliser: Stabiliser, system: System) -> bool:
    """Whether nobody looks at the rows of J at a stage: it need not form them."""
    looked_at = method.implicit or method.index > 0 or system.drive_count > 0
    drifts = stabiliser.kind == FED_BACK and stabiliser.drift_gain != 0.0
    return not (looked_at or drifts)


def forces_along(setup: Setup, tree: Tree) -> list[tuple[int, int]]:
    """By force: the velocity that it acts along and where its coordinate is stored, or BY_WRENCH
    for forces on bodies and on joints whose coordinate no pair has.
    """
    places, found = tree_setup(setup).places, []
    for force, code in zip(setup.model.forces, setup.system.forces.kind.tolist()):
        place = None
        if isinstance(force, JointForce) and FORCES[code].effort is not no_effort:
            place = places.get((force.joint, force.coordinate))
        found.append(BY_WRENCH if place is None else (place[1] - tree.stored_count, place[0]))
    return found
