"""Functions of time as kernels evaluate them: right, and the same bits however a run is cut."""

import math
import time

import mpmath as mp
import numba
import numpy as np
import pytest
from mechanisms import pendulum, straight_chain
from numpy.testing import assert_allclose, assert_array_equal

import chasles as ch
from chasles.build.system.signals import SignalList, fitted_sampler
from chasles.core.signals import put_signals
from chasles.run import loop

T = np.linspace(0.0, 3.0, 301)
HINGE = ch.Revolute("hinge", ch.GROUND, ch.Body.rod("arm", 1.0, mass=1.0), (0, 0, 0), (0, 1, 0))


def listed(motion):
    """The kernel data of a driver's motion."""
    driver, signals = ch.Driver("drive", HINGE, motion), SignalList()
    signals.add(driver.sample, 3, driver.check_smooth)
    return signals


def exact(function, times):
    """(T, 3): value, rate and second derivative of an mpmath function."""
    with mp.workdps(40):
        return np.array(
            [[float(mp.diff(function, mp.mpf(t), order)) for order in range(3)] for t in times]
        )


# --- values and derivatives ---

WAVES = {
    "line": (ch.Signal.linear(2.5), lambda t: mp.mpf("2.5") * t, 0.0),
    "sine": (
        ch.Signal.sine(0.3, 2.0, phase=0.1, offset=-0.3 * math.sin(0.1)),
        lambda t: mp.mpf(0.3) * mp.sin(2 * mp.pi * 2 * t + mp.mpf(0.1)) - 0.3 * math.sin(0.1),
        1e-14,
    ),
    "ramp": (
        ch.Signal.ramp(1.7, duration=3.5),
        lambda t: mp.mpf(1.7) * (10 * (t / 3.5) ** 3 - 15 * (t / 3.5) ** 4 + 6 * (t / 3.5) ** 5),
        1e-14,
    ),
    "quintic table": (
        ch.Signal.table(np.linspace(0, 3, 8), np.linspace(0, 3, 8) ** 5),
        lambda t: t**5,
        1e-11,
    ),
}


@pytest.mark.parametrize("name", WAVES)
def test_a_wave_in_a_kernel_is_its_formula(name):
    signal, formula, error = WAVES[name]
    expected, found = exact(formula, T[1:-1:5]), listed(signal).sample(T)
    assert_allclose(found[:, 0], T, rtol=0)
    scale = np.abs(expected).max(axis=0) + 1.0
    assert (np.abs(found[1:-1:5, 1:] - expected) <= error * scale).all()
    assert_allclose(found[:, 1:], signal.sample(T), rtol=1e-14, atol=1e-14)


