"""What wears joints out: fast spins, many steps; and a body that two joints hold at once."""

from math import pi
from typing import Any

import numpy as np

from chasles.model import GROUND, Body, Model, Revolute, Spherical
from chasles.studies import gallery
from chasles.studies.spaces_study.cases import RULES, Effort, run

SPEED = 300.0  # rad/s
SPUN = 40.0  # s
HALF_TURNS = 50  # steps of pi rad
LONG_CHAIN, LONG_STEP = 8, 1e-3


def shaft(speed: float) -> Model:
    """A plate that turns uniformly about an axis beside its centre of mass, askew in the world."""
    axis, point = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.3, -0.2, 0.1])
    at = np.array([0.4, 0.1, 0.2])
    plate = Body.box(
        "plate", (0.4, 0.2, 0.1), mass=2.0, position=at,
        angular_velocity=speed * axis, velocity=np.cross(speed * axis, at - point),
    )  # fmt: skip
    bearing = Revolute("bearing", GROUND, plate, at=point, axis=axis)
    return Model([plate], [bearing], gravity=(0, 0, 0))


def spins() -> dict[str, Any]:
    """The bearing of the shaft: Heun's method for a long time, and half a turn in every step."""
    step = 1e-3
    fast, faster = shaft(SPEED), shaft(pi / step)
    return {
        rule: {
            "heun": run(fast, rule, method="heun", step=step, until=SPUN).worst_gap,
            "half turns": run(faster, rule, step=step, until=HALF_TURNS * step).worst_gap,
        }
        for rule in RULES
    }


def long_runs(effort: Effort) -> dict[str, Any]:
    """The worst joint of a chain on ball joints, after more and more steps."""
    model = gallery.chain(LONG_CHAIN, spin=3.0)
    return {
        "steps": list(effort.long),
        **{
            rule: [
                run(model, rule, step=LONG_STEP, until=count * LONG_STEP).worst_gap
                for count in effort.long
            ]
            for rule in RULES
        },
    }


def door() -> dict[str, Any]:
    """A body on two ball joints: it can only turn about the line through them."""
    rng = np.random.default_rng(3)
    leaf = gallery.random_body(rng, "leaf", np.array([0.3, 0.1, 0.2]))
    balls = [
        Spherical(name, GROUND, leaf, at=(0, 0, height))
        for name, height in (("upper", 0.5), ("lower", -0.5))
    ]
    model = gallery.set_in_motion(Model([leaf], balls, gravity=(1, -2, -9)), rng, spin=10.0)
    return {rule: run(model, rule, method="heun").worst_gap for rule in RULES}
