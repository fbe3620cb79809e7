"""chasles: Lie-group time integration of constrained multibody systems.

The classes that a model is made of are imported at once, everything else when it is first asked
for: whoever builds or reads a model does not wait for the compiler, the studies or the views.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chasles.model import GROUND as GROUND
from chasles.model import Body as Body
from chasles.model import Box as Box
from chasles.model import Bushing as Bushing
from chasles.model import Capsule as Capsule
from chasles.model import Cartesian as Cartesian
from chasles.model import ChaslesError as ChaslesError
from chasles.model import ChaslesWarning as ChaslesWarning
from chasles.model import Cone as Cone
from chasles.model import ConstantVelocity as ConstantVelocity
from chasles.model import Contact as Contact
from chasles.model import Coupling as Coupling
from chasles.model import CustomCoupling as CustomCoupling
from chasles.model import CustomForce as CustomForce
from chasles.model import CustomJoint as CustomJoint
from chasles.model import Cylinder as Cylinder
from chasles.model import Cylindrical as Cylindrical
from chasles.model import Distance as Distance
from chasles.model import Drag as Drag
from chasles.model import Driver as Driver
from chasles.model import Fixed as Fixed
from chasles.model import Force as Force
from chasles.model import ForceSensor as ForceSensor
from chasles.model import Gear as Gear
from chasles.model import Helical as Helical
from chasles.model import InconsistentStart as InconsistentStart
from chasles.model import InvalidBody as InvalidBody
from chasles.model import InvalidCoupling as InvalidCoupling
from chasles.model import InvalidDriver as InvalidDriver
from chasles.model import InvalidFile as InvalidFile
from chasles.model import InvalidForce as InvalidForce
from chasles.model import InvalidJoint as InvalidJoint
from chasles.model import InvalidModel as InvalidModel
from chasles.model import InvalidOption as InvalidOption
from chasles.model import InvalidSensor as InvalidSensor
from chasles.model import InvalidSignal as InvalidSignal
from chasles.model import Joint as Joint
from chasles.model import JointFriction as JointFriction
from chasles.model import JointLaw as JointLaw
from chasles.model import JointSensor as JointSensor
from chasles.model import JointSpring as JointSpring
from chasles.model import JointStop as JointStop
from chasles.model import Load as Load
from chasles.model import LowerPair as LowerPair
from chasles.model import Mesh as Mesh
from chasles.model import Model as Model
from chasles.model import Motor as Motor
from chasles.model import NoEquilibrium as NoEquilibrium
from chasles.model import Planar as Planar
from chasles.model import PointDriver as PointDriver
from chasles.model import PointOnLine as PointOnLine
from chasles.model import PointOnPlane as PointOnPlane
from chasles.model import Prismatic as Prismatic
from chasles.model import RedundantConstraints as RedundantConstraints
from chasles.model import Revolute as Revolute
from chasles.model import Ring as Ring
from chasles.model import Rod as Rod
from chasles.model import RollingDisc as RollingDisc
from chasles.model import RollingSphere as RollingSphere
from chasles.model import Sensor as Sensor
from chasles.model import Servo as Servo
from chasles.model import Shape as Shape
from chasles.model import Signal as Signal
from chasles.model import SimulationStopped as SimulationStopped
from chasles.model import Sphere as Sphere
from chasles.model import Spherical as Spherical
from chasles.model import Spring as Spring
from chasles.model import TorsionSpring as TorsionSpring
from chasles.model import Universal as Universal
from chasles.model import UnknownName as UnknownName
from chasles.model import compound as compound

if TYPE_CHECKING:
    from chasles.analysis.equilibrium import Equilibrium as Equilibrium
    from chasles.analysis.equilibrium import equilibrium as equilibrium
    from chasles.analysis.linearise import Linearisation as Linearisation
    from chasles.analysis.linearise import linearise as linearise
    from chasles.analysis.modes import Mode as Mode
    from chasles.build.dynamics.equations import Equations as Equations
    from chasles.build.dynamics.equations import equations as equations
    from chasles.build.dynamics.joint_dynamics import JointDynamics as JointDynamics
    from chasles.build.dynamics.joint_dynamics import joint_dynamics as joint_dynamics
    from chasles.build.start.assembly import Assembly as Assembly
    from chasles.build.start.assembly import assemble as assemble
    from chasles.build.start.by_coordinates import start_state as start_state
    from chasles.build.system.state import State as State
    from chasles.integrators.generalized_alpha import generalized_alpha as generalized_alpha
    from chasles.integrators.maps import munthe_kaas as munthe_kaas
    from chasles.integrators.methods import methods as methods
    from chasles.integrators.methods import scipy_method as scipy_method
    from chasles.integrators.stabilisation import Baumgarte as Baumgarte
    from chasles.integrators.tableaux import Tableau as Tableau
    from chasles.io.netcdf import load as load
    from chasles.io.read import read_model as read_model
    from chasles.io.read import read_run as read_run
    from chasles.many.ensembles.ensemble import ensemble as ensemble
    from chasles.many.gradients.gradient import Gradient as Gradient
    from chasles.many.gradients.gradient import gradient as gradient
    from chasles.many.sweeps.sweep import Sweep as Sweep
    from chasles.many.sweeps.sweep import sweep as sweep
    from chasles.result.reactions import Reaction as Reaction
    from chasles.result.result import Result as Result
    from chasles.run.control import Moment as Moment
    from chasles.run.events import Event as Event
    from chasles.run.impacts import Impact as Impact
    from chasles.run.simulate import simulate as simulate
    from chasles.run.simulation import Simulation as Simulation
    from chasles.spaces import SE3 as SE3
    from chasles.spaces import Designation as Designation
    from chasles.spaces import SO3xR3 as SO3xR3
    from chasles.spaces import Space as Space
    from chasles.spaces import designate as designate
    from chasles.studies.advise import Advice as Advice
    from chasles.studies.advise import NothingMeetsTheTarget as NothingMeetsTheTarget
    from chasles.studies.advise import advise as advise
    from chasles.studies.compare import Comparison as Comparison
    from chasles.studies.compare import compare as compare
    from chasles.studies.convergence import Convergence as Convergence
    from chasles.studies.convergence import convergence as convergence
    from chasles.studies.library.catalogue import library as library
    from chasles.studies.work_precision import WorkPrecision as WorkPrecision
    from chasles.studies.work_precision import work_precision as work_precision
    from chasles.view.animation import animate as animate
    from chasles.view.export import export as export

#: That of pyproject.toml; reading it from the installed package would take longer than a run.
__version__ = "0.1.0"

#: Where the names are that are imported when they are first asked for; the same as above.
LATE = {
    name: module
    for module, names in {
        "analysis.equilibrium": "Equilibrium equilibrium",
        "analysis.linearise": "Linearisation linearise",
        "analysis.modes": "Mode",
        "build.dynamics.equations": "Equations equations",
        "build.dynamics.joint_dynamics": "JointDynamics joint_dynamics",
        "build.start.assembly": "Assembly assemble",
        "build.start.by_coordinates": "start_state",
        "build.system.state": "State",
        "integrators.generalized_alpha": "generalized_alpha",
        "integrators.maps": "munthe_kaas",
        "integrators.methods": "methods scipy_method",
        "integrators.stabilisation": "Baumgarte",
        "integrators.tableaux": "Tableau",
        "io.netcdf": "load",
        "io.read": "read_model read_run",
        "many.ensembles.ensemble": "ensemble",
        "many.gradients.gradient": "Gradient gradient",
        "many.sweeps.sweep": "Sweep sweep",
        "result.reactions": "Reaction",
        "result.result": "Result",
        "run.control": "Moment",
        "run.events": "Event",
        "run.impacts": "Impact",
        "run.simulate": "simulate",
        "run.simulation": "Simulation",
        "spaces": "Designation SE3 SO3xR3 Space designate",
        "studies.advise": "Advice NothingMeetsTheTarget advise",
        "studies.compare": "Comparison compare",
        "studies.convergence": "Convergence convergence",
        "studies.library.catalogue": "library",
        "studies.work_precision": "WorkPrecision work_precision",
        "view.animation": "animate",
        "view.export": "export",
    }.items()
    for name in names.split()
}


if not TYPE_CHECKING:  # so that a type checker refuses names that are not there

    def __getattr__(name: str) -> Any:
        if name not in LATE:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(import_module(f"{__name__}.{LATE[name]}"), name)
        globals()[name] = value
        return value


#: What was imported above, and what is imported late.
__all__ = [
    *(
        name
        for name, part in globals().items()
        if getattr(part, "__module__", "")[:8] == "chasles."
    ),
    *LATE,
]


def __dir__() -> list[str]:
    """What is public; modules are found by their own names."""
    return sorted([*__all__, "__version__"])
