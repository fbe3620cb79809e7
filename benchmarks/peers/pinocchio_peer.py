"""Pinocchio: minimal coordinates and its articulated-body algorithm, `aba`; it does not integrate.

What is timed is four calls of `aba`, one for each stage of an RK4 step, and nothing else: no
coordinates are moved, no stages are summed.  So whole steps are compared with a part of what a step
on Pinocchio would cost.  The calls are made from Python, which on a chain of 64 is a hundredth.
"""

import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from scenes import Scene

STEP = 1e-3
VERSION = pin.__version__
METHOD = "four calls of aba for a step, no integration"
STAGES = 4
#: The classical method: nodes and weights of its stages.
NODES, WEIGHTS = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def build(scene: Scene) -> pin.Model:
    """The scene: frames on the joints, with axes as the world's at the start."""
    model = pin.Model()
    model.gravity.linear = np.array(scene.gravity)
    numbers: dict[str | None, int] = {None: 0}
    origin: dict[str | None, np.ndarray] = {None: np.zeros(3)}
    for link in scene.links:
        at = np.array(link.at)
        if link.axis is None:
            joint = pin.JointModelSpherical()
        else:
            joint = pin.JointModelRevoluteUnaligned(np.array(link.axis) / np.linalg.norm(link.axis))
        place = pin.SE3(np.eye(3), at - origin[link.parent])
        number = model.addJoint(numbers[link.parent], joint, place, link.name)
        inertia = pin.Inertia(link.mass, np.array(link.position) - at, np.diag(link.inertia))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        numbers[link.name], origin[link.name] = number, at
    return model


def positions(scene: Scene, until: float) -> np.ndarray:
    """Centres of mass at the given time, one row per link: the classical method, from rest.

    For hinges, whose coordinates are numbers: on ball joints it would need dexp^-1, which is ours.
    """
    if any(link.axis is None or any(link.angular_velocity) for link in scene.links):
        raise NotImplementedError("only hinges at rest are integrated with Pinocchio")
    model = build(scene)
    data, tau = model.createData(), np.zeros(model.nv)
    q, v = pin.neutral(model), np.zeros(model.nv)
    for _ in range(round(until / STEP)):
        rate, change = np.zeros(model.nv), np.zeros(model.nv)
        moved, gained = q.copy(), v.copy()
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            here, rate = q + node * STEP * rate, v + node * STEP * change
            change = pin.aba(model, data, here, rate, tau).copy()
            moved += weight * STEP * rate
            gained += weight * STEP * change
        q, v = moved, gained
    pin.forwardKinematics(model, data, q)
    numbers = [model.getJointId(link.name) for link in scene.links]
    return np.array([data.oMi[n].act(model.inertias[n].lever) for n in numbers])


def stepper(scene: Scene) -> Callable[[int], float]:
    """Seconds of four calls for each of so many steps, at a pose that is not special."""
    return calls(scene, pin.aba)


def derivatives(scene: Scene) -> Callable[[int], float]:
    """The same of the derivatives of accelerations."""
    return calls(scene, pin.computeABADerivatives)


def calls(scene: Scene, function: Callable[..., object]) -> Callable[[int], float]:
    model = build(scene)
    data, tau = model.createData(), np.zeros(model.nv)
    rng = np.random.default_rng(1)
    q = pin.integrate(model, pin.neutral(model), rng.normal(scale=0.3, size=model.nv))
    v = rng.normal(size=model.nv)

    def run(steps: int) -> float:
        began = time.process_time()
        for _ in range(STAGES * steps):
            function(model, data, q, v, tau)
        return time.process_time() - began

    return run
