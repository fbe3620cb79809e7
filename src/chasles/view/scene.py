"""What there is to draw of a model: parts that move with their bodies, ties between two points.

Everything is in the axes of its body, from its centre of mass; the ground's parts are in the
world.  Pictures, films and viewers only place it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, Body, Contact, Distance, Joint, Model, Spring
from chasles.model.checks import as_matrix, as_vector
from chasles.model.colours import hex_of
from chasles.model.shapes import Box, Capsule, Cylinder, Rod, Shape, Sphere
from chasles.view.geometry import Solid, solid_of
from chasles.view.glyphs import contact_shapes, first_feet, frame_along, glyph_of

#: Of bodies that say nothing about theirs, in turn.
BODY_COLOURS = ("#8fb0d3", "#e0a58a", "#93c3a4", "#c3aad6", "#e2c78d", "#8fc3c6", "#d59db1",
                "#b3b9a0")  # fmt: skip
GLYPH, STICK = 0.020, 0.011  # sizes of joints and of sticks, over that of the model
LONG = 6  # links in a row from which on a chain is drawn as a tube
ROD, TIE = 0.008, "#5d6671"  # radius and colour of rods without mass, the former as above
Pose = tuple[Floats, Floats]
AT_HOME: Pose = (np.eye(3), np.zeros(3))


@dataclass(frozen=True, eq=False)
class Part:
    """A solid that moves with a body; `role` is "body", "joint" or "floor" (of a contact)."""

    body: str
    shape: Shape
    colour: str
    role: str

    @cached_property
    def solid(self) -> Solid:
        return solid_of(self.shape)


@dataclass(frozen=True, eq=False)
class Tie:
    """A spring or a rod without mass between a point of a and one of b."""

    name: str
    spring: bool
    a: str
    at_a: Floats
    b: str
    at_b: Floats


@dataclass(frozen=True, eq=False)
class Spot:
    """Where a joint is: a point and an axis of its body a."""

    name: str
    kind: str
    a: str
    at: Floats
    axis: Floats
    grounded: bool


@dataclass(frozen=True, eq=False)
class Scene:
    model: Model
    parts: tuple[Part, ...]
    ties: tuple[Tie, ...]
    spots: tuple[Spot, ...]
    size: float

    @cached_property
    def start(self) -> dict[str, Pose]:
        return poses_at_start(self.model)

    @property
    def up(self) -> Floats:
        return up_of(self.model)

    def number(self, body: str) -> int:
        """The place of a body in the model, -1 of the ground."""
        names = self.model.body_names
        return names.index(body) if body in names else -1


def up_of(model: Model) -> Floats:
    """Against gravity; z where there is none."""
    gravity = np.array(model.gravity)
    strength = np.linalg.norm(gravity)
    return np.array([0.0, 0.0, 1.0]) if strength == 0.0 else -gravity / strength


def poses_at_start(model: Model) -> dict[str, Pose]:
    """(rotation, position) of every body and of the ground."""
    poses = {body.name: (np.array(body.rotation), np.array(body.position)) for body in model.bodies}
    return {**poses, GROUND.name: AT_HOME}


def poses_at(result: Any, frame: int, offset: Any = 0.0) -> dict[str, Pose]:
    """(rotation, position) of every body and of the ground in a saved state, moved by an offset."""
    poses: dict[str, Pose] = {
        body.name: (result.rotation(body)[frame], result.position(body)[frame] + offset)
        for body in result.model.bodies
    }
    return {**poses, GROUND.name: (AT_HOME[0], AT_HOME[1] + offset)}


def place(pose: Pose, points: Floats) -> Floats:
    """Points of a body in the world."""
    return np.asarray(pose[1] + points @ pose[0].T)


def in_body(pose: Pose, at: Any) -> Floats:
    """A point of the world in the axes of a body."""
    return np.asarray((np.array(at) - pose[1]) @ pose[0])


def scene_of_run(result: Any) -> Scene:
    """The scene of a result's model, with floors as long as its bodies move on them."""
    model = result.model
    touching = {force.b for force in model.forces if isinstance(force, Contact)}
    return scene_of(model, ways={name: result.position(name) for name in touching})


