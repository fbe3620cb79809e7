"""A model ready to step: its setup, plan and workspace, checked at the start."""

from dataclasses import dataclass

import numpy as np

from chasles.dynamics.assemble import absolute_history, chart_state
from chasles.dynamics.consistent import initial_state
from chasles.dynamics.evaluate import Workspace, evaluate, make_workspace
from chasles.dynamics.factor import OK
from chasles.dynamics.ordering import Plan, make_plan, mass_matrix
from chasles.model import RedundantConstraints
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
from chasles.system.build import Setup, check_closed

#: Up to this many rows, redundant joints are found and named from a full rank computation ...
RANK_LIMIT = 1200
#: ... where a pivot falls below this fraction of its free value: an almost vanishing pivot hides
#: the dependency in the rounding errors of the next one.
SUSPICIOUS = 1e-4
#: With more rows, a pivot below this fraction of its free value is redundant.
REDUNDANT = 1e-10
#: A pivot below this fraction of its free value is singular during a run.
SINGULAR = 1e-13


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

    def accelerations(self, absolute: Floats) -> tuple[Floats, Floats]:
        """Body accelerations V' (n, 6) and multipliers lambda (rows,) at an absolute state."""
        self.work.absolute[:] = absolute
        evaluate(self.setup.system, self.plan, self.work)
        split = 6 * self.setup.system.body_count
        return self.work.rhs[:split].reshape(-1, 6).copy(), self.work.rhs[split:].copy()


def make_solver(setup: Setup) -> Solver:
    """Check the start, complete its velocities, choose the order, and look for redundant joints."""
    check_closed(setup)
    start = initial_state(setup)
    plan = make_plan(setup.system)
    work = make_workspace(setup.system, plan)
    solver = Solver(setup, plan, work, start)
    solver.accelerations(start)
    free = free_pivots(setup, work)
    if spanning_tree(setup.model).cut:  # the joints of a tree are independent
        few = setup.system.row_count <= RANK_LIMIT
        work.floors[:] = (SUSPICIOUS if few else REDUNDANT) * free
        work.absolute[:] = start
        row = evaluate(setup.system, plan, work)
        error = None if row == OK else redundancy_error(setup, work, row)
        if error is not None:
            raise error
    work.floors[:] = SINGULAR * free
    return solver


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


def redundancy_error(setup: Setup, work: Workspace, row: int) -> RedundantConstraints | None:
    """Name the joints that say the same thing twice; None if none do."""
    name, component = joint_of_row(setup, row)
    rows = setup.system.row_count
    if rows > RANK_LIMIT:
        return RedundantConstraints(
            f"joint '{name}' (direction {component}) repeats what the other joints of its loop"
            " already say, so its reaction is not unique.",
            "Replace a joint of the loop by one that locks less, for example a revolute by a spherical.",
        )
    jacobian = np.zeros((rows, 6 * setup.system.body_count))
    for ends in setup.system.joint_bodies:
        span = slice(ends[FIRST_ROW], ends[FIRST_ROW] + ends[ROWS])
        for side, body in enumerate((ends[BODY_A], ends[BODY_B])):
            if body >= 0:
                jacobian[span, 6 * body : 6 * body + 6] = work.jacobian[span, 6 * side : 6 * side + 6]
    u, s, _ = np.linalg.svd(jacobian)
    rank = int(np.sum(s > 1e-9 * s[0]))
    if rank == rows:
        return None
    involved = np.flatnonzero(np.abs(u[:, rank:]).max(axis=1, initial=0.0) > 1e-9)
    names = list(dict.fromkeys(joint_of_row(setup, int(r))[0] for r in involved)) or [name]
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (" ..." if len(names) > 12 else "")
    return RedundantConstraints(
        f"joints {listed}: {rows - rank} of the {rows} constraint rows are redundant (rank {rank}),"
        " so the reactions are not unique.",
        "Replace a joint of the loop by one that locks less, for example a revolute by a spherical"
        f" or cylindrical one (start with '{name}').",
    )


