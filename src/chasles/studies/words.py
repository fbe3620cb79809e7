"""The words of pages and reports, in files of their folders, with numbers in their places."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import median
from string import Template
from typing import Any

from chasles.view.theme import scientific


def text_of(folder: str, name: str) -> str:
    """A file of a folder of the studies."""
    return files("chasles.studies").joinpath(folder, name).read_text(encoding="utf-8")


@cache
def tables_of(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads(text_of(folder, name))


def words() -> dict[str, dict[str, dict[str, Any]]]:
    """Those of the paper's report: kind -> key -> fields."""
    return tables_of("paper", "words.toml")


class Text(Template):
    """@{...} stands for a value, see `Numbers`; dollars and other braces are Markdown's own."""

    delimiter = "@"
    braceidpattern = r"[^}]+"


#: What a value may pass through on its way to the text; other words are Python's formats.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "len": len,
    "m": lambda value: f"{scientific(value)}\u00a0m",
    "max": max,
    "median": median,
    "milli": lambda value: f"{1e3 * value:g}",
    "min": min,
    "sci": scientific,
    "sci0": lambda value: scientific(value, 0),
}


class Numbers(dict[str, str]):
    """Values by a path in the data, and functions or formats of what is there: "a/b/0 | max | sci".

    At a star in the path, it is a list of what all entries have.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__()
        self.data = data

    def __missing__(self, wanted: str) -> str:
        path, *functions = wanted.split(" | ")
        value = found_at(self.data, path.split("/"))
        for name in functions:
            value = FUNCTIONS[name](value) if name in FUNCTIONS else format(value, name)
        return str(value)


def found_at(value: Any, path: Sequence[str]) -> Any:
    if not path:
        return value
    key, *rest = path
    if key == "*":
        return [found_at(entry, rest) for entry in value.values()]
    return found_at(value[int(key)] if isinstance(value, list | tuple) else value[key], rest)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with its numbers.

    >>> filled("at most @{gaps/0 | m}", {"gaps": [2e-16]})
    'at most 2.0×10⁻¹⁶\\xa0m'
    """
    return Text(text).substitute(Numbers(values))


def page_of(folder: str, data: Mapping[str, Any], named: Mapping[str, str]) -> str:
    """The page.md of a folder, filled in."""
    return filled(text_of(folder, "page.md"), {**data, **named})
