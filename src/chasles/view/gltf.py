"""`result.animate("top.glb")`: a run for Blender, game engines, slides and viewers of glTF 2.0.

Every body is a node with an animated translation and rotation; the shapes that are drawn are
meshes below it, with their colours as materials. Springs and massless rods stretch. The scene is
turned so that its up is glTF's, +y; lengths are in metres, times in seconds. A file has nodes,
meshes and materials as JSON, their numbers as one buffer: `.glb` is both in one binary file,
`.gltf` is text with the buffer in it as base64.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.model import GROUND
from chasles.result.atomic_file import write_whole
from chasles.result.result import Result
from chasles.view.camera import horizontal
from chasles.view.geometry import Solid, at_rest, own_solid, solid_from, turned, with_normals
from chasles.view.render import linear
from chasles.view.scene import ROD, Part, Scene, Tie, paths
from chasles.view.stage import Stage
from chasles.view.surfaces import (
    COIL,
    TIED,
    WIRE,
    along,
    carried_frames,
    coil_path,
    pattern_of,
    rgb,
    toned,
)
from chasles.view.tracks import chosen_frames, quaternions

Item = dict[str, Any]
FLOAT, UNSIGNED = 5126, 5125  # of WebGL, for components of accessors
VERTICES, INDICES = 34962, 34963  # what a view of the buffer is for
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
GLB, TEXT, BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942  # "glTF", "JSON", "BIN"
LINE = 4  # bytes: where pieces of the buffer begin


class GltfFile:
    """A file in the making: what is added gets a number, by which others refer to it."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Item]] = {
            name: [] for name in ("nodes", "meshes", "materials", "accessors", "bufferViews")
        }
        self.pieces: list[bytes] = []
        self.size = 0
        self.channels: list[Item] = []
        self.samplers: list[Item] = []

    def add(self, kind: str, item: Item) -> int:
        self.lists[kind].append(item)
        return len(self.lists[kind]) - 1

    def numbers(self, values: NDArray[Any], use: int | None = None, bounds: bool = False) -> int:
        """An accessor of floats (n,), (n, 3) or (n, 4), or of indices."""
        whole = np.issubdtype(values.dtype, np.integer)
        array = np.ascontiguousarray(values, "<u4" if whole else "<f4")
        view: Item = {"buffer": 0, "byteOffset": self.size, "byteLength": array.nbytes}
        if use is not None:
            view["target"] = use
        columns = array.reshape(len(array), -1)
        item: Item = {
            "bufferView": self.add("bufferViews", view), "count": len(array),
            "componentType": UNSIGNED if whole else FLOAT, "type": SHAPES[columns.shape[1]],
        }  # fmt: skip
        if bounds:
            item["min"], item["max"] = columns.min(axis=0).tolist(), columns.max(axis=0).tolist()
        self.pieces.append(array.tobytes() + b"\0" * (-array.nbytes % LINE))
        self.size += len(self.pieces[-1])
        return self.add("accessors", item)

    def animate(self, node: int, times: int, **paths: Floats) -> None:
        """Move a node along values at times; it stands at the first where nothing is played."""
        for path, values in paths.items():
            self.lists["nodes"][node][path] = values[0].tolist()
            if np.ptp(values, axis=0).max(initial=0.0) == 0.0:
                continue
            sampler = {"input": times, "output": self.numbers(values), "interpolation": "LINEAR"}
            self.samplers.append(sampler)
            target = {"node": node, "path": path}
            self.channels.append({"sampler": len(self.samplers) - 1, "target": target})

    def head(self, roots: list[int], title: str, about: Item) -> Item:
        """All but the numbers."""
        found: Item = {
            "asset": {"version": "2.0", "generator": "chasles", "extras": about},
            "scene": 0,
            "scenes": [{"name": title, "nodes": roots}],
            "buffers": [{"byteLength": self.size}],
            **{name: items for name, items in self.lists.items() if items},
        }
        if self.channels:
            run = {"name": "run", "channels": self.channels, "samplers": self.samplers}
            found["animations"] = [run]
        return found

    def text(self, head: Item) -> bytes:
        """As .gltf."""
        data = b64encode(b"".join(self.pieces)).decode("ascii")
        buffer = {**head["buffers"][0], "uri": f"data:application/octet-stream;base64,{data}"}
        return json.dumps({**head, "buffers": [buffer]}, allow_nan=False).encode()

    def binary(self, head: Item) -> bytes:
        """As .glb: a header of 12 bytes, then the JSON and the buffer, each with its length."""
        said = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
        said += b" " * (-len(said) % LINE)
        chunks = chunk(TEXT, said) + chunk(BINARY, b"".join(self.pieces))
        return np.array([GLB, 2, 12 + len(chunks)], "<u4").tobytes() + chunks


def chunk(kind: int, content: bytes) -> bytes:
    return np.array([len(content), kind], "<u4").tobytes() + content


Surface = tuple[int, int, int]  # accessors of points, normals and triangles


def write_gltf(stage: Stage, target: Path, frames: int | None) -> Path:
    """Write .glb or .gltf, whole or not at all."""
    film = GltfFile()
    groups = []
    for k, (result, scene) in enumerate(zip(stage.results, stage.scenes)):
        shown = chosen_frames(result, frames, len(stage.results), 0)
        times = (result.t[shown] - result.t[0]).astype("f4")
        shown = shown[np.unique(times, return_index=True)[1]]  # times of glTF have 32 bits
        nodes = Meshes(film).nodes(result, scene, shown)
        place = stage.offsets[k].tolist()
        group: Item = {"name": stage.labels[k], "children": nodes, "translation": place}
        groups.append(film.add("nodes", group))
    root = film.add("nodes", {"name": stage.name, "children": groups, **upright(stage.up)})
    about = {"method": str(stage.results[0].provenance["method"]), "time": "s", "length": "m"}
    head = film.head([root], stage.name, about)
    content = film.binary(head) if target.suffix.lower() == ".glb" else film.text(head)
    return write_whole(target, lambda file: file.write(content))


