"""The still of a film page in the documentation: python scripts/draw_film.py."""

from pathlib import Path
from tempfile import TemporaryDirectory

from film_stills import chromium, open_film, photograph
from make_gallery import ROOT, run

TARGET = ROOT / "docs" / "images" / "film.webp"
NAME, TIME, SIZE = "furuta_pendulum", 4.3, (1200, 800)


def main() -> None:
    with TemporaryDirectory() as folder, chromium() as page:
        run(NAME, Path(folder))
        open_film(page, Path(folder) / f"{NAME}.html", SIZE, bare=False)
        photograph(page, SIZE, TIME).save(TARGET, quality=86, method=6)


if __name__ == "__main__":
    main()
