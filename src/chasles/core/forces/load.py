"""A given force and torque, constant or functions of time, in the world's or the body's axes."""

from typing import Any

import numpy as np

from chasles.compiled import once
from chasles.core.arrays import LAW_WIDTH, vec3
from chasles.core.forces.motion import add_wrench
from chasles.core.kinds import ForceEntry, ForceKind, Signals
from chasles.core.placed import pose_of, twist_of
from chasles.core.twists import power
from chasles.groups.vectors import add, cross, tmatvec
from chasles.model import GROUND, Load, Model
from chasles.spaces.frames import ORIGIN, Frames


@once
def load_wrench(system: Any, index: int, workspace: Any) -> float:
    """Returns its power."""
    forces, signal = system.forces, system.forces.signal[index]
    b = forces.b[index]
    force, torque = vec3(forces.law, LAW_WIDTH * index), vec3(forces.law, LAW_WIDTH * index + 3)
    if signal >= 0:
        force, torque = vec3(workspace.signals, signal), vec3(workspace.signals, signal + 3)
    rotation = pose_of(workspace.absolute, b)[0]
    if forces.law[LAW_WIDTH * index + 6] == 0.0:
        force, torque = tmatvec(rotation, force), tmatvec(rotation, torque)
    wrench = (add(torque, cross(vec3(forces.point_b, 3 * index), force)), force)
    add_wrench(workspace.rhs, b, wrench)
    return power(wrench, twist_of(workspace.absolute, b))


def load_entry(force: Load, model: Model, signals: Signals) -> ForceEntry:
    """Force, torque, and whether they turn along with the body."""
    assert force.at is not None  # Model has placed every load
    frames = Frames(GROUND.name, force.body, ORIGIN, force.at)
    along = float(force.frame == "body")
    if callable(force.force) or callable(force.torque):
        signal = signals.add(lambda times: np.hstack(force.sample(times)), 6)
        return ForceEntry(frames, (*ORIGIN, *ORIGIN, along), signal)
    return ForceEntry(frames, (*force.force, *force.torque, along))


LOAD = ForceKind(name="load", made_of=(Load,), entry=load_entry, wrench=load_wrench)
