"""Functions of time, with their first and second derivatives."""

from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np

from chasles.model.checks import (
    Invalid,
    Vector3,
    checked_array,
    checked_callable,
    checked_number,
    checked_times,
    fill,
)
from chasles.model.derivatives import Function, derivatives, evaluated
from chasles.model.errors import ChaslesError, ChaslesWarning, InvalidSignal, short_repr
from chasles.model.expressions import Expression
from chasles.model.keywords import WithConstructors, checked_keywords, documented
from chasles.model.waves import Derivative, Linear, Polynomial, Ramp, Sine, Table, Wave
from chasles.model.words import ArrayLike, Floats

ASKED = {"times": "Times, (T,), s.", "owner": "Name that begins error messages."}


@checked_keywords
@dataclass(frozen=True, init=False)
class Signal(metaclass=WithConstructors):
    """A function of time with its rate and its second derivative.

    Parameters
    ----------
    function
        of time in s, for one time or for an array of times.
    rate
        Its derivative; if left out it is found numerically.
    second
        Its second derivative; if left out it is found numerically.

    Notes
    -----
    A derivative that is left out is that of a local polynomial of degree 12, whose width fits
    itself to the function: good to about 1e-8 of the largest rate or second derivative where the
    function is smooth, worse next to a kink.  For it the function is asked at about 14 times per
    time if it is slow, up to 260 if it is fast, within 1 s around it and never before t = 0.

    In a run the function is not called at every stage: it is replaced by polynomials that are
    checked against it to round-off, a second at a time, and asked itself only where it has a kink,
    a jump or a pulse.  A function under `numba.njit` is compiled, and so are its exact derivatives.

    Examples
    --------
    >>> Signal(lambda t: t**3).sample([2.0]).round(7)
    array([[ 8., 12., 12.]])
    """

    function: Function
    rate: Function | None = None
    second: Function | None = None

    _otherwise = "  Any function of t is a signal, too: Signal(lambda t: 5.0 if t < 0.1 else 0.0)."

    def __init__(
        self, function: Function, rate: Function | None = None, second: Function | None = None
    ) -> None:
        given = {"function": function, "rate": rate, "second": second}
        for what, value in given.items():
            if what == "function" or value is not None:
                checked_callable(value, what, f"{what}(t)", "signal", InvalidSignal)
        fill(self, **given)

    @property
    def steady(self) -> float | None:
        """Its value, if it is a constant by definition."""
        wave = self.function
        return wave.offset if isinstance(wave, Linear) and wave.slope == 0.0 else None

    def __repr__(self) -> str:
        """As it would be made anew; long tables by their ends."""
        wave = self.function
        if not isinstance(wave, Wave):
            others = [name for name in ("rate", "second") if getattr(self, name) is not None]
            return f"Signal({', '.join([getattr(wave, '__name__', repr(wave)), *others])})"
        if self.steady is not None:
            return f"Signal.constant({self.steady})"
        if isinstance(wave, Table):
            ends = f"from {wave.times[0]:g} to {wave.times[-1]:g} s"
            return f"Signal.table({len(wave.times)} values {ends})"
        return f"Signal.{wave.kind}({wave._arguments()})"

    @classmethod
    def of(cls, wave: Wave) -> "Signal":
        """The signal of a wave, whose derivatives are waves too."""
        if not isinstance(wave, Wave):
            raise InvalidSignal(
                f"signal: it must be one of a wave, got {short_repr(wave)}.",
                "Give Signal.sine(...), Signal.table(...) or another of its constructors.",
            )
        return cls(wave, Derivative(wave, 1), Derivative(wave, 2))

    @classmethod
    @checked_keywords
    def constant(cls, value: float) -> "Signal":
        """The same value at all times.

        Parameters
        ----------
        value
            The value, in the unit of the signal.

        Examples
        --------
        >>> Signal.constant(3.0).sample([0.0, 1.0]).tolist()
        [[3.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
        """
        return cls.linear(0.0, checked_number(value, "value", "signal", InvalidSignal))

    @classmethod
    @checked_keywords
    def linear(cls, slope: float, offset: float = 0.0) -> "Signal":
        """offset + slope t: a constant speed.

        Parameters
        ----------
        slope
            Rate, in the unit of the signal per s.
        offset
            Value at t = 0, in the unit of the signal.

        Examples
        --------
        >>> Signal.linear(2.0).sample([3.0]).tolist()
        [[6.0, 2.0, 0.0]]
        """
        return cls.of(Linear(slope, offset))

    @classmethod
    @checked_keywords
    def ramp(cls, height: float, duration: float, start: float = 0.0) -> "Signal":
        """A smooth step from 0 to `height`.

        Rate and second derivative are zero before and after. The polynomial between has degree 5.

        Parameters
        ----------
        height
            Final value, in the unit of the signal.
        duration
            Duration of the step, s.
        start
            Time at which it begins, s.

        Examples
        --------
        >>> Signal.ramp(1.0, duration=2.0).sample([0.0, 1.0, 2.0])[:, 0].tolist()
        [0.0, 0.5, 1.0]
        """
        return cls.of(Ramp(height, duration, start))

    @classmethod
    @checked_keywords
    def sine(
        cls, amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0
    ) -> "Signal":
        """offset + amplitude sin(2 pi frequency t + phase).

        Parameters
        ----------
        amplitude
            Amplitude, in the unit of the signal.
        frequency
            Frequency, Hz.
        phase
            Phase, rad.
        offset
            Mean value, in the unit of the signal.

        Examples
        --------
        >>> Signal.sine(0.1, frequency=0.25).sample([1.0])[:, 0].tolist()
        [0.1]
        """
        return cls.of(Sine(amplitude, frequency, phase, offset))

    @classmethod
    @checked_keywords
    def table(cls, t: ArrayLike, values: ArrayLike) -> "Signal":
        """A quintic spline through a table of values.

        Six points or fewer give the single polynomial through them. Times outside the table are
        refused. The curve is smooth: at a jump of the values it oscillates, and a warning reports
        this.

        Parameters
        ----------
        t
            Increasing times, (N,), s.
        values
            Values at these times, (N,), in the unit of the signal.

        Examples
        --------
        >>> Signal.table([0, 1, 2, 3], [0, 1, 4, 9]).sample([1.5]).round(12).tolist()
        [[2.25, 3.0, 2.0]]
        """
        times = checked_array(t, "t", "signal", InvalidSignal)
        heights = checked_array(values, "values", "signal", InvalidSignal)
        check_table(times, heights)
        table = Table(tuple(times.tolist()), tuple(heights.tolist()))
        warn_of_swing(table)
        return cls.of(table)

    @classmethod
    @checked_keywords
    def expression(cls, text: str) -> "Signal":
        """A formula of t, with exact derivatives. Models with it can be written to files.

        Parameters
        ----------
        text
            The formula: numbers, t (s), pi, + - * / ^, sin, cos, exp, sqrt, tanh and more.

        Examples
        --------
        >>> Signal.expression("t^2 / 2").sample([3.0]).tolist()
        [[4.5, 3.0, 1.0]]
        """
        return cls.of(Expression(text))

    @documented("(T,), in the unit of the signal", **ASKED)
    def values(self, times: ArrayLike, owner: str = "signal") -> Floats:
        """Values at several times. The function need not be smooth."""
        t = checked_times(times, owner, InvalidSignal)
        return evaluated(self.function, t, "function", owner)

    def sources(self, orders: int) -> list[tuple[int, Function, int]]:
        """(order, function, how many): which function gives value, rate and second derivative.

        Each gives its own derivative of the signal and, as far as none is given, the next ones.
        A wave that kernels evaluate gives all; an expression is fitted, each derivative by itself.
        """
        wave = self.function
        if isinstance(wave, Polynomial | Sine) and self == Signal.of(wave):
            return [(0, wave, orders)]
        return self._given(orders)

    def _given(self, orders: int) -> list[tuple[int, Function, int]]:
        """The same of every function that was given, a wave's too."""
        functions = (self.function, self.rate, self.second)[:orders]
        known = [(order, f) for order, f in enumerate(functions) if f is not None]
        ends = [*(order for order, _ in known[1:]), orders]
        return [(order, f, end - order) for (order, f), end in zip(known, ends, strict=True)]

    @documented("(T, 3), in the unit of the signal, per s and per s²", **ASKED)
    def sample(self, times: ArrayLike, owner: str = "signal") -> Floats:
        """Value, rate and second derivative at several times."""
        t = checked_times(times, owner, InvalidSignal)
        columns: list[Floats] = []
        for order, function, count in self._given(3):
            what = ("function", "rate", "second")[order]
            columns.append(evaluated(function, t, what, owner))
            if count > 1:
                columns += [*derivatives(function, t, what, owner)[: count - 1]]
        return np.column_stack(columns)


