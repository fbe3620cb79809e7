"""`result.animate("top.html", live=True)`: a page that runs the model itself, as WebAssembly.

It has sliders for start values and parameters; each of their positions is a start that was set up
here.  Several results run side by side, each in its own spaces and with its own method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.many.ensembles.members import equal_steps, make_stepper
from chasles.many.ensembles.portable import Portable, portable
from chasles.model import InvalidOption, Model, UnknownName, coordinates_of
from chasles.model.coordinates import ANGLE
from chasles.model.errors import told
from chasles.model.parameters import part_named, with_parameters
from chasles.result.result import Result
from chasles.run.stepper import Stepper
from chasles.stabilisation.stabiliser import STABILISERS
from chasles.view.film import (
    Film,
    duration,
    group_header,
    labels_of,
    page,
    setting_header,
    title_of,
)
from chasles.view.forms import Forms
from chasles.view.scene import poses_at_start, scene_of_run, size_of
from chasles.view.setting import reached
from chasles.view.tracks import Blob, Header, rounded

POSITIONS = 41  # of a slider
MOST_SLIDERS = 4
RECORDED = 4000  # steps of the run in which branches of a step are looked for
LONGER = 20.0  # times the result: how far functions of time reach
UNITS = {"mass": "kg", "velocity": "m/s", "angular_velocity": "rad/s", "stiffness": "N/m",
         "damping": "N s/m", "gravity": "m/s²"}  # fmt: skip
RATE = ".rate"


@dataclass(frozen=True)
class Slider:
    """A start value or a parameter: its path, and the values of its positions."""

    path: str
    name: str
    unit: str
    values: tuple[float, ...]
    first: int  # the position of the value that the result had
    scale: float = 1.0  # from values to what is shown

    def header(self, kept: Sequence[int]) -> Header:
        shown = [float(f"{self.values[k] * self.scale:.6g}") for k in kept]
        return {"name": self.name, "unit": self.unit, "values": shown,
                "at": list(kept).index(self.first)}  # fmt: skip


def make_live(
    results: Sequence[Result],
    labels: Sequence[str] | None,
    layout: str,
    title: str | None,
    view: Any,
    sliders: Mapping[str, Any] | None,
) -> Film:
    """The page of one or several results that run again."""
    names = labels_of(results, labels)
    chosen = sliders_of(results[0].model, sliders)
    blob = Blob()
    forms = Forms(blob)
    scenes = [scene_of_run(result) for result in results]
    made = [made_portable(result, chosen) for result in results]
    every = [np.arange(len(result.t)) for result in results]
    groups = [group_header(scene, forms, names, k, layout) for k, scene in enumerate(scenes)]
    setting = setting_header(results, scenes, every, groups, layout, view, None)
    seen = [outermost(reached(result, scene, frames)) + np.array(group["offset"])
            for result, scene, frames, group in zip(results, scenes, every, groups)]  # fmt: skip
    kept = common_positions(made)
    head = {
        **setting,
        "groups": groups,
        "forms": forms.list,
        "curves": [],
        "show": {},
        "fit": [rounded(point) for point in np.concatenate(seen)],
        "live": {
            "modules": [module_header(own, kept, blob, f"w{k}") for k, own in enumerate(made)],
            "sliders": [slider.header(own) for slider, own in zip(chosen, kept)],
            "conserved": not results[0].model.forces and not results[0].model.drivers,
            "words": words_of(made),
        },
    }
    words = title or title_of(results[0])
    return Film(page(head, blob, words, about(results, made)), words)


def about(results: Sequence[Result], made: Sequence[Portable]) -> str:
    p = results[0].provenance
    same = " · same bits as Python" if not any(own.inexact for own in made) else ""
    return f"runs in this page · {p['method']}, step {duration(p['step'])}{same}"


def words_of(made: Sequence[Portable]) -> str:
    inexact = sorted({name for own in made for name in own.inexact})
    if inexact:
        return (
            f"The step of the model as WebAssembly. The browser's own {', '.join(inexact)} may"
            " differ from Python's in the last bit."
        )
    return "The step of the model as WebAssembly, with the bits that Python has."


def outermost(cloud: Any) -> Any:
    """Points of a cloud that are furthest in some directions."""
    k = np.arange(60) + 0.5
    height, angle = 1.0 - 2.0 * k / 60, 2.399963 * k
    radius = np.sqrt(1.0 - height**2)
    ways = np.stack((radius * np.cos(angle), radius * np.sin(angle), height), axis=1)
    return cloud[np.unique((cloud @ ways.T).argmax(axis=0))]


# --- what runs ---


def made_portable(result: Result, sliders: Sequence[Slider]) -> Portable:
    """The model of a result with its own method, spaces and step, for all positions of sliders."""
    options, step = options_of(result), float(result.provenance["step"])
    until = LONGER * float(result.t[-1] - result.t[0])

    def make(positions: tuple[int, ...]) -> Stepper:
        at = {s.path: s.values[k] for s, k in zip(sliders, positions)}
        model, start = changed(result.model, at)
        chosen = options if start is None else {**options, "start": start}
        return make_stepper(model, chosen, step, until)

    first = tuple(slider.first for slider in sliders)
    counts = [len(slider.values) for slider in sliders]
    steps = min(RECORDED, int(result.provenance["steps"]))
    made: Portable = portable(make, counts, first, step, steps)
    return made


def options_of(result: Result) -> dict[str, Any]:
    """How a result was made, as far as its steps can be taken elsewhere."""
    p, choice, setup = result.provenance, result.problem.choice, result.problem.setup
    refusals = {
        "its steps were chosen by tolerances": "rtol" in p,
        "a controller drove it": setup.signals.given is not None,
        f"its accelerations are in '{setup.acceleration}' form": setup.acceleration != "screw",
        f"it was stabilised by {p['stabilise']}": p["stabilise"] not in ("none", *STABILISERS),
        "it went on where another run ended": "another run" in p["start"],
    }
    for words, refused in refusals.items():
        if refused:
            raise InvalidOption(
                f"animate: live: the result cannot run in a page: {words}.",
                "Simulate it again with step=, or make a film: leave out live=True.",
            )
    stabilise = None if p["stabilise"] == "none" else p["stabilise"]
    spaces = choice.word or choice.given or choice.spaces
    options = equal_steps("animate: live", p["method"], spaces, stabilise)
    if p["start"] == "a given state":
        options["start"] = result.state(0)
    return options


def changed(model: Model, values: Mapping[str, float]) -> tuple[Model, dict[str, Any] | None]:
    """The model, and joint coordinates to start at, for values of sliders."""
    fields: dict[str, Any] = {}
    start: dict[str, tuple[Any, Any]] = {}
    for path, value in values.items():
        joint = path.removesuffix(RATE)
        if joint in model.joint_names:
            old = start.get(joint, (None, None))
            start[joint] = (old[0], value) if path.endswith(RATE) else (value, old[1])
        elif path == "gravity":
            pull = np.array(model.gravity)
            fields[path] = tuple(value * pull / np.linalg.norm(pull))
        elif path[-2:] in (".x", ".y", ".z"):
            vector = list(fields.get(path[:-2], field_of(model, path[:-2])))
            vector["xyz".index(path[-1])] = value
            fields[path[:-2]] = tuple(vector)
        else:
            fields[path] = value
    return with_parameters(model, fields) if fields else model, start or None


def field_of(model: Model, path: str) -> Any:
    name, _, field = path.rpartition(".")
    return getattr(part_named(model, name), field, None)


def common_positions(made: Sequence[Portable]) -> list[list[int]]:
    """The positions of every slider that all results have."""
    every = zip(*(own.kept for own in made))
    return [sorted(set.intersection(*map(set, kept))) for kept in every]


# --- sliders ---


def sliders_of(model: Model, given: Mapping[str, Any] | None) -> list[Slider]:
    """Those that were asked for, or the usual ones."""
    ranges = usual_ranges(model) if given is None else given
    if not isinstance(ranges, Mapping) or len(ranges) > MOST_SLIDERS:
        raise InvalidOption(
            f"animate: sliders must be a dict of at most {MOST_SLIDERS} ranges, got {told(given)}.",
            "Give {'gravity': (0, 20), 'hinge': (-1.5, 1.5)}, say.",
        )
    return [slider_of(model, path, span) for path, span in ranges.items()]


def usual_ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Spin of free bodies, start of the first joints of a tree, gravity."""
    ranges: dict[str, tuple[float, float]] = {}
    for body in model.bodies:
        own = [j for j in model.joints if body.name in (j.a, j.b)]
        spin = np.array(body.angular_velocity)
        if spin.any() and all(j.kind == "spherical" for j in own):
            axis = int(np.abs(spin).argmax())
            ends = sorted((0.0, 2.0 * float(spin[axis])))
            ranges[f"{body.name}.angular_velocity.{'xyz'[axis]}"] = (ends[0], ends[1])
            break
    if len(model.joints) <= len(model.bodies):  # no loops, which not every start closes
        for joint in [j for j in model.joints if len(coordinates_of(j)) == 1][:2]:
            wide = (
                3.0
                if coordinates_of(joint)[0] == ANGLE
                else 0.25 * size_of(model, poses_at_start(model))
            )
            ranges[joint.name] = (-wide, wide)
    strength = float(np.linalg.norm(model.gravity))
    if strength:
        ranges["gravity"] = (0.0, 2.0 * strength)
    return ranges


