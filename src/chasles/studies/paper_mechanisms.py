"""The four examples of Müller and Terze (2013), written once for all who run them.

Where the paper leaves data out, the choice made here is in the notes of
`chasles.studies.paper.examples`.
"""

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from chasles.model import GROUND, Body, Model, Spherical

LINK = (0.2, 0.1, 0.05)  # m, the flat boxes of the pendulum, the pair and the linkage
ALUMINIUM = 2700.0  # kg/m^3
HALF = LINK[0] / 2


def heavy_top(gravity: float = 0.0) -> Model:
    """A box on a pivot: 21.6 kg, 0.5 m from the pivot to the centre of mass; the paper's T0."""
    top = Body.box(
        "top",
        size=(0.1, 0.2, 0.4),
        mass=21.6,
        position=(0.5, 0, 0),
        angular_velocity=(0, 20 * pi, 10 * pi),
    )
    pivot = Spherical("pivot", GROUND, top, at=(0, 0, 0))
    return Model([top], [pivot], gravity=(0, 0, -gravity))


def link(name: str, **start: object) -> Body:
    return Body.box(name, size=LINK, density=ALUMINIUM, **start)  # type: ignore[arg-type]


def double_pendulum() -> Model:
    """Two links in a row along x, hung on ball joints at the origin and between them."""
    first = link("link 1", position=(HALF, 0, 0), velocity=(0, 0, 0), angular_velocity=(10, 0, 0))
    second = link(
        "link 2",
        position=(3 * HALF, 0, 0),
        velocity=(0, 2 * pi, -pi),
        angular_velocity=(10 * pi, 10 * pi, 20 * pi),
    )
    joints = [
        Spherical("joint 1", GROUND, first, at=(0, 0, 0)),
        Spherical("joint 2", first, second, at=(2 * HALF, 0, 0)),
    ]
    return Model([first, second], joints, gravity=(0, 0, -9.81))


def floating_pair(boost: float = 0.0) -> Model:
    """The two links without ground and gravity, their centre moving along x at `boost` m/s."""
    drift = np.array([boost, 0.0, 0.0])
    omega_1, omega_2 = np.array([0, 0, -10.0]), np.array([1, -1, 2 * pi])
    lever = np.array([HALF, 0, 0])
    apart = np.cross(omega_1, lever) + np.cross(omega_2, lever)  # v2 - v1 of a closed joint
    first = link(
        "link 1", position=(HALF, 0, 0), velocity=drift - apart / 2, angular_velocity=omega_1
    )
    second = link(
        "link 2", position=(3 * HALF, 0, 0), velocity=drift + apart / 2, angular_velocity=omega_2
    )
    joint = Spherical("joint", first, second, at=(2 * HALF, 0, 0))
    return Model([first, second], [joint], gravity=(0, 0, 0))


def three_bar() -> Model:
    """Two links between pivots 0.3 m apart: a closed loop, swinging about the line of pivots."""
    pivot_a, pivot_c = np.zeros(3), np.array([0.3, 0, 0])
    knee = np.array([0.15, sqrt(LINK[0] ** 2 - 0.15**2), 0])
    swing = np.array([10.0, 0, 0])  # rad/s about AC, in the world
    bodies = []
    for name, start, end, spin in (
        ("link 1", pivot_a, knee, 10 * pi),
        ("link 2", knee, pivot_c, -20 * pi),
    ):
        along = end - start
        rotation = turn_about_z(atan2(along[1], along[0]))
        centre = (start + end) / 2
        bodies.append(
            link(
                name,
                position=centre,
                rotation=rotation,
                velocity=np.cross(swing, centre),
                angular_velocity=rotation.T @ swing + (spin, 0, 0),
            )
        )
    joints = [
        Spherical("joint 1", GROUND, bodies[0], at=pivot_a),
        Spherical("joint 2", bodies[0], bodies[1], at=knee),
        Spherical("joint 3", bodies[1], GROUND, at=pivot_c),
    ]
    return Model(bodies, joints, gravity=(0, 0, -9.81))


def turn_about_z(angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
