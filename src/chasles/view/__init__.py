"""What people look at: pictures, films, curves, sketches of models, and the report's page."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from chasles.model.keywords import checked_keywords
from chasles.model.words import ViewDirection

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from chasles.model import Body
    from chasles.result.result import Result
    from chasles.view.film import Film


@checked_keywords
def animate(
    results: "Result | Sequence[Result]",
    path: "str | PathLike[str] | None" = None,
    *,
    labels: Sequence[str] | None = None,
    layout: Literal["side by side", "overlaid"] = "side by side",
    title: str | None = None,
    view: ViewDirection = "auto",
    frames: int | None = None,
    forces: bool = True,
    speed: float | None = None,
    fps: float = 25.0,
    size: tuple[int, int] | None = None,
    follow: "Body | str | None" = None,
    live: bool = False,
    sliders: Mapping[str, tuple[float, float]] | None = None,
) -> "Path | Film":
    """A film of one result, or of several in one scene.

    Parameters
    ----------
    results
        A result, or a list of results.
    path
        The file. .html: one page that works without a network, to rotate, zoom and play. .gif, or
        .mp4 (needs ffmpeg). .glb or .gltf for Blender and other viewers of glTF. None: return a
        Film, which a notebook shows.
    labels
        Names of the results. Default: what they differ in.
    layout
        Of several results: "side by side" or "overlaid".
    title
        Title of the page.
    view
        "auto", "xy", "xz", "yz", or (azimuth, elevation) in degrees.
    frames
        Largest number of saved states that a page shows. Default: as many as fit into about 3 MB.
    forces
        Whether a page shows the reactions of joints, springs, motors and loads as arrows.
    speed
        Of .gif and .mp4: seconds of motion per second of film. Default: a film of about 6 s.
    fps
        Of .gif and .mp4: frames per second, 1/s.
    size
        Of .gif and .mp4: width and height in pixels. Default: (720, 540), wider for results side
        by side.
    follow
        Body that the camera follows. On a page another one can be chosen.
    live
        Whether the page simulates the model itself, from its start, as WebAssembly. For small
        models.
    sliders
        Ranges of the sliders of a live page: "gravity" (its magnitude, m/s²), the name of a joint
        (its start), "hinge.rate", "top.mass", "top.angular_velocity.z", ... Default: a few of
        these.

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
    from chasles.view.animation import animate as make  # late: it brings matplotlib

    return make(
        results, path, labels=labels, layout=layout, title=title, view=view, frames=frames,
        forces=forces, speed=speed, fps=fps, size=size, follow=follow, live=live, sliders=sliders,
    )  # fmt: skip
