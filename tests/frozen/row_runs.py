"""Every kind of row, in every order of its bodies, on three charts, with and without projection."""

import sys
import zlib
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from frozen import Run

import chasles as ch

sys.path.append(str(Path(__file__).parent.parent / "joints"))
from joint_cases import CASES, GRAVITY, make_case, moving

SPACES = ("SE3", "SO3xR3", "framed")
STABILISERS = (None, "projection")
UNTIL, STEP = 0.1, 2e-3


def joined(kind: str, order: str) -> ch.Model:
    """One joint or driver of that kind, in a random motion that it allows."""
    seed = zlib.crc32(f"{kind} {order}".encode())
    return moving(make_case(kind, order).model, np.random.default_rng(seed))


def coupled(kind: str) -> ch.Model:
    """A hinge and a slide, tied by coordinates or by a formula of poses, and a bob on them."""
    wheel = ch.Body.cylinder("wheel", 0.2, 0.05, 2.0, axis="z", position=(0, 0, 0))
    block = ch.Body.box("block", (0.1, 0.2, 0.3), mass=3.0, position=(1, 0, 0))
    bob = ch.Body.box("bob", (0.1, 0.2, 0.1), mass=0.7, position=(1.1, -0.2, -0.3))
    joints = [
        ch.Revolute("hinge", ch.GROUND, wheel, at=(0.05, 0, 0), axis=(0, 0, 1)),
        ch.Prismatic("slide", ch.GROUND, block, axis=(0.6, 0, 0.8)),
        ch.Spherical("ball", block, bob, at=(1, 0, -0.1)),
    ]
    tie = {
        "coupling": lambda: ch.Coupling("tie", {"hinge": 0.2, "slide": -1.0}),
        "custom coupling": lambda: ch.CustomCoupling("tie", ["wheel", "block"], tied),
    }[kind]()
    spring = ch.JointSpring("spring", "slide", stiffness=30.0, rest=0.5)
    return ch.Model([wheel, block, bob], [*joints, tie], [spring], gravity=GRAVITY)


def tied(wheel, block):
    """A sideways move of the wheel, whose centre is off its axis, against a move of the block."""
    return wheel[1][1] - 0.05 * block[1][2]


def spaces_of(kind: str, spaces: str):
    """Coordinates that are coupled are those of subgroups: then the bob alone is on a chart."""
    if kind != "coupling":
        return spaces
    return {"wheel": "subgroups", "block": "subgroups", "bob": spaces}


def runs() -> list[Run]:
    builders = {(kind, order): partial(joined, kind, order) for kind, order in CASES} | {
        (kind, ""): partial(coupled, kind) for kind in ("coupling", "custom coupling")
    }
    return [
        Run(
            group=f"rows of {kind}",
            case=", ".join(filter(None, (order, spaces, stabilise))),
            build=build,
            until=UNTIL,
            step=STEP,
            options={"spaces": spaces_of(kind, spaces), "stabilise": stabilise},
        )
        for ((kind, order), build), spaces, stabilise in product(
            builders.items(), SPACES, STABILISERS
        )
    ]
