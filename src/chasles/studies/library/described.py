"""Benchmarks from data: an entry of benchmarks.toml, and the functions of its module."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from chasles.result.result import Result
from chasles.studies.library import measures
from chasles.studies.library.benchmark import Benchmark, Check, Drawing, Quantity
from chasles.studies.words import tables_of

FOLDER = "chasles.studies.library"


@cache
def entries() -> dict[str, dict[str, Any]]:
    """All entries in their order, with what they take from the one that they are like."""
    found: dict[str, dict[str, Any]] = {}
    for name, entry in tables_of("library", "benchmarks.toml").items():
        found[name] = {**found.get(entry.get("like"), {}), **entry}
    return found


def described(entry: str, name: str = "", **changed: Any) -> Benchmark:
    """The benchmark of an entry; a variant of it with another name and other arguments."""
    data = entries()[entry]
    module = import_module(f"{FOLDER}.{data['module']}")
    arguments = {**data.get("arguments", {}), **changed}
    if hasattr(module, "sized"):  # what depends on the arguments
        data = {**data, **module.sized(**arguments)}
    words = {**vars(module), **data, **arguments}
    drawing = dict(data["drawing"])
    given = {
        "traced": getattr(module, "TRACED", {}), "axes": drawing.pop("axes", "xyz"), **arguments
    }  # fmt: skip

    def of_module(what: str) -> Any:
        """A function of the module, or that of all modules, with the arguments that it takes."""
        function = getattr(module, what, None) or getattr(measures, what)
        taken = signature(function).parameters
        return partial(function, **{k: v for k, v in given.items() if k in taken})

    def checks(result: Result) -> list[Check]:
        return [*of_module("checks")(result), *measures.limit_checks(result, **data["limits"])]

    drawing |= {what: of_module(what) for what in ("curves", "traces")}
    drawing["cropped"] = data.get("cropped")
    parts = drawing.pop("parts", None)
    drawing.setdefault("instants", [part * data["until"] for part in parts or ()])
    fields = {key: data[key] for key in ("source", "freedom", "until", "step")}
    return Benchmark(
        name=name or entry,
        title=data["title"].format_map(words),
        about=data["about"].format_map(words),
        parameters=dict(quantities(data["parameters"], words)),
        model=of_module("model"),
        checks=checks,
        drawing=Drawing(masses=getattr(module, "POINT_MASSES", {}), **drawing),
        options=data.get("options", {}),
        **fields,
    )


def quantities(rows: Any, words: Mapping[str, Any]) -> Iterator[tuple[str, Quantity]]:
    """Name, value and unit of the rows; one for each entry of a value that is a dict."""
    for name, value, unit in rows:
        listed = value if isinstance(value, list) else [value]
        found = [words[one] if isinstance(one, str) else one for one in listed]
        if isinstance(found[0], Mapping):
            yield from ((name.format(key), (plain([own]), unit)) for key, own in found[0].items())
        else:
            yield name, (plain(found), unit)


def plain(values: list[Any]) -> float | tuple[float, ...]:
    """Numbers, points of the plane and arrays in a row; one number as itself."""
    apart = ((v.real, v.imag) if isinstance(v, complex) else v for v in values)
    numbers = tuple(float(x) for value in apart for x in np.ravel(value))
    return numbers[0] if len(numbers) == 1 else numbers
