"""Frames of joints: along a direction, on the two bodies of a joint, and at its coordinates.

Columns are x, y, z in the world at the initial configuration, z along the joint's axis, and x the
world axis furthest from it, made perpendicular to it: for an axis along z the frame is the world's.
"""

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from chasles.model import GROUND, Joint, Model, Vector3
from chasles.model.words import Floats
from chasles.spaces.subalgebras import hat

#: 1 + cosine below which two directions are opposite: the square of rounding would divide.
OPPOSITE = 1e-12


@lru_cache(maxsize=4096)  # the axes of a mechanism are few
def frame_along(axis: Vector3) -> Floats:
    """A right-handed frame, as columns, with the given z axis of length 1; not to be written to."""
    across = min(range(3), key=lambda k: abs(axis[k]))
    x = [float(k == across) - axis[k] * axis[across] for k in range(3)]
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    x0, x1, x2 = x[0] / length, x[1] / length, x[2] / length
    z0, z1, z2 = axis
    y0, y1, y2 = z1 * x2 - z2 * x1, z2 * x0 - z0 * x2, z0 * x1 - z1 * x0
    frame = np.array(((x0, y0, z0), (x1, y1, z1), (x2, y2, z2)))
    frame.flags.writeable = False
    return frame


def joint_axes(joint: Joint) -> Floats:
    """The frame of a joint on its body a."""
    return frame_along(joint.axis)


def joint_axes_on_b(joint: Joint) -> Floats:
    """The frame of a joint on its body b: turned to `axis_b`, or back by `turn`, if there is one.

    When b has turned by that, it is in place.
    """
    if joint.turn is not None:
        return np.array(joint.turn).T @ joint_axes(joint)
    return joint_axes(joint) if joint.axis_b is None else turned(joint_axes(joint), joint.axis_b)


def turned(axes: Floats, axis: Vector3) -> Floats:
    r"""The frame turned by the smallest rotation that brings its z axis to `axis`:

    $$1 + \hat v + \hat v^2 / (1 + c), \qquad v = z\times e, \quad c = z\cdot e .$$

    Beyond a right angle it is made of two reflections, which are orthogonal however small $1 + c$.
    Where they are opposite, every half turn about a normal of z does; the one about x is taken.
    """
    z, target = axes[:, 2], np.array(axis)
    cosine = float(z @ target)
    if cosine < -1.0 + OPPOSITE:
        return axes * (1.0, -1.0, -1.0)
    if cosine < 0.0:
        return mirror(z + target) @ mirror(z) @ axes
    cross = hat(hat(z) @ target)
    return (np.eye(3) + cross + cross @ cross / (1.0 + cosine)) @ axes


def mirror(normal: Floats) -> Floats:
    """The reflection at the plane with this normal, of any length."""
    return np.eye(3) - np.outer(2.0 / (normal @ normal) * normal, normal)


ORIGIN: Vector3 = (0.0, 0.0, 0.0)
WORLD_AXES: Floats = np.eye(3)
WORLD_AXES.flags.writeable = False
#: Half a turn about x: y and z point the other way.
FLIPPED = (1.0, -1.0, -1.0)


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
