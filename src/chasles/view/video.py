"""Films without a page: GIF by pillow, MP4 by ffmpeg, drawn without a display."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chasles.core.arrays import Floats
from chasles.model import ChaslesError, InvalidOption
from chasles.model.errors import short_repr
from chasles.result.atomic_file import write_whole
from chasles.result.result import Result
from chasles.view.camera import LAYOUTS, Camera, camera_of, followed, horizontal, reached, set_out
from chasles.view.film import colours_of, level_of
from chasles.view.marks import nice
from chasles.view.raster import Page
from chasles.view.render import LEAST, render
from chasles.view.scene import Scene, poses_at, scene_of_run
from chasles.view.surfaces import Surface, surfaces_of
from chasles.view.theme import LIGHT
from chasles.view.tracks import Header

LASTS = 6.0  # seconds that a film takes if no speed was asked for
MOST = 1500  # frames; more would not fit in memory comfortably
TRAILS = 6  # bodies up to which paths are drawn
MARGIN = 1.12
#: The floor and the lines on it, as on a film's page.
PAPER, LINES = np.array([(248.0, 249.0, 251.0), (189.0, 198.0, 209.0)])


class NoFfmpeg(ChaslesError):
    """An MP4 file was asked for, and there is no ffmpeg."""


def make_video(
    results: Sequence[Result],
    target: Path,
    labels: Sequence[str],
    layout: str,
    view: Any,
    speed: float | None,
    fps: float,
    size: Any,
    follow: str | None = None,
) -> Path:
    """Write a .gif or .mp4 file."""
    wide = len(results) > 1 and layout == LAYOUTS[0]
    usual = (min(1600, 440 * len(results)), 440) if wide else (720, 540)
    width, height = checked_size(usual if size is None else size)
    ffmpeg = shutil.which("ffmpeg")
    if target.suffix.lower() == ".mp4" and ffmpeg is None:
        raise NoFfmpeg(
            "animate: an .mp4 file is made by ffmpeg, which is not installed.",
            "Install it (apt install ffmpeg, brew install ffmpeg), or write .gif or .html.",
        )
    end = max(float(result.t[-1]) for result in results)
    start = min(float(result.t[0]) for result in results)
    rate = (end - start) / LASTS if speed is None else speed
    count = int(np.clip(round((end - start) / rate * fps), 2, MOST))
    times = np.linspace(start, end, count)
    studio = Studio(results, labels, layout, view, (width, height), follow)
    if target.suffix.lower() == ".gif":
        some = [studio.frame(float(times[k])) for k in np.linspace(0, count - 1, 5).astype(int)]
        write_gif(studio.frames(times), target, fps, palette_of(some))
    else:
        write_mp4(studio.frames(times), target, fps, (width, height), str(ffmpeg))
    return target


def checked_size(size: Any) -> tuple[int, int]:
    try:
        width, height = (int(pixels) for pixels in size)
        assert 32 <= width <= 4096 and 32 <= height <= 4096
    except (TypeError, ValueError, AssertionError):
        raise InvalidOption(
            f"animate: size must be two whole numbers of pixels, got {short_repr(size)}.",
            "Give width and height in pixels: size=(720, 540).",
        ) from None
    return width - width % 2, height - height % 2  # ffmpeg wants even numbers


class Studio:
    """Everything that stays the same from frame to frame."""

    def __init__(
        self, results: Sequence[Result], labels: Sequence[str], layout: str, view: Any,
        size: tuple[int, int], follow: str | None = None,
    ) -> None:  # fmt: skip
        self.results, self.labels, self.size = results, labels, size
        self.scenes: list[Scene] = [scene_of_run(result) for result in results]
        self.camera: Camera = camera_of(results[0].model, view)
        self.colours, self.up = colours_of(labels), self.scenes[0].up
        self.tinted = layout == LAYOUTS[1]
        self.gone = [followed(result, follow) for result in results]
        every = [np.arange(len(result.t)) for result in results]
        runs = list(zip(results, self.scenes, every))
        clouds = [reached(*run, follow) for run in runs]
        groups: list[Header] = [{} for _ in results]
        set_out(groups, clouds, self.scenes[0], layout, view)
        self.offsets = [np.array(group["offset"]) for group in groups]
        seen = self.camera.seen(np.concatenate([c + o for c, o in zip(clouds, self.offsets)]))
        self.page = page_around(seen.min(axis=0), seen.max(axis=0), size)
        self.floor, _ = level_of(runs)
        self.empty: Image.Image | None = None
        self.line = max(11, size[1] // 34)
        self.font = ImageFont.load_default(size=self.line)

    def frames(self, times: Floats) -> Iterator[Image.Image]:
        for time in times:
            yield self.frame(float(time))

    def frame(self, time: float) -> Image.Image:
        surfaces: list[Surface] = []
        trails: list[tuple[int, int, Floats]] = []
        for number, (result, scene) in enumerate(zip(self.results, self.scenes)):
            frame = int(np.abs(result.t - time).argmin())
            gone = self.gone[number][frame]
            offset = self.offsets[number] - gone  # the camera goes along
            tint = self.colours[number] if self.tinted else None
            trails.append((number, frame, offset))
            surfaces += surfaces_of(scene, poses_at(result, frame, offset), tint)
        level = self.floor - float(gone @ self.up)
        picture = self.background(level, gone)
        pen = ImageDraw.Draw(picture)
        for trail in trails:
            self.draw_trails(pen, *trail)
        drawn = render(surfaces, self.camera, self.page, self.up, level)
        image = Image.fromarray(drawn, "RGBA")
        picture.paste(image, (0, 0), image)
        self.write(pen, time)
        return picture

    def background(self, level: float, gone: Floats) -> Image.Image:
        """A bright floor with lines on it; drawn once where the camera stands."""
        if self.empty is None or gone.any():
            ink = floor_lines(self.camera, self.page, self.up, level, gone)[..., None]
            room = (PAPER + ink * (LINES - PAPER)).round().astype(np.uint8)
            self.empty = Image.fromarray(room, "RGB")
        return self.empty.copy()

    def pixels(self, points: Floats) -> list[tuple[float, float]]:
        flat = self.page.pixels(self.camera.seen(points))
        return [(float(x), float(y)) for x, y in flat]

    def draw_trails(
        self, pen: ImageDraw.ImageDraw, number: int, frame: int, offset: Floats
    ) -> None:
        result = self.results[number]
        if len(result.model.bodies) > TRAILS or frame < 1:
            return
        every = max(1, frame // 400)
        for body in result.model.bodies:
            path = result.position(body)[: frame + 1 : every] + offset
            colour = self.colours[number] if len(self.results) > 1 else LIGHT["axis"]
            pen.line(self.pixels(path), fill=colour, width=2)

    def write(self, pen: ImageDraw.ImageDraw, time: float) -> None:
        height = self.size[1]
        pen.text((12, height - 12), f"t = {time:.3f} s", fill=LIGHT["muted"], font=self.font,
                 anchor="ls")  # fmt: skip
        if len(self.results) == 1:
            return
        for number, (label, colour) in enumerate(zip(self.labels, self.colours)):
            at = (12.0, 12.0 + 1.4 * self.line * number)
            pen.text(at, label, fill=colour, font=self.font, anchor="lt")


def page_around(low: Floats, high: Floats, size: tuple[int, int]) -> Page:
    """A page of the right proportions around what is seen."""
    middle, span = (low + high) / 2.0, MARGIN * np.maximum(high - low, 1e-9)
    span = np.maximum(span, span[::-1] * (size[0] / size[1], size[1] / size[0]))
    first, last = middle - span / 2.0, middle + span / 2.0
    return Page((first[0], first[1]), (last[0], last[1]), *size)


def floor_lines(camera: Camera, page: Page, up: Floats, level: float, gone: Floats) -> Floats:
    """Lines of a floor, every fifth stronger, that fade outwards: ink of pixels (height, width)."""
    slope = float(camera.towards @ up)
    if slope < LEAST:
        return np.zeros(page.shape)
    x, y = page.places(np.arange(page.width * page.height).reshape(page.shape))
    deep = (level - y * (camera.up @ up)) / slope
    reach = 0.5 * max(np.subtract(page.high, page.low))
    cell, ink = nice(0.3 * reach), np.zeros(page.shape)
    middle = np.add(page.low, page.high) / 2.0
    for axis in horizontal(up):
        along = x * (axis @ camera.right) + y * (axis @ camera.up) + deep * (axis @ camera.towards)
        along += gone @ axis
        rows, columns = np.gradient(along)
        pixel = np.maximum(np.hypot(rows, columns), 1e-12)
        for width, strength in ((cell, 0.35), (5.0 * cell, 0.7)):
            off = np.abs((along / width + 0.5) % 1.0 - 0.5) * width / pixel
            ink = np.maximum(ink, strength * np.clip(1.1 - off, 0.0, 1.0))
    away = np.hypot(x - middle[0], y - middle[1]) / reach
    return np.asarray(ink * np.clip(1.25 - away, 0.0, 1.0))


def palette_of(pictures: Sequence[Image.Image]) -> Image.Image:
    """Colours of a GIF: every shade counts once, so that a small body keeps its own."""
    packed = np.concatenate([np.asarray(one).reshape(-1, 3) @ (65536, 256, 1) for one in pictures])
    shades = np.unique(packed)[:, None] // (65536, 256, 1) % 256
    return Image.fromarray(shades[None].astype(np.uint8), "RGB").quantize(256)


def write_gif(
    frames: Iterator[Image.Image], target: Path, fps: float, palette: Image.Image
) -> None:
    """One palette and no dither: what stands still is then the same in all frames, and small."""
    pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    duration = max(20, round(1000.0 / fps))
    write_whole(
        target,
        lambda file: pictures[0].save(
            file, "GIF", save_all=True, append_images=pictures[1:], loop=0, optimize=True,
            duration=duration,
        ),
    )  # fmt: skip


def write_mp4(
    frames: Iterator[Image.Image], target: Path, fps: float, size: tuple[int, int], ffmpeg: str
) -> None:
    command = [
        ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-", "-an", "-c:v", "libx264",
        "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None
    try:
        for frame in frames:
            process.stdin.write(np.asarray(frame, dtype=np.uint8).tobytes())
    except BrokenPipeError:
        pass  # ffmpeg says why below
    finally:
        process.stdin.close()
        said = process.stderr.read().decode("utf-8", "replace")
        process.wait()
    if process.returncode != 0:
        raise NoFfmpeg(
            f"animate: ffmpeg could not write '{target}': {' '.join(said.split())[:200]}",
            "Write .gif or .html instead, or install an ffmpeg with libx264.",
        )
