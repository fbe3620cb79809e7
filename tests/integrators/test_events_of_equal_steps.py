"""Events of runs with equal steps: found by real steps of the same method, the grid untouched."""

import numpy as np
import pytest
from machines import falling_ball, floor, hanging_sledge
from mechanisms import double_pendulum, heavy_top

import chasles as ch

HEIGHT, DROP, GRAVITY = 5.0, 0.5, 9.81
#: Exact for constant acceleration, so that the time of a fall is known.
METHODS = [
    "rk4", "dop853", "cf4", "gauss4", "rattlie", "rattlie4", "half-explicit", "linearly-implicit",
    "generalized-alpha", "bliedf2",
]  # fmt: skip


@pytest.mark.parametrize("space", ["SE3", "subgroups"])
@pytest.mark.parametrize("method", METHODS)
def test_a_fall_ends_on_the_floor_at_the_time_of_galilei(method, space):
    event = ch.Event(floor, terminal=True, direction=-1)
    result = ch.simulate(
        falling_ball(HEIGHT),
        3.0,
        step=0.03,
        method=method,
        spaces=space,
        events=[event],
        save_every=7,
    )
    expected = np.sqrt(2 * HEIGHT / GRAVITY)
    assert result.events["floor"] == pytest.approx([expected], abs=1e-11)
    assert result.t[-1] == result.events["floor"][0]
    assert result.position("ball")[-1, 2] == pytest.approx(0.0, abs=1e-11)
    np.testing.assert_allclose(result.t[:-1], 0.21 * np.arange(len(result.t) - 1), atol=1e-12)
    assert result.status == "finished" and "floor" in result.message


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_a_wheel_passes_its_zeros_at_every_half_turn(direction):
    """sin(w t) rises at even multiples of pi / w and falls at odd ones; the start is not one."""
    rate = 7.0
    wheel = ch.Body.cylinder(
        "wheel", radius=0.3, length=0.1, mass=2.0, angular_velocity=(0, 0, rate)
    )
    axle = ch.Revolute("axle", ch.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model = ch.Model([wheel], [axle], gravity=(0, 0, 0))
    event = ch.Event(lambda t, s: s.rotation("wheel")[1, 0], direction=direction, name="level")
    result = ch.simulate(model, 20.0, step=0.5, events=[event])  # more than one in a step
    every = np.arange(1, int(20.0 * rate / np.pi) + 1)
    expected = every[(direction == 0) | (every % 2 == (direction < 0))] * np.pi / rate
    np.testing.assert_allclose(result.events["level"], expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("method", ["rk4", "rattlie", "generalized-alpha"])
def test_events_do_not_change_the_run(method):
    options = {"step": 1e-3, "method": method, "spaces": "SE3", "save_every": 3}
    event = ch.Event(lambda t, s: s.position("first")[2], name="level")
    watched = ch.simulate(double_pendulum(), 0.1005, events=[event], **options)
    plain = ch.simulate(double_pendulum(), 0.1005, **options)
    np.testing.assert_array_equal(watched.t, plain.t)
    np.testing.assert_array_equal(watched.absolute, plain.absolute)


@pytest.mark.parametrize(
    "space, until",
    [
        ("subgroups", 13.0),
        pytest.param("subgroups", 26.0, marks=pytest.mark.slow),
        pytest.param("SE3 relative", 26.0, marks=pytest.mark.slow),
    ],
)
def test_crossings_are_those_of_the_states_between_without_a_miss_or_a_duplicate(space, until):
    def crossing(t, state):
        return state.position("second")[2] - state.position("first")[2]

    options = {"step": 2.5e-3, "spaces": space}
    result = ch.simulate(double_pendulum(), until, events=[crossing], save_every=10**6, **options)
    times = result.events["crossing"]
    wanted = np.linspace(0.0, until, round(2000 * until) + 1)
    seen = ch.simulate(double_pendulum(), until, t_eval=wanted, **options)
    heights = seen.position("second")[:, 2] - seen.position("first")[:, 2]
    changes = np.flatnonzero(np.sign(heights[:-1]) * np.sign(heights[1:]) < 0)
    assert len(times) > 6 * until
    assert len(changes) == len(times)
    assert np.all((times >= wanted[changes] - 1e-9) & (times <= wanted[changes + 1] + 1e-9))


def test_the_first_terminal_event_ends_the_run_and_wanted_times_after_it_are_left_out():
    half = ch.Event(lambda t, s: s.position("ball")[2] - HEIGHT / 2, name="half way")
    result = ch.simulate(
        falling_ball(HEIGHT), 3.0, step=0.04, events=[half, ch.Event(floor, terminal=True)],
        t_eval=np.linspace(0, 3, 31),
    )  # fmt: skip
    assert result.events["half way"] == pytest.approx([np.sqrt(HEIGHT / GRAVITY)], abs=1e-12)
    landed = np.sqrt(2 * HEIGHT / GRAVITY)
    assert result.t[-1] == pytest.approx(landed, abs=1e-12)
    assert len(result.t) == int(landed / 0.1) + 2
    np.testing.assert_allclose(
        result.position("ball")[:, 2], HEIGHT - 0.5 * GRAVITY * result.t**2, atol=1e-12
    )


def test_a_joint_holds_at_an_event():
    event = ch.Event(lambda t, s: s.position("top")[1], terminal=True, name="side")
    result = ch.simulate(heavy_top(), 1.0, step=1e-3, spaces="SE3", events=[event])
    assert 0.0 < result.t[-1] < 1.0
    assert result.violation("pivot")[-1] < 1e-13


def test_a_run_that_an_event_ends_counts_the_step_that_leads_there():
    """Half way of a step, and at the end of one."""
    for end in (0.505, 0.5):
        event = ch.Event(lambda t, s, end=end: t - end, terminal=True, name="then")
        result = ch.simulate(falling_ball(HEIGHT), 1.0, step=0.01, events=[event])
        assert result.t[-1] == pytest.approx(end, abs=1e-12)
        assert result.provenance.steps == len(result.t) - 1
        assert f"in {len(result.t) - 1} steps" in result.message


@pytest.mark.parametrize("options", [{"step": 0.01}, {"rtol": 1e-8}])
def test_events_at_the_time_of_the_one_that_ends_the_run_are_told_whatever_their_turn(options):
    def at(name, terminal):
        return ch.Event(lambda t, s: t - 0.404, terminal=terminal, name=name)

    result = ch.simulate(
        falling_ball(HEIGHT),
        1.0,
        events=[at("before", False), at("end", True), at("after", False)],
        **options,
    )
    assert [result.events[name].size for name in ("before", "end", "after")] == [1, 1, 1]


def hard_floor():
    """A ball that a step of 2 ms has sink in further than Newton's iteration can follow."""
    ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 0.3), velocity=(0.5, 0, 0))
    ground = ch.Contact(
        "ground", ch.GROUND, ball, at=(0, 0, 0), stiffness=1e7, dissipation=1.0, friction=0.3
    )
    return ch.Model([ball], forces=[ground])


