"""One call for every kind of film: a page, a GIF or an MP4."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from chasles.model import Body, InvalidOption
from chasles.model.checks import check_flag, checked_count, checked_positive
from chasles.model.errors import short_repr
from chasles.model.fields import word
from chasles.model.keywords import checked_keywords, explained_film
from chasles.model.words import ViewDirection
from chasles.result.atomic_file import checked_file
from chasles.result.result import Result
from chasles.view.film import Film, make_film
from chasles.view.gltf import write_gltf
from chasles.view.stage import Stage, checked_follow, checked_title, labels_of, title_from

KINDS = (".html", ".gif", ".mp4", ".glb", ".gltf")
GLTF = KINDS[-2:]
Layout = Literal["side by side", "overlaid"]
checked_layout = word(Layout)


@explained_film
@checked_keywords
def animate(
    results: Result | Sequence[Result],
    path: "str | PathLike[str] | None" = None,
    *,
    labels: Sequence[str] | None = None,
    layout: Layout = "side by side",
    title: str | None = None,
    view: ViewDirection = "auto",
    frames: int | None = None,
    forces: bool = True,
    speed: float | None = None,
    fps: float = 25.0,
    size: tuple[int, int] | None = None,
    follow: Body | str | None = None,
    live: bool = False,
    sliders: Mapping[str, tuple[float, float]] | None = None,
) -> "Path | Film":
    """A film of one result, or of several in one scene.

    Parameters
    ----------
    results
        A result, or a list of results.

    Returns
    -------
    Path or Film
        The file that was written, or the film.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> run = ch.simulate(model, until=1.0, step=1e-2)
    >>> film = ch.animate(run, title="A ball falls")
    >>> film.title, "<canvas" in film.html
    ('A ball falls', True)
    """
    every = checked_results(results)
    target = None if path is None else checked_file(path, KINDS, "animate: the film")
    check_flag(forces, "forces", "animate", InvalidOption)
    check_flag(live, "live", "animate", InvalidOption)
    title = checked_title(title, "animate")
    if title is None and target is not None:
        title = title_from(target)
    names = labels_of(every, labels)
    arranged = checked_layout(layout, "layout", "animate", InvalidOption)
    if frames is not None:
        frames = checked_count(frames, "frames", None, "animate", InvalidOption, least=2)
    if follow is not None and (live or sliders is not None):
        raise InvalidOption(
            "animate: follow: the camera of a page that simulates does not follow a body.",
            "Leave follow= or live= out.",
        )
    leader, *_ = (checked_follow(follow, result, "animate") for result in every)
    stage = Stage(every, names, arranged, title, view, leader)
    if live:
        return live_page(stage, target, sliders)
    if sliders is not None:
        raise InvalidOption(
            "animate: sliders are those of a page that runs.", "Give live=True with them."
        )
    if target is None or target.suffix.lower() == ".html":
        film = make_film(stage, frames, forces)
        return film if target is None else film.save(target)
    if target.suffix.lower() in GLTF:
        return write_gltf(stage, target, frames)
    from chasles.view.video import make_video  # late: it brings pillow

    fps = checked_positive(fps, "fps", "1/s", "animate", InvalidOption)
    if speed is not None:
        speed = checked_positive(speed, "speed", "", "animate", InvalidOption)
    return make_video(stage, target, speed, fps, size)


def live_page(stage: Stage, target: Path | None, sliders: Any) -> "Path | Film":
    if target is not None and target.suffix.lower() != ".html":
        raise InvalidOption(
            f"animate: live: a page that runs ends in .html, got '{target.name}'.",
            f"Write '{target.with_suffix('.html').name}'.",
        )
    from chasles.view.play import make_live  # late: it brings the ensembles

    film = make_live(stage, sliders)
    return film if target is None else film.save(target)


def checked_results(results: Any) -> list[Result]:
    """Results with at least two states each."""
    every = [results] if isinstance(results, Result) else results
    if (
        not isinstance(every, Sequence)
        or not every
        or not all(isinstance(r, Result) for r in every)
    ):
        raise InvalidOption(
            f"animate: results must be a Result or a list of them, got {short_repr(results)}.",
            "Give a Result, or a list of them.",
        )
    for result in every:
        if len(result.t) < 2:
            raise InvalidOption(
                "animate: a result has only its start, so nothing moves.",
                "Run it further, or draw it: result.model.plot().",
            )
    return list(every)
