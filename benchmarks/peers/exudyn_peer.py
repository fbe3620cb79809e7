"""Exudyn: redundant coordinates with joints, implicit generalized-alpha on the Lie group."""

import time
from collections.abc import Callable
from typing import Any

import exudyn
import numpy as np
from exudyn.utilities import RigidBodyInertia, SensorBody
from scenes import Scene

STEP = 1e-3
VERSION = exudyn.GetVersionString(True)
METHOD = "generalized-alpha, rho 0.9, modified Newton, sparse LU; SolveSteps, a compiled loop"
NEWTON = 1e-8  # relative tolerance of its Newton iteration, its default
FEW_BODIES = 4  # up to here its dense solver is the faster one

exudyn.config.printToConsole = False


def build(scene: Scene) -> tuple[Any, list[Any]]:
    """The system, with one Lie-group rotation-vector node per body, and its bodies."""
    system = exudyn.SystemContainer().AddSystem()
    bodies: dict[str | None, Any] = {None: system.CreateGround()}
    for link in scene.links:
        if link.axis is not None:
            raise NotImplementedError("only spherical joints are compared with Exudyn")
        bodies[link.name] = system.CreateRigidBody(
            nodeType=exudyn.NodeType.RotationRotationVector,  # NodeRigidBodyRotVecLG
            inertia=RigidBodyInertia(mass=link.mass, inertiaTensor=np.diag(link.inertia)),
            referencePosition=list(link.position),
            initialVelocity=list(link.velocity),
            initialAngularVelocity=list(link.angular_velocity),  # world, as body at t = 0
            gravity=list(scene.gravity),
        )
        ends = [bodies[link.parent], bodies[link.name]]
        system.CreateSphericalJoint(itemNumbers=ends, position=list(link.at), show=False)
    system.Assemble()
    return system, [bodies[link.name] for link in scene.links]


def settings(steps: int, bodies: int, step: float = STEP, newton: float = NEWTON) -> Any:
    """Generalized-alpha as Exudyn sets it by default, without output, on one thread."""
    chosen = exudyn.SimulationSettings()
    chosen.timeIntegration.numberOfSteps = steps
    chosen.timeIntegration.endTime = steps * step
    chosen.timeIntegration.newton.relativeTolerance = newton
    chosen.timeIntegration.newton.useModifiedNewton = True  # full Newton is slower
    chosen.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    solvers = exudyn.LinearSolverType
    small = bodies <= FEW_BODIES
    chosen.linearSolver.solverType = solvers.EXUdense if small else solvers.EigenSparse
    chosen.linearSolver.reuseAnalyzedPattern = True
    chosen.parallel.numberOfThreads = 1
    chosen.solution.file.write = False
    chosen.solution.sensors.active = False
    chosen.show.globalTimers = False
    return chosen


def solve(system: Any, chosen: Any) -> float:
    """CPU seconds spent in the steps alone: the initial accelerations are not counted."""
    solver: Any = exudyn.MainSolverImplicitSecondOrder()
    solver.InitializeSolver(system, chosen)
    began = time.process_time()
    finished = solver.SolveSteps(system, chosen)
    seconds = time.process_time() - began
    solver.FinalizeSolver(system, chosen)
    if not finished:
        raise RuntimeError("Exudyn's Newton iteration did not converge")
    return seconds


def positions(scene: Scene, until: float) -> np.ndarray:
    """Centres of mass at the given time, one row per link."""
    return path(scene, until, 1, round(until / STEP))[-1]


def path(
    scene: Scene, until: float, instants: int, steps: int, newton: float = NEWTON
) -> np.ndarray:
    """Centres of mass at so many equal parts of the time, (instants, links, 3)."""
    system, bodies = build(scene)
    kind = exudyn.OutputVariableType.Position
    sensors = [
        system.AddSensor(SensorBody(bodyNumber=b, storeInternal=True, outputVariableType=kind))
        for b in bodies
    ]
    system.Assemble()
    chosen = settings(steps, len(bodies), until / steps, newton)
    chosen.solution.sensors.active = True
    chosen.solution.sensors.writePeriod = until / instants
    solve(system, chosen)
    stored = [np.array(system.GetSensorStoredData(s))[-instants:, 1:] for s in sensors]
    return np.stack(stored, axis=1)


def run_clock(
    scene: Scene, until: float, steps: int, newton: float = NEWTON
) -> Callable[[], float]:
    """CPU seconds of a run in so many steps."""

    def measured() -> float:
        system, bodies = build(scene)  # a fresh one: a solver leaves its system at the end state
        return solve(system, settings(steps, len(bodies), until / steps, newton))

    return measured


def stepper(scene: Scene) -> Callable[[int], float]:
    return lambda steps: run_clock(scene, steps * STEP, steps)()
