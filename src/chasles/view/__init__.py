"""What people look at: pictures, films, curves, sketches of models, and the report's page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from chasles.result.result import Result
    from chasles.view.film import Film


def animate(
    results: "Result | Sequence[Result]", path: Any = None, **options: Any
) -> "Path | Film":
    """A film of one result, or of several in one scene.

    path    .html: one file to open anywhere, without a network, to turn, zoom, play and scrub;
            .gif, or .mp4 with ffmpeg; .glb or .gltf for Blender and other viewers of glTF; None
            returns a Film, which a notebook shows
    labels  names of the results; by default what they differ in
    layout  of several results: "side by side" or "overlaid"
    title   of the page
    view    "auto", "xy", "xz", "yz", or (azimuth, elevation) in degrees
    follow  a body that the camera moves along with; on a page another can be chosen
    frames  the most saved states that a page shows; by default as many as fit into about 3 MB
    forces  whether a page has the joints' reactions, springs, motors and loads as arrows
    speed   of .gif and .mp4: seconds of motion per second; by default about 6 s in all
    fps     frames per second of .gif and .mp4, 25
    size    of .gif and .mp4 in pixels, (720, 540); wider by default for results side by side
    live    a page that runs the model itself, from its start, as WebAssembly: for small models
    sliders of a live page: ranges of "gravity" (its strength), of joints (where they start),
            "hinge.rate", "top.mass", "top.angular_velocity.z", ...; by default a few of those

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

    return make(results, path, **options)
