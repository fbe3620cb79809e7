"""Frames given in the world at the start, as bodies carry them: columns of joints and forces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import GROUND_INDEX, Floats, Integers
from chasles.core.frames import Frames
from chasles.model import GROUND, Body, InvalidModel, Model


@dataclass(frozen=True)
class Carriers:
    """Bodies by name, and their poses at the start in the order of the arrays; the ground last."""

    index: dict[str, int]
    rotation: Floats  # (n + 1, 3, 3)
    position: Floats  # (n + 1, 3)

    def number(self, name: str) -> int:
        return GROUND_INDEX if name == GROUND.name else self.index[name]


def carriers(model: Model, body_index: dict[str, int]) -> Carriers:
    bodies = [model.body(name) for name in body_index]
    return Carriers(
        body_index,
        np.array([*(body.rotation for body in bodies), np.eye(3)]),
        np.array([*(body.position for body in bodies), np.zeros(3)]),
    )


def carried_frames(frames: Sequence[Frames], places: Sequence[str], by: Carriers) -> dict[str, Any]:
    """a, b, axes_a ... point_b of many parts; `places` open messages about them."""
    columns: dict[str, Any] = {}
    for side in ("a", "b"):
        bodies = np.array([by.number(getattr(one, side)) for one in frames], np.int64)
        points = np.array([getattr(one, f"point_{side}") for one in frames]).reshape(-1, 3)
        axes = np.array([getattr(one, f"axes_{side}") for one in frames]).reshape(-1, 3, 3)
        back = by.rotation[bodies].transpose(0, 2, 1)
        levers = points - by.position[bodies]
        check_finite(levers, bodies, places, by)
        columns[side] = bodies
        columns[f"axes_{side}"] = np.ascontiguousarray(back @ axes).reshape(-1, 9)
        columns[f"point_{side}"] = np.ascontiguousarray((back @ levers[:, :, None])[:, :, 0])
    return columns


def check_finite(levers: Floats, bodies: Integers, places: Sequence[str], by: Carriers) -> None:
    if not np.isfinite(levers).all():
        worst = int(np.flatnonzero(~np.isfinite(levers).all(axis=1))[0])
        raise too_far(places[worst], list(by.index)[bodies[worst]])


def lever(body: Body, point: Sequence[float], where: str) -> Floats:
    """From the body's centre of mass to a point of the world at the start, in the body frame."""
    offset = np.array([x - y for x, y in zip(point, body.position, strict=True)])
    if not np.isfinite(offset).all():
        raise too_far(where, body.name)
    return np.array(body.rotation).T @ offset


def too_far(where: str, body: str) -> InvalidModel:
    return InvalidModel(
        f"{where}: its point is too far from body '{body}' for a number to tell.",
        "Check the units of both: metres.",
    )
