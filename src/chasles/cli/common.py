"""What commands share: how they are declared, a model from a file, numbers as JSON."""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

Commands = Any  # what add_subparsers returns, which argparse does not name
Call = Callable[[argparse.Namespace], int]


def command(
    commands: Commands, name: str, call: Call, what: str, description: str, examples: str = ""
) -> argparse.ArgumentParser:
    """The parser of one command; `examples` end its --help."""
    made: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=description,
        epilog=f"examples:\n{examples}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(call=call, flags=made._option_string_actions)
    return made


def add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="model file: .toml, .urdf or .xml (MJCF)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")


def told(data: Any) -> None:
    """Print data as JSON; numbers that are not finite, which JSON does not have, as null."""
    print(json.dumps(finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
