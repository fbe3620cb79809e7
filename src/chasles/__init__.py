"""chasles: Lie-group time integration of constrained multibody systems.

The classes that a model is made of are imported at once, everything else when it is first asked
for: whoever builds or reads a model does not wait for the compiler, the studies or the views.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chasles.model import (
    GROUND,
    Body,
    Box,
    Bushing,
    Capsule,
    Cartesian,
    ChaslesError,
    ChaslesWarning,
    Cone,
    ConstantVelocity,
    Contact,
    Coupling,
    CustomCoupling,
    CustomForce,
    CustomJoint,
    Cylinder,
    Cylindrical,
    Distance,
    Drag,
    Driver,
    Fixed,
    Force,
    ForceSensor,
    Gear,
    Helical,
    InconsistentStart,
    InvalidBody,
    InvalidFile,
    InvalidForce,
    InvalidJoint,
    InvalidModel,
    InvalidOption,
    Joint,
    JointFriction,
    JointLaw,
    JointSensor,
    JointSpring,
    JointStop,
    Load,
    LowerPair,
    Mesh,
    Model,
    Motor,
    NoEquilibrium,
    Planar,
    PointDriver,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    RedundantConstraints,
    Revolute,
    Ring,
    Rod,
    RollingDisc,
    RollingSphere,
    Sensor,
    Servo,
    Shape,
    Signal,
    SimulationStopped,
    Sphere,
    Spherical,
    Spring,
    TorsionSpring,
    Universal,
    UnknownName,
    compound,
)

if TYPE_CHECKING:
    from chasles.analysis.equilibrium import Equilibrium, equilibrium
    from chasles.analysis.linearise import Linearisation, linearise
    from chasles.analysis.modes import Mode
    from chasles.build.dynamics.equations import Equations, equations
    from chasles.build.dynamics.joint_dynamics import JointDynamics, joint_dynamics
    from chasles.build.start.assembly import Assembly, assemble
    from chasles.build.start.by_coordinates import start_state
    from chasles.build.system.state import State
    from chasles.integrators.generalized_alpha import generalized_alpha
    from chasles.integrators.maps import munthe_kaas
    from chasles.integrators.methods import methods, scipy_method
    from chasles.integrators.stabilisation.baumgarte import Baumgarte
    from chasles.integrators.tableaux import Tableau
    from chasles.io.netcdf import load
    from chasles.io.read import read_model, read_run
    from chasles.many.ensembles.ensemble import ensemble
    from chasles.many.gradients.gradient import Gradient, gradient
    from chasles.many.sweeps.sweep import Sweep, sweep
    from chasles.result.reactions import Reaction
    from chasles.result.result import Result
    from chasles.run.control import Moment
    from chasles.run.events import Event
    from chasles.run.impacts import Impact
    from chasles.run.simulate import simulate
    from chasles.run.simulation import Simulation
    from chasles.spaces import SE3, Designation, SO3xR3, Space, designate
    from chasles.studies.advise import Advice, NothingMeetsTheTarget, advise
    from chasles.studies.compare import Comparison, compare
    from chasles.studies.convergence import Convergence, convergence
    from chasles.studies.library.catalogue import library
    from chasles.studies.work_precision import WorkPrecision, work_precision
    from chasles.view import animate
    from chasles.view.export import export

#: That of pyproject.toml; reading it from the installed package would take longer than a run.
__version__ = "0.1.0"

#: Where the names are that are imported when they are first asked for; the same as above.
LATE = {
    "Equilibrium": "analysis.equilibrium",
    "equilibrium": "analysis.equilibrium",
    "Linearisation": "analysis.linearise",
    "linearise": "analysis.linearise",
    "Mode": "analysis.modes",
    "Reaction": "result.reactions",
    "Equations": "build.dynamics.equations",
    "equations": "build.dynamics.equations",
    "ensemble": "many.ensembles.ensemble",
    "Event": "run.events",
    "Gradient": "many.gradients.gradient",
    "gradient": "many.gradients.gradient",
    "Impact": "run.impacts",
    "Moment": "run.control",
    "JointDynamics": "build.dynamics.joint_dynamics",
    "joint_dynamics": "build.dynamics.joint_dynamics",
    "generalized_alpha": "integrators.generalized_alpha",
    "methods": "integrators.methods",
    "scipy_method": "integrators.methods",
    "munthe_kaas": "integrators.maps",
    "Tableau": "integrators.tableaux",
    "load": "io.netcdf",
    "read_model": "io.read",
    "read_run": "io.read",
    "library": "studies.library.catalogue",
    "Result": "result.result",
    "simulate": "run.simulate",
    "Simulation": "run.simulation",
    "SE3": "spaces",
    "Designation": "spaces",
    "SO3xR3": "spaces",
    "Space": "spaces",
    "designate": "spaces",
    "Baumgarte": "integrators.stabilisation.baumgarte",
    "Assembly": "build.start.assembly",
    "assemble": "build.start.assembly",
    "start_state": "build.start.by_coordinates",
    "Advice": "studies.advise",
    "NothingMeetsTheTarget": "studies.advise",
    "advise": "studies.advise",
    "Comparison": "studies.compare",
    "compare": "studies.compare",
    "Convergence": "studies.convergence",
    "convergence": "studies.convergence",
    "WorkPrecision": "studies.work_precision",
    "work_precision": "studies.work_precision",
    "Sweep": "many.sweeps.sweep",
    "sweep": "many.sweeps.sweep",
    "State": "build.system.state",
    "animate": "view",
    "export": "view.export",
}


if not TYPE_CHECKING:  # so that a type checker refuses names that are not there

    def __getattr__(name: str) -> Any:
        if name not in LATE:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(import_module(f"{__name__}.{LATE[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *LATE})


__all__ = [
    "GROUND",
    "SE3",
    "Advice",
    "Assembly",
    "Baumgarte",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "Cartesian",
    "ChaslesError",
    "ChaslesWarning",
    "Comparison",
    "Cone",
    "ConstantVelocity",
    "Contact",
    "Convergence",
    "Coupling",
    "CustomCoupling",
    "CustomForce",
    "CustomJoint",
    "Cylinder",
    "Cylindrical",
    "Designation",
    "Distance",
    "Drag",
    "Driver",
    "Equations",
    "Equilibrium",
    "Event",
    "Fixed",
    "Force",
    "ForceSensor",
    "Gear",
    "Gradient",
    "Helical",
    "Impact",
    "InconsistentStart",
    "InvalidBody",
    "InvalidFile",
    "InvalidForce",
    "InvalidJoint",
    "InvalidModel",
    "InvalidOption",
    "Joint",
    "JointDynamics",
    "JointFriction",
    "JointLaw",
    "JointSensor",
    "JointSpring",
    "JointStop",
    "Linearisation",
    "Load",
    "LowerPair",
    "Mesh",
    "Mode",
    "Model",
    "Moment",
    "Motor",
    "NoEquilibrium",
    "NothingMeetsTheTarget",
    "Planar",
    "PointDriver",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Reaction",
    "RedundantConstraints",
    "Result",
    "Revolute",
    "Ring",
    "Rod",
    "RollingDisc",
    "RollingSphere",
    "SO3xR3",
    "Sensor",
    "Servo",
    "Shape",
    "Signal",
    "Simulation",
    "SimulationStopped",
    "Space",
    "Sphere",
    "Spherical",
    "Spring",
    "State",
    "Sweep",
    "Tableau",
    "TorsionSpring",
    "Universal",
    "UnknownName",
    "WorkPrecision",
    "advise",
    "animate",
    "assemble",
    "compare",
    "compound",
    "convergence",
    "designate",
    "ensemble",
    "equations",
    "equilibrium",
    "export",
    "generalized_alpha",
    "gradient",
    "joint_dynamics",
    "library",
    "linearise",
    "load",
    "methods",
    "munthe_kaas",
    "read_model",
    "read_run",
    "scipy_method",
    "simulate",
    "start_state",
    "sweep",
    "work_precision",
]


def __dir__() -> list[str]:
    """What is public; modules are found by their own names."""
    return sorted([*__all__, "__version__"])
