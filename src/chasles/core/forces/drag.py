r"""Resistance of the medium at the centre of mass.

$$ (\tau, f) = (-c_\omega\omega - d_\omega|\omega|\omega,\; -c v - d|v|v) $$
"""

from typing import Any

from chasles.compiled import formula, once
from chasles.core.arrays import LAW_WIDTH, vec4
from chasles.core.forces.motion import add_wrench
from chasles.core.kinds import ForceEntry, ForceKind, Signals
from chasles.core.placed import twist_of
from chasles.core.twists import power
from chasles.groups.vectors import dot, scale
from chasles.model import GROUND, Drag, Model
from chasles.scalars.elementary import sqrt
from chasles.spaces.frames import ORIGIN, Frames


@formula
def resistance(twist: Any, law: Any) -> Any:
    """The wrench on a body that moves with a twist."""
    omega, v = twist
    linear, quadratic, angular, angular_quadratic = law
    slow = -linear - quadratic * sqrt(dot(v, v))
    slow_turn = -angular - angular_quadratic * sqrt(dot(omega, omega))
    return scale(slow_turn, omega), scale(slow, v)


@once
def drag_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns its power."""
    b = system.forces.b[index]
    twist = twist_of(workspace.absolute, b)
    wrench = resistance(twist, vec4(system.forces.law, LAW_WIDTH * index))
    add_wrench(workspace.rhs, b, wrench)
    return power(wrench, twist)


def drag_entry(force: Drag, model: Model, signals: Signals) -> ForceEntry:
    law = (force.linear, force.quadratic, force.angular, force.angular_quadratic)
    at = model.body(force.body).position
    return ForceEntry(Frames(GROUND.name, force.body, ORIGIN, at), law)


DRAG = ForceKind(name="drag", made_of=(Drag,), entry=drag_entry, wrench=drag_wrench)
