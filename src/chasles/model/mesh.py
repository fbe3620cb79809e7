"""A body's surface as triangles, from files too, and the mass properties of what it encloses."""

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.checks import (
    Vector3,
    as_vector,
    checked_array,
    checked_positive,
    fill,
    in_brackets,
)
from chasles.model.errors import InvalidBody, InvalidFile, short_repr
from chasles.model.shapes import Shape
from chasles.model.words import Floats

Whole = NDArray[np.int64]


class Mesh(Shape):
    """A surface of triangles in the axes of the shape.

    Parameters
    ----------
    vertices
        (V, 3), m.
    triangles
        (T, 3) indices of vertices, counter-clockwise seen from outside.

    Notes
    -----
    `position` and `rotation` move the mesh as it is: its origin need not be its centroid. Every
    mesh can be drawn. Only a closed mesh with triangles that point outwards has a volume and an
    inertia.

    Examples
    --------
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]).volume * 6
    1.0
    """

    vertices: Annotated[Any, checked_array]
    triangles: Any

    def _check(self) -> None:
        vertices, triangles = self.vertices, indices_of(self.triangles)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise self._wrong(
                f"vertices has shape {vertices.shape}.",
                "Give one row (x, y, z) for each.",
            )
        if triangles.ndim != 2 or triangles.shape[1:] != (3,) or triangles.dtype.kind not in "iu":
            raise self._wrong(
                f"triangles has shape {triangles.shape} and type {triangles.dtype}.",
                "Give three whole numbers for each: the indices of its vertices.",
            )
        if not len(triangles):
            raise InvalidBody(
                f"{self.where} has no triangles.", "Give at least one, or leave it out."
            )
        if triangles.min() < 0 or triangles.max() >= len(vertices):
            raise self._wrong(
                f"triangles name vertices {triangles.min()} to {triangles.max()}, but"
                f" there are {len(vertices)}.",
                f"Give indices from 0 to {len(vertices) - 1}.",
            )
        whole = triangles.astype(np.int64)
        vertices.setflags(write=False)
        whole.setflags(write=False)
        fill(self, triangles=whole)

    @classmethod
    def read(cls, path: str | os.PathLike[str], scale: float = 1.0, **pose: Any) -> "Mesh":
        """From an STL (text or binary) or OBJ file; scale=0.001 for a file in millimetres."""
        if not isinstance(path, str | os.PathLike):
            raise InvalidFile(
                f"mesh: path must be the name of a file, got {short_repr(path)}.",
                "Give the path of a .stl or .obj file.",
            )
        factor = checked_positive(scale, "scale", "", f"mesh '{path}'", InvalidBody)
        vertices, triangles = read_triangles(path)
        return cls(vertices=vertices * factor, triangles=triangles, **pose)

    def flipped(self) -> "Mesh":
        """The same surface, seen from the other side."""
        return replace(self, triangles=self.triangles[:, ::-1])

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.triangles)} triangles)"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mesh)
            and (self.position, self.rotation, self.colour)
            == (other.position, other.rotation, other.colour)
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.triangles, other.triangles)
        )

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.triangles.tobytes(), self.position))

    # --- what it encloses ---

    @property
    def volume(self) -> float:
        return self._integrals[0]

    @property
    def centroid(self) -> Vector3:
        turn = np.array(self.rotation)
        return as_vector(np.array(self.position) + turn @ self._integrals[1])

    def moments(self, mass: float) -> Vector3:
        """The diagonal of the inertia about the centroid; a mesh may have products, too."""
        return as_vector(np.diag(mass * self._integrals[2]))

    def inertia(self, mass: float) -> Floats:
        turn = np.array(self.rotation)
        return np.asarray(turn @ (mass * self._integrals[2]) @ turn.T)

    @cached_property
    def _integrals(self) -> tuple[float, Floats, Floats]:
        check_closed(self.vertices, self.triangles)
        volume, centroid, per_mass = volume_integrals(self.vertices, self.triangles)
        if volume <= 0.0:
            raise InvalidBody(
                f"shape 'mesh' encloses {volume:g} m^3: its triangles point inwards.",
                "Turn it inside out: mesh.flipped().",
            )
        return volume, centroid, per_mass


