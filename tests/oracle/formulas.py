"""Derivatives of a user's formula of poses, by complex numbers.

The slope is a complex step along each velocity.  The bias is the second derivative along the
motion without acceleration, R(s) = (1 + s w + s^2 w^2 / 2) R and r(s) = r + s v, by Cauchy's
integral over a circle of s: exact to rounding for analytic formulas.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from oracle.bodies import Bodies
from oracle.jets import Floats, Jet, hat

TINY, NODES = 1e-40, 16
#: Half of the circle, with its weights: at conjugate places a formula of real numbers is conjugate.
CIRCLE = np.exp(2j * np.pi * np.arange(NODES // 2 + 1) / NODES)
WEIGHTS = CIRCLE**-2 * np.array([1.0, *[2.0] * (NODES // 2 - 1), 1.0]) / NODES
UNITS = np.eye(3)


def pose_numbers(rotation: Floats, position: Floats) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """A pose as a user's formula sees it: nine numbers row by row, and three."""
    return tuple(rotation.ravel().tolist()), tuple(position.tolist())


def formula_jet(formula: Callable[..., Any], seen: Sequence[int], bodies: Bodies) -> Jet:
    """The residuals of formula(pose, pose, ...) as one vector."""
    poses = [bodies.pose(k) for k in seen]
    twists = [bodies.twist(k) for k in seen]

    def residuals(moved: list[tuple[Floats, Floats]]) -> Floats:
        return np.atleast_1d(np.array(formula(*(pose_numbers(*p) for p in moved)), complex))

    value = residuals(poses).real
    slope = np.zeros((value.size, bodies.width))
    for place, body in enumerate(seen):
        for column in range(6) if body >= 0 else ():
            unit = 1j * TINY * UNITS[column % 3]
            rotation, position = poses[place]
            moved = list(poses)
            if column < 3:
                moved[place] = (rotation.astype(complex), position + unit)
            else:
                moved[place] = ((UNITS + hat_of(unit)) @ rotation, position.astype(complex))
            slope[:, 6 * body + column] += residuals(moved).imag / TINY

    turning = [
        (hat(omega) @ rotation, hat(omega) @ hat(omega) @ rotation / 2)
        for (rotation, _), (_, omega) in zip(poses, twists)
    ]
    radius = 0.05 / (1.0 + np.abs(bodies.velocities).max())

    def along(s: complex) -> Floats:
        return residuals(
            [
                (rotation + s * first + s * s * second, position + s * v)
                for (rotation, position), (first, second), (v, _) in zip(poses, turning, twists)
            ]
        )

    samples = np.array([along(radius * node) for node in CIRCLE])
    second = 2.0 * (WEIGHTS @ samples).real / radius**2
    return Jet(value, slope @ bodies.velocities, slope, second)


def hat_of(a: Floats) -> Floats:
    """The matrix of a x for complex numbers."""
    return np.array(((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0)), complex)
