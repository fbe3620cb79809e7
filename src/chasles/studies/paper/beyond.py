"""Models beyond the paper's four: random starts, a body in free flight, a top on a platform."""

import numpy as np

from chasles.model import GROUND, Model, Spherical
from chasles.studies.gallery import random_rotation
from chasles.studies.paper_mechanisms import HALF, link

SEED = 2013
STARTS = 24
SPINS = (10.0, 20.0, 30.0)  # rad/s, standard deviation per component
SPEED = 1.0  # m/s, likewise, of the floating pair's centre of mass


def random_pair(rng: np.random.Generator, spin: float, grounded: bool) -> Model:
    """Two links on a ball joint, in random attitudes and spins; hung up in gravity, or floating."""
    turns = random_rotation(rng), random_rotation(rng)
    spins = rng.normal(scale=spin, size=(2, 3))
    drift = np.zeros(3) if grounded else rng.normal(scale=SPEED, size=3)
    to_end = np.array([HALF, 0, 0])
    arms = [turn @ to_end for turn in turns]  # from a link's centre to its far end, world
    swings = [turn @ np.cross(rate, to_end) for turn, rate in zip(turns, spins)]
    positions = [arms[0], 2 * arms[0] + arms[1]]
    velocities = [swings[0], 2 * swings[0] + swings[1]]
    if not grounded:  # the centre of mass of the pair moves at `drift`
        mean = (velocities[0] + velocities[1]) / 2
        velocities = [v - mean + drift for v in velocities]
    first, second = (
        link(
            f"link {k + 1}",
            position=positions[k],
            rotation=turns[k],
            velocity=velocities[k],
            angular_velocity=spins[k],
        )
        for k in range(2)
    )
    joints = [Spherical("joint 2", first, second, at=2 * arms[0])]
    if grounded:
        joints.insert(0, Spherical("joint 1", GROUND, first, at=(0, 0, 0)))
    return Model([first, second], joints, gravity=(0, 0, -9.81 if grounded else 0.0))


def random_models(kind: str, spin: float, starts: int = STARTS) -> dict[str, Model]:
    """`starts` pendulums or floating pairs, always the same ones."""
    rng = np.random.default_rng((SEED, round(spin), kind == "pendulum"))
    return {
        f"random {kind} {spin:g} rad/s, start {index + 1}": random_pair(
            rng, spin, grounded=kind == "pendulum"
        )
        for index in range(starts)
    }


def free_body() -> Model:
    """A link in free flight: spinning, its centre moving at 1 m/s, no forces."""
    body = link("link", velocity=(1, 0, 0), angular_velocity=(10, 20, 30))
    return Model([body], gravity=(0, 0, 0))


BOOSTS = (0.1, 1.0, 10.0, 100.0)  # m/s
BOOST = 10.0


def boosted_name(boost: float) -> str:
    return f"floating pair at {boost:g} m/s"


PLATFORM_SPEEDS = (0.0, 0.001, 0.01, 0.1, 1.0, 10.0)  # m/s
PLATFORM_SPEED = 1.0


def platform_name(speed: float) -> str:
    return f"top on a platform at {speed:g} m/s"
