"""What the documentation says runs, renders and is complete."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

import chasles as ch

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.glob("*.md"))
CELL = re.compile(r"^```(?:\{code-cell\} *)?(?:python3|python)\n(.*?)^```", re.M | re.S)
CELL_OPTIONS = re.compile(r"\A(?::[^\n]*\n)+\n?")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$`])\$([^$]+?)\$", re.S)


def cells(page: Path) -> list[tuple[int, str]]:
    """(line before its first, source) of every Python block of a page."""
    text = page.read_text("utf-8")
    found = []
    for cell in CELL.finditer(text):
        options = CELL_OPTIONS.match(cell[1])
        skipped = options.end() if options else 0
        found.append((text.count("\n", 0, cell.start(1) + skipped), cell[1][skipped:]))
    return found


WITH_CODE = [page for page in PAGES if cells(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_all_code_of_the_page_runs_in_order(page, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    matplotlib.use("Agg")
    names: dict[str, object] = {}
    for line, source in cells(page):
        exec(compile("\n" * line + source, str(page), "exec"), names)  # errors show the page's line


def test_the_pages_with_code_are_found():
    assert {"index", "guide", "equations"} <= {page.stem for page in WITH_CODE}
    assert len(cells(DOCS / "guide.md")) >= 10


def test_every_public_name_has_its_entry():
    entries = re.findall(r"\.\. auto\w+:: (\w+)", (DOCS / "api.md").read_text("utf-8"))
    assert sorted(entries) == sorted(ch.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_becomes_mathml(page):
    latex2mathml = pytest.importorskip("docutils.utils.math.latex2mathml")
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    for display, inline in FORMULA.findall(text):
        latex2mathml.tex2mathml(display.strip() or inline, as_block=bool(display))


@pytest.mark.slow
def test_the_pages_build_without_a_warning_and_fetch_nothing(tmp_path):
    for needed in ("sphinx", "furo", "myst_nb"):
        pytest.importorskip(needed)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    for page in tmp_path.glob("*.html"):
        fetched = re.findall(r'(?:src|<link[^>]*href)="(https?:[^"]*)"', page.read_text("utf-8"))
        assert not fetched, page.name
