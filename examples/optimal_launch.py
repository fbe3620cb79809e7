r"""The cheapest launch at which a leaning top precesses without nutation.

A round top leans by theta = 30 degrees.  Its launch is a spin about its axis and a precession about
the vertical; the measure is the kinetic energy, and the condition that its height stays what it
was.  A top that is launched without nodding begins at the highest or lowest point of its nutation,
so the mean height of the run is the first one only if it does not nod at all.  For I about the
axis, J across it and a the height of the centre, steady precession W and spin w obey

    J W^2 cos(theta) - I w W + m g a = 0,

and the least energy among these launches has W^2 = m g a / sqrt((J cos)^2 + I J sin^2).
"""

from math import cos, radians, sin, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import chasles as ch

LEAN, ARM, G, UNTIL, STEP = radians(30.0), 0.05, 9.81, 1.0, 1e-3
MASS, RADIUS, HEIGHT = 0.2, 0.04, 0.02
AXIAL = MASS * RADIUS**2 / 2  # moments of inertia of a disc about the pivot, kg m^2
ACROSS = MASS * (RADIUS**2 / 4 + HEIGHT**2 / 12 + ARM**2)


def top(launch: np.ndarray) -> ch.Model:
    """Of precession and spin about the axis, rad/s."""
    precession, spin = launch
    body = ch.Body.cylinder(
        "top", RADIUS, HEIGHT, MASS, position=(ARM * sin(LEAN), 0, ARM * cos(LEAN)),
        rotation=Rotation.from_rotvec((0, LEAN, 0)),
        angular_velocity=(-precession * sin(LEAN), 0, spin),
    )  # fmt: skip
    pivot = ch.Spherical("pivot", ch.GROUND, body, at=(0, 0, 0))
    return ch.Model([body], [pivot], gravity=(0, 0, -G))


def energy(launch: np.ndarray) -> tuple[float, np.ndarray]:
    moments = np.array([ACROSS * sin(LEAN) ** 2, AXIAL])
    return float(moments @ launch**2 / 2), moments * launch


def rise(launch: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean height over the first, in percent of the arm, and its gradient."""

    def mean(run: Any) -> float:
        z = run.position("top")[:, 2]
        return 100 / ARM * (z.sum() / len(z) - z[0])

    found = ch.gradient(top(launch), mean, ["top.angular_velocity"], UNTIL, STEP, save_every=10)
    slope = found["top.angular_velocity"]
    return found.value, np.array([-sin(LEAN) * slope[0], slope[2]])


steady = {"type": "eq", "fun": lambda x: rise(x)[0], "jac": lambda x: rise(x)[1]}
answer = minimize(energy, (5.0, 150.0), jac=True, method="SLSQP", constraints=[steady], tol=1e-12)
weight, c, s = MASS * G * ARM, cos(LEAN), sin(LEAN)
best = sqrt(weight / sqrt((ACROSS * c) ** 2 + AXIAL * ACROSS * s**2))
wanted = best, (ACROSS * best**2 * c + weight) / (AXIAL * best)
if __name__ == "__main__":
    print(f"found  {answer.x} rad/s, {answer.fun:.6f} J after {answer.nfev} runs\nwanted {wanted}")
    assert np.allclose(answer.x, wanted, rtol=1e-5)
