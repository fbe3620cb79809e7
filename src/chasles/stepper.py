"""A model ready to step: its mechanism, a scheme, and storage for both."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import CHART_WIDTH, Floats
from chasles.core.balance import make_balance, momentum_of
from chasles.core.evaluate import Workspace
from chasles.core.retraction import slope_length
from chasles.core.stabilisation.record import Stabiliser
from chasles.core.stage import Mechanism, Promises
from chasles.core.state_block import (
    AT_START,
    NEVER,
    OPEN_SINCE,
    UNBALANCED_SINCE,
    Layout,
    StateBlock,
    make_layout,
)
from chasles.core.watch import SEEN_WIDTH, Watch, nothing_seen
from chasles.diagnostics import kinetic
from chasles.dynamics.solver import Solver
from chasles.integrators.advance import SEEN_LAST, advance
from chasles.integrators.methods import Method
from chasles.system.turns import first_integrals


@dataclass(frozen=True)
class Stepper:
    """What `advance` needs; one thread at a time may use it."""

    solver: Solver
    mechanism: Any  # a Mechanism, or that of another kind: see `chasles.core.seam`
    scheme: Any

    @property
    def layout(self) -> Layout:
        layout: Layout = self.mechanism.layout
        return layout

    @property
    def scratch(self) -> Workspace:
        return self.solver.work

    def first_block(self) -> Floats:
        """The state block at the start of a run."""
        solver, layout = self.solver, self.layout
        state = StateBlock(np.zeros(layout.width), layout)
        state.coordinates()[:] = self.first_point()
        state.integrals()[:] = first_integrals(solver.setup)
        state.momentum()[:] = self.first_momentum()
        state.seen()[:] = nothing_seen(self.mechanism.watch).ravel()
        state.alarm()[AT_START] = energy_of_motion(solver)
        state.alarm()[[UNBALANCED_SINCE, OPEN_SINCE]] = NEVER
        return state.block

    def first_point(self) -> Floats:
        """What places and moves the bodies at the start, flat."""
        return self.solver.chart(self.solver.start).ravel()

    def first_momentum(self) -> Floats:
        """(floating systems, 3) at the start, of those whose momentum is kept."""
        mechanism = self.mechanism
        return momentum_of(mechanism.system, mechanism.balance, self.solver.start)

    def absolute(self, points: Floats) -> Floats:
        """Absolute states (T, n, 18) of what places and moves the bodies (T, coordinates)."""
        return self.solver.absolute(points.reshape(len(points), -1, CHART_WIDTH))

    def lost_bodies(self, point: Floats) -> list[int]:
        """Bodies with a position or velocity that is not a number."""
        chart = point[: self.layout.integrals].reshape(-1, CHART_WIDTH)
        lost: list[int] = np.flatnonzero(~np.isfinite(chart).all(axis=1)).tolist()
        return lost

    def missed(self, block: Floats, t: float) -> Floats:
        """(rows,) What the rows of J missed of speeds that contradict each other.

        `block` is the last good state, t the time at which they do.
        """
        return self.solver.work.residual[6 * self.mechanism.system.body_count :].copy()

    def factor_at(self, block: Floats, t: float) -> None:
        """Leave the factor of the charts' equations at a block in `scratch`, if it is not there.

        There the last stage has left one.
        """

    def advance(
        self, block: Floats, spare: Floats, grid: tuple[float, float, int, int, int],
        save_every: int, looking: int, saved: Floats,
    ) -> tuple[int, int]:  # fmt: skip
        """Steps of a grid on a block, in place: (step reached, outcome)."""
        reached, outcome = advance(
            self.mechanism, self.scratch, self.scheme, block, spare, grid, save_every, looking,
            saved,
        )  # fmt: skip
        return int(reached), int(outcome)

    def look(self, block: Floats, t: float) -> None:
        """Look at gaps and the energy balance of a block at time t; it keeps what is found."""
        grid = (t, 0.0, 0, 0, 0)
        self.advance(block, np.zeros_like(block), grid, 1, SEEN_LAST, np.zeros((1, 1)))


def energy_of_motion(solver: Solver) -> float:
    """Kinetic energy at the start, J."""
    return float(kinetic(solver.setup, solver.start[None]).sum())


def make_stepper(
    solver: Solver, method: Method, stabiliser: Stabiliser, watch: Watch, promises: Promises,
    until: float = 0.0,
) -> Stepper:  # fmt: skip
    """Storage for a model, a method and what stabilises it, for times up to `until`."""
    system = solver.setup.system._replace(signals=solver.setup.signals.arrays(until))
    balance = make_balance(system)
    layout = make_layout(system, balance.count, watch.joint_count * SEEN_WIDTH)
    mechanism = Mechanism(system, solver.plan, stabiliser, balance, watch, promises, layout)
    return Stepper(solver, mechanism, method.make(layout.kept, slope_length(mechanism)))
