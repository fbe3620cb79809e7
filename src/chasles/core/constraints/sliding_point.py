r"""A point of b on a line or plane of a, or driven along a direction.

$$ g = e\cdot(x_b - x_a) - q_d(t), $$

e the locked axes of A, and q_d the motion of a driver, or zero.
"""

from typing import Any

from chasles.compiled import once
from chasles.core.arrays import DRIVEN_SHIFT
from chasles.core.constraints.rows import joint_motion, space_translation_rows
from chasles.core.kinds import NOTHING, ConstraintKind, Gap, JointEntry, Opening, joint_entry
from chasles.model import GROUND, Model, PointDriver, PointOnLine, PointOnPlane, RowJoint
from chasles.spaces.frames import Frames, frame_along


@once
def sliding_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    motion, first = joint_motion(system, joint, absolute), system.joints.first_row[joint]
    space_translation_rows(system.joints, joint, motion, 0.0, first, jacobian, eta)


@once
def sliding_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    locked = system.joints.locked[joint]
    for k in range(3):
        if locked >> (3 + k) & 1:
            out[row] = target - shift[k]
            row += 1


def sliding_gap(opening: Opening) -> Gap:
    x, y, z = (
        opening.shift[k] - opening.target if opening.locked >> (3 + k) & 1 else 0.0
        for k in range(3)
    )
    return NOTHING, (x, y, z)


def sliding_entry(part: RowJoint | PointDriver, model: Model) -> JointEntry:
    if not isinstance(part, PointDriver):
        return joint_entry(part, model)
    assert part.at is not None  # Model has placed every driver
    axes = frame_along(part.direction)
    frames = Frames(GROUND.name, part.body, part.at, part.at, axes, axes)
    return JointEntry(frames, locked=DRIVEN_SHIFT)


SLIDING_POINT = ConstraintKind(
    name="slidingpoint",
    made_of=(PointOnLine, PointOnPlane, PointDriver),
    entry=sliding_entry,
    rows=sliding_rows,
    residual=sliding_residual,
    gap=sliding_gap,
    axes_on_a=True,
)
