"""What results say of themselves in words: short reprs, units, hints."""

import numpy as np
import pytest

import chasles as ch

ROD = ch.Body.rod("rod", mass=1.0, between=((0, 0, 0), (1, 0, 0)), colour="red")
SLIDER = ch.Body.sphere("slider", 0.1, mass=1.0, position=(2, 0, 0), colour="#102030")
HINGE = ch.Revolute("hinge", ch.GROUND, ROD, (0, 0, 0), "y")
RAIL = ch.Prismatic("rail", ch.GROUND, SLIDER, axis="z")
FORCES = [
    ch.JointStop("stop", "hinge", upper=0.3, stiffness=1e3),
    ch.JointStop("buffer", "rail", upper=0.3, stiffness=1e3),
    ch.Motor("servo", "hinge", target=0.1, stiffness=10.0),
]
MODEL = ch.Model([ROD, SLIDER], [HINGE, RAIL], FORCES)


@pytest.fixture(scope="module")
def result():
    return ch.simulate(MODEL, until=0.1, step=1e-3)


def test_histories_are_told_in_one_line(result):
    told = [result.force("servo"), result.reaction("hinge"), result.point("rod", (1, 0, 0))]
    for history in told:
        assert len(repr(history)) < 160 and "array" not in repr(history)
    assert "'servo'" in repr(told[0]) and "101 times" in repr(told[0])


@pytest.mark.parametrize("force, unit", [("stop", "N m"), ("buffer", "N"), ("servo", "N m")])
def test_the_effort_has_the_unit_of_its_coordinate(result, force, unit):
    """Stops that are not touched have no effort throughout: the unit is in the words."""
    axes = result.plot(force)
    label = axes.get_ylabel() or axes.texts[0].get_text()
    assert label == (unit if force == "servo" else f"zero throughout ({unit})")


def test_the_legend_hides_no_curve(result):
    axes = result.plot("energy")
    axes.figure.draw_without_rendering()
    box = axes.get_legend().get_window_extent()
    for line in axes.get_lines():
        path = axes.transData.transform(line.get_xydata())
        assert not np.any(np.all((path > box.min) & (path < box.max), axis=1))


def test_the_effort_of_a_joint_names_what_has_one(result, refusal):
    message = refusal(lambda: result.effort("hinge"), ch.UnknownName)
    assert "'stop', 'servo'" in message and "'buffer'" not in message


def test_more_than_a_turn_at_the_start_is_told_and_done():
    with pytest.warns(ch.ChaslesWarning, match="90 degrees are 1.571 rad") as caught:
        state = ch.start_state(MODEL, {"hinge": 90})
    assert caught[0].filename == __file__
    turned = np.array([np.cos(90) / 2, 0, -np.sin(90) / 2])
    np.testing.assert_allclose(state.position[0], turned, atol=1e-12)


def test_bodies_take_their_colour(refusal):
    assert (ROD.shape.colour, SLIDER.shape.colour) == ("red", "#102030")
    assert ch.Body.box("b", (1, 1, 1), 1.0, colour="blue").shape.colour == "blue"
    assert "colour" in refusal(
        lambda: ch.Body.sphere("s", 1.0, 1.0, colour="no such"), ch.UnknownName
    )


def test_colours_go_through_files(tmp_path):
    read = ch.read_model(ch.Model([ROD, SLIDER]).write(tmp_path / "coloured.toml"))
    assert [body.shape.colour for body in read.bodies] == ["red", "#102030"]
    assert read.bodies == (ROD, SLIDER)


def test_the_library_is_asked_like_a_dict(refusal):
    assert ch.library["a01"] is ch.library.get("A01") and "a01" in ch.library
    assert "benchmark" in refusal(lambda: ch.library["no such"], ch.UnknownName)


def test_one_name_designates_all_bodies(refusal):
    for name in ("SE3", "subgroups", "auto"):
        whole = dict.fromkeys(MODEL.body_names, name)
        assert ch.designate(MODEL, name).spaces == ch.designate(MODEL, whole).spaces
    assert "mean 'SE3'" in refusal(lambda: ch.designate(MODEL, "SE33"), ch.UnknownName)