#: What a kernel evaluates for a driver or a force: (first column, signal, how many of value, rate
#: and second derivative, how messages begin).
Part = tuple[int, Signal, int, str]


def check_table(times: Floats, values: Floats) -> None:
    """Two or more points at times that increase."""
    if times.ndim != 1 or times.shape != values.shape or times.size < 2:
        raise InvalidSignal(
            f"signal: t has shape {times.shape} and values has shape {values.shape}.",
            "Give two lists of the same length, with two points or more.",
        )
    step = np.diff(times)
    if (step <= 0.0).any():
        index = int(np.argmax(step <= 0.0))
        raise InvalidSignal(
            f"signal: t[{index + 1}] = {times[index + 1]:g} s does not come after"
            f" t[{index}] = {times[index]:g} s.",
            "Give the times in increasing order, each one once.",
        )


def warn_of_swing(table: Table) -> None:
    """Say where the values of a table jump, so that the curve through them swings."""
    found = table.swing()
    if found is not None:
        (at, reached), (t, values) = found, (table.times, table.values)
        warn(
            f"signal: between t = {t[at]:g} s and {t[at + 1]:g} s the curve through the table"
            f" swings to {reached:.3g}, where its values go from {values[at]:g} to"
            f" {values[at + 1]:g}: it is smooth, and they jump near there. Give a function of t"
            " instead (lambda t: 0.0 if t < 1 else 5.0), straight lines (lambda t:"
            " np.interp(t, times, values)), a Signal.ramp, or more points at the jump.",
            ChaslesWarning,
            stacklevel=4,
        )


