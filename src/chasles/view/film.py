"""`result.animate("top.html")`: one file that holds the film and all that it takes to show it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import InvalidOption
from chasles.model.checks import is_scalar
from chasles.model.errors import short_repr
from chasles.model.model import plural
from chasles.result.atomic_file import checked_path, write_text
from chasles.result.result import Result
from chasles.view.camera import LAYOUTS, lowest_of, reached, set_out
from chasles.view.forms import LIT, Forms, floor_level, part_headers
from chasles.view.scene import Scene, scene_of_run
from chasles.view.theme import LIGHT, SANS
from chasles.view.tracks import (
    STEPS,
    Blob,
    Header,
    chosen_frames,
    pose_tracks,
    spot_headers,
    tie_headers,
    vector_tracks,
)

SCRIPTS = ("math.js", "forms.js", "shaders.js", "gl.js", "render.js", "plain.js", "data.js",
           "camera.js", "scene.js", "plot.js", "card.js", "hands.js", "live.js",
           "film.js")  # fmt: skip
LIVE = "live.js"  # only in pages that run
#: The colour of a result among several; the paper's spaces keep theirs.
OWN = {"SE3": "se3", "SO3xR3": "product", "auto": "chosen"}
OWN |= {"SE(3)": "se3", "SO(3)×ℝ³": "product", "chasles": "chosen"}
FREE = ("other", "y", "x", "z", "muted")
MOST_CURVES, MOST_SPEEDS = 24, 6
LIVELY = 0.1  # of the kinetic energy: if it varies by less, speeds come first
ROUNDED = 1e-12  # of the kinetic energy: less is round-off
GAPS = "Largest joint gap"  # the name of its curve


@dataclass(frozen=True)
class Film:
    """A film as the text of a page; a notebook shows it in a frame."""

    html: str
    title: str

    def save(self, path: str | Path) -> Path:
        return write_text(checked_path(path), self.html)

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
    show: Mapping[str, Any] | None = None,
    follow: str | None = None,
) -> Film:
    """The film of one or several results; `show` says what is seen at first, {"gaps": True}."""
    blob = Blob()
    forms = Forms(blob)
    scenes = [scene_of_run(result) for result in results]
    size = max(scene.size for scene in scenes)
    groups, chosen = [], []
    for index, (result, scene) in enumerate(zip(results, scenes)):
        tracks = len(scene.spots) * (1 + 2 * forces) + forces * len(result.model.forces)
        shown = chosen_frames(result, frames, len(results), tracks)
        name = f"g{index}"
        groups.append({
            **pose_tracks(result, shown, blob, name, size),
            **group_header(scene, forms, labels, index, layout),
            "vectors": vector_tracks(result, scene, shown, blob, name, forces),
        })  # fmt: skip
        chosen.append(shown)
    head = {
        **setting_header(results, scenes, chosen, groups, layout, view, follow),
        "groups": groups,
        "forms": forms.list,
        "curves": curve_headers(results, groups, chosen, blob),
        "show": dict(show or {}),
    }
    words = title or title_of(results[0])
    return Film(page(head, blob, words, about(results)), words)


def group_header(
    scene: Scene, forms: Forms, labels: Sequence[str], index: int, layout: str
) -> Header:
    """What there is of a result, without its motion."""
    model, colour = scene.model, colours_of(labels)[index]
    return {
        "label": labels[index],
        "colour": colour,
        "bodies": list(model.body_names),
        "masses": [body.mass for body in model.bodies],
        "ties": tie_headers(scene),
        "spots": spot_headers(scene),
        "parts": part_headers(scene, forms, colour if layout == LAYOUTS[1] else None),
        "trails": trail_colours(scene, colour if len(labels) > 1 else None),
    }


def setting_header(
    results: Sequence[Result], scenes: Sequence[Scene], chosen: Sequence[Any],
    groups: list[Header], layout: str, view: Any, follow: str | None,
) -> Header:  # fmt: skip
    """Where the results stand, the camera and the floor; every group is given its place."""
    every = list(zip(results, scenes, chosen))
    clouds = [reached(result, scene, frames, follow) for result, scene, frames in every]
    model, size = results[0].model, max(scene.size for scene in scenes)
    level, floor = level_of(every)
    return {
        "camera": set_out(groups, clouds, scenes[0], layout, view),
        "size": size,
        "up": scenes[0].up.tolist(),
        "gravity": list(model.gravity),
        "level": level,
        "floor": floor,
        "apart": layout == LAYOUTS[0],
        "follow": -1 if follow is None else model.body_names.index(follow),
    }


def level_of(every: Sequence[tuple[Result, Scene, Any]]) -> tuple[float, bool]:
    """The height of the floor, and whether there is one: where a contact or gravity has it."""
    scenes = [scene for _, scene, _ in every]
    levels = [floor_level(part, scene.up) for scene in scenes for part in scene.parts]
    floors = [level for level in levels if level is not None]
    gravity = any(scenes[0].model.gravity)
    if floors:
        return max(floors), True
    below = 0.0 if gravity else 0.25 * max(scene.size for scene in scenes)
    return min(lowest_of(*one) for one in every) - below, gravity


def page(head: Header, blob: Blob, title: str, words: str) -> str:
    """The template with everything put in; names are in the data, which is base64."""
    folder = files("chasles.view") / "page"
    pieces = {
        "title": escape(title),
        "about": escape(words),
        "wasm": " 'wasm-unsafe-eval'" if "live" in head else "",
        "style": f":root{{--sans:{SANS}}}" + squeezed(read(folder / "film.css")),
        "data": blob.text(head),
        "script": "\n".join(
            squeezed(read(folder / name)) for name in SCRIPTS if name != LIVE or "live" in head
        ),
    }
    return filled(folder / "film.html", pieces)


def filled(template: Any, pieces: Mapping[str, str]) -> str:
    """A file with the pieces in their places, @@name@@."""
    parts = read(template).split("@@")  # names at every odd place
    return "".join(pieces[part] if k % 2 else part for k, part in enumerate(parts))


def squeezed(text: str) -> str:
    """Without indentation and without lines that are comments."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/** ")))


