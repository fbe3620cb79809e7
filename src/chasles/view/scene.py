"""What there is to draw of a model: parts that move with their bodies, ties between two points.

Everything is in the axes of its body, from its centre of mass; the ground's parts are in the
world.  Pictures, films and viewers only place it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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

#: Of bodies that say nothing about theirs, in turn; even in lightness.
BODY_COLOURS = ("#4f86c6", "#e07a5f", "#5aa786", "#9b7ecb", "#e0a83e", "#43a3b5", "#cf6a92",
                "#8a9a5b")  # fmt: skip
METALS = ("steel", "aluminium", "brass", "copper")
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

    @property
    def metal(self) -> bool:
        return self.role == "joint" or self.shape.colour in METALS


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


@dataclass(eq=False)
class Scene:
    """A model in the poses of its start: (rotation, position) of every body and of the ground."""

    model: Model
    parts: list[Part] = field(default_factory=list)

    @cached_property
    def start(self) -> dict[str, Pose]:
        poses = {b.name: (np.array(b.rotation), np.array(b.position)) for b in self.model.bodies}
        return {**poses, GROUND.name: AT_HOME}

    @property
    def up(self) -> Floats:
        return up_of(self.model)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The place of each body in the model, -1 of the ground and of none."""
        return {GROUND.name: -1, "": -1} | {n: k for k, n in enumerate(self.model.body_names)}

    @cached_property
    def size(self) -> float:
        """The largest extent of the model at the start, m."""
        points = [np.array(joint.at).reshape(1, 3) for joint in self.model.joints]
        for body in self.model.bodies:
            pose = self.start[body.name]
            points.append(pose[1].reshape(1, 3))
            points += [place(pose, solid_of(shape).vertices) for shape in body.shapes]
        points += [np.array([s.at, s.at_b]) for s in self.model.forces if isinstance(s, Spring)]
        points += first_feet(self.model, self.start)
        extent = float(np.ptp(np.concatenate(points), axis=0).max())
        if extent > 0.0:
            return extent
        return max(2.0 * float(equivalent_box(body)[0].max()) for body in self.model.bodies)

    @cached_property
    def extents(self) -> dict[str, float]:
        """Body -> how far its shapes reach, m."""
        found: dict[str, float] = {}
        for part in self.parts:
            if part.role == "body":
                wide = float(np.ptp(part.solid.vertices, axis=0).max())
                found[part.body] = max(found.get(part.body, 0.0), wide)
        return found

    @cached_property
    def colours(self) -> dict[str, str]:
        """Body -> the colour of its first shape."""
        return {part.body: part.colour for part in reversed(self.parts) if part.role == "body"}

    @cached_property
    def ties(self) -> list[Tie]:
        parts: list[Any] = [joint for joint in self.model.joints if isinstance(joint, Distance)]
        parts += [force for force in self.model.forces if isinstance(force, Spring)]
        return [
            Tie(part.name, isinstance(part, Spring), part.a, self.local(part.a, part.at), part.b,
                self.local(part.b, part.at_b))
            for part in parts
        ]  # fmt: skip

    @cached_property
    def spots(self) -> list[Spot]:
        return [
            Spot(
                joint.name, joint.kind, joint.a, self.local(joint.a, joint.at),
                np.array(joint.axis) @ self.start[joint.a][0], GROUND.name in (joint.a, joint.b),
            )
            for joint in self.model.joints
        ]  # fmt: skip

    def local(self, body: str, at: Any) -> Floats:
        """A point of the world at the start, in the axes of a body."""
        rotation, position = self.start[body]
        return np.asarray((np.array(at) - position) @ rotation)

    def world(self, body: str, points: Floats) -> Floats:
        """Points of a body, in the world at the start."""
        return place(self.start[body], points)


def up_of(model: Model) -> Floats:
    """Against gravity; z where there is none."""
    gravity = np.array(model.gravity)
    strength = np.linalg.norm(gravity)
    return np.array([0.0, 0.0, 1.0]) if strength == 0.0 else -gravity / strength


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


def paths(result: Any, body: str, points: Floats, frames: Any) -> Floats:
    """Points of a body in the world in saved states (T, points, 3)."""
    if body == GROUND.name:
        return np.broadcast_to(points, (len(frames), *points.shape))
    turned = np.einsum("tij,pj->tpi", result.rotation(body)[frames], points)
    return np.asarray(result.position(body)[frames][:, None] + turned)


def scene_of_run(result: Any, tint: str | None = None) -> Scene:
    """The scene of a result's model, with floors as long as its bodies move on them."""
    touching = {force.b for force in result.model.forces if isinstance(force, Contact)}
    ways = {name: result.position(name) for name in touching}
    return scene_of(result.model, ways, tint)


