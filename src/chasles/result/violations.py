"""How far joints are open, and their coordinates, over a trajectory."""

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.coordinates import coordinate_of_poses, coordinate_rate
from chasles.build.system.gaps import frame_of
from chasles.build.system.turns import angle_columns, entered
from chasles.core.arrays import POSE_R, Floats
from chasles.core.rows import nearest_turn


def gap(
    setup: Setup, joint: str, absolute: Floats, times: Floats | None = None
) -> tuple[Floats, Floats]:
    """Rotation (T, 3) in rad and translation (T, 3) in m by which a joint is open, world axes.

    Only a driver, which is measured against its motion, needs the times.
    """
    index = setup.joint_index[joint]
    target = 0.0 if times is None else setup.targets(joint, times)
    rotation, translation = setup.gap(joint, absolute, target)
    body = int(setup.system.joints.a[index])
    axes = np.array(frame_of(setup.system.joints, index, "a")[0]).reshape(3, 3)
    if body >= 0:
        axes = absolute[:, body, POSE_R : POSE_R + 9].reshape(-1, 3, 3) @ axes
    return (axes @ rotation[..., None])[..., 0], (axes @ translation[..., None])[..., 0]


def coordinate(
    setup: Setup, joint: str, kind: str, absolute: Floats, times: Floats, integrals: Floats
) -> Floats:
    """Angle without wrap-around, or displacement, of body b against a in the user's order (T,).

    Turns are those that were counted along.
    """
    columns = angle_columns(setup)
    if kind == "angle" and joint not in columns:
        return unwrapped_angle(setup, joint, absolute, times)
    found = coordinate_of_poses(setup, joint, kind, absolute)
    if kind == "displacement":
        return found
    counted: Floats = nearest_turn(found, integrals[:, columns[joint][0]])
    return counted


def unwrapped_angle(setup: Setup, joint: str, absolute: Floats, times: Floats) -> Floats:
    """An angle whose turns were not counted (T,): the rates at both ends tell those between states.

    Those before the start are told by the state in which it began.
    """
    angle = coordinate_of_poses(setup, joint, "angle", absolute)
    angle = (
        angle + nearest_turn(angle[0], setup.angles.get(joint, entered(setup, joint))) - angle[0]
    )
    rate = coordinate_rate(setup, joint, "angle", absolute)
    expected = 0.5 * (rate[1:] + rate[:-1]) * np.diff(times)
    steps = np.diff(angle)
    steps += 2.0 * np.pi * np.round((expected - steps) / (2.0 * np.pi))
    return np.concatenate((angle[:1], angle[0] + np.cumsum(steps)))
