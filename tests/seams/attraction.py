r"""A force added from outside: two points attract each other as the square of their distance falls.

$$ f = -k\,d/|d|^3, \qquad d = x_b - x_a, \qquad U = -k/|d| $$
"""

from dataclasses import dataclass

from chasles.compiled import formula, routine
from chasles.core.arrays import LAW_WIDTH, vec3
from chasles.core.forces.motion import add_wrench, wrench_of_force
from chasles.core.forces.registry import add_force
from chasles.core.kinds import ForceEntry, ForceKind
from chasles.core.placed import pose_of
from chasles.groups.vectors import add, dot, matvec, neg, scale, sub
from chasles.model.checks import checked_positive, checked_vector, fill
from chasles.model.errors import InvalidForce
from chasles.model.forces import PairForce
from chasles.scalars.elementary import sqrt
from chasles.spaces.frames import Frames


@dataclass(frozen=True, init=False)
class Attraction(PairForce, in_files=True):
    """Between point `at` of a and point `at_b` of b; the strength k is in N m^2."""

    at_b: tuple[float, float, float]
    strength: float = 1.0

    def __init__(self, name, a, b, at, at_b, strength):
        super().__init__(name, a, b, at)
        fill(
            self,
            at_b=checked_vector(at_b, "at_b", self.where, InvalidForce),
            strength=checked_positive(strength, "strength", "N m^2", self.where, InvalidForce),
        )


@formula
def pull(strength, span):
    """On the far end."""
    square = dot(span, span)
    return scale(-strength / (square * sqrt(square)), span)


@routine
def attraction_wrench(system, index, workspace):
    forces = system.forces
    a, b = forces.a[index], forces.b[index]
    point_a, point_b = vec3(forces.point_a, 3 * index), vec3(forces.point_b, 3 * index)
    pose_a, pose_b = pose_of(workspace.absolute, a), pose_of(workspace.absolute, b)
    span = sub(
        add(pose_b[1], matvec(pose_b[0], point_b)), add(pose_a[1], matvec(pose_a[0], point_a))
    )
    force = pull(forces.law[LAW_WIDTH * index], span)
    add_wrench(workspace.rhs, b, wrench_of_force(pose_b[0], point_b, force))
    add_wrench(workspace.rhs, a, wrench_of_force(pose_a[0], point_a, neg(force)))
    return 0.0  # the potential accounts for all of it


def attraction_potential(deformation):
    return -deformation.law[0] / sqrt(dot(deformation.shift, deformation.shift))


def attraction_entry(force, model, signals):
    return ForceEntry(Frames(force.a, force.b, force.at, force.at_b), (force.strength,))


KIND = ForceKind(
    name="attraction",
    made_of=(Attraction,),
    entry=attraction_entry,
    wrench=attraction_wrench,
    potential=attraction_potential,
)
add_force(KIND)

__all__ = ["KIND", "Attraction"]
