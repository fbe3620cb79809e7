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
"""

import os
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from chasles.io.read import read_model
from chasles.io.toml import decoded, text_of
from chasles.model import InvalidFile, Model
from chasles.sweeps.plan import MOST_RUNS


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
    asked: dict[str, Any] = {
        "model": models_of(found, folder, source),
        "vary": {name: values_of(name, values, source) for name, values in found.vary.items()},
        "until": found.until,
        "together": found.together,
        "options": found.run,
    }
    if found.step is not UNSET:
        asked["step"] = found.step
    return asked


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
            "Give finite ends, positive ones on a log scale, and a count of 1 or more.",
        )
    spaced = np.geomspace if asked.scale == "log" else np.linspace
    points: list[Any] = spaced(asked.first, asked.last, asked.count).tolist()
    return points
