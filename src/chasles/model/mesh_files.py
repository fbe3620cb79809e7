"""Triangles from files: STL as text or binary, and OBJ."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.errors import InvalidFile
from chasles.model.words import Floats

Triangles = tuple[Floats, NDArray[np.int64]]
RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
HEADER = 84  # bytes: eighty of text, then the number of triangles


def read_triangles(path: str | os.PathLike[str]) -> Triangles:
    """Vertices (V, 3) and triangles (T, 3) of a file; equal corners of an STL become one."""
    source = Path(path)
    kind = source.suffix.lower()
    if kind not in (".stl", ".obj"):
        raise InvalidFile(
            f"mesh '{source}': files that end in '{kind}' are not read.",
            "Give a .stl or .obj file.",
        )
    try:
        data = source.read_bytes()
    except OSError as error:
        raise InvalidFile(
            f"mesh '{source}' cannot be read: {error.strerror}.", "Give the path of a file."
        ) from None
    return read_obj(data, source) if kind == ".obj" else read_stl(data, source)


def read_stl(data: bytes, source: Path) -> Triangles:
    count = int.from_bytes(data[80:HEADER], "little") if len(data) >= HEADER else -1
    if len(data) == HEADER + count * RECORD.itemsize:  # text may begin with "solid", and so may not
        records = np.frombuffer(data, RECORD, count=count, offset=HEADER)
        return welded(records["corners"].astype(np.float64).reshape(-1, 3), source)
    if data.lstrip()[:5].lower() != b"solid":
        raise InvalidFile(
            f"mesh '{source}' says it holds {count} triangles, but has {len(data)} bytes.",
            "Write the STL file again; it is cut off, or of another kind.",
        )
    numbers = [
        numbers_of(words[1:4], source, line)
        for line, words in enumerate(words_of(data), 1)
        if words and words[0].lower() == "vertex"
    ]
    return welded(np.array(numbers).reshape(-1, 3), source)


def welded(corners: Floats, source: Path) -> Triangles:
    """Triangles that share the corners which are equal to the bit; none that is only a line."""
    if len(corners) == 0 or len(corners) % 3 or not np.isfinite(corners).all():
        raise InvalidFile(
            f"mesh '{source}' has {len(corners)} corners, or some that are not finite.",
            "Triangles have three finite corners each; write the STL file again.",
        )
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3)
    a, b, c = triangles.T
    kept = (a != b) & (b != c) & (c != a)
    return vertices, triangles[kept].astype(np.int64)


def read_obj(data: bytes, source: Path) -> Triangles:
    """`v` and `f` lines; a face of many corners becomes a fan, all else is left out."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line, words in enumerate(words_of(data), 1):
        if words[:1] == ["v"]:
            vertices.append(numbers_of(words[1:4], source, line))
        elif words[:1] == ["f"]:
            face = [corner_of(word, len(vertices), source, line) for word in words[1:]]
            triangles += [(face[0], face[k], face[k + 1]) for k in range(1, len(face) - 1)]
    if not triangles:
        raise InvalidFile(f"mesh '{source}' has no faces.", "Export the solid's surface again.")
    return np.array(vertices), np.array(triangles)


def corner_of(word: str, count: int, source: Path, line: int) -> int:
    """The index in '7', '7/1' or '-1//3', from 0; negative ones count from the last vertex."""
    try:
        number = int(word.split("/")[0])
    except ValueError:
        raise wrong(source, line, word) from None
    index = number - 1 if number > 0 else count + number
    if not 0 <= index < count:
        raise wrong(source, line, word)
    return index


def numbers_of(words: list[str], source: Path, line: int) -> list[float]:
    try:
        x, y, z = (float(word) for word in words)
    except ValueError:
        raise wrong(source, line, " ".join(words)) from None
    return [x, y, z]


def words_of(data: bytes) -> list[list[str]]:
    return [line.split() for line in data.decode("utf-8", "replace").splitlines()]


def wrong(source: Path, line: int, what: Any) -> InvalidFile:
    return InvalidFile(
        f"mesh '{source}', line {line}: '{what}' is not what belongs there.",
        "Write the file again; three numbers make a vertex, known vertices a face.",
    )
