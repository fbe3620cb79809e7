"""A model ready to step: its mechanism, a scheme, and storage for both."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from chasles.core.arrays import CHART_WIDTH, VELOCITY, Floats, lend
from chasles.core.balance import make_balance, momentum_of, no_balance
from chasles.core.confinement import confine_start
from chasles.core.evaluate import Workspace
from chasles.core.stabilisation.record import FED_BACK, Stabiliser
from chasles.core.stage import Mechanism, Promises
from chasles.core.state_block import (
    AT_START,
    MISSED_SINCE,
    NEVER,
    OPEN_SINCE,
    SUPPLY_WIDTH,
    UNBALANCED_SINCE,
    Layout,
    StateBlock,
    make_layout,
)
from chasles.core.watch import SEEN_WIDTH, Watch, nothing_seen
from chasles.diagnostics import kinetic_of_all
from chasles.dynamics.solver import Solver
from chasles.integrators.admission import check_admitted
from chasles.integrators.advance import SEEN_LAST, advance
from chasles.integrators.methods import Method, kept_beside, scheme_of
from chasles.system.build_confinement import make_confinement
from chasles.system.coordinates import Key, coordinate_keys
from chasles.system.turns import first_integrals


@dataclass(frozen=True)
class Stepper:
    """What `advance` needs; one thread at a time may use it."""

    solver: Solver
    mechanism: Any  # a Mechanism, or that of another kind: see `chasles.core.seam`
    scheme: Any
    quick: Any = None  # what takes steps instead of the generic kernel: see `chasles.traced`

    @property
    def layout(self) -> Layout:
        layout: Layout = self.mechanism.layout
        return layout

    @property
    def kernel(self) -> str:
        """What takes the steps, in words."""
        return "generic" if self.quick is None else str(self.quick)

    @property
    def scratch(self) -> Workspace:
        return self.solver.work

    @cached_property
    def lent(self) -> tuple[Any, Any, Any]:
        """Mechanism, scratch and scheme as kernels take them."""
        return lend(self.mechanism), lend(self.scratch), lend(self.scheme)

    @cached_property
    def places(self) -> Mapping[Key, tuple[int, int] | None]:
        """Where a block has the coordinates of joints and their rates; None where poses tell them.

        By joint and "angle" or "displacement", or "auto" for the usual one.
        """
        model = self.solver.setup.model
        places = self.coordinate_places()
        usual = {(j.name, "auto"): places[j.name, j.coordinates[0]] for j in model.joints
                 if j.coordinates}  # fmt: skip
        return places | usual

    def coordinate_places(self) -> dict[Key, tuple[int, int] | None]:
        return dict.fromkeys(coordinate_keys(self.solver.setup.model))

    def with_signals(self, signals: Any) -> Self:
        """The same with functions of time that reach further."""
        system = self.mechanism.system._replace(signals=signals)
        return replace(self, mechanism=self.mechanism._replace(system=system), quick=None)

    def first_block(self) -> Floats:
        """The state block at the start of a run."""
        solver, layout = self.solver, self.layout
        state = StateBlock(np.zeros(layout.width), layout)
        state.coordinates()[:] = self.first_point()
        state.integrals()[:] = first_integrals(solver.setup)
        state.momentum()[:] = self.first_momentum()
        state.seen()[:] = nothing_seen(self.mechanism.watch).ravel()
        state.block[layout.multipliers : layout.kept] = np.nan  # no step has found any yet
        state.alarm()[AT_START] = energy_of_motion(solver)
        state.alarm()[[UNBALANCED_SINCE, OPEN_SINCE, MISSED_SINCE]] = NEVER
        return state.block

    def first_point(self) -> Floats:
        """What places and moves the bodies at the start, flat."""
        point = self.solver.chart(self.solver.start).ravel()
        confine_start(self.mechanism.system, self.mechanism.confinement, point)
        return point

    def first_momentum(self) -> Floats:
        """(floating systems, 3) at the start, of those whose momentum is kept."""
        mechanism = self.mechanism
        return momentum_of(mechanism.system, mechanism.balance, self.solver.start)

    def absolute(self, points: Floats) -> Floats:
        """Absolute states (T, n, 18) of what places and moves the bodies (T, coordinates)."""
        return self.solver.absolute(points.reshape(len(points), -1, CHART_WIDTH))

    def coordinates(self, points: Floats) -> Floats | None:
        """Joint coordinates (T, c) as `coordinate_keys` names them; None where poses tell them."""
        return None

    def lost_bodies(self, point: Floats) -> list[int]:
        """Bodies with a position or velocity that is not a number."""
        chart = point[: self.layout.integrals].reshape(-1, CHART_WIDTH)
        lost: list[int] = np.flatnonzero(~np.isfinite(chart).all(axis=1)).tolist()
        return lost

    def body_of_velocity(self, k: int) -> str:
        """The name of the body that velocity k moves."""
        return list(self.solver.setup.body_index)[k // 6]

    def missed(self, block: Floats, t: float) -> Floats:
        """(rows,) What the rows of J missed of speeds that contradict each other.

        `block` is the last good state, t the time at which they do.
        """
        return self.solver.work.residual[6 * self.mechanism.system.body_count :].copy()

    def factor_at(self, block: Floats, t: float) -> None:
        """Leave the factor of the charts' equations at a block in `scratch`, if it is not there.

        There the last stage has left one.
        """

    def spins(self, point: Floats) -> tuple[Floats, Floats]:
        """How fast the charts turn (rad/s): those whose rotations do not commute, and all (n,)."""
        chart = point[: self.layout.integrals].reshape(-1, CHART_WIDTH)
        speeds: Floats = np.linalg.norm(chart[:, VELOCITY : VELOCITY + 3], axis=1)
        return np.where(self.mechanism.confinement.commutes != 0, 0.0, speeds), speeds

    def removed(self, block: Floats) -> dict[str, float]:
        """By joint that a chart keeps: the largest opening that its projector kept a step from.

        As a fraction of the joint's reach, or in rad: of the size of rounding errors, unless
        redundant joints contradict each other (see `core.confinement`).
        """
        names, audit = list(self.solver.setup.joint_index), StateBlock(block, self.layout).removed()
        joints = self.mechanism.confinement.joint
        return {names[joints[k]]: float(audit[k]) for k in np.flatnonzero(joints >= 0)}

    def advance(
        self, block: Floats, spare: Floats, grid: tuple[float, float, int, int, int],
        save_every: int, looking: int, saved: Floats, first_row: int = 0,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps of a grid on a block, in place: (step reached, outcome)."""
        chosen = self.advance_generic if self.quick is None else self.quick.advance
        reached, outcome = chosen(block, spare, grid, save_every, looking, saved, first_row)
        return reached, outcome

    def advance_generic(
        self, block: Floats, spare: Floats, grid: tuple[float, float, int, int, int],
        save_every: int, looking: int, saved: Floats, first_row: int = 0,
    ) -> tuple[int, int]:  # fmt: skip
        """The same by the kernel of all models."""
        reached, outcome = advance(
            *self.lent, block, spare, grid, save_every, looking, saved, first_row
        )
        return int(reached), int(outcome)

    def look(self, block: Floats, t: float) -> None:
        """Look at gaps and the energy balance of a block at time t; it keeps what is found."""
        grid = (t, 0.0, 0, 0, 0)
        self.advance(block, np.zeros_like(block), grid, 1, SEEN_LAST, np.zeros((1, 1)))


