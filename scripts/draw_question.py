"""The question of the paper as a moving picture, for README: python scripts/draw_question.py.

It is the live page of the gallery, recorded in Chromium (`make browser`), picture by picture.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from film_stills import QUICK, chromium, open_film, photograph, save_moving
from make_gallery import ROOT, write_question

TARGET = ROOT / "docs" / "images" / "question.webp"
SIZE = (900, 560)
FRAMES, STEP, PAUSE = 72, 0.008, 60  # s of the motion between pictures, ms of the reader's


def main() -> None:
    pictures = []
    with TemporaryDirectory() as folder, chromium() as page:
        film = Path(folder) / "question.html"
        write_question(film)
        open_film(page, film, SIZE, bare=False, quality=QUICK)
        for _ in range(FRAMES):
            page.evaluate(f"live.tick({STEP}); paintFrame()")
            pictures.append(photograph(page, SIZE))
    save_moving(pictures, TARGET, PAUSE)


if __name__ == "__main__":
    main()
