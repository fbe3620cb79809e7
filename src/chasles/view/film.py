"""`result.animate("top.html")`: one file that holds the film and all that it takes to show it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model.model import plural
from chasles.result.atomic_file import checked_path, write_text
from chasles.result.result import Result
from chasles.view.camera import horizontal
from chasles.view.forms import Forms, part_headers
from chasles.view.scene import BODY_COLOURS
from chasles.view.stage import BESIDE, Stage
from chasles.view.theme import LIGHT, SANS
from chasles.view.tracks import (
    STEPS,
    Blob,
    Header,
    chosen_frames,
    pose_tracks,
    rounded,
    vector_tracks,
)

SCRIPTS = ("math.js", "forms.js", "shaders.js", "gl.js", "render.js", "plain.js", "data.js",
           "camera.js", "scene.js", "plot.js", "card.js", "hands.js", "live.js",
           "film.js")  # fmt: skip
LIVE = "live.js"  # only in pages that run
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
    stage: Stage,
    frames: int | None = None,
    forces: bool = True,
    show: Mapping[str, Any] | None = None,
) -> Film:
    """The film of one or several results; `show` says what is seen at first, {"gaps": True}."""
    blob = Blob()
    forms = Forms(blob)
    groups, chosen = [], []
    for k, (result, scene) in enumerate(zip(stage.results, stage.scenes)):
        tracks = len(scene.spots) * (1 + 2 * forces) + forces * len(result.model.forces)
        shown = chosen_frames(result, frames, len(stage.results), tracks)
        groups.append({
            **pose_tracks(result, shown, blob, f"g{k}", stage.size),
            **group_header(stage, k, forms),
            "vectors": vector_tracks(result, scene, shown, blob, f"g{k}", forces),
        })  # fmt: skip
        chosen.append(shown)
    head = {
        **setting_header(stage),
        "groups": groups,
        "forms": forms.list,
        "curves": curve_headers(stage, chosen, blob),
        "show": dict(show or {}),
    }
    return page(stage, head, blob, about(stage.results))


def group_header(stage: Stage, k: int, forms: Forms) -> Header:
    """What there is of a result, without its motion."""
    scene, colour, several = stage.scenes[k], stage.colours[k], len(stage.labels) > 1
    names = scene.model.body_names
    return {
        "label": stage.labels[k],
        "colour": colour,
        "bodies": list(names),
        "masses": [body.mass for body in scene.model.bodies],
        "ties": [
            {"name": tie.name, "spring": tie.spring,
             "a": scene.numbers[tie.a], "at_a": rounded(tie.at_a),
             "b": scene.numbers[tie.b], "at_b": rounded(tie.at_b)}
            for tie in scene.ties
        ],
        "spots": [
            {"name": spot.name, "body": scene.numbers[spot.a], "at": rounded(spot.at)}
            for spot in scene.spots
        ],
        "parts": part_headers(scene, forms),
        "trails": [colour if several else scene.colours.get(n, LIGHT["muted"]) for n in names],
        "offset": stage.offsets[k].tolist(),
        "middle": stage.above(k).tolist(),
    }  # fmt: skip


def setting_header(stage: Stage) -> Header:
    """The camera and the floor; the page itself frames what it shows."""
    model, eye, up = stage.results[0].model, stage.camera, stage.up
    first, second = horizontal(up)
    level, floor = stage.floor
    return {
        "camera": {
            "basis": [first.tolist(), second.tolist(), up.tolist()],
            "azimuth": float(np.arctan2(-eye.right @ first, eye.right @ second)),
            "elevation": float(np.arcsin(np.clip(eye.towards @ up, -1.0, 1.0))),
        },
        "size": stage.size,
        "up": up.tolist(),
        "gravity": list(model.gravity),
        "level": level,
        "floor": floor,
        "apart": stage.layout == BESIDE,
        "follow": -1 if stage.follow is None else model.body_names.index(stage.follow),
    }


def page(stage: Stage, head: Header, blob: Blob, words: str) -> Film:
    """The template with everything put in; names are in the data, which is base64."""
    folder = files("chasles.view") / "page"
    pieces = {
        "title": escape(stage.name),
        "about": escape(words),
        "wasm": " 'wasm-unsafe-eval'" if "live" in head else "",
        "style": f":root{{--sans:{SANS}}}" + squeezed(read(folder / "film.css")),
        "data": blob.text(head),
        "script": "\n".join(
            squeezed(read(folder / name)) for name in SCRIPTS if name != LIVE or "live" in head
        ),
    }
    return Film(filled(folder / "film.html", pieces), stage.name)


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


# --- curves: the time line ---

#: name, unit, whether logarithmic, and series of (label, colour or None for the result's, values)
Series = tuple[str, str | None, Callable[[Result], Floats]]
Curve = tuple[str, str, bool, list[Series]]


def curve_headers(stage: Stage, chosen: list[Any], blob: Blob) -> list[Header]:
    """What the motion is about first: energies, speeds, coordinates; errors at the end."""
    curves = []
    for number, (name, unit, log, series) in enumerate(curves_of(stage.results)):
        kept = []
        for index, result in enumerate(stage.results):
            for k, (label, colour, function) in enumerate(series):
                values = np.asarray(function(result), dtype=float)[chosen[index]]
                kept.append({
                    "group": index, "label": label or stage.labels[index],
                    "colour": colour or stage.colours[index],
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
        for body, colour in zip(result.model.body_names[:MOST_SPEEDS], BODY_COLOURS)
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
