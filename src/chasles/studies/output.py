"""What studies write: a folder, the answers to their questions, figures, numbers and a page."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chasles.model import InvalidOption
from chasles.model.tables import finite
from chasles.notices import progress_bar
from chasles.result.atomic_file import write_text

#: Of the numbers that a study keeps: the rest is noise.
DIGITS = 4


def writable(folder: Path) -> Path:
    """The folder, made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidOption(f"cannot write to --out {folder}: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidOption(f"cannot write to --out {folder}: permission denied.")
    return folder


def tell(what: str, progress: bool | None = None) -> None:
    """A word on stderr at every stage, also where no bar can move."""
    if progress is not False:
        print(f"chasles: {what} ...", file=sys.stderr)


def coordinate_acceleration(
    questions: Mapping[str, Callable[[], Any]], progress: bool | None, **made: Any
) -> dict[str, Any]:
    """Every number of a study, with a bar on stderr; under "made" how they came about."""
    began = time.perf_counter()
    data: dict[str, Any] = {}
    with progress_bar(questions.items(), unit="question", progress=progress) as bar:
        for name, question in bar:
            bar.set_description(name)
            data[name] = question()
    data["made"] = {
        **made,
        "seconds": round(time.perf_counter() - began, 1),
        "chasles": version("chasles"),
        "python": platform.python_version(),
    }
    return data


def write_study(
    out: Path, images: Path, page: str, text: str, figures: Sequence[Any], data: Any, png: bool
) -> Path:
    """The page, with its figures and results.json in the folder of images."""
    from chasles.view.plots import save_files  # late: it draws

    folder = writable(out / images)
    for figure in figures:
        save_files(figure, folder, png=png)
    write_text(folder / "results.json", json.dumps(finite(data, DIGITS)) + "\n")
    write_text(out / page, text)
    return out / page
