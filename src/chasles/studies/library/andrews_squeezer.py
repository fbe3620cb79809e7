"""IFToMM A03: Andrews' squeezer, seven small bodies that turn very fast."""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Load, Model, Revolute, Spring
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import coordinates, largest, point_path

# Points of the ground, m.
O = np.array([0.0, 0.0])  # noqa: E741  (the published name)
A = np.array([-0.06934, -0.00227])
B = np.array([-0.03635, 0.03273])
C = np.array([0.014, 0.072])
# Lengths of the rods, m.
OF, FE, EG, AG, AH, HE = 0.007, 0.028, 0.02, 0.04, 0.04, 0.02
# Points of the triangle, in axes at B that are the world's when its angle is zero, m.
BD = np.array([0.02, -0.018])
BE = np.array([0.0, -0.035])
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


class Link(NamedTuple):
    """Mass in kg, moment of inertia about the centre of mass in kg m^2, and that centre in m.

    The centre is given in the axes of `Pose.axes` from the point `Pose.origins` of the link.
    """

    mass: float
    moment: float
    centre: tuple[float, float]


LINKS = {
    "OF": Link(0.04325, 2.194e-6, (0.00092, 0.0)),
    "FE": Link(0.00365, 4.410e-7, (-0.0115, 0.0)),
    "BDE": Link(0.02373, 5.255e-6, (0.01043, -0.01874)),
    "EG": Link(0.00706, 5.667e-7, (0.0, 0.01421)),
    "AG": Link(0.07050, 1.169e-5, (0.02308, 0.00916)),
    "HE": Link(0.00706, 5.667e-7, (-0.01421, 0.0)),
    "AH": Link(0.05498, 1.912e-5, (-0.00449, -0.01228)),
}
MASSES, MOMENTS, CENTRES = (
    {name: getattr(link, what) for name, link in LINKS.items()} for what in Link._fields
)


class Pose(NamedTuple):
    """Where the mechanism is: moving points (2,), and origin and angle of every link's axes."""

    points: dict[str, Floats]
    origins: dict[str, Floats]
    angles: dict[str, float]


def start() -> Pose:
    """The closed start: the crank folded onto the rod FE, everything else from the lengths.

    The crank's angle follows from |BE| by Newton's method; G and H are where two circles meet.
    """
    crank = -0.06  # rad, near the published angle
    for _ in range(8):
        gap, slope = folded_gap(crank)
        crank -= gap / slope
    return pose(crank)


def folded_gap(crank: float) -> tuple[float, float]:
    """(|BE|^2 of the folded crank less the triangle's own) / 2, and its derivative."""
    reach = OF - FE
    direction = np.array([np.cos(crank), np.sin(crank)])
    along = np.array([-direction[1], direction[0]])
    arm = reach * direction - B
    return float(arm @ arm - BE @ BE) / 2, float(reach * along @ arm)


def pose(crank: float) -> Pose:
    """The pose with the crank OF at that angle and FE folded onto it."""
    f = OF * unit(crank)
    e = f - FE * unit(crank + FOLDED)
    g = meeting(A, AG, e, EG, side=-1.0)
    h = meeting(A, AH, e, HE, side=1.0)
    triangle = angle_of(e - B) - angle_of(BE)
    d = B + rotated(BD, triangle)
    angles = {
        "OF": crank,
        "FE": crank + FOLDED,
        "BDE": triangle,
        "EG": angle_of(g - e) - np.pi / 2,  # from E with y along EG
        "AG": angle_of(g - A),  # x along AG
        "HE": angle_of(e - h),  # from E with x along HE
        "AH": angle_of(h - A) + np.pi / 2,  # y from H to A
    }
    origins = {"OF": O, "FE": f, "BDE": B, "EG": e, "AG": A, "HE": e, "AH": A}
    return Pose({"D": d, "E": e, "F": f, "G": g, "H": h}, origins, angles)


def unit(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def rotated(point: Floats, angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([cosine * point[0] - sine * point[1], sine * point[0] + cosine * point[1]])


def angle_of(vector: Floats) -> float:
    return float(np.arctan2(vector[1], vector[0]))


def meeting(p: Floats, p_radius: float, q: Floats, q_radius: float, side: float) -> Floats:
    """Where circles about p and q meet; side is -1 to the left of the way from p to q, 1 right."""
    way = q - p
    square = float(way @ way)
    along = (square + p_radius**2 - q_radius**2) / (2 * square)
    across = np.sqrt(p_radius**2 / square - along**2)
    return p + along * way + side * across * np.array([way[1], -way[0]])


def model() -> Model:
    """Seven links in the plane, ten revolutes, the spring and the motor, at rest."""
    at_start = start()
    bodies = {name: link_body(name, at_start) for name in LINKS}
    places = {"O": O, "A": A, "B": B, **at_start.points}

    def pin(name: str, a: str, b: str) -> Revolute:
        near = GROUND if a == "ground" else bodies[a]
        return Revolute(name, near, bodies[b], at=(*places[name[0]], 0), axis=(0, 0, 1))

    joints = [
        pin("O", "ground", "OF"),
        pin("F", "OF", "FE"),
        pin("B", "ground", "BDE"),
        pin("E of the triangle", "FE", "BDE"),
        pin("E of EG", "FE", "EG"),
        pin("E of HE", "FE", "HE"),
        pin("A of AG", "ground", "AG"),
        pin("A of AH", "ground", "AH"),
        pin("G", "EG", "AG"),
        pin("H", "HE", "AH"),
    ]
    spring = Spring(
        "spring",
        GROUND,
        bodies["BDE"],
        at=(*C, 0),
        at_b=(*places["D"], 0),
        stiffness=STIFFNESS,
        rest_length=REST_LENGTH,
    )
    motor = Load("motor", bodies["OF"], torque=(0, 0, TORQUE))
    return Model(bodies.values(), joints, [spring, motor], gravity=(0, 0, 0))


def link_body(name: str, at_start: Pose) -> Body:
    """A link at rest; moments about axes in the plane move nothing, and are halves of the other."""
    link, angle = LINKS[name], at_start.angles[name]
    cosine, sine = np.cos(angle), np.sin(angle)
    centre = at_start.origins[name] + rotated(np.array(link.centre), angle)
    return Body(
        name,
        link.mass,
        (link.moment / 2, link.moment / 2, link.moment),
        position=(*centre, 0),
        rotation=((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1)),
        velocity=(0, 0, 0),
        angular_velocity=(0, 0, 0),
    )


TRACED = {point: ("FE", (*start().points[point], 0.0)) for point in "EF"}


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
    missed = []
    for name, angle in zip(LINKS, angles):
        turn = result.rotation(name)[then[0]]
        found = np.arctan2(turn[1, 0], turn[0, 0])
        missed.append(abs(np.remainder(found - angle + np.pi, 2 * np.pi) - np.pi))
    return [Check("directions at 0.03 s, against those published", max(missed), 1e-7, "rad")]


def curves(result: Result) -> Named:
    return coordinates(point_path(result, *TRACED["F"]), "xy", " of F")
