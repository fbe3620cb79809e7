r"""Spring, damper, friction and motor on a joint's angle or displacement q.

$$ -k(q-q_0) - c\dot q - F\tanh(\dot q/\epsilon) + k_p(q_t-q) + k_d(\dot q_t-\dot q) + e,
   \qquad U = \tfrac12 k (q - q_0)^2 $$
"""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import LAW_WIDTH, vec4
from chasles.core.assemble import pose_of, twist_of
from chasles.core.forces.kind import Deformation, ForceEntry, ForceKind, Signals
from chasles.core.forces.motion import add_wrench, frame_on_a, frame_on_b, times_row
from chasles.core.frames import coordinate_frames
from chasles.core.rows import (
    column,
    frame_seen_from_a,
    nearest_turn,
    relative_joint_frame,
    rotation_row,
    translation_row,
    turn_about_axis,
    twist_in_joint_frame,
)
from chasles.model import JointForce, JointFriction, JointSpring, Model, Motor
from chasles.scalars.elementary import tanh


@formula
def coordinate_effort(law: Any, value: Any, rate: Any, target: Any, target_rate: Any) -> Any:
    """Generalised force on the coordinate, and the power of all but the spring."""
    stiffness, damping, rest, friction, smoothing, gain, rate_gain, effort = law
    spring = -stiffness * (value - rest)
    other = effort - damping * rate - friction * tanh(rate / smoothing)
    other += gain * (target - value) + rate_gain * (target_rate - rate)
    return spring + other, other * rate


@routine
def coordinate_wrench(system: Any, index: int, work: Any) -> float:
    """Returns the power of all but the spring; the rate of a counted angle is written down."""
    forces, signal = system.forces, system.forces.signal[index]
    a, b = forces.a[index], forces.b[index]
    axes, point = frame_on_b(forces, index)
    pose_a, pose_b = pose_of(work.absolute, a), pose_of(work.absolute, b)
    seen_axes, seen_point = frame_seen_from_a(pose_a, pose_b, axes, point)
    spin_a, slide_a = twist_in_joint_frame(twist_of(work.absolute, a), seen_axes, seen_point)
    spin_b, slide_b = twist_in_joint_frame(twist_of(work.absolute, b), axes, point)
    turn, shift = relative_joint_frame(pose_a, frame_on_a(forces, index), pose_b, (axes, point))
    angle = forces.angle[index]
    if angle >= 0:
        rate = spin_b[2] - spin_a[2]
        value = nearest_turn(turn_about_axis(turn), work.quadratures[angle])
        work.quadrature_rates[angle] = rate
        row_a, row_b = rotation_row(column(seen_axes, 2)), rotation_row(column(axes, 2))
    else:
        rate, value = slide_b[2] - slide_a[2], shift[2]
        row_a = translation_row(column(seen_axes, 2), seen_point, 0.0)
        row_b = translation_row(column(axes, 2), point, 0.0)
    constants = vec4(forces.law, LAW_WIDTH * index) + vec4(forces.law, LAW_WIDTH * index + 4)
    target, target_rate, effort = 0.0, 0.0, 0.0
    if signal >= 0:
        target, target_rate = work.signals[signal], work.signals[signal + 1]
        effort = work.signals[signal + 2]
    constants = constants[0:7] + (constants[7] + effort,)
    pull, supplied = coordinate_effort(constants, value, rate, target, target_rate)
    add_wrench(work.rhs, b, times_row(row_b, pull))
    add_wrench(work.rhs, a, times_row(row_a, -pull))
    return supplied


def stored_on_coordinate(deformation: Deformation) -> Any:
    value = deformation.shift[2]
    if deformation.counts_turns:
        value = nearest_turn(turn_about_axis(deformation.turn), deformation.near)
    stiffness, _, rest = deformation.law[:3]
    return 0.5 * stiffness * (value - rest) ** 2


def coordinate_entry(force: JointForce, model: Model, signals: Signals) -> ForceEntry:
    """Stiffness, damping, rest; friction, smoothing; gain, rate gain; effort."""
    law, signal = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), -1
    if isinstance(force, JointSpring):
        law = (force.stiffness, force.damping, force.rest, *law[3:])
    elif isinstance(force, JointFriction):
        law = (*law[:3], force.level, force.smoothing, *law[5:])
    elif isinstance(force, Motor):
        law = (*law[:5], force.stiffness, force.damping, law[7])
        signal = signals.add(force.sample, 3)
    frames = coordinate_frames(force.joint, model)
    return ForceEntry(frames, law, signal, counts_turns=force.coordinate == "angle")


ON_COORDINATE = ForceKind(
    name="oncoordinate",
    made_of=(JointSpring, JointFriction, Motor),
    entry=coordinate_entry,
    wrench=coordinate_wrench,
    potential=stored_on_coordinate,
)
