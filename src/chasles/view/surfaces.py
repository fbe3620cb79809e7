"""Everything that is drawn of a scene as triangles in the world, with colours and two tones."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.model import GROUND
from chasles.model.shapes import Cylinder, Ring, Sphere
from chasles.view.geometry import Solid, Whole, at_rest, own_solid, solid_from
from chasles.view.glyphs import frame_along
from chasles.view.scene import AT_HOME, ROD, TIE, Part, Pose, Scene, Tie, place, stick

COILS, AROUND = 9, 24  # turns of a spring, and points of each
COIL, WIRE = 0.028, 0.006  # radii of a spring and of its wire, over the size of the model
TIED = {True: "#aeb7c2", False: TIE}  # whether a spring -> colour


PLAIN, OCTANTS, QUARTERS, EIGHTHS = range(4)  # patterns: a ball's, a wheel's and a ring's
MAIN = 0.3  # of a body's extent: a ball with at least that radius is the body, not a part of it
ONTO = {"x": [1, 2, 0], "y": [2, 0, 1], "z": [0, 1, 2]}  # columns that bring z onto an axis


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in the world: vertices (V, 3), normals of corners (T, 3, 3), colours (T, 3)."""

    solid: Solid
    vertices: Floats
    normals: Floats
    colours: Floats
    metal: bool


def surfaces_of(scene: Scene, poses: Mapping[str, Pose]) -> list[Surface]:
    """All parts and ties of a scene."""
    parts = [part_surface(p, poses[p.body], pattern_of(scene, p)) for p in scene.parts]
    return parts + [tie_surface(scene, tie, poses) for tie in scene.ties]


def part_surface(part: Part, pose: Pose, pattern: int = 0) -> Surface:
    solid = part.solid
    colours = np.empty((len(solid.triangles), 3))
    for mask, tone in toned(part, pattern):
        colours[mask] = rgb(tone)
    vertices, normals = place(pose, solid.vertices), solid.normals @ pose[0].T
    return Surface(solid, vertices, normals, colours, part.metal)


def toned(part: Part, pattern: int) -> list[tuple[NDArray[np.bool_], str]]:
    """Triangles of a part by their colours."""
    own, axis = own_solid(at_rest(part.shape)), getattr(part.shape, "axis", "z")
    return list(zip(halves(own, pattern, axis), two_tones(part.colour, pattern)))


def pattern_of(scene: Scene, part: Part) -> int:
    """What shows that a round part turns; without it a ball that spins seems to stand."""
    shape = part.shape
    if part.role != "body":
        return PLAIN
    if isinstance(shape, Sphere) and shape.radius >= MAIN * scene.extents[part.body]:
        return OCTANTS
    if isinstance(shape, Cylinder) and shape.length < 1.2 * shape.radius:
        return QUARTERS
    return EIGHTHS if isinstance(shape, Ring) else PLAIN


def rgb(colour: str) -> Floats:
    """Red, green and blue, 0 to 255."""
    return np.array([float(int(colour[k : k + 2], 16)) for k in (1, 3, 5)])


def halves(solid: Solid, pattern: int, axis: str) -> list[NDArray[np.bool_]]:
    """Which triangles have which tone: all one, or two tones in turn, so that spin is seen."""
    if pattern == PLAIN:
        return [np.ones(len(solid.triangles), bool)]
    x, y, z = solid.vertices[solid.triangles].mean(axis=1)[:, ONTO[axis]].T
    if pattern == EIGHTHS:
        x, y = x * x - y * y, 2.0 * x * y
    second = x * y * z > 0.0 if pattern == OCTANTS else x * y < 0.0
    return [~second, second]


def two_tones(colour: str, pattern: int) -> list[str]:
    """As on pages: a ball is marked in near white, a wheel a shade darker, or lighter if dark."""
    own = rgb(colour)
    other = 0.72 * own if own.mean() > 115.0 else own + 33.0
    if pattern == OCTANTS:
        other = 0.18 * own + 0.82 * 237.0
    return [colour, "#" + "".join(f"{round(x):02x}" for x in other)]


# --- springs and rods without mass ---


def tie_ends(tie: Tie, poses: Mapping[str, Pose]) -> tuple[Floats, Floats]:
    return place(poses[tie.a], tie.at_a), place(poses[tie.b], tie.at_b)


def tie_surface(scene: Scene, tie: Tie, poses: Mapping[str, Pose]) -> Surface:
    """A coil of wire, or a rod, from one end to the other."""
    start, end = tie_ends(tie, poses)
    length, colour = float(np.linalg.norm(end - start)), TIED[tie.spring]
    if not tie.spring or length < 1e-12:
        rod = stick(start, end, ROD * scene.size)
        return part_surface(Part(GROUND.name, rod, colour, "joint"), AT_HOME)
    unit = coil_path(COIL * scene.size) * (1.0, 1.0, length)
    path = start + unit @ frame_along((end - start) / length).T
    solid = solid_from(*along(path, WIRE * scene.size))
    colours = np.tile(rgb(colour), (len(solid.triangles), 1))
    return Surface(solid, solid.vertices, solid.normals, colours, True)


def coil_path(radius: float) -> Floats:
    """A helix about z from 0 to 1, with straight ends."""
    turn = np.linspace(0.0, 2.0 * np.pi * COILS, AROUND * COILS + 1)
    helix = (radius * np.cos(turn), radius * np.sin(turn), 0.12 + 0.76 * turn / turn[-1])
    return np.vstack(((0, 0, 0), (0, 0, 0.12), np.stack(helix, 1), (0, 0, 0.88), (0, 0, 1)))


def along(path: Floats, radius: float, sides: int = 8) -> tuple[Floats, Whole]:
    """The surface of a tube along a path."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    frames = carried_frames(tangent)
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = radius * np.stack((np.cos(angle), np.sin(angle)), 1)
    vertices = path[:, None] + np.einsum("kij,sj->ksi", frames[:, :, :2], ring)
    k, s = np.meshgrid(np.arange(len(path) - 1), np.arange(sides), indexing="ij")
    here, right = k * sides + s, k * sides + (s + 1) % sides
    first = np.stack((here, right, right + sides), -1).reshape(-1, 3)
    second = np.stack((here, right + sides, here + sides), -1).reshape(-1, 3)
    return vertices.reshape(-1, 3), np.vstack((first, second))


def carried_frames(directions: Floats) -> Floats:
    """(T, 3, 3) with z along unit vectors, each turned from the one before by the shortest way."""
    frame = frame_along(directions[0])
    found = [frame]
    for z in directions[1:]:
        x = frame[:, 0] - (frame[:, 0] @ z) * z
        length = np.linalg.norm(x)
        frame = frame_along(z)
        if length >= 1e-6:
            frame = np.stack((x / length, np.cross(z, x / length), z), 1)
        found.append(frame)
    return np.array(found)
