r"""Six springs and dampers between two frames.

With the shift s along the axes of A and the rotation vector phi of B against A,

$$ f = -(K s + C\dot s), \qquad \tau = -\mathrm{dexp}^{-1}_{\phi}(K_r\phi) - C_r w, \qquad
   U = \tfrac12 s\cdot K s + \tfrac12\phi\cdot K_r\phi . $$
"""

from typing import Any

from chasles.compiled import formula, once
from chasles.core.arrays import LAW_WIDTH, twist6
from chasles.core.constraints.rows import joint_in_frame_b, relative_twist
from chasles.core.forces.motion import add_wrench
from chasles.core.kinds import Deformation, ForceEntry, ForceKind, Signals
from chasles.core.placed import frame_on_a, full_misalignment, opening_of
from chasles.groups.so3 import so3_dexp_inv
from chasles.groups.vectors import add, cross, dot, matvec, neg, tmatvec
from chasles.model import Bushing, Model
from chasles.spaces.frames import Frames, frame_along


@formula
def times(a: Any, b: Any) -> Any:
    """Componentwise product."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@formula
def bushing_efforts(shift: Any, shift_rate: Any, turn: Any, spin: Any, law: Any) -> Any:
    """Force along the axes of A, torque along those of B, and the power of the damping."""
    stiffness, turning, damping, turning_damping = law
    drag, turning_drag = times(damping, shift_rate), times(turning_damping, spin)
    force = neg(add(times(stiffness, shift), drag))
    torque = neg(add(so3_dexp_inv(turn, times(turning, turn)), turning_drag))
    return force, torque, -dot(drag, shift_rate) - dot(turning_drag, spin)


@once
def bushing_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns the power of the dampers."""
    forces, first, absolute = system.forces, LAW_WIDTH * index, workspace.absolute
    a, b, axes_a = forces.a[index], forces.b[index], frame_on_a(forces, index)[0]
    (seen_axes, seen_point), (axes_b, point_b), _ = joint_in_frame_b(forces, index, absolute)
    turn, shift = opening_of(forces, index, absolute)
    spin, slide = relative_twist(forces, index, absolute)
    law = twist6(forces.law, first) + twist6(forces.law, first + 6)
    force, torque, lost = bushing_efforts(
        shift, matvec(turn, slide), full_misalignment(turn), spin, law
    )
    # Both in b's frame, then the opposite at the same point of a.
    local = (matvec(axes_b, torque), matvec(axes_b, tmatvec(turn, force)))
    add_wrench(workspace.rhs, b, (add(local[0], cross(point_b, local[1])), local[1]))
    opposite = (neg(matvec(seen_axes, torque)), neg(matvec(axes_a, force)))
    add_wrench(workspace.rhs, a, (add(opposite[0], cross(seen_point, opposite[1])), opposite[1]))
    return lost


def stored_in_bushing(deformation: Deformation) -> Any:
    shift, turn = deformation.shift, full_misalignment(deformation.turn)
    stiffness, turning = deformation.law[0:3], deformation.law[3:6]
    return 0.5 * dot(shift, times(stiffness, shift)) + 0.5 * dot(turn, times(turning, turn))


def bushing_entry(force: Bushing, model: Model, signals: Signals) -> ForceEntry:
    axes = frame_along(force.axis)
    frames = Frames(force.a, force.b, force.at, force.at, axes, axes)
    return ForceEntry(frames, (*force.stiffness, *force.damping))


BUSHING = ForceKind(
    name="bushing",
    made_of=(Bushing,),
    entry=bushing_entry,
    wrench=bushing_wrench,
    potential=stored_in_bushing,
)
