"""The question of the paper as a moving picture, for README: python scripts/draw_question.py.

It is the live page of the gallery, recorded in Chromium (`make browser`), frame by frame.
"""

import io
import runpy
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "question.gif"
SIZE = {"width": 800, "height": 500}
FRAMES, STEP, PAUSE = 72, 0.008, 60  # s of the motion between pictures, ms of the reader's
COLOURS = 96
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def draw() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "question.html"
        runpy.run_path(str(ROOT / "scripts" / "make_gallery.py"))["write_question"](page)
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = browser.new_context(viewport=SIZE, color_scheme="light", bypass_csp=True)
        view = context.new_page()
        view.goto(f"{page.as_uri()}#still")
        view.wait_for_selector("html[data-ready]")
        view.evaluate("film.fixed = true; sizePicture(2)")
        pictures = []
        for _ in range(FRAMES):
            view.evaluate(f"live.tick({STEP}); paintFrame()")
            pictures.append(Image.open(io.BytesIO(view.screenshot())).convert("RGB"))
        browser.close()
    palette = pictures[-1].quantize(COLOURS)
    first, *rest = (one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures)
    first.save(TARGET, save_all=True, append_images=rest, duration=PAUSE, loop=0, optimize=True)


if __name__ == "__main__":
    draw()
