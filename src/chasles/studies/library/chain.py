"""A chain of n equal links on ball joints, hung up at one end."""

from functools import partial

import numpy as np

from chasles.model import GROUND, Body, Model, Spherical
from chasles.model.checks import checked_count
from chasles.model.errors import InvalidOption
from chasles.result.result import Result
from chasles.studies.library.benchmark import Benchmark, Check
from chasles.studies.library.drawing import Drawing, Named
from chasles.studies.library.measures import energy_check, gap_checks, point_path

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


def checks(links: int, result: Result) -> list[Check]:
    scale = links * MASS * 9.81 * links * LENGTH
    about_vertical = result.angular_momentum()[:, 2]
    lost = about_vertical / about_vertical[0] - 1.0
    return [
        energy_check(result, 1e-6 * scale),
        Check("change of the vertical angular momentum", float(np.abs(lost).max()), 1e-6, "of it"),
        *gap_checks(result, 1e-10),
    ]


def tip(links: int, result: Result) -> Named:
    return [("free end", point_path(result, f"link {links - 1}", (links * LENGTH, 0, 0)))]


def height(links: int, result: Result) -> Named:
    return [(name, path[:, 2]) for name, path in tip(links, result)]


def benchmark(links: int) -> Benchmark:
    """The chain of so many links.

    >>> benchmark(3).model()
    Model(3 bodies, 3 joints, 9 degrees of freedom)
    """
    links = checked_count(links, "links", MOST_LINKS, "chain", InvalidOption)
    until = float(np.round(np.sqrt(links / 10), 1))  # the time of a fall grows with the root
    return Benchmark(
        name=f"chain-{links}",
        title=f"Chain of {links} links",
        source="No single publication: the chain is the customary test of how work grows with the"
        " number of bodies. The figures are this library's own.",
        about="Links on ball joints, straight and horizontal at the start and turning about the"
        " vertical, fall and swing in space. Energy and the angular momentum about the vertical"
        " through the hook are conserved. The motion becomes chaotic "
        "once the chain whips, so paths can be compared only for a "
        "short time. benchmark(n) of chasles.studies.library.chain has n links.",
        parameters={
            "links": (links, ""),
            "length of a link": (LENGTH, "m"),
            "radius of a link": (RADIUS, "m"),
            "mass of a link": (MASS, "kg"),
            "speed about the vertical at the start": (SWING, "rad/s"),
            "gravity along -z": (9.81, "m/s²"),
        },
        model=partial(model, links),
        freedom=3 * links,
        until=until,
        step=5e-4,
        checks=partial(checks, links),
        drawing=Drawing(
            instants=tuple(until * k / 5 for k in range(5)),
            curves=partial(height, links),
            title="Height of the free end",
            label="m",
            traces=partial(tip, links),
        ),
    )


BENCHMARK = benchmark(10)
LONG = benchmark(100)
