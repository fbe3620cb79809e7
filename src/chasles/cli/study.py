"""`chasles study spaces`: studies that extend the paper."""

import argparse
from pathlib import Path

from chasles.cli.common import Commands, command


def add(commands: Commands) -> None:
    study = commands.add_parser("study", help="studies that extend the paper")
    studies = study.add_subparsers(dest="study", required=True, metavar="STUDY")
    parser = command(
        studies, "spaces", call, "compare spaces on pairs, trees, loops and moving frames",
        "Measure which configuration space is best, and write study.md, its figures and\n"
        "results.json.",
        "  chasles study spaces --quick --out study\n",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="fewer models, no PNG files")
    parser.add_argument("--slow", action="store_true", help="a million steps in the long run")
    parser.add_argument("--out", type=Path, default=Path("out/study"), metavar="FOLDER")
    parser = command(
        studies, "integrators", call_integrators, "compare all methods in all spaces",
        "Measure orders, cost and long runs, and write integrators-study.md, its\n"
        "figures and results.json.",
        "  chasles study integrators --quick --out study\n",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="one model, short runs")
    parser.add_argument("--slow", action="store_true", help="a million steps in the long runs")
    parser.add_argument("--out", type=Path, default=Path("out/integrators"), metavar="FOLDER")


def call_integrators(options: argparse.Namespace) -> int:
    from chasles.studies.integrators_study.cases import Effort  # late, as below
    from chasles.studies.integrators_study.study import Options, make_study

    print(make_study(Options(options.out, Effort(options.quick, options.slow))))
    return 0


def call(options: argparse.Namespace) -> int:
    from chasles.studies.library import bennett, bricard, four_bar  # late, as below: it plots
    from chasles.studies.spaces_study.study import Options, make_study

    linkages = {
        "four-bar": four_bar.model(),
        "Bennett's linkage": bennett.model(),
        "Bricard's linkage": bricard.model(),
    }
    study = Options(out=options.out, quick=options.quick, slow=options.slow, linkages=linkages)
    print(make_study(study))
    return 0
