r"""Spring, damper, friction and motor on a joint's angle or displacement q.

$$ -k(q-q_0) - c\dot q - F\tanh(\dot q/\epsilon) + k_p(q_t-q) + k_d(\dot q_t-\dot q) + e,
   \qquad U = \tfrac12 k (q - q_0)^2 $$
"""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import LAW_WIDTH, vec4
from chasles.core.forces.along_coordinate import coordinate_motion, coordinate_value, pull_along
from chasles.core.forces.kind import Deformation, ForceEntry, ForceKind, Signals
from chasles.core.frames import coordinate_frames
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
    """Returns the power of all but the spring."""
    forces, signal = system.forces, system.forces.signal[index]
    value, rate, row_a, row_b = coordinate_motion(system, index, work)
    constants = vec4(forces.law, LAW_WIDTH * index) + vec4(forces.law, LAW_WIDTH * index + 4)
    target, target_rate, effort = 0.0, 0.0, 0.0
    if signal >= 0:
        target, target_rate = work.signals[signal], work.signals[signal + 1]
        effort = work.signals[signal + 2]
    constants = constants[0:7] + (constants[7] + effort,)
    pull, supplied = coordinate_effort(constants, value, rate, target, target_rate)
    pull_along(system, index, work, row_a, row_b, pull)
    return supplied


def stored_on_coordinate(deformation: Deformation) -> Any:
    stiffness, _, rest = deformation.law[:3]
    return 0.5 * stiffness * (coordinate_value(deformation) - rest) ** 2


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
