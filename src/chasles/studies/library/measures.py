"""Checks that several benchmarks share, and what they are measured with."""

from typing import Literal

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import Body
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check


def energy_check(result: Result, limit: float) -> Check:
    """The largest error of the energy balance, J."""
    return Check("energy balance", float(np.abs(result.energy_balance()).max()), limit, "J")


def gap_checks(result: Result, limit: float) -> list[Check]:
    """The widest gap of all joints, in translation and in rotation."""
    checks = []
    parts: tuple[tuple[Literal["translation", "rotation"], str], ...]
    parts = (("translation", "m"), ("rotation", "rad"))
    for part, unit in parts:
        gaps = {
            joint.name: float(result.violation(joint, part=part).max())
            for joint in result.model.joints
        }
        widest = max(gaps, key=lambda name: gaps[name])
        checks.append(Check(f"{part} gap, widest at '{widest}'", gaps[widest], limit, unit))
    return checks


def point_path(result: Result, body: Body | str, at: Floats | tuple[float, ...]) -> Floats:
    """World positions (T, 3) of the point of a body that was at `at` (world, m) at the start."""
    turns, centres = result.rotation(body), result.position(body)
    local = turns[0].T @ (np.asarray(at) - centres[0])
    return centres + turns @ local