def read(path: Any) -> str:
    return str(path.read_text(encoding="utf-8"))


def title_of(result: Result) -> str:
    """A title where nobody gave one, and no file has a name."""
    names = result.model.body_names
    return names[0] if len(names) == 1 else f"Mechanism of {len(names)} bodies"


def title_from(path: Path) -> str:
    """The name of a file in words: heavy_top.html is "Heavy top"."""
    name = path.stem.encode("utf-8", "replace").decode()  # names of files may be any bytes
    words = name.replace("_", " ").strip() or name
    return words[:1].upper() + words[1:]


def checked_title(title: Any, where: str) -> str | None:
    """A text that a page can hold, or None."""
    if title is not None and not is_text(title):
        raise InvalidOption(
            f"{where}: title must be a text, got {short_repr(title)}.", 'Give title="A swing", say.'
        )
    return title


def is_text(value: Any) -> bool:
    """Whether it is a text that can be written as UTF-8."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode()


def about(results: Sequence[Result]) -> str:
    """One line of facts: length, parts, method."""
    result, p = results[0], results[0].provenance
    bodies, joints = len(result.model.bodies), len(result.model.joints)
    words = [f"{result.t[-1] - result.t[0]:.4g} s", plural(bodies, "body", "bodies")]
    if joints:
        words.append(plural(joints, "joint", "joints"))
    if len(results) == 1 and p.get("method"):
        words.append(f"{p['method']}, step {duration(p.get('step', 0.0))}")
    return " · ".join(words)


def duration(seconds: float) -> str:
    """0.002 s as 2 ms."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.1:
            return f"{seconds * factor:g} {unit}"
    return f"{seconds:g} s"


# --- several results ---


