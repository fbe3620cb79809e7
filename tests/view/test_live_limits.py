"""A page keeps the ways of a step that fit, says where it stops, and names who was called."""

import numpy as np
import pytest
from test_default_sliders import head_of
from visits import FilmVisit

import chasles as ch
from chasles.many.ensembles import portable, step_branches


def spinning_up() -> ch.Model:
    """A body that spins faster and faster: from some angle in a step on no series will do."""
    body = ch.Body.box("body", (0.1, 0.2, 0.3), mass=1.0)
    spin = ch.Load("spin", body, torque=(0, 0, 2.0), frame="body")
    return ch.Model([body], forces=[spin], gravity=(0, 0, -9.81))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The head of a page with all step_branches, and their sizes."""
    recorders = []

    class Kept(step_branches.Recorder):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            recorders.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portable, "Recorder", Kept)
        path = tmp_path_factory.mktemp("whole") / "body.html"
        page = ch.export(spinning_up(), path, until=0.1, sliders={"gravity": (5.0, 20.0)})
    (recorder,) = recorders
    return head_of(page), [
        step_branches.size_of_step(way.native.recording) for way in recorder.branches
    ]


def test_a_short_run_is_followed_for_as_long_as_a_page_may_be_watched(whole):
    """The other way is met after the 0.1 s of the run that frames the picture."""
    head, sizes = whole
    assert len(head["live"]["modules"][0]["ways"]) == len(sizes) >= 2
    assert "stops at" not in head["live"]["words"]


def test_ways_beyond_the_room_are_left_out_and_the_page_says_where_it_stops(
    whole, monkeypatch, tmp_path
):
    monkeypatch.setattr(step_branches, "MOST_OPERATIONS", whole[1][0] + 1)
    page = ch.export(spinning_up(), tmp_path / "body.html", until=0.1,
                     sliders={"gravity": (5.0, 20.0)})  # fmt: skip
    live = head_of(page)["live"]
    assert len(live["modules"][0]["ways"]) == 1
    assert "a part of the model's states" in live["words"]
    assert "the first positions: 0." in live["words"] and "gravity 20 m/s²: 0." in live["words"]


def test_where_it_stops_time_stands_and_the_note_is_beside_the_panel(
    browser, whole, monkeypatch, tmp_path
):
    monkeypatch.setattr(step_branches, "MOST_OPERATIONS", whole[1][0] + 1)
    page = ch.export(spinning_up(), tmp_path / "body.html", until=0.1, sliders={})
    with FilmVisit(browser, page, fragment="#still") as visit:
        visit.run("setPlaying(true)")
        visit.run("(() => { for (let k = 0; k < 400 && film.playing; k++) live.tick(1 / 60); })()")
        assert not visit.run("film.playing")
        reached = visit.run("live.runs[0].index * live.runs[0].m.step")
        assert visit.run("live.time") == reached > 0.1
        note, panel = (visit.page.locator(f"#{name}").bounding_box() for name in ("note", "panel"))
        text = visit.run("""(() => { const range = document.createRange();
          range.selectNodeContents($("note")); return range.getBoundingClientRect().left; })()""")
        assert note["height"] > 0 and text >= panel["x"] + panel["width"]


def test_a_step_that_is_too_large_is_refused_by_the_name_of_what_was_called(
    monkeypatch, tmp_path, refusal
):
    monkeypatch.setattr(step_branches, "MOST_OPERATIONS", 10)
    run = ch.simulate(spinning_up(), 0.1, step=1e-3)
    for call, name in (
        (lambda: ch.export(spinning_up(), tmp_path / "body.html", until=0.1), "export: a step"),
        (lambda: run.animate(tmp_path / "body.html", live=True), "animate: live: a step"),
    ):
        message = refusal(call, ch.InvalidOption)
        assert message.startswith(name) and "more than the 10 that a page holds" in message


def test_a_long_function_of_time_is_one_way_of_a_step(tmp_path):
    """In pieces of an eighth of a second: their numbers are picked, not guarded one by one."""
    crank = ch.Body.rod("crank", 0.3, mass=1.0, position=(0.15, 0, 0))
    axle = ch.Revolute("axle", ch.GROUND, crank, at=(0, 0, 0), axis="z")
    drive = ch.Driver("drive", axle, lambda t: 0.3 * np.sin(4.0 * t) ** 3)
    model = ch.Model([crank], [axle], drivers=[drive])
    live = head_of(ch.export(model, tmp_path / "crank.html", until=0.4, sliders={}))["live"]
    assert len(live["modules"][0]["ways"]) <= 3 and "stops at" not in live["words"]


@pytest.mark.slow
def test_a_driven_page_moves_as_python_does(browser, tmp_path):
    """Two functions of time, of 20 s: over the end of what one way has picked."""
    crank = ch.Body.rod("crank", 0.3, mass=1.0, position=(0.15, 0, 0))
    axle = ch.Cylindrical("axle", ch.GROUND, crank, at=(0, 0, 0), axis="z")
    drives = [ch.Driver(word, axle, lambda t, a=a: a * np.sin(4.0 * t) ** 3, coordinate=word)
              for word, a in (("angle", 0.3), ("displacement", 1.0))]  # fmt: skip
    model = ch.Model([crank], [axle], drivers=drives)
    page = ch.export(model, tmp_path / "crank.html", step=5e-3, until=1.0, sliders={})
    run = ch.simulate(model, 10.0, step=5e-3)
    with FilmVisit(browser, page, fragment="#still") as visit:
        found = visit.run("live.bitsAfter(0, 2000)")
        assert found["index"] == 2000 and visit.said == []
        out = np.array(found["out"])
        np.testing.assert_allclose(out[:9].reshape(3, 3), run.rotation(crank)[-1], atol=1e-12)
        np.testing.assert_allclose(out[9:12], run.position(crank)[-1], rtol=0, atol=1e-12)


def wind(t, position, rotation, velocity, angular_velocity):
    return (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def law(t, q, rate):
    return -3.0 * q


@pytest.mark.parametrize("kind", ["called", "law", "fed back"])
def test_a_formula_in_python_is_refused_by_its_name(kind, tmp_path, refusal):
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    force = {
        "called": lambda: ch.CustomForce("breeze", arm, wind),
        "law": lambda: ch.JointLaw("breeze", hinge, law),
        "fed back": lambda: ch.Motor("breeze", hinge, effort=law),
    }[kind]()
    model = ch.Model([arm], [hinge], [force])
    message = refusal(lambda: ch.export(model, tmp_path / "arm.html", until=0.1), ch.InvalidOption)
    assert message.startswith("export: force 'breeze' has a formula in Python")
    assert "Noted" not in message and "animate('film.html')" in message
