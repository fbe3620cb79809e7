"""A model ready to step: its setup, plan and workspace, checked at the start."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chasles.core.arrays import ROW_WIDTH, TWIST, Floats, lend
from chasles.core.evaluate import Workspace, evaluate, make_workspace
from chasles.core.ordering import Plan, damped
from chasles.core.outcomes import NOT_SOLVED, OK
from chasles.model import InvalidModel, Model
from chasles.start.closure import joint_rows
from chasles.start.conflicts import TOO_LIGHT, Motion, check_agreement, energy_scale
from chasles.start.consistent import initial_state
from chasles.start.kkt import Rows, constraint_rows, plan_of
from chasles.start.redundancy import (
    RANK_LIMIT,
    Redundancy,
    find_redundancy,
    free_pivots,
    is_redundant,
    joint_of_row,
    redundancy_error,
    scale_error,
    singular_error,
    unsolved,
)
from chasles.system.build import Setup, check_closed

__all__ = ["Solver", "joint_of_row", "make_solver", "singular_error"]

#: A row whose pivot falls below this fraction of its free value is redundant at the start ...
REDUNDANT = 1e-10
#: ... and singular during a run.
SINGULAR = 1e-13
#: ... and looked at more closely in loops below this fraction.
SUSPICIOUS = 1e-4
#: Rows that miss more than this fraction of what is added up in them are lost in rounding.
LOST = 1e-6
#: mu of the damped factor, as a fraction of each row's free pivot: eps / mu is the relative error
#: of one solve along what repeats itself, and what is within mu of doing so costs more solves.
#: With less, rows that swap their parts do so too fast for the watch (Bennett's linkage).
DAMPING = 1e-7


@dataclass(frozen=True)
class Solver:
    """Everything the equations of motion of one model need."""

    setup: Setup
    plan: Plan
    work: Workspace
    start: Floats  # (n, 18) absolute state at t = 0
    redundancy: Redundancy | None = None

    @property
    def floors(self) -> Floats:
        """(rows,) joint pivots below these are singular."""
        return self.work.floors

    @cached_property
    def lent(self) -> tuple[Any, Any, Any]:
        """System, plan and scratch as kernels take them."""
        return self.setup.lent, lend(self.plan), lend(self.work)

    def with_own_scratch(self) -> "Solver":
        """The same for one more run, which may go on at the same time as others."""
        work = make_workspace(self.setup.system, self.plan)
        work.floors[:] = self.floors
        return replace(self, work=work)

    def evaluate(
        self, absolute: Floats, times: Floats | None = None, integrals: Floats | None = None
    ) -> tuple[int, Floats]:
        """Joint wrenches (T, m, 12) at absolute states (T, n, 18), and OK or the singular row.

        Times are 0 unless given.  Without integrals (T, quadratures), angles are taken to be
        within half a turn.

        J, eta and the solution (V', lambda) at the last state stay in `work`.
        """
        wrenches = np.zeros((absolute.shape[0], self.setup.system.joint_count, ROW_WIDTH))
        system, states = self.setup.system, np.ascontiguousarray(absolute)
        table = np.zeros((len(states), 0))
        if system.signal_count:
            table = self.setup.signals.sample(np.zeros(len(states)) if times is None else times)
        if integrals is None:
            integrals = np.zeros((len(states), system.quadrature_count))
        row = evaluate(*self.lent, states, table, integrals, wrenches)
        return row, wrenches


def make_solver(
    setup: Setup, damp: bool = False, refuse: bool = False, check: bool = True
) -> Solver:
    """Check the start, complete its velocities, choose the order, and look for redundant joints.

    Redundant joints are solved for on a damped factor, and reported, or refused; `damp` takes that
    factor in any case.  Without `check`, joints may be open at the start and velocities forbidden.
    """
    if check:
        check_closed(setup)
    plan = plan_of(setup.system)
    work = make_workspace(setup.system, plan)
    if not setup.system.bodies.mass.all():
        return frame_solver(setup, plan, work, check)
    still = Solver(setup, plan, work, setup.absolute)
    still.evaluate(setup.absolute[None])  # J at the initial pose
    free = free_pivots(setup, work.jacobian)
    independent = never_depend(setup.model)
    redundant = not independent and repeats_itself(still, free)
    few = setup.system.row_count <= RANK_LIMIT
    if setup.model.couplings and few and not redundant:  # their rows are not in the factor
        redundant = is_redundant(setup, work.jacobian, setup.absolute)
    start = initial_state(setup, work.jacobian) if check else setup.absolute
    # In a tree of lower pairs a pivot is small where much hangs on a joint: 1/n^3 in long chains.
    work.floors[:] = 0.0 if independent else SINGULAR * free
    solver = Solver(setup, plan, work, start)
    damp = damp and not independent  # where no pose is singular, there is none to be passed
    if not redundant and not damp and lost_row(solver, free) is None:
        return solver
    return damped_solver(solver, free, refuse, check)


def frame_solver(setup: Setup, plan: Plan, work: Workspace, check: bool) -> Solver:
    """Of a model with frames without mass: a start, and no equations, which charts do not have."""
    joint_rows(setup.system, work, setup.absolute, np.zeros_like(work.rhs))
    start = initial_state(setup, work.jacobian) if check else setup.absolute
    return Solver(setup, plan, work, start)


def damped_solver(solver: Solver, free: Floats, refuse: bool, check: bool) -> Solver:
    """The same on a damped factor, which does not need independent rows."""
    setup, work, start = solver.setup, solver.work, solver.start
    plan = damped(solver.plan, 6 * setup.system.body_count, DAMPING * free)
    work.floors[:] = 0.0  # a damped pivot never vanishes
    failed, _ = Solver(setup, plan, work, start).evaluate(start[None])
    if failed == NOT_SOLVED:
        raise InvalidModel(unsolved(setup), TOO_LIGHT)
    if failed != OK:
        raise scale_error(*joint_of_row(setup, failed))
    redundancy = find_redundancy(setup, plan, work.jacobian, work.values, free, start)
    if refuse and redundancy is not None:
        raise redundancy_error(redundancy)
    if check:
        check_agreement(setup, motion_in(work), free)
    solver = Solver(setup, plan, work, start, redundancy)
    lost = lost_row(solver, free) if check or redundancy is None else None
    if lost is not None and redundancy is not None:
        raise InvalidModel(unsolved(setup), TOO_LIGHT)
    if lost is not None:
        raise scale_error(*joint_of_row(setup, lost))
    return solver


def motion_in(work: Workspace) -> Motion:
    """What was solved for last."""
    twists = work.absolute[:, TWIST : TWIST + 6]
    unknowns = len(work.forces)
    return Motion(twists, work.jacobian, work.eta, work.forces, work.rhs[:unknowns])


def never_depend(model: Model) -> bool:
    """Whether the rows of the joints are independent in every pose: in trees of lower pairs."""
    paired = all(joint.is_lower_pair for joint in model.joints) and not model.drivers
    return paired and not model.loops


def repeats_itself(still: Solver, free: Floats) -> bool:
    """Whether rows of the joints depend on each other at the start.

    In loops, a pivot that almost vanishes hides the dependency in the rounding errors of the next
    one: where one is suspicious, the rank decides.
    """
    setup, work = still.setup, still.work
    for fraction in (REDUNDANT, SUSPICIOUS):
        work.floors[:] = fraction * free
        row, _ = still.evaluate(setup.absolute[None])
        if row != OK:
            many = setup.system.row_count > RANK_LIMIT
            return fraction == REDUNDANT if many else is_redundant(setup, work.jacobian)
        if not setup.model.loops:
            return False
    return False


def lost_row(solver: Solver, free: Floats) -> int | None:
    r"""The row of J V' = eta that is solved worst at the start, if it is solved badly.

    A row may miss a fraction of $\sum_k |J_{ik}|\,(|\dot V_k| + \hat a_k)$, with $\hat a$ what the
    forces would make of the whole model in one piece: nothing else is there to compare with where
    it rests.
    """
    system, work = solver.setup.system, solver.work
    failed, _ = solver.evaluate(solver.start[None])
    if failed >= 0 or not system.row_count:
        return failed if failed >= 0 else None
    acceleration = work.rhs[: 6 * system.body_count]
    typical = energy_scale(solver.setup, motion_in(work)) / np.sqrt(system.bodies.mass.sum())
    floor = np.repeat((typical / solver.setup.longest_lever, typical), 3)
    rows = constraint_rows(solver.setup, work.jacobian)
    sizes = np.abs(acceleration) + np.tile(floor, system.body_count)
    allowed = LOST * (Rows(np.abs(rows.entries), rows.columns).times(sizes) + np.abs(work.eta))
    excess = np.abs(rows.times(acceleration) - work.eta) - allowed
    worst = int(np.argmax(np.where(free > 0.0, excess, -1.0)))
    return worst if excess[worst] > 0.0 else None
