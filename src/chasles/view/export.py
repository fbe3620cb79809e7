"""`ch.export(model, "top.html")`: a model for elsewhere, in the format of the file's ending."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from chasles.integrators.tableaux import Tableau
from chasles.many.ensembles.gpu import export_cuda
from chasles.model import InvalidOption, Model
from chasles.model.checks import check_flag
from chasles.model.coordinates import Coordinates
from chasles.model.keywords import OF_FILMS, OF_RUNS, checked_keywords, explained
from chasles.model.model import checked_model
from chasles.model.words import Stabiliser, ViewDirection
from chasles.result.atomic_file import checked_path, write_text
from chasles.run.simulate import simulate
from chasles.run.time_grid import checked_step
from chasles.spaces.designation import Spaces
from chasles.view.play import make_live
from chasles.view.stage import BESIDE, Stage, checked_title, labels_of, title_from

USUAL_STEP = 1e-3
LOOKED_AT = 4.0  # s of a run whose extent frames the picture, and whose branches are recorded


@partial(explained, meanings=OF_RUNS | OF_FILMS)
@checked_keywords
def export(
    model: Model,
    path: str | Path,
    *,
    step: float = USUAL_STEP,
    method: str | Tableau = "rk4",
    spaces: Spaces | Sequence[Spaces] = "auto",
    stabilise: Stabiliser | None = None,
    start: Coordinates | None = None,
    until: float = LOOKED_AT,
    sliders: Mapping[str, tuple[float, float]] | None = None,
    title: str | None = None,
    view: ViewDirection = "auto",
    exact: bool = True,
) -> Path:
    """Write a model for use elsewhere. The ending of the name decides the format.

    Parameters
    ----------
    path
        ".html": a page that simulates the model in any browser, without a network. ".cu": CUDA
        C of the step and of the loop around it.
    method
        Name of a method with equal steps, or a Tableau.
    spaces
        Configuration spaces: see `simulate`. For .html also a list of them, which run side by
        side.
    start
        For .html: joint coordinates to start at: see `simulate`.
    until
        For .html: time of a run that is made to frame the picture, s. The page itself runs on.
    sliders
        For .html: ranges of at most four values, in SI units: "gravity" (its strength), joints
        (where they start), "hinge.rate", "top.mass", "top.angular_velocity.z", and motors and
        servos by name (their inputs, which change while the page runs). By default a few of those.
    exact
        For .cu: sums and products have the bits of the CPU. False allows fused multiply-add.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> import chasles as ch
    >>> top = ch.Body.cylinder("top", radius=0.1, length=0.05, mass=1.0, position=(0, 0, 0.2))
    >>> model = ch.Model([top], [ch.Spherical("tip", ch.GROUND, top, at=(0, 0, 0))])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ch.export(model, f"{folder}/top.html", until=0.1, sliders={"gravity": (0, 20)}).name
    'top.html'
    """
    checked_model(model)
    target = checked_path(path)
    write = FORMATS.get(target.suffix.lower())
    if write is None:
        raise InvalidOption(
            f"export: '{target.name}' has no ending that names a format.",
            f"Let it end in {' or '.join(FORMATS)}; model.write() makes model files,"
            " result.animate() films.",
        )
    if not os.path.isdir(target.parent):
        raise InvalidOption(f"export: there is no folder '{target.parent}'.", "Make it first.")
    step = checked_step(step, "export")
    check_flag(exact, "exact", "export", InvalidOption)
    text = write(model, {
        "step": step, "method": method, "spaces": spaces, "stabilise": stabilise, "start": start,
        "until": until, "sliders": sliders, "title": checked_title(title, "export"), "view": view,
        "exact": exact, "target": target,
    })  # fmt: skip
    return write_text(target, text)


def page_of(model: Model, options: Mapping[str, Any]) -> str:
    """A page that runs; one run of Python says how far things move."""
    spaces = options["spaces"]
    every = spaces if isinstance(spaces, Sequence) and not isinstance(spaces, str) else [spaces]
    if not every:
        raise InvalidOption("export: spaces is an empty list.", "Name one space, or several.")
    asked = {name: options[name] for name in ("until", "step", "method", "stabilise", "start")}
    results = [simulate(model, **asked, spaces=one, progress=False) for one in every]
    labels = [str(one) for one in every] if len(every) > 1 else None
    title = options["title"] or title_from(options["target"])
    stage = Stage(results, labels_of(results, labels), BESIDE, title, options["view"])
    return make_live(stage, options["sliders"], "export").html


def cuda_of(model: Model, options: Mapping[str, Any]) -> str:
    of_page = [name for name in ("start", "sliders", "title") if options[name] is not None]
    if of_page:
        raise InvalidOption(
            f"export: {of_page[0]} is an option of pages, not of CUDA.",
            "Leave it out, or write a page: .html.",
        )
    return export_cuda(
        model, options["step"], options["method"], options["spaces"], options["stabilise"],
        options["exact"],
    )  # fmt: skip


#: The text of a file, by the ending of its name.
FORMATS: dict[str, Callable[[Model, Mapping[str, Any]], str]] = {".html": page_of, ".cu": cuda_of}
