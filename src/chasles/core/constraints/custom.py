"""A joint given by a user's formula: it answers g, then 12 entries of J per row, then eta."""

from typing import Any

import numpy as np

from chasles.compiled import call_address, once, routine
from chasles.core.arrays import ROW_WIDTH, body_of, put3, put9, put_twist, twist6
from chasles.core.constraints.rows import put_row
from chasles.core.kinds import NOTHING, ConstraintKind, Gap, Opening
from chasles.core.placed import pose_of, twist_of
from chasles.model import CustomJoint


@routine
def put_pose_and_twist(exchange: Any, at: int, absolute: Any, body: int) -> None:
    """What a formula sees of a body: rotation, position, twist."""
    pose = pose_of(absolute, body)
    put9(exchange, at, pose[0])
    put3(exchange, at + 9, pose[1])
    put_twist(exchange, at + 12, twist_of(absolute, body))


@once
def custom_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    exchange, answer = workspace.exchange, workspace.answer
    for side in range(2):
        put_pose_and_twist(exchange, 18 * side, absolute, body_of(system.joints, joint, side))
    rows, first = system.joints.rows[joint], system.joints.first_row[joint]
    call_address(system.joints.address[joint], 0.0, exchange, answer)
    for r in range(rows):
        workspace.formula_gaps[first + r] = answer[r]
        entries, value = rows + r * ROW_WIDTH, answer[rows * (1 + ROW_WIDTH) + r]
        on_a, on_b = twist6(answer, entries), twist6(answer, entries + 6)
        put_row(jacobian, eta, first + r, on_a, on_b, value)


@once
def custom_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    """What the formula answered when its rows were assembled, other formulas since then or not."""
    first = system.joints.first_row[joint]
    for k in range(system.joints.rows[joint]):
        out[row + k] = -workspace.formula_gaps[first + k]


def custom_gap(opening: Opening) -> Gap:
    """The length of the residuals counts as translation, whatever its unit.

    The formula is called with floats, state by state.
    """
    entries = [entry for rotation, position in opening.poses for entry in (*rotation, *position)]
    states = np.broadcast_arrays(*entries, opening.shift[0])[:-1]
    flat = np.stack(states, axis=-1).reshape(-1, len(entries)).tolist()
    lengths = []
    for row in flat:
        pose_a = tuple(row[0:9]), tuple(row[9:12])
        pose_b = tuple(row[12:21]), tuple(row[21:24])
        lengths.append(np.linalg.norm(opening.residual(pose_a, pose_b)))
    return NOTHING, (np.reshape(lengths, states[0].shape), 0.0, 0.0)


CUSTOM = ConstraintKind(
    name="customjoint",
    made_of=(CustomJoint,),
    rows=custom_rows,
    residual=custom_residual,
    gap=custom_gap,
    units=("",) * 6,
    balanced=False,
    calls_user=True,
)
