"""The live viewer in a real browser, and the command line."""

import importlib.util
import io
import time

import numpy as np
import pytest
from PIL import Image

import chasles as ch
from chasles import cli
from chasles.view import live
from chasles.view.film import curves_of
from chasles.view.forms import PLAIN, QUARTERS, paint_of
from chasles.view.scene import scene_of_run
from chasles.view.surfaces import toned


def test_without_viser_the_viewer_says_what_to_do(swing, monkeypatch):
    monkeypatch.setattr(live, "find_spec", lambda name: None)
    with pytest.raises(ch.ChaslesError, match=r"pip install viser"):
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
    page.get_by_text("Trails").wait_for(timeout=30000)
    before = shown.time.value
    time.sleep(0.5)
    assert shown.time.value != before
    assert errors == []
    assert all(url.startswith((shown.url, "data:", "blob:")) for url in asked)
    page.close()


def test_what_it_shows_moves_and_its_page_controls_it(browser, shown):
    context = browser.new_context(viewport={"width": 900, "height": 500})
    try:
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(shown.url)
        page.get_by_text("Play", exact=True).wait_for(timeout=30000)
        first = picture(page)
        comes(page, lambda: differ(first, picture(page)) > 300)
        page.get_by_role("checkbox").first.click()
        comes(page, lambda: shown.playing.value is False)
        comes(page, lambda: is_still(page))
        assert errors == []
    finally:
        context.close()  # it draws without a graphics card for as long as it is open


def is_still(page):
    before = picture(page)
    page.wait_for_timeout(500)
    return differ(before, picture(page)) < 100


def comes(page, condition, seconds=20.0):
    for _ in range(int(10 * seconds)):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it never came")


def picture(page):
    grey = Image.open(io.BytesIO(page.screenshot())).convert("L")
    return np.asarray(grey).astype(int)[:, : grey.width // 2]  # beside the panel


def differ(first, second):
    return int((np.abs(first - second) > 30).sum())


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


def test_its_curves_are_those_of_the_film_energies_first(shown):
    assert list(shown.plot.curves) == [curve[0] for curve in curves_of([shown.result])]
    assert shown.plot.choice.value == "Energy" and len(shown.plot.drawn.data) == 4
    shown.plot.choice.value = "Angle of hinge"
    np.testing.assert_allclose(
        shown.plot.drawn.data[1], shown.result.coordinate("hinge")[shown.plot.shown]
    )


def test_a_curve_that_is_zero_throughout_is_said(shown, monkeypatch):
    nothing = ("Largest joint gap", "m", True, [("", None, lambda run: np.zeros(len(run.t)))])
    monkeypatch.setitem(shown.plot.curves, "Energy", nothing)
    shown.plot.draw()
    assert shown.plot.drawn is None
    assert shown.plot.said.content == "Largest joint gap: zero throughout"


def test_a_selected_body_shows_its_numbers(shown):
    shown.playing.value = False
    time.sleep(0.1)
    shown.show(100)
    shown.select("arm")
    x = shown.result.position("arm")[100, 0]
    assert "2 kg" in shown.card.content and f"{x:.3f}, " in shown.card.content
    shown.select("</script>bob & co")
    assert "<" not in shown.card.content


def test_switches_show_names_frames_joints_and_floor(shown):
    boxes = {handle.label: handle for handle in shown.boxes}
    assert list(boxes) == ["Trails", "Names", "Frames of bodies", "Joints", "Floor"]
    for words, field in (("Names", "names"), ("Joints", "joints")):
        boxes[words].value = not boxes[words].value
        assert all(handle.visible == boxes[words].value for handle in getattr(shown, field))
    boxes["Floor"].value = False
    boxes["Frames of bodies"].value = True
    assert not shown.floor.visible
    assert all(handle.show_axes for handle in shown.bodies.values())


def test_bodies_have_the_colours_of_the_film_and_wheels_two_tones():
    wheel = ch.Body.cylinder("wheel", 0.3, 0.05, mass=1.0)
    run = ch.simulate(ch.Model([wheel]), 0.1, step=1e-2)
    (part,) = scene_of_run(run).parts
    colour, _ = paint_of(part, None)
    (light, one), (dark, other) = toned(part, colour, QUARTERS)
    assert one == tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5)) != other
    assert len(light) == len(dark) > 0
    (whole,) = toned(part, colour, PLAIN)
    assert len(whole[0]) == len(light) + len(dark)


def test_on_a_phone_the_scene_stands_above_the_panel(browser, shown):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(shown.url)
    page.get_by_text("Play", exact=True).wait_for(timeout=30000)
    comes(page, lambda: heights(shown) and 0.2 < heights(shown)[0] < 0.35)
    page.close()


def heights(shown):
    """How far the first body stands above the middle of every reader's picture, by its height."""
    found = []
    for client in shown.server.get_clients().values():
        camera = client.camera
        ahead = np.array(camera.look_at) - camera.position
        ahead /= np.linalg.norm(ahead)
        up = shown.scene.up - (shown.scene.up @ ahead) * ahead
        to = np.mean([shown.result.position("arm")[0], (0, 0, 0)], axis=0) - camera.position
        found.append(to @ up / np.linalg.norm(up) / (to @ ahead) / (2 * np.tan(camera.fov / 2)))
    return found


def test_the_command_line_makes_a_film_of_a_saved_run(swing, tmp_path, capsys):
    model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
    run = ch.simulate(model, until=0.1, step=0.01).save(tmp_path / "run.nc")
    assert cli.main(["view", str(run), "--out", str(tmp_path / "film.html")]) == 0
    assert (tmp_path / "film.html").stat().st_size > 30000
    assert cli.main(["view", str(tmp_path / "missing.nc")]) == 2
    assert "there is no file" in capsys.readouterr().err
