"""`chasles sweep FILE`: many runs, over processes or machines, kept as they come."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, add_json, command, told

EXAMPLES = """\
  chasles sweep examples/sweep_top.toml
  chasles sweep examples/sweep_top.toml --out tops --workers 4
  chasles sweep examples/sweep_top.toml --out tops --scheduler tcp://head:8786
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "sweep", call, "many runs of a model, kept as they come",
        "Run all combinations of the values in a file.  With --out, runs are kept as they come,\n"
        "and the same command goes on where it stopped.  Exit code 1 if a run was not finished.",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="a sweep: .toml")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where runs are kept")
    parser.add_argument("--workers", type=int, metavar="N", help="processes here [one per core]")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, tcp://host:8786")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a row for every run")
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.sweep_files import read_sweep  # late: --help needs no arrays
    from chasles.sweeps.sweep import sweep

    asked = read_sweep(options.file)
    runs = sweep(
        **asked, executor=options.scheduler, workers=options.workers, into=options.out,
        progress=False if options.json else None,
    )  # fmt: skip
    if options.csv is not None:
        runs.frame().to_csv(options.csv, index=False)
    if options.json:
        told({"runs": list(runs.runs)})
    else:
        print(runs)
    return 1 if runs.failed else 0
