"""Forces on a joint's angle or displacement: how far it has moved, and how they act."""

from typing import Any

from chasles.compiled import once, routine
from chasles.core.constraints.rows import coordinate_between
from chasles.core.forces.motion import add_wrench
from chasles.core.kinds import Deformation, ForceEntry, effort_of
from chasles.core.placed import frame_on_a, frame_on_b, nearest_turn, turn_about_axis
from chasles.core.twists import scale_twist
from chasles.model import Model
from chasles.spaces.frames import coordinate_frames


@routine
def coordinate_motion(system: Any, index: int, workspace: Any) -> Any:
    """(value, rate, row on a, row on b) of the coordinate that a force acts on.

    The rate of a counted angle is written down.
    """
    forces, angle = system.forces, system.forces.angle[index]
    a, b, near = forces.a[index], forces.b[index], 0.0
    if angle >= 0:
        near = workspace.quadratures[angle]
    on_a, on_b = frame_on_a(forces, index), frame_on_b(forces, index)
    value, rate, row_a, row_b, _ = coordinate_between(
        workspace.absolute, a, b, on_a, on_b, angle >= 0, near
    )
    if angle >= 0:
        workspace.quadrature_rates[angle] = rate
    return value, rate, row_a, row_b


@once
def wrench_along(system: Any, index: int, workspace: Any) -> float:
    """Add the wrenches of the effort of a force whose coordinate no pair has; its power."""
    forces = system.forces
    value, rate, row_a, row_b = coordinate_motion(system, index, workspace)
    effort, supplied = effort_of(forces.kind[index], system, index, workspace, value, rate)
    add_wrench(workspace.rhs, forces.b[index], scale_twist(effort, row_b))
    add_wrench(workspace.rhs, forces.a[index], scale_twist(effort, row_a))
    return supplied


def coordinate_entry(
    force: Any, model: Model, law: tuple[float, ...], signal: int = -1
) -> ForceEntry:
    """A force with these constants on the coordinate that it names."""
    frames = coordinate_frames(force.joint, model)
    return ForceEntry(frames, law, signal, counts_turns=force.coordinate == "angle")


def coordinate_value(deformation: Deformation) -> Any:
    """The coordinate over some states."""
    if deformation.counts_turns:
        return nearest_turn(turn_about_axis(deformation.turn), deformation.near)
    return deformation.shift[2]
