"""chasles: Lie-group time integration of constrained multibody systems.

The classes that a model is made of are imported at once, everything else when it is first asked
for: whoever builds or reads a model does not wait for the compiler, the studies or the views.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chasles.model import *  # noqa: F403  those in its __all__

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
