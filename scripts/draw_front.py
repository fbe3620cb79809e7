"""The moving picture of README and front page: python scripts/draw_front.py.

Two bicycles get the same push, one at 5 m/s and one at 2.5 m/s; nobody holds the handlebar.
"""

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib
import numpy as np
from film_stills import QUICK, chromium, come_close, open_film, photograph, save_moving
from make_gallery import ROOT, SCRIPTS
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page

import chasles as ch

TARGET = ROOT / "docs" / "images" / "front.webp"
SPEEDS = {"5 m/s: it steers itself upright": 5.0, "2.5 m/s: it weaves more and more": 2.5}
UNTIL, FRAMES, PAUSE = 1.6, 56, 85  # s of motion, pictures, ms that each is seen
SIZE, VIEW = (460, 400), (-60, 12)  # pixels of one bicycle, degrees
ZOOM = 0.92  # of what stands there at the start: a bicycle that leans needs room
INK, FONT = "#33405a", Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def photographs(speed: float, page: Page, folder: Path) -> list[Image.Image]:
    """One bicycle, which the camera follows."""
    build = runpy.run_path(str(SCRIPTS / "whipple_bicycle.py"))["build"]
    model, film = build(speed, push=0.8), folder / f"bicycle at {speed}.html"
    result = ch.simulate(model, UNTIL, 1e-3, stabilise="projection", save_every=4)
    result.animate(film, follow="frame", view=VIEW)
    open_film(page, film, SIZE, quality=QUICK)
    come_close(page, 0.0)
    page.evaluate(f"show.trails = show.joints = false; camera.zoom = {ZOOM}")
    return [photograph(page, SIZE, float(time)) for time in np.linspace(0.0, UNTIL, FRAMES)]


def main() -> None:
    with TemporaryDirectory() as folder, chromium() as page:
        films = [photographs(speed, page, Path(folder)) for speed in SPEEDS.values()]
    (width, height), font = SIZE, ImageFont.truetype(FONT, 19)
    pictures = []
    for pair in zip(*films, strict=True):
        both = Image.new("RGB", (2 * width, height))
        pen = ImageDraw.Draw(both)
        for k, (picture, words) in enumerate(zip(pair, SPEEDS, strict=True)):
            both.paste(picture, (k * width, 0))
            pen.text(((k + 0.5) * width, height - 22), words, fill=INK, font=font, anchor="mm")
        pictures.append(both)
    save_moving(pictures, TARGET, PAUSE)


if __name__ == "__main__":
    main()
