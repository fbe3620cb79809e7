"""Arrows: gaps and reactions of joints, and what forces exert; where, and how large over time."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import (
    GROUND,
    Bushing,
    Contact,
    CustomForce,
    Drag,
    Force,
    JointForce,
    Load,
    Spring,
)
from chasles.model.coordinates import ANGLE
from chasles.result.readout import force_history
from chasles.result.result import Result
from chasles.view.contacts import middle_of
from chasles.view.scene import Scene, in_body, poses_at_start

MOMENT = 1e-6  # of a joint's force times the model's size: a torque below that is rounding


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force (N) or torque (N m) over time, or a gap (m).

    kind    "force" or "torque"; of a joint "reaction", "moment" or "gap"
    body    that it moves with, at `at` in the axes of the body
    on      the body that it acts on
    against the body that its reverse acts on, "" if there is none
    values  (T, 3) in world axes
    """

    name: str
    kind: str
    body: str
    at: Floats
    on: str
    against: str
    values: Floats


def joint_arrows(
    result: Result, scene: Scene, kinds: Collection[str], frames: Any = slice(None)
) -> Iterator[Arrow]:
    """Gaps and reactions of all joints, as far as they are among the kinds."""
    for spot in scene.spots:
        joint, found = result.model.joint(spot.name), {}
        if "gap" in kinds:
            found["gap"] = result.violation(spot.name, vector=True)[frames]
        if "reaction" in kinds:
            reaction = result.reaction(spot.name)
            found["reaction"], torque = reaction.force[frames], reaction.torque[frames]
            if largest_of(torque) > MOMENT * scene.size * largest_of(found["reaction"]):
                found["moment"] = torque
        for kind, values in found.items():
            yield Arrow(spot.name, kind, spot.a, spot.at, joint.b, joint.a, values)


def largest_of(vectors: Floats) -> float:
    return float(np.nanmax(np.abs(vectors), initial=0.0))


def applied_forces(result: Result, scene: Scene, frames: Any = slice(None)) -> Iterator[Arrow]:
    """Of all forces of the model: the force where it acts, and a torque where there is a couple.

    `frames` are the saved states that are asked for: a formula in Python takes its time.
    """
    setup, t = result.problem.setup, result.t[frames]
    absolute, integrals = result.absolute[frames], result.integrals[frames]
    for force in result.model.forces:
        holder = result.model.joint(force.joint) if isinstance(force, JointForce) else force
        body, point = where_it_acts(result, force, holder)
        ends = getattr(holder, "a", ""), getattr(holder, "b", "")
        other = next((end for end in ends if end and end != body), "")
        found = force_history(setup, force.name, absolute, t, integrals)
        push, turn = found.on(body)
        at = in_body(scene.start[body], point)
        lever = np.einsum("tij,j->ti", result.rotation(body)[frames], at)
        couple = turn - np.cross(lever, push)  # what is left about the point that it acts on
        arm = np.abs(lever).max(initial=0.0) + 1e-3 * scene.size  # of a contact, about its shape
        reach = arm * np.abs(push).max(initial=0.0)
        pushing = not (isinstance(force, JointForce) and force.coordinate == ANGLE)
        if pushing and np.any(push):
            yield Arrow(force.name, "force", body, at, body, other, push)
        if np.abs(couple).max(initial=0.0) > 1e-9 * reach:  # more than the rounding of the lever
            yield Arrow(force.name, "torque", body, at, body, other, couple)


def where_it_acts(result: Result, force: Force, holder: Any) -> tuple[str, Floats]:
    """A body that moves and a force acts on, and the point in the model as entered.

    `holder` has the ends of the force: its joint, or the force itself.
    """
    model = result.model
    if isinstance(force, Contact):
        return force.b, middle_of(force, poses_at_start(model))
    if isinstance(force, Spring | Bushing | JointForce):
        at_b = getattr(holder, "at_b", None)
        if holder.b == GROUND.name:
            return holder.a, np.array(holder.at)
        return holder.b, np.array(holder.at if at_b is None else at_b)
    if isinstance(force, Load):
        return force.body, np.array(force.at)
    if isinstance(force, Drag | CustomForce):
        return force.body, np.array(model.body(force.body).position)
    setup = result.problem.setup  # a kind from elsewhere
    index = int(setup.system.forces.b[model.force_names.index(force.name)])
    other = list(setup.body_index)[index]
    return other, np.array(model.body(other).position)
