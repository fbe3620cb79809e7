r"""The cheapest launch of a leaning top that precesses without nutation.

A round top leans by 30 degrees and is launched with a precession W about the vertical and a spin w
about its axis.  The measure is the kinetic energy, the condition that the top does not nod: every
launch is the highest or the lowest point of its nutation, so the mean height of a run is the first
one only if there is none.  For moments I about the axis, J across it, and a centre at distance a,

    J W^2 cos(lean) - I w W + m g a = 0                       without nutation, and among these
    W^2 = m g a / sqrt(J^2 cos^2(lean) + I J sin^2(lean))     for the least energy.
"""

from functools import cache
from math import cos, radians, sin, sqrt

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import chasles as ch

LEAN, ARM, MASS, RADIUS, HEIGHT = radians(30.0), 0.05, 0.2, 0.04, 0.02
AXIAL = MASS * RADIUS**2 / 2
ACROSS = MASS * (RADIUS**2 / 4 + HEIGHT**2 / 12 + ARM**2)  # about the pivot
tried: list[tuple[float, float]] = []
MOMENTS = np.array([ACROSS * sin(LEAN) ** 2, AXIAL])


def top(precession: float, spin: float) -> ch.Model:
    body = ch.Body.cylinder(
        "top", RADIUS, HEIGHT, MASS, position=(ARM * sin(LEAN), 0, ARM * cos(LEAN)),
        rotation=Rotation.from_rotvec((0, LEAN, 0)),
        angular_velocity=(-precession * sin(LEAN), 0, spin),
    )  # fmt: skip
    return ch.Model([body], [ch.Spherical("pivot", ch.GROUND, body, at=(0, 0, 0))])


@cache
def nodding(precession: float, spin: float) -> tuple[float, np.ndarray]:
    """Mean height of a second over the first one, in percent of the arm, and its gradient."""
    tried.append((precession, spin))
    found = ch.gradient(
        top(precession, spin),
        lambda run: 100 / ARM * (run.position("top")[1:, 2] - run.position("top")[0, 2]).mean(),
        ["top.angular_velocity"], until=1.0, step=1e-3, save_every=10,
    )  # fmt: skip
    x, _, z = found["top.angular_velocity"]
    return found.value, np.array([-sin(LEAN) * x, z])


steady = {"type": "eq", "fun": lambda x: nodding(*x)[0], "jac": lambda x: nodding(*x)[1]}
answer = minimize(
    lambda x: (MOMENTS @ x**2 / 2, MOMENTS * x), (5.0, 150.0), jac=True, method="SLSQP",
    constraints=[steady], tol=1e-12,
)  # fmt: skip
weight = MASS * 9.81 * ARM
best = sqrt(weight / sqrt((ACROSS * cos(LEAN)) ** 2 + AXIAL * ACROSS * sin(LEAN) ** 2))
wanted = np.array([best, (ACROSS * best**2 * cos(LEAN) + weight) / (AXIAL * best)])
print(f"W, w = {answer.x.round(4)} rad/s, wanted {wanted.round(4)}, after {len(tried)} gradients")
assert np.allclose(answer.x, wanted, rtol=1e-5)
