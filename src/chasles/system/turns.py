"""Angles with whole turns, which forces on a joint count and poses do not show."""

from collections.abc import Mapping

import numpy as np

from chasles.core.arrays import (
    AXES_A,
    AXES_B,
    FORCE_A,
    FORCE_ANGLE,
    FORCE_B,
    POINT_A,
    POINT_B,
    Floats,
)
from chasles.core.rows import nearest_turn, relative_joint_frame, turn_about_axis
from chasles.model import JointForce
from chasles.system.build import Setup
from chasles.system.gaps import pose_history


def counted_angles(setup: Setup, absolute: Floats, near: Mapping[str, float]) -> dict[str, float]:
    """Angles (rad) of the joints on whose angle a force acts, at one state (n, 18).

    Poses give them up to whole turns; `near` decides between these, or half a turn where it is
    silent.
    """
    system, angles = setup.system, {}
    for force, law, ends in zip(setup.model.forces, system.forces, system.force_ends):
        if isinstance(force, JointForce) and ends[FORCE_ANGLE] >= 0:
            poses = [pose_history(absolute, int(ends[side])) for side in (FORCE_A, FORCE_B)]
            frames = [
                (tuple(law[axes : axes + 9]), tuple(law[point : point + 3]))
                for axes, point in ((AXES_A, POINT_A), (AXES_B, POINT_B))
            ]
            turn, _ = relative_joint_frame(poses[0], frames[0], poses[1], frames[1])
            angle = nearest_turn(turn_about_axis(turn), near.get(force.joint, 0.0))
            angles[force.joint] = float(angle)
    return angles


def angle_columns(setup: Setup) -> dict[str, list[int]]:
    """Where the integrals count the turns of a joint: one column per force on its angle."""
    columns: dict[str, list[int]] = {}
    for force, ends in zip(setup.model.forces, setup.system.force_ends):
        if isinstance(force, JointForce) and ends[FORCE_ANGLE] >= 0:
            columns.setdefault(force.joint, []).append(int(ends[FORCE_ANGLE]))
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
