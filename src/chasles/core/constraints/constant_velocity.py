r"""A constant-velocity (homokinetic) joint: a common point, and two shafts that turn alike.

$$ x_b - x_a = 0, \qquad g = x_a\cdot y_b - y_a\cdot x_b = 0 $$

with x, y normal to the shafts: neither turns about the bisector of their axes.
"""

from typing import Any

import numpy as np

from chasles.compiled import formula, once
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
from chasles.groups.vectors import sub
from chasles.model import ConstantVelocity, Model


@formula
def shafts_product(axes_a: Any, axes_b: Any, omega_a: Any, omega_b: Any) -> Any:
    r"""alpha and its rate for $g = x_a\cdot y_b - y_a\cdot x_b$."""
    first, first_rate = axis_product(column(axes_b, 1), column(axes_a, 0), omega_a, omega_b)
    second, second_rate = axis_product(column(axes_b, 0), column(axes_a, 1), omega_a, omega_b)
    return sub(first, second), sub(first_rate, second_rate)


@formula
def shafts_crossed(turn: Any) -> Any:
    r"""The same g, from the axes of b seen from a."""
    return turn[1] - turn[3]


@once
def shafts_rows(system: Any, joint: int, absolute: Any, work: Any, jacobian: Any, eta: Any) -> None:
    """Three of the common point, in the system's form, and one of the shafts."""
    pair_rows(system, joint, absolute, work, jacobian, eta)
    poses, _, axes, omegas, _, _ = joint_motion(system, joint, absolute)
    product = shafts_product(axes[0], axes[1], omegas[0], omegas[1])
    row = system.joints.first_row[joint] + 3
    put_turning_row(jacobian, eta, row, poses, omegas, product)


@once
def shafts_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, work: Any, row: int, out: Any
) -> None:
    put_point_residual(system, joint, turn, shift, row, out)
    out[row + 3] = -shafts_crossed(turn)


def shafts_gap(opening: Opening) -> Gap:
    """The angle between the shafts, for straight ones; g is twice its sine."""
    angle = np.arcsin(np.clip(0.5 * shafts_crossed(opening.turn), -1.0, 1.0))
    return (0.0, 0.0, angle), opening.shift


def shafts_entry(joint: ConstantVelocity, model: Model) -> JointEntry:
    return JointEntry(joint_frames(joint), locked=locked_bits(joint.locked))


CONSTANT_VELOCITY = ConstraintKind(
    name="constantvelocity",
    made_of=(ConstantVelocity,),
    entry=shafts_entry,
    rows=shafts_rows,
    residual=shafts_residual,
    gap=shafts_gap,
    units=(METRE, METRE, METRE, RAD),
)
