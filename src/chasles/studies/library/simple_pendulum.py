"""IFToMM A01: a point mass on a massless rod, released from the horizontal."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Distance, Model, Planar
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check
from chasles.studies.library.drawing import Drawing, Named
from chasles.studies.library.measures import energy_check, gap_checks

MASS = 1.0  # kg
LENGTH = 1.0  # m
GRAVITY = 9.81  # m/s^2
BALL = 0.05  # m, radius of what is drawn; its moment of inertia moves nothing
UNTIL = 10.0  # s
STEP = 1e-3  # s


def model() -> Model:
    """The rod is a constant distance to the centre of the mass, which therefore never turns."""
    mass = Body.sphere("mass", radius=BALL, mass=MASS, position=(-LENGTH, 0, 0))
    rod = Distance("rod", GROUND, mass, at=(0, 0, 0), at_b=(-LENGTH, 0, 0))
    plane = Planar("plane", GROUND, mass, axis=(0, 0, 1))
    return Model([mass], [rod, plane], gravity=(0, -GRAVITY, 0))


def exact_position(t: Floats) -> Floats:
    r"""Closed form (T, 3), m, of a release at rest from the horizontal.

    $$ \sin\tfrac\theta2 = k\,\mathrm{cd}(\omega t, k), \qquad k = \sin\tfrac\pi4, \quad
       \omega = \sqrt{g/l} $$

    with the angle from the lowest point; SciPy's parameter is $m = k^2$.
    """
    from scipy.special import ellipj  # late: an import of chasles brings no SciPy

    _, cn, dn, _ = ellipj(np.sqrt(GRAVITY / LENGTH) * np.asarray(t), 0.5)
    angle = 2.0 * np.arcsin(np.sqrt(0.5) * cn / dn)
    return LENGTH * np.stack((-np.sin(angle), -np.cos(angle), np.zeros_like(angle)), axis=-1)


def checks(result: Result) -> list[Check]:
    missed = np.linalg.norm(result.position("mass") - exact_position(result.t), axis=1)
    return [
        Check("distance to the closed form", float(missed.max()), 1e-8, "m"),
        energy_check(result, 1e-8),
        *gap_checks(result, 1e-12),
    ]


def curves(result: Result) -> Named:
    path = result.position("mass")
    return [("x", path[:, 0]), ("y", path[:, 1])]


BENCHMARK = Benchmark(
    name="A01",
    title="Simple pendulum",
    source="IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark"
    " Problems, A01.",
    about="A point mass on a massless rod swings through half a circle: one degree of freedom, and"
    " a closed form in elliptic functions. It shows the cost and the drift of a formulation on an "
    "easy problem. The rod keeps a constant distance to the centre of the "
    "mass, so the mass is a point. It is drawn as a ball; the "
    "rod cannot turn it, and its spin counts as the second "
    "degree of freedom.",
    parameters={
        "mass": (MASS, "kg"),
        "length": (LENGTH, "m"),
        "start of the mass, at rest": ((-LENGTH, 0.0), "m"),
        "gravity along -y": (GRAVITY, "m/s²"),
    },
    model=model,
    freedom=2,
    until=UNTIL,
    step=STEP,
    options={"stabilise": "projection"},
    checks=checks,
    drawing=Drawing(
        instants=(0.0, 0.2, 0.4, 0.6, 0.8),
        plane="xy",
        curves=curves,
        title="Position of the mass",
        label="m",
        traces=lambda result: [("mass", result.position("mass"))],
    ),
)
