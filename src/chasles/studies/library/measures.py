"""Checks that several benchmarks share, what they are measured with, and loops of bars."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Revolute
from chasles.model.joints import Attachment
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check, Named
from chasles.view.glyphs import frame_along

PARTS: tuple[tuple[Literal["translation", "rotation"], str], ...]
PARTS = (("translation", "m"), ("rotation", "rad"))


def largest(values: Any) -> float:
    return float(np.abs(values).max())


def limit_checks(
    result: Result, energy: float = 0.0, energy_of_start: float = 0.0, gap: float | None = None
) -> list[Check]:
    """The largest error of the energy balance, J, and the widest gap of all joints.

    energy_of_start  the limit of the energy over the kinetic energy at the start
    """
    allowed = energy or energy_of_start * float(result.kinetic_energy()[0])
    checks = [Check("energy balance", largest(result.energy_balance()), allowed, "J")]
    if gap is None:
        return checks
    for part, unit in PARTS:
        gaps = {j.name: float(result.violation(j, part=part).max()) for j in result.model.joints}
        widest = max(gaps, key=lambda name: gaps[name])
        checks.append(Check(f"{part} gap, widest at '{widest}'", gaps[widest], gap, unit))
    return checks


def change_check(what: str, values: Floats, limit: float) -> Check:
    """The largest change of a conserved number (T,) or vector (T, 3), relative to its start."""
    changed = values - values[0]
    lengths = np.abs(changed) if values.ndim == 1 else np.linalg.norm(changed, axis=1)
    return Check(
        f"change of the {what}", largest(lengths / np.linalg.norm(values[0])), limit, "of it"
    )


def point_path(result: Result, body: Body | str, at: Floats | tuple[float, ...]) -> Floats:
    """World positions (T, 3) of the point of a body that was at `at` (world, m) at the start."""
    turns, centres = result.rotation(body), result.position(body)
    local = turns[0].T @ (np.asarray(at) - centres[0])
    return centres + turns @ local


def coordinates(path: Floats, axes: str = "xyz", of: str = "") -> Named:
    """The coordinates of a path (T, 3) as curves."""
    return [(f"{axis}{of}", path[:, "xyz".index(axis)]) for axis in axes]


# --- what is drawn, where a module says nothing else ---

#: Points by name: of which body, and where in the world they are at the start, m.
Traced = Mapping[str, tuple[str, Any]]


def traces(result: Result, traced: Traced) -> Named:
    return [(name, point_path(result, *point)) for name, point in traced.items()]


def curves(result: Result, traced: Traced, axes: str) -> Named:
    """Coordinates of the first point."""
    return coordinates(traces(result, traced)[0][1], axes)


# --- single closed loops of bars and hinges -------------------------------------------------------

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
    points: Sequence[Vector] | Floats,
    axes: Sequence[Vector] | Floats,
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
