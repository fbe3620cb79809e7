"""The words of pages and reports, in files of their folders, with numbers in their places."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from statistics import median
from string import Formatter, Template
from typing import Any

from chasles.view.theme import scientific


def text_of(folder: str, name: str) -> str:
    """A file of a folder of the studies."""
    return files("chasles.studies").joinpath(folder, name).read_text(encoding="utf-8")


@cache
def tables_of(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads(text_of(folder, name))


class Text(Template):
    """@{...} stands for a value, see `Numbers`; dollars and other braces are Markdown's own."""

    delimiter = "@"
    braceidpattern = r"[^}]+"


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "g": lambda value: f"{value:g}",
    "milli": lambda value: f"{1e3 * value:g}",
    "whole": lambda value: f"{value:,}",
    "len": len,
    "max": max,
    "median": median,
    "min": min,
    "sci": scientific,
}


class Numbers(dict[str, str]):
    """Values by name; or a path in the data and functions of what is there, "a/b/0 | max | sci"."""

    def __init__(self, data: Mapping[str, Any], named: Mapping[str, str]) -> None:
        super().__init__(named)
        self.data = data

    def __missing__(self, wanted: str) -> str:
        path, *functions = wanted.split(" | ")
        value: Any = self.data
        for key in path.split("/"):
            value = value[int(key)] if isinstance(value, list) else value[key]
        for function in functions:
            value = FUNCTIONS[function](value)
        return str(value)


def page_of(folder: str, data: Mapping[str, Any], named: Mapping[str, str]) -> str:
    """The page.md of a folder, filled in."""
    return Text(text_of(folder, "page.md")).substitute(Numbers(data, named))


# --- texts with measured numbers in their places --------------------------------------------------


def words() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind -> key -> fields."""
    return tables_of("paper", "words.toml")


class Formats(Formatter):
    """Formats of numbers beside Python's: m in metres, s as 9.3×10⁻⁷, s0 without decimals."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec == "m":
            return f"{scientific(value)}\u00a0m"
        if format_spec in ("s", "s0"):
            return scientific(value, 0 if format_spec == "s0" else 1)
        return super().format_field(value, format_spec)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with its numbers.

    >>> filled("at most {gap:m}", {"gap": 2e-16})
    'at most 2.0×10⁻¹⁶\\xa0m'
    """
    return Formats().vformat(text, (), values)