def scene_of(
    model: Model, poses: Mapping[str, Pose] | None = None, ways: Mapping[str, Floats] | None = None
) -> Scene:
    """The scene of a model; `poses` are those in which its points and axes were given.

    `ways` are positions of bodies over time (T, 3), where it is to be seen in motion.
    """
    start = dict(poses or poses_at_start(model))
    size = size_of(model, start)
    parts: list[Part] = []
    tubes, leaders = tubes_of(model, start)
    for body in model.bodies:
        index = model.body_names.index(leaders.get(body.name, body.name))
        usual = BODY_COLOURS[index % len(BODY_COLOURS)]
        for shape in shapes_of(model, body, start, size):
            colour = usual if shape.colour is None else hex_of(shape.colour)
            parts.append(Part(body.name, shape, colour, "body"))
    own = {part.body: part.colour for part in parts}
    for joint in model.joints:
        if joint.name in tubes:
            ball = Sphere(tubes[joint.name], position=as_vector(in_body(start[joint.a], joint.at)))
            parts.append(Part(joint.a, ball, own[joint.a], "body"))
            continue
        for name, shapes in zip((joint.a, joint.b), glyph_of(joint, glyph_size(model, size))):
            for shape in shapes:
                colour = hex_of(shape.colour or "grey")
                parts.append(Part(name, moved_into(shape, start[name]), colour, "joint"))
    parts += [mount_of(f, 1.4 * glyph_size(model, size)) for f in model.forces if on_ground(f)]
    for name, shape in contact_shapes(model, start, size, ways or {}):
        colour = hex_of(shape.colour or "grey")
        parts.append(Part(name, moved_into(shape, start[name]), colour, "floor"))
    return Scene(model, tuple(parts), ties_of(model, start), spots_of(model, start), size)


def on_ground(force: Any) -> bool:
    """Whether a force is a spring with an end in the world."""
    return isinstance(force, Spring) and GROUND.name in (force.a, force.b)


def mount_of(spring: Any, size: float) -> Part:
    """What a spring with an end in the world hangs on: a plate across it."""
    ends = np.array([spring.at, spring.at_b], float)
    here, there = ends if spring.a == GROUND.name else ends[::-1]
    away = (here - there) / np.linalg.norm(here - there)
    plate = Cylinder(
        1.6 * size, 0.5 * size, "z", position=as_vector(here + 0.25 * size * away),
        rotation=as_matrix(frame_along(away)),
    )  # fmt: skip
    return Part(GROUND.name, plate, hex_of("grey"), "joint")


def glyph_size(model: Model, size: float) -> float:
    """Smaller where there are many joints, which are then close."""
    return GLYPH * size / max(1.0, len(model.joints) / 8.0) ** 0.5


def moved_into(shape: Shape, pose: Pose) -> Shape:
    """A shape given in the world, in the axes of a body."""
    return replace(
        shape,
        position=as_vector(in_body(pose, shape.position)),
        rotation=as_matrix(pose[0].T @ np.array(shape.rotation)),
    )


def size_of(model: Model, poses: Mapping[str, Pose]) -> float:
    """The largest extent of the model at the start, m."""
    points = [np.array(joint.at).reshape(1, 3) for joint in model.joints]
    for body in model.bodies:
        points.append(poses[body.name][1].reshape(1, 3))
        points += [place(poses[body.name], solid_of(shape).vertices) for shape in body.shapes]
    for force in model.forces:
        if isinstance(force, Spring):
            points += [np.array([force.at, force.at_b])]
    points += first_feet(model, poses)
    extent = float(np.ptp(np.concatenate(points), axis=0).max())
    if extent > 0.0:
        return extent
    return max(2.0 * float(equivalent_box(body)[0].max()) for body in model.bodies)


# --- bodies ---


def shapes_of(model: Model, body: Body, poses: Mapping[str, Pose], size: float) -> list[Shape]:
    """A body's own shapes, with sticks to the joints that lie outside of them."""
    held = held_points(model, body.name, poses)
    if body.shapes:
        bounds = [solid_of(shape).vertices for shape in body.shapes]
        low = np.min([b.min(axis=0) for b in bounds], axis=0) - 0.02 * size
        high = np.max([b.max(axis=0) for b in bounds], axis=0) + 0.02 * size
        outside = [p for p in held if np.any(p < low) or np.any(p > high)]
        sticks = [stick(np.zeros(3), p, STICK * size, body.shapes[0].colour) for p in outside]
        return [*body.shapes, *sticks]
    if len(held) >= 2:
        links = [(held[k], held[k + 1]) for k in range(len(held) - 1)]
        if len(held) == 3:
            links.append((held[2], held[0]))
        if len(held) > 3:
            links = [(np.zeros(3), point) for point in held]
        return [stick(*ends, STICK * size) for ends in links if np.ptp(ends, axis=0).max() > 0]
    half, turn = equivalent_box(body)
    half = np.minimum(half, 0.5 * size)
    solid: list[Shape] = [Box(as_vector(2.0 * half), rotation=as_matrix(turn))]
    if len(held) == 1 and np.linalg.norm(held[0]) > half.min():
        solid.append(stick(np.zeros(3), held[0], STICK * size))
    return solid