def slider_of(model: Model, path: Any, span: Any) -> Slider:
    low, high = checked_span(path, span)
    joint = str(path).removesuffix(RATE)
    name, unit, scale, value = str(path), "", 1.0, None
    if joint in model.joint_names:
        kinds = coordinates_of(model.joint(joint))
        if len(kinds) != 1:
            raise InvalidOption(
                f"animate: sliders: joint '{joint}' has {len(kinds)} coordinates.",
                "Name a joint with one: a revolute or a prismatic one.",
            )
        per = "/s" if str(path).endswith(RATE) else ""
        unit, scale = (f"°{per}", 180.0 / np.pi) if kinds[0] == ANGLE else (f"m{per}", 1.0)
        name, value = f"{joint}, {'rate' if per else kinds[0]} at the start", 0.0
    elif path == "gravity":
        value, unit, name = float(np.linalg.norm(model.gravity)), UNITS["gravity"], "gravity"
    else:
        axis = str(path)[-1] if str(path)[-2:] in (".x", ".y", ".z") else ""
        base = str(path)[:-2] if axis else str(path)
        found = field_of(model, base)
        value = found["xyz".index(axis)] if axis and found is not None else found
        field = base.rpartition(".")[2]
        name = f"{base.rpartition('.')[0]}, {field.replace('_', ' ')} {axis}".strip()
        unit = UNITS.get(field, "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        known = ["gravity", *model.joint_names, *(f"{b}.mass" for b in model.body_names),
                 *(f"{b}.angular_velocity.z" for b in model.body_names)]  # fmt: skip
        raise UnknownName.among("slider", str(path), known, where="animate: sliders")
    values = np.linspace(low, high, POSITIONS)
    first = int(np.abs(values - value).argmin())
    if not low <= value <= high:
        raise InvalidOption(
            f"animate: sliders: '{path}' goes from {low:g} to {high:g}, but the result has"
            f" {value:g}.",
            "Give a range with that value in it.",
        )
    values[first] = value
    return Slider(str(path), name, unit, tuple(values.tolist()), first, scale)


