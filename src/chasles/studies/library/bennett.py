"""Bennett's linkage: four skew hinges in a loop that moves although it should be rigid."""

from math import sin

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.studies.library.measures import largest, loop, rank_check

ALPHA, BETA = np.radians(30.0), np.radians(120.0)  # twists of the short and the long links
SHORT = 1.2  # m
LONG = SHORT * sin(BETA) / sin(ALPHA)  # m: Bennett's condition
START = np.radians(250.0)  # angle of the first hinge, near the lowest energy
RATIO = sin((BETA + ALPHA) / 2) / sin((BETA - ALPHA) / 2)
SPEED = 4.0  # rad/s, of the first link at the start
DENSITY = 7800.0  # kg/m^3
WIDTH = 0.02  # m
GRAVITY = 9.81  # m/s^2


def other_angle(angle: Floats) -> Floats:
    r"""The angle at the next hinge, between 0 and 2 pi (T,).

    $$\tan\tfrac\theta2 \tan\tfrac\varphi2 = \sin\tfrac{\beta+\alpha}2 / \sin\tfrac{\beta-\alpha}2$$

    An angle is that from the common perpendicular before a hinge to the one after it; the four of
    the loop are theta, phi, -theta, -phi.
    """
    return 2.0 * np.arctan2(RATIO * np.cos(angle / 2), np.sin(angle / 2)) % (2.0 * np.pi)


def link(angle: float, length: float, twist: float) -> Floats:
    """From one hinge to the next (4, 4): a turn about z, then along x a length and a twist."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array([
        (c, -s * ct, s * st, length * c),
        (s, c * ct, -c * st, length * s),
        (0, st, ct, 0),
        (0, 0, 0, 1),
    ])  # fmt: skip


def frames(angle: float) -> list[Floats]:
    """Frames at the four hinges, z along the hinge (4, 4), for an angle of the first one."""
    other = float(other_angle(np.array(angle)))
    steps = ((angle, SHORT, ALPHA), (other, LONG, BETA), (-angle, SHORT, ALPHA))
    placed = [np.eye(4)]
    for step in steps:
        placed.append(placed[-1] @ link(*step))
    return placed


def model() -> Model:
    """The first hinge at the origin along z, the fixed link along x."""
    placed = frames(START)
    return loop(
        ("first", "coupler", "last"), [f[:3, 3] for f in placed], [f[:3, 2] for f in placed],
        ("1", "2", "3", "4"), speed=SPEED, density=DENSITY, width=WIDTH, gravity=(0, 0, -GRAVITY),
    )  # fmt: skip


def angles(result: Result) -> tuple[Floats, Floats]:
    """At the first two hinges (T,), rad."""
    other = float(other_angle(np.array(START)))
    return START + result.coordinate("1"), other + result.coordinate("2")


def checks(result: Result) -> list[Check]:
    first, second = angles(result)
    left = np.sin((second - other_angle(first)) / 2.0)  # whole turns do not count
    return [
        rank_check(result, rows=20, rank=17),
        Check("angles against Bennett's relation", largest(2 * left), 1e-8, "rad"),
    ]


def curves(result: Result) -> Named:
    names = ("hinge 1", "hinge 2")
    return [(name, angle / (2.0 * np.pi)) for name, angle in zip(names, angles(result))]


TRACED = {str(k + 1): ("coupler", frames(START)[k][:3, 3]) for k in (1, 2)}
