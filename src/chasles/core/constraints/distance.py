r"""Two points at a fixed distance l, as if a massless rod joined them.

$$ g = (d\cdot d - l^2)/2l, \qquad d = x_b - x_a, \qquad \beta = d/l $$
"""

from typing import Any

from chasles.compiled import formula, once
from chasles.core.constraints.rows import ZERO, joint_motion, put_space_row
from chasles.core.kinds import METRE, NOTHING, ConstraintKind, Gap, JointEntry, Opening
from chasles.core.placed import space_eta_point, span_between
from chasles.groups.vectors import dot, scale, sub
from chasles.model import Distance, Model
from chasles.scalars.elementary import sqrt
from chasles.spaces.frames import joint_frames


@formula
def distance_eta(beta: Any, length: Any, omegas: Any, velocities: Any) -> Any:
    r"""$-\beta\cdot(\omega_b\times\dot x_b - \omega_a\times\dot x_a) - \dot d\cdot\dot d/l$"""
    turning = space_eta_point(omegas[0], velocities[0], omegas[1], velocities[1])
    span_rate = sub(velocities[1], velocities[0])
    return dot(beta, turning) - dot(span_rate, span_rate) / length


@once
def distance_rows(
    system: Any, joint: int, absolute: Any, workspace: Any, jacobian: Any, eta: Any
) -> None:
    poses, _, _, omegas, points, velocities = joint_motion(system, joint, absolute)
    length = system.joints.constant[joint]
    beta = scale(1.0 / length, span_between(poses[0], points[0], poses[1], points[1]))
    row, value = system.joints.first_row[joint], distance_eta(beta, length, omegas, velocities)
    put_space_row(jacobian, eta, row, ZERO, beta, poses, points, value)


@once
def distance_residual(
    system: Any, joint: int, turn: Any, shift: Any, target: Any, workspace: Any, row: int, out: Any
) -> None:
    length = system.joints.constant[joint]
    out[row] = 0.5 * (length - dot(shift, shift) / length)


def distance_gap(opening: Opening) -> Gap:
    return NOTHING, (sqrt(dot(opening.shift, opening.shift)) - opening.constant, 0.0, 0.0)


def distance_entry(joint: Distance, model: Model) -> JointEntry:
    return JointEntry(joint_frames(joint), joint.length)


DISTANCE = ConstraintKind(
    name="distance",
    made_of=(Distance,),
    entry=distance_entry,
    rows=distance_rows,
    residual=distance_residual,
    gap=distance_gap,
    units=(METRE,),
)
