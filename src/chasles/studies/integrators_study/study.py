"""`chasles study integrators`: run everything, draw it, write the page."""

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chasles.stderr import progress_bar
from chasles.studies.integrators_study import cases
from chasles.studies.spaces_study.study import rounded

IMAGES = Path("images") / "integrators"


@dataclass(frozen=True)
class Options:
    """Where the page goes, and how much is run."""

    out: Path = Path("out/integrators")
    effort: cases.Effort = field(default_factory=cases.Effort)


def measured(effort: cases.Effort, progress: bool | None = None) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr."""
    questions: dict[str, Callable[[cases.Effort], Any]] = {
        "orders": cases.orders,
        "work": cases.work,
        "drift": cases.drift,
    }
    began = time.perf_counter()
    data: dict[str, Any] = {}
    hidden = None if progress is None else not progress
    with progress_bar(questions.items(), unit="question", disable=hidden) as bar:
        for name, question in bar:
            bar.set_description(name)
            data[name] = question(effort)
    data["made"] = {
        "steps": effort.steps,
        "seconds": round(time.perf_counter() - began, 1),
        "chasles": version("chasles"),
        "python": platform.python_version(),
    }
    return data


def make_study(options: Options, progress: bool | None = None) -> str:
    """Write integrators-study.md, figures and results.json; returns what to tell the user."""
    from chasles.studies.integrators_study.page import figures, page
    from chasles.view.plots import save_files
    from chasles.view.report import write_whole

    folder = options.out / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    data = measured(options.effort, progress)
    for figure in figures(data):
        save_files(figure, folder, png=True)
    write_whole(folder / "results.json", json.dumps(rounded(data)) + "\n")
    target = options.out / "integrators-study.md"
    write_whole(target, page(data))
    return f"{target}: {len(data['drift'])} methods in {data['made']['seconds']:g} s"