@pytest.mark.filterwarnings("ignore::chasles.ChaslesWarning")  # an impact is not resolved
@pytest.mark.parametrize("method", ["generalized-alpha", "bliedf3"])
def test_steps_are_divided_where_events_and_times_between_them_are_asked_for_too(method):
    options = {"step": 2e-3, "method": method}
    plain = ch.simulate(hard_floor(), 0.3, **options)
    event = ch.Event(lambda t, s: s.position("ball")[2] - 0.2, name="half way")
    watched = ch.simulate(hard_floor(), 0.3, events=[event], **options)
    between = ch.simulate(hard_floor(), 0.3, t_eval=[0.2031, 0.2039, 0.3], **options)
    assert plain.provenance["divided_steps"] == watched.provenance["divided_steps"] == 1
    np.testing.assert_array_equal(watched.absolute, plain.absolute)
    np.testing.assert_array_equal(between.absolute[-1], plain.absolute[-1])
    assert watched.events["half way"] == pytest.approx([np.sqrt(0.2 / GRAVITY)], abs=1e-4)
    assert "in parts" in watched.message
    ended = ch.simulate(hard_floor(), 0.2031, **options)  # by a shorter step
    np.testing.assert_array_equal(ended.absolute[-1], between.absolute[0])


# --- impacts ---


