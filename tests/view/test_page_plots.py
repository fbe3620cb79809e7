"""The plots of pages: what is zero is said, and narrow and low ones keep all their words apart."""

from itertools import pairwise

import numpy as np
import pytest
from test_films import Visit

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
    with Visit(browser, path, fragment="#still") as visit:
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
    row = [(text, x, wide) for text, x, y, wide in said if y == 8]
    assert len(row) == 3  # the title and both names
    assert all(x + wide <= width for _, x, wide in row)
    for (_, x, wide), (_, after, _) in pairwise(row):
        assert x + wide < after
    if width > 250:
        assert [text for text, *_ in row[1:]] == ["kinetic", "potential"]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("height", [56, 64, 96])
def test_numbers_of_the_axis_do_not_touch(visit, height, log):
    values = [-14.0, -3.0] if log else [-0.7, 0.9]
    said = words(visit, 400, height, [["a", values]], log=log)
    places = sorted(y for text, x, y, _ in said if 8 < y < height - 10)
    assert places and (np.diff(places) >= 11.0).all()