def colours_of(labels: Sequence[str]) -> list[str]:
    free = iter(FREE * (1 + len(labels) // len(FREE)))
    return [LIGHT[OWN.get(label) or next(free)] for label in labels]


def labels_of(results: Sequence[Result], labels: Sequence[str] | None) -> list[str]:
    """A name for every result: the given ones, or what they differ in."""
    if labels is not None:
        told = isinstance(labels, Iterable) and not isinstance(labels, str | bytes)
        listed = list(labels) if told and not is_scalar(labels) else [None]
        if not all(is_text(label) or isinstance(label, Number) for label in listed):
            raise InvalidOption(
                f"animate: labels must be a list of texts, got {short_repr(labels)}.",
                "Give one label for each result.",
            )
        given = [str(label) for label in listed]
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


def trail_colours(scene: Scene, tint: str | None) -> list[str]:
    own = {part.body: part.colour for part in reversed(scene.parts) if part.role == "body"}
    found = [own.get(name, LIGHT["muted"]) for name in scene.model.body_names]
    return [tint or LIT.get(colour, colour) for colour in found]


# --- curves: the time line ---

#: name, unit, whether logarithmic, and series of (label, colour or None for the result's, values)
Series = tuple[str, str | None, Callable[[Result], Floats]]
Curve = tuple[str, str, bool, list[Series]]


def curve_headers(
    results: Sequence[Result], groups: list[Header], chosen: list[Any], blob: Blob
) -> list[Header]:
    """What the motion is about first: energies, speeds, coordinates; errors at the end."""
    curves = []
    for number, (name, unit, log, series) in enumerate(curves_of(results)):
        kept = []
        for index, (result, group) in enumerate(zip(results, groups)):
            for k, (label, colour, function) in enumerate(series):
                values = np.asarray(function(result), dtype=float)[chosen[index]]
                kept.append({
                    "group": index, "label": label or group["label"],
                    "colour": colour or group["colour"],
                    **quantised(values, log, blob, f"c{number}.{index}.{k}"),
                })  # fmt: skip
        curves.append({"name": name, "unit": unit, "log": log, "series": kept})
    return curves


def curves_of(results: Sequence[Result]) -> list[Curve]:
    model, first = results[0].model, results[0]
    curves: list[Curve] = [("Energy", "J", False, [("", None, Result.energy)])]
    if len(results) == 1:
        curves = [("Energy", "J", False, energies(first)), ("Speed", "m/s", False, speeds(first))]
        kinetic = first.kinetic_energy()
        is_level = np.ptp(kinetic) < LIVELY * kinetic.max()  # two level lines tell little
        if is_level and travels(first, float(kinetic.max())):
            curves.reverse()
    for joint in model.joints:
        for kind in joint.coordinates:
            name = f"{kind.capitalize()} of {joint.name}"
            unit = "rad" if kind == "angle" else "m"
            reads = partial(Result.coordinate, joint=joint.name, which=kind)
            curves.append((name, unit, False, [("", None, reads)]))
    del curves[MOST_CURVES - 2 :]
    curves.append(
        ("Energy balance, E − E₀ − work", "J", False, [("", None, Result.energy_balance)])
    )
    if model.joints:
        curves.append((GAPS, "m", True, [("", None, largest_gap)]))
    return curves


def energies(result: Result) -> list[Series]:
    """Kinetic, potential from its least value on, and their sum."""
    least = float(result.potential_energy().min())
    return [
        ("kinetic", "--a", Result.kinetic_energy),
        ("potential", "--b", lambda r: r.potential_energy() - least),
        ("total", "--ink", lambda r: r.energy() - least),
    ]


def speeds(result: Result) -> list[Series]:
    return [
        (body, colour, partial(speed, body=body))
        for body, colour in zip(result.model.body_names[:MOST_SPEEDS], LIT.values())
    ]


def travels(result: Result, kinetic: float) -> bool:
    """Whether a centre of mass moves: the speeds of wheels that only spin are round-off."""
    return any(
        body.mass * speed(result, body.name).max() ** 2 > ROUNDED * kinetic
        for body in result.model.bodies
    )


def speed(result: Result, body: str) -> Floats:
    return np.asarray(np.linalg.norm(result.velocity(body), axis=1))


def quantised(values: Floats, log: bool, blob: Blob, key: str) -> Header:
    """A curve in 65536 steps from its least to its largest value, or from their logarithms."""
    shown = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    if log:
        shown = np.log10(np.maximum(shown, 1e-18))
    low, high = float(shown.min()), float(shown.max())
    middle, grid = (low + high) / 2.0, (high - low) / (2.0 * STEPS) or 1.0
    kept = blob.track(key, np.round((shown - middle) / grid))
    return {"middle": middle, "grid": grid, "key": kept}


def largest_gap(result: Result) -> Floats:
    gaps = [result.violation(joint) for joint in result.model.joints]
    return np.asarray(np.max(gaps, axis=0))
