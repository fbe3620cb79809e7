"""Films without a page: GIF by pillow, MP4 by ffmpeg, drawn without a display."""

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from chasles.core.arrays import Floats
from chasles.model import ChaslesError, InvalidOption
from chasles.model.errors import short_repr
from chasles.result.atomic_file import write_whole
from chasles.view.camera import Camera, horizontal
from chasles.view.marks import nice
from chasles.view.raster import Page
from chasles.view.render import LEAST, render
from chasles.view.scene import poses_at
from chasles.view.stage import BESIDE, Stage
from chasles.view.surfaces import surfaces_of
from chasles.view.theme import LIGHT

LASTS = 6.0  # seconds that a film takes if no speed was asked for
MOST = 1500  # frames; more would not fit in memory comfortably
TRAILS = 6  # bodies up to which paths are drawn
MARGIN = 1.12
#: The floor and the lines on it, as on a film's page.
PAPER, LINES = np.array([(248.0, 249.0, 251.0), (189.0, 198.0, 209.0)])


class NoFfmpeg(ChaslesError):
    """An MP4 file was asked for, and there is no ffmpeg."""


def make_video(stage: Stage, target: Path, speed: float | None, fps: float, size: Any) -> Path:
    """Write a .gif or .mp4 file."""
    results = stage.results
    wide = len(results) > 1 and stage.layout == BESIDE
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
    studio = Studio(stage, (width, height))
    frames = map(studio.frame, times.tolist())
    if target.suffix.lower() == ".gif":
        some = [studio.frame(times[k]) for k in np.linspace(0, count - 1, 5).astype(int)]
        write_gif(frames, target, fps, palette_of(some))
    else:
        write_mp4(frames, target, fps, (width, height), str(ffmpeg))
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

    def __init__(self, stage: Stage, size: tuple[int, int]) -> None:
        self.stage, self.size = stage, size
        self.gone = [stage.gone(k) for k in range(len(stage.results))]
        clouds = [cloud + offset for cloud, offset in zip(stage.clouds, stage.offsets)]
        seen = stage.camera.seen(np.concatenate(clouds))
        self.page = page_around(seen.min(axis=0), seen.max(axis=0), size)
        self.empty: Image.Image | None = None
        self.line = max(11, size[1] // 34)
        self.font = ImageFont.load_default(size=self.line)

    def frame(self, time: float) -> Image.Image:
        stage, surfaces = self.stage, []
        trails: list[tuple[int, int, Floats]] = []
        for number, (result, scene) in enumerate(zip(stage.results, stage.scenes)):
            frame = int(np.abs(result.t - time).argmin())
            gone = self.gone[number][frame]
            offset = stage.offsets[number] - gone  # the camera goes along
            trails.append((number, frame, offset))
            surfaces += surfaces_of(scene, poses_at(result, frame, offset))
        level = stage.floor[0] - float(gone @ stage.up)
        picture = self.background(level, gone)
        pen = ImageDraw.Draw(picture)
        for trail in trails:
            self.draw_trails(pen, *trail)
        image = Image.fromarray(render(surfaces, stage.camera, self.page, stage.up, level), "RGBA")
        picture.paste(image, (0, 0), image)
        self.write(pen, time)
        return picture

    def background(self, level: float, gone: Floats) -> Image.Image:
        """A bright floor with lines on it; drawn once where the camera stands."""
        if self.empty is None or gone.any():
            ink = floor_lines(self.stage.camera, self.page, self.stage.up, level, gone)[..., None]
            room = (PAPER + ink * (LINES - PAPER)).round().astype(np.uint8)
            self.empty = Image.fromarray(room, "RGB")
        return self.empty.copy()

    def draw_trails(
        self, pen: ImageDraw.ImageDraw, number: int, frame: int, offset: Floats
    ) -> None:
        stage, result = self.stage, self.stage.results[number]
        if len(result.model.bodies) > TRAILS or frame < 1:
            return
        every = max(1, frame // 400)
        for body in result.model.bodies:
            path = result.position(body)[: frame + 1 : every] + offset
            flat = self.page.pixels(stage.camera.seen(path))
            colour = stage.colours[number] if len(stage.results) > 1 else LIGHT["axis"]
            pen.line(flat.ravel().tolist(), fill=colour, width=2)

    def write(self, pen: ImageDraw.ImageDraw, time: float) -> None:
        height = self.size[1]
        pen.text((12, height - 12), f"t = {time:.3f} s", fill=LIGHT["muted"], font=self.font,
                 anchor="ls")  # fmt: skip
        if len(self.stage.results) == 1:
            return
        for number, (label, colour) in enumerate(zip(self.stage.labels, self.stage.colours)):
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
    frames: Iterable[Image.Image], target: Path, fps: float, palette: Image.Image
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
    frames: Iterable[Image.Image], target: Path, fps: float, size: tuple[int, int], ffmpeg: str
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
