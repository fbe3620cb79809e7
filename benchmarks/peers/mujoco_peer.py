"""MuJoCo: minimal coordinates, recursive dynamics, its own RK4."""

import time
from collections.abc import Callable, Iterable
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from scenes import Scene

STEP = 1e-3
VERSION = mujoco.__version__
METHOD = "RK4; mj_step(nstep=n), a compiled loop"
#: Stages of a step that these mechanisms do not need.  Left on, they cost 25 to 30 % more.
SWITCHED_OFF = (
    *("contact", "constraint", "equality", "frictionloss", "limit", "island", "warmstart"),
    *("spring", "damper", "actuation", "sensor", "midphase", "filterparent"),
    *("eulerdamp", "refsafe", "autoreset"),
)


def mjcf(scene: Scene) -> str:
    """The scene as MJCF: nested bodies with explicit inertia, and no geometry to collide."""
    root = ElementTree.Element("mujoco")
    option = ElementTree.SubElement(
        root, "option", integrator="RK4", timestep=repr(STEP), gravity=words(scene.gravity)
    )
    ElementTree.SubElement(option, "flag", dict.fromkeys(SWITCHED_OFF, "disable"))
    elements: dict[str | None, Any] = {None: ElementTree.SubElement(root, "worldbody")}
    origin: dict[str | None, np.ndarray] = {None: np.zeros(3)}
    for link in scene.links:
        origin[link.name] = at = np.array(link.at)  # body frame on the joint, axes as the world's
        body = ElementTree.SubElement(
            elements[link.parent], "body", name=link.name, pos=words(at - origin[link.parent])
        )
        hinge = {"type": "hinge", "axis": words(link.axis or ())}
        ElementTree.SubElement(body, "joint", hinge if link.axis else {"type": "ball"})
        inertial = {"mass": repr(link.mass), "diaginertia": words(link.inertia)}
        ElementTree.SubElement(body, "inertial", inertial, pos=words(link.position - at))
        elements[link.name] = body
    return ElementTree.tostring(root, encoding="unicode")


def words(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def build(scene: Scene) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(mjcf(scene))
    return model, mujoco.MjData(model)


def numbers(scene: Scene, model: mujoco.MjModel) -> list[int]:
    """MuJoCo's number of each link: it counts depth first, which is not the scene's order."""
    return [model.body(link.name).id for link in scene.links]


def restart(scene: Scene, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Back to t = 0.  A ball's velocity is the one relative to its parent; hinges start at rest."""
    mujoco.mj_resetData(model, data)
    omega: dict[str | None, np.ndarray] = {None: np.zeros(3)}
    omega |= {link.name: np.array(link.angular_velocity) for link in scene.links}
    for link, body in zip(scene.links, numbers(scene, model), strict=True):
        if link.axis is None:
            first = model.body_dofadr[body]
            data.qvel[first : first + 3] = omega[link.name] - omega[link.parent]


def positions(scene: Scene, until: float) -> np.ndarray:
    """Centres of mass at the given time, one row per link."""
    return path(scene, until, 1, round(until / STEP))[-1]


def path(scene: Scene, until: float, instants: int, steps: int) -> np.ndarray:
    """Centres of mass at so many equal parts of the time, (instants, links, 3)."""
    model, data = build(scene)
    model.opt.timestep = until / steps
    restart(scene, model, data)
    found = []
    for _ in range(instants):
        mujoco.mj_step(model, data, nstep=steps // instants)
        mujoco.mj_kinematics(model, data)
        found.append(np.array(data.xipos[numbers(scene, model)]))
    return np.array(found)


def run_clock(scene: Scene, until: float, steps: int, runs: int = 1) -> Callable[[], float]:
    """CPU seconds of a run in so many steps, the mean of some."""
    model, data = build(scene)
    model.opt.timestep = until / steps

    def measured() -> float:
        taken = 0.0
        for _ in range(runs):
            restart(scene, model, data)
            began = time.process_time()
            mujoco.mj_step(model, data, nstep=steps)
            taken += time.process_time() - began
        return taken / runs

    return measured


def stepper(scene: Scene) -> Callable[[int], float]:
    model, data = build(scene)

    def run(steps: int) -> float:
        restart(scene, model, data)
        began = time.process_time()
        mujoco.mj_step(model, data, nstep=steps)
        return time.process_time() - began

    return run
