"""What is large and what is small in a model at rest."""

from typing import Protocol

import numpy as np

from chasles.analysis.instant import Instant
from chasles.core.arrays import POSE_X, Floats

#: Unbalanced forces below this fraction of those that act count as balanced.
BALANCED = 1e-10
#: Positions are known to this fraction of the largest coordinate, and angles to this many rad.
ROUNDED = 1e-15


class Placed(Protocol):
    """A configuration of a model."""

    @property
    def instant(self) -> Instant: ...
    @property
    def absolute(self) -> Floats: ...


def farthest(place: Placed) -> float:
    """The largest coordinate of a body or of a point that a force or joint acts at, m."""
    system = place.instant.system
    points = [place.absolute[:, POSE_X : POSE_X + 3]]
    for pairs in (system.joints, system.forces):
        points += [pairs.point_a, pairs.point_b]
    return max(float(np.abs(p).max(initial=0.0)) for p in points)


def model_size(place: Placed) -> float:
    """The extent of the bodies, m, at the least a radius of gyration."""
    system = place.instant.system
    fixed = system.joints.point_a[system.joints.a < 0]
    points = np.vstack((place.absolute[:, POSE_X : POSE_X + 3], fixed))
    gyration = np.sqrt(system.bodies.inertia[:, :3].max(1) / system.bodies.mass)
    return max(float(np.ptp(points, axis=0).max()), float(gyration.max()))
