"""The heavy top of Brüls and Cardona, fast and slow."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Spherical
from chasles.model.shapes import Cylinder
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check
from chasles.studies.library.measures import change_check, largest

MASS = 15.0  # kg
INERTIA = (0.234375, 0.46875, 0.234375)  # kg m^2, about the centre of mass
LENGTH = 1.0  # m, from the pivot to the centre of mass along y
GRAVITY = 9.81  # m/s^2
FAST = (0.0, 150.0, -4.61538)  # rad/s
SLOW = (0.0, 1.5, -0.0461538)  # rad/s
TRACED = {"centre": ("top", (0.0, LENGTH, 0.0))}

Spin = tuple[float, float, float]


def model(spin: Spin = FAST) -> Model:
    """A wheel on a stick along y, with its axis horizontal at the start."""
    wheel = Cylinder(0.25, 0.1, "y")
    top = Body("top", MASS, INERTIA, (0, LENGTH, 0), angular_velocity=spin, shape=wheel)
    return Model([top], [Spherical("pivot", GROUND, top, at=(0, 0, 0))])


def exact_height(t: Floats, spin: Spin) -> Floats:
    r"""Height of the centre of mass (T,) in closed form, m.

    With A and C the moments about the pivot across and along the axis, $L = A \omega_z$ the
    angular momentum about the vertical, $S = C \omega_y$ that about the axis, and
    $F = 2 A m g l$, energy and momenta give for the height $h$ in units of the length

    $$A^2 \dot h^2 = h \bigl(F h^2 - (L^2 + S^2) h + 2 L S - F\bigr)
      = F\, h (h - h_1)(h - h_3), \qquad -1 \le h_1 < 0 < h_3$$

    and from $h = \dot h = 0$ at the start

    $$h = h_1 \bigl(1 - \mathrm{cd}^2(\kappa t, k)\bigr), \qquad
      \kappa = \tfrac{1}{2A} \sqrt{F (h_3 - h_1)}, \quad k^2 = -h_1 / (h_3 - h_1)$$
    """
    from scipy.special import ellipj  # late: an import of chasles brings no SciPy

    across, along = INERTIA[0] + MASS * LENGTH**2, INERTIA[1]
    about_vertical, about_axis = across * spin[2], along * spin[1]
    fall = 2.0 * across * MASS * GRAVITY * LENGTH
    total, product = about_vertical**2 + about_axis**2, about_vertical * about_axis
    low, high = np.sort(np.roots((fall, -total, 2.0 * product - fall)))
    rate = 0.5 / across * np.sqrt(fall * (high - low))
    _, cn, dn, _ = ellipj(rate * np.asarray(t), -low / (high - low))
    return LENGTH * low * (1.0 - (cn / dn) ** 2)


def checks(result: Result, spin: Spin) -> list[Check]:
    missed = result.position("top")[:, 2] - exact_height(result.t, spin)
    return [
        Check("height against the closed form", largest(missed), 1e-6, "m"),
        change_check("spin", result.angular_velocity("top")[:, 1], 1e-10),
        change_check("vertical angular momentum", result.angular_momentum()[:, 2], 1e-6),
    ]
