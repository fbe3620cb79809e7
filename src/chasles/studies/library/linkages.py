"""Single closed loops of bars and hinges."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Revolute
from chasles.model.joints import Attachment
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check
from chasles.view.glyphs import frame_along

Vector = Floats | Sequence[float]


def bar(name: str, start: Vector, end: Vector, density: float, width: float) -> Body:
    """A square bar between two points, its x axis along it, of so many kg/m^3 and so wide (m)."""
    along = np.subtract(end, start)
    length = float(np.linalg.norm(along))
    turn, middle = frame_along(along / length)[:, [2, 0, 1]], np.add(start, end) / 2
    size = (length, width, width)
    return Body.box(name, size, density=density, position=middle, rotation=turn)


def loop(
    names: Sequence[str],
    points: Sequence[Vector],
    axes: Sequence[Vector],
    hinges: Sequence[str],
    speed: float,
    density: float,
    width: float,
    gravity: Vector,
) -> Model:
    """Bars from point to point and a hinge at each point, the first and the last one on the ground.

    speed  rad/s, of the first bar about the first axis at the start; the others follow
    """
    first = np.array(axes[0]) / np.linalg.norm(axes[0])
    bars = [bar(name, points[k], points[k + 1], density, width) for k, name in enumerate(names)]
    x, y, z = np.array(bars[0].rotation).T @ first * speed
    bars[0] = replace(bars[0], angular_velocity=(x, y, z))
    ends: list[Attachment] = [GROUND, *bars, GROUND]
    joints = [
        Revolute(hinge, ends[k], ends[k + 1], at=points[k], axis=axes[k])
        for k, hinge in enumerate(hinges)
    ]
    return Model(bars, joints, gravity=gravity)


def rank_check(result: Result, rows: int, rank: int) -> Check:
    """By how many the constraint rows and their rank differ from what they should be."""
    found = result.redundancy
    total = sum(len(joint.locked) for joint in result.model.joints)
    counted = (total, total) if found is None else (found.rows, found.rank)
    wrong = abs(counted[0] - rows) + abs(counted[1] - rank)
    return Check(f"constraint rows other than {rows} of rank {rank}", float(wrong), 0.0, "")
