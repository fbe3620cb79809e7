"""Surfaces from COLLADA (.dae), the format of many visual meshes of robots: triangles alone.

As ROS reads it: units are applied, the upward axis is not, and neither are materials.  The text is
looked at before it is parsed: document types and entities are refused.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from chasles.io.xml_checks import has_entities
from chasles.model import InvalidFile
from chasles.model.mesh import Triangles, welded
from chasles.model.words import Floats

Element = ElementTree.Element
COLLADA = ".dae"
MOST_PLACED = 10_000  # nodes of a scene: each may place a geometry, and nodes may be shared
FACES = ("triangles", "polylist", "polygons", "trifans")


def read_collada(path: Path) -> Triangles:
    """Vertices (V, 3) in m and triangles (T, 3) of all that the scene of a file shows."""
    text = path.read_text("utf-8", errors="replace")
    if has_entities(text):
        raise refused(path, "has a document type or entities")
    try:
        return surface(ElementTree.fromstring(text), path)
    except (ElementTree.ParseError, ValueError, LookupError, RuntimeError) as error:
        raise refused(path, f"cannot be read ({type(error).__name__})") from None


def surface(root: Element, path: Path) -> Triangles:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # without its namespace
    named = {element.attrib["id"]: element for element in root.iter() if "id" in element.attrib}
    unit = root.find("asset/unit")
    scale = float(unit.attrib.get("meter", 1.0)) if unit is not None else 1.0
    vertices: list[Floats] = []
    triangles: list[NDArray[np.int64]] = []
    count = placed = 0
    for scene in root.iter("visual_scene"):
        for geometry, matrix in shown(scene, np.diag((scale, scale, scale, 1.0)), named):
            placed += 1
            if placed > MOST_PLACED:
                raise refused(path, f"shows more than {MOST_PLACED} geometries")
            for points, corners in faces_of(geometry, named):
                vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
                triangles.append(corners + count)
                count += len(points)
    if not triangles:
        raise refused(path, "shows no triangles")
    return welded(np.concatenate(vertices)[np.concatenate(triangles)].reshape(-1, 3), path)


def shown(
    node: Element, above: Floats, named: dict[str, Element], depth: int = 0
) -> Iterator[tuple[Element, Floats]]:
    """Geometries that a node and those below it place, each with its matrix."""
    if depth > 100:
        raise RecursionError
    matrix = above
    for part in node:
        if part.tag in ("matrix", "translate", "rotate", "scale"):
            matrix = matrix @ transform(part.tag, numbers(part))
    for part in node:
        if part.tag == "node":
            yield from shown(part, matrix, named, depth + 1)
        elif part.tag == "instance_node":
            yield from shown(meant(part, "url", named), matrix, named, depth + 1)
        elif part.tag == "instance_geometry":
            yield meant(part, "url", named), matrix


def transform(kind: str, given: Floats) -> Floats:
    """The 4 by 4 matrix of one transformation of a node."""
    matrix = np.eye(4)
    if kind == "matrix":
        return given.reshape(4, 4)
    if kind == "translate":
        matrix[:3, 3] = given.reshape(3)
    elif kind == "scale":
        matrix[:3, :3] = np.diag(given.reshape(3))
    else:
        x, y, z = given[:3] / (np.linalg.norm(given[:3]) or 1.0)
        angle = np.radians(given[3])
        cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
        matrix[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return matrix


def faces_of(
    geometry: Element, named: dict[str, Element]
) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Points and triangles of every set of faces of a geometry; those of many corners as fans."""
    for faces in (element for kind in FACES for element in geometry.iter(kind)):
        inputs = faces.findall("input")
        vertex = of_semantic(inputs, "VERTEX")
        width = 1 + max(int(one.attrib.get("offset", 0)) for one in inputs)
        position = of_semantic(meant(vertex, "source", named).iter("input"), "POSITION")
        source = meant(position, "source", named)
        accessor, values = source.find(".//accessor"), source.find("float_array")
        stride = int(accessor.attrib.get("stride", 3)) if accessor is not None else 3
        points = numbers(values).reshape(-1, stride)[:, :3] if values is not None else np.zeros(0)
        at = int(vertex.attrib.get("offset", 0))
        loops = [numbers(p).astype(np.int64).reshape(-1, width)[:, at] for p in faces.findall("p")]
        counts = faces.find("vcount")
        if counts is not None:
            ends = np.cumsum(numbers(counts).astype(np.int64))
            loops = [loop for p in loops for loop in np.split(p, ends) if len(loop)]
        if faces.tag == "triangles":
            corners = np.concatenate([np.zeros(0, np.int64), *loops]).reshape(-1, 3)
        else:
            fans = [(loop[0], *two) for loop in loops for two in pairwise(loop[1:])]
            corners = np.array(fans, np.int64).reshape(-1, 3)
        if len(corners):
            if corners.min() < 0 or corners.max() >= len(points):
                raise IndexError
            yield points, corners


def numbers(element: Element) -> Floats:
    return np.array((element.text or "").split(), np.float64)


def of_semantic(inputs: Iterable[Element], word: str) -> Element:
    """The one input that means this."""
    (found,) = (one for one in inputs if one.attrib["semantic"] == word)
    return found


def meant(element: Element, attribute: str, named: dict[str, Element]) -> Element:
    return named[element.attrib[attribute].removeprefix("#")]


def refused(path: Path, why: str) -> InvalidFile:
    return InvalidFile(f"mesh '{path}' {why}.", "Export it again as COLLADA, STL or OBJ.")
