"""The moving picture of README and front page: python scripts/draw_front.py.

Two bicycles get the same push, one at 5 m/s and one at 2.5 m/s; nobody holds the handlebar.
"""

import runpy
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import chasles as ch
from chasles.view.video import Studio

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "front.gif"
SPEEDS = {"5 m/s: it steers itself upright": 5.0, "2.5 m/s: it weaves more and more": 2.5}
UNTIL, FRAMES, LASTS = 1.6, 56, 5.0  # s of motion, pictures, s of film
SIZE, FOOT = (720, 344), 34  # pixels; of the lines below the picture
COLOURS = 32  # of one palette for all frames, which keeps the file below a megabyte
INK = "#33405a"


def runs() -> list[ch.Result]:
    build = runpy.run_path(str(ROOT / "examples" / "gallery" / "whipple_bicycle.py"))["build"]
    return [
        ch.simulate(build(speed, push=0.8), UNTIL, 1e-3, stabilise="projection", save_every=4)
        for speed in SPEEDS.values()
    ]


def pictures() -> list[Image.Image]:
    width, height = SIZE
    studio = Studio(
        runs(), list(SPEEDS), "side by side", (-60, 12), (width, height - FOOT), follow="frame"
    )
    studio.write = lambda pen, time: None  # type: ignore[method-assign]  # written below
    font = studio.font.font_variant(size=17)
    frames = []
    for time in np.linspace(0.0, UNTIL, FRAMES):
        frame = Image.new("RGB", SIZE, "white")
        frame.paste(studio.frame(float(time)), (0, 0))
        pen = ImageDraw.Draw(frame)
        for place, label in zip((0.26, 0.76), SPEEDS, strict=True):
            pen.text((place * width, height - FOOT / 2), label, fill=INK, font=font, anchor="mm")
        frames.append(frame)
    return frames


def main() -> None:
    drawn = pictures()
    palette = drawn[FRAMES // 2].quantize(COLOURS, dither=Image.Dither.NONE)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in drawn]
    frames[0].save(
        TARGET, save_all=True, append_images=frames[1:], loop=0, optimize=True,
        duration=round(1000 * LASTS / FRAMES),
    )  # fmt: skip


if __name__ == "__main__":
    main()
