"""Random trees of bodies and lower pairs, as a chasles model and as the same scene in MuJoCo.

MuJoCo joins bodies by balls, hinges and slides: a cylindrical joint is a slide and a hinge on one
axis, a planar joint two slides and a hinge.  It has no screw.  There a slide and a hinge are tied
by one linear equation between their coordinates, which is exact in joint coordinates (see
`joint_accelerations`), unlike MuJoCo's own equality constraints, which are soft.
"""

from dataclasses import dataclass, replace
from xml.etree import ElementTree

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import chasles as ch

KINDS = ("spherical", "revolute", "prismatic", "cylindrical", "helical", "planar", "fixed")
#: What a joint is made of in MuJoCo, slides first: they then run along axes of the parent.
PARTS = {
    "spherical": ["ball"],
    "revolute": ["hinge"],
    "prismatic": ["slide z"],
    "cylindrical": ["slide z", "hinge"],
    "helical": ["slide z", "hinge"],
    "planar": ["slide x", "slide y", "hinge"],
    "fixed": [],
}


@dataclass(frozen=True)
class Twin:
    """A mechanism in chasles and in MuJoCo; ties: (slide, hinge, pitch) of every helical joint."""

    model: ch.Model
    scene: mujoco.MjModel
    ties: tuple[tuple[str, str, float], ...]
    xml: str = ""


def random_twin(rng: np.random.Generator, bodies: int, kinds=KINDS, floating: float = 0.2) -> Twin:
    """A tree of `bodies` bodies with random parents, joints, frames, inertia and gravity."""
    root = ElementTree.Element("mujoco")
    gravity = rng.normal(size=3) * 10.0
    ElementTree.SubElement(root, "option", gravity=words(gravity))
    elements = {"ground": ElementTree.SubElement(root, "worldbody")}
    poses = {"ground": (np.eye(3), np.zeros(3))}
    made, joints, ties = [], [], []
    for index in range(bodies):
        name = f"body {index}"
        free = index == 0 and rng.random() < floating
        parent = "ground" if index == 0 else str(rng.choice(["ground", *[b.name for b in made]]))
        rotation = Rotation.random(rng=rng).as_matrix()
        position = poses[parent][1] + rng.normal(size=3)
        poses[name] = rotation, position
        element = elements[name] = placed(elements[parent], name, poses[parent], poses[name])
        made.append(random_body(rng, name, rotation, position, element))
        if free:
            ElementTree.SubElement(element, "freejoint")
            continue
        joint = random_joint(rng, str(rng.choice(kinds)), f"joint {index}", parent, name, position)
        joints.append(joint if rng.random() < 0.8 else reversed_joint(joint))
        parts = mujoco_parts(element, joint, rotation, position)
        if joint.kind == "helical":
            ties.append((*parts, joint.pitch))
    xml = ElementTree.tostring(root, encoding="unicode")
    scene = mujoco.MjModel.from_xml_string(xml)
    return Twin(ch.Model(made, joints, gravity=gravity), scene, tuple(ties), xml)


def words(numbers) -> str:
    return " ".join(repr(float(number)) for number in np.ravel(numbers))


def quaternion(matrix) -> str:
    x, y, z, w = Rotation.from_matrix(matrix).as_quat()
    return words((w, x, y, z))


def placed(parent, name, parent_pose, pose):
    """A body element with its frame at the centre of mass, seen from the parent's frame."""
    turn = parent_pose[0].T
    return ElementTree.SubElement(
        parent,
        "body",
        name=name,
        pos=words(turn @ (pose[1] - parent_pose[1])),
        quat=quaternion(turn @ pose[0]),
    )


def random_body(rng, name, rotation, position, element) -> ch.Body:
    """Mass over two decades, and the inertia of a box whose axes are not the body's."""
    mass = 10.0 ** rng.uniform(-1, 1)
    x, y, z = rng.uniform(0.1, 1.0, size=3) ** 2
    moments = mass / 12.0 * np.array([y + z, z + x, x + y])
    axes = Rotation.random(rng=rng).as_matrix()
    inertial = {"mass": repr(mass), "diaginertia": words(moments), "quat": quaternion(axes)}
    ElementTree.SubElement(element, "inertial", inertial, pos="0 0 0")
    inertia = axes @ np.diag(moments) @ axes.T
    return ch.Body(name, mass, (inertia + inertia.T) / 2.0, position, rotation)


def random_joint(rng, kind, name, parent, body, position) -> ch.Joint:
    at, axis = position + rng.normal(size=3), rng.normal(size=3)
    ends = (name, parent, body)
    if kind == "spherical":
        return ch.Spherical(*ends, at)
    if kind == "fixed":
        return ch.Fixed(*ends, at)
    if kind == "helical":
        return ch.Helical(*ends, at, axis, pitch=rng.uniform(0.1, 1.0) * rng.choice([-1, 1]))
    kinds = {"revolute": ch.Revolute, "prismatic": ch.Prismatic}
    kinds |= {"cylindrical": ch.Cylindrical, "planar": ch.Planar}
    return kinds[kind](*ends, at, axis)


