"""A model ready to step: its setup, plan and workspace, checked at the start."""

from dataclasses import dataclass

import numpy as np

from chasles.dynamics.assemble import absolute_history, chart_state
from chasles.dynamics.consistent import initial_state
from chasles.dynamics.evaluate import Workspace, evaluate, make_workspace
from chasles.dynamics.factor import OK
from chasles.dynamics.ordering import Plan, make_plan, mass_matrix
from chasles.model import ChaslesError, InvalidModel, RedundantConstraints
from chasles.spaces.tree import spanning_tree
from chasles.system.arrays import (
    ABSOLUTE_WIDTH,
    BODY_A,
    BODY_B,
    CHART_WIDTH,
    FIRST_ROW,
    ROW_WIDTH,
    ROWS,
    Floats,
)
from chasles.system.build import Setup, check_closed, real_rows

#: A row whose pivot falls below this fraction of its free value is redundant at the start ...
REDUNDANT = 1e-10
#: ... and singular during a run.
SINGULAR = 1e-13
#: Up to this many rows, redundant joints are named from a full rank computation ...
RANK_LIMIT = 1200
#: ... and in loops looked for where a pivot falls below this fraction: an almost vanishing pivot
#: hides the dependency in the rounding errors of the next one.
SUSPICIOUS = 1e-4
#: Singular values of the equilibrated J below this fraction of the largest count as zero.
DEPENDENT = 1e-9


@dataclass(frozen=True)
class Solver:
    """Everything the equations of motion of one model need."""

    setup: Setup
    plan: Plan
    work: Workspace
    start: Floats  # (n, 18) absolute state at t = 0

    def chart(self, absolute: Floats) -> Floats:
        """The chart state (n, 13) of an absolute state (n, 18)."""
        chart = np.zeros((absolute.shape[0], CHART_WIDTH))
        chart_state(self.setup.system, np.ascontiguousarray(absolute), chart)
        return chart

    def absolute(self, charts: Floats) -> Floats:
        """Absolute states (T, n, 18) of chart states (T, n, 13)."""
        out = np.zeros((*charts.shape[:2], ABSOLUTE_WIDTH))
        absolute_history(self.setup.system, np.ascontiguousarray(charts), out)
        return out

    def evaluate(self, absolute: Floats) -> tuple[int, Floats]:
        """Joint wrenches (T, m, 12) at absolute states (T, n, 18), and OK or the singular row.

        J, eta and the solution (V', lambda) at the last state stay in `work`.
        """
        wrenches = np.zeros((absolute.shape[0], self.setup.system.joint_count, ROW_WIDTH))
        states = np.ascontiguousarray(absolute)
        return evaluate(self.setup.system, self.plan, self.work, states, wrenches), wrenches


def make_solver(setup: Setup) -> Solver:
    """Check the start, complete its velocities, choose the order, and look for redundant joints."""
    check_closed(setup)
    plan = make_plan(setup.system)
    work = make_workspace(setup.system, plan)
    still = Solver(setup, plan, work, setup.absolute)
    still.evaluate(setup.absolute[None])  # J at the initial pose
    free = free_pivots(setup, work)
    check_redundancy(still, free)
    work.floors[:] = SINGULAR * free
    return Solver(setup, plan, work, initial_state(setup, work.jacobian))


def check_redundancy(still: Solver, free: Floats) -> None:
    """Refuse joints whose rows depend on each other, or are lost in rounding."""
    setup, work = still.setup, still.work
    fractions = [REDUNDANT]
    if setup.system.row_count <= RANK_LIMIT and spanning_tree(setup.model).cut:
        fractions.append(SUSPICIOUS)
    for fraction in fractions:
        work.floors[:] = fraction * free
        row, _ = still.evaluate(setup.absolute[None])
        if row != OK:
            error = redundancy_error(setup, work, row)
            if fraction == REDUNDANT or isinstance(error, RedundantConstraints):
                raise error


