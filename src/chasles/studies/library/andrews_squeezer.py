"""IFToMM A03: Andrews' squeezer, seven small bodies that turn very fast."""

from typing import Any

import numpy as np

from chasles.model import GROUND, Body, Load, Model, Revolute, Spring
from chasles.model.joints import Attachment
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import coordinates, largest, point_path
from chasles.studies.paper_mechanisms import turn_about_z

# The mechanism is planar: points and ways in m are complex numbers, turns are factors.
# Points of the ground.
O, A, B, C = 0j, -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j  # noqa: E741
# Lengths of the rods, m.
OF, FE, EG, AG, AH, HE = 0.007, 0.028, 0.02, 0.04, 0.04, 0.02
# Points of the triangle, in axes at B that are the world's when its angle is zero.
BD, BE = 0.02 - 0.018j, 0.0 - 0.035j
STIFFNESS = 4530.0  # N/m, of the spring from C to D
REST_LENGTH = 0.07785  # m
TORQUE = 0.033  # N m, of the motor at O
FOLDED = 0.0  # rad, between the rods FO and FE at the start
PUBLISHED_AT = 0.03  # s
#: beta, Theta, gamma, Phi, delta, Omega and epsilon then, rad, as the Test Set has them.
PUBLISHED = (
    0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1,
)  # fmt: skip

#: Of every link: mass in kg, moment of inertia about the centre of mass in kg m^2, and where that
#: centre is in the link's axes, m.
MASSES = {
    "OF": 0.04325, "FE": 0.00365, "BDE": 0.02373, "EG": 0.00706, "AG": 0.07050, "HE": 0.00706,
    "AH": 0.05498,
}  # fmt: skip
MOMENTS = {
    "OF": 2.194e-6, "FE": 4.410e-7, "BDE": 5.255e-6, "EG": 5.667e-7, "AG": 1.169e-5,
    "HE": 5.667e-7, "AH": 1.912e-5,
}  # fmt: skip
CENTRES = {
    "OF": 0.00092 + 0j, "FE": -0.0115 + 0j, "BDE": 0.01043 - 0.01874j, "EG": 0.01421j,
    "AG": 0.02308 + 0.00916j, "HE": -0.01421 + 0j, "AH": -0.00449 - 0.01228j,
}  # fmt: skip
#: Where the axes of a link have their origin.
ORIGINS = {"OF": "O", "FE": "F", "BDE": "B", "EG": "E", "AG": "A", "HE": "E", "AH": "A"}
#: Pins between links, at the point that their name begins with.
PINS = {
    "O": ("ground", "OF"),
    "F": ("OF", "FE"),
    "B": ("ground", "BDE"),
    "E of the triangle": ("FE", "BDE"),
    "E of EG": ("FE", "EG"),
    "E of HE": ("FE", "HE"),
    "A of AG": ("ground", "AG"),
    "A of AH": ("ground", "AH"),
    "G": ("EG", "AG"),
    "H": ("HE", "AH"),
}


def start() -> tuple[dict[str, complex], dict[str, float]]:
    """All points, and the angles of the links' axes, rad: closed, from the lengths alone.

    The crank is folded onto the rod FE, so that E is as far from O as their lengths differ.
    """
    e = meeting(B, abs(BE), O, abs(OF - FE), side=1.0)
    g = meeting(A, AG, e, EG, side=-1.0)
    h = meeting(A, AH, e, HE, side=1.0)
    crank, triangle = np.angle(e / (OF - FE)), np.angle((e - B) / BE)
    f, d = OF * np.exp(1j * crank), B + BD * np.exp(1j * triangle)
    angles: dict[str, Any] = {
        "OF": crank,
        "FE": crank + FOLDED,
        "BDE": triangle,
        "EG": np.angle((g - e) / 1j),  # from E with y along EG
        "AG": np.angle(g - A),  # x along AG
        "HE": np.angle(e - h),  # from E with x along HE
        "AH": np.angle((h - A) * 1j),  # y from H to A
    }
    return {"O": O, "A": A, "B": B, "D": d, "E": e, "F": f, "G": g, "H": h}, angles


def meeting(p: complex, p_radius: float, q: complex, q_radius: float, side: float) -> complex:
    """Where circles about p and q meet; side is -1 to the left of the way from p to q, 1 right."""
    way = q - p
    square = abs(way) ** 2
    along = (square + p_radius**2 - q_radius**2) / (2 * square)
    across = np.sqrt(p_radius**2 / square - along**2)
    return p + way * (along - 1j * side * across)


def in_space(point: complex) -> tuple[float, float, float]:
    return (point.real, point.imag, 0.0)


def model() -> Model:
    """Seven links in the plane, ten revolutes, the spring and the motor, at rest.

    Moments about axes in the plane move nothing, and are halves of the other.
    """
    points, angles = start()
    bodies: dict[str, Body] = {}
    for name, moment in MOMENTS.items():
        centre = points[ORIGINS[name]] + CENTRES[name] * np.exp(1j * angles[name])
        bodies[name] = Body(
            name, MASSES[name], (moment / 2, moment / 2, moment), position=in_space(centre),
            rotation=turn_about_z(angles[name]), velocity=(0, 0, 0), angular_velocity=(0, 0, 0),
        )  # fmt: skip
    ends: dict[str, Attachment] = {"ground": GROUND, **bodies}
    joints = [
        Revolute(name, ends[a], ends[b], at=in_space(points[name[0]]), axis="z")
        for name, (a, b) in PINS.items()
    ]
    spring = Spring(
        "spring", GROUND, bodies["BDE"], at=in_space(C), at_b=in_space(points["D"]),
        stiffness=STIFFNESS, rest_length=REST_LENGTH,
    )  # fmt: skip
    motor = Load("motor", bodies["OF"], torque=(0, 0, TORQUE))
    return Model(bodies.values(), joints, [spring, motor], gravity=(0, 0, 0))


TRACED = {point: ("FE", in_space(start()[0][point])) for point in "EF"}


def checks(result: Result) -> list[Check]:
    """The motor's work is its torque times the angle of the crank: dE = torque * dbeta."""
    supplied = TORQUE * result.coordinate("O")
    gained = result.energy() - result.energy()[0]
    return [
        *published_check(result),
        Check("energy less torque times angle", largest(gained - supplied), 1e-8, "J"),
    ]


def published_check(result: Result) -> list[Check]:
    """The directions of all links at 0.03 s, if that is a time of the result."""
    then = np.flatnonzero(np.abs(result.t - PUBLISHED_AT) < 1e-9)
    if not then.size:
        return []
    beta, theta, gamma, phi, delta, omega, epsilon = PUBLISHED
    angles = (beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    axes = [result.rotation(name)[then[0], :, 0] for name in MASSES]  # x of the links
    missed = [np.angle(complex(*x[:2]) / np.exp(1j * angle)) for x, angle in zip(axes, angles)]
    return [Check("directions at 0.03 s, against those published", largest(missed), 1e-7, "rad")]


def curves(result: Result) -> Named:
    return coordinates(point_path(result, *TRACED["F"]), "xy", " of F")
