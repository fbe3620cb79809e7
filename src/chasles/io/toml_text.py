"""Tables as the text of a TOML file, and the text as a file."""

import json
import math
import os
from pathlib import Path
from typing import Any

from chasles.io.limits import LARGEST, check_keys
from chasles.model import InvalidFile, InvalidModel
from chasles.model.errors import short_repr
from chasles.result.atomic_file import checked_path, write_whole

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
WIDEST = 100  # characters of a line; longer lists are broken


def text_of_document(document: dict[str, Any]) -> str:
    """Numbers and texts first, then the run, then one table per part."""
    lines = ["# A model for chasles, in SI units: m, kg, s, rad."]
    tables = {key: value for key, value in document.items() if is_tables(value)}
    lines += [line(key, value) for key, value in document.items()
              if key not in tables and not isinstance(value, dict)]  # fmt: skip
    for key, value in document.items():
        if isinstance(value, dict):
            lines += ["", f"[{name(key)}]", *(line(k, v) for k, v in value.items())]
    for key, members in tables.items():
        for member in members:
            lines += ["", f"[[{name(key)}]]", *(line(k, v) for k, v in member.items())]
    return "\n".join(lines) + "\n"


def is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def line(key: str, value: Any) -> str:
    whole = f"{name(key)} = {written(value)}"
    if len(whole) <= WIDEST or not isinstance(value, list):
        return whole
    return f"{name(key)} = [\n" + "".join(f"  {written(entry)},\n" for entry in value) + "]"


def name(key: str) -> str:
    return key if key and BARE.issuperset(key) else text(key)


def text(value: str) -> str:
    """A text in quotes: JSON's are TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(value))  # the shortest text that reads back the same
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{name(key)} = {written(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise InvalidModel(f"{short_repr(value)} cannot be written.", "Give finite numbers and texts.")


def write_text(document: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a document as a file: see `write_whole`."""
    target = checked_path(path)
    if target.suffix.lower() != ".toml":
        raise InvalidFile(
            f"'{target}' does not end in .toml, but models are written as TOML.",
            f"Write to '{target.with_suffix('.toml') if target.name else 'model.toml'}'.",
        )
    words = text_of_document(document)
    try:
        contents = words.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidModel(
            f"a text of the model has {words[error.start]!a}, which no file can hold.",
            "Write it in other letters.",
        ) from None
    check_keys(words, target)  # what is written can be read
    if len(contents) > LARGEST:
        raise InvalidFile(
            f"'{target}' would have {len(contents) / 2**20:.3g} MiB, but files of models are read"
            f" up to {LARGEST / 2**20:g} MiB.",
            "Thin out its tables, or keep the script that makes the model.",
        )
    return write_whole(target, lambda file: file.write(contents))