def free_pivots(setup: Setup, work: Workspace) -> Floats:
    r"""$\mathrm{diag}(J M^{-1} J^T)$: what each row's pivot would be without the other joints."""
    inverses = np.array([np.linalg.inv(mass_matrix(body)) for body in setup.system.bodies])
    pivots = np.zeros(setup.system.row_count)
    for ends in setup.system.joint_bodies:
        rows = slice(ends[FIRST_ROW], ends[FIRST_ROW] + ends[ROWS])
        for side, body in enumerate((ends[BODY_A], ends[BODY_B])):
            if body >= 0:
                block = work.jacobian[rows, 6 * side : 6 * side + 6]
                pivots[rows] += np.einsum("ri,ij,rj->r", block, inverses[body], block)
    return pivots


def joint_of_row(setup: Setup, row: int) -> tuple[str, str]:
    """The joint a constraint row belongs to, and which component of its twist the row locks."""
    firsts = setup.system.joint_bodies[:, FIRST_ROW]
    joint = setup.model.joints[int(np.searchsorted(firsts, row, side="right")) - 1]
    return joint.name, joint.locked[row - int(firsts[setup.joint_index[joint.name]])]


def singular_error(setup: Setup, row: int) -> RedundantConstraints:
    """A state at which the joints do not determine accelerations and reactions."""
    name, component = joint_of_row(setup, row)
    return RedundantConstraints(
        f"joint '{name}' (direction {component}) is singular at this state: it repeats what other"
        " joints say, and the reactions are not determined.",
        "Take a state away from the pose in which the joints depend on each other.",
    )


def redundancy_error(setup: Setup, work: Workspace, row: int) -> ChaslesError:
    """Name the joints that say the same thing twice."""
    name, component = joint_of_row(setup, row)
    real = real_rows(setup.system)
    rows = len(real)
    if rows > RANK_LIMIT:
        return RedundantConstraints(
            f"joint '{name}' (direction {component}) repeats what the other joints of its loop"
            " already say, so its reaction is not unique.",
            "Replace a joint of the loop by one that locks less: a revolute by a spherical, say.",
        )
    jacobian = equilibrated(setup, work)[real]
    if not np.isfinite(jacobian).all():
        return scale_error(name, component)
    u, s, _ = np.linalg.svd(jacobian)
    rank = int(np.sum(s > DEPENDENT * s[0]))
    if rank == rows:
        return scale_error(name, component)
    involved = np.flatnonzero(np.abs(u[:, rank:]).max(axis=1, initial=0.0) > DEPENDENT)
    names = list(dict.fromkeys(joint_of_row(setup, int(real[r]))[0] for r in involved))
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (" ..." if len(names) > 12 else "")
    return RedundantConstraints(
        f"joints {listed}: {rows - rank} of the {rows} constraint rows are redundant (rank {rank}),"
        " so the reactions are not unique.",
        "Replace a joint of the loop by one that locks less, for example a revolute by a spherical"
        f" or cylindrical one (start with '{name}').",
    )


def equilibrated(setup: Setup, work: Workspace) -> Floats:
    """J (rows, 6 n), its rows scaled to 1 and angles measured by each body's longest lever.

    Its rank is that of the joints' geometry, whatever the units and the masses.
    """
    system = setup.system
    jacobian = np.zeros((system.row_count, 6 * system.body_count))
    for ends in system.joint_bodies:
        span = slice(ends[FIRST_ROW], ends[FIRST_ROW] + ends[ROWS])
        for side, body in enumerate((ends[BODY_A], ends[BODY_B])):
            if body >= 0:
                block = work.jacobian[span, 6 * side : 6 * side + 6]
                jacobian[span, 6 * body : 6 * body + 6] = block
    with np.errstate(all="ignore"):  # what is not finite is told by the caller
        for body in range(system.body_count):
            angles = jacobian[:, 6 * body : 6 * body + 3]
            angles /= np.abs(angles).max(initial=0.0) or 1.0
        largest = np.abs(jacobian).max(axis=1, keepdims=True)
        return jacobian / np.where(largest == 0.0, 1.0, largest)


def scale_error(name: str, component: str) -> InvalidModel:
    """A joint whose rows are independent, but not in sixteen digits."""
    return InvalidModel(
        f"joint '{name}' (direction {component}) is lost in rounding: around it, lengths, masses or"
        " inertias differ by too many orders of magnitude.",
        "Check the units of its bodies and of its point: m, kg and kg m^2.",
    )
