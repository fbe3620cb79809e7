"""`chasles run FILE`: simulate a model file and save the result."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from chasles.cli.common import Commands, add_file, add_json, command, told
from chasles.model import InvalidOption
from chasles.model.tables import small
from chasles.run.options import CHOOSING, PLAIN, Options, meanings

EXAMPLES = """\
  chasles run top.toml                                 with the options in its table [run]
  chasles run top.toml --until 10 --step 1e-3          with other options
  chasles run top.toml --until 10 --tol 1e-6           with a target for the global error
  chasles run top.toml --report top.html               film, numbers and plots on one page
  chasles run top.toml --out results --json            print the summary as JSON
  chasles run top.toml --out results --resume          continue an interrupted run
"""
#: What stands for a value of an option in --help.
VALUES = {float: "X", int: "N", str: "NAME"}


def add(commands: Commands) -> None:
    parser = command(
        commands, "run", call, "simulate a model file",
        "Simulate a model file and write FOLDER/result.nc (read it with chasles.load).  Options\n"
        "given here replace those in the table [run] of the file.  After Ctrl-C, or if the run\n"
        "stops, the result so far is saved.  States are written to FOLDER/segments on\n"
        "the way.  They survive a crash, and --resume continues from them.",
        EXAMPLES,
    )  # fmt: skip
    add_file(parser)
    texts = meanings(Options)
    for name, option in PLAIN.items():
        kind, words = option.metadata["data"], " ".join(texts[name].split()[1:])
        what = words.partition(". ")[0]
        how: Any = {"type": kind, "metavar": VALUES[kind]} if kind in VALUES else {
            "action": "store_true", "default": None
        }  # fmt: skip
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, help=what[0].lower() + what[1:].rstrip("."), **how)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="output folder [out/FILE]")
    parser.add_argument("--report", type=Path, metavar="HTML", help="write a report page")
    parser.add_argument("--resume", action="store_true", help="continue the run in the folder")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_json(parser)


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_file  # late: --help needs no arrays
    from chasles.io.run_options import check_steps
    from chasles.model import SimulationStopped
    from chasles.run.interrupts import Interrupted
    from chasles.run.simulate import simulate

    model, run = read_file(options.file)
    given = {name: value for name in PLAIN if (value := getattr(options, name)) is not None}
    if "step" not in given and any(name in given for name in CHOOSING):
        other = ("rtol", "atol") if "tol" in given else ("tol",)
        run = {name: value for name, value in run.items() if name not in ("step", *other)}
    run |= given
    if "until" not in run:
        raise InvalidOption(
            f"'{options.file}' has no end time for the run.",
            "Give --until, or until = ... in its table [run].",
        )
    check_steps(run)
    folder = made(options.out or Path("out") / options.file.stem)
    unkept = [name for name in ("t_eval", *CHOOSING) if name in run]
    unkept += ["method 'auto'"] if run.get("method") == "auto" else []
    if not unkept:
        run |= {"into": segments(folder, options.resume), "resume": True}
    elif options.resume:
        raise InvalidOption(
            f"--resume: a run with {unkept[0]} is not recorded and cannot be resumed.",
            f"Leave {unkept[0]} out, or --resume.",
        )
    try:
        result = simulate(model, **run, progress=False if options.quiet or options.json else None)
    except SimulationStopped as stopped:
        if stopped.result is None:
            raise
        keep(stopped.result, folder, options)
        clear(folder)
        print(f"chasles: {' '.join(str(stopped).split())}", file=sys.stderr)
        return 1
    except Interrupted as interrupt:
        keep(interrupt.result, folder, options)
        reached = interrupt.result.t[-1]
        raise KeyboardInterrupt(f"the result up to t = {reached:g} s is saved") from None
    keep(result, folder, options)
    clear(folder)
    return 0


def segments(folder: Path, resume: bool) -> Path:
    """The folder of the states; what another run has left there is not written over."""
    from chasles.run.recorded import SEGMENTS, is_recording

    found = folder / SEGMENTS
    if is_recording(found) and not resume:
        raise InvalidOption(
            f"'{found}' holds an interrupted run.",
            "Continue it with --resume, delete it, or give another folder with --out.",
        )
    if resume and not is_recording(found):
        raise InvalidOption(
            f"--resume: there is no interrupted run in '{found}'.",
            "Leave --resume out to start one.",
        )
    return found


def clear(folder: Path) -> None:
    """Remove the states of a run whose result is in a file."""
    from chasles.run.recorded import SEGMENTS

    shutil.rmtree(folder / SEGMENTS, ignore_errors=True)


def made(folder: Path) -> Path:
    """The folder, made before a long run that would have nowhere to leave its result."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidOption(
            f"--out: the folder '{folder}' cannot be created: {error.strerror}.",
            "Give another folder.",
        ) from error
    return folder


def keep(result: Any, folder: Path, options: argparse.Namespace) -> None:
    """Write the result and print its summary."""
    written = {"result": str(result.save(folder / "result.nc"))}
    if options.report is not None:
        from chasles.view.run_report import write_report  # late: plotting takes a while to load

        title = options.file.stem.replace("_", " ")
        written["report"] = str(write_report(result, options.report, title))
    found = {**summary(result), "files": written}
    if options.json:
        told(found)
    else:
        print(in_words(found))


def summary(result: Any) -> dict[str, Any]:
    """The summary of a run, as plain data."""
    model, provenance = result.model, result.provenance
    gaps = {joint.name: {"m": 0.0, "rad": 0.0} for joint in model.joints}
    first, work, last, missed = None, 0.0, 0.0, 0.0
    for window in result._windows():  # a run on the disk may be longer than memory
        energy, balance = window.energy(), window.energy_balance()
        done = float(window._work_done()[0])
        first, work = (float(energy[0]), done) if first is None else (first, work)
        last, begun = float(energy[-1]), float(energy[0]) - first - (done - work)
        missed = max(missed, float(abs(balance + begun).max()))
        for name, gap in gaps.items():
            gap["m"] = max(gap["m"], float(window.violation(name).max()))
            gap["rad"] = max(gap["rad"], float(window.violation(name, part="rotation").max()))
    return {
        "status": result.status,
        "message": result.message,
        "until": float(result.t[-1]),
        "states": len(result.t),
        **{name: provenance[name] for name in ("steps", "step", "method", "spaces", "stabilise")},
        "seconds_in_steps": provenance["seconds_in_steps"],
        "joints": gaps,
        "energy": {"start": first, "end": last, "largest_error": missed},
        "notes": list(model.notes),
    }


def in_words(found: dict[str, Any]) -> str:
    joints = [
        f"  {name}: constraint violation at most {small(gap['m'])} m, {small(gap['rad'])} rad"
        for name, gap in found["joints"].items()
    ]
    energy = found["energy"]
    return "\n".join(
        [
            f"{found['message']} ({found['method']}, {found['seconds_in_steps']:.3g} s)",
            *joints,
            f"energy {energy['start']:.6g} J at the start, {energy['end']:.6g} J at the end;"
            f" largest energy-balance error {small(energy['largest_error'])} J",
            *(f"note: {note}" for note in found["notes"]),
            *(str(path) for path in found["files"].values()),
        ]
    )
