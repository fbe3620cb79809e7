"""The planar four-bar of four revolutes: three of its constraint rows repeat others."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import largest, loop, rank_check

PLANE = ((0.0, 0.0), (0.0, 0.4), (1.0, 0.8), (1.0, 0.0))  # A to D, x and z in m
POINTS = tuple((x, 0.0, z) for x, z in PLANE)
TRACED = {"B": ("coupler", POINTS[1]), "C": ("coupler", POINTS[2])}
DENSITY = 7800.0  # kg/m^3
WIDTH = 0.04  # m
SPEED = 6.0  # rad/s, of the crank at the start
NORMAL = (0.0, -1.0, 0.0)  # about which x turns towards z
GRAVITY = 9.81  # m/s^2


def model() -> Model:
    """Crank AB, coupler BC and rocker CD in the xz plane."""
    return loop(
        ("crank", "coupler", "rocker"), POINTS, [NORMAL] * 4, "ABCD", speed=SPEED,
        density=DENSITY, width=WIDTH, gravity=(0, 0, -GRAVITY),
    )  # fmt: skip


def freudenstein(crank: Floats, rocker: Floats) -> Floats:
    r"""What is left of Freudenstein's equation at angles of crank and rocker from AD (T,).

    $$\tfrac{d}{a} \cos\varphi - \tfrac{d}{c} \cos\theta + \tfrac{a^2 - b^2 + c^2 + d^2}{2 a c}
      - \cos(\theta - \varphi)$$

    with the lengths a = AB, b = BC, c = CD, d = AD.
    """
    ends = np.array((*POINTS, POINTS[0]))
    a, b, c, d = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    constant = (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    return d / a * np.cos(rocker) - d / c * np.cos(crank) + constant - np.cos(crank - rocker)


def angles(result: Result) -> tuple[Floats, Floats]:
    """Of the crank and of the rocker, from the line AD (T,), rad."""
    a, b, c, d = np.array(POINTS)
    (x, _, z), (u, _, w) = b - a, c - d
    crank = np.arctan2(z, x) + result.coordinate("A")
    return crank, np.arctan2(w, u) - result.coordinate("D")  # D is given from rocker to ground


def checks(result: Result) -> list[Check]:
    left = freudenstein(*angles(result))
    return [
        rank_check(result, rows=20, rank=17),
        Check("Freudenstein's equation", largest(left), 1e-8, ""),
    ]


def curves(result: Result) -> Named:
    return [("rocker", np.degrees(angles(result)[1]))]