def reversed_joint(joint: ch.Joint) -> ch.Joint:
    """The same joint with its bodies named the other way round."""
    more = {} if joint.kind in ("spherical", "fixed") else {"axis": joint.axis}
    more |= {"pitch": joint.pitch} if joint.kind == "helical" else {}
    return type(joint)(joint.name, joint.b, joint.a, at=joint.at, **more)


def mujoco_parts(element, joint, rotation, position) -> list[str]:
    """MuJoCo's joints for one lower pair, in the frame of the body; their names."""
    z = np.array(joint.axis)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    axes = {"x": x, "y": np.cross(z, x), "z": z}
    names = []
    for part in PARTS[joint.kind]:
        kind, _, axis = part.partition(" ")
        names.append(f"{joint.name} {part}")
        attributes = {"type": kind, "name": names[-1]}
        if kind != "slide":
            attributes["pos"] = words(rotation.T @ (np.array(joint.at) - position))
        if kind != "ball":
            attributes["axis"] = words(rotation.T @ axes[axis or "z"])
        ElementTree.SubElement(element, "joint", attributes)
    return names


# --- MuJoCo's side of a comparison ----------------------------------------------------------------


def tie_rows(twin: Twin) -> np.ndarray:
    """A with A qvel = 0: a helical joint advances by its pitch for every radian."""
    rows = np.zeros((len(twin.ties), twin.scene.nv))
    for row, (slide, hinge, pitch) in zip(rows, twin.ties, strict=True):
        row[twin.scene.joint(slide).dofadr] = 1.0
        row[twin.scene.joint(hinge).dofadr] = -pitch
    return rows


def random_state(rng: np.random.Generator, twin: Twin) -> mujoco.MjData:
    """Joint coordinates and velocities at random, those of helical joints tied."""
    scene, data = twin.scene, mujoco.MjData(twin.scene)
    mujoco.mj_resetData(scene, data)
    mujoco.mj_integratePos(scene, data.qpos, rng.normal(size=scene.nv), 1.0)
    for slide, hinge, pitch in twin.ties:
        data.joint(slide).qpos[:] = pitch * data.joint(hinge).qpos
    return set_in_motion(rng, twin, data)


def set_in_motion(rng: np.random.Generator, twin: Twin, data: mujoco.MjData) -> mujoco.MjData:
    data.qvel[:] = rng.normal(size=twin.scene.nv) * 3.0
    for slide, hinge, pitch in twin.ties:
        data.joint(slide).qvel[:] = pitch * data.joint(hinge).qvel
    mujoco.mj_forward(twin.scene, data)
    return data


def joint_accelerations(twin: Twin, data: mujoco.MjData) -> np.ndarray:
    """MuJoCo's qacc; with helical joints, its own M and bias under the ties A qacc = 0."""
    if not twin.ties:
        return data.qacc.copy()
    mass = np.zeros((twin.scene.nv, twin.scene.nv))
    mujoco.mj_fullM(twin.scene, data, mass)
    ties = tie_rows(twin)
    count = len(ties)
    kkt = np.block([[mass, ties.T], [ties, np.zeros((count, count))]])
    return np.linalg.solve(kkt, np.append(-data.qfrc_bias, np.zeros(count)))[: twin.scene.nv]


def body_motion(twin: Twin, data: mujoco.MjData):
    """State of all bodies, and their linear and angular accelerations in the world (n, 3)."""
    scene = twin.scene
    rates = joint_accelerations(twin, data)
    numbers = [scene.body(name).id for name in twin.model.body_names]  # MuJoCo's are depth first
    velocity, omega, acceleration, alpha = np.zeros((4, len(numbers), 3))
    for index, body in enumerate(numbers):
        point, turn, point_rate, turn_rate = np.zeros((4, 3, scene.nv))
        mujoco.mj_jacBodyCom(scene, data, point, turn, body)
        mujoco.mj_jacDot(scene, data, point_rate, turn_rate, data.xipos[body], body)
        velocity[index], omega[index] = point @ data.qvel, turn @ data.qvel
        acceleration[index] = point @ rates + point_rate @ data.qvel
        alpha[index] = turn @ rates + turn_rate @ data.qvel
    rotation = data.xmat[numbers].reshape(-1, 3, 3)
    state = ch.State(
        t=0.0,
        bodies=twin.model.body_names,
        position=data.xipos[numbers],
        rotation=rotation,
        velocity=velocity,
        angular_velocity=np.einsum("bji,bj->bi", rotation, omega),
    )
    return state, acceleration, alpha


def moving_twin(rng: np.random.Generator, bodies: int, kinds=KINDS) -> tuple[Twin, mujoco.MjData]:
    """A tree in motion at its initial pose; chasles is given all velocities, as MuJoCo has them."""
    twin = random_twin(rng, bodies, kinds)
    data = set_in_motion(rng, twin, mujoco.MjData(twin.scene))
    state, _, _ = body_motion(twin, data)
    moving = [
        replace(body, velocity=velocity, angular_velocity=omega)
        for body, velocity, omega in zip(
            twin.model.bodies, state.velocity, state.angular_velocity, strict=True
        )
    ]
    return replace(twin, model=replace(twin.model, bodies=moving)), data
