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
from chasles.result.result import Result
from chasles.view.camera import Camera, camera_of
from chasles.view.film import colours_of
from chasles.view.marks import tie_path
from chasles.view.raster import Page, render
from chasles.view.scene import ROD, TIE, Part, Pose, Scene, poses_at, scene_of_run
from chasles.view.setting import LAYOUTS, SPARE, followed, reached
from chasles.view.theme import LIGHT

LASTS = 6.0  # seconds that a film takes if no speed was asked for
MOST = 1500  # frames; more would not fit in memory comfortably
TRAILS = 6  # bodies up to which paths are drawn
MARGIN = 1.12


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
    frames = Studio(results, labels, layout, view, (width, height), follow).frames(times)
    if target.suffix.lower() == ".gif":
        write_gif(frames, target, fps)
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

    def __init__(
        self, results: Sequence[Result], labels: Sequence[str], layout: str, view: Any,
        size: tuple[int, int], follow: str | None = None,
    ) -> None:  # fmt: skip
        self.results, self.labels, self.size = results, labels, size
        self.scenes: list[Scene] = [scene_of_run(result) for result in results]
        self.camera: Camera = camera_of(results[0].model, view)
        self.colours = colours_of(labels)
        self.tinted = layout == LAYOUTS[1]
        self.gone = [followed(result, follow) for result in results]
        clouds = [reached(r, s, np.arange(len(r.t)), follow) for r, s in zip(results, self.scenes)]
        width = max(float(np.ptp(cloud @ self.camera.right)) for cloud in clouds)
        shifts = np.arange(len(results)) - (len(results) - 1) / 2.0
        apart = 0.0 if self.tinted else SPARE * width
        self.offsets = [apart * shift * self.camera.right for shift in shifts]
        seen = self.camera.seen(np.concatenate([c + o for c, o in zip(clouds, self.offsets)]))
        self.page = page_around(seen.min(axis=0), seen.max(axis=0), size)
        self.line = max(11, size[1] // 34)
        self.font = ImageFont.load_default(size=self.line)

    def frames(self, times: Floats) -> Iterator[Image.Image]:
        for time in times:
            yield self.frame(float(time))

    def frame(self, time: float) -> Image.Image:
        picture = Image.new("RGB", self.size, "white")
        pen = ImageDraw.Draw(picture)
        drawn: list[tuple[Scene, dict[str, Pose]]] = []
        parts: list[Part] = []
        everywhere: dict[str, Pose] = {}
        for number, (result, scene) in enumerate(zip(self.results, self.scenes)):
            frame = int(np.abs(result.t - time).argmin())
            offset = self.offsets[number] - self.gone[number][frame]  # the camera goes along
            poses = poses_at(result, frame, offset)
            self.draw_trails(pen, number, frame, offset)
            drawn.append((scene, poses))
            everywhere |= {f"{number} {name}": pose for name, pose in poses.items()}
            parts += self.parts_of(number)
        image = Image.fromarray(render(parts, everywhere, self.camera, self.page), "RGBA")
        picture.paste(image, (0, 0), image)
        for scene, poses in drawn:
            for tie in scene.ties:
                self.draw_tie(pen, tie.spring, tie_path(scene, tie, poses), scene.size)
        self.write(pen, time)
        return picture

    def parts_of(self, number: int) -> list[Part]:
        """The parts of a result, under names of its own, in its colour if they are overlaid."""
        tint = self.colours[number] if self.tinted else None
        return [
            Part(f"{number} {p.body}", p.shape,
                 tint if tint is not None and p.role == "body" else p.colour, p.role)
            for p in self.scenes[number].parts
        ]  # fmt: skip

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

    def draw_tie(self, pen: ImageDraw.ImageDraw, spring: bool, path: Floats, size: float) -> None:
        """A spring as a line, a rod as thick as a stick, with round ends."""
        metre = self.page.width / (self.page.high[0] - self.page.low[0])  # in pixels
        width = 3 if spring else max(3, round(2.0 * ROD * size * metre))
        colour = LIGHT["chosen"] if spring else TIE
        flat = self.pixels(path)
        pen.line(flat, fill=colour, width=width)
        for x, y in () if spring else flat:
            half = width / 2.0
            pen.ellipse((x - half, y - half, x + half, y + half), fill=colour)

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


def write_gif(frames: Iterator[Image.Image], target: Path, fps: float) -> None:
    """Sixty-four colours are enough of flat paint, and keep the file small."""
    pictures = [frame.quantize(64, dither=Image.Dither.NONE) for frame in frames]
    pictures[0].save(
        target, save_all=True, append_images=pictures[1:], loop=0, optimize=True,
        duration=max(20, round(1000.0 / fps)),
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
