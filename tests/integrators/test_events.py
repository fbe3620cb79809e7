"""Events: all of them, each once, at the right time; the run ends where it should."""

import numpy as np
import pytest
from machines import falling_ball, floor, wheel
from mechanisms import double_pendulum, heavy_top

import chasles as ch

HEIGHT, GRAVITY = 5.0, 9.81
TIGHT = {"rtol": 1e-10, "atol": 1e-12, "method": "dop853"}


@pytest.mark.parametrize("space", ["framed", "subgroups"])
@pytest.mark.parametrize("method", ["bs3", "dopri5", "tsit5", "dop853"])
def test_a_fall_ends_on_the_floor_at_the_time_of_galilei(method, space):
    event = ch.Event(floor, terminal=True, direction=-1)
    result = ch.simulate(
        falling_ball(HEIGHT), 3.0, rtol=1e-8, method=method, spaces=space, events=[event]
    )
    expected = np.sqrt(2 * HEIGHT / GRAVITY)
    assert result.events["floor"] == pytest.approx([expected], abs=1e-12)
    assert result.t[-1] == result.events["floor"][0]
    assert result.position("ball")[-1, 2] == pytest.approx(0.0, abs=1e-11)
    assert result.status == "finished"
    assert "floor" in result.message


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("at", [0.25, 0.5, 0.75])
def test_a_wanted_time_at_which_an_event_is_has_its_state_once(at, terminal):
    wanted = np.array([0.25, 0.5, 0.75])
    event = ch.Event(lambda t, s: t - at, terminal=terminal, name="clock")
    result = ch.simulate(falling_ball(HEIGHT), 1.0, rtol=1e-6, t_eval=wanted, events=[event])
    assert result.events["clock"].tolist() == [at]
    assert result.t.tolist() == wanted[: None if not terminal else round(4 * at)].tolist()
    fallen = HEIGHT - GRAVITY * result.t**2 / 2
    np.testing.assert_allclose(result.position("ball")[:, 2], fallen, atol=1e-12)


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_a_wheel_passes_its_zeros_at_every_half_turn(direction):
    """sin(w t) rises at even multiples of pi / w and falls at odd ones; the start is not one."""
    rate = 7.0
    event = ch.Event(lambda t, s: s.rotation("disc")[1, 0], direction=direction, name="level")
    result = ch.simulate(wheel(speed=rate), 20.0, rtol=1e-9, method="dop853", max_step=0.5,
                         events=[event])  # fmt: skip
    every = np.arange(1, int(20.0 * rate / np.pi) + 1)
    expected = every[(direction == 0) | (every % 2 == (direction < 0))] * np.pi / rate
    np.testing.assert_allclose(result.events["level"], expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(
    "space, method, until",
    [
        ("subgroups", "dop853", 40.0),
        *(
            pytest.param(space, method, 130.0, marks=pytest.mark.slow)
            for space in ("subgroups", "framed")
            for method in ("dop853", "dopri5")
        ),
    ],
)
def test_hundreds_of_crossings_without_a_miss_or_a_duplicate(space, method, until):
    """The states between steps, looked at many times as often, change sign as often and there."""

    def crossing(t, state):
        return state.position("second")[2] - state.position("first")[2]

    options = {"rtol": 1e-7, "atol": 1e-9, "method": method, "spaces": space}
    result = ch.simulate(double_pendulum(), until, events=[crossing], save_every=10**6, **options)
    times = result.events["crossing"]
    assert len(times) >= 8 * until
    assert np.all(np.diff(times) > 0)
    wanted = np.linspace(0.0, until, round(3000 * until) + 1)
    seen = ch.simulate(double_pendulum(), until, t_eval=wanted, **options)
    heights = seen.position("second")[:, 2] - seen.position("first")[:, 2]
    changes = np.flatnonzero(np.sign(heights[:-1]) * np.sign(heights[1:]) < 0)
    assert len(changes) == len(times)
    assert np.all((times >= wanted[changes] - 1e-9) & (times <= wanted[changes + 1] + 1e-9))


def test_events_do_not_change_the_run():
    options = {"rtol": 1e-8, "method": "dopri5"}
    watched = ch.simulate(
        double_pendulum(), 0.3, events=[lambda t, s: s.position("first")[2]], **options
    )
    plain = ch.simulate(double_pendulum(), 0.3, **options)
    np.testing.assert_array_equal(watched.t, plain.t)
    np.testing.assert_array_equal(watched.absolute, plain.absolute)


def test_a_run_that_an_event_ends_between_two_looks_is_looked_at_there():
    """The largest of the three components of an open ball, after five steps."""
    end = ch.Event(lambda t, s: t - 0.05, terminal=True)
    result = ch.simulate(double_pendulum(), 1.0, events=[end], rtol=1e-3, spaces="SO3xR3")
    gap, _, name = result.provenance.worst_gap.partition(" m in ")
    gaps = {f"'{joint}'": result.violation(joint)[-1] for joint in result.model.joint_names}
    assert gaps[name] == max(gaps.values()) > 0.0
    assert gaps[name] / np.sqrt(3) < 1.01 * float(gap) < 1.02 * gaps[name]


def test_several_events_have_their_own_times_and_the_first_terminal_one_ends_the_run():
    half = ch.Event(lambda t, s: s.position("ball")[2] - HEIGHT / 2, name="half way")
    never = ch.Event(lambda t, s: s.position("ball")[2] + 1e3, name="never", terminal=True)
    result = ch.simulate(
        falling_ball(HEIGHT), 3.0, events=[half, never, ch.Event(floor, terminal=True)],
        t_eval=np.linspace(0, 3, 31), **TIGHT,
    )  # fmt: skip
    assert result.events["half way"] == pytest.approx([np.sqrt(HEIGHT / GRAVITY)], abs=1e-12)
    assert len(result.events["never"]) == 0
    landed = np.sqrt(2 * HEIGHT / GRAVITY)
    assert result.t[-1] == pytest.approx(landed, abs=1e-12)
    assert result.t[-2] <= landed
    assert len(result.t) == int(landed / 0.1) + 2


def test_functions_with_the_attributes_of_scipy_are_events():
    def hit(t, state):
        return state.position("ball")[2]

    hit.terminal, hit.direction = True, -1
    result = ch.simulate(falling_ball(HEIGHT), 3.0, events=hit, **TIGHT)
    assert result.t[-1] == pytest.approx(np.sqrt(2 * HEIGHT / GRAVITY), abs=1e-12)


def test_events_are_kept_in_files(tmp_path):
    result = ch.simulate(falling_ball(HEIGHT), 3.0, events=[floor], **TIGHT)
    result.save(tmp_path / "fall.nc")
    np.testing.assert_array_equal(
        ch.load(tmp_path / "fall.nc").events["floor"], result.events["floor"]
    )


def test_a_joint_holds_at_an_event():
    result = ch.simulate(
        heavy_top(), 1.0, rtol=1e-6, method="dopri5", spaces="SE3",
        events=[ch.Event(lambda t, s: s.position("top")[1], terminal=True, name="side")],
    )  # fmt: skip
    assert 0.0 < result.t[-1] < 1.0
    assert result.violation("pivot")[-1] < 1e-13


# --- bad input ---


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, s: np.zeros(3), r"array of shape \(3,\)"),
        (lambda t, s: np.nan, "returned nan"),
        (lambda t, s: "high", "returned 'high'"),
        (lambda t, s: 1 / 0, "raised ZeroDivisionError"),
        (lambda t, s: s.position("bal")[2], "'bal'"),
    ],
)
def test_a_function_that_does_not_return_a_number_is_named(function, message):
    with pytest.raises(ch.ChaslesError, match=message):
        ch.simulate(falling_ball(HEIGHT), 1.0, events=[ch.Event(function, name="bad")], **TIGHT)


def test_a_function_that_fails_on_the_way_keeps_the_result_so_far():
    def fails(t, state):
        return 1.0 if t < 0.5 else np.nan

    with pytest.raises(ch.SimulationStopped, match="'fails' returned nan") as stopped:
        ch.simulate(falling_ball(HEIGHT), 1.0, events=[fails], max_step=0.1, **TIGHT)
    assert 0.3 < stopped.value.result.t[-1] <= 0.7


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([3.0], "must be a function"),
        ("floor", "must be a list"),
        ([floor, floor], "2 events have the name 'floor'"),
    ],
)
def test_what_is_not_an_event_is_refused(events, message):
    with pytest.raises(ch.InvalidOption, match=message):
        ch.simulate(falling_ball(HEIGHT), 1.0, events=events, **TIGHT)


def test_options_of_an_event_are_checked():
    with pytest.raises(ch.InvalidOption, match="direction must be -1, 0 or 1"):
        ch.Event(floor, direction=2)
    with pytest.raises(ch.InvalidOption, match="terminal must be True or False"):
        ch.Event(floor, terminal="yes")
