"""The classical Runge-Kutta method on a group, in plain Python: for equations that kernels lack."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats
from chasles.groups.so3 import so3_normalise

NODES = (0.0, 0.5, 0.5, 1.0)
WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


class Chart(NamedTuple):
    """moved(pose, phi), the slope of phi at (phi, velocity), and that of the velocity at a pose.

    A pose is (quaternion, place), phi and velocities are arrays (6,).
    """

    moved: Callable[[Any, Floats], Any]
    pull_back: Callable[[Floats, Floats], Floats]
    rate: Callable[[Any, Floats], Floats]


def munthe_kaas_step(chart: Chart, pose: Any, velocity: Floats, step: float) -> tuple[Any, Floats]:
    """Pose and velocity after one step."""
    shift, change, all_shift, all_change = np.zeros((4, 6))
    for node, weight in zip(NODES, WEIGHTS):
        phi, now = node * step * shift, velocity + node * step * change
        shift = chart.pull_back(phi, now)
        change = chart.rate(chart.moved(pose, phi), now)
        all_shift, all_change = all_shift + weight * shift, all_change + weight * change
    quaternion, place = chart.moved(pose, step * all_shift)
    return (so3_normalise(quaternion), place), velocity + step * all_change


def pair(twist: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A twist as formulas take it."""
    x = twist.tolist()
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])
