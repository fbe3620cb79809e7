"""`chasles paper`: the paper's examples, figures and claims as one page."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, command

EXAMPLES = """\
  chasles paper --quick                        the paper's own runs, in seconds
  chasles paper --example heavy-top --out top  one example
"""


def add(commands: Commands) -> None:
    parser = command(
        commands, "paper", call, "reproduce the paper: examples, figures and claims",
        "Run the examples of Müller and Terze (2013), test the paper's claims, and write\n"
        "report.html, the figures and results.json.",
        EXAMPLES,
    )  # fmt: skip
    parser.set_defaults(interrupted="no report was written")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="only the runs of the paper, no PNG files"
    )
    size.add_argument("--full", action="store_true", help="everything (the default)")
    parser.add_argument(
        "--example", action="append", metavar="NAME", help="run only this example; may be repeated"
    )
    parser.add_argument(
        "--step", type=float, default=1e-3, metavar="S", help="length of a step, s [1e-3]"
    )
    parser.add_argument("--method", default="rk4", metavar="NAME", help="Runge-Kutta tableau [rk4]")
    parser.add_argument("--until", type=float, default=1.0, metavar="S", help="duration, s [1]")
    parser.add_argument("--out", type=Path, default=Path("out/paper"), metavar="FOLDER")


def call(options: argparse.Namespace) -> int:
    from chasles.studies.paper.report import (  # late: --version needs no plotting
        Options,
        make_report,
    )

    report = make_report(
        Options(
            examples=tuple(options.example) if options.example else None,
            step=options.step,
            method=options.method,
            until=options.until,
            out=options.out,
            quick=options.quick,
        )
    )
    print(report)
    return 0
