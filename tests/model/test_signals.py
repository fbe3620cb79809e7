"""Functions of time and their derivatives, against closed forms."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from chasles.model import InvalidSignal, Signal

T = np.linspace(0.0, 3.0, 301)


@pytest.mark.parametrize("pulse", [0.01, 0.3, 1.0, 10.0, 100.0, 1e3, 1e4])
@pytest.mark.parametrize("phase", [0.0, 0.4, np.pi / 2])
def test_missing_derivatives_are_found_to_1e_8(pulse, phase):
    value, rate, second = Signal(lambda t: np.sin(pulse * t + phase)).sample(T).T
    assert_allclose(value, np.sin(pulse * T + phase), rtol=0, atol=0)
    assert_allclose(rate / pulse, np.cos(pulse * T + phase), rtol=0, atol=1e-8)
    assert_allclose(second / pulse**2, -np.sin(pulse * T + phase), rtol=0, atol=1e-8)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=6))
def test_polynomials_are_differentiated_to_1e_8(coefficients):
    curve = np.polynomial.Polynomial(coefficients)
    scale = 1.0 + np.abs(curve(T)).max()
    _, rate, second = Signal(curve).sample(T).T
    assert_allclose(rate, curve.deriv(1)(T), rtol=0, atol=1e-8 * scale)
    assert_allclose(second, curve.deriv(2)(T), rtol=0, atol=1e-8 * scale)


def test_a_rate_that_is_given_is_used():
    signal = Signal(lambda t: 0.0 * t, rate=np.cos)
    assert_allclose(signal.sample(T)[:, 2], -np.sin(T), atol=1e-10)
    signal = Signal(np.sin, rate=np.cos, second=lambda t: -np.sin(t))
    assert_allclose(signal.sample(T), np.column_stack((np.sin(T), np.cos(T), -np.sin(T))), rtol=0)
    signal = Signal(np.sin, second=lambda t: 7.0)
    assert_allclose(signal.sample(T)[:, 1:], np.column_stack((np.cos(T), 7 + 0 * T)), atol=1e-10)


@pytest.mark.parametrize(
    "function",
    [
        lambda t: math.sin(t),
        lambda t: np.sin(t),
        lambda t: [math.sin(time) for time in np.ravel(t)],
        lambda t: np.array(math.sin(t)),
        lambda t: math.sin(t) if t >= 0 else 1 / 0,
    ],
)
def test_a_function_takes_one_time_or_many(function):
    for times in (T, T[:1], 0.5):
        found = Signal(function).sample(times)
        exact = np.column_stack((np.sin(times), np.cos(times), -np.sin(times)))
        assert found.shape == (np.size(times), 3)
        assert_allclose(found, exact, atol=1e-9)


def test_no_times_give_no_values():
    assert Signal(np.sin).sample([]).shape == (0, 3)


def test_a_whole_number_is_a_number():
    assert Signal(lambda t: 3).sample([1.0, 2.0]).tolist() == [[3, 0, 0], [3, 0, 0]]


def test_a_function_need_not_exist_outside_the_run():
    def within(t):
        if not 0.0 <= t <= 3.0:
            raise ValueError("outside")
        return math.exp(t)

    found = Signal(within).sample(T)
    assert_allclose(found, np.exp(T)[:, None] * np.ones(3), rtol=1e-8)
    found = Signal(lambda t: np.where(t <= 3.0, np.exp(t), np.nan)).sample(T)
    assert_allclose(found, np.exp(T)[:, None] * np.ones(3), rtol=1e-8)


def test_a_function_cannot_change_the_times():
    def doubled(t):
        t *= 2.0
        return t

    assert_allclose(Signal(doubled).sample(T)[:, :2], np.column_stack((2 * T, 2 + 0 * T)))


NAMED = {
    "constant": (Signal.constant(-2.5), lambda t: -2.5 + 0 * t),
    "linear": (Signal.linear(2.0, offset=1.0), lambda t: 1 + 2 * t),
    "sine": (
        Signal.sine(0.3, 2.0, phase=0.1, offset=1.0),
        lambda t: 1 + 0.3 * np.sin(4 * np.pi * t + 0.1),
    ),
    "table": (Signal.table(T, np.sin(T)), np.sin),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_named_signal_agrees_with_its_formula(name):
    signal, formula = NAMED[name]
    assert_allclose(signal.sample(T), Signal(formula).sample(T), rtol=0, atol=2e-8)
    assert pickle.loads(pickle.dumps(signal)) == signal


def test_a_ramp_starts_and_ends_without_a_jerk():
    ramp = Signal.ramp(2.0, duration=0.5, start=1.0)
    before, middle, after = ramp.sample([0.5, 1.25, 2.0]).tolist()
    assert before == [0, 0, 0] and after == [2, 0, 0] and middle[0] == 1.0 and middle[2] == 0.0
    edges = ramp.sample([1.0, 1.5])
    assert_allclose(edges[:, 1:], 0.0, atol=1e-12)
    inside = np.linspace(1.1, 1.4, 7)
    by_differences = Signal(ramp.function).sample(inside)
    assert_allclose(ramp.sample(inside), by_differences, rtol=0, atol=1e-7)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 30])
def test_a_table_goes_through_its_points(count):
    times = np.linspace(-1.0, 2.0, count)
    degree = min(5, count - 1)
    signal = Signal.table(times, times**degree)
    found = signal.sample(T[T <= 2.0])
    t = T[T <= 2.0]
    assert_allclose(found[:, 0], t**degree, atol=1e-10)
    assert_allclose(found[:, 1], degree * t ** (degree - 1), atol=1e-8)
    if degree > 1:
        assert_allclose(found[:, 2], degree * (degree - 1) * t ** (degree - 2), atol=1e-7)
    else:
        assert_allclose(found[:, 2], 0.0)


def test_equal_signals_are_equal():
    assert Signal.sine(1, 2) == Signal.sine(1, 2) != Signal.sine(1, 3)
    assert Signal.table([0, 1], [0, 1]) == Signal.table([0, 1], [0, 1])
    assert Signal(math.sin) == Signal(math.sin) != Signal(math.cos)
    assert hash(Signal.ramp(1, 1)) == hash(Signal.ramp(1, 1))


@pytest.mark.parametrize(
    "function, said",
    [
        (lambda t: float("nan"), ["nan", "t = 0 s"]),
        (lambda t: np.where(t > 1.5, np.inf, t), ["inf", "t = 2 s"]),
        (lambda t: (t, t, t), ["not a number"]),
        (lambda t: (1.0, 2.0), ["[1.0, 2.0]"]),
        (lambda t: "up", ["'up'"]),
        (lambda t: None, ["None"]),
        (lambda t: 1j * t, ["j"]),
        (lambda t: t > 1, ["False"]),
        (lambda: 1.0, ["TypeError"]),
        (lambda t: {}["a key"], ["KeyError", "a key"]),
    ],
)
def test_a_function_that_fails_is_named_with_its_owner(function, said, refusal):
    for signal, what in (
        (Signal(function), "function(t)"),
        (Signal(np.sin, rate=function), "rate(t)"),
        (Signal(np.sin, np.cos, second=function), "second(t)"),
    ):
        message = refusal(
            lambda signal=signal: signal.sample([0.0, 2.0], owner="driver 'crank'"), InvalidSignal
        )
        for part in ["driver 'crank'", what, *said]:
            assert part in message


def test_a_function_that_exists_at_one_time_only_has_no_derivative(refusal):
    signal = Signal(lambda t: 1.0 if t == 2.0 else math.nan)
    message = refusal(lambda: signal.sample([2.0], owner="motor"), InvalidSignal)
    assert "motor" in message and "t = 2 s" in message and "rate" in message


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Signal(3.0), ["function must be a function, got 3.0"]),
        (lambda: Signal(None), ["function must be a function, got None"]),
        (lambda: Signal(math.sin, rate=1), ["rate must be a function, got 1"]),
        (lambda: Signal.constant("one"), ["value must be a number, got 'one'"]),
        (lambda: Signal.linear(float("nan")), ["slope must be finite, got nan"]),
        (lambda: Signal.ramp(1, 0), ["duration must be positive, got 0 s"]),
        (lambda: Signal.ramp(float("inf"), 1), ["height must be finite, got inf"]),
        (lambda: Signal.sine(1, None), ["frequency must be a number, got None"]),
        (lambda: Signal.table([0, 1, 1], [0, 1, 2]), ["t[2] = 1 s", "t[1] = 1 s"]),
        (lambda: Signal.table([0, 1], [0, 1, 2]), ["(2,)", "(3,)"]),
        (lambda: Signal.table([0], [0]), ["(1,)"]),
        (lambda: Signal.table(0, 1), ["()"]),
        (lambda: Signal.table([0, 1], [0, float("nan")]), ["values", "nan"]),
        (lambda: Signal.table("t", [0]), ["'t'"]),
        (lambda: Signal.table([0, 1, 2], [0, 1, 2]).sample([2.5]), ["2 s", "2.5 s"]),
        (lambda: Signal.table([1, 2], [0, 1]).sample([0.0]), ["1 s", "0 s"]),
        (lambda: Signal(math.sin).sample([0.0, float("nan")]), ["times", "nan"]),
        (lambda: Signal(math.sin).sample("now"), ["times", "'now'"]),
        (lambda: Signal(math.sin).sample(np.zeros((2, 2))), ["times", "(2, 2)"]),
    ],
)
def test_slips_are_named(make, said, refusal):
    message = refusal(make, InvalidSignal)
    for part in ["signal", *said]:
        assert part in message


@pytest.mark.parametrize(
    "signal, text",
    [
        (Signal.constant(3.0), "Signal.constant(3.0)"),
        (Signal.linear(2.0), "Signal.linear(slope=2.0)"),
        (
            Signal.sine(1.0, 2.0, offset=0.5),
            "Signal.sine(amplitude=1.0, frequency=2.0, offset=0.5)",
        ),
        (Signal.ramp(1.0, duration=2.0), "Signal.ramp(height=1.0, duration=2.0)"),
        (Signal.expression("sin(4*t)"), "Signal.expression(text='sin(4*t)')"),
        (Signal.table([0, 1, 2], [0, 1, 0]), "Signal.table(3 values from 0 to 2 s)"),
        (Signal(math.sin, math.cos), "Signal(sin, rate)"),
    ],
)
def test_a_signal_shows_how_it_was_made(signal, text):
    assert repr(signal) == text
