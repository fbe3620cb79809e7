"""Files that say what a sweep runs: models by their files, and what is varied.

model = "heavy_top.toml"                  # or [models] with names; paths are relative to it
until = 1.0
step = 1e-3

[vary]                                    # all combinations, unless together = true
"top.mass" = [20.0, 21.6]
"top.angular_velocity" = [[0, 60, 30], [0, 120, 30]]
method = ["rk4", "dop853"]
step = { from = 1e-3, to = 1e-5, count = 5, scale = "log" }

[run]                                     # further options of simulate, for all runs
spaces = "auto"

The rules are those of model files: [run] has the options that a model file may have (nothing that
names a file or folder), and the steps and runs that a file may ask for are limited.
"""

import os
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from chasles.io.limits import MOST_STEPS, text_of
from chasles.io.read import read_model
from chasles.io.run_options import check_steps, check_types
from chasles.io.toml import decoded, parsed_run
from chasles.model import InvalidFile, InvalidOption, Model, UnknownName
from chasles.model.errors import short_repr
from chasles.model.plain import placed_at

#: Runs that a file may ask for, and steps of all of them together: some hours of a few cores.
MOST_RUNS, MOST_SWEPT = 10**6, 100 * MOST_STEPS


#: What a file may say, and evenly spaced values.
SWEEP = {
    "until": float, "vary": dict[str, Any], "model": str,
    "models": dict[str, str], "step": float, "together": bool, "run": dict[str, Any],
}  # fmt: skip
RANGE = {"from": float, "to": float, "count": int, "scale": str}
SCALES: dict[str, Callable[..., Any]] = {"linear": np.linspace, "log": np.geomspace}


EXAMPLES = {
    "until": "until = 1.0, the end of the runs in s (the [run] of the model file is not read)",
    "vary": 'a table [vary] with what to vary, such as "arm.mass" = [1.0, 2.0]',
    "from": "{ from = 1.0, to = 2.0, count = 5 }",
    "to": "{ from = 1.0, to = 2.0, count = 5 }",
    "count": "{ from = 1.0, to = 2.0, count = 5 }",
}


def check_keys(table: dict[str, Any], types: Any, needed: Sequence[str], where: str) -> None:
    """Refuse a table with other keys or types, or without those that are needed."""
    check_types(table, types, where, InvalidFile)
    for name in needed:
        if name not in table:
            raise InvalidFile(f"{where} has no '{name}'.", f"Give {EXAMPLES[name]}.")


def read_sweep(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments for `sweep` in a .toml file."""
    source, text = text_of(path)
    found = decoded(text, source)
    with placed_at(f"'{source}'"):
        if "bodies" in found:
            raise InvalidFile(
                "it is a model, not a sweep.",
                "Write a sweep file beside it that names it and what to vary: model ="
                f' "{source.name}".',
            )
        check_keys(found, SWEEP, ("until", "vary"), "sweep")
        vary = {name: values_of(f"vary.{name}", x) for name, x in found["vary"].items()}
        run = parsed_run(found.get("run", {}))
        for name in run.keys() & found.keys() & {"until", "step"}:
            raise InvalidOption(f"{name} is given twice, above and in [run].", "Give it once.")
        check_amount(vary, {**run, **found})
        model = models_of(found, source.parent)
    asked: dict[str, Any] = {name: found[name] for name in ("until", "step") if name in found}
    together = found.get("together", False)
    return {"model": model, "vary": vary, "together": together, "options": run, **asked}


def check_amount(vary: dict[str, list[Any]], found: dict[str, Any]) -> None:
    """Refuse more runs, or more steps, than a file may ask for."""
    lengths = [len(values) for values in vary.values()]
    together = max(lengths, default=1) if found.get("together") else prod(lengths)
    runs = len(found.get("models", "1")) * together
    if runs > MOST_RUNS:
        raise InvalidOption(
            f"there are {runs:.3g} combinations.",
            f"A file may ask for {MOST_RUNS} runs; vary less, or sweep in Python.",
        )
    every = {
        name: numbers_of([found.get(name), *vary.get(name, [])])
        for name in ("until", "step", "max_step")
    }
    longest, shortest = max(every["until"]), min(every["step"], default=None)
    bounds = every["max_step"]
    check_steps({"until": longest, "step": shortest, "max_step": min(bounds, default=None)})
    if shortest is not None and shortest > 0.0 and runs * longest / shortest > MOST_SWEPT:
        raise InvalidOption(
            f"{runs} runs of up to {longest / shortest:.1g} steps are more than {MOST_SWEPT:g}.",
            "Take longer steps or fewer runs, or sweep in Python.",
        )


def numbers_of(values: list[Any]) -> list[float]:
    """Those that are numbers; the others are refused by the runs."""
    return [float(x) for x in values if isinstance(x, float | int) and not isinstance(x, bool)]


def models_of(found: dict[str, Any], folder: Path) -> Model | dict[str, Model]:
    if "model" in found and "models" not in found:
        return read_model(folder / found["model"])
    if found.get("models") and "model" not in found:
        return {name: read_model(folder / file) for name, file in found["models"].items()}
    raise InvalidFile(
        "there is neither one model nor a table of models, or both.",
        'Give model = "heavy_top.toml", or a table [models] with names.',
    )


def values_of(name: str, values: Any) -> list[Any]:
    """A list as it is, or the values of a range."""
    if isinstance(values, list):
        return values
    if not isinstance(values, dict):
        raise InvalidFile(
            f"{name} must be a list of values or a range, got {short_repr(values)}.",
            "Give [1.0, 2.0], or { from = 1.0, to = 2.0, count = 5 }.",
        )
    if values and not values.keys() & RANGE.keys():
        part, field = name.removeprefix("vary."), next(iter(values))
        raise InvalidFile(
            f"{name} is a table with '{field}', and no range.",
            f'Write the path in quotes: "{part}.{field}" = ...',
        )
    check_keys(values, RANGE, ("from", "to", "count"), name)
    first, last, count = values["from"], values["to"], values["count"]
    spaced = SCALES[UnknownName.check("scale", values.get("scale", "linear"), SCALES, name)]
    if not 1 <= count <= MOST_RUNS or (spaced is np.geomspace and min(first, last) <= 0.0):
        raise InvalidFile(
            f"{name} has {count} values from {first:g} to {last:g}.",
            f"Give positive ends on a log scale, and a count of 1 to {MOST_RUNS}.",
        )
    points: list[Any] = spaced(first, last, count).tolist()
    return points
