"""Frames given in the world at the start, as bodies carry them: columns of joints and forces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import GROUND_INDEX, Floats, Integers
from chasles.core.frames import Frames
from chasles.model import GROUND, Body, InvalidModel, Vector3


@dataclass(frozen=True)
class Carriers:
    """Bodies by name, and their poses at the start in the order of the arrays; the ground last."""

    index: dict[str, int]
    rotation: Floats  # (n + 1, 3, 3)
    position: Floats  # (n + 1, 3)

    def number(self, name: str) -> int:
        return GROUND_INDEX if name == GROUND.name else self.index[name]


def carriers(bodies: Sequence[Body]) -> Carriers:
    return Carriers(
        {body.name: number for number, body in enumerate(bodies)},
        np.array([*(body.rotation for body in bodies), np.eye(3)]),
        np.array([*(body.position for body in bodies), np.zeros(3)]),
    )


def carried_frames(frames: Sequence[Frames], places: Sequence[str], by: Carriers) -> dict[str, Any]:
    """a, b, axes_a ... point_b of many parts; `places` open messages about them."""
    columns: dict[str, Any] = {}
    for side in ("a", "b"):
        bodies = np.array([by.number(getattr(one, side)) for one in frames], np.int64)
        axes = np.array([getattr(one, f"axes_{side}") for one in frames]).reshape(-1, 3, 3)
        back = by.rotation[bodies].transpose(0, 2, 1)
        columns[side] = bodies
        columns[f"axes_{side}"] = np.ascontiguousarray(back @ axes).reshape(-1, 9)
        points = [getattr(one, f"point_{side}") for one in frames]
        columns[f"point_{side}"] = levers(points, bodies, places, by)
    return columns


def levers(
    points: Sequence[Vector3], bodies: Integers, places: Sequence[str], by: Carriers
) -> Floats:
    """From centres of mass to points of the world at the start, in body frames (k, 3)."""
    with np.errstate(over="ignore"):  # which is told below
        offsets = np.array(points).reshape(-1, 3) - by.position[bodies]
    if not np.isfinite(offsets).all():
        worst = int(np.flatnonzero(~np.isfinite(offsets).all(axis=1))[0])
        raise InvalidModel(
            f"{places[worst]}: its point is too far from body '{list(by.index)[bodies[worst]]}':"
            " the distance overflows.",
            "Check the units of both: metres.",
        )
    turned = by.rotation[bodies].transpose(0, 2, 1) @ offsets[:, :, None]
    return np.ascontiguousarray(turned[:, :, 0])
