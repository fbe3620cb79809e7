"""IFToMM A01: a point mass on a massless rod, released from the horizontal."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Distance, Model, Planar
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check

MASS = 1.0  # kg
LENGTH = 1.0  # m
GRAVITY = 9.81  # m/s^2
BALL = 0.05  # m, radius of what is drawn; its moment of inertia moves nothing
START = (-LENGTH, 0.0)  # m, x and y
TRACED = {"mass": ("mass", (*START, 0.0))}


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
    return [Check("distance to the closed form", float(missed.max()), 1e-8, "m")]
