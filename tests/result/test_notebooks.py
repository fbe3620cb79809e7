"""What notebooks show of models, results and tables."""

import re
import sys
from types import SimpleNamespace

import pytest

import chasles as ch
from chasles import notices
from chasles.model.tables import Shown, Table

ROD = ch.Body.rod("<rod>", mass=1.0, between=((0, 0, 0), (1, 0, 0)))
MODEL = ch.Model([ROD], [ch.Revolute("hinge & pin", ch.GROUND, ROD, (0, 0, 0), "y")])


@pytest.fixture(scope="module")
def run():
    return ch.simulate(MODEL, until=0.1, step=1e-2)


def words(html):
    return re.sub(r"<[^>]*>", " ", html).split()


def test_a_model_shows_its_picture_and_its_parts():
    html = MODEL._repr_html_()
    assert html.startswith('<img src="data:image/png;base64,') and 'alt="Model(1 body' in html
    assert "hinge &amp; pin: revolute" in html and "&lt;rod&gt;" in html and "<rod>" not in html


def test_a_result_shows_how_it_went(run):
    html = run._repr_html_()
    assert html.count("<tr>") == 5 and "finished" in html and "rk4 at step 0.01 s" in html


def test_steps_that_were_chosen_are_told_by_their_number_and_mean():
    chosen = ch.simulate(MODEL, until=0.1, rtol=1e-6)
    steps = chosen.provenance.steps
    words = f"dop853 in {steps} steps, {0.1 / steps:.3g} s on average"
    assert words in repr(chosen) and words in chosen._repr_html_()


def test_tables_say_the_same_in_html(run):
    comparison = ch.compare(MODEL, ["SE3", "auto"], until=0.1, step=1e-2, timing=False)
    for shown in (ch.designate(MODEL), comparison, run.unique_reactions):
        html = shown._repr_html_()
        assert "<table>" in html and "<rod>" not in html
        plain = [word for word in str(shown).split() if not re.fullmatch("-+", word)]
        found = [w.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
                 .replace("&#x27;", "'") for w in words(html)]  # fmt: skip
        assert [w for w in found if not re.fullmatch("-+", w)] == plain


def test_text_without_a_table_stays_text():
    class Said(Shown):
        def _parts(self):
            return ["nothing <here>", "", Table(("joint", "gap"), [("elbow", "3.1")])]

    table = "<tr><th>joint</th><th>gap</th></tr></thead><tbody><tr><td>elbow</td><td>3.1</td></tr>"
    html = f"<pre>nothing &lt;here&gt;</pre><table><thead>{table}</tbody></table>"
    assert Said()._repr_html_() == html
    assert str(Said()) == "nothing <here>\n\njoint  gap\n-----  ---\nelbow  3.1"


def test_in_a_notebook_a_bar_is_the_notebooks(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert notices.in_notebook() and notices.is_shown(None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not notices.in_notebook()
