"""Joint coordinates of poses: the angle about a joint's axis, or the displacement along it."""

from typing import Any

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.coupled import orientation
from chasles.build.system.gaps import components, frame_of, opening_history, pose_history
from chasles.core.arrays import TWIST, Floats
from chasles.core.rows import frame_seen_from_a, turn_about_axis, twist_in_joint_frame
from chasles.groups.vectors import sub
from chasles.model import Model, coordinates_of

AT_REST = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


#: A coordinate: the name of its joint, and "angle" or "displacement".
Key = tuple[str, str]


def coordinate_keys(model: Model) -> list[Key]:
    """All coordinates of a model's joints, in its order."""
    return [(joint.name, word) for joint in model.joints for word in coordinates_of(joint)]


def coordinate_of_poses(setup: Setup, joint: str, kind: str, absolute: Floats) -> Floats:
    """Angle within half a turn, or displacement, of b against a in the user's order (T,)."""
    turn, shift = opening_history(setup.system.joints, setup.joint_index[joint], absolute)
    found = turn_about_axis(turn) if kind == "angle" else shift[2]
    return orientation(setup, joint) * np.broadcast_to(found, absolute.shape[:-2])


def coordinate_rate(setup: Setup, joint: str, kind: str, absolute: Floats) -> Floats:
    """Rate of a joint's angle or displacement (T,)."""
    part = 0 if kind == "angle" else 1
    rate: Floats = orientation(setup, joint) * relative_twist(setup, joint, absolute)[part][2]
    return rate


def relative_spin(setup: Setup, joint: str, absolute: Floats) -> Any:
    """Angular velocity of a joint's frame B against A, along its axes: a tuple of arrays (T,)."""
    return relative_twist(setup, joint, absolute)[0]


def relative_twist(setup: Setup, joint: str, absolute: Floats) -> Any:
    """(omega, v) of frame B of a joint against body a, in B: tuples of arrays (T,)."""
    index = setup.joint_index[joint]
    joints = setup.system.joints
    ends = [int(joints.a[index]), int(joints.b[index])]
    poses = [pose_history(absolute, body) for body in ends]
    twists = [AT_REST if body < 0 else twist_of(absolute[..., body, :]) for body in ends]
    axes, point = frame_of(joints, index, "b")
    seen = frame_seen_from_a(poses[0], poses[1], axes, point)
    of_a = twist_in_joint_frame(twists[0], *seen)
    of_b = twist_in_joint_frame(twists[1], axes, point)
    return sub(of_b[0], of_a[0]), sub(of_b[1], of_a[1])


def twist_of(rows: Floats) -> Any:
    """(omega, v) of rows (..., 18): tuples of arrays."""
    return components(rows, TWIST, 3), components(rows, TWIST + 3, 3)
