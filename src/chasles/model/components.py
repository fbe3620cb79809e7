"""A vector whose three components are functions of time, each of them data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.model.checks import Invalid, Vector3
from chasles.model.derivatives import Floats
from chasles.model.signals import Signal, checked_signal


@dataclass(frozen=True)
class Components:
    """Three signals: what a load can be made of beside numbers and a function of one's own.

    >>> zero = Signal.constant(0.0)
    >>> Components((zero, Signal.linear(2.0), zero))(3.0)
    (0.0, 6.0, 0.0)
    """

    signals: tuple[Signal, Signal, Signal]

    def __call__(self, t: float) -> Vector3:
        x, y, z = self.sample(np.array([t]), "a vector of signals")[0].tolist()
        return (x, y, z)

    def sample(self, times: Floats, owner: str) -> Floats:
        """(T, 3)"""
        return np.column_stack([signal.values(times, owner) for signal in self.signals])


def is_components(value: Any) -> bool:
    """Whether it is a list of three with a signal among them."""
    listed = isinstance(value, tuple | list) and len(value) == 3
    return listed and any(isinstance(entry, Signal) for entry in value)


def components_of(value: Any, what: str, where: str, invalid: Invalid) -> Components:
    """Three signals, from signals and numbers."""
    x, y, z = (
        checked_signal(entry, f"{what}[{index}]", where, invalid)
        for index, entry in enumerate(value)
    )
    return Components((x, y, z))