def check_closed(vertices: Floats, triangles: Whole) -> None:
    """Refuse a surface with a rim, or whose triangles disagree about where outside is.

    A surface is closed and oriented if every edge is run once in each direction.
    """
    runs = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    code = runs[:, 0] * len(vertices) + runs[:, 1]
    back = runs[:, 1] * len(vertices) + runs[:, 0]
    lone = ~np.isin(code, back)
    if lone.any():
        first, second = vertices[runs[np.argmax(lone)]]
        raise InvalidBody(
            f"shape 'mesh' is open: {int(lone.sum())} of its {len(code)} edges have a triangle on"
            f" one side only, among them the one from {in_brackets(first)} to"
            f" {in_brackets(second)} m.",
            "Close it, or give the body's mass and inertia yourself and draw the mesh.",
        )
    known, count = np.unique(code, return_counts=True)
    if (count > 1).any():
        ends = divmod(int(known[np.argmax(count > 1)]), len(vertices))
        first, second = (in_brackets(vertices[end]) for end in ends)
        raise InvalidBody(
            f"shape 'mesh': {int((count > 1).sum())} edges are run twice in one direction, among"
            f" them the one from {first} to {second} m: neighbours"
            " disagree about where outside is.",
            "Give all triangles counter-clockwise seen from outside, and each only once.",
        )


def volume_integrals(vertices: Floats, triangles: Whole) -> tuple[float, Floats, Floats]:
    r"""Volume, centroid, and inertia about the centroid over the mass.

    By the divergence theorem an integral over the solid is one over its surface, and thus a sum
    over tetrahedra from one point to the triangles (a, b, c), signed by d = det(a, b, c):

    $$V = \sum d / 6, \quad V\bar x = \sum d\, s / 24, \quad
      \int x x^T = \sum d\,(a a^T + b b^T + c c^T + s s^T) / 120, \quad s = a + b + c$$

    The point is the middle of the vertices, so that a solid far away does not cancel.
    """
    middle = vertices.mean(axis=0)
    a, b, c = (vertices[triangles[:, k]] - middle for k in range(3))
    determinant = np.einsum("ti,ti->t", a, np.cross(b, c))
    volume = float(determinant.sum() / 6.0)
    if volume <= 0.0:
        return volume, middle, np.eye(3)
    total = a + b + c
    centroid = (determinant @ total) / (24.0 * volume)
    second = sum(np.einsum("t,ti,tj->ij", determinant, x, x) for x in (a, b, c, total)) / 120.0
    spread = second / volume - np.outer(centroid, centroid)
    return volume, middle + centroid, np.trace(spread) * np.eye(3) - spread


CELLS = (512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 8)  # along the longest edge, finest first


def fewer_triangles(vertices: Floats, triangles: Whole, most: int) -> tuple[Floats, Whole]:
    """As fine as a grid allows that leaves no more than so many triangles.

    >>> square = np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    >>> fewer_triangles(square, np.array([(0, 1, 2), (0, 2, 3)]), 2)[1].tolist()
    [[0, 1, 2], [0, 2, 3]]
    """
    if len(triangles) <= most:
        return vertices, triangles
    low, wide = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max()) or 1.0
    found = vertices, triangles
    for cells in CELLS:
        cell = np.floor((vertices - low) / wide * cells).astype(np.int64)
        code = (cell[:, 0] * (cells + 1) + cell[:, 1]) * (cells + 1) + cell[:, 2]
        _, group = np.unique(code, return_inverse=True)
        count = np.bincount(group)
        middles = np.stack([np.bincount(group, vertices[:, k]) / count for k in range(3)], axis=1)
        corners = group[triangles]
        a, b, c = corners.T
        corners = corners[(a != b) & (b != c) & (c != a)]
        _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
        found = middles, corners[np.sort(first)]
        if len(first) <= most:
            break
    return found


def indices_of(triangles: Any) -> NDArray[Any]:
    """What may be indices as an array; what is none has no shape."""
    try:
        return np.asarray(triangles)
    except Exception:  # ragged, or whatever an object says that is asked for its numbers
        return np.array(None)


# --- files: STL as text or binary, and OBJ --------------------------------------------------------

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
