r"""A stop on a joint's angle or displacement q: a spring and damper while it is touched.

With the depth $p = q - q_{upper}$ or $q_{lower} - q$, as long as that is positive,

$$ F = \max(0,\ k p + c\,\dot p), \qquad U = \tfrac12 k p^2, $$

against the motion: a stop pushes and never pulls.
"""

from math import inf
from typing import Any

import numpy as np

from chasles.compiled import formula, routine
from chasles.core.arrays import LAW_WIDTH, vec4
from chasles.core.forces.along_coordinate import coordinate_entry, coordinate_value, wrench_along
from chasles.core.kinds import Deformation, ForceEntry, ForceKind, Signals
from chasles.model import JointStop, Model
from chasles.scalars.elementary import maximum, pick


@formula
def push_of(stiffness: Any, damping: Any, depth: Any, speed: Any) -> Any:
    """What a stop pushes back with, and the part of it that its spring stores."""
    sunk = maximum(0.0, depth)
    push = pick(depth > 0.0, maximum(0.0, stiffness * sunk + damping * speed), 0.0)
    return push, stiffness * sunk


@formula
def stop_effort(law: Any, value: Any, rate: Any) -> Any:
    """Generalised force on the coordinate, and the power of all but the springs."""
    stiffness, damping, lower, upper = law
    above, spring_above = push_of(stiffness, damping, value - upper, rate)
    below, spring_below = push_of(stiffness, damping, lower - value, -rate)
    effort, spring = below - above, spring_below - spring_above
    return effort, (effort - spring) * rate


@routine
def effort_of_stop(system: Any, index: int, workspace: Any, value: Any, rate: Any) -> Any:
    return stop_effort(vec4(system.forces.law, LAW_WIDTH * index), value, rate)


def stored_in_stop(deformation: Deformation) -> Any:
    stiffness, _, lower, upper = deformation.law[:4]
    value = coordinate_value(deformation)
    depth = np.maximum(0.0, value - upper) + np.maximum(0.0, lower - value)
    return 0.5 * stiffness * depth**2


def stop_entry(force: JointStop, model: Model, signals: Signals) -> ForceEntry:
    """Stiffness, damping, lower, upper."""
    lower = -inf if force.lower is None else force.lower
    upper = inf if force.upper is None else force.upper
    return coordinate_entry(force, model, (force.stiffness, force.damping, lower, upper))


JOINT_STOP = ForceKind(
    name="jointstop",
    made_of=(JointStop,),
    entry=stop_entry,
    wrench=wrench_along,
    potential=stored_in_stop,
    effort=effort_of_stop,
    one_sided=True,
)
