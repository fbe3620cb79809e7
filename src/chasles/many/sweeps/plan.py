"""What is to be run: the points of a grid or a sample, each with a name of its own that stays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from chasles.build.fingerprints import Reached, model_fingerprint
from chasles.model import InvalidOption, Model
from chasles.model.checks import check_flag, real_array, refuse_units
from chasles.model.errors import short_repr
from chasles.model.model import checked_model
from chasles.model.parameters import check_path, parameter_paths
from chasles.run.options import PLAIN, checked_names

#: The name of the model where several are given.
MODEL = "model"
#: More runs than this are a slip of the keyboard.
MOST_RUNS = 10**9


@dataclass(frozen=True)
class Task:
    """One run: its number, the values of what is varied, and how it is made."""

    number: int
    values: dict[str, Any]
    model: Model
    parameters: dict[str, Any]  # of the model
    options: dict[str, Any]  # of simulate


@dataclass(frozen=True)
class Plan:
    """All runs: models by name, what is varied, and what is common."""

    models: dict[str, Model]
    axes: dict[str, list[Any]]
    together: bool  # the values of all axes belong together, one by one
    common: dict[str, Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the grid: models first, if there are several."""
        lengths = [len(values) for values in self.axes.values()]
        if self.together:
            lengths = lengths[:1]
        return (*([len(self.models)] if len(self.models) > 1 else []), *lengths)

    def __len__(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    def points(self) -> Iterator[dict[str, Any]]:
        """The values of every run, in order."""
        names = list(self.axes)
        rows = zip(*self.axes.values()) if self.together else product(*self.axes.values())
        found = [dict(zip(names, row)) for row in rows] or [{}]
        for name in self.models:
            for values in found:
                yield {MODEL: name, **values} if len(self.models) > 1 else dict(values)

    def tasks(self) -> Iterator[Task]:
        """The runs, in order."""
        for number, values in enumerate(self.points()):
            model = self.models[values.get(MODEL, next(iter(self.models)))]
            varied = {path: value for path, value in values.items() if path != MODEL}
            options = {**self.common, **{k: v for k, v in varied.items() if k in PLAIN}}
            parameters = {k: v for k, v in varied.items() if k not in PLAIN}
            yield Task(number, values, model, parameters, options)

    @property
    def parts(self) -> dict[str, Any]:
        """What a run needs, each with its name in messages."""
        several = len(self.models) > 1
        models = {f"model '{k}'" if several else "the model": v for k, v in self.models.items()}
        return {**models, "an option": self.common, "a value": self.axes}

    @property
    def fingerprint(self) -> str:
        """The same for the same plan, so that a store knows whether it belongs to it."""
        models = {name: model_fingerprint(model) for name, model in self.models.items()}
        common = dict(sorted(self.common.items()))
        return Reached(strict=False).digest((models, self.axes, self.together, common))


def make_plan(model: Any, vary: Any, together: Any, common: Mapping[str, Any]) -> Plan:
    """Check what is varied, before anything is run."""
    models = checked_models(model)
    if not isinstance(vary, Mapping):
        raise InvalidOption(
            f"sweep: what is varied must be a dict path -> values, got {short_repr(vary)}.",
            'Give {"top.mass": [1.0, 2.0]}, or {} for a single run.',
        )
    check_flag(together, "together", "sweep", InvalidOption)
    checked_names(common, "sweep", without=("model",))
    axes = {path: checked_values(models, path, values) for path, values in vary.items()}
    lengths = {path: len(values) for path, values in axes.items()}
    if together and len(set(lengths.values())) > 1:
        raise InvalidOption(
            "sweep: values that belong together differ in number: "
            + ", ".join(f"{path} has {count}" for path, count in lengths.items()) + ".",
            "Give as many of each, or leave together out for all combinations.",
        )  # fmt: skip
    plan = Plan(models, axes, together, dict(common))
    if len(plan) > MOST_RUNS:
        raise InvalidOption(f"sweep: there are {len(plan):.3g} combinations.", "Vary less.")
    return plan


def checked_models(model: Any) -> dict[str, Model]:
    if isinstance(model, Mapping):
        if not model or not all(isinstance(name, str) for name in model):
            raise InvalidOption(
                f"sweep: models must have names, got {short_repr(model)}.",
                'Give {"name": model}.',
            )
        return {name: checked_model(one) for name, one in model.items()}
    return {MODEL: checked_model(model)}


def checked_values(models: Mapping[str, Model], path: Any, values: Any) -> list[Any]:
    """The values of one axis, each of the shape that the model has there."""
    refuse_units(values, f"'{path}'", "sweep", InvalidOption)
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        raise InvalidOption(
            f"sweep: the values of '{path}' must be a list, got {short_repr(values)}.",
            "Give one value or more, in a list.",
        )
    if path in PLAIN:
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    for model in models.values():
        check_path(model, path, PLAIN)
        shape = parameter_paths(model)[path]
        for value in values:
            try:
                found = real_array(value, f"'{path}'", "sweep", InvalidOption).shape
            except InvalidOption as error:
                raise InvalidOption(
                    error.what, f"{error.remedy} '{path}' takes {words_for(shape)}."
                ) from None
            if found != shape and not (path.endswith((".inertia", ".rotation")) and found):
                raise InvalidOption(
                    f"sweep: '{path}' takes {words_for(shape)}, got {short_repr(value)}.",
                    f"Give a list of {words_for(shape)}.",
                )
    return [np.asarray(value, float).tolist() for value in values]


def words_for(shape: tuple[int, ...]) -> str:
    if shape == ():
        return "a number"
    return f"{' x '.join(map(str, shape))} numbers"
