"""Constraints that cannot be met together: drivers against each other, or against the joints.

Where rows of J repeat each other, what they ask for must agree.  What is left of it after the best
solution lies in the null space of J^T: its entries show who takes part.
"""

from typing import Any

import numpy as np

from chasles.compiled import borrow, kernel
from chasles.core.arrays import Floats
from chasles.core.evaluate import Workspace, refine
from chasles.core.factor import solve_factored
from chasles.core.ordering import Plan
from chasles.model import InconsistentStart
from chasles.start.redundancy import joint_of_row
from chasles.system.build import Setup

#: Constraint accelerations that miss by more than this fraction contradict each other.
CONFLICT = 1e-6
#: During a run, speeds that miss by more than this fraction of the fastest so far stop it: joints
#: that have drifted apart a little disagree a little.
SPEED_CONFLICT = 1e-3
#: ... and this explains why joints could not be closed.
SPEED_SUSPICION = 1e-7
#: Less than this (rad/s, m/s) is nothing.
SPEED_FLOOR = 1e-6
#: Rows that miss by less than this fraction of the worst take no part.
INVOLVED = 1e-3
LISTED = 6
PER = {"speeds": "/s", "accelerations": "/s^2"}


def contradiction(setup: Setup, missed: Floats, what: str, when: str) -> str:
    """Who contradicts whom, and by how much, from what the rows miss of "speeds", say."""
    size = np.abs(missed)
    rows = np.flatnonzero(size > INVOLVED * size.max())
    names = list(dict.fromkeys(joint_of_row(setup, int(row))[0] for row in rows))
    drivers = [name for name in names if name in setup.model.driver_names]
    joints = listed([name for name in names if name not in drivers])
    if not drivers:
        name, component = joint_of_row(setup, int(np.argmax(size)))
        return (
            f"joint '{name}' (direction {component}) contradicts other joints {when}: the smallest"
            f" residual of the {what} they ask for is {size.max():.3g}."
        )
    worst = max(drivers, key=lambda name: size[row_of(setup, name)])
    least = f"{size[row_of(setup, worst)]:.3g} {unit_of(setup, worst)}{PER[what]}"
    if len(drivers) == 1:
        return (
            f"driver '{worst}' contradicts the joints {joints} {when}: the smallest residual of the"
            f" {what} they ask for is {least}."
        )
    through = f" through the joints {joints}" if joints else ""
    return (
        f"drivers {listed(drivers)} contradict each other{through} {when}: the smallest residual of"
        f" the {what} they ask for is {least}."
    )


def row_of(setup: Setup, driver: str) -> int:
    return int(setup.system.joints.first_row[setup.joint_index[driver]])


def unit_of(setup: Setup, driver: str) -> str:
    turns = int(setup.system.joints.locked[setup.joint_index[driver]]) & 0b111
    return "rad" if turns else "m"


def listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:LISTED])
    return shown + (" ..." if len(names) > LISTED else "")


def check_agreement(setup: Setup, work: Workspace) -> None:
    """Refuse constraints that contradict each other at the start: J V' = eta has no solution."""
    unknowns = 6 * setup.system.body_count
    missed = work.residual[unknowns:]
    scale = 1.0 + np.abs(work.eta).max(initial=0.0) + np.abs(work.rhs[:unknowns]).max(initial=0.0)
    if np.abs(missed).max(initial=0.0) > CONFLICT * scale:
        raise InconsistentStart(
            contradiction(setup, missed, "accelerations", "at t = 0"),
            "Remove one of those that constrain the same motion differently, or start away from the"
            " singular pose if this is one.",
        )


def speed_conflict(
    setup: Setup, plan: Plan, work: Workspace, rates: Floats, allowed: float, when: str
) -> str | None:
    """Who contradicts whom at the state whose J is factored in `work`; None if all agree.

    `rates` (rows,) is what J V ought to be there; it may be missed by what is `allowed`.
    """
    missed = np.zeros(setup.system.row_count)
    miss_rates(setup.system, plan, work, rates, missed)
    if np.abs(missed).max(initial=0.0) <= allowed:
        return None
    return contradiction(setup, missed, "speeds", when)


@kernel("the check of the drivers", seconds=2, plain=(2_000, 100_000))
def miss_rates(system: Any, plan: Any, work: Any, rates: Any, out: Any) -> None:
    """rates - J V for the V that comes closest, on the damped factor in `work`."""
    model, order, scratch = borrow(system), borrow(plan), borrow(work)
    wanted, missed = borrow(rates), borrow(out)
    unknowns = 6 * model.body_count
    for k in range(unknowns):
        scratch.rhs[k] = 0.0
    for row in range(model.row_count):
        scratch.rhs[unknowns + row] = wanted[row]
    solve_factored(order, scratch.values, scratch.rhs)
    refine(model, order, scratch, scratch.rhs)
    for row in range(model.row_count):
        missed[row] = scratch.residual[unknowns + row]
