"""`chasles run FILE`: simulate a model file and save the result."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from chasles.cli.declared import given, show
from chasles.model import InvalidOption
from chasles.model.tables import small
from chasles.run.options import CHOOSING, PLAIN


def call(options: argparse.Namespace) -> int:
    from chasles.io.read import read_file  # late: --help needs no arrays
    from chasles.io.run_options import check_steps
    from chasles.model import SimulationStopped
    from chasles.run.one_run import Interrupted
    from chasles.run.simulate import simulate
    from chasles.studies.output import writable

    model, run = read_file(options.file)
    asked = given(options, *PLAIN)
    if "step" not in asked and any(name in asked for name in CHOOSING):
        other = ("rtol", "atol") if "tol" in asked else ("tol",)
        run = {name: value for name, value in run.items() if name not in ("step", *other)}
    elif "step" in asked:  # instead of the file's tolerances
        run = {name: value for name, value in run.items() if name not in CHOOSING}
    run |= asked
    if "until" not in run:
        raise InvalidOption(
            f"'{options.file}' has no end time for the run.",
            "Give --until, or until = ... in its table [run].",
        )
    check_steps(run)
    folder = writable(options.out or Path("out") / options.file.stem)  # before a long run
    if keeps_past_points(run):
        if options.resume:
            raise InvalidOption(
                f"--resume: a run with {run['method']!r} is not recorded and cannot be resumed.",
                "Leave --resume out, or take one of dopri5, tsit5 and dop853.",
            )
    else:
        run |= {"into": segments(folder, options.resume), "resume": True}
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


def keeps_past_points(run: dict[str, Any]) -> bool:
    """Whether a run is made by a method whose memory no file can hold."""
    from chasles.integrators.methods import methods

    found = methods().get(str(run.get("method")))
    return found is not None and found.foreign is not None


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
        if (folder / "result.nc").exists():
            raise InvalidOption(
                f"--resume: the run in '{folder}' is finished.",
                "Leave --resume out to run the model again, or give another folder with --out;"
                " in Python, simulate(..., start=load(...)) goes on from its end.",
            )
        raise InvalidOption(
            f"--resume: there is no interrupted run in '{folder}'.",
            "Leave --resume out to start one.",
        )
    return found


def clear(folder: Path) -> None:
    """Remove the states of a run whose result is in a file."""
    from chasles.run.recorded import SEGMENTS

    shutil.rmtree(folder / SEGMENTS, ignore_errors=True)


def keep(result: Any, folder: Path, options: argparse.Namespace) -> None:
    """Write the result and print its summary."""
    written = {"result": str(result.save(folder / "result.nc"))}
    if options.report is not None:
        from chasles.view.report import write_report
        from chasles.view.stage import title_from  # late: plotting takes a while to load

        title = title_from(options.file)
        written["report"] = str(write_report(result, options.report, title))
    found = {**summary(result), "files": written}
    show(options, in_words(found), lambda: found)


def summary(result: Any) -> dict[str, Any]:
    """The summary of a run, as plain data."""
    from chasles.result.energy import work_of_all

    model, provenance = result.model, result.provenance
    gaps = {joint.name: {"m": 0.0, "rad": 0.0} for joint in model.joints}
    missed_sums = dict.fromkeys((coupling.name for coupling in model.couplings), 0.0)
    first, work, last, missed = None, 0.0, 0.0, 0.0
    for window in result._windows():  # a run on the disk may be longer than memory
        energy, balance = window.energy(), window.energy_balance()
        done = float(work_of_all(window.problem.setup, window.integrals)[0])
        first, work = (float(energy[0]), done) if first is None else (first, work)
        last, begun = float(energy[-1]), float(energy[0]) - first - (done - work)
        missed = max(missed, float(abs(balance + begun).max()))
        for name, gap in gaps.items():
            gap["m"] = max(gap["m"], float(window.violation(name).max()))
            gap["rad"] = max(gap["rad"], float(window.violation(name, part="rotation").max()))
        for name, so_far in missed_sums.items():
            missed_sums[name] = max(so_far, float(window.violation(name).max()))
    return {
        "status": result.status,
        "message": result.message,
        "until": float(result.t[-1]),
        "states": len(result.t),
        **{name: provenance[name] for name in ("steps", "step", "method", "spaces", "stabilise")},
        "seconds_in_steps": provenance["seconds_in_steps"],
        "joints": gaps,
        "couplings": missed_sums,
        "energy": {"start": first, "end": last, "largest_error": missed},
        "notes": list(model.notes),
    }


def in_words(found: dict[str, Any]) -> str:
    joints = [
        f"  {name}: constraint violation at most {small(gap['m'])} m, {small(gap['rad'])} rad"
        for name, gap in found["joints"].items()
    ]
    couplings = [
        f"  {name}: error of the coupling at most {small(error)}"
        for name, error in found["couplings"].items()
    ]
    energy = found["energy"]
    return "\n".join(
        [
            f"{found['message']} ({found['method']}, {found['seconds_in_steps']:.3g} s)",
            *joints,
            *couplings,
            f"energy {energy['start']:.6g} J at the start, {energy['end']:.6g} J at the end;"
            f" largest energy-balance error {small(energy['largest_error'])} J",
            *(f"note: {note}" for note in found["notes"]),
            *(str(path) for path in found["files"].values()),
        ]
    )
