"""What a trajectory says: violation per joint, energy, momenta, reactions.

Functions of a setup and absolute states (T, n, 18); time runs along the first axis.  The formulas
are those of the kernels, evaluated on whole histories at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.core.arrays import POSE_R, POSE_X, TWIST, Floats
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.forces.kind import Deformation
from chasles.core.forces.registry import FORCES
from chasles.core.rows import (
    nearest_turn,
    reaction_at_point,
)
from chasles.core.wrenches import gravity_potential, kinetic_energy
from chasles.dynamics.evaluation import Solvable
from chasles.groups.vectors import add, cross, matvec, scale, symvec
from chasles.model import Body, ChaslesError, Ground
from chasles.model.errors import told
from chasles.system.build import Setup
from chasles.system.coordinates import coordinate_of_poses, coordinate_rate, relative_spin
from chasles.system.gaps import components, frame_of, opening_history
from chasles.system.turns import angle_columns, entered


def stacked(vector: tuple[Floats, ...]) -> Floats:
    """A formula's tuple of arrays as one array, components last."""
    return np.stack(np.broadcast_arrays(*vector), axis=-1)


def twist_history(absolute: Floats) -> Any:
    """(omega, v) of all bodies: tuples of arrays (T, n)."""
    return components(absolute, TWIST, 3), components(absolute, TWIST + 3, 3)


def kinetic(setup: Setup, absolute: Floats) -> Floats:
    """Kinetic energy of every body (T, n), J."""
    bodies = setup.system.bodies
    inertia = components(bodies.inertia, 0, 6)
    return kinetic_energy(bodies.mass, inertia, twist_history(absolute))


def kinetic_of_all(setup: Setup, absolute: Floats) -> Floats:
    """Kinetic energy of all bodies and rotors (T,), J."""
    return kinetic(setup, absolute).sum(axis=1) + kinetic_of_rotors(setup, absolute)


def kinetic_of_rotors(setup: Setup, absolute: Floats) -> Floats:
    r"""$\tfrac12\sum I_r \dot q^2$ over the coordinates of joints with an armature (T,), J."""
    total = np.zeros(len(absolute))
    for joint in setup.model.joints:
        if not joint.rotors:
            continue
        if joint.coordinates:
            rates = [coordinate_rate(setup, joint.name, w, absolute) for w in joint.coordinates]
        else:  # a ball, whose rotations all feel the same rotor
            rates = list(relative_spin(setup, joint.name, absolute))
        total += sum(0.5 * rotor * rate**2 for rotor, rate in zip(joint.rotors, rates))
    return total


def potential(setup: Setup, absolute: Floats) -> Floats:
    """Potential energy of gravity of every body (T, n), J; zero at the world's origin."""
    position = components(absolute, POSE_X, 3)
    return gravity_potential(setup.system.bodies.mass, position, tuple(setup.system.gravity))


def stored(setup: Setup, absolute: Floats, integrals: Floats | None) -> Floats:
    """Potential energy of every force that has one (T, f), J."""
    forces = setup.system.forces
    energy = np.zeros((len(absolute), setup.system.force_count))
    for force, (kind, angle) in enumerate(zip(forces.kind, forces.angle.tolist())):
        potential = FORCES[kind].potential
        if potential is not None:
            turn, shift = opening_history(forces, force, absolute)
            deformation = Deformation(
                turn=turn,
                shift=shift,
                law=tuple(forces.law[force].tolist()),
                counts_turns=angle >= 0,
                near=0.0 if integrals is None or angle < 0 else integrals[:, angle],
            )
            energy[:, force] = potential(deformation)
    return energy


def linear_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total linear momentum (T, 3) in the world, N s."""
    rotation = components(absolute, POSE_R, 9)
    momentum = scale(setup.system.bodies.mass, matvec(rotation, twist_history(absolute)[1]))
    return stacked(momentum).sum(axis=-2)


def angular_momentum(setup: Setup, absolute: Floats) -> Floats:
    """Total angular momentum (T, 3) about the world's origin, N m s."""
    bodies = setup.system.bodies
    rotation, position = components(absolute, POSE_R, 9), components(absolute, POSE_X, 3)
    omega, v = twist_history(absolute)
    orbital = cross(position, scale(bodies.mass, matvec(rotation, v)))
    spin = matvec(rotation, symvec(components(bodies.inertia, 0, 6), omega))
    return stacked(add(orbital, spin)).sum(axis=-2)


def gap(
    setup: Setup, joint: str, absolute: Floats, times: Floats | None = None
) -> tuple[Floats, Floats]:
    """Rotation (T, 3) in rad and translation (T, 3) in m by which a joint is open, world axes.

    Only a driver, which is measured against its motion, needs the times.
    """
    index = setup.joint_index[joint]
    target = 0.0 if times is None else setup.targets(joint, times)
    rotation, translation = setup.gap(joint, absolute, target)
    body = int(setup.system.joints.a[index])
    axes = np.array(frame_of(setup.system.joints, index, "a")[0]).reshape(3, 3)
    if body >= 0:
        axes = absolute[:, body, POSE_R : POSE_R + 9].reshape(-1, 3, 3) @ axes
    return (axes @ rotation[..., None])[..., 0], (axes @ translation[..., None])[..., 0]


