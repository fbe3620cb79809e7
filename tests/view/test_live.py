"""The live viewer in a real browser, and the command line."""

import importlib.util
import time

import pytest

import chasles as ch
from chasles import cli
from chasles.view import live


def test_without_viser_the_viewer_says_what_to_do(swing, monkeypatch):
    monkeypatch.setattr(live, "find_spec", lambda name: None)
    with pytest.raises(ch.ChaslesError, match=r"pip install 'chasles\[view\]'"):
        swing.view()


@pytest.fixture
def shown(swing):
    if importlib.util.find_spec("viser") is None:
        pytest.skip("viser is not installed: pip install viser")
    viewer = swing.view(port=8431)
    yield viewer
    viewer.stop()


def test_it_opens_plays_and_asks_only_its_own_server(browser, shown):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    errors, asked = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shown.url)
    page.get_by_text("Trails").wait_for(timeout=20000)
    before = shown.time.value
    time.sleep(0.5)
    assert shown.time.value != before
    assert errors == []
    assert all(url.startswith((shown.url, "data:", "blob:")) for url in asked)
    page.close()


def test_its_controls_show_and_hide(shown):
    shown.playing.value = False
    time.sleep(0.1)
    shown.show(100)
    assert not shown.arrows
    shown.gap_shown.value = shown.force_shown.value = True
    shown.show(100)
    assert len(shown.arrows) == 4  # two joints
    shown.applied_shown.value = True
    shown.show(100)
    assert len(shown.arrows) == 6  # a spring and a load
    shown.gap_shown.value = shown.force_shown.value = shown.applied_shown.value = False
    shown.show(100)
    assert not shown.arrows


def test_the_command_line_makes_a_film_of_a_saved_run(swing, tmp_path, capsys):
    model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
    run = ch.simulate(model, until=0.1, step=0.01).save(tmp_path / "run.nc")
    assert cli.main(["view", str(run), "--out", str(tmp_path / "film.html")]) == 0
    assert (tmp_path / "film.html").stat().st_size > 30000
    assert cli.main(["view", str(tmp_path / "missing.nc")]) == 2
    assert "there is no file" in capsys.readouterr().err
