"""A thin disc that rolls on a plane without slipping."""

from dataclasses import replace
from functools import partial

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, RollingDisc
from chasles.model.shapes import Cylinder
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check, Quantity
from chasles.studies.library.drawing import Drawing, Named
from chasles.studies.library.measures import energy_check

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
        Check("height of the point of contact", float(np.abs(height).max()), 1e-10, "m"),
        energy_check(result, 1e-5),
    ]


def curves(result: Result) -> Named:
    tilt = np.degrees(np.arcsin(np.clip(result.rotation("disc")[:, 2, 2], -1.0, 1.0)))
    return [("tilt from the vertical", tilt)]


def traces(result: Result) -> Named:
    return [("point of contact", result.position("disc") + lowest_point(result))]


PARAMETERS: dict[str, Quantity] = {
    "mass": (MASS, "kg"),
    "radius": (RADIUS, "m"),
    "inertia, z along the axis": (INERTIA, "kg m²"),
    "angular velocity at the start, in the disc's axes": (SPIN, "rad/s"),
    "tilt at the start": (TILT, "°"),
    "gravity along -z": (9.81, "m/s²"),
}
ABOUT = (
    "The classical nonholonomic system: five coordinates, three degrees of freedom, and only"
    " the energy is conserved. The disc turns about the vertical at 15 rad/s while it rolls at"
    " 5 rad/s, so"
    " that it runs in a small circle and rocks."
)
BENCHMARK = Benchmark(
    name="rolling-disc",
    title="Rolling disc, tilted at the start",
    source="S. Hante, public test problem rolling_disk of the integrator RATTLie_nonhol (Martin"
    " Luther University Halle-Wittenberg), configuration diss_conf.",
    about=ABOUT + " The source's configurations start at a tilt of 15° or upright; the other one"
    ' is "rolling-disc-upright".',
    parameters=PARAMETERS,
    model=model,
    freedom=3,
    until=2.0,
    step=1e-3,
    options={"stabilise": "projection"},
    checks=checks,
    drawing=Drawing(
        instants=(0.0, 0.1, 0.2),
        curves=curves,
        title="Tilt of the disc",
        label="tilt, °",
        traces=traces,
    ),
)
UPRIGHT_BENCHMARK = replace(
    BENCHMARK,
    name="rolling-disc-upright",
    title="Rolling disc, upright at the start",
    about=ABOUT
    + " The gyroscopic torque of a disc that turns while it rolls makes it lean at once,"
    " although it starts upright.",
    parameters={**PARAMETERS, "tilt at the start": (0.0, "°")},
    model=partial(model, 0.0),
)
