r"""Spring, damper and friction on a joint's angle or displacement q.

$$ -k(q-q_0) - c\dot q - F\tanh(\dot q/\epsilon), \qquad U = \tfrac12 k (q - q_0)^2 $$
"""

from typing import Any

from chasles.compiled import formula, routine
from chasles.core.arrays import LAW_WIDTH, vec3
from chasles.core.forces.along_coordinate import coordinate_entry, coordinate_value, wrench_along
from chasles.core.kinds import Deformation, ForceEntry, ForceKind, Signals
from chasles.model import JointForce, JointFriction, JointSpring, Model
from chasles.scalars.elementary import choose, tanh


@formula
def coordinate_effort(law: Any, value: Any, rate: Any) -> Any:
    """Generalised force on the coordinate, and the power of all but the spring."""
    stiffness, damping, rest, friction, smoothing = law
    spring = -stiffness * (value - rest)
    other = -damping * rate - friction * tanh(rate / smoothing)
    return spring + other, other * rate


@formula
def smooth_effort(law: Any, value: Any, rate: Any) -> Any:
    """The same without friction: no tanh."""
    other = -law[1] * rate
    return other - law[0] * (value - law[2]), other * rate


@routine
def spring_effort(system: Any, index: int, workspace: Any, value: Any, rate: Any) -> Any:
    law, first = system.forces.law, LAW_WIDTH * index
    constants = vec3(law, first) + (law[first + 3], law[first + 4])
    return choose(constants[3] == 0.0, smooth_effort, coordinate_effort, constants, value, rate)


def stored_on_coordinate(deformation: Deformation) -> Any:
    stiffness, _, rest = deformation.law[:3]
    return 0.5 * stiffness * (coordinate_value(deformation) - rest) ** 2


def spring_entry(force: JointForce, model: Model, signals: Signals) -> ForceEntry:
    """Stiffness, damping, rest; friction, smoothing."""
    law = (0.0, 0.0, 0.0, 0.0, 1.0)
    if isinstance(force, JointSpring):
        law = (force.stiffness, force.damping, force.rest, *law[3:])
    elif isinstance(force, JointFriction):
        law = (*law[:3], force.level, force.smoothing)
    return coordinate_entry(force, model, law)


ON_COORDINATE = ForceKind(
    name="oncoordinate",
    made_of=(JointSpring, JointFriction),
    entry=spring_entry,
    wrench=wrench_along,
    potential=stored_on_coordinate,
    effort=spring_effort,
)
