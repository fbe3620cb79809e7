"""Springs, dampers, stops and servos of a MuJoCo scene, and notes on what a Model has not."""

from typing import Any

import numpy as np

from chasles.io.mjcf_joints import BALL, FREE
from chasles.io.mjcf_model import Placed
from chasles.model import Bushing, Drag, Force, JointFriction, JointSpring, JointStop, Motor, Servo
from chasles.model.joint_forces import NOTHING
from chasles.model.words import Coordinate, Floats

UNMOVED = 1e-12  # a rest that is the reference pose


def forces_of(scene: Any) -> list[Force]:
    """Springs and dampers of joints, their friction, and servos."""
    forces = [force for entry in scene.placed.values() for force in of_joint(scene, entry)]
    return forces + servos(scene)


def of_joint(scene: Any, entry: Placed) -> list[Force]:
    """Spring, damper, stop and friction of one joint of the file."""
    m, index, own = scene.m, entry.index, scene.coordinate(entry.index)
    name, dof, at = scene.name("joint", index), int(m.jnt_dofadr[index]), int(m.jnt_qposadr[index])
    stiffness, damping = float(m.jnt_stiffness[index]), float(m.dof_damping[dof])
    friction, limited = float(m.dof_frictionloss[dof]), bool(m.jnt_limited[index])
    stop = stop_of(scene, index, *own) if scene.stops and limited and own else None
    dofs = slice(dof, dof + {FREE: 6, BALL: 3}.get(entry.kind, 1))
    powers = [*polynomial(m, "jnt_stiffnesspoly", index), *polynomial(m, "dof_dampingpoly", dof)]
    scene.leave_where(name, {
        "armature is left out":
            np.any(m.dof_armature[dofs]) and (entry.joint is None or not entry.joint.rotors),
        "springs and dampers that are not linear are taken as linear": np.any(powers),
        "limits are not enforced": limited and stop is None,
        "limits are soft stops, as MuJoCo's do at the reference pose": stop is not None,
        "dry friction is left out": friction > 0.0 and own is None,
        "dry friction is smoothed about rest": friction > 0.0 and own is not None,
    })  # fmt: skip
    if own is None:
        return of_freedom(scene, entry, stiffness, damping) if stiffness or damping else []
    forces: list[Force] = []
    if stiffness > 0.0 or damping > 0.0:
        rest = float(m.qpos_spring[at] - m.qpos0[at])
        spring = scene.unique(f"{name} spring")
        forces.append(JointSpring(spring, own[0], stiffness, damping, rest, own[1]))
    if stop is not None:
        forces.append(stop)
    if friction > 0.0:
        rubbing = scene.unique(f"{name} friction")
        forces.append(JointFriction(rubbing, own[0], friction, coordinate=own[1]))
    return forces


def stop_of(scene: Any, index: int, joint: str, coordinate: Coordinate) -> JointStop | None:
    """A stop at the ends of a joint's range, as stiff as MuJoCo's at the reference pose."""
    m = scene.m
    mobility = float(m.dof_invweight0[m.jnt_dofadr[index]])
    soft = compliance(m, m.jnt_solref[index], m.jnt_solimp[index], mobility)
    if soft is None:
        return None
    lower, upper = m.jnt_range[index] - m.qpos0[m.jnt_qposadr[index]]
    name = scene.unique(f"{scene.name('joint', index)} stop")
    return JointStop(name, joint, lower, upper, stiffness=soft[0], damping=soft[1],
                     coordinate=coordinate)  # fmt: skip


def compliance(
    m: Any, solref: Floats, solimp: Floats, mobility: float
) -> tuple[float, float, float] | None:
    r"""Stiffness, damping, and the inertia that feels them, of a soft constraint of MuJoCo.

    MuJoCo asks for the acceleration $-d(k r + b\dot r)$ at a depth r, with $b = 2 / (d T)$ and
    $k = 1 / (d T\zeta)^2$ from solref (T, zeta) and the impedance d of solimp, or with -solref for
    both; the inertia that feels it is that at the reference pose.
    """
    first, second = solref.tolist()
    impedance = float(solimp[1])
    if first > 0.0 and second > 0.0:
        time = max(first, 2.0 * float(m.opt.timestep))
        damping, stiffness = 2.0 / (impedance * time), 1.0 / (impedance * time * second) ** 2
    else:
        stiffness, damping = -first / impedance**2, -second / impedance
    weight = impedance / mobility if mobility > 0.0 else np.nan
    if not (np.isfinite(weight * stiffness) and weight * stiffness > 0.0 and damping >= 0.0):
        return None
    return weight * stiffness, weight * damping, 1.0 / mobility


