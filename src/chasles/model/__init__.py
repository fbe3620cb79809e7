"""What a mechanism is, in words and SI units: frozen, validated, no numerics."""

from chasles.model.body import GROUND, Body, Ground, name_of
from chasles.model.checks import Matrix3, Vector3
from chasles.model.errors import (
    ChaslesError,
    InconsistentStart,
    InvalidBody,
    InvalidFile,
    InvalidJoint,
    InvalidModel,
    InvalidOption,
    RedundantConstraints,
    SimulationStopped,
    UnknownName,
)
from chasles.model.joints import (
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from chasles.model.model import Model
from chasles.model.shapes import Box, Cylinder, Shape, Sphere

__all__ = [
    "GROUND",
    "Body",
    "Box",
    "ChaslesError",
    "Cylinder",
    "Cylindrical",
    "Fixed",
    "Ground",
    "Helical",
    "InconsistentStart",
    "InvalidBody",
    "InvalidFile",
    "InvalidJoint",
    "InvalidModel",
    "InvalidOption",
    "Joint",
    "Matrix3",
    "Model",
    "Planar",
    "Prismatic",
    "RedundantConstraints",
    "Revolute",
    "Shape",
    "SimulationStopped",
    "Sphere",
    "Spherical",
    "UnknownName",
    "Vector3",
    "name_of",
]
