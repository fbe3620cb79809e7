r"""A universal (Cardan) joint: a common point, and two pins that stay perpendicular.

$$ x_b - x_a = 0, \qquad g = x_a\cdot y_b = 0, $$

x and y the axes of the pins: x carried by a, y by b.
"""

from typing import Any

import numpy as np

from chasles.compiled import once
from chasles.core.constraints.kind import (
    METRE,
    RAD,
    ConstraintKind,
    Gap,
    JointEntry,
    Opening,
    locked_bits,
)
from chasles.core.constraints.lower_pair import pair_rows
from chasles.core.constraints.motion import joint_motion, put_point_residual, put_turning_row
from chasles.core.frames import joint_frames
from chasles.core.rows import axis_product, column
from chasles.model import Model, Universal


@once
def universal_rows(
    system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, eta: Any
) -> None:
    """Three of the common point, in the system's form, and one of the pins."""
    pair_rows(system, joint, absolute, work, jacobian, eta)
    poses, _, axes, omegas, _, _ = joint_motion(system, joint, absolute)
    product = axis_product(column(axes[1], 1), column(axes[0], 0), omegas[0], omegas[1])
    row = system.joints.first_row[joint] + 3
    put_turning_row(jacobian, eta, row, poses, omegas, product)


@once
def universal_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, work: Any, row: int, out: Any
) -> None:
    put_point_residual(system, joint, turn, shift, row, out)
    out[row + 3] = -turn[1]


def universal_gap(opening: Opening) -> Gap:
    """The pins' angle less a right one counts about z."""
    angle = np.arcsin(np.clip(opening.turn[1], -1.0, 1.0))
    return (0.0, 0.0, angle), opening.shift


def universal_entry(joint: Universal, model: Model) -> JointEntry:
    x, y = np.array(joint.axis), np.array(joint.axis_b)
    axes = np.column_stack((x, y, np.cross(x, y)))
    frames = joint_frames(joint)._replace(axes_a=axes, axes_b=axes)
    return JointEntry(frames, locked=locked_bits(joint.locked))


UNIVERSAL = ConstraintKind(
    name="universal",
    made_of=(Universal,),
    entry=universal_entry,
    rows=universal_rows,
    residual=universal_residual,
    gap=universal_gap,
    units=(METRE, METRE, METRE, RAD),
)