def polynomial(m: Any, what: str, index: int) -> Floats:
    """Coefficients of higher order, which earlier versions of MuJoCo do not have."""
    return np.ravel(getattr(m, what)[index]) if hasattr(m, what) else np.zeros(1)


def of_freedom(scene: Any, entry: Placed, stiffness: float, damping: float) -> list[Force]:
    """Spring and damper of a ball or a free joint, where they are the same in all directions."""
    m, name = scene.m, scene.name("joint", entry.index)
    body = int(m.jnt_bodyid[entry.index])
    at = int(m.jnt_qposadr[entry.index])
    relaxed = np.abs(m.qpos_spring[at : at + 4] - m.qpos0[at : at + 4]).max() < UNMOVED
    if entry.kind == BALL and entry.joint is not None and (relaxed or stiffness == 0.0):
        point = entry.joint.at
        assert point is not None  # a spherical joint has one
        return [
            Bushing(scene.unique(f"{name} spring"), entry.joint.a, entry.joint.b, point,
                    [0.0] * 3 + [stiffness] * 3, [0.0] * 3 + [damping] * 3)
        ]  # fmt: skip
    centred = np.abs(m.body_ipos[body]).max() < UNMOVED and scene.root.count(body) == 1
    if entry.kind == FREE and stiffness == 0.0 and centred:
        carrier = scene.body_names[body]
        return [Drag(scene.unique(f"{name} drag"), carrier, linear=damping, angular=damping)]
    scene.leave("springs and dampers are left out", name)
    return []


def servos(scene: Any) -> list[Force]:
    """Actuators on a coordinate with a law that is linear in it: motors and servos."""
    m = scene.m
    affine = (scene.code("Bias.NONE"), scene.code("Bias.AFFINE"))
    forces: list[Force] = []
    joints = [int(m.actuator_trnid[k, 0]) for k in range(getattr(m, "nactuator", m.nu))]
    for index, joint in enumerate(joints):
        name = scene.name("actuator", index)
        linear = (
            m.actuator_trntype[index] == scene.code("Trn.JOINT")
            and m.actuator_dyntype[index] == scene.code("Dyn.NONE")
            and m.actuator_gaintype[index] == scene.code("Gain.FIXED")
            and m.actuator_biastype[index] in affine
        )
        more = [getattr(m, f"actuator_{what}", np.zeros(index + 1))[index]
                for what in ("armature", "damping")]  # fmt: skip
        motor = None
        if linear and not np.any(more):
            motor = servo(scene, index, joint, alone=joints.count(joint) == 1)
        if motor is None:
            scene.leave("actuators are left out", name)
            continue
        forces.append(motor)
        scene.leave_where(name, {
            "limits of the force of all actuators of a joint are not enforced":
                m.jnt_actfrclimited[joint] and joints.count(joint) > 1,
            "ranges of the controls of servos are not enforced":
                m.actuator_ctrllimited[index] and isinstance(motor, Servo),
            "controls cannot be 0: the nearest in their range is built in":
                rests_at(m, index) != 0.0,
            "actuators do nothing while their control is 0: inputs of a Simulation or a controller"
            " drive them": motor.target is None and motor.effort == NOTHING,
        })  # fmt: skip
    return forces


def rests_at(m: Any, index: int) -> float:
    """The control nearest to 0 that its range allows."""
    low, high = m.actuator_ctrlrange[index].tolist()
    return min(max(0.0, low), high) if m.actuator_ctrllimited[index] else 0.0


