"""A user's formula: world force and torque at the centre of mass of b, the opposite on a.

Or of several bodies: a force and a torque for each, and what they supply is the sum of the powers.
"""

from typing import Any

from chasles.compiled import call_address, once, routine
from chasles.core.arrays import MOST_SEEN, put3, put9, vec3
from chasles.core.forces.motion import add_wrench, power
from chasles.core.kinds import ForceEntry, ForceKind, Signals
from chasles.core.placed import pose_of, twist_of
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


@routine
def several_wrenches(system: Any, index: int, workspace: Any) -> float:
    """Of a formula that answers (force, torque) for every body that it sees; their power."""
    first, seen = index * SEEN_WIDTH + 1, system.forces.seen
    count = seen[first - 1]
    for k in range(count):
        body = seen[first + k]
        put_motion(
            workspace, 18 * k, pose_of(workspace.absolute, body), twist_of(workspace.absolute, body)
        )
    call_address(
        system.forces.address[index], workspace.signals[0], workspace.exchange, workspace.answer
    )
    supplied = 0.0
    for k in range(count):
        body = seen[first + k]
        turn = pose_of(workspace.absolute, body)[0]
        force, torque = vec3(workspace.answer, 6 * k), vec3(workspace.answer, 6 * k + 3)
        wrench = (tmatvec(turn, torque), tmatvec(turn, force))
        add_wrench(workspace.rhs, body, wrench)
        supplied += power(wrench, twist_of(workspace.absolute, body))
    return supplied


@once
def custom_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns its power."""
    if system.forces.seen[index * SEEN_WIDTH] > 0:
        return several_wrenches(system, index, workspace)
    a, b = system.forces.a[index], system.forces.b[index]
    pose_b, twist_b = pose_of(workspace.absolute, b), twist_of(workspace.absolute, b)
    put_motion(workspace, 0, pose_b, twist_b)
    put_motion(workspace, 18, pose_of(workspace.absolute, a), twist_of(workspace.absolute, a))
    address = system.forces.address[index]
    call_address(address, workspace.signals[0], workspace.exchange, workspace.answer)
    force, torque = vec3(workspace.answer, 0), vec3(workspace.answer, 3)
    wrench = (tmatvec(pose_b[0], torque), tmatvec(pose_b[0], force))
    add_wrench(workspace.rhs, b, wrench)
    supplied = power(wrench, twist_b)
    if a >= 0:
        pose_a = pose_of(workspace.absolute, a)
        moved = add(torque, cross(sub(pose_b[1], pose_a[1]), force))
        opposite = (neg(tmatvec(pose_a[0], moved)), neg(tmatvec(pose_a[0], force)))
        add_wrench(workspace.rhs, a, opposite)
        supplied += power(opposite, twist_of(workspace.absolute, a))
    return supplied


def custom_entry(force: CustomForce, model: Model, signals: Signals) -> ForceEntry:
    """The kernel gives the formula the time."""
    signals.need_time()
    at = model.body(force.body).position
    return ForceEntry(Frames(force.reaction, force.body, ORIGIN, at))


CUSTOM_FORCE = ForceKind(
    name="customforce", made_of=(CustomForce,), entry=custom_entry, wrench=custom_wrench
)
