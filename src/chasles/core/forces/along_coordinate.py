"""What forces on a joint's angle or displacement share: how far it has moved, and how they act."""

from typing import Any

from chasles.compiled import once, routine
from chasles.core.constraints.rows import coordinate_between
from chasles.core.forces.motion import add_wrench, power, times_row
from chasles.core.kinds import Deformation, effort_of
from chasles.core.placed import frame_on_a, frame_on_b, nearest_turn, turn_about_axis, twist_of


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
    value, row_a, row_b, _ = coordinate_between(
        workspace.absolute, a, b, on_a, on_b, angle >= 0, near
    )
    rate = power(row_b, twist_of(workspace.absolute, b)) + power(
        row_a, twist_of(workspace.absolute, a)
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
    add_wrench(workspace.rhs, forces.b[index], times_row(row_b, effort))
    add_wrench(workspace.rhs, forces.a[index], times_row(row_a, effort))
    return supplied


def coordinate_value(deformation: Deformation) -> Any:
    """The coordinate over some states."""
    if deformation.counts_turns:
        return nearest_turn(turn_about_axis(deformation.turn), deformation.near)
    return deformation.shift[2]
