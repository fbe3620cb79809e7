"""chasles: the mechanisms of ``scenes.py`` through its public API, and its own RK4."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import scenes
from clocks import make_stepper, seconds_of
from scenes import Link, Scene

import chasles as ch

STEP = 1e-3
VERSION = version("chasles")
METHOD = "RKMK4, and other methods where a row says so; the time loop behind `simulate`"


def build(scene: Scene) -> ch.Model:
    bodies = [
        ch.Body.box(
            link.name,
            size=link.size,
            mass=link.mass,
            position=link.position,
            velocity=link.velocity,
            angular_velocity=link.angular_velocity,
        )
        for link in scene.links
    ]
    return ch.Model(bodies, [joint(link) for link in scene.links], gravity=scene.gravity)


def joint(link: Link) -> Any:
    name, parent = f"joint of {link.name}", link.parent or ch.GROUND
    if link.axis is None:
        return ch.Spherical(name, parent, link.name, at=link.at)
    return ch.Revolute(name, parent, link.name, at=link.at, axis=link.axis)


def heavy_top() -> ch.Model:
    return build(scenes.heavy_top())


def double_pendulum() -> ch.Model:
    return build(scenes.double_pendulum())


def spherical_chain(length: int) -> ch.Model:
    return build(scenes.spherical_chain(length))


def revolute_chain(length: int) -> ch.Model:
    return build(scenes.revolute_chain(length))


def star(arms: int) -> ch.Model:
    return build(scenes.star(arms))


def random_tree(size: int, seed: int = 1) -> ch.Model:
    return build(scenes.random_tree(size, seed))


def run(model: ch.Model, steps: int, spaces: str) -> Any:
    """The run in which only the start and the end are kept."""
    return ch.simulate(model, until=steps * STEP, step=STEP, spaces=spaces, save_every=steps)


def positions(scene: Scene, until: float, spaces: str = "auto") -> np.ndarray:
    """Centres of mass at the given time, one row per link."""
    result = run(build(scene), round(until / STEP), spaces)
    return np.array([result.position(link.name)[-1] for link in scene.links])


def stepper(scene: Scene, spaces: str = "auto") -> Callable[[int], float]:
    """Seconds of so many steps by the generic kernel; those made for a model are in `traced`."""
    return seconds_of(make_stepper(build(scene), spaces=spaces))
