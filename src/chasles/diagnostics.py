"""What a trajectory says: violation per joint, energy, momenta, reactions.

Functions of a setup and absolute states (T, n, 18); time runs along the first axis.  The formulas
are those of the kernels, evaluated on whole histories at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.dynamics.factor import OK
from chasles.dynamics.solver import Solver
from chasles.groups.vectors import add, cross, matvec, scale, symvec
from chasles.model import Body, ChaslesError, Ground
from chasles.model.errors import told
from chasles.system.arrays import (
    BODY_A,
    BODY_B,
    INERTIA,
    MASS,
    POSE_R,
    POSE_X,
    TWIST,
    Floats,
)
from chasles.system.build import Setup, oriented
from chasles.system.gaps import components, joint_frame, joint_gap
from chasles.system.rows import reaction_at_point
from chasles.system.wrenches import gravity_potential, kinetic_energy


def stacked(vector: tuple[Floats, ...]) -> Floats:
    """A formula's tuple of arrays as one array, components last."""
    return np.stack(np.broadcast_arrays(*vector), axis=-1)


def twist_history(absolute: Floats) -> Any:
    """(omega, v) of all bodies: tuples of arrays (T, n)."""
    return components(absolute, TWIST, 3), components(absolute, TWIST + 3, 3)


def kinetic(setup: Setup, absolute: Floats) -> Floats:
    """Kinetic energy of every body (T, n), J."""
    bodies = setup.system.bodies
    inertia = components(bodies, INERTIA, 6)
    return kinetic_energy(bodies[:, MASS], inertia, twist_history(absolute))


def potential(setup: Setup, absolute: Floats) -> Floats:
    """Potential energy of gravity of every body (T, n), J; zero at the world's origin."""
    position = components(absolute, POSE_X, 3)
    return gravity_potential(setup.system.bodies[:, MASS], position, tuple(setup.system.gravity))


def linear_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total linear momentum (T, 3) in the world, N s."""
    rotation = components(absolute, POSE_R, 9)
    momentum = scale(setup.system.bodies[:, MASS], matvec(rotation, twist_history(absolute)[1]))
    return stacked(momentum).sum(axis=-2)


def angular_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total angular momentum (T, 3) about the world's origin, N m s."""
    bodies = setup.system.bodies
    rotation, position = components(absolute, POSE_R, 9), components(absolute, POSE_X, 3)
    omega, v = twist_history(absolute)
    orbital = cross(position, scale(bodies[:, MASS], matvec(rotation, v)))
    spin = matvec(rotation, symvec(components(bodies, INERTIA, 6), omega))
    return stacked(add(orbital, spin)).sum(axis=-2)


def gap(setup: Setup, joint: str, absolute: Floats) -> tuple[Floats, Floats]:
    """Rotation (T, 3) in rad and translation (T, 3) in m by which a joint is open, world axes."""
    index = setup.joint_index[joint]
    rotation, translation = joint_gap(setup.system, index, absolute)
    body = int(setup.system.joint_bodies[index, BODY_A])
    axes = np.array(joint_frame(setup.system, index, "a")[0]).reshape(3, 3)
    if body >= 0:
        axes = absolute[:, body, POSE_R : POSE_R + 9].reshape(-1, 3, 3) @ axes
    return (axes @ rotation[..., None])[..., 0], (axes @ translation[..., None])[..., 0]


@dataclass(frozen=True)
class Reaction:
    """What a joint exerts on its bodies: force (N) and torque (N m) at `point`.

    `force` and `torque` (T, 3) are in world axes and act on the joint's second body;
    `on(body)` gives those on either body.  `point` (T, 3) and `axes` (T, 3, 3, in columns) are the
    joint's point and axes in the world; where it slides, those on the second body (on the first
    if the second is the ground).  Both bodies' torques are about that one point.  They are NaN
    at states in which the joints depend on each other, where no reaction is determined.
    """

    joint: str
    bodies: tuple[str, str]
    force: Floats
    torque: Floats
    point: Floats
    axes: Floats
    force_on_first: Floats
    torque_on_first: Floats

    def on(self, body: Body | Ground | str) -> tuple[Floats, Floats]:
        """Force and torque (T, 3) on one of the two bodies (GROUND is one), in world axes."""
        name = body.name if isinstance(body, Body | Ground) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise ChaslesError(
                f"joint '{self.joint}' does not act on {told(name)}.",
                f"It joins '{self.bodies[0]}' and '{self.bodies[1]}'.",
            )
        if name == self.bodies[1]:
            return self.force, self.torque
        return self.force_on_first, self.torque_on_first

    @property
    def in_joint_frame(self) -> tuple[Floats, Floats]:
        """Force and torque on the second body along the joint's axes (z is the joint's axis)."""
        turn = np.swapaxes(self.axes, -1, -2)
        return (turn @ self.force[..., None])[..., 0], (turn @ self.torque[..., None])[..., 0]


def reactions(solver: Solver, absolute: Floats) -> Floats:
    """Joint wrenches (T, m, 12) on body a and body b, (torque, force) in body frames at the COM.

    NaN at states in which the joints depend on each other: no reaction is determined there.
    """
    row, out = solver.evaluate(absolute)
    if row != OK:
        for k in range(len(absolute)):
            row, one = solver.evaluate(absolute[k : k + 1])
            out[k] = one[0] if row == OK else np.nan
    return out


def reaction(solver: Solver, joint: str, absolute: Floats, wrenches: Floats) -> Reaction:
    """The reaction of one joint from the wrenches of all (see `reactions`)."""
    setup = solver.setup
    index = setup.joint_index[joint]
    ends = setup.system.joint_bodies[index]
    point, axes = frame_in_world(setup, index, absolute)
    on_bodies = {}
    for side, body in (("a", int(ends[BODY_A])), ("b", int(ends[BODY_B]))):
        if body >= 0:
            wrench = wrenches[:, index, 0:6] if side == "a" else wrenches[:, index, 6:12]
            on_bodies[side] = at_point(wrench, absolute[:, body], point)
    if "a" not in on_bodies:  # the ground feels the opposite
        on_bodies["a"] = (-on_bodies["b"][0], -on_bodies["b"][1])
    first, second = oriented(setup.model.joint(joint))
    by_name = {first: on_bodies["a"], second: on_bodies["b"]}
    names = (setup.model.joint(joint).a, setup.model.joint(joint).b)
    return Reaction(joint, names, *by_name[names[1]], point, axes, *by_name[names[0]])


def frame_in_world(setup: Setup, joint: int, absolute: Floats) -> tuple[Floats, Floats]:
    """Origin (T, 3) and axes (T, 3, 3) in the world of a joint's frame on its body b."""
    axes, point = joint_frame(setup.system, joint, "b")
    body = absolute[:, int(setup.system.joint_bodies[joint, BODY_B])]
    rotation = body[:, POSE_R : POSE_R + 9].reshape(-1, 3, 3)
    origin = body[:, POSE_X : POSE_X + 3] + rotation @ np.array(point)
    return origin, rotation @ np.array(axes).reshape(3, 3)


def at_point(wrench: Floats, body: Floats, point: Floats) -> tuple[Floats, Floats]:
    """(force, torque) in the world about `point`, from (torque, force) at the COM in body axes."""
    rotation = components(body, POSE_R, 9)
    torque = matvec(rotation, components(wrench, 0, 3))
    force = matvec(rotation, components(wrench, 3, 3))
    lever = components(point - body[:, POSE_X : POSE_X + 3], 0, 3)
    return stacked(force), stacked(reaction_at_point((torque, force), lever)[0])
