"""The coordinates of joints: an angle or a displacement of b against a along the joint's axis.

A displacement is a function of the poses.  Of an angle only the rate is; whole turns are counted
by integrating it beside the bodies.
"""

from typing import Any

import numpy as np
from oracle.bodies import Bodies, Start
from oracle.jets import Jet, dot

import chasles as ch


class Coordinate:
    """One coordinate of a joint of the model, ("hinge", "angle")."""

    def __init__(self, joint: ch.Joint, word: str, start: Start) -> None:
        self.key = (joint.name, word)
        self.zero = joint.at_start(word)
        self.is_angle = word == "angle"
        self.axis = start.axis(joint.a, joint.axis)
        self.points = start.point(joint.a, joint.at), start.point(joint.b, joint.at)

    def at(self, bodies: Bodies, angles: dict[Any, float]) -> Jet:
        z = bodies.axis(self.axis)
        (a, _), (b, _) = self.points
        if not self.is_angle:
            found = dot(z, bodies.point(self.points[1]) - bodies.point(self.points[0]))
            return Jet(found.value + self.zero, found.rate, found.slope, found.bias)
        slope = z.value @ (bodies.spin(b) - bodies.spin(a))
        apart = bodies.twist(b)[1] - bodies.twist(a)[1]
        value = angles.get(self.key, np.nan)
        return Jet(value, z.value @ apart, slope, z.rate @ apart)


def all_coordinates(model: ch.Model, start: Start) -> dict[tuple[str, str], Coordinate]:
    return {
        (joint.name, word): Coordinate(joint, word, start)
        for joint in model.joints
        for word in joint.coordinates
    }
