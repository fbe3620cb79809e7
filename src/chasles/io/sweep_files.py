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
from math import prod
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from chasles.io.limits import MOST_STEPS, text_of
from chasles.io.read import read_model
from chasles.io.run_options import check_steps
from chasles.io.toml import decoded, parsed_run
from chasles.model import InvalidFile, InvalidOption, Model
from chasles.model.plain import placed_at

#: Runs that a file may ask for, and steps of all of them together: some hours of a few cores.
MOST_RUNS, MOST_SWEPT = 10**6, 100 * MOST_STEPS


class Range(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from", "last": "to"}):
    """Evenly spaced values."""

    first: float
    last: float
    count: int
    scale: Literal["linear", "log"] = "linear"


class SweepFile(msgspec.Struct, forbid_unknown_fields=True):
    """What a file may say."""

    until: float
    vary: dict[str, list[Any] | dict[str, Any]]
    model: str | UnsetType = UNSET
    models: dict[str, str] | UnsetType = UNSET
    step: float | UnsetType = UNSET
    together: bool = False
    run: dict[str, Any] = msgspec.field(default_factory=dict)


def read_sweep(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments for `sweep` in a .toml file."""
    source, text = text_of(path)
    try:
        found = msgspec.convert(decoded(text, source), SweepFile, strict=True)
    except (msgspec.ValidationError, OverflowError) as error:
        raise InvalidFile(
            f"'{source}': {error}.", "A sweep has model, until, step, [vary] and [run]."
        ) from None
    folder = Path(source).parent
    vary = {name: values_of(name, values, source) for name, values in found.vary.items()}
    with placed_at(f"'{source}'"):
        run = parsed_run(found.run)
        for name in run.keys() & {"until", *({"step"} if found.step is not UNSET else ())}:
            raise InvalidOption(f"{name} is given twice, above and in [run].", "Give it once.")
        step = found.step if isinstance(found.step, float) else run.get("step")
        check_amount(vary, found.until, step, found)
    asked: dict[str, Any] = {
        "model": models_of(found, folder, source),
        "vary": vary,
        "until": found.until,
        "together": found.together,
        "options": run,
    }
    if found.step is not UNSET:
        asked["step"] = found.step
    return asked


def check_amount(
    vary: dict[str, list[Any]], until: float, step: float | None, found: SweepFile
) -> None:
    """Refuse more runs, or more steps, than a file may ask for."""
    lengths = [len(values) for values in vary.values()]
    models = len(found.models) if isinstance(found.models, dict) else 1
    runs = models * (max(lengths, default=1) if found.together else prod(lengths))
    if runs > MOST_RUNS:
        raise InvalidOption(
            f"there are {runs:.3g} combinations.",
            f"A file may ask for {MOST_RUNS} runs; vary less, or sweep in Python.",
        )
    longest = max([until, *numbers_of(vary.get("until", []))])
    shortest = min(numbers_of([step, *vary.get("step", [])]), default=None)
    bounds = numbers_of([found.run.get("max_step"), *vary.get("max_step", [])])
    check_steps({"until": longest, "step": shortest, "max_step": min(bounds, default=None)})
    if shortest is not None and shortest > 0.0 and runs * longest / shortest > MOST_SWEPT:
        raise InvalidOption(
            f"{runs} runs of up to {longest / shortest:.1g} steps are more than {MOST_SWEPT:g}.",
            "Take longer steps or fewer runs, or sweep in Python.",
        )


def numbers_of(values: list[Any]) -> list[float]:
    """Those that are numbers; the others are refused by the runs."""
    return [float(x) for x in values if isinstance(x, float | int) and not isinstance(x, bool)]


def models_of(found: SweepFile, folder: Path, source: Any) -> Model | dict[str, Model]:
    if isinstance(found.model, str) and found.models is UNSET:
        return read_model(folder / found.model)
    if isinstance(found.models, dict) and found.models and found.model is UNSET:
        return {name: read_model(folder / file) for name, file in found.models.items()}
    raise InvalidFile(
        f"'{source}' has neither one model nor a table of models, or both.",
        'Give model = "heavy_top.toml", or a table [models] with names.',
    )


def values_of(name: str, values: Any, source: Any) -> list[Any]:
    """A list as it is, or the values of a range."""
    if isinstance(values, list):
        return values
    try:
        asked = msgspec.convert(values, Range, strict=True)
    except msgspec.ValidationError as error:
        raise InvalidFile(
            f"'{source}': vary.{name}: {error}.",
            "Give a list, or { from = 1.0, to = 2.0, count = 5 }.",
        ) from None
    low = 0.0 if asked.scale == "log" else -np.inf
    ends = (asked.first, asked.last)
    if not (1 <= asked.count <= MOST_RUNS and all(np.isfinite(e) and e > low for e in ends)):
        raise InvalidFile(
            f"'{source}': vary.{name} has {asked.count} values from {asked.first:g} to"
            f" {asked.last:g}.",
            f"Give finite ends, positive ones on a log scale, and a count of 1 to {MOST_RUNS}.",
        )
    spaced = np.geomspace if asked.scale == "log" else np.linspace
    points: list[Any] = spaced(asked.first, asked.last, asked.count).tolist()
    return points