def scene_of(
    model: Model, ways: Mapping[str, Floats] | None = None, tint: str | None = None
) -> Scene:
    """The scene of a model, with bodies in one colour if there is a tint.

    `ways` are positions of bodies over time (T, 3), where it is to be seen in motion.
    """
    scene = Scene(model)
    tubes, leaders = tubes_of(scene)
    parts = scene.parts
    for body in model.bodies:
        index = scene.numbers[leaders.get(body.name, body.name)]
        usual = BODY_COLOURS[index % len(BODY_COLOURS)]
        for shape in shapes_of(scene, body):
            colour = usual if shape.colour is None else hex_of(shape.colour)
            parts.append(Part(body.name, shape, tint or colour, "body"))
    own = scene.colours
    size = GLYPH * scene.size / max(1.0, len(model.joints) / 8.0) ** 0.5  # they are close if many
    for joint in model.joints:
        if joint.name in tubes:
            at = as_vector(scene.local(joint.a, joint.at))
            ball = Sphere(tubes[joint.name], position=at)
            parts.append(Part(joint.a, ball, own[joint.a], "body"))
            continue
        for name, shapes in zip((joint.a, joint.b), glyph_of(joint, size)):
            parts += [painted(scene, name, shape, "joint") for shape in shapes]
    springs = [f for f in model.forces if isinstance(f, Spring) and GROUND.name in (f.a, f.b)]
    parts += [mount_of(spring, 1.4 * size) for spring in springs]
    floors = contact_shapes(model, scene.start, scene.size, ways or {})
    parts += [painted(scene, name, shape, "floor") for name, shape in floors]
    return scene


def painted(scene: Scene, body: str, shape: Shape, role: str) -> Part:
    """A shape given in the world as a part of a body, in its own colour."""
    turn = as_matrix(scene.start[body][0].T @ np.array(shape.rotation))
    moved = replace(shape, position=as_vector(scene.local(body, shape.position)), rotation=turn)
    return Part(body, moved, hex_of(shape.colour or "grey"), role)


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


# --- bodies ---


def shapes_of(scene: Scene, body: Body) -> list[Shape]:
    """A body's own shapes, with sticks to the joints that lie outside of them."""
    held, size = held_points(scene, body.name), scene.size
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


def held_points(scene: Scene, name: str) -> list[Floats]:
    """Where joints and springs hold a body, in its axes, each place once."""
    parts: list[Any] = [joint for joint in scene.model.joints if joint.kind not in NOT_HOLDING]
    parts += [force for force in scene.model.forces if isinstance(force, Spring)]
    points: list[Floats] = []
    for part in parts:
        for side, at in ends_of(part):
            if side == name:
                point = scene.local(name, at)
                if not any(np.allclose(point, known, atol=1e-9) for known in points):
                    points.append(point)
    return points


def ends_of(part: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """Bodies of a joint or spring, and its points on them, in the world at the start."""
    at_b = getattr(part, "at_b", None)
    return (part.a, part.at), (part.b, part.at if at_b is None else at_b)


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


def tubes_of(scene: Scene) -> tuple[dict[str, float], dict[str, str]]:
    """Joints within long chains of links -> radius; bodies -> the first one of their chain."""
    joints = scene.model.joints
    held = Counter(name for joint in joints for name in (joint.a, joint.b))
    radii: dict[str, float] = {}
    chains: dict[str, list[str]] = {}  # of each link, in one list for all of a chain
    for joint in joints:
        if held[joint.a] <= 2 and held[joint.b] <= 2:  # no rung of a ladder
            radii[joint.name] = joined_radius(scene, joint)
        if radii.get(joint.name):
            one, other = (chains.setdefault(name, [name]) for name in (joint.a, joint.b))
            if one is not other:
                one += other
                chains.update(dict.fromkeys(other, one))
    leaders = {name: chain[0] for name, chain in chains.items() if len(chain) >= LONG}
    return {j.name: radii[j.name] for j in joints if radii.get(j.name) and j.a in leaders}, leaders


def joined_radius(scene: Scene, joint: Joint) -> float:
    """The radius of two round links that a joint holds together end to end, else 0."""
    radii = set()
    for name, at in ends_of(joint):
        shapes = scene.model.body(name).shapes if name != GROUND.name else ()
        if len(shapes) != 1 or not isinstance(shapes[0], Rod | Cylinder | Capsule):
            return 0.0
        link, point = shapes[0], scene.local(name, at) - shapes[0].position
        end = np.abs(point @ np.array(link.rotation))["xyz".index(link.axis)]
        off = np.linalg.norm(point) - end + abs(end - 0.5 * link.length)
        if off > 0.05 * link.length or not 0.0 < 2.0 * (link.radius or 0.0) < link.length:
            return 0.0
        radii.add(link.radius)
    return float(radii.pop() or 0.0) if len(radii) == 1 else 0.0
