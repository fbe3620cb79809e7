"""The README's ten lines, exactly as they stand, where there is no display and no network."""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from visits import FilmVisit

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text("utf-8")
NO_NETWORK = """
import socket
def refuse(*given, **named):
    raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""


def ten_lines():
    [code] = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    return code


def test_they_are_ten():
    assert len([line for line in ten_lines().splitlines() if line.strip()]) == 10


def test_they_give_the_film_within_ten_seconds(tmp_path, browser):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    environment["PYTHONPATH"] = str(PROJECT / "src")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", NO_NETWORK + ten_lines()]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run.returncode == 0, run.stderr
    compiled = re.search(r"chasles: .*\(\d+ of \d+\)", run.stderr)  # only ever once on a machine
    assert compiled or after.ru_utime - before.ru_utime < 10.0
    gap, energy = run.stdout.replace(" m", "").split()
    assert float(gap) < 1e-13 and float(energy) == pytest.approx(-2.8e-8, rel=0.1)
    with FilmVisit(browser, tmp_path / "top.html") as visit:
        assert visit.run("groups[0].t.length") > 100


def test_what_an_index_shows_has_the_same_lines_and_no_link_that_breaks():
    described = (PROJECT / "PACKAGE.md").read_text("utf-8")
    assert re.findall(r"```python\n(.*?)```", described, flags=re.S) == [ten_lines()]
    assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)]*)\)", described))


def test_the_still_is_a_picture_of_a_film():
    with Image.open(PROJECT / "docs" / "images" / "film.webp") as still:
        assert min(still.size) > 500


def test_every_picture_has_an_alternative_text():
    for page in (PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")):
        text = page.read_text("utf-8")
        assert not re.findall(r"!\[\]\(", text), page.name
        for block in re.findall(r"```\{(?:figure|image)\}[^\n]*\n(.*?)```", text, flags=re.S):
            assert re.search(r"^:alt: \S+", block, flags=re.M), (page.name, block)
        for tag in re.findall(r"<(?:img|iframe)[^>]*>", text):
            assert re.search(r'(?:alt|title)="[^"]+"', tag), (page.name, tag)
