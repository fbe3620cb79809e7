"""The command line: commands.toml declares its commands, `commands` has what they do.

Exit codes: 0 success; 1 the run stopped, or a check failed; 2 the input is wrong; 130 interrupted.
"""

import argparse
import re
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from io import TextIOWrapper
from typing import Any, NoReturn

from chasles.cli.declared import PLAIN_LETTERS, add_commands
from chasles.model import ChaslesError, ChaslesWarning, UnknownName

FAILED = 1
WRONG_OPTION = 2
INTERRUPTED = 130
EXAMPLES = """\
examples:
  chasles run examples/heavy_top.toml          simulate a model file, save the result
  chasles designate examples/heavy_top.toml    show the configuration space of each body
  chasles doctor                               check the installation
"""
#: What argparse says -> what is said instead.
IN_PLAIN_WORDS = {
    r"^argument (\S+): invalid float value: (.*)$": r"\1 must be a number, got \2. Give it in SI"
    " units, without the unit: 1e-3.",
    r"^argument (\S+): invalid int value: (.*)$": r"\1 must be a whole number, got \2.",
    r"^argument COMMAND: invalid choice: (\S+) \(choose from (.*)\)$": r"there is no command \1."
    r" Known: \2.",
}


class OneLineParser(argparse.ArgumentParser):
    """Errors in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        for pattern, words in IN_PLAIN_WORDS.items():
            message = re.sub(pattern, words, message)
        self.exit(WRONG_OPTION, f"chasles: {message}\n")


def parser() -> argparse.ArgumentParser:
    main_parser = OneLineParser(
        prog="chasles",
        description="Simulate mechanisms: Lie-group time integration of multibody systems.\n"
        "Exit codes: 0 success, 1 a run stopped or a check failed, 2 wrong input.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main_parser.add_argument("--version", action="version", version=f"chasles {version('chasles')}")
    add_commands(main_parser)
    return main_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=PLAIN_LETTERS)
    made = parser()
    options, unknown = made.parse_known_args(arguments)
    warnings.formatwarning, formatted = without_places(warnings.formatwarning)
    try:
        for word in unknown:
            if not word.startswith("-"):
                made.error(f"unrecognized argument: {word}")
            flag, where = word.partition("=")[0], f"chasles {options.command}"
            raise UnknownName.among("option", flag, options.flags, where=where)
        code: int = options.call(options)
        return code
    except ChaslesError as error:
        print(f"chasles: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG_OPTION
    except BrokenPipeError:  # who read the output has enough: `chasles library | head`
        sys.stderr.close()
        return FAILED
    except OSError as error:  # a full disk, say
        print(f"chasles: {error.strerror or error}: {error.filename or 'output'}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as interrupt:
        what = options.interrupted or str(interrupt) or "no result was saved"
        print(f"\nchasles: interrupted; {what}.", file=sys.stderr)
        return INTERRUPTED
    finally:
        warnings.formatwarning = formatted


def without_places(formatted: Any) -> tuple[Any, Any]:
    """How to print warnings: our own without the line of code, which the user never wrote."""

    def plainly(message: Any, category: type[Warning], *place: Any, **more: Any) -> str:
        if issubclass(category, ChaslesWarning):
            return f"chasles: warning: {message}\n"
        return str(formatted(message, category, *place, **more))

    return plainly, formatted
