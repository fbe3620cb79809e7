"""The kinds of constraints in the order of their codes, and the routines that run any of them.

To add a kind: a class of the model (see `chasles.model.couplings`), a file with its
`ConstraintKind`, and its name in the table below; or `add_constraint(kind)` before the first run.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.compiled import routine
from chasles.core.arrays import System
from chasles.core.constraints.coupled import COUPLED, TIED
from chasles.core.constraints.custom import CUSTOM
from chasles.core.constraints.distance import DISTANCE
from chasles.core.constraints.driven_axis import DRIVEN_AXIS
from chasles.core.constraints.gear import GEAR
from chasles.core.constraints.lower_pair import LOWER_PAIR
from chasles.core.constraints.rolling import ROLLING_DISC, ROLLING_SPHERE
from chasles.core.constraints.sliding_point import SLIDING_POINT
from chasles.core.constraints.universal import CONSTANT_VELOCITY, UNIVERSAL
from chasles.core.kinds import ConstraintKind, Kinds

CONSTRAINTS: Kinds[ConstraintKind] = Kinds(
    "constraint",
    (
        LOWER_PAIR,  # first: almost all joints are
        DRIVEN_AXIS,
        SLIDING_POINT,
        UNIVERSAL,
        CONSTANT_VELOCITY,
        DISTANCE,
        GEAR,
        ROLLING_SPHERE,
        ROLLING_DISC,
        CUSTOM,
        COUPLED,
        TIED,
    ),
)

#: Make a kind known, before the first run of a process.
add_constraint = CONSTRAINTS.add
#: The code of lower pairs.
PAIR = CONSTRAINTS.code(LOWER_PAIR)
#: put_rows(kind, system, joint, absolute, work, jacobian, eta)
put_rows = CONSTRAINTS.dispatcher("rows")
#: put_residual(kind, system, joint, turn, shift, target, work, row, out)
put_residual = CONSTRAINTS.dispatcher("residual")


def measured_rows(system: System) -> NDArray[np.bool_]:
    """(rows,) Which rows of J are the rates of a gap; wheels roll on rows that are not."""
    found, joints = np.zeros(system.row_count, bool), system.joints
    for kind, first, rows in zip(joints.kind, joints.first_row.tolist(), joints.rows.tolist()):
        found[[first + row for row in CONSTRAINTS[kind].measured_of(rows)]] = True
    return found


@routine
def assemble_joint(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """J (rows x 12: body a, body b) and eta of one joint of any kind, or of a driver."""
    put_rows(system.joints.kind[joint], system, joint, absolute, workspace, jacobian, eta)
    drive = system.joints.drive[joint]
    if drive >= 0:
        eta[system.joints.first_row[joint]] += workspace.signals[drive + 2]
