"""Constraints that cannot be met together: drivers against each other, or against the joints.

Where rows of J repeat each other, what they ask for must agree.  What is left of it after the best
solution lies in the null space of J^T: its entries show who takes part.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from chasles.build.start.kkt import constraint_rows, weigh, weights
from chasles.build.start.redundancy import joint_of_row, unsolved
from chasles.build.system.build import Setup
from chasles.core.arrays import Floats
from chasles.model import InconsistentStart, InvalidModel

#: Constraint accelerations that miss by more than this fraction contradict each other.
CONFLICT = 1e-6
#: Speeds that miss by more than this fraction of the fastest so far explain why joints could not be
#: closed.
SPEED_SUSPICION = 1e-7
#: Rows that miss by less than this fraction of the worst take no part.
INVOLVED = 1e-3
LISTED = 6
TOO_LIGHT = "Check the units of the bodies, or give the lightest more mass."
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
    others = f"the joints {joints}" if joints else "other drivers and couplings"
    if len(drivers) == 1:
        word = "coupling" if worst in (c.name for c in setup.model.couplings) else "driver"
        return (
            f"{word} '{worst}' contradicts {others} {when}: the smallest residual of the"
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
    if driver in (coupling.name for coupling in setup.model.couplings):
        return ""  # that of its terms
    turns = int(setup.system.joints.locked[setup.joint_index[driver]]) & 0b111
    return "rad" if turns else "m"


def listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:LISTED])
    return shown + (" ..." if len(names) > LISTED else "")


class Motion(NamedTuple):
    """The equations of motion and their solution at one state, as values."""

    twists: Floats  # V (n, 6)
    jacobian: Floats  # (padded rows, 12) entries of J on bodies a and b of every joint
    eta: Floats  # (padded rows,)
    forces: Floats  # Q (6n,)
    acceleration: Floats  # V' (6n,)


def check_agreement(
    setup: Setup, motion: Motion, free: Floats, other: Callable[[], Motion | None]
) -> None:
    r"""Refuse constraints that contradict each other at the start: J V' = eta has no solution.

    A row is compared with what it can be at all, $|J\dot V|_i \le \sqrt{S_{ii}}\,|\dot V|_M$ with
    `free` for $S_{ii}$: whatever the units.  `other` solves with hardly any damping: where that
    meets all constraints, only their scales are to blame.
    """
    allowed = CONFLICT * np.sqrt(free) * energy_scale(setup, motion)

    def missed(found: Motion) -> Floats:
        return found.eta - constraint_rows(setup, found.jacobian).times(found.acceleration)

    if np.all(np.abs(missed(motion)) <= allowed):
        return
    hardly = other()
    if hardly is not None and np.all(np.abs(missed(hardly)) <= allowed):
        raise InvalidModel(unsolved(setup), TOO_LIGHT)
    raise InconsistentStart(
        contradiction(setup, missed(motion), "accelerations", "at t = 0"),
        "Remove one of those that constrain the same motion differently, or start away from the"
        " singular pose if this is one.",
    )


def energy_scale(setup: Setup, motion: Motion) -> float:
    r"""$\sqrt{\dot V^T M \dot V + Q^T M^{-1} Q + \omega^2\, V^T M V}$ of a solution.

    The last term, with the fastest rotation, is there for bodies that spin and are not accelerated.
    """
    mass, twists = weights(setup.system), motion.twists
    total = motion.acceleration @ weigh(mass, motion.acceleration)
    total += motion.forces @ weigh(np.linalg.inv(mass), motion.forces)
    fastest = np.square(twists[:, :3]).sum(axis=1).max(initial=0.0)
    total += fastest * (twists.ravel() @ weigh(mass, twists))
    return float(np.sqrt(max(0.0, float(total))))
