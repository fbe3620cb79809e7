"""The parts of a glTF 2.0 file: nodes, meshes and materials as JSON, their numbers as one buffer.

`.glb` has both in one binary file, `.gltf` is text with the buffer in it as base64.
"""

import json
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats

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
