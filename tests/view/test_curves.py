"""Curves of results by name, and figures of studies without a file."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from mechanisms import pendulum

import chasles as ch
from chasles.studies.advice_search import Trial
from chasles.studies.advise import Advice
from chasles.view.film import curves_of
from chasles.view.panels import largest_of, thinned


def drawn(ax: Axes) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def test_a_hinge_shows_its_angle_and_a_ball_its_gap(swing):
    angle = swing.plot("hinge")
    assert isinstance(angle, Axes) and angle.get_ylabel() == "rad"
    np.testing.assert_allclose(angle.get_lines()[0].get_ydata(), swing.coordinate("hinge"))
    gap = swing.plot("ball")
    assert gap.get_ylabel() == "m" and gap.get_yscale() == "log"


def test_a_contact_that_never_touches_shows_its_force():
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 5))
    floor = ch.Contact("floor", ch.GROUND, ball, at=(0, 0, 0), stiffness=1e4)
    spin = ch.Load("spin", ball, torque=(0, 0, 1))
    run = ch.simulate(ch.Model([ball], forces=[floor, spin]), until=0.01, step=1e-3)
    assert run.plot("floor").get_title(loc="left") == "floor: force"
    assert run.plot("spin").get_title(loc="left") == "spin: torque"


def test_a_film_of_a_wheel_that_only_spins_shows_its_energy():
    """The speed of its centre is round-off; that of a body that flies on is not."""
    first = []
    for velocity in ((0, 0, 0), (1, 0, 0)):
        body = ch.Body.cylinder("wheel", 0.3, 0.1, mass=1.0, axis="z", velocity=velocity,
                                angular_velocity=(0, 0, 5))  # fmt: skip
        run = ch.simulate(ch.Model([body], gravity=(0, 0, 0)), until=0.1, step=1e-2)
        first.append(curves_of([run])[0][0])
    assert first == ["Energy", "Speed"]


@pytest.mark.parametrize(
    "what, part, names",
    [
        (None, None, {"kinetic", "potential", "together"}),
        ("energy", None, {"kinetic", "potential", "together"}),
        ("momentum", None, {"x", "y", "z"}),
        ("angular momentum", None, {"x", "y", "z"}),
        ("gaps", None, {"hinge", "ball"}),
        ("arm", None, {"x", "y", "z"}),
        ("arm", "angular velocity", {"x", "y", "z"}),
        ("hinge", "reaction", {"x", "y", "z"}),
    ],
)
def test_names_stand_for_what_the_result_gives(swing, what, part, names):
    assert set(drawn(swing.plot(what, part=part))) == names


def test_parts_of_the_model_are_names_too(swing):
    arm = swing.model.body("arm")
    np.testing.assert_array_equal(drawn(swing.plot(arm))["x"], swing.position(arm)[:, 0])
    np.testing.assert_array_equal(
        drawn(swing.plot(arm, part="velocity"))["z"], swing.velocity(arm)[:, 2]
    )


def test_several_of_one_unit_share_an_axis(swing):
    curves = drawn(swing.plot(["arm", "</script>bob & co"]))
    assert len(curves) == 6
    with pytest.raises(ch.InvalidOption, match="have different units"):
        swing.plot(["arm", "energy"])


@pytest.mark.parametrize(
    "what, part, message",
    [
        ("hinje", None, "Did you mean 'hinge'"),
        ("enrgy", None, "Did you mean 'energy'"),
        (7, None, "there is no quantity or part 7"),
        ("arm", "speed", "there is no part of a body 'speed'"),
        ("ball", "coordinate", "there is no part of a joint 'coordinate'"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(swing, what, part, message):
    with pytest.raises(ch.UnknownName, match=message):
        swing.plot(what, part=part)


def test_a_sensor_has_no_parts():
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    falling = ch.Model([ball], sensors=[ch.Sensor("top", ball, at=(0, 0, 0.1))])
    run = ch.simulate(falling, until=0.1, step=1e-2)
    with pytest.raises(ch.UnknownName, match=r"sensor 'top': it has the one quantity.*position"):
        run.plot("top", part="velocity")


def test_curves_are_written(swing, tmp_path):
    ax = swing.plot("energy", tmp_path / "energy.png")
    assert (tmp_path / "energy.png").stat().st_size > 5000
    assert ax._repr_png_().startswith(b"\x89PNG")


def test_advice_shows_its_front_with_names_and_ticks():
    body = ch.Body.box("b", (1, 1, 1), mass=1.0)
    rows = [
        ("auto", "heun", 2e-3, 1.9, 1e-14, 8e-3),
        ("SE3", "rk4", 2e-3, 3.0, 1e-3, 2e-5),
        ("auto", "rk4", 1e-3, 3.4, 1e-15, 2e-7),
        ("SO3xR3", "rk4", 1e-3, 5.0, 1e-2, 1e-2),
    ]
    trials = tuple(
        Trial({"spaces": s, "stabilise": None, "method": m, "step": h}, cost, gap, drift, 1.0)
        for s, m, h, cost, gap, drift in rows
    )
    figure = Advice(ch.Model([body]), 1e-6, 1e-6, 1.0, trials, trials[2], None, 1.0).plot()
    assert isinstance(figure, Figure)
    energy = figure.axes[1]
    words = {text.get_text() for text in energy.texts}
    assert {"heun, 2 ms", "rk4, 2 ms", "rk4, 1 ms", "target"} <= words
    low, high = energy.get_xlim()
    assert sum(low <= tick <= high for tick in energy.get_xticks()) >= 2
    steps = next(line for line in energy.lines if line.get_drawstyle() == "steps-post")
    assert list(steps.get_ydata()) == [8e-3, 2e-5, 2e-7]


def test_a_comparison_is_drawn_without_a_file(top_runs):
    model = top_runs["auto"].model
    comparison = ch.compare(model, ["SE3", "auto"], until=0.05, step=1e-3, timing=False)
    figure = comparison.plot()
    assert isinstance(figure, Figure) and len(figure.axes) == 2
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_a_blow_is_as_high_in_the_picture_as_it_was():
    t = np.linspace(0.0, 1.0, 50_001)
    values = np.sin(t)
    values[12_345], values[33_333] = 7.0, -5.0
    few_t, few = thinned(t, values)
    assert len(few) <= 1300 and (np.diff(few_t) > 0).all()
    assert few.max() == 7.0 and few.min() == -5.0
    assert few_t[few.argmax()] == t[12_345] and (few_t[0], few_t[-1]) == (0.0, 1.0)


def test_a_short_run_is_drawn_whole():
    t = np.linspace(0.0, 1.0, 1000)
    assert thinned(t, t)[0] is t


def test_the_largest_value_is_one_of_magnitudes_where_it_is_negative():
    assert largest_of([np.array([-3.0, 2.0])]) == "max |·| 3.0"
    assert largest_of([np.array([-2.0, 3.0])]) == "max 3.0"
    assert largest_of([np.array([0.0, np.nan])]) == "max 0"


def geared(effort: float) -> ch.Result:
    wheels = [ch.Body.cylinder(n, 0.1, 0.05, mass=1.0, axis="z", position=(x, 0, 0))
              for n, x in (("one", 0.0), ("two", 0.2))]  # fmt: skip
    joints = [ch.Revolute(f"{w.name} pin", ch.GROUND, w, w.position, "z") for w in wheels]
    mesh = ch.Coupling("mesh", {"one pin": 20, "two pin": -20})
    drive = [ch.Motor("drive", "one pin", effort=effort)]
    return ch.simulate(ch.Model(wheels, [*joints, mesh], drive), until=0.1, step=1e-3)


def test_what_is_constant_but_for_rounding_is_drawn_as_a_constant():
    ax = geared(0.7).plot("mesh")
    low, high = ax.get_ylim()
    assert (high - low) > 0.05 * 0.35  # half of the torque goes to the other wheel
    assert ax.get_ylabel() == "N m"


def test_gaps_that_are_all_zero_have_an_axis(recwarn):
    geared(0.0).plot("one pin", part="gap")
    assert not recwarn.list


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, 0, -9.81)])
def test_what_is_zero_is_a_line_within_the_axes(gravity):
    """Not one that the frame hides; on a logarithmic axis its height is named 0."""
    model = pendulum(gravity=gravity)
    still = ch.simulate(model, until=0.1, step=1e-2)
    assert not still.violation("hinge").any()
    figure = ch.compare(model, ["SE3", "SO3xR3"], until=0.1, step=1e-2).plot()
    axes = [still.plot("gaps"), *(ax for ax in figure.axes if ax.lines)]
    for ax in axes:
        low, high = ax.get_ylim()
        for line in ax.lines:
            assert np.any((low < line.get_ydata()) & (line.get_ydata() < high))
    hinge = axes[1]
    figure.canvas.draw()
    assert "0" in [label.get_text() for label in hinge.get_yticklabels()]


def test_what_is_zero_throughout_is_said_and_has_no_axis():
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    run = ch.simulate(ch.Model([ball], gravity=(0, 0, 0)), 0.1, step=1e-2)
    axes = run.plot("ball", part="velocity")
    assert [text.get_text() for text in axes.texts] == ["zero throughout (m/s)"]
    assert not axes.get_lines() and not len(axes.get_yticks())
