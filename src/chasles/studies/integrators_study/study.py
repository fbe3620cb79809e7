"""`chasles study integrators`: run everything, draw it, write the page."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chasles.studies.integrators_study import cases
from chasles.studies.output import answered, write_study


@dataclass(frozen=True)
class Options:
    """Where the page goes, and how much is run."""

    out: Path = Path("out/integrators")
    effort: cases.Effort = field(default_factory=cases.Effort)


def measured(effort: cases.Effort, progress: bool | None = None) -> dict[str, Any]:
    """Every number of the study, with a bar on stderr."""
    questions = {
        "orders": lambda: cases.orders(effort),
        "work": lambda: cases.work(effort),
        "drift": lambda: cases.drift(effort),
    }
    return answered(questions, progress, steps=effort.steps)


def make_study(options: Options, progress: bool | None = None) -> str:
    """Write integrators-study.md, figures and results.json; returns what to tell the user."""
    from chasles.studies.integrators_study.page import figures, page  # late: it draws

    data = measured(options.effort, progress)
    images = Path("images") / "integrators"
    drawn, text = figures(data), page(data)
    target = write_study(options.out, images, "integrators-study.md", text, drawn, data, png=True)
    return f"{target}: {len(data['drift'])} methods in {data['made']['seconds']:g} s"