def energy_of_motion(solver: Solver) -> float:
    """Kinetic energy at the start, J."""
    return float(kinetic_of_all(solver.setup, solver.start[None])[0])


def make_stepper(
    solver: Solver, method: Method, stabiliser: Stabiliser, watch: Watch, promises: Promises,
    until: float = 0.0,
) -> Stepper:  # fmt: skip
    """Storage for a model, a method and what stabilises it, for times up to `until`."""
    system = solver.setup.system._replace(signals=solver.setup.signals.arrays(until))
    maps = np.full_like(system.bodies.map, method.map)
    system = system._replace(bodies=system.bodies._replace(map=maps))
    # Only where the stages' impulses add up to the change of momentum is that kept by them.
    balance = make_balance(system) if method.additive else no_balance(system)
    integrals = system.quadrature_count + SUPPLY_WIDTH
    beside = kept_beside(method, system.row_count, 6 * system.body_count, integrals)
    layout = make_layout(system, balance.count, watch.joint_count * SEEN_WIDTH, **beside)

    def rows_at_start() -> Floats:
        solver.evaluate(solver.start[None])
        return solver.work.jacobian

    confinement = make_confinement(solver.setup, solver.start, rows_at_start)
    if stabiliser.kind == FED_BACK:  # what is fed back to a joint leaves its algebra
        fed = (confinement.joint >= 0) & (stabiliser.found.chosen[confinement.joint] != 0)
        confinement.locked[fed], confinement.commutes[fed] = 0, 0
        if fed[confinement.ties[:, 0]].any():
            confinement = confinement._replace(tie_count=0)
    mechanism = Mechanism(
        system, solver.plan, stabiliser, balance, watch, promises, layout, confinement
    )
    check_admitted(method, mechanism, solver.setup)
    return Stepper(solver, mechanism, scheme_of(method, solver, mechanism))
