"""Results in one scene: what films of every kind show, and where each result stands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from numbers import Number
from pathlib import Path
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import GROUND, InvalidOption
from chasles.model.checks import is_scalar
from chasles.model.errors import short_repr
from chasles.result.result import Result
from chasles.view.camera import Camera, camera_of
from chasles.view.forms import floor_level
from chasles.view.scene import Part, Scene, paths, scene_of_run
from chasles.view.theme import LIGHT

BESIDE, OVERLAID = "side by side", "overlaid"
LOOKS = 80  # times at which it is seen how far a motion reaches
SPARE = 1.22  # distance of results side by side, over the width of one
#: The colour of a result among several; the paper's spaces keep theirs.
OWN = {"SE3": "se3", "SO3xR3": "product", "auto": "chosen"}
OWN |= {"SE(3)": "se3", "SO(3)×ℝ³": "product", "chasles": "chosen"}
FREE = ("other", "y", "x", "z", "muted")


@dataclass(frozen=True, eq=False)
class Stage:
    """One result, or several.

    labels  a name for each result
    layout  side by side, or overlaid: then bodies have the colours of their results
    title   if none was given, the film is named after the model
    view    where the camera stands: see `camera_of`
    follow  the body that the camera follows
    """

    results: Sequence[Result]
    labels: Sequence[str]
    layout: str = BESIDE
    title: str | None = None
    view: Any = "auto"
    follow: str | None = None

    @cached_property
    def scenes(self) -> list[Scene]:
        tints = self.colours if self.layout == OVERLAID else [None] * len(self.labels)
        return [scene_of_run(result, tint) for result, tint in zip(self.results, tints)]

    @cached_property
    def colours(self) -> list[str]:
        """A colour for each result."""
        free = iter(FREE * (1 + len(self.labels) // len(FREE)))
        return [LIGHT[OWN.get(label) or next(free)] for label in self.labels]

    @property
    def up(self) -> Floats:
        return self.scenes[0].up

    @property
    def size(self) -> float:
        return max(scene.size for scene in self.scenes)

    @cached_property
    def camera(self) -> Camera:
        return camera_of(self.results[0].model, self.view)

    @property
    def name(self) -> str:
        """The title, or one after the bodies where no file has a name."""
        names = self.results[0].model.body_names
        alone = names[0] if len(names) == 1 else f"Mechanism of {len(names)} bodies"
        return self.title or alone

    # --- how far things move ---

    def gone(self, k: int) -> Floats:
        """How far the body that is followed has come from its start (T, 3); zero if none is."""
        result = self.results[k]
        if self.follow is None:
            return np.zeros((len(result.t), 3))
        places = result.position(self.follow)
        return places - places[0]

    @cached_property
    def clouds(self) -> list[Floats]:
        """Of each result: corners of all that is drawn, at some times (points, 3).

        As seen by a camera that follows a body: then of the bodies alone.
        """
        return [np.concatenate(list(self.corners(k))) for k in range(len(self.results))]

    def corners(self, k: int) -> Iterator[Floats]:
        result, scene = self.results[k], self.scenes[k]
        some, gone = looks(result), self.gone(k)
        for part in scene.parts:
            ends = zip(part.solid.vertices.min(axis=0), part.solid.vertices.max(axis=0))
            points = np.array(list(product(*ends)))
            if part.body != GROUND.name:
                moved = paths(result, part.body, points, some) - gone[some][:, None]
                yield moved.reshape(-1, 3)
            elif self.follow is None:
                yield points
        for tie in scene.ties if self.follow is None else ():
            yield np.array([scene.world(tie.a, tie.at_a), scene.world(tie.b, tie.at_b)])

    @cached_property
    def floor(self) -> tuple[float, bool]:
        """The height of the floor, and whether there is one: where a contact or gravity has it."""
        every = [(k, part) for k, scene in enumerate(self.scenes) for part in scene.parts]
        levels = [floor_level(part, self.up) for _, part in every]
        gravity = any(self.results[0].model.gravity)
        known = [level for level in levels if level is not None]
        if known:
            return max(known), True
        below = 0.0 if gravity else 0.25 * self.size
        heights = [self.lowest(k, part) for k, part in every]
        return min(heights) - below, gravity

    def lowest(self, k: int, part: Part) -> float:
        """The least height of a part over the motion, by its own points."""
        result, points = self.results[k], part.solid.vertices
        return float((paths(result, part.body, points, looks(result)) @ self.up).min())

    # --- where results stand ---

    @cached_property
    def offsets(self) -> list[Floats]:
        """The place of each result."""
        if self.layout != BESIDE:
            return [np.zeros(3) for _ in self.results]
        up, right = self.up, self.camera.right
        across = right - (right @ up) * up
        across /= np.linalg.norm(across)
        apart = SPARE * max(float(np.ptp(cloud @ across)) for cloud in self.clouds)
        count = len(self.results)
        return [apart * (k - (count - 1) / 2.0) * across for k in range(count)]

    def above(self, k: int) -> Floats:
        """A point over the middle of a result, without its offset."""
        cloud, up = self.clouds[k], self.up
        middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2.0
        high = (cloud @ up).max() + 0.08 * np.ptp(cloud @ up)
        return np.asarray(middle + (high - middle @ up) * up)


def looks(result: Result) -> Any:
    """Some saved states, in which all parts of a motion are seen."""
    return np.unique(np.linspace(0, len(result.t) - 1, LOOKS).astype(int))


# --- names ---


def checked_follow(follow: Any, result: Result, where: str) -> str | None:
    """The name of the body that a camera follows."""
    return None if follow is None else result.model.body(follow, where=f"{where}: follow").name


def title_from(path: Path) -> str:
    """The name of a file in words: heavy_top.html is "Heavy top"."""
    name = path.stem.encode("utf-8", "replace").decode()  # names of files may be any bytes
    words = name.replace("_", " ").strip() or name
    return words[:1].upper() + words[1:]


def checked_title(title: Any, where: str) -> str | None:
    """A text that a page can hold, or None."""
    if title is not None and not is_text(title):
        raise InvalidOption(
            f"{where}: title must be a text, got {short_repr(title)}.", 'Give title="A swing", say.'
        )
    return title


def is_text(value: Any) -> bool:
    """Whether it is a text that can be written as UTF-8."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode()


def labels_of(results: Sequence[Result], labels: Sequence[str] | None) -> list[str]:
    """A name for every result: the given ones, or what they differ in."""
    if labels is not None:
        return checked_labels(labels, len(results))
    for key in ("spaces", "method", "step", "stabilise", "acceleration"):
        values = [summary(result.provenance.get(key)) for result in results]
        if len(set(values)) == len(values):
            return values
    return [f"result {k + 1}" for k in range(len(results))]


def checked_labels(labels: Any, count: int) -> list[str]:
    told = isinstance(labels, Iterable) and not isinstance(labels, str | bytes)
    listed = list(labels) if told and not is_scalar(labels) else [None]
    what = ""
    if not all(is_text(label) or isinstance(label, Number) for label in listed):
        what = f"labels must be a list of texts, got {short_repr(labels)}"
    elif len(listed) != count:
        what = f"there are {len(listed)} labels for {count} results"
    if what:
        raise InvalidOption(f"animate: {what}.", "Give one label for each result.")
    return [str(label) for label in listed]


def summary(value: Any) -> str:
    """A setting in a few words; for spaces, the different ones."""
    if isinstance(value, dict):
        every = [v.get("group", str(v)) if isinstance(v, dict) else str(v) for v in value.values()]
        return ", ".join(dict.fromkeys(every))
    return f"{value:g}" if isinstance(value, float) else str(value)
