"""Runs whose outcome is kept: what is measured of each, how it is stored, and what may differ.

`runs.npz` was made by the kernel of commit ad5dd95, which had charts of six dimensions in a kernel
of their own (`make_frozen.py`).  Only `ch.simulate` and what its result tells are used, so that the
numbers outlive whatever computes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import chasles as ch

STORED = Path(__file__).with_name("runs.npz")
#: Of a run: what may differ, as a fraction of the size of what is compared.
TOLERANCE = 1e-11
BODY = 18  # numbers of a body: position, rotation, velocity, angular velocity
ENERGIES, WRENCH = 2, 6
REACTIONS = 2  # of the first and the last joint


@dataclass(frozen=True)
class Run:
    """A model and the options of its run; `group` is the test that it belongs to.

    Spaces may be a function of the model.
    """

    group: str
    case: str
    build: Callable[[], ch.Model]
    until: float
    step: float
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.group}: {self.case}"

    def result(self) -> ch.Result:
        model = self.build()
        options = dict(self.options)
        if callable(options.get("spaces")):
            options["spaces"] = options["spaces"](model)
        steps = max(1, round(self.until / self.step))
        return ch.simulate(
            model, self.until, self.step, save_every=steps, progress=False, kernel="generic",
            **options,
        )  # fmt: skip


def measured(result: ch.Result, reactions: int) -> np.ndarray:
    """The last state of all bodies, kinetic and total energy, and the reactions of some joints."""
    bodies = [
        np.concatenate(
            (
                result.position(name)[-1],
                result.rotation(name)[-1].ravel(),
                result.velocity(name)[-1],
                result.angular_velocity(name)[-1],
            )
        )
        for name in result.model.body_names
    ]
    energies = [result.kinetic_energy()[-1], result.energy()[-1]]
    return np.concatenate((*bodies, energies, *wrenches(result)[:reactions]))


def wrenches(result: ch.Result) -> list[np.ndarray]:
    """Force and torque of the first and the last joint that has a reaction."""
    names = [joint.name for joint in result.model.joints if isinstance(joint, ch.Joint)]
    found = [result.reaction(name) for name in dict.fromkeys(names[:1] + names[-1:])]
    return [np.concatenate((r.force[-1], r.torque[-1])) for r in found]


def unique_reactions(result: ch.Result) -> int:
    """How many reactions to keep: none where redundant joints share them."""
    return 0 if result.redundancy is not None else len(wrenches(result))


def kept_reactions(model: ch.Model, values: np.ndarray) -> int:
    return (len(values) - BODY * len(model.bodies) - ENERGIES) // WRENCH


def sizes(model: ch.Model, values: np.ndarray) -> np.ndarray:
    """What every number is compared with: of the length, speed, energy, ... of the whole model."""
    count = len(model.bodies)
    state = values[: BODY * count].reshape(count, BODY)
    places = np.concatenate((state[:, :3], [body.position for body in model.bodies]))
    mass = sum(body.mass for body in model.bodies)
    arms = [np.sqrt(np.trace(body.inertia) / 2 / body.mass) for body in model.bodies if body.mass]
    length = max(np.ptp(places, axis=0).max(), np.abs(places).max(), *arms)
    spin = np.abs(state[:, 15:]).max()
    gravity = float(np.linalg.norm(model.gravity))
    speed = max(np.abs(state[:, 12:15]).max(), length * spin, np.sqrt(gravity * length), 1e-3)
    force = mass * (speed**2 / length + gravity)
    body = np.repeat((length, 1.0, speed, speed / length), (3, 9, 3, 3))
    wrench = np.repeat((force, force * length), 3)
    return np.concatenate(
        (
            np.tile(body, count),
            np.full(ENERGIES, mass * speed**2),
            np.tile(wrench, kept_reactions(model, values)),
        )
    )


def difference(result: ch.Result, values: np.ndarray) -> float:
    """By how much a result differs from the stored one, as a fraction of the model's size."""
    now = measured(result, kept_reactions(result.model, values))
    return float((np.abs(now - values) / sizes(result.model, values)).max())


# --- the file -------------------------------------------------------------------------------------


def store(found: Mapping[str, np.ndarray], path: Path = STORED) -> None:
    lengths = [len(values) for values in found.values()]
    np.savez_compressed(
        path, names=list(found), lengths=lengths, values=np.concatenate(list(found.values()))
    )


def stored(path: Path = STORED) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        parts = np.split(file["values"], np.cumsum(file["lengths"])[:-1])
        return dict(zip(map(str, file["names"]), parts))
