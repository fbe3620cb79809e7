"""What joints exert on their bodies: forces and torques at the joint, over a trajectory."""

from dataclasses import dataclass

import numpy as np

from chasles.build.system.build import Setup
from chasles.build.system.gaps import components, frame_of
from chasles.build.system.state import rotations
from chasles.core.arrays import POSE_R, POSE_X, Floats
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.placed import reaction_at_point
from chasles.groups.vectors import matvec
from chasles.model import Body, ChaslesError, Ground
from chasles.model.errors import short_repr
from chasles.result.energy import stacked


def largest(vectors: Floats) -> float:
    """The greatest length of vectors (T, 3) that are numbers."""
    lengths = np.linalg.norm(vectors, axis=1)
    return float(lengths[np.isfinite(lengths)].max(initial=0.0))


@dataclass(frozen=True, repr=False)
class Reaction:
    """What a joint exerts on its bodies: force (N) and torque (N m) at `point`.

    Torques on both bodies are about the same point. At singular configurations reactions are not
    determined, and the values are NaN.

    Attributes
    ----------
    joint
        Name of the joint.
    bodies
        Names of the first and the second body.
    force
        Force on the second body, (T, 3), N, in world axes.
    torque
        Torque on the second body about `point`, (T, 3), N m, in world axes.
    point
        Point of the joint in the world, (T, 3), m. In a sliding joint: that of the second body, or
        of the first if the second is the ground.
    axes
        Axes of the joint in the world, (T, 3, 3), in columns; those of a line or plane are its own.
    force_on_first
        Force on the first body, (T, 3), N, in world axes.
    torque_on_first
        Torque on the first body about `point`, (T, 3), N m, in world axes.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> run = ch.simulate(model, until=0.1, step=1e-2)
    >>> reaction = run.reaction("hinge")
    >>> reaction.force[0].round(4).tolist()      # a quarter of the weight, when let go level
    [0.0, 0.0, 2.4525]
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
        """Force and torque on one of the two bodies.

        Parameters
        ----------
        body
            The body or its name. GROUND for the ground.

        Returns
        -------
        tuple of Floats
            Force, (T, 3), N, and torque about `point`, (T, 3), N m, in world axes.
        """
        name = body.name if isinstance(body, Body | Ground) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise ChaslesError(
                f"joint '{self.joint}' does not act on {short_repr(name)}.",
                f"It joins '{self.bodies[0]}' and '{self.bodies[1]}'.",
            )
        if name == self.bodies[1]:
            return self.force, self.torque
        return self.force_on_first, self.torque_on_first

    @property
    def in_joint_frame(self) -> tuple[Floats, Floats]:
        """Force (N) and torque (N m) on the second body in axes of the joint; z is its axis."""
        turn = np.swapaxes(self.axes, -1, -2)
        return (turn @ self.force[..., None])[..., 0], (turn @ self.torque[..., None])[..., 0]


def reaction(setup: Setup, joint: str, absolute: Floats, wrenches: Floats) -> Reaction:
    """The reaction of one joint from the wrenches of all."""
    index = setup.joint_index[joint]
    joints = setup.system.joints
    point, axes = frame_in_world(setup, index, absolute)
    names, by_name = setup.bodies_of(joint), {}
    for side, (name, body) in enumerate(zip(names, (joints.a[index], joints.b[index]))):
        if body >= 0:
            wrench = wrenches[:, index, 6 * side : 6 * side + 6]
            by_name[name] = at_point(wrench, absolute[:, body], point)
    for name, other in (names, names[::-1]):
        if name not in by_name:  # the ground feels the opposite
            by_name[name] = (-by_name[other][0], -by_name[other][1])
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
    rotation = rotations(body)
    origin = body[:, POSE_X : POSE_X + 3] + rotation @ np.array(point)
    return origin, rotation @ np.array(axes).reshape(3, 3)


def at_point(wrench: Floats, body: Floats, point: Floats) -> tuple[Floats, Floats]:
    """(force, torque) in the world about `point`, from (torque, force) at the COM in body axes."""
    rotation = components(body, POSE_R, 9)
    torque = matvec(rotation, components(wrench, 0, 3))
    force = matvec(rotation, components(wrench, 3, 3))
    lever = components(point - body[:, POSE_X : POSE_X + 3], 0, 3)
    return stacked(force), stacked(reaction_at_point((torque, force), lever)[0])