@pytest.mark.parametrize("restitution", [1.0, 0.7])
@pytest.mark.parametrize("method", ["rk4", "rattlie", "linearly-implicit", "generalized-alpha"])
@pytest.mark.parametrize("space", ["SE3", "subgroups"])
def test_bounces_are_those_of_a_ball(space, method, restitution):
    first = np.sqrt(2 * DROP / GRAVITY)
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=restitution)
    result = ch.simulate(
        hanging_sledge(), 1.5, step=0.01, method=method, spaces=space, events=[stop]
    )
    expected = [first]
    while expected[-1] + 2 * first * restitution ** len(expected) < 1.5:
        expected.append(expected[-1] + 2 * first * restitution ** len(expected))
    np.testing.assert_allclose(result.events["stop"], expected, atol=1e-9)
    np.testing.assert_allclose(result.t, 0.01 * np.arange(151), atol=1e-12)
    assert result.coordinate("rail").min() > -DROP - 1e-9
    assert result.warnings == ()


def test_many_bounces_within_a_step_are_all_seen():
    """At 0.3 s a step the last flights are ever shorter parts of one."""
    first, share = np.sqrt(2 * DROP / GRAVITY), 0.5
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=share)
    with pytest.raises(ch.SimulationStopped, match="comes to rest at its end") as stopped:
        ch.simulate(hanging_sledge(), 3.0, step=0.3, events=[stop])
    times = stopped.value.result.events["stop"]
    flights = 2 * first * share ** np.arange(1, len(times))
    np.testing.assert_allclose(np.diff(times), flights, atol=1e-9)
    assert len(times) > 15
    assert times[-1] == pytest.approx(first * (1 + share) / (1 - share), abs=1e-5)


def test_what_does_not_leave_its_end_stops_the_run_with_the_remedy():
    stop = ch.Impact("stop", "rail", lower=-DROP, restitution=0.0)
    with pytest.raises(ch.SimulationStopped, match=r"(?s)comes to rest.*JointStop") as stopped:
        ch.simulate(hanging_sledge(), 3.0, step=0.01, events=[stop])
    result = stopped.value.result
    assert result.t[-1] == pytest.approx(np.sqrt(2 * DROP / GRAVITY), abs=1e-12)
    assert result.coordinate_rate("rail")[-1] == pytest.approx(0.0, abs=1e-12)


def test_wanted_times_after_an_impact_are_those_of_the_motion_after_it():
    stop = ch.Impact("stop", "rail", lower=-DROP)
    wanted = np.linspace(0.0, 1.2, 61)
    result = ch.simulate(hanging_sledge(), 1.2, step=0.05, events=[stop], t_eval=wanted)
    first = np.sqrt(2 * DROP / GRAVITY)
    since = (wanted + first) % (2 * first) - first  # from the top of the arc
    np.testing.assert_array_equal(result.t, wanted)
    np.testing.assert_allclose(result.coordinate("rail"), -0.5 * GRAVITY * since**2, atol=1e-8)


# --- bad input ---


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, s: np.zeros(3), r"array of shape \(3,\)"),
        (lambda t, s: 1.0 if t < 0.5 else np.nan, "returned nan"),
        (lambda t, s: 1 / (t < 0.5), "raised ZeroDivisionError"),
        (lambda t, s: t > 0.5, r"(?s)returned False .*not x > 1"),
    ],
)
def test_functions_that_do_not_return_a_number_end_the_run_with_its_result(function, message):
    with pytest.raises(ch.ChaslesError, match=message):
        ch.simulate(falling_ball(HEIGHT), 1.0, step=0.01, events=[ch.Event(function, name="odd")])
