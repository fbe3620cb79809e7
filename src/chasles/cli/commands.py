"""What the commands do, but for those with modules of their own: run and doctor.

Each imports what it needs when it is called.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

from chasles.cli.declared import given, show
from chasles.model import InvalidOption

IMPORTED = 5.0  # s that a robot is run for, unless its user says so
TOLERANCES = {"rtol": 1e-6, "atol": 1e-8}


def designate(options: Namespace) -> int:
    from chasles.io.read import read_model
    from chasles.spaces import designate

    found = designate(read_model(options.file))
    return show(options, found, found.as_dict)


def compare(options: Namespace) -> int:
    from chasles.io.read import read_file
    from chasles.studies.compare import compare

    model, run = read_file(options.file)
    until = options.until or run.get("until")
    step = options.step or run.get("step")
    if until is None or step is None:
        raise InvalidOption(
            f"'{options.file}' does not say how long to run, or by which step.",
            "Give --until and --step, or both in its table [run].",
        )
    method = options.method or run.get("method", "rk4")
    progress = False if options.json else None
    found = compare(model, options.spaces, until, step, method=method, progress=progress)
    if options.plot is not None:
        found.plot(options.plot)
    return show(options, found, found.as_dict)


def advise(options: Namespace) -> int:
    from chasles.io.read import read_file
    from chasles.studies.advise import advise

    model, run = read_file(options.file)
    asked = {"until": run["until"]} if "until" in run else {}
    asked |= given(options, "target", "energy", "until", "budget")
    advice = advise(model, **asked, progress=False if options.json else None)
    return show(options, advice, advice.as_dict, advice.met)


def import_robot(options: Namespace) -> int:
    """The model file of a robot; a .toml file has no limits and contacts to choose."""
    from chasles.io.read import read_file
    from chasles.model import Load, Motor, Servo

    target = options.out or Path(options.file.stem + ".toml")
    if target.resolve() == options.file.resolve():
        raise InvalidOption(f"'{target}' would be written over itself.", "Give --out.")
    robot = options.file.suffix.lower() != ".toml"
    choices = (options.limits, options.contacts) if robot else (None, None)
    model, run = read_file(options.file, options.folder, *choices)
    if robot:  # springs, stops and contacts change faster than a step that smooths them
        stiff = any(isinstance(f, Servo) or not isinstance(f, Load | Motor) for f in model.forces)
        run = {"until": IMPORTED, **(TOLERANCES if stiff else run)}
    written = model.write(target, run)
    settings = ", ".join(f"{name} = {value:g}" for name, value in run.items() if robot)
    lines = [
        repr(model),
        *(f"note: {note}" for note in model.notes),
        *([f"next: chasles run {written}  ({settings}: see its table [run])"] if robot else []),
        str(written),
    ]
    data = {
        "file": str(written), "bodies": len(model.bodies), "joints": len(model.joints),
        "forces": len(model.forces), "degrees_of_freedom": model.degrees_of_freedom,
        "notes": list(model.notes),
    }  # fmt: skip
    return show(options, "\n".join(lines), lambda: data)


def sweep(options: Namespace) -> int:
    from chasles.io.sweep_files import read_sweep
    from chasles.many.sweeps.sweep import sweep

    runs = sweep(
        **read_sweep(options.file), executor=options.scheduler, workers=options.workers,
        into=options.out, progress=False if options.json else None,
    )  # fmt: skip
    if options.csv is not None:
        from chasles.result.tables import as_text

        runs.frame().rename(columns=as_text).map(as_text).to_csv(options.csv, index=False)
    return show(options, runs, lambda: {"runs": list(runs.runs)}, not runs.failed)


def paper(options: Namespace) -> int:
    from chasles.studies.paper.examples import Options
    from chasles.studies.paper.report import make_report

    asked = given(options, "step", "method", "until", "out", "quick")
    print(make_report(Options(examples=tuple(options.example or ()) or None, **asked)))
    return 0


def reproduce(options: Namespace) -> int:
    from chasles.studies.reproduced.cases import CASES, reproduce

    found = [reproduce(name) for name in options.names or CASES]
    agree = all(one.agrees for one in found)
    words = "\n\n".join(map(str, found))
    return show(options, words, lambda: [one.as_dict() for one in found], agree)


def study_spaces(options: Namespace) -> int:
    from chasles.studies.spaces_study.page import make_study

    print(make_study(options.out, options.quick, options.slow))
    return 0


def study_integrators(options: Namespace) -> int:
    from chasles.studies.integrators_study.study import make_study

    print(make_study(options.out, options.quick, options.slow))
    return 0


def library(options: Namespace) -> int:
    from chasles.studies.library.command import listing, run_all, run_one

    if options.name is None:
        print(listing())
        return 0
    everything = options.name.lower() == "all"
    words, passed = run_all(options.out) if everything else run_one(options.name, options.out)
    print(words)
    return 0 if passed else 1


def view(options: Namespace) -> int:
    from chasles.io.netcdf import load
    from chasles.view.stage import title_from

    result = load(options.file)
    if options.out is not None:
        # `chasles run top.toml` saves out/top/result.nc
        named = options.file.resolve()
        named = named.parent if named.stem == "result" and named.parent.name else named
        print(result.animate(options.out, title=title_from(named), follow=options.follow))
        return 0
    result.view(port=options.port, follow=options.follow, block=True)
    return 0


def export(options: Namespace) -> int:
    from chasles.io.read import read_model
    from chasles.view.export import export
    from chasles.view.stage import title_from

    target = options.out or (Path(f"{options.file.stem}.cu") if options.cuda else None)
    if target is None:
        raise InvalidOption(
            "export: the format is missing.", f"Give --out {options.file.stem}.html, or --cuda."
        )
    spaces = options.spaces or ["auto"]
    asked: dict[str, Any] = {"method": options.method, "exact": not options.fma}
    asked["spaces"] = spaces[0] if len(spaces) == 1 else spaces
    asked |= given(options, "step", "until", "title", "stabilise")
    if options.sliders:
        asked["sliders"] = dict(slider(words) for words in options.sliders)
    if target.suffix.lower() == ".html":
        asked.setdefault("title", title_from(options.file))
    print(export(read_model(options.file), target, **asked))
    return 0


def slider(words: str) -> tuple[str, tuple[float, float]]:
    """PATH=LOW:HIGH as a path and a range."""
    path, _, span = words.rpartition("=")
    low, _, high = span.partition(":")
    try:
        return path, (float(low), float(high))
    except ValueError:
        raise InvalidOption(
            f"export: --sliders must be PATH=LOW:HIGH, got '{words}'.",
            "Give --sliders gravity=0:20 hinge=-1.5:1.5, say.",
        ) from None


def warm(options: Namespace) -> int:
    from chasles.cli.warming import warm

    return 0 if warm() else 1
