"""Pictures of films for the pages: taken in Chromium (`make browser`), without the controls."""

import io
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BARE = "header, nav, #axes { display: none !important } #deck { visibility: hidden; top: 100% }"
ABOVE = 54  # pixels that a film leaves free for its title
FINE, QUICK = 3, 2  # levels of quality: of a strong machine, and for many pictures


@contextmanager
def chromium() -> Iterator[Page]:
    """An empty page of a browser that draws WebGL in software."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            context = browser.new_context(color_scheme="light", bypass_csp=True)
            yield context.new_page()
        finally:
            browser.close()


def open_film(
    page: Page, film: Path, size: tuple[int, int], bare: bool = True, quality: int = FINE
) -> None:
    """Show a film that stands still, with or without its controls."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height + (ABOVE if bare else 0)})
    page.goto(f"{film.as_uri()}#still")
    page.wait_for_selector("html[data-ready]")
    if bare:
        page.add_style_tag(content=BARE)
    page.evaluate(f"film.fixed = true; film.quality = {quality}; resize(); resetCamera()")


def come_close(page: Page, time: float) -> None:
    """Frame what stands there at a time, not all that the bodies reach during the run."""
    page.evaluate(
        """time => {
          const [first, last] = [START, END];
          START = END = time; cloud = reached(); START = first; END = last;
          resetCamera();
        }""",
        time,
    )


def photograph(page: Page, size: tuple[int, int], time: float | None = None) -> Image.Image:
    """The picture at a time of the film, or as the page stands: its lower part, of that size."""
    if time is not None:
        page.evaluate(f"setTime({time}); paintFrame()")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.crop((0, picture.height - size[1], size[0], picture.height))


def save_moving(pictures: Sequence[Image.Image], target: Path, pause: int) -> None:
    """Write an endless film of pictures that each stand for `pause` ms."""
    first, *rest = pictures
    first.save(
        target, save_all=True, append_images=rest, duration=pause, loop=0, quality=72, method=4
    )
