"""`chasles library`: published benchmark mechanisms."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, command

EXAMPLES = """\
  chasles library                    list the problems
  chasles library four-bar           run one and print its checks
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "library", call, "run published benchmark problems",
        "Without a name: list the benchmark problems.  With a name: run one, print its checks\n"
        "and write its picture, film and result.  all: run all and write library.md with pictures.",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME", help="name of a problem, or 'all'")
    parser.add_argument("--out", type=Path, default=Path("out/library"), metavar="FOLDER")


def call(options: argparse.Namespace) -> int:
    from chasles.studies.library.command import listing, run_all, run_one  # late: it plots

    if options.name is None:
        print(listing())
        return 0
    everything = options.name.lower() == "all"
    told, passed = run_all(options.out) if everything else run_one(options.name, options.out)
    print(told)
    return 0 if passed else 1
