"""Axes of joints: a frame along a direction, and the frames of a joint on its two bodies.

Columns are x, y, z in the world at the initial configuration, z along the joint's axis, and x the
world axis furthest from it, made perpendicular to it: for an axis along z the frame is the world's.
"""

from functools import lru_cache
from math import sqrt

import numpy as np

from chasles.model import Joint, Vector3
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
