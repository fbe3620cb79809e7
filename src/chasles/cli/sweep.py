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
        commands, "sweep", call, "run a model many times with varied parameters",
        "Run all combinations of the values in a file.  With --out, each finished run is stored,\n"
        "and the same command continues where it stopped.  Exit code 1 if a run was not finished.",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="sweep file: .toml")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder to store the runs")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes on this machine [one per core]"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="address of a Dask scheduler, tcp://host:8786"
    )
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write a table with a row for every run"
    )
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.sweep_files import read_sweep  # late: --help needs no arrays
    from chasles.many.sweeps.sweep import sweep

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
