r"""A driver of a joint: its angle or displacement q follows a motion.

$$ q - q_d(t) = 0, \qquad J\dot V = \eta + \ddot q_d $$

The row is that of the component along z in the screw form; the second derivative of the motion is
added to eta where all rows are assembled.
"""

from typing import Any

from chasles.compiled import once
from chasles.core.arrays import DRIVEN_SHIFT, DRIVEN_TURN
from chasles.core.constraints.rows import screw_rows
from chasles.core.kinds import NOTHING, ConstraintKind, Gap, JointEntry, Opening
from chasles.core.placed import nearest_turn, turn_about_axis
from chasles.model import Driver, Model
from chasles.spaces.frames import coordinate_frames


@once
def driven_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    screw_rows(system.joints, joint, absolute, jacobian, eta)


@once
def driven_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    """An angle is compared with the target to the nearest turn."""
    if system.joints.locked[joint] == DRIVEN_TURN:
        out[row] = target - nearest_turn(turn_about_axis(turn), target)
    else:
        out[row] = target - shift[2]


def driven_gap(opening: Opening) -> Gap:
    if opening.locked == DRIVEN_TURN:
        angle = turn_about_axis(opening.turn) - opening.target
        return (0.0, 0.0, nearest_turn(angle, 0.0)), NOTHING
    return NOTHING, (0.0, 0.0, opening.shift[2] - opening.target)


def driven_entry(driver: Driver, model: Model) -> JointEntry:
    bits = DRIVEN_TURN if driver.coordinate == "angle" else DRIVEN_SHIFT
    return JointEntry(coordinate_frames(driver.joint, model), locked=bits)


DRIVEN_AXIS = ConstraintKind(
    name="drivenaxis",
    made_of=(Driver,),
    entry=driven_entry,
    rows=driven_rows,
    residual=driven_residual,
    gap=driven_gap,
)
