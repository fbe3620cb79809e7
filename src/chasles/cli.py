"""The command line: `chasles paper` makes the report, `chasles study spaces` the study,
`chasles library` lists and runs the benchmark mechanisms, and `chasles view` shows a saved run.
"""

import argparse
import codecs
import sys
import unicodedata
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from chasles.model import ChaslesError

FAILED = 1
WRONG_OPTION = 2
INTERRUPTED = 130


class OneLineParser(argparse.ArgumentParser):
    """Errors in one line, without the usage."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(WRONG_OPTION, f"chasles: {message}\n")


def parser() -> argparse.ArgumentParser:
    main_parser = OneLineParser(
        prog="chasles",
        description="Lie-group time integration of constrained multibody systems.",
    )
    main_parser.add_argument("--version", action="version", version=f"chasles {version('chasles')}")
    commands = main_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    paper = commands.add_parser(
        "paper",
        help="the paper's examples, figures and claims as one page",
        description="Run the examples of Müller and Terze (2013), test the paper's claims, and"
        " write report.html, the figures and results.json.",
    )
    size = paper.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="the paper's own runs only, no PNG files"
    )
    size.add_argument("--full", action="store_true", help="everything (the default)")
    paper.add_argument(
        "--example", action="append", metavar="NAME", help="only this one; may repeat"
    )
    paper.add_argument("--step", type=float, default=1e-3, metavar="S", help="seconds [1e-3]")
    paper.add_argument("--method", default="rk4", metavar="NAME", help="tableau [rk4]")
    paper.add_argument("--until", type=float, default=1.0, metavar="S", help="duration [1]")
    paper.add_argument("--out", type=Path, default=Path("out/paper"), metavar="FOLDER")
    study = commands.add_parser("study", help="studies that extend the paper")
    studies = study.add_subparsers(dest="study", required=True, metavar="STUDY")
    spaces = studies.add_parser(
        "spaces",
        help="every chart on pairs, trees, loops and moving frames",
        description="Measure which configuration space is best, and write study.md, its figures"
        " and results.json.",
    )
    spaces.add_argument("--quick", action="store_true", help="fewer models, no PNG files")
    spaces.add_argument("--out", type=Path, default=Path("out/study"), metavar="FOLDER")
    library = commands.add_parser(
        "library",
        help="published benchmark mechanisms",
        description="List the benchmarks; run one, print its checks, and write its picture and its"
        " result; or run all of them and write library.md with their pictures.",
    )
    library.add_argument("name", nargs="?", metavar="NAME", help="one of them, or 'all'")
    library.add_argument("--out", type=Path, default=Path("out/library"), metavar="FOLDER")
    commands.add_parser("warm", help="compile everything ahead, once per machine")
    view = commands.add_parser(
        "view",
        help="a saved run, live in the browser or as a film",
        description="Show a run that result.save wrote: live in the browser (needs viser), or, with"
        " --out, as a film in a file.",
    )
    view.add_argument("file", type=Path, metavar="FILE", help="what result.save wrote, run.nc")
    view.add_argument("--out", type=Path, metavar="FILM", help=".html, .gif or .mp4")
    view.add_argument("--port", type=int, default=8080, metavar="N", help="of the server [8080]")
    return main_parser


def plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters without their accents, for terminals that have none: one for one, so tables fit."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    bases = (unicodedata.normalize("NFKD", letter)[0] for letter in letters)
    return "".join(base if base.isascii() else "?" for base in bases), error.end


codecs.register_error("chasles.plain_letters", plain_letters)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="chasles.plain_letters")
    options = parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except ChaslesError as error:
        print(f"chasles: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG_OPTION
    except OSError as error:  # a full disk, say
        print(f"chasles: {error.strerror or error}: {error.filename or 'output'}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        what = "no report was written" if options.command == "paper" else "nothing was finished"
        print(f"\nchasles: interrupted; {what}.", file=sys.stderr)
        return INTERRUPTED


def paper_command(options: argparse.Namespace) -> int:
    from chasles.paper.report import Options, make_report  # late: --version needs no plotting

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


def study_command(options: argparse.Namespace) -> int:
    from chasles.studies.spaces_study.study import Options, make_study  # late, as above

    print(make_study(Options(out=options.out, quick=options.quick)))
    return 0


def library_command(options: argparse.Namespace) -> int:
    from chasles.library.command import listing, run_all, run_one  # late, as above

    if options.name is None:
        print(listing())
        return 0
    everything = options.name.lower() == "all"
    told, passed = run_all(options.out) if everything else run_one(options.name, options.out)
    print(told)
    return 0 if passed else FAILED


def warm_command(options: argparse.Namespace) -> int:
    from chasles.warm import warm  # late, as above

    return 0 if warm() else FAILED


def view_command(options: argparse.Namespace) -> int:
    from chasles.io.netcdf import load  # late, as above

    result = load(options.file)
    if options.out is not None:
        print(result.animate(options.out, title=options.file.stem))
        return 0
    live = result.view(port=options.port)
    print(f"{live.url}  (Ctrl-C ends)", flush=True)
    live.wait()
    return 0


COMMANDS = {
    "paper": paper_command,
    "study": study_command,
    "library": library_command,
    "warm": warm_command,
    "view": view_command,
}


if __name__ == "__main__":
    sys.exit(main())
