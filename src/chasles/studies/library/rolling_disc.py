"""A thin disc that rolls on a plane without slipping."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, RollingDisc
from chasles.model.shapes import Cylinder
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import largest

MASS = 15.0  # kg
RADIUS = 1.0  # m
INERTIA = (MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2)  # kg m^2
SPIN = (0.0, 15.0, 5.0)  # rad/s, in the disc's axes: z is its axis, y vertical if it is upright
TILT = 15.0  # degrees
UPRIGHT = np.array([(-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)])
UP = np.array([0.0, 0.0, 1.0])


def model(tilt: float = TILT, spin: tuple[float, float, float] = SPIN) -> Model:
    """The disc above the origin, leaning by `tilt` degrees, with `spin` (rad/s) in its own axes."""
    c, s = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    turn = np.array([(1, 0, 0), (0, c, -s), (0, s, c)]) @ UPRIGHT
    disc = Body(
        "disc", MASS, INERTIA, (0, 0, RADIUS * c), turn, angular_velocity=spin,
        shape=Cylinder(RADIUS, RADIUS / 50, "z"),
    )  # fmt: skip
    plane = RollingDisc(
        "plane", GROUND, disc, at=(0, 0, 0), axis=UP, axis_b=turn[:, 2], radius=RADIUS
    )
    return Model([disc], [plane])


def lowest_point(result: Result) -> Floats:
    """The point of the edge that touches the plane, from the centre (T, 3), m."""
    axis = result.rotation("disc")[:, :, 2]
    uphill = UP - axis[:, 2:] * axis
    return -RADIUS * uphill / np.linalg.norm(uphill, axis=1, keepdims=True)


def checks(result: Result) -> list[Check]:
    lever = lowest_point(result)
    omega = np.einsum("tij,tj->ti", result.rotation("disc"), result.angular_velocity("disc"))
    slip = np.linalg.norm(result.velocity("disc") + np.cross(omega, lever), axis=1)
    height = result.position("disc")[:, 2] + lever[:, 2]
    return [
        Check("speed of the point of contact", float(slip.max()), 1e-8, "m/s"),
        Check("height of the point of contact", largest(height), 1e-10, "m"),
    ]


def curves(result: Result) -> Named:
    tilt = np.degrees(np.arcsin(np.clip(result.rotation("disc")[:, 2, 2], -1.0, 1.0)))
    return [("tilt from the vertical", tilt)]


def traces(result: Result) -> Named:
    return [("point of contact", result.position("disc") + lowest_point(result))]
