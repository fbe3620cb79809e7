"""Expressions of time: against Python's own arithmetic, and mpmath's derivatives."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chasles.model import ChaslesError, InvalidSignal, Signal
from chasles.model.expressions import FUNCTIONS, Expression

PYTHON = {name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)} | {"abs": abs}
MPMATH = {name: getattr(mpmath, name) for name in FUNCTIONS if hasattr(mpmath, name)} | {"abs": abs}

leaf = st.sampled_from(["t", "pi", "2", "0.5", "3.25e0", ".75", "1e-1"])
grown = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", "-", "*", " / "]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-{text}"),
        st.tuples(inner, st.sampled_from(["2", "3", "-1", "0.5", "1", "0"])).map(
            lambda pair: f"({pair[0]})^{pair[1]}"
        ),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), inner).map(
            lambda pair: f"{pair[0]}({pair[1]})"
        ),
    ),
    max_leaves=12,
)


@given(text=grown, t=st.floats(0.1, 2.0))
def test_a_value_is_that_of_python(text, t):
    try:
        expected = eval(text.replace("^", "**"), {"t": t, "pi": math.pi, **PYTHON})
    except (ValueError, OverflowError, ZeroDivisionError):
        return
    if isinstance(expected, complex) or not abs(expected) < 1e12:
        return
    found = float(Expression(text)(np.array([t]))[0])
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


SMOOTH = [
    "sin(3*t)", "cos(t)^2", "tan(t/2)", "asin(t/3)", "acos(t/4)", "atan(2*t)", "sinh(t)", "cosh(t)",
    "tanh(3*t)", "exp(-t^2)", "log(1+t)", "sqrt(t+1)", "abs(t+1)", "t^3", "t^-2", "t^2.5", "t^t",
    "2^t", "t/(1+t^2)", "1/t", "(t+1)*(t-3)", "3 - -t", "5", "sin(cos(exp(t/3)))", "t^1", "t^0",
]  # fmt: skip


@pytest.mark.parametrize("text", SMOOTH)
def test_derivatives_are_those_of_mpmath(text):
    times = np.array([0.3, 0.9, 1.7])
    found = Signal.expression(text).sample(times)
    source = text.replace("^", "**")
    with mpmath.workdps(40):

        def function(t):
            return eval(source, {"t": t, "pi": mpmath.pi, **MPMATH})

        for t, row in zip(times, found):
            for order in range(3):
                expected = mpmath.diff(function, mpmath.mpf(float(t)), order)
                assert row[order] == pytest.approx(float(expected), rel=2e-13, abs=1e-14)


@pytest.mark.parametrize(
    "text, value",
    [("2^3^2", 512.0), ("-2^2", -4.0), ("2^-1", 0.5), ("8/4/2", 1.0), ("1-2-3", -4.0), ("2**3", 8)],
)
def test_signs_and_powers_bind_as_in_mathematics(text, value):
    assert Expression(text)(np.zeros(1)) == value


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "it ends"),
        ("2 +", "it ends"),
        ("x + 1", "'x' at character 1"),
        ("sin t", "a parenthesis after sin"),
        ("(1 + t", "a closing parenthesis"),
        ("t t", "'t' at character 3"),
        ("2 + **t", "'**' at character 5"),
        ("2 $ t", "character 2"),
        ("__import__('os')", "character"),
        ("t.real", "character 2"),
        ("2 + 1e400", "a number that is finite"),
        ("t" * 3000, "3000 characters"),
        ("(" * 60 + "t" + ")" * 60, "more than 50 deep"),
        ("-" * 60 + "t", "more than 50 deep"),
        ("2^" * 60 + "t", "more than 50 deep"),
        (3, "must be a text"),
    ],
)
def test_what_cannot_be_read_is_told(text, said, refusal):
    message = refusal(lambda: Expression(text), InvalidSignal)
    assert said in message


@pytest.mark.parametrize("text", ["1/0", "log(0*t)", "9^9^9^9", "sqrt(-1)", "1e308*10"])
def test_what_is_not_finite_is_refused_when_it_is_asked(text, refusal):
    assert "at t = 0 s" in refusal(lambda: Signal.expression(text).values([0.0]), InvalidSignal)


@given(st.text(alphabet="t0123456789.eE+-*/^() sincoexpqrtabhlgk_", max_size=40))
def test_every_text_is_read_or_refused(text):
    try:
        Signal.expression(text).values([0.0, 1.0])
    except ChaslesError as error:
        assert error.what and error.remedy
