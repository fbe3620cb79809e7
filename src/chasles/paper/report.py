"""`chasles paper`: run what is needed, judge the claims, write the page."""

import os
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from chasles.integrators.tableaux import method as find_method
from chasles.model import InvalidOption
from chasles.paper.examples import EXAMPLES, example
from chasles.paper.runs import Case, Runs
from chasles.view import plots, report


@dataclass(frozen=True)
class Options:
    """What the report is made of; checked before anything runs."""

    examples: tuple[str, ...] | None = None
    step: float = 1e-3
    method: str = "rk4"
    until: float = 1.0
    out: Path = Path("out/paper")
    quick: bool = False

    def __post_init__(self) -> None:
        for key in self.examples or ():
            example(key)
        find_method(self.method)
        for name, value in (("--step", self.step), ("--until", self.until)):
            if not (isfinite(value) and value > 0):
                raise InvalidOption(f"{name} is {value:g}, but is a positive time in seconds.")
        if self.step > self.until:
            raise InvalidOption(f"--step is {self.step:g} s, longer than --until {self.until:g} s.")

    @property
    def chosen(self) -> tuple[str, ...]:
        return tuple(key for key in EXAMPLES if self.examples is None or key in self.examples)


def writable_folder(folder: Path) -> Path:
    """The folder, made if need be."""
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidOption(f"cannot write to --out {folder}: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidOption(f"cannot write to --out {folder}: permission denied.")
    return folder


def make_report(options: Options) -> Path:
    """Everything in the output folder; the path of the page."""
    folder = writable_folder(options.out)
    runs = Runs({key: EXAMPLES[key].model for key in options.chosen})
    cases = {s: Case("heavy-top", s, options.until, options.step, options.method)
             for s in ("SE3", "SO3xR3")}  # fmt: skip
    runs.run_all(cases.values())
    panels = tuple(
        plots.Panel(
            plots.components(runs(case).t, runs(case).gaps["pivot"], f"{letter}) {name}"), name
        )
        for (letter, name), case in zip((("a", "SE(3)"), ("b", "SO(3)×ℝ³")), cases.values())
    )
    figure = plots.Figure("heavy-top-pivot", "Heavy top", "Drift of the rotation centre.", panels)
    plots.save_files(figure, folder / "figures")
    gaps = {key: float(np.max(runs(case).gap("pivot"))) for key, case in cases.items()}
    body = f"<main><h1>Heavy top</h1><p>{gaps}</p>{report.figure_block(figure)}</main>"
    path = folder / "report.html"
    report.write_whole(path, report.page("chasles: the paper", "The paper's examples", body))
    return path
