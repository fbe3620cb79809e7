"""What forces on a joint's angle or displacement share: how far it has moved, and how they act."""

from typing import Any

from chasles.compiled import once, routine
from chasles.core.assemble import frame_on_a, frame_on_b, pose_of, twist_of
from chasles.core.forces.kind import Deformation, effort_of
from chasles.core.forces.motion import add_wrench, times_row
from chasles.core.rows import (
    column,
    frame_seen_from_a,
    nearest_turn,
    relative_joint_frame,
    rotation_row,
    translation_row,
    turn_about_axis,
    twist_in_joint_frame,
)


@routine
def coordinate_motion(system: Any, index: int, work: Any) -> Any:
    """(value, rate, row on a, row on b) of the coordinate that a force acts on.

    The rate of a counted angle is written down.
    """
    forces = system.forces
    a, b = forces.a[index], forces.b[index]
    axes, point = frame_on_b(forces, index)
    pose_a, pose_b = pose_of(work.absolute, a), pose_of(work.absolute, b)
    seen_axes, seen_point = frame_seen_from_a(pose_a, pose_b, axes, point)
    spin_a, slide_a = twist_in_joint_frame(twist_of(work.absolute, a), seen_axes, seen_point)
    spin_b, slide_b = twist_in_joint_frame(twist_of(work.absolute, b), axes, point)
    turn, shift = relative_joint_frame(pose_a, frame_on_a(forces, index), pose_b, (axes, point))
    angle = forces.angle[index]
    if angle >= 0:
        rate = spin_b[2] - spin_a[2]
        value = nearest_turn(turn_about_axis(turn), work.quadratures[angle])
        work.quadrature_rates[angle] = rate
        row_a, row_b = rotation_row(column(seen_axes, 2)), rotation_row(column(axes, 2))
    else:
        rate, value = slide_b[2] - slide_a[2], shift[2]
        row_a = translation_row(column(seen_axes, 2), seen_point, 0.0)
        row_b = translation_row(column(axes, 2), point, 0.0)
    return value, rate, row_a, row_b


@once
def wrench_along(system: Any, index: int, work: Any) -> float:
    """Add the wrenches of the effort of a force whose coordinate no pair has; its power."""
    forces = system.forces
    value, rate, row_a, row_b = coordinate_motion(system, index, work)
    effort, supplied = effort_of(forces.kind[index], system, index, work, value, rate)
    add_wrench(work.rhs, forces.b[index], times_row(row_b, effort))
    add_wrench(work.rhs, forces.a[index], times_row(row_a, -effort))
    return supplied


def coordinate_value(deformation: Deformation) -> Any:
    """The coordinate over some states."""
    if deformation.counts_turns:
        return nearest_turn(turn_about_axis(deformation.turn), deformation.near)
    return deformation.shift[2]
