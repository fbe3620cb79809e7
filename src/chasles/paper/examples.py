"""The paper's four examples, and one well-known top beside them, as ordinary models.

Where the paper leaves data out, the choice made here is in the example's `note`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, cos, pi, sin, sqrt

import numpy as np

from chasles.model import GROUND, Body, Model, Spherical, UnknownName
from chasles.model.shapes import Cylinder

LINK = (0.2, 0.1, 0.05)  # m, the flat boxes of the pendulum, the pair and the linkage
ALUMINIUM = 2700.0  # kg/m^3
HALF = LINK[0] / 2


@dataclass(frozen=True)
class Example:
    """A model with what the report says about it.

    key          name on the command line and in file names
    in_paper     whether the paper has it
    energy_name  the energy whose drift is shown, as the paper calls it
    note         data the paper leaves out, and the choice made here
    """

    key: str
    title: str
    model: Model
    in_paper: bool
    energy_name: str
    note: str


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


def floating_pair(boost: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Model:
    """The two links without ground and gravity; their centre of mass moves at `boost` (m/s)."""
    omega_1, omega_2 = np.array([0, 0, -10.0]), np.array([1, -1, 2 * pi])
    lever = np.array([HALF, 0, 0])
    apart = np.cross(omega_1, lever) + np.cross(omega_2, lever)  # v2 - v1 of a closed joint
    first = link(
        "link 1", position=(HALF, 0, 0), velocity=boost - apart / 2, angular_velocity=omega_1
    )
    second = link(
        "link 2", position=(3 * HALF, 0, 0), velocity=boost + apart / 2, angular_velocity=omega_2
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


def bruls_cardona_top() -> Model:
    """The heavy top of Brüls and Cardona (2010), fast and in gravity, one metre above its pivot."""
    top = Body(
        "top",
        mass=15.0,
        inertia=(0.234375, 0.46875, 0.234375),
        position=(0, 1, 0),
        angular_velocity=(0, 150, -4.61538),
        shape=Cylinder(radius=0.25, length=0.02, axis="y"),
    )
    pivot = Spherical("pivot", GROUND, top, at=(0, 0, 0))
    return Model([top], [pivot], gravity=(0, 0, -9.81))


def turn_about_z(angle: float) -> np.ndarray:
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def make(key: str, title: str, build: Callable[[], Model], energy: str, note: str) -> Example:
    return Example(key, title, build(), key != "bruls-cardona-top", energy, note)


EXAMPLES: dict[str, Example] = {
    example.key: example
    for example in (
        make(
            "heavy-top",
            "Heavy top",
            heavy_top,
            "kinetic energy",
            "Titled “in gravity field”, but the run has no gravity: the paper's text says so"
            " (M = F = 0).",
        ),
        make(
            "double-pendulum",
            "Spherical double pendulum",
            double_pendulum,
            "total energy",
            "The paper gives no mass: aluminium, 2700 kg/m³, makes each link 2.7 kg. Link 1 starts"
            " with its centre at rest, link 2 with v = (0, 2π, −π) m/s, as the joints demand."
            " g = 9.81 m/s².",
        ),
        make(
            "floating-pair",
            "Two floating bodies",
            floating_pair,
            "kinetic energy",
            "The paper gives no linear velocities: the pair's centre of mass is taken at rest.",
        ),
        make(
            "three-bar",
            "Closed 3-bar linkage",
            three_bar,
            "total energy",
            "The paper gives no data at all: pivots 0.3 m apart, the knee horizontal, swinging at"
            " 10 rad/s about the line of pivots, links spinning at 10π and −20π rad/s about"
            " themselves.",
        ),
        make(
            "bruls-cardona-top",
            "Brüls–Cardona top",
            bruls_cardona_top,
            "total energy",
            "Not in the paper: the well-known benchmark of Brüls and Cardona (2010), which it"
            " builds on. 15 kg, centre of mass 1 m from the pivot, 150 rad/s, in gravity.",
        ),
    )
}


def example(key: str) -> Example:
    """The example of that name."""
    if key not in EXAMPLES:
        raise UnknownName.among("example", key, EXAMPLES)
    return EXAMPLES[key]
