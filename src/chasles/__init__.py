"""chasles: Lie-group time integration of constrained multibody systems."""

from chasles.diagnostics import Reaction
from chasles.dynamics.equations import Equations, equations
from chasles.integrators.tableaux import Tableau
from chasles.model import (
    GROUND,
    Body,
    ChaslesError,
    Cylindrical,
    Fixed,
    Helical,
    InconsistentStart,
    InvalidBody,
    InvalidJoint,
    InvalidModel,
    InvalidOption,
    Joint,
    Model,
    Planar,
    Prismatic,
    RedundantConstraints,
    Revolute,
    SimulationStopped,
    Spherical,
    UnknownName,
)
from chasles.result import Result
from chasles.simulate import simulate
from chasles.spaces import SE3, Designation, SO3xR3, Space, designate
from chasles.studies.advise import Advice, advise
from chasles.studies.compare import Comparison, compare
from chasles.system.state import State

__all__ = [
    "GROUND",
    "SE3",
    "Advice",
    "Body",
    "ChaslesError",
    "Comparison",
    "Cylindrical",
    "Designation",
    "Equations",
    "Fixed",
    "Helical",
    "InconsistentStart",
    "InvalidBody",
    "InvalidJoint",
    "InvalidModel",
    "InvalidOption",
    "Joint",
    "Model",
    "Planar",
    "Prismatic",
    "Reaction",
    "RedundantConstraints",
    "Result",
    "Revolute",
    "SO3xR3",
    "SimulationStopped",
    "Space",
    "Spherical",
    "State",
    "Tableau",
    "UnknownName",
    "advise",
    "compare",
    "designate",
    "equations",
    "simulate",
]
