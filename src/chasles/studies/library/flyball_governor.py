"""IFToMM A05: Watt's governor, its coupler rods replaced by stiff springs with stiff dampers."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Prismatic, Revolute, Spring
from chasles.model.shapes import Box
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import largest

DENSITY = 3000.0  # kg/m^3
LENGTH = 1.0  # m, of the shaft and of both rods
SECTION = 0.01  # m, edge of their square sections
SLIDER = 0.1  # m, edge of the cube
BALL = 5.0  # kg, a point at the outer end of each rod
HINGES = 0.1  # m between the hinges at the top of the shaft
ANGLE = np.radians(30.0)  # of the rods below the horizontal
HEIGHT = 0.5  # m, s: of the slider above the foot of the shaft
STIFFNESS = 8e5  # N/m
DAMPING = 4e4  # N s/m
REST_LENGTH = 0.5  # m
SPIN = 2.0 * np.pi  # rad/s, of everything about the shaft
GRAVITY = 9.81  # m/s^2
FIRST_RISE = 1.0  # s, by which the slider has been up once
SIDES = {"right": 1.0, "left": -1.0}  # of the shaft, along x
Y = (0.0, 1.0, 0.0)
Z = (0.0, 0.0, 1.0)

ROD = DENSITY * LENGTH * SECTION**2  # kg
#: Of rod and ball together: where the centre of mass is, from the hinge, and the moments about it.
CENTRE = (ROD * LENGTH / 2 + BALL * LENGTH) / (ROD + BALL)
ALONG, ACROSS, _ = Box((LENGTH, SECTION, SECTION)).moments(ROD)
OFF_AXIS = ACROSS + ROD * (CENTRE - LENGTH / 2) ** 2 + BALL * (LENGTH - CENTRE) ** 2


def model() -> Model:
    """Shaft on the ground, slider on the shaft, two rods hinged to its top, all in one spin."""
    shaft = Body.box(
        "shaft", (SECTION, SECTION, LENGTH), density=DENSITY, position=(0, 0, LENGTH / 2),
        angular_velocity=(0, 0, SPIN),
    )  # fmt: skip
    slider = Body.box("slider", (SLIDER,) * 3, density=DENSITY, position=(0, 0, HEIGHT))
    joints = [
        Revolute("bearing", GROUND, shaft, at=(0, 0, 0), axis=Z),
        Prismatic("guide", shaft, slider, axis=Z),
    ]
    rods, couplers = [], []
    for name, side in SIDES.items():
        rod = rod_body(name, side)
        hinge = (side * HINGES / 2, 0, LENGTH)
        middle = along_rod(side, LENGTH / 2)
        rods.append(rod)
        joints.append(Revolute(f"{name} hinge", shaft, rod, at=hinge, axis=Y))
        couplers.append(
            Spring(
                f"{name} coupler", slider, rod, at=(side * SLIDER / 2, 0, HEIGHT), at_b=middle,
                stiffness=STIFFNESS, damping=DAMPING, rest_length=REST_LENGTH,
            )
        )  # fmt: skip
    return Model([shaft, slider, *rods], joints, couplers, gravity=(0, 0, -GRAVITY))


def along_rod(side: float, distance: float) -> Floats:
    """The point of a rod at that distance from its hinge, at the start."""
    return np.array([
        side * (HINGES / 2 + distance * np.cos(ANGLE)), 0.0, LENGTH - distance * np.sin(ANGLE)
    ])  # fmt: skip


def rod_body(name: str, side: float) -> Body:
    """A rod and its ball: x along the rod, away from the hinge on the right, to it on the left."""
    tilt = side * ANGLE
    cosine, sine = np.cos(tilt), np.sin(tilt)
    rotation = np.array([(cosine, 0, sine), (0, 1, 0), (-sine, 0, cosine)])
    return Body(
        f"{name} rod", ROD + BALL, (ALONG, OFF_AXIS, OFF_AXIS),
        position=along_rod(side, CENTRE), rotation=rotation,
    )  # fmt: skip


def height(result: Result) -> Floats:
    """s of the slider (T,), m."""
    return result.position("slider")[:, 2]


def about_the_shaft(angle: float) -> float:
    """Moment of inertia of everything if the rods are at that angle below the horizontal."""
    cosine, sine = np.cos(angle), np.sin(angle)
    out = HINGES / 2 + CENTRE * cosine
    rod = OFF_AXIS * cosine**2 + ALONG * sine**2 + (ROD + BALL) * out**2
    shaft = Box((SECTION, SECTION, LENGTH)).moments(ROD)[2]
    return 2.0 * rod + shaft + Box((SLIDER,) * 3).moments(DENSITY * SLIDER**3)[2]


def highest_with_rigid_couplers() -> float:
    r"""How high the slider gets if the couplers keep their length, m.

    Rods and couplers are the legs of isosceles triangles, so $s = l (1 - \sin\alpha)$.  The slider
    turns back where, of a spin momentum L, the energy is again that of the start:

    $$ \frac{L^2}{2 I(\alpha)} - w \sin\alpha = E, \qquad
       w = g\, l\, \bigl(2 m_r c / l + m_s\bigr) $$
    """
    from scipy.optimize import brentq  # late: an import of chasles brings no SciPy

    weight = GRAVITY * (2.0 * (ROD + BALL) * CENTRE + DENSITY * SLIDER**3 * LENGTH)
    momentum = SPIN * about_the_shaft(ANGLE)

    def energy(angle: float) -> float:
        return momentum**2 / (2.0 * about_the_shaft(angle)) - weight * np.sin(angle)

    turned = brentq(lambda angle: energy(angle) - energy(ANGLE), 0.0, 0.9 * ANGLE)
    return LENGTH * (1.0 - np.sin(turned))


def rigid_check(result: Result) -> list[Check]:
    """The first rise of the slider, if the result has it."""
    if result.t[-1] < FIRST_RISE:
        return []
    missed = abs(float(height(result).max()) - highest_with_rigid_couplers())
    return [Check("highest s, against rigid couplers", missed, 1e-3, "m")]


def checks(result: Result) -> list[Check]:
    about_shaft = result.angular_momentum()[:, 2]
    return [
        *rigid_check(result),
        Check("spin momentum", largest(about_shaft - about_shaft[0]), 1e-8, "N m s"),
    ]


def curves(result: Result) -> Named:
    return [("s", height(result))]


POINT_MASSES = {f"{name} rod": tuple(along_rod(side, LENGTH)) for name, side in SIDES.items()}
