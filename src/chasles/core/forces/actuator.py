r"""A motor or servo on a joint's angle or displacement q, with the gear ratio g.

$$ e = \mathrm{clip}\bigl(k g (q_t - q) + d g (\dot q_t - \dot q) + e_0\bigr), \qquad Q = g\,e $$

An input is added to the effort $e_0$, to the target $q_t$, or to its rate.  The column of the
signals that holds it is written by whoever steps the model, and stays as it is over a step.  A law
of the user's own is the effort of a motor without gains, limits, gear and input.
"""

from math import inf
from typing import Any

from chasles.compiled import call_address, formula, routine
from chasles.core.arrays import LAW_WIDTH, vec3, vec4
from chasles.core.forces.along_coordinate import coordinate_entry, wrench_along
from chasles.core.kinds import ForceEntry, ForceKind, Signals
from chasles.groups.vectors import ZERO
from chasles.model import JointLaw, Model, Motor, input_of
from chasles.scalars.elementary import maximum


@formula
def clipped(push: Any, lower: Any, upper: Any) -> Any:
    """The nearest number between two; a push that is not a number stays none."""
    return maximum(lower, -maximum(-upper, -push)) + 0.0 * push


@formula
def actuator_effort(law: Any, value: Any, rate: Any, wanted: Any, given: Any) -> Any:
    """Generalised force on the coordinate, and its power.

    `wanted` is target, rate of the target and effort; `given` the input, of which the law says
    where it goes.
    """
    gain, rate_gain, gear, lower, upper, to_target, to_rate, to_effort = law
    target, target_rate = wanted[0] + to_target * given, wanted[1] + to_rate * given
    push = gain * gear * (target - value) + rate_gain * gear * (target_rate - rate)
    pull = gear * clipped(push + (wanted[2] + to_effort * given), lower, upper)
    return pull, pull * rate


@routine
def effort_of_actuator(system: Any, index: int, workspace: Any, value: Any, rate: Any) -> Any:
    forces, signals = system.forces, workspace.signals
    signal, address = forces.signal[index], forces.address[index]
    law = vec4(forces.law, LAW_WIDTH * index) + vec4(forces.law, LAW_WIDTH * index + 4)
    wanted, given = ZERO, 0.0
    if signal >= 0:
        wanted, given = vec3(signals, signal), signals[signal + 3]
    if address != 0:
        workspace.exchange[0], workspace.exchange[1] = value, rate
        call_address(address, signals[0], workspace.exchange, workspace.answer)
        wanted = wanted[0], wanted[1], wanted[2] + workspace.answer[0]
    return actuator_effort(law, value, rate, wanted, given)


def actuator_entry(motor: Motor | JointLaw, model: Model, signals: Signals) -> ForceEntry:
    """Gain, rate gain, gear; lowest and highest effort; what an input is added to."""
    if isinstance(motor, JointLaw):
        signals.need_time()
        return coordinate_entry(motor, model, (0.0, 0.0, 1.0, -inf, inf, 0.0, 0.0, 0.0))
    added = [float(input_of(motor) == what) for what in ("target", "rate", "effort")]
    law = (motor.stiffness, motor.damping, motor.gear, *motor.limits, *added)
    signal = signals.add(motor.sample, 3)
    signals.hold(motor.name)
    return coordinate_entry(motor, model, law, signal)


ACTUATOR = ForceKind(
    name="actuator",
    made_of=(Motor, JointLaw),
    entry=actuator_entry,
    wrench=wrench_along,
    effort=effort_of_actuator,
)
