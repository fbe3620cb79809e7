"""The page of the gallery: runs every script of examples/gallery and writes what the page shows.

python scripts/make_gallery.py                the page docs/gallery.md
python scripts/make_gallery.py --films DIR    the films, which are made when the docs are built
"""

import argparse
import re
import runpy
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chasles as ch
from chasles.studies.paper.figures import NAMES
from chasles.studies.paper_mechanisms import heavy_top

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "examples" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
SPACES = ("SE3", "SO3xR3")  # of the question, live


@dataclass(frozen=True)
class Still:
    """Of a mechanism: when it is taken, and what path it shows."""

    name: str
    time: float  # s
    trace: str | None = None  # a body whose path is drawn
    close: bool = False  # around the bodies as they stand, not around all that they reach


GROUPS = {
    "Vehicles and robots": [
        Still("double_wishbone", 0.5),
        Still("whipple_bicycle", 0.5, close=True),
        Still("quadruped", 1.1, close=True),
        Still("strandbeest_leg", 1.2, trace="foot"),
        Still("stewart_platform", 0.63),
        Still("delta_robot", 0.6),
        Still("robot_arm", 1.2),
    ],
    "Machines": [
        Still("engine", 0.08),
        Still("planetary_gear", 0.3),
        Still("swashplate", 0.3),
        Still("hooke_joint", 1.0),
        Still("oldham_coupling", 1.5),
        Still("scotch_yoke", 1.5),
        Still("windscreen_wiper", 2.4),
        Still("scissor_lift", 1.4),
        Still("porter_governor", 3.0),
    ],
    "Straight lines": [
        Still("peaucellier", 0.6, trace="pen"),
        Still("sarrus_linkage", 1.1),
    ],
    "Tops, wheels and pendulums": [
        Still("gimbal_gyroscope", 1.2),
        Still("heavy_top", 0.9),
        Still("tennis_racket", 3.6),
        Still("rolling_coin", 1.8),
        Still("ball_on_turntable", 6.0, trace="ball"),
        Still("foucault_pendulum", 24.0),
        Still("pendulum_wave", 9.0),
        Still("furuta_pendulum", 4.3),
        Still("hanging_chain", 1.6),
    ],
}
#: A film is loaded when it is opened, and let go when it is closed: even lazy frames load at once.
SHOW = "let f = this.lastElementChild; f.src = this.open ? f.dataset.film : 'about:blank'"
HEAD = """# Gallery

{count} mechanisms, from a bicycle that steers itself to a wing nut that turns over. Below each
picture you can open its film, to turn, zoom and step it, and the short script that makes it. The
results are checked against closed forms, conservation laws or published values; the tests repeat
these checks.

First the question that chasles was written for, live: the same top in two configuration spaces
([what it shows](index.md#the-question-and-the-answer)). Your browser simulates it; move
the sliders.

```{{raw}} html
<iframe class="film" src="films/question.html" title="A heavy top in two spaces, simulated here"
 loading="lazy"></iframe>
```

% python scripts/make_gallery.py writes this page and its figures, draw_gallery.py its pictures.
"""


Script = dict[str, Any]  # the names that a script of the gallery has made


def load(name: str) -> Script:
    """The names of a script, which is not run."""
    return runpy.run_path(str(SCRIPTS / f"{name}.py"))


def run(name: str, folder: Path) -> Script:
    """The names of a script that is run and puts its film into a folder."""
    with chdir(folder):
        return runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")


def checked(name: str, script: Script) -> tuple[str, tuple[str, float, float, float]]:
    """What a run is held against, in words and numbers: by the script itself, or by checks.py."""
    if "check" in script:
        return "", script["check"](script["result"])
    check = load("checks")[name]
    return " ".join((check.__doc__ or "").split()), check(script, script["result"])


def stills() -> Iterator[Still]:
    for group in GROUPS.values():
        yield from group


def words_of(script: Script) -> tuple[str, str, str]:
    """Title, first sentence and the rest of a docstring that begins with "Title: sentence"."""
    first, _, rest = script["__doc__"].partition("\n\n")
    title, about = first.split(":", 1)
    return title, " ".join(about.split()), " ".join(rest.split())


def anchor(title: str) -> str:
    """Of the section with that title, as MyST and GitHub make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def thumbnails() -> str:
    """Small pictures with captions that lead to the sections."""
    titles = {still.name: words_of(load(still.name))[0] for still in stills()}
    links = [
        f"[![{title}](images/gallery/{name}.webp) {title}](#{anchor(title)})"
        for name, title in titles.items()
    ]
    return "::::{container} gallery-strip\n" + "\n".join(links) + "\n::::\n"


def section(still: Still, script: Script) -> str:
    """A mechanism on the page."""
    title, about, more = words_of(script)
    why, (what, measured, expected, tolerance) = checked(still.name, script)
    if expected == 0.0:
        outcome = f"{measured:.0e} (allowed: {tolerance:.0e})"
    else:
        outcome = f"{measured:.8g} (expected: {expected:.8g})"
    name = still.name
    return f"""### {title}

```{{image}} images/gallery/{name}.webp
:alt: {title}: {about.rstrip(".")}
:width: 560px
```

{about[0].upper()}{" ".join(filter(None, (about[1:], more, why)))}

*Checked:* {what}: {outcome}.

<details class="film" ontoggle="{SHOW}"><summary>Film</summary>
<iframe data-film="films/{name}.html" title="Film: {title}"></iframe></details>

<details><summary><code>examples/gallery/{name}.py</code></summary>

```{{literalinclude}} ../examples/gallery/{name}.py
:language: python
```

</details>
"""


def write_page() -> None:
    parts = [HEAD.format(count=len(list(stills()))), thumbnails()]
    for group, members in GROUPS.items():
        parts.append(f"## {group}\n")
        for still in members:
            with TemporaryDirectory() as folder:
                parts.append(section(still, run(still.name, Path(folder))))
            print(still.name, file=sys.stderr)
    PAGE.write_text("\n".join(parts), "utf-8")


def write_films(folder: Path) -> None:
    """One page for each mechanism, made anew from its script."""
    folder.mkdir(parents=True, exist_ok=True)
    write_question(folder / "question.html")
    for still in stills():
        run(still.name, folder)


def write_question(path: Path) -> None:
    """The paper's top in both of its spaces, as a page that runs."""
    model = heavy_top(gravity=9.81)
    both = [ch.simulate(model, 1.0, 1e-3, spaces=space) for space in SPACES]
    sliders = {"gravity": (0, 20), "top.angular_velocity.y": (0, 120)}
    title = "Is there an optimal configuration space?"
    ch.animate(
        both,
        path,
        labels=[NAMES[space] for space in SPACES],
        live=True,
        sliders=sliders,
        title=title,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--films", type=Path, metavar="DIR", help="write the films there instead")
    options = parser.parse_args()
    if options.films:
        write_films(options.films)
    else:
        write_page()
