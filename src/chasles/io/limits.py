"""How large a file of words may be: looked at before anything is built from it.

A model file may come from anybody.  What is too large, too deep or not a number is refused with
its reason while it is still text, or plain lists and dicts.
"""

import math
import os
import re
from pathlib import Path
from typing import Any

from chasles.io.netcdf import missing
from chasles.model import InvalidFile
from chasles.result.atomic_file import checked_path

#: Bytes of a file: models of 3e4 bodies and tables of 2e5 points have so many, and reading them
#: takes seconds.
LARGEST = 8 * 2**20
#: Bits of a whole number: those with more are not floats, and take long to print.
LONGEST_WHOLE = 1023
#: Lists and tables within each other; a model has at most six (file, parts, part, signal, list).
DEEPEST = 16
#: Steps that a file may ask for; so many steps of one small body take minutes.
MOST_STEPS = 1e8
#: Parts of a dotted key; the reader takes a time that grows with their square.
MOST_DOTS = 16
PART = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+"
DOTTED = re.compile(rf"(?<![\w\-.\"'])(?:{PART}){{{MOST_DOTS}}}")


def text_of(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """A file of words, if it is not too large."""
    source = checked_path(path)
    if not os.path.isfile(source):
        raise missing(source)
    try:
        with source.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise InvalidFile(
            f"'{source}' cannot be read: {error.strerror or error}.", "Allow reading it."
        ) from error
    if len(data) > LARGEST:
        raise InvalidFile(
            f"'{source}' has more than {LARGEST / 2**20:g} MiB, the largest file of a model.",
            "Thin out its tables, or make the model in Python.",
        )
    try:
        return source, data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidFile(
            f"'{source}': byte {error.start} is not UTF-8 text.", "Save the file as UTF-8."
        ) from None


def check_keys(text: str, source: Path) -> None:
    """Refuse a dotted key of very many parts."""
    long = DOTTED.search(text)
    if long is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise InvalidFile(
            f"'{source}', line {line}: more than {MOST_DOTS} names joined by dots.",
            "Keys of a model have no dots.",
        )


def check_tree(value: Any, source: Path) -> None:
    """Refuse what is nested too deep, and numbers that are not finite; without recursion."""
    pending: list[tuple[Any, str, int]] = [(value, "", 0)]
    while pending:
        entry, path, depth = pending.pop()
        if isinstance(entry, float) and not math.isfinite(entry):
            raise InvalidFile(
                f"'{source}': {path} must be finite, got {entry}.", "Give a finite number."
            )
        if isinstance(entry, int) and entry.bit_length() > LONGEST_WHOLE:
            raise InvalidFile(
                f"'{source}': {path} is a whole number of {entry.bit_length()} bits.",
                "Give a number below 1e308.",
            )
        if not isinstance(entry, dict | list):
            continue
        if depth == DEEPEST:
            raise InvalidFile(
                f"'{source}': {path[:60]} is nested more than {DEEPEST} deep.",
                "A model has parts, and parts have numbers, texts and lists of numbers.",
            )
        if isinstance(entry, dict):
            pending += [
                (inner, f"{path}.{key}" if path else key, depth + 1) for key, inner in entry.items()
            ]
        else:
            pending += [
                (inner, f"{path}[{index}]", depth + 1)
                for index, inner in enumerate(entry)
                if isinstance(inner, dict | list | float | int)
            ]
