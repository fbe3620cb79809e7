"""`chasles study spaces`: run everything, draw it, write the page."""

import json
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

from chasles.model import Model
from chasles.stderr import progress_bar
from chasles.studies.spaces_study import cases, endurance, kept, loops

IMAGES = Path("images") / "study"


@dataclass(frozen=True)
class Options:
    """What is run, and where it goes.

    out       the folder that gets study.md and images/study/
    quick     fewer starts and sizes
    slow      the long run goes on to a million steps
    linkages  over-constrained loops by name
    """

    out: Path = Path("out/study")
    quick: bool = False
    slow: bool = False
    linkages: Mapping[str, Model] = field(default_factory=dict)


def measured(options: Options, progress: bool | None = None) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr."""
    effort, ledger = cases.Effort(options.quick, options.slow), cases.Ledger()
    questions: dict[str, Callable[[], Any]] = {
        "ground": lambda: cases.pairs(effort, ledger, moving=False),
        "moving": lambda: cases.pairs(effort, ledger, moving=True),
        "orders": cases.orders,
        "trees": lambda: cases.trees(effort, ledger),
        "spins": endurance.spins,
        "long": lambda: endurance.long_runs(effort),
        "door": endurance.door,
        "floating": cases.floating,
        "platform": cases.platform,
        "kept": kept.kept,
        "loops": lambda: loops.loops(effort, ledger),
        "redundant": lambda: loops.redundant(options.linkages, ledger),
        "cost": lambda: cases.cost(effort),
        "cayley": cases.cayley_against_exp,
    }
    began = time.perf_counter()
    data: dict[str, Any] = {}
    hidden = None if progress is None else not progress
    with progress_bar(questions.items(), unit="question", disable=hidden) as bar:
        for name, question in bar:
            bar.set_description(name)
            data[name] = question()
    data["predictions"] = {
        "checked": ledger.checked,
        "exact": ledger.held,
        "wrong": ledger.wrong,
    }
    data["made"] = {
        "quick": options.quick,
        "seconds": round(time.perf_counter() - began, 1),
        "step": cases.STEP,
        "until": cases.UNTIL,
        "chasles": version("chasles"),
        "python": platform.python_version(),
    }
    return data


def make_study(options: Options, progress: bool | None = None) -> str:
    """Write study.md, the figures and results.json; returns what to tell the user."""
    from chasles.studies.spaces_study.drawings import figures
    from chasles.studies.spaces_study.page import page
    from chasles.view.plots import save_files
    from chasles.view.report import write_whole

    folder = options.out / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    data = measured(options, progress)
    drawn = figures(data)
    for figure in drawn:
        save_files(figure, folder, png=not options.quick)
    write_whole(folder / "results.json", json.dumps(rounded(data)) + "\n")
    target = options.out / "study.md"
    write_whole(target, page(data))
    wrong = data["predictions"]["wrong"]
    return (
        f"{target}: {len(drawn)} figures, {data['predictions']['checked']} predictions,"
        f" {len(wrong)} of them wrong, in {data['made']['seconds']:g} s"
    )


def rounded(value: Any) -> Any:
    """Numbers to four digits, the rest is noise; null for what broke off."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if isfinite(value) else None
    return value