EXPRESSIONS = {
    "0.3 * sin(7 * t)^2": lambda t: mp.mpf(0.3) * mp.sin(7 * t) ** 2,
    "t^3 / (1 + t^2)": lambda t: t**3 / (1 + t**2),
    "1 - exp(-2 * t)": lambda t: 1 - mp.exp(-2 * t),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_in_a_kernel_has_its_derivatives_to_rounding(text):
    expected = exact(EXPRESSIONS[text], T[1:-1:5])
    found = listed(ch.Signal.expression(text)).sample(T)[1:-1:5, 1:]
    assert (np.abs(found - expected) <= 1e-12 * np.abs(expected).max(axis=0)).all()


FUNCTIONS = {
    "slow": (lambda t: np.sin(0.01 * t), lambda t: mp.sin(mp.mpf(0.01) * t)),
    "ordinary": (lambda t: 0.8 * np.sin(2 * t) ** 2, lambda t: mp.mpf(0.8) * mp.sin(2 * t) ** 2),
    "scalars only": (lambda t: math.exp(t) - 1.0, lambda t: mp.exp(t) - 1),
    "fast": (lambda t: np.sin(1e3 * t), lambda t: mp.sin(1000 * t)),
    "steep": (
        lambda t: np.tanh(20 * (t - 0.7)) + np.tanh(14.0),
        lambda t: mp.tanh(20 * (t - mp.mpf(0.7))) + mp.tanh(14),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_users_function_is_fitted_to_rounding_and_its_derivatives_to_1e_8(name):
    function, formula = FUNCTIONS[name]
    signals = listed(function)
    found, expected = signals.sample(T)[::7, 1:], exact(formula, T[::7])
    largest = np.abs(expected).max(axis=0)
    assert (np.abs(found - expected) <= np.array([1e-12, 1e-10, 1e-8]) * largest).all()
    assert signals.notes() == []


def test_derivatives_that_are_given_are_used_and_those_that_are_not_are_found():
    given = ch.Signal(np.sin, np.cos, lambda t: 7.0 + 0 * t)
    assert_allclose(listed(given).sample(T)[:, 3], 7.0, rtol=1e-15)
    found = listed(ch.Signal(np.sin, np.cos)).sample(T)[:, 1:]
    assert_allclose(found, np.column_stack((np.sin(T), np.cos(T), -np.sin(T))), atol=1e-10)


@numba.njit
def compiled_motion(t):
    if t < 1.0:
        return 0.5 * math.sin(3 * t) ** 2 - np.tanh(t) * t / 2 + abs(t)
    return np.exp(-t) * np.cos(t) / (1 + t * t) + t**3 - math.sqrt(1 + t)


def first_branch(t):
    return mp.sin(3 * t) ** 2 / 2 - mp.tanh(t) * t / 2 + t


def second_branch(t):
    return mp.exp(-t) * mp.cos(t) / (1 + t * t) + t**3 - mp.sqrt(1 + t)


def test_a_compiled_function_has_exact_derivatives():
    """By jets in machine code: nothing is fitted, and nothing is asked in Python."""
    signals = listed(compiled_motion)
    assert signals.fitted == [] and signals.arrays().address.all()
    for formula, times in ((first_branch, T[1:100:9]), (second_branch, T[100::20])):
        assert_allclose(signals.sample(times)[:, 1:], exact(formula, times), rtol=1e-13, atol=1e-14)


def test_a_compiled_function_that_jets_cannot_follow_is_fitted():
    by_array = numba.njit(lambda t: np.sum(np.array([math.sin(t), 0.0])))
    signals = listed(by_array)
    assert len(signals.fitted) == 1
    assert_allclose(signals.sample(T)[:, 2], np.cos(T), atol=1e-10)


def test_a_function_is_asked_only_where_it_is_not_smooth():
    """A kink at 1/3 s: within a microsecond of it, and nowhere else."""
    asked = []

    def motion(t):
        asked.append(t)
        return max(0.0, t - 1 / 3)

    signals = listed(motion)
    signals.arrays(1.0)
    asked.clear()
    away = np.linspace(0, 1, 401)  # never closer to 1/3 than 0.8 ms
    table = signals.sample(away)
    assert asked == []
    late = np.maximum(0.0, away - 1 / 3)
    assert_allclose(table[:, 1], late, rtol=0, atol=1e-15)
    assert_allclose(table[:, 2], late > 0.0, rtol=0, atol=1e-9)
    assert signals.sample(np.array([1 / 3]))[0, 1] == 0.0
    assert asked


def test_machine_code_and_python_put_the_same_row():
    signals = listed(WAVES["sine"][0])
    for k, motion in enumerate([WAVES["ramp"][0], WAVES["quintic table"][0], np.sin]):
        driver = ch.Driver(f"drive {k}", HINGE, motion)
        signals.add(driver.sample, 3, driver.check_smooth)
    arrays, row = signals.arrays(3.0), np.zeros(signals.count)
    for t, expected in zip(T[:300:30], signals.sample(T[:300:30])):
        put_signals(arrays, float(t), row)
        assert_allclose(row, expected, rtol=4e-16)


# --- a pure function of time ---


@pytest.mark.parametrize("name", [*WAVES, *FUNCTIONS])
def test_a_row_depends_on_its_time_alone(name):
    """Not on which other times are asked, nor on how far the run goes."""
    motion = (WAVES | FUNCTIONS)[name][0]
    together = listed(motion).sample(T)
    growing = listed(motion)
    pieces = [growing.sample(part) for part in np.split(T, [1, 2, 17, 140, 299])]
    assert_array_equal(np.vstack(pieces), together)
    backwards = listed(motion).sample(T[::-1])[::-1]
    assert_array_equal(backwards, together)


def test_a_month_is_fitted_with_as_few_questions_as_its_scale_needs():
    """Months take longer than days by the logarithm of their lengths; fast functions stay right."""
    asked = []

    def motion(t):
        asked.append(np.size(t))
        return np.sin(t / 3600.0)

    signals, day = listed(motion), 86400.0
    t = np.linspace(0.0, 2 * day, 5000)
    found = signals.sample(t)
    assert_allclose(found[:, 1], np.sin(t / 3600.0), rtol=0, atol=2e-12)
    asked_for_days = sum(asked)
    assert asked_for_days < 1_200_000  # a second each would take 30,000,000
    month = np.linspace(29.5 * day, 30 * day, 500)
    assert_allclose(signals.sample(month)[:, 1], np.sin(month / 3600.0), rtol=0, atol=2e-12)
    assert sum(asked) < 2.0 * asked_for_days  # fifteen times as long
    assert_array_equal(signals.sample(t), found)  # however far it goes
    late = 2e3 + np.linspace(0.0, 50.0, 1000)
    fast = listed(lambda t: np.sin(100.0 * t)).sample(late)
    assert_allclose(fast[:, 1], np.sin(100.0 * late), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "target",
    [ch.Signal.sine(1.0, 0.37), lambda t: np.sin(2.3 * t), lambda t: math.cos(t) * t],
    ids=["sine", "vectorised", "scalar"],
)
def test_a_run_with_a_motor_has_the_same_bits_whatever_its_pieces(target, monkeypatch):
    """Chaotic: a last bit that differs after one step is a metre after 20 s."""
    motor = ch.Motor("motor", "shoulder", target=target, stiffness=20.0, damping=0.1)
    model = straight_chain(forces=[motor])
    ends = []
    for seconds, save_every in ((0.2, 1), (1e-9, 1), (3e-4, 7), (1e-3, 10**9)):
        monkeypatch.setattr(loop, "CHUNK_SECONDS", seconds)
        result = ch.simulate(model, until=1.1, step=1e-3, save_every=save_every)
        ends.append(result.absolute[-1])
    ends.append(ch.simulate(model, until=1.1, step=1e-3, t_eval=[0.3, 0.7771, 1.1]).absolute[-1])
    for end in ends[1:]:
        assert_array_equal(end, ends[0])


def driven(motion):
    return pendulum(drivers=[ch.Driver("crank", "hinge", motion)])


@pytest.mark.parametrize("kink, refused", [(1e-4, False), (0.1, True)])
def test_whether_a_motion_is_smooth_does_not_depend_on_the_pieces(kink, refused, monkeypatch):
    """A turn of 30 rad at up to 300 rad/s, then a kink: small or not against that speed."""

    def motion(t):
        s = np.clip(t / 0.2, 0.0, 1.0)
        return 30.0 * s**3 * (10 - 15 * s + 6 * s * s) + kink * np.maximum(0.0, t - 0.4445)

    for seconds in (0.2, 1e-9, 1e-4):
        monkeypatch.setattr(loop, "CHUNK_SECONDS", seconds)
        if not refused:
            assert ch.simulate(driven(motion), until=0.6, step=1e-3).status == "finished"
            continue
        with pytest.raises(ch.SimulationStopped, match="explains") as caught:
            ch.simulate(driven(motion), until=0.6, step=1e-3)
        assert caught.value.result.t[-1] == pytest.approx(0.444)


# --- what is between the points of a fit ---


@pytest.mark.parametrize("start", [0.0812, 0.0832])
def test_a_pulse_shorter_than_a_panel_gives_its_impulse(start):
    """3 N for 2 ms, at a point where a fit is looked at, or between two of them.

    6e-3 N s, less than a step's worth off.
    """
    ball = ch.Body.sphere("ball", 0.1, mass=1.0)
    pulse = (start, start + 0.002)
    push = ch.Load("push", ball, lambda t: (3.0 if pulse[0] < t < pulse[1] else 0.0, 0.0, 0.0))
    model = ch.Model([ball], forces=[push], gravity=(0, 0, 0))
    result = ch.simulate(model, until=0.1, step=1e-4, method="rk4")
    assert result.velocity("ball")[-1, 0] == pytest.approx(6e-3, abs=3.1e-4)


def test_a_rough_function_is_asked_at_every_stage_and_that_is_told():
    noise = np.random.default_rng(1).normal(size=4096)
    motor = ch.Motor("shaker", HINGE, effort=lambda t: float(noise[int(t * 1e6) % 4096]))
    signals = SignalList()
    signals.add(motor.sample, 3)
    times = np.arange(0, 50) * 1e-3
    assert_array_equal(signals.sample(times)[:, 3], motor.sample(times)[:, 2])
    (note,) = signals.notes()
    assert "'shaker'" in note and "Signal.table" in note


# --- speed ---


def seconds(model):
    """Processor time of a run of 500 steps, the best of five."""
    best = math.inf
    for _ in range(5):
        began = time.process_time()
        ch.simulate(model, until=0.5, step=1e-3)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("motion", [lambda t: np.sin(3 * t), lambda t: math.sin(3 * t)])
def test_a_function_as_a_motion_takes_at_most_three_times_as_long_as_its_table(motion):
    times = np.linspace(0, 0.5, 51)
    table = ch.Signal.table(times, [motion(t) for t in times])
    assert seconds(driven(motion)) < 3.0 * seconds(driven(table))


def test_the_components_of_a_load_ask_its_function_once():
    times = []

    def sampler(t):
        times.extend(t)
        return np.outer(t, np.arange(6.0))

    fitted = fitted_sampler(sampler, 0, 6)
    for t in (0.25, 0.5, 0.5):
        found = [float(asked.function(t)[0]) for asked in fitted.asked]
        assert found == [k * t for k in range(6)]
    assert times == [0.25, 0.5]
