"""`chasles study spaces`: run everything, draw it, write the page."""

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chasles.stderr import progress_bar
from chasles.studies.spaces_study import cases

IMAGES = Path("images") / "study"


@dataclass(frozen=True)
class Options:
    """quick: fewer starts and sizes; out: the folder that gets study.md and images/study/."""

    out: Path = Path("out/study")
    quick: bool = False


def measured(quick: bool, progress: bool | None = None) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr."""
    effort, ledger = cases.Effort(quick), cases.Ledger()
    questions: dict[str, Callable[[], Any]] = {
        "ground": lambda: cases.pairs(effort, ledger, moving=False),
        "moving": lambda: cases.pairs(effort, ledger, moving=True),
        "orders": cases.orders,
        "trees": lambda: cases.trees(effort, ledger),
        "floating": cases.floating,
        "platform": cases.platform,
        "loops": lambda: cases.loops(effort, ledger),
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
        "quick": quick,
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
    data = measured(options.quick, progress)
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
    """Numbers to four digits: the rest is noise."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value
