r"""Two shafts with a common point: universal (Cardan) and constant-velocity (homokinetic) joints.

$$ x_b - x_a = 0, \qquad g = x_a\cdot y_b = 0 $$

for two pins that stay perpendicular, x carried by a, y by b; and

$$ g = x_a\cdot y_b - y_a\cdot x_b = 0 $$

with x, y normal to the shafts: neither turns about the bisector of their axes.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from chasles.compiled import formula, once, routine
from chasles.core.constraints.lower_pair import pair_residual, pair_rows
from chasles.core.constraints.rows import joint_motion, put_turning_row
from chasles.core.kinds import METRE, RAD, ConstraintKind, Gap, JointEntry, Opening, joint_entry
from chasles.core.placed import axis_product, column
from chasles.groups.vectors import sub
from chasles.model import ConstantVelocity, Model, Universal


@formula
def pins_product(axes: Any, omegas: Any) -> Any:
    r"""alpha and its rate for $g = x_a\cdot y_b$."""
    return axis_product(column(axes[1], 1), column(axes[0], 0), omegas[0], omegas[1])


@formula
def shafts_product(axes: Any, omegas: Any) -> Any:
    r"""alpha and its rate for $g = x_a\cdot y_b - y_a\cdot x_b$."""
    first, first_rate = pins_product(axes, omegas)
    second, second_rate = axis_product(column(axes[1], 0), column(axes[0], 1), omegas[0], omegas[1])
    return sub(first, second), sub(first_rate, second_rate)


@formula
def shafts_crossed(turn: Any) -> Any:
    r"""The same g, from the axes of b seen from a."""
    return turn[1] - turn[3]


@routine
def last_row(system: Any, joint: int, motion: Any, product: Any, jacobian: Any, eta: Any) -> None:
    """The row behind the three of the common point."""
    poses, _, _, omegas, _, _ = motion
    put_turning_row(jacobian, eta, system.joints.first_row[joint] + 3, poses, omegas, product)


@once
def universal_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """Three of the common point, in the system's form, and one of the pins."""
    pair_rows(system, joint, absolute, workspace, jacobian, eta)
    motion = joint_motion(system, joint, absolute)
    last_row(system, joint, motion, pins_product(motion[2], motion[3]), jacobian, eta)


@once
def shafts_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    """Three of the common point, in the system's form, and one of the shafts."""
    pair_rows(system, joint, absolute, workspace, jacobian, eta)
    motion = joint_motion(system, joint, absolute)
    last_row(system, joint, motion, shafts_product(motion[2], motion[3]), jacobian, eta)


@once
def universal_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    pair_residual(system, joint, turn, shift, target, workspace, row, out)
    out[row + 3] = -turn[1]


@once
def shafts_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    pair_residual(system, joint, turn, shift, target, workspace, row, out)
    out[row + 3] = -shafts_crossed(turn)


def gap_about_z(sine: Any, opening: Opening) -> Gap:
    return (0.0, 0.0, np.arcsin(np.clip(sine, -1.0, 1.0))), opening.shift


def universal_gap(opening: Opening) -> Gap:
    """The pins' angle less a right one counts about z."""
    return gap_about_z(opening.turn[1], opening)


def shafts_gap(opening: Opening) -> Gap:
    """The angle between the shafts, for straight ones; g is twice its sine."""
    return gap_about_z(0.5 * shafts_crossed(opening.turn), opening)


def universal_entry(joint: Universal, model: Model) -> JointEntry:
    x, y = np.array(joint.axis), np.array(joint.axis_b)
    axes = np.column_stack((x, y, np.cross(x, y)))
    entry = joint_entry(joint, model)
    return entry._replace(frames=entry.frames._replace(axes_a=axes, axes_b=axes))


UNIVERSAL = ConstraintKind(
    name="universal",
    made_of=(Universal,),
    entry=universal_entry,
    rows=universal_rows,
    residual=universal_residual,
    gap=universal_gap,
    units=(METRE, METRE, METRE, RAD),
)
CONSTANT_VELOCITY = replace(
    UNIVERSAL,
    name="constantvelocity",
    made_of=(ConstantVelocity,),
    entry=joint_entry,
    rows=shafts_rows,
    residual=shafts_residual,
    gap=shafts_gap,
)