FORMS = "a number, a Signal or a function of t"


def checked_signal(
    value: Any, what: str, where: str, invalid: Invalid, forms: str = FORMS
) -> Signal:
    """A signal, from one, from a function of time, or from a number; `forms`: all that is taken."""
    if isinstance(value, Signal) or callable(value):
        signal = value if isinstance(value, Signal) else Signal(value)
        signal.values([0.0], owner=f"{where}, {what}")  # what fails at once is said at once
        return signal
    try:
        return Signal.constant(checked_number(value, what, where, invalid, forms))
    except ChaslesError as error:
        raise invalid(
            error.what,
            f"Give {forms}. Times and values are Signal.table(t, values), and a text is"
            " Signal.expression(text).",
        ) from None


@dataclass(frozen=True)
class Components:
    """Three signals: what a load can be made of beside numbers and a function of one's own.

    >>> zero = Signal.constant(0.0)
    >>> Components((zero, Signal.linear(2.0), zero))(3.0)
    (0.0, 6.0, 0.0)
    """

    signals: tuple[Signal, Signal, Signal]

    def __call__(self, t: float) -> Vector3:
        x, y, z = self.sample(np.array([t]), "a vector of signals")[0].tolist()
        return (x, y, z)

    def sample(self, times: Floats, owner: str) -> Floats:
        """(T, 3)"""
        return np.column_stack([signal.values(times, owner) for signal in self.signals])


def is_components(value: Any) -> bool:
    """Whether it is a list of three with a signal among them."""
    listed = isinstance(value, tuple | list) and len(value) == 3
    return listed and any(isinstance(entry, Signal) for entry in value)


def components_of(value: Any, what: str, where: str, invalid: Invalid) -> Components:
    """Three signals, from signals and numbers."""
    x, y, z = (
        checked_signal(entry, f"{what}[{index}]", where, invalid)
        for index, entry in enumerate(value)
    )
    return Components((x, y, z))
