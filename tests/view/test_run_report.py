"""A run on one page, written by the command line."""

from pathlib import Path

import pytest
from visits import Visit

import chasles as ch
from chasles.cli import main
from chasles.view.report import write_report

EXAMPLE = Path(__file__).parents[2] / "examples" / "heavy_top.toml"


def test_a_run_from_a_file_leaves_a_page_with_film_numbers_and_plots(tmp_path, capsys):
    target = tmp_path / "out.html"
    arguments = [str(EXAMPLE), "--until", "0.1", "--out", str(tmp_path), "--report", str(target)]
    assert main(["run", *arguments]) == 0
    assert str(target) in capsys.readouterr().out
    text = target.read_text("utf-8")
    assert "<iframe srcdoc=" in text and text.count('role="img" aria-label="') == 2 * 5
    assert "pivot" in text and "rk4" in text
    assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text


def test_a_report_is_a_page(tmp_path):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    result = ch.simulate(ch.Model([ball]), 0.01, step=1e-3)
    with pytest.raises(ch.InvalidOption, match=r"must end in \.html"):
        write_report(result, tmp_path / "run.pdf")
    assert write_report(result, tmp_path / "run.html").stat().st_size > 10_000


def test_pictures_and_plots_are_dark_where_the_page_is(browser, tmp_path):
    arm = ch.Body.rod("arm", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    path = write_report(ch.simulate(ch.Model([arm], [hinge]), 0.1, step=1e-2), tmp_path / "r.html")
    with Visit(browser, path, scheme="dark") as visit:
        for width in (1400, 390):
            visit.page.set_viewport_size({"width": width, "height": 800})
            shades = visit.run(SHADES)
            assert len(shades) == 5 and min(shades) > 120  # words are light
            assert visit.page.locator("img").count() == 0
            assert visit.run("document.documentElement.scrollWidth") <= width


#: The darkest word of every picture that is seen, 0 to 255.
SHADES = """() => [...document.querySelectorAll("svg")].filter(s => s.clientWidth).map(s =>
  Math.min(...[...s.querySelectorAll("text")].map(t =>
    Math.max(...getComputedStyle(t).fill.match(/[0-9.]+/g).slice(0, 3).map(Number)))))"""
