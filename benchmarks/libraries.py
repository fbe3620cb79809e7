"""The libraries that take part, and the race between them."""

import contextlib
import importlib
import sys
from collections.abc import Callable
from math import inf
from typing import Any, Protocol

import numpy as np
from scenes import Scene

MODULES = {
    "chasles": "models",
    "MuJoCo": "peers.mujoco_peer",
    "Exudyn": "peers.exudyn_peer",
    "Pinocchio": "peers.pinocchio_peer",
}


class Library(Protocol):
    """What ``models.py`` and each module in ``peers/`` offer."""

    VERSION: str
    METHOD: str

    def positions(self, scene: Scene, until: float) -> np.ndarray: ...

    def stepper(self, scene: Scene) -> Callable[[int], float]: ...


def load() -> tuple[dict[str, Any], list[str]]:
    """The libraries that can be imported, and a note on each that cannot."""
    found: dict[str, Any] = {}
    notes = []
    for name, module in MODULES.items():
        try:
            with contextlib.redirect_stdout(sys.stderr):  # greetings do not belong in the table
                found[name] = importlib.import_module(module)
        except (ImportError, AttributeError) as reason:
            notes.append(f"{name} takes no part: {reason}")
    return found, notes


def race(contenders: dict[Any, Callable[[], float]], rounds: int) -> dict[Any, float]:
    """The best of several rounds of each, taken in turn so that all meet the same disturbances.

    The first lap does not count: it warms caches and compiles.
    """
    best = dict.fromkeys(contenders, inf)
    for lap in range(rounds + 1):
        for name, contender in contenders.items():
            value = contender()
            if lap:
                best[name] = min(best[name], value)
    return best


def microseconds(stepper: Callable[[int], float], steps: int) -> Callable[[], float]:
    """A contender: microseconds per step, averaged over that many steps."""
    return lambda: stepper(steps) / steps * 1e6
