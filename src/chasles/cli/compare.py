"""`chasles compare FILE`: the same model in several spaces."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, add_file, add_json, command, told
from chasles.model import InvalidOption

EXAMPLES = """\
  chasles compare top.toml
  chasles compare top.toml --spaces SE3 SO3xR3 --until 2 --step 1e-3 --plot drift.png
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "compare", call, "run a model in several configuration spaces",
        "Run a model in several spaces and compare drift of joints, energy error and cost.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    parser.add_argument("--until", type=float, metavar="S", help="end time of the run, s")
    parser.add_argument("--step", type=float, metavar="S", help="length of a step, s")
    parser.add_argument(
        "--spaces", nargs="+", metavar="NAME", default=["auto", "SE3", "SO3xR3"],
        help="spaces to compare [auto SE3 SO3xR3]",
    )  # fmt: skip
    parser.add_argument("--method", metavar="NAME", help="method [rk4, or that of the file]")
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="also write a figure, .png or .svg"
    )
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_file  # late: --help needs no arrays
    from chasles.studies.compare import compare

    model, run = read_file(options.file)
    until = options.until or run.get("until")
    step = options.step or run.get("step")
    if until is None or step is None:
        raise InvalidOption(
            f"'{options.file}' does not say how long to run, or by which step.",
            "Give --until and --step, or both in its table [run].",
        )
    comparison = compare(
        model, options.spaces, until, step,
        method=options.method or run.get("method", "rk4"),
        progress=False if options.json else None,
    )  # fmt: skip
    if options.plot is not None:
        comparison.plot(options.plot)
    if options.json:
        told(comparison.as_dict())
    else:
        print(comparison)
    return 0