def held_points(model: Model, name: str, poses: Mapping[str, Pose]) -> list[Floats]:
    """Where joints and springs hold a body, in its axes, each place once."""
    parts: list[Any] = [joint for joint in model.joints if joint.kind not in NOT_HOLDING]
    parts += [force for force in model.forces if isinstance(force, Spring)]
    points: list[Floats] = []
    for part in parts:
        for side, at in ((part.a, part.at), (part.b, part.at if part.at_b is None else part.at_b)):
            if side == name:
                point = in_body(poses[name], at)
                if not any(np.allclose(point, known, atol=1e-9) for known in points):
                    points.append(point)
    return points


#: Joints whose point says nothing about where the body reaches to.
NOT_HOLDING = ("gear", "planar", "pointonplane", "rollingsphere", "rollingdisc", "customjoint")


def stick(start: Floats, end: Floats, radius: float, colour: str | None = None) -> Shape:
    """A rod between two points; a ball where they are one."""
    length = float(np.linalg.norm(end - start))
    middle = as_vector((start + end) / 2.0)
    if length < 1e-12:
        return Sphere(radius, position=middle, colour=colour)
    frame = as_matrix(frame_along((end - start) / length))
    return Rod(length, radius, "z", position=middle, rotation=frame, colour=colour)


def equivalent_box(body: Body) -> tuple[Floats, Floats]:
    """Half edges and axes of the box with the body's mass and inertia."""
    moments, turn = np.linalg.eigh(np.array(body.inertia))
    squares = 6.0 / (body.mass or 1.0) * (moments.sum() - 2.0 * moments)
    half = np.sqrt(np.maximum(squares, 1e-4 * max(squares.max(), 1e-12))) / 2.0
    turn[:, 2] *= np.sign(np.linalg.det(turn))
    return half, turn


# --- chains of slender links, which look like one tube ---


def tubes_of(model: Model, poses: Mapping[str, Pose]) -> tuple[dict[str, float], dict[str, str]]:
    """Joints within long chains of links -> radius; bodies -> the first one of their chain."""
    radii: dict[str, float] = {}
    before: dict[str, str] = {}

    def first(name: str) -> str:
        while name in before:
            name = before[name]
        return name

    held = Counter(name for joint in model.joints for name in (joint.a, joint.b))
    for joint in model.joints:
        ends_only = held[joint.a] <= 2 and held[joint.b] <= 2  # no rung of a ladder
        radii[joint.name] = joined_radius(model, joint, poses) if ends_only else 0.0
        ends = first(joint.a), first(joint.b)
        if radii[joint.name] > 0.0 and ends[0] != ends[1]:
            before[ends[1]] = ends[0]
    leaders = {name: first(name) for name in before}
    sizes = Counter(leaders.values())
    leaders = {name: own for name, own in leaders.items() if sizes[own] >= LONG - 1}
    chained = {*leaders, *leaders.values()}
    return {
        j.name: radii[j.name] for j in model.joints if radii[j.name] and j.a in chained
    }, leaders


def joined_radius(model: Model, joint: Joint, poses: Mapping[str, Pose]) -> float:
    """The radius of two round links that a joint holds together end to end, else 0."""
    radii = set()
    for name, at in (
        (joint.a, joint.at),
        (joint.b, joint.at if joint.at_b is None else joint.at_b),
    ):
        shapes = model.body(name).shapes if name != GROUND.name else ()
        if len(shapes) != 1 or not isinstance(shapes[0], Rod | Cylinder | Capsule):
            return 0.0
        link, point = shapes[0], in_body(poses[name], at) - shapes[0].position
        end = np.abs(point @ np.array(link.rotation))["xyz".index(link.axis)]
        off = np.linalg.norm(point) - end + abs(end - 0.5 * link.length)
        if off > 0.05 * link.length or not 0.0 < 2.0 * (link.radius or 0.0) < link.length:
            return 0.0
        radii.add(link.radius)
    return float(radii.pop() or 0.0) if len(radii) == 1 else 0.0


# --- between bodies ---


def ties_of(model: Model, poses: Mapping[str, Pose]) -> tuple[Tie, ...]:
    parts: list[Any] = [joint for joint in model.joints if isinstance(joint, Distance)]
    parts += [force for force in model.forces if isinstance(force, Spring)]
    return tuple(
        Tie(part.name, isinstance(part, Spring), part.a, in_body(poses[part.a], part.at), part.b,
            in_body(poses[part.b], part.at_b))
        for part in parts
    )  # fmt: skip


def spots_of(model: Model, poses: Mapping[str, Pose]) -> tuple[Spot, ...]:
    def spot(joint: Joint) -> Spot:
        turn = poses[joint.a][0]
        return Spot(
            joint.name, joint.kind, joint.a, in_body(poses[joint.a], joint.at),
            np.array(joint.axis) @ turn, GROUND.name in (joint.a, joint.b),
        )  # fmt: skip

    return tuple(spot(joint) for joint in model.joints)