def checked_span(path: Any, span: Any) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in span)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < high or not np.isfinite((low, high)).all():
        raise InvalidOption(
            f"animate: sliders: the range of {told(path)} must be two numbers, the smaller first,"
            f" got {told(span)}.",
            "Give (low, high).",
        )
    return low, high


# --- as data ---


def module_header(own: Portable, kept: list[list[int]], blob: Blob, name: str) -> Header:
    """A simulator: its modules, its first state, and what sliders change of that."""
    keys = list(own.carried)

    def code(key: str, module: bytes) -> str:
        return blob.add(f"{name}.{key}", np.frombuffer(module, np.uint8), "u1")

    tables = []
    for k, table in enumerate(own.tables):
        counts = [len(own.kept[s]) for s in table.sliders]
        wanted = np.ix_(*([own.kept[s].index(p) for p in kept[s]] for s in table.sliders))
        rows = table.rows.reshape(*counts, -1)[wanted].reshape(-1, len(table.columns))
        tables.append({
            "sliders": list(table.sliders), "columns": table.columns.tolist(),
            "counts": [len(kept[s]) for s in table.sliders],
            "rows": blob.add(f"{name}.t{k}", rows, "f8"),
        })  # fmt: skip
    return {
        "step": own.step,
        "width": own.width,
        "kept": own.members.stepper.layout.kept,
        "base": blob.add(f"{name}.b", own.base, "f8"),
        "carried": [own.carried[key] for key in keys],
        "ways": [
            {"wasm": code(f"{k}", way.wasm), "keys": [keys.index(key) for key in way.keys]}
            for k, way in enumerate(own.ways)
        ],
        "read": code("r", own.read),
        "words": own.words,
        "tables": tables,
    }
