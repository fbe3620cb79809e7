"""`result.animate("top.html")`: one file that holds the film and all that it takes to show it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption, coordinates_of
from chasles.model.errors import told
from chasles.model.model import plural
from chasles.model.shapes import Shape
from chasles.result import Result
from chasles.view.geometry import Solid, at_rest, own_solid
from chasles.view.scene import ROD, TIE, Scene, scene_of_run
from chasles.view.setting import LAYOUTS, floor_lines, reached, set_out
from chasles.view.theme import LIGHT, SANS, style_variables
from chasles.view.tracks import (
    Blob,
    Header,
    chosen_frames,
    pose_tracks,
    spot_headers,
    tie_headers,
    vector_tracks,
)

SCRIPTS = ("space.js", "solids.js", "lines.js", "film.js", "curves.js")
#: The colour of a result among several; the paper's spaces keep theirs.
OWN = {"SE3": "se3", "SO3xR3": "product", "auto": "chosen"}
OWN |= {"SE(3)": "se3", "SO(3)×ℝ³": "product", "chasles": "chosen"}
FREE = ("other", "y", "x", "z", "muted")
MOST_CURVES = 24


@dataclass(frozen=True)
class Film:
    """A film as the text of a page; a notebook shows it in a frame."""

    html: str
    title: str

    def save(self, path: str | Path) -> Path:
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" loading="lazy"'
            ' style="width:100%;height:36rem;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Film({self.title!r}, {len(self.html) / 1e6:.1f} MB)"


def make_film(
    results: Sequence[Result],
    labels: Sequence[str],
    layout: str = "side by side",
    title: str | None = None,
    frames: int | None = None,
    forces: bool = True,
    view: Any = "auto",
    show: Mapping[str, int] | None = None,
    follow: str | None = None,
) -> Film:
    """The film of one or several results; `show` says what is seen at first, {"gaps": True}."""
    blob = Blob()
    scenes = [scene_of_run(result) for result in results]
    size = max(scene.size for scene in scenes)
    solids: dict[Shape, int] = {}
    groups = []
    for index, (result, scene, label) in enumerate(zip(results, scenes, labels)):
        tracks = len(scene.spots) * (1 + forces) + forces * len(result.model.forces)
        chosen = chosen_frames(result, frames, len(results), tracks)
        name, colour = f"g{index}", colours_of(labels)[index]
        group = pose_tracks(result, chosen, blob, name, size)
        group |= {
            "label": label,
            "colour": colour,
            "bodies": list(result.model.body_names),
            "frames": chosen,
            "vectors": vector_tracks(result, scene, chosen, blob, name, forces),
            "ties": tie_headers(scene),
            "spots": spot_headers(scene),
            "parts": part_headers(scene, solids, colour if layout == LAYOUTS[1] else None),
            "trails": trail_colours(scene, colour if len(results) > 1 else None),
        }
        groups.append(group)
    clouds = [
        reached(result, scene, group["frames"])
        for result, scene, group in zip(results, scenes, groups)
    ]
    seen = [
        reached(result, scene, group["frames"], follow)
        for result, scene, group in zip(results, scenes, groups)
    ]
    camera = set_out(groups, seen, scenes[0], layout, view)
    curves = curve_headers(results, labels, groups, blob)
    floor = blob.add("floor", floor_lines(camera, clouds, scenes[0].up, bool(follow)), "f4")
    for group in groups:
        del group["frames"]
    words = title or title_of(results[0])
    head = {
        "groups": groups,
        "solids": [solid_header(own_solid(shape), blob, k) for shape, k in solids.items()],
        "camera": camera,
        "size": size,
        "floor": floor,
        "gravity": any(results[0].model.gravity),
        "apart": layout == LAYOUTS[0],
        "curves": curves,
        "rod": {"radius": ROD * size, "colour": TIE},
        "follow": -1 if follow is None else results[0].model.body_names.index(follow),
        "show": dict(show or {}),
    }
    return Film(page(head, blob, words, about(results)), words)


def page(head: Header, blob: Blob, title: str, words: str) -> str:
    """The template with everything put in; `<` cannot end a script early."""
    folder = files("chasles.view") / "page"
    head = {"arrays": blob.index, **head}
    pieces = {
        "title": escape(title),
        "about": escape(words),
        "style": style_variables() + f":root{{--sans:{SANS}}}" + read(folder / "film.css"),
        "head": json.dumps(head, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "data": blob.text(),
        "script": "\n".join(read(folder / name) for name in SCRIPTS),
    }
    text = read(folder / "film.html")
    parts = text.split("@")  # @name@ at every odd place
    return "".join(pieces[part] if k % 2 else part for k, part in enumerate(parts))


def read(path: Any) -> str:
    return str(path.read_text(encoding="utf-8"))


def title_of(result: Result) -> str:
    names = result.model.body_names
    if len(names) == 1:
        return names[0]
    return f"{names[0]} and {plural(len(names) - 1, 'more body', 'more bodies')}"


def about(results: Sequence[Result]) -> str:
    result, p = results[0], results[0].provenance
    words = f"{result.t[-1] - result.t[0]:g} s"
    if len(results) == 1:
        words += f", {p.get('method', '')} at step {p.get('step', 0.0):g} s"
    return words


# --- several results ---


def colours_of(labels: Sequence[str]) -> list[str]:
    free = iter(FREE * (1 + len(labels) // len(FREE)))
    return [LIGHT[OWN.get(label) or next(free)] for label in labels]


def labels_of(results: Sequence[Result], labels: Sequence[str] | None) -> list[str]:
    """A name for every result: the given ones, or what they differ in."""
    if labels is not None:
        given = [str(label) for label in labels]
        if len(given) != len(results):
            raise InvalidOption(
                f"animate: there are {len(given)} labels for {len(results)} results.",
                "Give one label for each result.",
            )
        return given
    for key in ("spaces", "method", "step", "stabilise", "acceleration"):
        values = [summary(result.provenance.get(key)) for result in results]
        if len(set(values)) == len(values):
            return values
    return [f"result {k + 1}" for k in range(len(results))]


def summary(value: Any) -> str:
    """A setting in a few words; for spaces, the different ones."""
    if isinstance(value, dict):
        every = [v.get("group", str(v)) if isinstance(v, dict) else str(v) for v in value.values()]
        return ", ".join(dict.fromkeys(every))
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- parts and solids ---


def part_headers(scene: Scene, solids: dict[Shape, int], tint: str | None) -> list[Header]:
    index = {body: k for k, body in enumerate(scene.model.body_names)}
    headers = []
    for part in scene.parts:
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = np.array(part.shape.rotation), part.shape.position
        number = solids.setdefault(at_rest(part.shape), len(solids))
        colour = tint if tint is not None and part.role == "body" else part.colour
        headers.append({
            "body": index.get(part.body, -1), "solid": number, "colour": colour,
            "role": part.role, "matrix": [round(x, 9) for x in matrix.T.ravel().tolist()],
        })  # fmt: skip
    return headers


def trail_colours(scene: Scene, tint: str | None) -> list[str]:
    own = {part.body: part.colour for part in reversed(scene.parts) if part.role == "body"}
    return [tint or darker(own.get(name, LIGHT["muted"])) for name in scene.model.body_names]


def darker(colour: str) -> str:
    """A line has less area than a body, so it needs more ink."""
    return "#" + "".join(f"{int(0.72 * int(colour[k : k + 2], 16)):02x}" for k in (1, 3, 5))


def solid_header(solid: Solid, blob: Blob, number: int) -> Header:
    """Vertices once for each normal that they have, as WebGL wants them."""
    normals = np.round(127.0 * solid.normals.reshape(-1, 3)).astype(np.int64)
    key = np.column_stack((solid.triangles.ravel(), normals))
    unique, index = np.unique(key, axis=0, return_inverse=True)
    kind = "u2" if len(unique) < 65536 else "u4"
    first = np.zeros(len(solid.vertices), np.int64)
    first[unique[::-1, 0]] = np.arange(len(unique))[::-1]
    padded = np.column_stack((unique[:, 1:], np.zeros(len(unique), np.int64)))
    edges = first[solid.edges[solid.creased]]
    return {
        "points": blob.add(f"s{number}.p", solid.vertices[unique[:, 0]], "f4"),
        "normals": blob.add(f"s{number}.n", padded, "i1"),
        "faces": blob.add(f"s{number}.f", index.ravel(), kind),
        "edges": blob.add(f"s{number}.e", edges, kind),
    }


# --- curves below the film ---


def curve_headers(
    results: Sequence[Result], labels: Sequence[str], groups: list[Header], blob: Blob
) -> list[Header]:
    """The energy's error, the largest gap, and joints' coordinates, over the film's times."""
    wanted: list[tuple[str, bool, Any]] = [
        ("energy: E − E₀ − work, J", False, lambda r: r.energy_balance())
    ]
    if results[0].model.joints:
        wanted.append(("largest joint gap, m", True, largest_gap))
    for joint in results[0].model.joints:
        for kind in coordinates_of(joint):
            unit = "rad" if kind == "angle" else "m"
            words = f"{kind} of {joint.name}, {unit}"
            wanted.append((words, False, lambda r, j=joint.name, k=kind: r.coordinate(j, k)))
    curves = []
    for number, (name, logarithmic, function) in enumerate(wanted[:MOST_CURVES]):
        series = []
        for index, (result, group) in enumerate(zip(results, groups)):
            values = np.asarray(function(result))[group["frames"]]
            key = blob.add(f"c{number}.{index}", values, "f4")
            series.append({"group": index, "key": key, "colour": group["colour"]})
        curves.append({"name": name, "log": logarithmic, "series": series})
    return curves


def largest_gap(result: Result) -> Floats:
    gaps = [result.violation(joint) for joint in result.model.joints]
    return np.asarray(np.max(gaps, axis=0))


def checked_layout(layout: Any) -> str:
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise InvalidOption(
            f"animate: layout must be 'side by side' or 'overlaid', got {told(layout)}.",
            "Take one of the two.",
        )
    return layout
