"""`result.animate("top.html", live=True)`: a page that runs the model itself, as WebAssembly.

It has sliders for start values, parameters and inputs of motors; each of their positions is a start
that was set up here.  Several results run side by side, each in its own spaces and with its own
method.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from chasles.build.system.signals import shared_fits
from chasles.integrators.stabilisation import STABILISERS
from chasles.many.ensembles.members import equal_steps, image_of, make_stepper
from chasles.many.ensembles.portable import Portable, Positions, portable
from chasles.model import (
    ChaslesError,
    CustomCoupling,
    CustomForce,
    CustomJoint,
    InvalidOption,
    Joint,
    JointLaw,
    Model,
    Motor,
)
from chasles.notices import notice
from chasles.result.result import Result
from chasles.run.control import Control
from chasles.run.stepper import Stepper
from chasles.view.film import Film, duration, group_header, page, setting_header
from chasles.view.forms import Forms
from chasles.view.sliders import Slider, changed, sliders_of
from chasles.view.stage import Stage
from chasles.view.tracks import Blob, Header, rounded

RECORDED = 20.0  # s of the page in which branches of a step are looked for
LONGER = 20.0  # times the result: how far functions of time reach


@shared_fits()
def make_live(
    stage: Stage, sliders: Mapping[str, Any] | None = None, where: str = "animate"
) -> Film:
    """The page of one or several results that run again."""
    results = stage.results
    chosen = sliders_of(results[0].model, sliders, where)
    if sliders is None:  # nobody asked for these: those that cannot be had are left out
        for result in results:
            chosen = those_that_start(result, chosen, where)
    blob = Blob()
    forms = Forms(blob)
    made = [made_portable(result, chosen, where) for result in results]
    groups = [group_header(stage, k, forms) for k in range(len(results))]
    seen = [outermost(cloud) + offset for cloud, offset in zip(stage.clouds, stage.offsets)]
    positions = zip(*(own.kept for own in made))  # of each slider, in every result
    kept = [sorted(set.intersection(*map(set, every))) for every in positions]
    stops = [words for own in made for words in stops_of(own, chosen)]
    for words in stops:
        notice(f"{where}: {words}")
    head = {
        **setting_header(stage),
        "groups": groups,
        "forms": forms.list,
        "curves": [],
        "show": {},
        "fit": [rounded(point) for point in np.concatenate(seen)],
        "live": {
            "modules": [module_header(own, kept, blob, f"w{k}") for k, own in enumerate(made)],
            "sliders": [slider.header(own) for slider, own in zip(chosen, kept)],
            "conserved": not results[0].model.forces and not results[0].model.drivers,
            "words": " ".join([words_of(made), *stops]),
        },
    }
    return page(stage, head, blob, about(results, made))


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
    return "The compiled step runs in your browser. It gives the same bits as in Python."


def stops_of(own: Portable, sliders: Sequence[Slider]) -> list[str]:
    """What a page says of runs that it holds only in part."""
    if not own.stopped:
        return []
    first = own.stopped[0][0] if not sliders else tuple(slider.first for slider in sliders)
    ends = []
    for positions, index in own.stopped:
        moved = [
            f"{s.name} {float(f'{s.values[k] * s.scale:.4g}'):g} {s.unit}".strip()
            for s, k, own_first in zip(sliders, positions, first)
            if k != own_first
        ]
        ends.append(f"{' and '.join(moved) or 'the first positions'}: {index * own.step:.3g} s")
    return [f"The page holds a part of the model's states. It stops at ({'; '.join(ends)})."]


def outermost(cloud: Any) -> Any:
    """Points of a cloud that are furthest in some directions."""
    k = np.arange(60) + 0.5
    height, angle = 1.0 - 2.0 * k / 60, 2.399963 * k
    radius = np.sqrt(1.0 - height**2)
    ways = np.stack((radius * np.cos(angle), radius * np.sin(angle), height), axis=1)
    return cloud[np.unique((cloud @ ways.T).argmax(axis=0))]


# --- what runs ---


def made_portable(result: Result, sliders: Sequence[Slider], where: str) -> Portable:
    """The model of a result with its own method, spaces and step, for all positions of sliders."""
    check_formulas(result.model, called(where))
    options, step = options_of(result, where), float(result.provenance["step"])
    make = partial(set_up, result, options, sliders)
    first = tuple(slider.first for slider in sliders)
    counts = [len(slider.values) for slider in sliders]
    reach = min(RECORDED, LONGER * float(result.t[-1] - result.t[0]))
    return portable(make, counts, first, step, int(reach / step), called(where))


def set_up(
    result: Result, options: Mapping[str, Any], sliders: Sequence[Slider], positions: Positions
) -> Stepper:
    """The model of a result with its sliders at some positions, before its first step."""
    at = {s.path: s.values[k] for s, k in zip(sliders, positions)}
    model, start, inputs = changed(result.model, at)
    chosen = dict(options) if start is None else {**options, "start": start}
    until = LONGER * float(result.t[-1] - result.t[0])
    stepper = make_stepper(model, chosen, float(result.provenance["step"]), until)
    if inputs:
        control = Control(stepper)
        control.set(inputs, 0.0)
        control.hold()
    return stepper


def those_that_start(result: Result, sliders: Sequence[Slider], where: str) -> list[Slider]:
    """Sliders at whose ends, alone and together with those before, the model can be set up."""
    options = options_of(result, where)
    structure = image_of(set_up(result, options, (), ())).structure
    kept: list[Slider] = []
    for slider in sliders:
        tried = [*kept, slider]
        if "start" in options and slider.path in result.model.joint_names:
            continue  # it would replace the state that the run was started from
        before = product(*({s.first, 0, len(s.values) - 1} for s in kept))
        corners = [(*at, end) for at in before for end in (0, len(slider.values) - 1)]
        try:
            images = [image_of(set_up(result, options, tried, at)) for at in corners]
        except ChaslesError:
            continue
        if all(image.structure == structure for image in images):
            kept = tried
    return kept


def check_formulas(model: Model, where: str) -> None:
    """Refuse formulas that are called back in this process; compiled ones are recorded."""
    for found in [*model.forces, *model.drivers, *model.joints]:
        if isinstance(found, CustomForce) and found.compiled:
            continue
        if isinstance(found, Motor):
            if found.feedback is None:
                continue
        elif not isinstance(found, CustomForce | JointLaw | CustomCoupling | CustomJoint):
            continue
        word = "joint" if isinstance(found, Joint) else found.word
        raise InvalidOption(
            f"{where}: {word} '{found.name}' has a formula in Python, which a page does not have.",
            "Use a force or joint of the library in its place, or a CustomForce with compiled=True;"
            " or make a film: result.animate('film.html').",
        )


def called(where: str) -> str:
    """The function that was called, and its option."""
    return "animate: live" if where == "animate" else where


def options_of(result: Result, where: str) -> dict[str, Any]:
    """How a result was made, as far as its steps can be taken elsewhere."""
    p, choice, setup = result.provenance, result.problem.choice, result.problem.setup
    form, bounced = setup.acceleration, ", ".join(map(repr, p.others.get("impacts", ())))
    refusals = (
        ("rtol" in p, "its steps were chosen by tolerances", "with step="),
        (setup.signals.given is not None, "a controller drove it", "without the controller"),
        (bool(bounced), f"it has the Impact {bounced}", "with a JointStop instead"),
        (form != "screw", f"its accelerations are in '{form}' form", "without acceleration="),
        (
            p["stabilise"] not in STABILISERS, f"it was stabilised by {p['stabilise']}",
            "without stabilise=",
        ),
        ("another run" in p["start"], "it went on where another run ended", "from its own start"),
    )  # fmt: skip
    for refused, words, otherwise in refusals:
        if refused:
            raise InvalidOption(
                f"{called(where)}: the result cannot run in a page: {words}.",
                f"Simulate it {otherwise}, or make a film: result.animate('film.html').",
            )
    stabilise = None if p["stabilise"] == "none" else p["stabilise"]
    spaces = choice.word or choice.given or choice.spaces
    options = equal_steps(called(where), p["method"], spaces, stabilise)
    if p["start"] == "a given state":
        options["start"] = result.state(0)
    return options


# --- as data ---


def module_header(own: Portable, kept: list[list[int]], blob: Blob, name: str) -> Header:
    """A simulator: its modules, its first state, and what sliders change of that."""

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
        "ways": [code(f"{k}", way.wasm) for k, way in enumerate(own.branches)],
        "read": code("r", own.read),
        "words": own.words,
        "tables": tables,
    }
