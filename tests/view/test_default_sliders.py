"""A page for which no slider is asked has those that the model can start with, and never fails."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest

import chasles as ch
from chasles.view.sliders import slider_of, usual_ranges

ROBOTS = Path(__file__).parent.parent / "io" / "robots"


def head_of(page: Path) -> dict:
    """What a page is told about its film."""
    data = re.search(r'id="data">([^<]*)<', page.read_text("utf-8")).group(1)
    raw = zlib.decompress(base64.b64decode(data))
    return json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])


def swing(*forces, drivers=(), zero=0.0) -> ch.Model:
    arm = ch.Body.rod("arm", 1.0, mass=1.0, position=(0.5, 0, 0))
    fore = ch.Body.rod("fore", 1.0, mass=1.0, position=(1.5, 0, 0))
    hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y", zero=zero)
    elbow = ch.Revolute("elbow", arm, fore, at=(1, 0, 0), axis="y")
    return ch.Model([arm, fore], [hinge, elbow], forces, drivers=drivers)


def test_a_joint_that_is_driven_has_no_slider():
    motor = ch.Driver("motor", "hinge", ch.Signal.linear(2.0))
    assert list(usual_ranges(swing(drivers=[motor]))) == ["elbow", "gravity"]


def test_joints_that_are_coupled_have_no_slider():
    belt = ch.Coupling("belt", {"hinge": 1.0, "elbow": -2.0})
    assert list(usual_ranges(swing(drivers=[belt]))) == ["gravity"]


def test_sliders_end_where_stops_are():
    stops = [ch.JointStop("low", "hinge", lower=-1.0, stiffness=100.0),
             ch.JointStop("both", "hinge", lower=-2.0, upper=0.5, stiffness=100.0)]  # fmt: skip
    assert usual_ranges(swing(*stops))["hinge"] == (-1.0, 0.5)
    assert usual_ranges(swing())["hinge"] == (-3.0, 3.0)


def test_a_joint_that_is_not_zero_at_the_start_has_its_slider_there():
    model = swing(zero=0.4)
    span = usual_ranges(model)["hinge"]
    slider = slider_of(model, "hinge", span, "test")
    assert slider.values[slider.first] == 0.4 == pytest.approx(sum(span) / 2)


def driven_point() -> ch.Model:
    """A hinge that a moving point holds: no start of it closes."""
    shaker = ch.PointDriver("shaker", "arm", (1, 0, 0), (0, 0, 1), ch.Signal.sine(0.01, 5.0))
    return swing(drivers=[shaker])


@pytest.mark.parametrize(
    "make, wanted",
    [
        (lambda: ch.read_model(ROBOTS / "mimic.urdf"), ["gravity"]),
        (driven_point, ["elbow, angle at the start", "gravity"]),
        (
            lambda: swing(drivers=[ch.Driver("motor", "hinge", ch.Signal.linear(2.0))]),
            ["elbow, angle at the start", "gravity"],
        ),
    ],
    ids=["mimic", "point", "driver"],
)
def test_a_page_without_asked_sliders_is_written(make, wanted, tmp_path):
    page = ch.export(make(), tmp_path / "page.html", until=0.05)
    assert [slider["name"] for slider in head_of(page)["live"]["sliders"]] == wanted


def test_a_page_goes_on_from_the_start_that_it_was_given(tmp_path):
    page = ch.export(swing(), tmp_path / "page.html", until=0.05, start={"hinge": 0.5})
    assert [slider["name"] for slider in head_of(page)["live"]["sliders"]] == ["gravity"]


def test_a_page_is_titled_after_its_file_and_never_after_one_body_of_many(tmp_path):
    run = ch.simulate(swing(), 0.05, step=1e-2)
    assert run.animate().title == "Mechanism of 2 bodies"
    assert "<title>Two arms</title>" in run.animate(tmp_path / "two_arms.html").read_text("utf-8")
    page = ch.export(swing(), tmp_path / "live_arms.html", until=0.05)
    assert "<title>Live arms</title>" in page.read_text("utf-8")