def servo(scene: Any, index: int, joint: int, alone: bool) -> Motor | None:
    """gear clip(gain control + b0 + b1 gear q + b2 gear q'), with q from qpos0, at one control.

    With k = -b1, d = -b2 and coordinate = q - qpos0, the part in clip is that of a motor,
    k gear (target - coordinate) - d gear coordinate' + effort.  An input of a motor is gain times a
    change of control, N m or N; that of a servo its target, (gain control + b0) / (k gear) - qpos0,
    in rad or m; without k the rate of that, gain control / (d gear).
    """
    m, own = scene.m, scene.coordinate(joint)
    gear, gain = float(m.actuator_gear[index, 0]), float(m.actuator_gainprm[index, 0])
    affine = m.actuator_biastype[index] == scene.code("Bias.AFFINE")
    b0, b1, b2 = m.actuator_biasprm[index, :3].tolist() if affine else (0.0, 0.0, 0.0)
    reference = float(m.qpos0[m.jnt_qposadr[joint]])
    if own is None or b1 > 0.0 or b2 > 0.0 or gear == 0.0:
        return None
    push = gain * rests_at(m, index) + b0
    low, high = efforts(m, index, joint, gear, alone)
    law: dict[str, Any] = {"gear": gear}
    if b1 == b2 == 0.0:
        kind: type[Motor] = Motor
        law["effort"] = push
        if m.actuator_ctrllimited[index]:
            ends = [gain * end + b0 for end in m.actuator_ctrlrange[index].tolist()]
            low, high = max(low, min(ends)), min(high, max(ends))
    else:
        kind = Servo
        target, effort = (push / (-b1 * gear) - reference, 0.0) if b1 < 0.0 else (0.0, push)
        law |= {"target": target, "stiffness": -b1 + 0.0, "damping": -b2 + 0.0, "effort": effort}
    if np.isfinite(low) or np.isfinite(high):
        if not low < high:
            return None
        law["limit"] = (low, high)
    name = scene.name("actuator", index)  # often that of its joint
    name = scene.unique(f"{name} motor" if name in scene.taken else name)
    return kind(name, own[0], coordinate=own[1], **law)


def efforts(m: Any, index: int, joint: int, gear: float, alone: bool) -> tuple[float, float]:
    """The lowest and the highest force of an actuator, before its gear."""
    low, high = -np.inf, np.inf
    if m.actuator_forcelimited[index]:
        low, high = m.actuator_forcerange[index].tolist()
    if m.jnt_actfrclimited[joint] and alone:
        ends = [end / gear for end in m.jnt_actfrcrange[joint].tolist()]
        low, high = max(low, min(ends)), min(high, max(ends))
    return low, high


# --- the rest -------------------------------------------------------------------------------------


def note_the_rest(scene: Any) -> None:
    """Everything else in the scene that would move bodies, and what would not."""
    m = scene.m
    touching = np.any(m.geom_contype) and np.any(m.geom_conaffinity)
    if touching and not m.opt.disableflags & scene.code("DisableBit.CONTACT"):
        which = "bodies that move" if scene.contacts else "geoms"
        scene.note(f"contacts between {which} are left out")
    if m.opt.density or m.opt.viscosity or np.any(m.opt.wind):
        scene.note("the medium (density, viscosity, wind) is left out")
    names = [scene.name("body", k) for k in np.flatnonzero(m.body_gravcomp)]
    scene.leave("compensation of gravity is left out", *names)
    for what, count in {"deformable bodies": m.nflex, "plugins": m.nplugin}.items():
        if count:
            scene.note(f"{count} {what} are left out")
    still = {
        "tendons": note_tendons(scene),
        "sensors": m.nsensor,
        "cameras": m.ncam,
        "sites": m.nsite,
        "keyframes": m.nkey,
    }
    listed = [f"{count} {what}" for what, count in still.items() if count]
    if listed:
        scene.note(f"left out, and moves nothing: {', '.join(listed)}")


def note_tendons(scene: Any) -> int:
    """Notes on tendons that pull or hold; returns how many others there are."""
    m = scene.m
    pulling = ("stiffness", "damping", "frictionloss", "armature")
    pulls = np.any([getattr(m, f"tendon_{what}") != 0.0 for what in pulling], axis=0)
    limited = np.asarray(m.tendon_limited, bool)
    for k in range(m.ntendon):
        scene.leave_where(scene.name("tendon", k), {
            "springs, dampers, friction and rotors of tendons are left out": pulls[k],
            "limits of tendons are not enforced": limited[k],
        })  # fmt: skip
    return int(m.ntendon - np.sum(pulls | limited))
