"""A user's formula: world force and torque at the centre of mass of b, the opposite on a.

Or of several bodies: a force and a torque for each, and what they supply is the sum of the powers.
"""

from typing import Any

from chasles.compiled import call_address, formula, once, routine
from chasles.core.arrays import MOST_SEEN, put3, put9, vec3
from chasles.core.forces.motion import add_wrench
from chasles.core.kinds import ForceEntry, ForceKind, Signals
from chasles.core.placed import pose_of, twist_of
from chasles.core.twists import power
from chasles.groups.vectors import add, cross, matvec, neg, sub, tmatvec
from chasles.model import CustomForce, Model
from chasles.spaces.frames import ORIGIN, Frames

#: A row of Forces.seen: how many bodies, and which.
SEEN_WIDTH = 1 + MOST_SEEN


@routine
def put_motion(workspace: Any, at: int, pose: Any, twist: Any) -> None:
    """What a formula sees of a body: position, rotation, velocity, angular velocity."""
    put3(workspace.exchange, at, pose[1])
    put9(workspace.exchange, at + 3, pose[0])
    put3(workspace.exchange, at + 12, matvec(pose[0], twist[1]))
    put3(workspace.exchange, at + 15, twist[0])


@formula
def body_seen(forces: Any, index: int, k: int) -> int:
    """One of the bodies that a formula lists, or of b and a."""
    if forces.seen[index * SEEN_WIDTH] > 0:
        return forces.seen[index * SEEN_WIDTH + 1 + k]
    return forces.b[index] if k == 0 else forces.a[index]


@routine
def put_opposite(absolute: Any, a: int, b: int, answer: Any) -> None:
    """(force, torque) on a of a formula that has answered those on b."""
    force, torque = vec3(answer, 0), vec3(answer, 3)
    lever = sub(pose_of(absolute, b)[1], pose_of(absolute, a)[1])
    put3(answer, 6, neg(force))
    put3(answer, 9, neg(add(torque, cross(lever, force))))


@once
def custom_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns the power on all bodies."""
    forces, absolute, answer = system.forces, workspace.absolute, workspace.answer
    listed = forces.seen[index * SEEN_WIDTH]
    count = listed if listed > 0 else 2
    for k in range(count):
        body = body_seen(forces, index, k)
        put_motion(workspace, 18 * k, pose_of(absolute, body), twist_of(absolute, body))
    call_address(forces.address[index], workspace.signals[0], workspace.exchange, answer)
    if listed == 0:
        put_opposite(absolute, forces.a[index], forces.b[index], answer)
    supplied = 0.0
    for k in range(count):
        body = body_seen(forces, index, k)
        turn = pose_of(absolute, body)[0]
        wrench = tmatvec(turn, vec3(answer, 6 * k + 3)), tmatvec(turn, vec3(answer, 6 * k))
        add_wrench(workspace.rhs, body, wrench)
        supplied += power(wrench, twist_of(absolute, body))
    return supplied


def custom_entry(force: CustomForce, model: Model, signals: Signals) -> ForceEntry:
    """The kernel gives the formula the time."""
    signals.need_time()
    at = model.body(force.body).position
    return ForceEntry(Frames(force.reaction, force.body, ORIGIN, at))


CUSTOM_FORCE = ForceKind(
    name="customforce", made_of=(CustomForce,), entry=custom_entry, wrench=custom_wrench
)
