"""A chain of n equal links on ball joints, hung up at one end."""

from typing import Any

import numpy as np

from chasles.model import GROUND, Body, Model, Spherical
from chasles.model.checks import checked_count
from chasles.model.errors import InvalidOption
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check, Named
from chasles.studies.library.described import described
from chasles.studies.library.measures import change_check, point_path

LENGTH = 0.1  # m, of a link
MASS = 0.1  # kg, of a link
RADIUS = 0.01  # m, of a link
SWING = 2.0  # rad/s, of the straight chain about the vertical at the start
MOST_LINKS = 100_000


def model(links: int) -> Model:
    """The chain straight along x, turning about the vertical through its end at the origin."""
    bodies = [
        Body.rod(
            f"link {k}", LENGTH, mass=MASS, radius=RADIUS,
            position=((k + 0.5) * LENGTH, 0, 0), angular_velocity=(0, 0, SWING),
            velocity=(0, SWING * (k + 0.5) * LENGTH, 0),
        )
        for k in range(links)
    ]  # fmt: skip
    joints = [
        Spherical(
            f"ball {k}", GROUND if k == 0 else bodies[k - 1], bodies[k], at=(k * LENGTH, 0, 0)
        )
        for k in range(links)
    ]
    return Model(bodies, joints)


def sized(links: int) -> dict[str, Any]:
    """The time of a fall grows with the root of the length."""
    fallen = links * MASS * 9.81 * links * LENGTH
    return {
        "freedom": 3 * links,
        "until": float(np.round(np.sqrt(links / 10), 1)),
        "limits": {"energy": 1e-6 * fallen, "gap": 1e-10},
    }


def checks(result: Result) -> list[Check]:
    return [change_check("vertical angular momentum", result.angular_momentum()[:, 2], 1e-6)]


def traces(result: Result, links: int) -> Named:
    return [("free end", point_path(result, f"link {links - 1}", (links * LENGTH, 0, 0)))]


def curves(result: Result, links: int) -> Named:
    return [(name, path[:, 2]) for name, path in traces(result, links)]


def benchmark(links: int) -> Benchmark:
    """The chain of so many links.

    >>> benchmark(3).model()
    Model(3 bodies, 3 joints, 9 degrees of freedom)
    """
    links = checked_count(links, "links", MOST_LINKS, "chain", InvalidOption)
    return described("chain-10", f"chain-{links}", links=links)
