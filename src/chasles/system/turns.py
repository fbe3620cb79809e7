"""Angles with whole turns, which forces on a joint count and poses do not show."""

from collections.abc import Mapping

import numpy as np

from chasles.core.arrays import Floats
from chasles.core.rows import nearest_turn, turn_about_axis
from chasles.model import JointForce
from chasles.system.build import Setup
from chasles.system.gaps import opening_history


def counted_angles(setup: Setup, absolute: Floats, near: Mapping[str, float]) -> dict[str, float]:
    """Angles (rad) of the joints on whose angle a force acts, at one state (n, 18).

    Poses give them up to whole turns; `near` decides between these, or half a turn where it is
    silent.
    """
    system, angles = setup.system, {}
    for number, force in enumerate(setup.model.forces):
        if isinstance(force, JointForce) and system.forces.angle[number] >= 0:
            turn, _ = opening_history(system.forces, number, absolute)
            angle = nearest_turn(turn_about_axis(turn), near.get(force.joint, 0.0))
            angles[force.joint] = float(angle)
    return angles


def angle_columns(setup: Setup) -> dict[str, list[int]]:
    """Where the integrals count the turns of a joint: one column per force on its angle."""
    columns: dict[str, list[int]] = {}
    for force, angle in zip(setup.model.forces, setup.system.forces.angle.tolist()):
        if isinstance(force, JointForce) and angle >= 0:
            columns.setdefault(force.joint, []).append(angle)
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
