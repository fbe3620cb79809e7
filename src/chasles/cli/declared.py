"""The commands of commands.toml as parsers."""

import argparse
import codecs
import json
import tomllib
import unicodedata
from argparse import Namespace
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from chasles.model.tables import finite
from chasles.run.options import PLAIN, Options, meanings

KINDS: dict[str, type] = {"float": float, "int": int, "str": str, "path": Path}
#: What stands for a value of an option in --help.
VALUES = {float: "X", int: "N", str: "NAME"}
#: Of arguments that several commands have.
USUAL: dict[str, Any] = {
    "file": {
        "type": "path", "metavar": "FILE", "help": "model file: .toml, .urdf or .xml (MJCF)",
    },
    "--out": {"type": "path"},
    "--json": {"flag": "print the result as one JSON object"},
}  # fmt: skip


@cache
def declared() -> dict[str, dict[str, Any]]:
    """Name -> how a command is declared; that of a command of a command has two words."""
    text = files("chasles.cli").joinpath("commands.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def add_commands(parser: argparse.ArgumentParser) -> None:
    groups = {"": parser.add_subparsers(dest="command", required=True, metavar="COMMAND")}
    for words, entry in declared().items():
        group, _, name = words.rpartition(" ")
        if "in" in entry:
            add_command(groups[group], name, entry)
        else:  # one with commands of its own
            made = groups[group].add_parser(name, help=entry["help"])
            groups[name] = made.add_subparsers(dest=name, required=True, metavar=name.upper())


def add_command(group: Any, name: str, entry: dict[str, Any]) -> None:
    parser: argparse.ArgumentParser = group.add_parser(
        name,
        help=entry["help"],
        description=entry["description"],
        epilog=f"examples:\n{entry['examples']}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(
        call=partial(called, entry["in"]),
        flags=parser._option_string_actions,
        interrupted=entry.get("interrupted", ""),
    )
    alternatives: Any = None  # flags of which at most one is given
    for flag, given in entry["arguments"].items():
        if flag == "options":
            add_options(parser, PLAIN if given == "all" else given)
            continue
        how = {**USUAL.get(flag, {}), **given}
        place: Any = parser
        if how.pop("either", False):
            place = alternatives = alternatives or parser.add_mutually_exclusive_group()
        if "flag" in how:
            place.add_argument(flag, action="store_true", help=how["flag"])
            continue
        how["type"] = KINDS[how.get("type", "float")]
        if how["type"] is Path and "default" in how:
            how["default"] = Path(how["default"])
        place.add_argument(flag, **how)


def add_options(parser: argparse.ArgumentParser, names: Iterable[str]) -> None:
    """Options of a run, as their record declares and explains them."""
    texts = meanings(Options)
    for name in names:
        kind, words = PLAIN[name].metadata["data"], " ".join(texts[name].split()[1:])
        what = words.partition(". ")[0]
        how: Any = {"type": kind, "metavar": VALUES[kind]} if kind in VALUES else {
            "action": "store_true", "default": None
        }  # fmt: skip
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, help=what[0].lower() + what[1:].rstrip("."), **how)


def called(place: str, options: argparse.Namespace) -> int:
    """Call the function of a command; its module is imported now: --help needs no arrays."""
    module, _, function = place.partition(":")
    code: int = getattr(import_module(f"chasles.cli.{module}"), function)(options)
    return code


# --- what commands share --------------------------------------------------------------------------


def given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The options of these names that were given."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def show(options: Namespace, words: Any, data: Callable[[], Any], good: bool = True) -> int:
    """Print words, or data as JSON where that was asked for; the exit code."""
    if options.json:
        text = json.dumps(finite(data()), indent=2, ensure_ascii=False, allow_nan=False)
        print(text)
    else:
        print(words)
    return 0 if good else 1


PLAIN_LETTERS = "chasles.plain_letters"


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters without their accents, for terminals that have none: one for one, so tables fit."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    bases = (unicodedata.normalize("NFKD", letter)[0] for letter in letters)
    return "".join(base if base.isascii() else "?" for base in bases), error.end


codecs.register_error(PLAIN_LETTERS, plain_letters)
