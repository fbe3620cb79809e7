"""Constraints that cannot be met together: drivers against each other, or against the joints.

Where rows of J repeat each other, what they ask for must agree.  What is left of it after the best
solution lies in the null space of J^T: its entries show who takes part.
"""

import numpy as np

from chasles.build.start.redundancy import joint_of_row
from chasles.build.system.build import Setup
from chasles.build.system.sizes import row_units
from chasles.core.arrays import Floats

#: Speeds that miss by more than this fraction of the fastest so far explain why joints could not be
#: closed.
SPEED_SUSPICION = 1e-7
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
    row = row_of(setup, worst)
    least = f"{size[row]:.3g} {row_units(setup.system)[row]}{PER[what]}"
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


def listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:LISTED])
    return shown + (" ..." if len(names) > LISTED else "")
