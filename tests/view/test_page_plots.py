"""The plots of pages: what is zero is said, and narrow and low ones keep all their words apart."""

from itertools import pairwise

import numpy as np
import pytest
from visits import FilmVisit

import chasles as ch

#: Draws a plot and gives back its words, and where they stand.
WORDS = """(([w, h, series, title, log]) => {
  const own = CanvasRenderingContext2D.prototype, fill = own.fillText, said = [];
  own.fillText = function (text, x, y) { said.push([text, x, y, this.measureText(text).width]); };
  const full = series.map(([label, v]) => ({ label, colour: "--a", t: v.map((_, k) => k), v }));
  drawCurves(w, h, 1, full, 0, 1, { log, title });
  own.fillText = fill;
  return said;
})"""


@pytest.fixture(scope="module")
def visit(browser, tmp_path_factory):
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    run = ch.simulate(ch.Model([ball], gravity=(0, 0, 0)), 0.1, step=1e-2)
    path = run.animate(tmp_path_factory.mktemp("still") / "still.html")
    with FilmVisit(browser, path, fragment="#still") as visit:
        yield visit


def words(visit, width, height, series, title="Energy, J", log=False):
    return visit.page.evaluate(WORDS, [width, height, series, title, log])


def test_what_is_zero_throughout_is_said_and_has_no_axis(visit):
    said = [text for text, *_ in words(visit, 600, 96, [["ball", [0.0, 0.0]]], "Speed, m/s")]
    assert "zero throughout" in said and not {"\u22121", "1", "0"} & set(said)
    said = [text for text, *_ in words(visit, 600, 96, [["gap", [-18.0, -17.0]]], log=True)]
    assert "zero throughout" in said
    said = [text for text, *_ in words(visit, 600, 96, [["ball", [0.0, 1.0]]])]
    assert "zero throughout" not in said and "0" in said


def test_a_film_of_a_body_at_rest_says_so(visit):
    zero = visit.run(
        "head.curves.every(c => isZero(c.series.map(s => ({ v: valuesOf(s) })), c.log))"
    )
    assert zero


@pytest.mark.parametrize("width", [180, 240, 300, 600])
def test_a_legend_names_every_curve_within_the_plot(visit, width):
    series = [[name, [0.0, 1.0]] for name in ("kinetic", "potential")]
    said = words(visit, width, 96, series)
    [title, *names] = [(text, x, y, wide) for text, x, y, wide in said if y in (8, 23)]
    assert title[2] == 8 and [text for text, *_ in names] == ["kinetic", "potential"]
    assert {y for *_, y, _ in names} == {8 if width > 250 else 23}  # beside the title, or below
    assert all(x + wide <= width for _, x, _, wide in (title, *names))
    for (_, x, y, wide), (_, after, below, _) in pairwise((title, *names)):
        assert x + wide < after or below > y


def test_names_in_a_row_of_their_own_do_not_touch_the_numbers(visit):
    said = words(visit, 174, 98, [["SE(3)", [-17.0, -3.0]], ["SO(3) R3", [-17.0, -5.0]]], log=True)
    assert {"SE(3)", "SO(3) R3"} <= {text for text, *_ in said}
    assert all(y >= 34 for text, _, y, _ in said if text.startswith("10"))


@pytest.mark.parametrize("values", [[34.6, 35.4], [0.02, 0.98], [-3.0, 41.0], [9.99, 10.02]])
def test_an_axis_has_two_numbers_or_more(visit, values):
    said = words(visit, 300, 64, [["speed", values]])
    assert len([text for text, _, y, _ in said if 8 < y < 64 - 10]) >= 2


def test_colours_of_runs_are_lighter_on_dark_paper(visit):
    page, dark = visit.page, "document.documentElement.classList.toggle('dark', {})"
    was = page.evaluate("document.documentElement.classList.contains('dark')")
    seen = []
    for on in ("false", "true"):
        page.evaluate(dark.format(on))
        seen.append(page.evaluate("[inkOf('#2f66b3'), inkOf('#c4512d')]"))
    page.evaluate(dark.format(str(was).lower()))
    light, paper = seen
    assert light == ["#2f66b3", "#c4512d"]
    # contrast of at least 3 to 1 with the paper, as WCAG asks of lines that carry meaning
    assert all(contrast(colour, "#191d23") >= 3.0 for colour in paper)


def contrast(one, other):
    """The ratio of relative luminances, by WCAG 2.1."""

    def luminance(colour):
        parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("height", [56, 64, 96])
def test_numbers_of_the_axis_do_not_touch(visit, height, log):
    values = [-14.0, -3.0] if log else [-0.7, 0.9]
    said = words(visit, 400, height, [["a", values]], log=log)
    places = sorted(y for text, x, y, _ in said if 8 < y < height - 10)
    assert places and (np.diff(places) >= 11.0).all()
