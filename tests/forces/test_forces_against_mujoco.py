"""Springs, joint springs, motors and loads on random trees, against MuJoCo.

MuJoCo has the same laws: a spatial tendon with stiffness, damping and springlength, joints with
stiffness, damping and springref, position actuators, and forces applied at a point.
"""

from dataclasses import dataclass, replace
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from dynamics.random_trees import Twin, body_motion, random_state, random_twin, set_in_motion, words

import chasles as ch

KINDS = ["spherical", "revolute", "prismatic", "cylindrical", "planar", "fixed"]
#: MuJoCo's joint for the coordinate of a joint.
PART = {"angle": "hinge", "displacement": "slide z"}
COORDINATES = {
    "revolute": ["angle"],
    "prismatic": ["displacement"],
    "cylindrical": ["angle", "displacement"],
}


#: Stiffness, damping, gains of a motor, rest and target of a coordinate.
LEAST, MOST = (2, 0.1, 3, 0.2, -1, -1), (9, 0.5, 9, 0.9, 1, 1)


@dataclass(frozen=True)
class Forced:
    """A twin with forces, the targets of its motors, and loads: (body, force, torque, point)."""

    twin: Twin
    targets: tuple[float, ...]
    loads: tuple


def forced_twin(seed: int) -> Forced:
    rng = np.random.default_rng(seed)
    twin = random_twin(rng, 6, KINDS)
    root, model = ElementTree.fromstring(twin.xml), twin.model
    ElementTree.SubElement(root, "compiler", angle="radian")
    forces = springs(rng, model, root)
    targets = joint_forces(rng, model, root, forces)
    loads = []
    for body in model.bodies[:2]:
        force, torque, at = 5.0 * rng.normal(size=(3, 3))
        at = np.array(body.position) + 0.1 * at
        forces.append(ch.Load(f"load on {body.name}", body, force, torque, at))
        loads.append((body.name, force, torque, at))
    scene = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode"))
    with_forces = ch.Model(model.bodies, model.joints, forces, gravity=model.gravity)
    return Forced(replace(twin, model=with_forces, scene=scene), tuple(targets), tuple(loads))


def springs(rng, model, root) -> list:
    """Three springs between random points of random bodies and of the ground."""
    tendons = ElementTree.SubElement(root, "tendon")
    forces = []
    for number in range(3):
        ends = [str(x) for x in rng.choice([*model.body_names, "ground"], 2, replace=False)]
        points = [site(rng, model, root, name, f"{number} {name}") for name in ends]
        stiffness, damping, rest = rng.uniform((50, 1, 0.5), (200, 5, 1.5)).tolist()
        law = {"stiffness": repr(stiffness), "damping": repr(damping), "springlength": repr(rest)}
        spatial = ElementTree.SubElement(tendons, "spatial", law)
        for name in ends:
            ElementTree.SubElement(spatial, "site", site=f"{number} {name}")
        forces.append(ch.Spring(f"spring {number}", *ends, *points, stiffness, damping, rest))
    return forces


def site(rng, model, root, body: str, name: str):
    """A site of a body at a random point; returns that point in the world at the start."""
    local = rng.normal(size=3) * 0.5
    element = root.find("worldbody")
    if body == "ground":
        ElementTree.SubElement(element, "site", name=name, pos=words(local))
        return local
    element = next(e for e in element.iter("body") if e.get("name") == body)
    ElementTree.SubElement(element, "site", name=name, pos=words(local))
    return np.array(model.body(body).position) + np.array(model.body(body).rotation) @ local


def joint_forces(rng, model, root, forces) -> list[float]:
    """A spring and a motor on every coordinate; returns the targets of the motors."""
    actuators, targets = ElementTree.SubElement(root, "actuator"), []
    elements = {e.get("name"): e for e in root.iter("joint")}
    for joint in model.joints:
        child = f"body {joint.name.removeprefix('joint ')}"
        sign = 1.0 if joint.b == child else -1.0  # MuJoCo counts the child against its parent
        for which in COORDINATES.get(joint.kind, []):
            name = f"{joint.name} {PART[which]}"
            k, c, kp, kv, rest, target = rng.uniform(LEAST, MOST).tolist()
            elements[name].set("stiffness", repr(k))
            elements[name].set("damping", repr(c))
            elements[name].set("springref", repr(sign * rest))
            motor = {"joint": name, "kp": repr(kp), "kv": repr(kv)}
            ElementTree.SubElement(actuators, "position", motor)
            forces.append(ch.JointSpring(f"spring of {name}", joint, k, c, rest, which))
            forces.append(ch.Motor(f"motor of {name}", joint, target, kp, kv, coordinate=which))
            targets.append(sign * target)
    return targets


def push(forced: Forced, data) -> None:
    """Give MuJoCo the targets of the motors, and the loads where their points are now."""
    scene = forced.twin.scene
    data.ctrl[:] = forced.targets
    data.qfrc_applied[:] = 0.0
    for name, force, torque, at in forced.loads:
        body, number = forced.twin.model.body(name), scene.body(name).id
        local = np.array(body.rotation).T @ np.subtract(at, body.position)
        point = data.xpos[number] + data.xmat[number].reshape(3, 3) @ local
        mujoco.mj_applyFT(scene, data, force, torque, point, number, data.qfrc_applied)
    mujoco.mj_forward(scene, data)


@pytest.mark.parametrize("form", ["screw", "space"])
@pytest.mark.parametrize("seed", range(12))
def test_accelerations_of_a_random_tree_with_forces_are_mujocos(seed, form):
    forced = forced_twin(seed)
    data = random_state(np.random.default_rng(seed + 100), forced.twin)
    push(forced, data)
    state, linear, angular = body_motion(forced.twin, data)
    equations = ch.equations(forced.twin.model, state, form)
    rates = equations.acceleration.reshape(-1, 2, 3)
    v = np.einsum("bji,bj->bi", state.rotation, state.velocity)
    own = rates[:, 1] + np.cross(state.angular_velocity, v)
    found = [np.einsum("bij,bj->bi", state.rotation, x) for x in (own, rates[:, 0])]
    scale = np.abs(linear).max() + np.abs(angular).max()
    np.testing.assert_allclose(found[0], linear, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(found[1], angular, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("seed", range(3))
def test_a_random_tree_with_forces_moves_as_mujocos(seed):
    forced = forced_twin(seed + 30)
    twin, until, step = forced.twin, 0.1, 2e-4
    data = set_in_motion(np.random.default_rng(seed), twin, mujoco.MjData(twin.scene))
    twin.scene.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    twin.scene.opt.timestep = step
    state, _, _ = body_motion(twin, data)
    started = [
        replace(body, velocity=velocity, angular_velocity=omega)
        for body, velocity, omega in zip(twin.model.bodies, state.velocity, state.angular_velocity)
    ]
    # Loads move with their points, which MuJoCo would hold during a step: leave them out here.
    kept = [force for force in twin.model.forces if force.kind != "load"]
    model = ch.Model(started, twin.model.joints, kept, gravity=twin.model.gravity)
    data.ctrl[:] = forced.targets
    mujoco.mj_step(twin.scene, data, nstep=round(until / step))
    mujoco.mj_forward(twin.scene, data)
    theirs, _, _ = body_motion(twin, data)
    ours = ch.simulate(model, until, step=5e-4, method="dopri5").state()
    np.testing.assert_allclose(ours.position, theirs.position, rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.rotation, theirs.rotation, rtol=0, atol=1e-8)
