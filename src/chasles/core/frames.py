"""Where parts of a model sit: two frames in the world at the start, one on each body."""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Joint, Model, Vector3
from chasles.spaces.frames import frame_along, joint_axes, joint_axes_on_b

ORIGIN: Vector3 = (0.0, 0.0, 0.0)
WORLD_AXES: Floats = np.eye(3)
WORLD_AXES.flags.writeable = False
#: Half a turn about x: y and z point the other way.
FLIPPED = (1.0, -1.0, -1.0)

__all__ = ["Frames", "coordinate_frames", "frame_along", "joint_frames", "oriented"]


class Frames(NamedTuple):
    """Names of two bodies, and a frame on each: origin, and axes in columns."""

    a: str
    b: str
    point_a: Vector3
    point_b: Vector3
    axes_a: Floats = WORLD_AXES
    axes_b: Floats = WORLD_AXES


def oriented(joint: Joint) -> tuple[str, str]:
    """The joint's bodies; of a joint with rows of a lower pair to the ground, the ground first."""
    swap = joint.b == GROUND.name and joint.is_lower_pair
    return (joint.b, joint.a) if swap else (joint.a, joint.b)


def joint_frames(joint: Joint) -> Frames:
    """The frames of a joint on both bodies, in the order that `oriented` gives them."""
    assert joint.at is not None  # Model has placed every joint
    on_a = zeroed(joint) if joint.zero else (joint.at, joint_axes(joint))
    on_b = (joint.at if joint.at_b is None else joint.at_b, joint_axes_on_b(joint))
    a, b = oriented(joint)
    if a != joint.a:
        on_a, on_b = on_b, on_a
    return Frames(a, b, on_a[0], on_b[0], on_a[1], on_b[1])


def zeroed(joint: Joint) -> tuple[Vector3, Floats]:
    """The frame on body a of a joint whose coordinates are not zero at the poses entered.

    It is turned and moved back by them, so that frame B, seen from it, has come that far.
    """
    assert joint.at is not None
    angle, way = joint.at_start("angle"), joint.at_start("displacement")
    way += joint.pitch * angle  # along a thread
    cosine, sine = np.cos(angle), np.sin(angle)
    back = np.array(((cosine, sine, 0.0), (-sine, cosine, 0.0), (0.0, 0.0, 1.0)))
    x, y, z = (p - way * e for p, e in zip(joint.at, joint.axis))
    return (x, y, z), joint_axes(joint) @ back


def coordinate_frames(name: str, model: Model) -> Frames:
    """A joint's frames such that its coordinate grows as the user's b moves against a.

    Where the arrays hold the bodies in the opposite order, z points the other way.
    """
    joint = model.joint(name)
    frames = joint_frames(joint)
    if frames.a == joint.a:
        return frames
    return frames._replace(axes_a=frames.axes_a * FLIPPED, axes_b=frames.axes_b * FLIPPED)
