r"""A gear: two wheels turn about axes fixed in the ground, at speeds in a fixed ratio i.

$$ z_b\cdot\omega_b = i\, z_a\cdot\omega_a $$

The row restricts speeds: poses know no number of turns, so that there is nothing to measure.
"""

from typing import Any

from chasles.compiled import once
from chasles.core.arrays import mat9
from chasles.core.constraints.rows import put_row
from chasles.core.kinds import RAD, ConstraintKind, JointEntry
from chasles.core.placed import column, rotation_row
from chasles.groups.vectors import scale
from chasles.model import Gear, Model
from chasles.model.couplings import check_bearings
from chasles.spaces.frames import frame_along, joint_frames


@once
def gear_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """Constant on the bodies; the wheels' axes do not move in them."""
    ratio = system.joints.constant[joint]
    axis_a = column(mat9(system.joints.axes_a, 9 * joint), 2)
    axis_b = column(mat9(system.joints.axes_b, 9 * joint), 2)
    first = system.joints.first_row[joint]
    put_row(jacobian, eta, first, rotation_row(scale(-ratio, axis_a)), rotation_row(axis_b), 0.0)


def gear_entry(joint: Gear, model: Model) -> JointEntry:
    check_bearings(joint, model.joints)
    frames = joint_frames(joint)._replace(axes_b=frame_along(joint.axis_b))
    return JointEntry(frames, joint.ratio)


GEAR = ConstraintKind(
    name="gear",
    made_of=(Gear,),
    entry=gear_entry,
    rows=gear_rows,
    units=(RAD,),
    measured=(),
    balanced=False,
)
