r"""A spring and damper between two points.

$$ f = -\bigl(k(l - l_0) + c\,\dot l\bigr)\,d/l, \qquad d = x_b - x_a, \quad l = |d|, \qquad
   U = \tfrac12 k (l - l_0)^2 $$
"""

from typing import Any

from chasles.compiled import formula, once
from chasles.core.arrays import LAW_WIDTH, vec3
from chasles.core.forces.motion import add_wrench, wrench_of_force
from chasles.core.kinds import Deformation, ForceEntry, ForceKind, Signals
from chasles.core.placed import point_velocity, pose_of, span_between, twist_of
from chasles.groups.vectors import dot, neg, scale, sub
from chasles.model import Model, Spring
from chasles.scalars.elementary import pick, sqrt
from chasles.spaces.frames import Frames


@formula
def spring_tension(stiffness: Any, damping: Any, rest: Any, span: Any, span_rate: Any) -> Any:
    r"""Force on the far end, and the power of the damper; $\dot l = d\cdot\dot d/l$.

    A spring of no rest length pulls with $-k d$, also where d = 0; all else has no direction there
    and counts as zero.
    """
    length = sqrt(dot(span, span))
    per_length = 1.0 / pick(length == 0.0, 1.0, length)
    rate = per_length * dot(span, span_rate)
    pull = stiffness + per_length * (damping * rate - stiffness * rest)
    return scale(-pull, span), -damping * rate * rate


@once
def spring_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns the power of the damper."""
    forces = system.forces
    a, b = forces.a[index], forces.b[index]
    points = (vec3(forces.point_a, 3 * index), vec3(forces.point_b, 3 * index))
    pose_a, pose_b = pose_of(workspace.absolute, a), pose_of(workspace.absolute, b)
    twist_a, twist_b = twist_of(workspace.absolute, a), twist_of(workspace.absolute, b)
    span = span_between(pose_a, points[0], pose_b, points[1])
    near, far = (
        point_velocity(pose_a, twist_a, points[0]),
        point_velocity(pose_b, twist_b, points[1]),
    )
    rate = sub(far, near)
    stiffness, damping, rest = vec3(forces.law, LAW_WIDTH * index)
    pull, lost = spring_tension(stiffness, damping, rest, span, rate)
    add_wrench(workspace.rhs, b, wrench_of_force(pose_b[0], points[1], pull))
    add_wrench(workspace.rhs, a, wrench_of_force(pose_a[0], points[0], neg(pull)))
    return lost


def stored_in_spring(deformation: Deformation) -> Any:
    stiffness, _, rest = deformation.law[:3]
    stretch = sqrt(dot(deformation.shift, deformation.shift)) - rest
    return 0.5 * stiffness * stretch * stretch


def spring_entry(force: Spring, model: Model, signals: Signals) -> ForceEntry:
    law = (force.stiffness, force.damping, force.rest_length)
    return ForceEntry(Frames(force.a, force.b, force.at, force.at_b), law)


SPRING = ForceKind(
    name="spring",
    made_of=(Spring,),
    entry=spring_entry,
    wrench=spring_wrench,
    potential=stored_in_spring,
)
