"""The models of a report: the paper's four examples, a well-known top, and models beyond.

The four are written in `chasles.studies.paper_mechanisms`; words.toml says what they are called,
and which choice is made where the paper leaves data out.  Beyond them are random starts, a body in
free flight, and examples on moving frames.  `Options` say which of them a report is made of.
"""

from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path

import numpy as np

from chasles.integrators.tableaux import method as find_method
from chasles.model import GROUND, InvalidOption, Model, Spherical, UnknownName
from chasles.studies.gallery import floating_pair, platform_top, random_rotation
from chasles.studies.library.heavy_top import model as bruls_cardona_top
from chasles.studies.paper_mechanisms import HALF, double_pendulum, heavy_top, link, three_bar
from chasles.studies.words import words


@dataclass(frozen=True)
class Example:
    """A model with what the report says about it.

    key          name on the command line and in file names
    in_paper     whether the paper has it
    worst_joint  the joint that drifts most
    energy_name  the energy whose drift is shown, as the paper calls it
    note         data the paper leaves out, and the choice made here
    """

    key: str
    title: str
    model: Model
    in_paper: bool
    worst_joint: str
    energy_name: str
    note: str


MODELS = {
    "heavy-top": heavy_top,
    "double-pendulum": double_pendulum,
    "floating-pair": floating_pair,
    "three-bar": three_bar,
    "bruls-cardona-top": bruls_cardona_top,
}
EXAMPLES: dict[str, Example] = {
    key: Example(key, model=MODELS[key](), **text_of)
    for key, text_of in words()["examples"].items()
}

#: Some of the paper's equations are integrated in plain Python, five times as long as the others.
MOST_STEPS = 50_000


@dataclass(frozen=True)
class Options:
    """The paper's own values are the defaults."""

    examples: tuple[str, ...] | None = None
    step: float = 1e-3
    method: str = "rk4"
    until: float = 1.0
    out: Path = Path("out/paper")
    quick: bool = False

    def __post_init__(self) -> None:
        for key in self.examples or ():
            UnknownName.check("example", key, EXAMPLES)
        find_method(self.method)
        for name, value in (("--step", self.step), ("--until", self.until)):
            if not (isfinite(value) and value > 0):
                raise InvalidOption(f"{name} must be a positive time in seconds, got {value:g}.")
        steps = self.until / self.step
        if not 10 <= steps <= MOST_STEPS:
            raise InvalidOption(
                f"--until {self.until:g} s at --step {self.step:g} s is {steps:.3g} steps,"
                f" but a report takes between 10 and {MOST_STEPS}."
            )

    @property
    def chosen(self) -> tuple[str, ...]:
        """The examples, in the paper's order."""
        return tuple(key for key in EXAMPLES if self.examples is None or key in self.examples)

    @property
    def as_in_paper(self) -> bool:
        return (self.step, self.method, self.until) == (1e-3, "rk4", 1.0)


# --- models beyond the examples -------------------------------------------------------------------

SEED = 2013
STARTS = 24
SPINS = (10.0, 20.0, 30.0)  # rad/s, standard deviation per component
SPEED = 1.0  # m/s, likewise, of the floating pair's centre of mass
#: Kinds of random starts, and of which example they are.
RANDOM_KINDS = {"pendulum": "double-pendulum", "floating": "floating-pair"}
#: Names of models by their speed, m/s; and the speeds that are shown alone.
BOOSTED = {boost: f"floating pair at {boost:g} m/s" for boost in (0.1, 1.0, 10.0, 100.0)}
PLATFORMS = {
    speed: f"top on a platform at {speed:g} m/s" for speed in (0.0, 0.001, 0.01, 0.1, 1.0, 10.0)
}
BOOST, PLATFORM_SPEED = 10.0, 1.0


@cache
def models() -> dict[str, Model]:
    """Every model that a report may run, by name."""
    flying = link("link", velocity=(1, 0, 0), angular_velocity=(10, 20, 30))
    found = {key: example.model for key, example in EXAMPLES.items()}
    found |= {
        "free body": Model([flying], gravity=(0, 0, 0)),
        "heavy top in gravity": heavy_top(gravity=9.81),
    }
    found |= {name: floating_pair(boost) for boost, name in BOOSTED.items()}
    found |= {name: platform_top(speed) for speed, name in PLATFORMS.items()}
    for kind in RANDOM_KINDS:
        for spin in SPINS:
            found |= random_models(kind, spin)
    return found


@cache
def random_models(kind: str, spin: float) -> dict[str, Model]:
    """Pendulums or floating pairs by name, always the same ones."""
    rng = np.random.default_rng((SEED, round(spin), kind == "pendulum"))
    return {
        f"random {kind} {spin:g} rad/s, start {index + 1}": random_pair(
            rng, spin, grounded=kind == "pendulum"
        )
        for index in range(STARTS)
    }


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
