"""What the answers of studies have in common: they print, draw and refuse alike, and are written.

A study writes a folder: figures, numbers and a page.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from chasles.model import InvalidOption
from chasles.model.checks import check_flag, checked_array, checked_positive
from chasles.model.errors import short_repr
from chasles.model.model import checked_model
from chasles.model.tables import Shown, finite
from chasles.notices import progress_bar
from chasles.result.atomic_file import write_text
from chasles.run.preparation import check_progress


class Printed(Shown):
    """Shows itself as it prints, in notebooks with tables; `figure` is what `plot` draws."""

    def __repr__(self) -> str:
        return str(self)

    #: module and function that draw it
    drawn_by: ClassVar[str]

    def figure(self) -> Any:
        module, _, name = self.drawn_by.partition(":")
        return getattr(import_module(f"chasles.studies.{module}"), name)(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of it.

        With a path, the .png or .svg file that was written; without, a matplotlib Figure.
        """
        from chasles.view.plots import save_figure, shown_figure  # late: it draws

        return shown_figure(self.figure()) if path is None else save_figure(self.figure(), path)


def checked_study(
    where: str, model: Any, until: Any, progress: bool | None, **flags: bool
) -> float:
    """The end time, s; refuses what is no model, time or flag."""
    checked_model(model)
    check_progress(progress, where)
    for what, flag in flags.items():
        check_flag(flag, what, where, InvalidOption)
    return checked_positive(until, "until", "s", where, InvalidOption)


def check_lists(where: str, **listed: Any) -> None:
    """Refuse what is not a list with something in it."""
    for what, values in listed.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise InvalidOption(
                f"{where}: {what} must be a list, got {short_repr(values)}.",
                f"Give a list of {what}.",
            )


def in_words(spaces: Any) -> str:
    """Spaces as a table shows them."""
    return spaces if isinstance(spaces, str) else short_repr(spaces)


def checked_falling(
    values: Any, where: str, what: str, rule: str, remedy: str, fewest: int = 0
) -> list[float]:
    """Positive numbers, at least so many different ones, the largest first."""
    array = np.atleast_1d(checked_array(values, what, where, InvalidOption))
    if array.ndim != 1 or len(set(array.tolist())) < fewest or not (array > 0).all():
        raise InvalidOption(f"{where}: {what} must be {rule}, got {short_repr(values)}.", remedy)
    return sorted(array.tolist(), reverse=True)


#: Of the numbers that a study keeps: the rest is noise.
DIGITS = 4


def writable(folder: Path) -> Path:
    """The folder, made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_writable(folder, str(error.strerror)) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise not_writable(folder, "permission denied")
    return folder


def not_writable(folder: Path, why: str) -> InvalidOption:
    return InvalidOption(f"cannot write to --out {folder}: {why}.", "Give another folder.")


def tell(what: str, progress: bool | None = None) -> None:
    """A word on stderr at every stage, also where no bar can move."""
    if progress is not False:
        print(f"chasles: {what} ...", file=sys.stderr)


@dataclass(frozen=True)
class Study:
    """A study that becomes a page.

    file       of the page
    images     folder of its figures and numbers, within that of images
    questions  name -> what answers it with numbers, from how much is to be run
    page       the text, from all numbers
    figures    the figures, likewise
    """

    file: str
    images: str
    questions: Mapping[str, Callable[[Any], Any]]
    page: Callable[[dict[str, Any]], str]
    figures: Callable[[dict[str, Any]], Sequence[Any]]

    def measured(self, scope: Any, progress: bool | None, **made: Any) -> dict[str, Any]:
        """Every number, with a bar on stderr; under "made" how they came about."""
        began = time.perf_counter()
        data: dict[str, Any] = {}
        with progress_bar(self.questions.items(), unit="question", progress=progress) as bar:
            for name, question in bar:
                bar.set_description(name)
                data[name] = question(scope)
        data["made"] = {
            **made,
            "seconds": round(time.perf_counter() - began, 1),
            "chasles": version("chasles"),
            "python": platform.python_version(),
        }
        return data

    def write(self, out: Path, data: dict[str, Any], png: bool) -> Path:
        """The page, with its figures and results.json in the folder of images."""
        from chasles.view.plots import save_files  # late: it draws

        folder = writable(out / "images" / self.images)
        for figure in self.figures(data):
            save_files(figure, folder, png=png)
        write_text(folder / "results.json", json.dumps(finite(data, DIGITS)) + "\n")
        return write_text(out / self.file, self.page(data))