def largest(vectors: Floats) -> float:
    """The greatest length of vectors (T, 3) that are numbers."""
    lengths = np.linalg.norm(vectors, axis=1)
    return float(lengths[np.isfinite(lengths)].max(initial=0.0))


@dataclass(frozen=True, repr=False)
class Reaction:
    """What a joint exerts on its bodies: force (N) and torque (N m) at `point`.

    `force` and `torque` (T, 3) are in world axes and act on the joint's second body;
    `on(body)` gives those on either body.  `point` (T, 3) and `axes` (T, 3, 3, in columns) are the
    joint's point and axes in the world; where it slides, those on the second body (on the first
    if the second is the ground), but the axes of a line or plane are its own.  Both bodies' torques
    are about that one point.  They are NaN at states in which the joints depend on each other,
    where no reaction is determined.
    """

    joint: str
    bodies: tuple[str, str]
    force: Floats
    torque: Floats
    point: Floats
    axes: Floats
    force_on_first: Floats
    torque_on_first: Floats

    def __repr__(self) -> str:
        return (
            f"Reaction('{self.joint}' on {self.bodies[0]} and {self.bodies[1]}: force, torque at"
            f" {len(self.force)} times, up to {largest(self.force):.3g} N and"
            f" {largest(self.torque):.3g} N m)"
        )

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


def reaction(problem: Solvable, joint: str, absolute: Floats, wrenches: Floats) -> Reaction:
    """The reaction of one joint from the wrenches of all (see `wrench_history`)."""
    setup = problem.setup
    index = setup.joint_index[joint]
    joints = setup.system.joints
    point, axes = frame_in_world(setup, index, absolute)
    on_bodies = {}
    for side, body in (("a", int(joints.a[index])), ("b", int(joints.b[index]))):
        if body >= 0:
            wrench = wrenches[:, index, 0:6] if side == "a" else wrenches[:, index, 6:12]
            on_bodies[side] = at_point(wrench, absolute[:, body], point)
    for side, other in (("a", "b"), ("b", "a")):
        if side not in on_bodies:  # the ground feels the opposite
            on_bodies[side] = (-on_bodies[other][0], -on_bodies[other][1])
    first, second = setup.bodies_of(joint)
    by_name = {first: on_bodies["a"], second: on_bodies["b"]}
    names = (first, second)
    if joint in setup.model.joint_names:
        names = (setup.model.joint(joint).a, setup.model.joint(joint).b)
    return Reaction(joint, names, *by_name[names[1]], point, axes, *by_name[names[0]])


def frame_in_world(setup: Setup, joint: int, absolute: Floats) -> tuple[Floats, Floats]:
    """Origin (T, 3) of a joint's frame on its body b, and its axes (T, 3, 3), in the world.

    A line or plane that a point of b stays on is carried by a, and so are the axes.
    """
    on_b = carried(setup, joint, "b", absolute)
    if not CONSTRAINTS[setup.system.joints.kind[joint]].axes_on_a:
        return on_b
    return on_b[0], carried(setup, joint, "a", absolute)[1]


def carried(setup: Setup, joint: int, side: str, absolute: Floats) -> tuple[Floats, Floats]:
    """Origin and axes in the world of a joint's frame on one of its bodies."""
    joints = setup.system.joints
    axes, point = frame_of(joints, joint, side)
    index = int(joints.a[joint] if side == "a" else joints.b[joint])
    if index < 0:
        still = np.ones((len(absolute), 1))
        return still * np.array(point), still[:, :, None] * np.array(axes).reshape(3, 3)
    body = absolute[:, index]
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


def coordinate(
    setup: Setup, joint: str, kind: str, absolute: Floats, times: Floats, integrals: Floats
) -> Floats:
    """Angle without wrap-around, or displacement, of body b against a in the user's order (T,).

    Turns are those that were counted along.
    """
    columns = angle_columns(setup)
    if kind == "angle" and joint not in columns:
        return unwrapped_angle(setup, joint, absolute, times)
    found = coordinate_of_poses(setup, joint, kind, absolute)
    if kind == "displacement":
        return found
    counted: Floats = nearest_turn(found, integrals[:, columns[joint][0]])
    return counted


def unwrapped_angle(setup: Setup, joint: str, absolute: Floats, times: Floats) -> Floats:
    """An angle whose turns were not counted (T,): the rates at both ends tell those between states.

    Those before the start are told by the state in which it began.
    """
    angle = coordinate_of_poses(setup, joint, "angle", absolute)
    angle = (
        angle + nearest_turn(angle[0], setup.angles.get(joint, entered(setup, joint))) - angle[0]
    )
    rate = coordinate_rate(setup, joint, "angle", absolute)
    expected = 0.5 * (rate[1:] + rate[:-1]) * np.diff(times)
    steps = np.diff(angle)
    steps += 2.0 * np.pi * np.round((expected - steps) / (2.0 * np.pi))
    return np.concatenate((angle[:1], angle[0] + np.cumsum(steps)))
