"""The stills of the gallery, from its films: python scripts/draw_gallery.py [NAME ...]."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from film_stills import ABOVE, chromium, come_close, open_film, photograph
from make_gallery import ROOT, Script, Still, run, stills
from PIL import ImageDraw
from playwright.sync_api import Page

STILLS = ROOT / "docs" / "images" / "gallery"
SIZE = (840, 630)  # pixels of a still, shown at two thirds
TRACE = "#c8503c"  # a path that is worth seeing
PATH = "points => points.map(point => project(point).slice(0, 2))"


def draw(still: Still, script: Script, film: Path, page: Page) -> None:
    """Write the still of a run."""
    open_film(page, film, SIZE)
    if still.close:
        come_close(page, still.time)
    page.evaluate("show.trails = false")
    picture = photograph(page, SIZE, still.time)
    if still.trace:
        path = page.evaluate(PATH, script["result"].position(still.trace).tolist())
        ImageDraw.Draw(picture).line([(x, y - ABOVE) for x, y in path], fill=TRACE, width=3)
    picture.save(STILLS / f"{still.name}.webp", quality=86, method=4)


def main() -> None:
    STILLS.mkdir(parents=True, exist_ok=True)
    with chromium() as page:
        for still in stills():
            if still.name in sys.argv[1:] or not sys.argv[1:]:
                with TemporaryDirectory() as folder:
                    script = run(still.name, Path(folder))
                    draw(still, script, Path(folder) / f"{still.name}.html", page)


if __name__ == "__main__":
    main()
