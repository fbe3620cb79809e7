"""Stabilisation of joints: by how much they are open and slip, and one record for all stabilisers.

Gaps and slips are -g and -J V, row for row as J has them.  Velocities that stay in a constant
subspace are kept there by constant rows: see `dynamics.constant_rows`.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import formula, once
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    ROW_WIDTH,
    Floats,
    Integers,
    System,
    sizes_of,
    storage,
    twist6,
)
from chasles.core.constraints.registry import put_residual
from chasles.core.placed import opening_of, pose_of, twist_of
from chasles.core.twists import power
from chasles.groups.vectors import dot
from chasles.scalars.elementary import absolute, maximum, sqrt


class Residuals(NamedTuple):
    """The joints that are looked at, and storage for what is found."""

    chosen: Integers  # (m,) 1 for joints that are looked at
    absolute: Annotated[Floats, "n", ABSOLUTE_WIDTH]  # the state
    jacobian: Annotated[Floats, "rows", ROW_WIDTH]
    eta: Annotated[Floats, "rows"]
    shift: Annotated[Floats, "rows"]  # -g
    change: Annotated[Floats, "rows"]  # -J V


@formula
def distance(absolute: Any, body: int) -> Any:
    """Of a body from the origin."""
    r = pose_of(absolute, body)[1]
    return sqrt(dot(r, r))


@formula
def furthest(system: Any, joint: int, absolute: Any) -> Any:
    """How far from the origin the bodies of a joint are: positions are rounded by that."""
    a, b = system.joints.a[joint], system.joints.b[joint]
    return maximum(distance(absolute, a), distance(absolute, b))


@once
def put_position_residual(system: Any, joint: int, absolute: Any, workspace: Any, out: Any) -> None:
    """-g of a joint of any kind, whose J has just been assembled."""
    kind, drive = system.joints.kind[joint], system.joints.drive[joint]
    turn, shift = opening_of(system.joints, joint, absolute)
    target = workspace.signals[drive] if drive >= 0 else 0.0
    row = system.joints.first_row[joint]
    put_residual(kind, system, joint, turn, shift, target, workspace, row, out)


@once
def put_velocity_residual(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, out: Any
) -> None:
    """-J V of one joint (less the rate of a driver), J at the end of the step."""
    joints, first = system.joints, system.joints.first_row[joint]
    a, b = twist_of(absolute, joints.a[joint]), twist_of(absolute, joints.b[joint])
    wanted = workspace.signals[joints.drive[joint] + 1] if joints.drive[joint] >= 0 else 0.0
    for row in range(first, first + joints.rows[joint]):
        at = row * ROW_WIDTH
        out[row] = wanted - power(twist6(jacobian, at), a) - power(twist6(jacobian, at + 6), b)


# Stabiliser.kind
UNSTABILISED, PROJECTED, FED_BACK = 0, 1, 2


class Stabiliser(NamedTuple):
    """Which joints are stabilised and how, and storage for it.

    kind is UNSTABILISED (joints are left to themselves), PROJECTED (they are closed after every
    step) or FED_BACK (what is open at the start of a step is fed back into its equations).
    """

    kind: int
    found: Residuals
    damping: float  # of feedback: 2 alpha, 1/s
    stiffness: float  # beta^2, 1/s^2
    drift_gain: float  # 1/h for Gear-Gupta-Leimkuhler, 0 for Baumgarte
    pull: Floats  # (rows,) what is added to eta during this step
    drift: Floats  # (rows,) -J V


def make_record(
    system: System, kind: int, chosen: Integers, gains: tuple[float, float, float]
) -> Stabiliser:
    """`chosen` marks joints by 1; `gains` are damping, stiffness and drift_gain."""
    sizes, rows = sizes_of(system), system.row_count
    found = storage(Residuals, sizes, chosen=np.ascontiguousarray(chosen, np.int64))
    return Stabiliser(kind, found, *gains, np.zeros(rows), np.zeros(rows))


class ConstantRows(NamedTuple):
    """Constant rows of a tree's velocities, N v = 0, and what takes misses of them away.

    In groups that share no velocity, each a dense matrix.
    """

    count: int
    rows: Integers  # (count,) of a group
    widths: Integers  # (count,) velocities of a group
    columns: Integers  # (widths,) which these are, group after group
    matrix: Floats  # (rows x widths,) N, group after group
    inverse: Floats  # (rows x widths,) the transpose of N^+
    residual: Floats  # (largest group,) storage


def no_constant_rows() -> ConstantRows:
    """Of most models."""
    none, nothing = np.zeros(0, np.int64), np.zeros(0)
    return ConstantRows(0, none, none, none, nothing, nothing, nothing)


@once
def remove_constant_rows(kept: Any, values: Any, first: int) -> float:
    """v = v - N^+ N v of velocities, or of their rates, from values[first] on: the largest N v."""
    begins, at, largest = 0, 0, 0.0
    for group in range(kept.count):
        rows, width = kept.rows[group], kept.widths[group]
        for row in range(rows):
            total = 0.0
            for k in range(width):
                value = values[first + kept.columns[begins + k]]
                total += kept.matrix[at + row * width + k] * value
            kept.residual[row] = total
            largest = maximum(largest, absolute(total))
        for row in range(rows):
            for k in range(width):
                share = kept.inverse[at + row * width + k] * kept.residual[row]
                values[first + kept.columns[begins + k]] -= share
        begins += width
        at += rows * width
    return largest