def upright(up: Floats) -> Item:
    """The rotation that brings up to +y."""
    first, second = horizontal(up)
    turn = np.stack((first, up, -second))  # rows: what becomes x, y and z
    return {"rotation": as_xyzw(quaternions(turn[None]))[0].tolist()}


def as_xyzw(quaternion: Floats) -> Floats:
    return np.asarray(quaternion[:, [1, 2, 3, 0]])


class Meshes:
    """Nodes of one result; equal shapes of one colour share their mesh."""

    def __init__(self, film: GltfFile) -> None:
        self.film = film
        self.surfaces: dict[Any, list[Surface]] = {}
        self.inks: dict[tuple[str, bool], int] = {}
        self.known: dict[Any, int] = {}

    def nodes(self, result: Result, scene: Scene, frames: Any) -> list[int]:
        times = self.film.numbers(result.t[frames] - result.t[0], bounds=True)
        found = []
        for name in (*scene.model.body_names, GROUND.name):
            parts = [part for part in scene.parts if part.body == name]
            children = [self.part(part, pattern_of(scene, part)) for part in parts]
            if name == GROUND.name and not children:
                continue
            node: Item = {"name": name, **({"children": children} if children else {})}
            found.append(self.film.add("nodes", node))
            if name != GROUND.name:
                turn = as_xyzw(quaternions(result.rotation(name)[frames]))
                place = result.position(name)[frames]
                self.film.animate(found[-1], times, translation=place, rotation=turn)
        return found + [self.tie(tie, result, scene, frames, times) for tie in scene.ties]

    def part(self, part: Part, pattern: int) -> int:
        """A shape in the axes of its body."""
        turn = as_xyzw(quaternions(np.array(part.shape.rotation)[None]))[0]
        return self.film.add("nodes", {
            "mesh": self.mesh(part, pattern),
            "translation": [float(x) for x in part.shape.position], "rotation": turn.tolist(),
        })  # fmt: skip

    def mesh(self, part: Part, pattern: int) -> int:
        shape = at_rest(part.shape)
        key = (shape, pattern, part.colour, part.metal)
        if key not in self.known:
            masks, tones = zip(*toned(part, pattern))
            if (shape, pattern) not in self.surfaces:
                self.surfaces[shape, pattern] = self.surface(own_solid(shape), masks)
            self.known[key] = self.painted(
                type(shape).__name__, self.surfaces[shape, pattern], tones, part.metal
            )
        return self.known[key]

    def painted(self, name: str, surface: list[Surface], tones: Sequence[str], metal: bool) -> int:
        primitives = [
            {"attributes": {"POSITION": points, "NORMAL": normals}, "indices": triangles,
             "material": self.ink(tone, metal)}
            for (points, normals, triangles), tone in zip(surface, tones)
        ]  # fmt: skip
        return self.film.add("meshes", {"name": name, "primitives": primitives})

    def surface(self, solid: Solid, kinds: Sequence[Any]) -> list[Surface]:
        """Points, normals and triangles of each tone; a vertex once for each normal it has."""
        vertices, normals, triangles = with_normals(solid, 1e6)
        points = self.film.numbers(solid.vertices[vertices], VERTICES, bounds=True)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        facing = self.film.numbers(normals / lengths, VERTICES)
        return [(points, facing, self.film.numbers(triangles[kind].ravel(), INDICES))
                for kind in kinds]  # fmt: skip

    def ink(self, colour: str, metal: bool) -> int:
        if (colour, metal) not in self.inks:
            self.inks[colour, metal] = self.film.add("materials", {
                "name": colour,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*linear(rgb(colour)).round(6).tolist(), 1.0],
                    "metallicFactor": 0.9 if metal else 0.0,
                    "roughnessFactor": 0.35 if metal else 0.6,
                },
            })  # fmt: skip
        return self.inks[colour, metal]

    def tie(self, tie: Tie, result: Result, scene: Scene, frames: Any, times: int) -> int:
        """A spring or rod of length 1 along z, stretched from one end to the other."""
        start = paths(result, tie.a, tie.at_a[None], frames)[:, 0]
        along = paths(result, tie.b, tie.at_b[None], frames)[:, 0] - start
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-9 * scene.size)
        key = ("tie", tie.spring)
        if key not in self.known:
            surface = self.surface(tube(tie.spring, scene.size), [slice(None)])
            self.known[key] = self.painted("Tie", surface, [TIED[tie.spring]], True)
        node = self.film.add("nodes", {"name": tie.name, "mesh": self.known[key]})
        stretch = np.column_stack((np.ones((len(length), 2)), length))
        turn = as_xyzw(quaternions(carried_frames(along / length[:, None])))
        self.film.animate(node, times, translation=start, rotation=turn, scale=stretch)
        return node


def tube(spring: bool, size: float) -> Solid:
    """A straight rod of length 1 along z; for a spring, a coil with straight ends."""
    if spring:
        return solid_from(*along(coil_path(COIL * size), WIRE * size))
    thick = ROD * size
    return solid_from(*turned(np.array([(0, 0), (thick, 0), (thick, 1), (0, 1)], float), "z", 16))
