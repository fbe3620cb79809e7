"""IFToMM A04: Bricard's mechanism, a loop of six revolutes that should not move, but does."""

from itertools import pairwise

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Model, Revolute
from chasles.model.joints import Attachment
from chasles.result.result import Result
from chasles.studies.library.benchmark import Check
from chasles.studies.library.measures import largest

MASS = 1.0  # kg, of every rod
LENGTH = 1.0  # m, of every rod
SECTION = 0.1  # m, edge of its square section
GRAVITY = 9.81  # m/s^2
#: P0 to P5, along edges of a cube; rod i runs from P(i) to P(i+1), the ground from P5 to P0.
CORNERS = LENGTH * np.array(
    [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float
)
PLACES = dict(enumerate(CORNERS))
#: Directions of the revolutes at P0 to P5.
AXES = ("y", "z", "x", "y", "z", "x")
TRACED = {"P3": ("rod 2", CORNERS[3])}  # whose path is published


def model() -> Model:
    """Five rods and six revolutes, at rest."""
    rods = [
        Body.box(
            f"rod {i}",
            size=np.where(end != start, LENGTH, SECTION),
            mass=MASS,
            position=(start + end) / 2,
            velocity=(0, 0, 0),
            angular_velocity=(0, 0, 0),
        )
        for i, (start, end) in enumerate(pairwise(CORNERS))
    ]
    chain: list[Attachment] = [GROUND, *rods, GROUND]
    joints = [
        Revolute(f"P{i}", chain[i], chain[i + 1], at=CORNERS[i], axis=np.eye(3)["xyz".index(axis)])
        for i, axis in enumerate(AXES)
    ]
    return Model(rods, joints, gravity=(0, -GRAVITY, 0))


def relation(result: Result) -> Floats:
    r"""What is left (6, T) of the relation of neighbouring angles, counted from the cube.

    $$(1 + \sin q_i)(1 + \sin q_{i+1}) = 1$$

    It closes a loop of equal links whose neighbouring axes are at right angles, in which every
    second angle is the same.
    """
    factors = 1.0 + np.sin([result.coordinate(joint) for joint in result.model.joints])
    return factors * np.roll(factors, -1, axis=0) - 1.0


def checks(result: Result) -> list[Check]:
    return [Check("relation of the angles", largest(relation(result)), 1e-9, "")]
