"""Angles with whole turns, which poses do not show: of forces on a joint, and of hinges."""

from collections.abc import Mapping, Sequence

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.coupled import orientation
from chasles.build.system.gaps import components
from chasles.core.arrays import ABSOLUTE_WIDTH, POSE_R, POSE_X, Floats
from chasles.core.rows import nearest_turn, relative_joint_frame, turn_about_axis
from chasles.model import JointForce


def counted_angles(setup: Setup, absolute: Floats, near: Mapping[str, float]) -> dict[str, float]:
    """Angles (rad) of the joints whose turns are counted, at one state (n, 18).

    Poses give them up to whole turns; `near` decides between these, or half a turn where it is
    silent.
    """
    names = list(angle_columns(setup))
    if not names:
        return {}
    close = np.array([near.get(name, entered(setup, name)) for name in names])
    return dict(zip(names, nearest_turn(angles_of(setup, names, absolute), close).tolist()))


def angles_of(setup: Setup, names: Sequence[str], absolute: Floats) -> Floats:
    """The angles of some joints at one state (n, 18), within half a turn: all at once."""
    joints, index = setup.system.joints, np.array([setup.joint_index[name] for name in names])
    ground = np.zeros(ABSOLUTE_WIDTH)
    ground[POSE_R : POSE_R + 9] = np.eye(3).ravel()
    rows, frames = np.vstack((absolute, ground)), []  # the ground's number, -1, is the last row
    for ends, axes, points in (
        (joints.a, joints.axes_a, joints.point_a),
        (joints.b, joints.axes_b, joints.point_b),
    ):
        body = rows[ends[index]]
        frames.append((components(body, POSE_R, 9), components(body, POSE_X, 3)))
        frames.append((components(axes[index], 0, 9), components(points[index], 0, 3)))
    signs = np.array([orientation(setup, name) for name in names])
    angles: Floats = signs * turn_about_axis(relative_joint_frame(*frames)[0])
    return angles


def entered(setup: Setup, joint: str) -> float:
    """A joint's angle at the poses entered."""
    return setup.model.joint(joint).at_start("angle")


def hinge_names(setup: Setup) -> list[str]:
    """The joints whose turns are counted though no force acts on them."""
    names = setup.model.joint_names
    return [names[joint] for joint in setup.system.hinges.joint.tolist()]


def angle_columns(setup: Setup) -> dict[str, list[int]]:
    """Where the integrals count the turns of a joint: one column per force on its angle, or one."""
    columns: dict[str, list[int]] = {}
    for force, angle in zip(setup.model.forces, setup.system.forces.angle.tolist()):
        if isinstance(force, JointForce) and angle >= 0:
            columns.setdefault(force.joint, []).append(angle)
    for number, name in enumerate(hinge_names(setup)):
        columns[name] = [setup.system.hinges.first + number]
    return columns


def integrals_at(setup: Setup, absolute: Floats, near: Mapping[str, float]) -> Floats:
    """Integrals (quadratures,) at a state (n, 18): no work was done, and angles are as they are."""
    integrals = np.zeros(setup.system.quadrature_count)
    angles = counted_angles(setup, absolute, near)
    for joint, columns in angle_columns(setup).items():
        integrals[columns] = angles[joint]
    return integrals


def first_integrals(setup: Setup) -> Floats:
    """Integrals at the start."""
    return integrals_at(setup, setup.absolute, setup.angles)
