"""`chasles advise FILE`: the cheapest way to run a model that keeps its joints and its energy."""

import argparse
from typing import Any

from chasles.cli.common import Commands, add_file, add_json, command, told

EXAMPLES = """\
  chasles advise top.toml
  chasles advise top.toml --target 1e-6 --until 10 --budget 60
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "advise", call, "find the cheapest spaces, method and step for a target",
        "Try spaces, methods, stabilisers and steps.  Recommend the cheapest that keeps every\n"
        "joint below --target and the energy error below --energy.  Exit code 1 if none does.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    parser.add_argument(
        "--target", type=float, metavar="M", help="largest violation of a joint, m or rad [1e-9]"
    )
    parser.add_argument(
        "--energy", type=float, metavar="X", help="largest relative energy error [1e-6]"
    )
    parser.add_argument(
        "--until", type=float, metavar="S", help="end time, s [1, or that of the file]"
    )
    parser.add_argument(
        "--budget", type=float, metavar="S", help="effort, in units of 1e9 operations [30]"
    )
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_file  # late: --help needs no arrays
    from chasles.studies.advise import advise

    model, run = read_file(options.file)
    asked: dict[str, Any] = {"until": run["until"]} if "until" in run else {}
    for name in ("target", "energy", "until", "budget"):
        if getattr(options, name) is not None:
            asked[name] = getattr(options, name)
    advice = advise(model, **asked, progress=False if options.json else None)
    if options.json:
        told(advice.as_dict())
    else:
        print(advice)
    return 0 if advice.met else 1
