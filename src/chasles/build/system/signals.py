"""Functions of time of a model, gathered into the arrays that kernels evaluate."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from chasles.build.system.user_code import Callback
from chasles.core.arrays import Floats, Integers, Signals
from chasles.core.signals import BY_ADDRESS, PIECES, SINUSOID, sample_signals
from chasles.model import ChaslesError, InvalidSignal
from chasles.model.derivatives import derivatives, one_value, wherever_possible
from chasles.model.panels import Panels
from chasles.model.waves import SLACK, Pieces, Polynomial, Sine

Check = Callable[[Floats, Floats], None]
Sampler = Callable[[Floats], Floats]
#: Of a function's largest value: a fit that is off by more missed something.
MISFIT = 1e-9
#: Times at which fits are compared with functions at once.
AT_ONCE = 2**17
#: The part of a run without a fit from which a note says that the function itself is called.
TOLD = 0.01
#: Fits that several problems share, by function and by whether derivatives are wanted.
SHARED: ContextVar[dict[tuple[int, bool], Panels] | None] = ContextVar("SHARED", default=None)


@contextmanager
def shared_fits() -> Iterator[None]:
    """Within, each function of time is fitted once, however many problems are made with it.

    Only for variants of one model that are made at once: later a function may answer otherwise.
    """
    token = SHARED.set({}) if SHARED.get() is None else None
    try:
        yield
    finally:
        if token is not None:
            SHARED.reset(token)


@dataclass
class Entry:
    """One signal in the arrays: its kind, its numbers, and where its answers go."""

    kind: int
    column: int
    orders: int
    numbers: Floats
    pieces: int = 0
    address: int = 0

    @property
    def varies(self) -> bool:
        """Whether it changes, or comes to an end: not of one piece for ever that is constant."""
        return self.kind != PIECES or self.pieces > 1 or np.isfinite(self.numbers[1]) or (
            bool(self.numbers[8:].any())  # coefficients after the first
        )  # fmt: skip

    @classmethod
    def of_pieces(cls, pieces: Pieces, column: int, orders: int, address: int = 0) -> "Entry":
        """The numbers of pieces as `put_pieces` reads them."""
        length = pieces.last - pieces.first
        slack = SLACK * length if np.isfinite(length) and address == 0 else 0.0
        heads = (pieces.starts, pieces.origins, pieces.widths)
        rows = np.column_stack((*heads, pieces.coefficients))
        head = (pieces.first, pieces.last, slack, float(pieces.degree))
        numbers = np.concatenate((head, rows.ravel()))
        return cls(PIECES, column, orders, numbers, len(rows), address)


class Asked(Callback):
    """A user's function where its fit does not hold: asked for its value, and differentiated."""

    def __init__(self, function: Any, column: int, orders: int, owner: str) -> None:
        super().__init__(0, orders, column)
        self.function, self.owner = function, owner

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        value = one_value(self.function, t, "function", self.owner)
        if self.answers == 1:
            return (value,)
        slopes = derivatives(self.function, np.array([t]), "function", self.owner)
        return [value, *slopes[: self.answers - 1, 0].tolist()]


class Fitted:
    """Users' functions as checked pieces, in neighbouring columns (see `model.panels`)."""

    def __init__(self, panels: Panels, asked: list[Asked]) -> None:
        self.panels, self.asked = panels, asked
        self.largest = np.zeros(len(asked))  # values so far

    def entries(self, until: float) -> list[Entry]:
        pieces = self.panels.until(max(until, 0.0))
        return [
            Entry.of_pieces(part, asked.first, asked.answers, asked.address)
            for part, asked in zip(pieces, self.asked, strict=True)
        ]

    def distrusts(self, times: Floats) -> bool:
        """Whether a function is not what its fit says at some times, which are asked for then."""
        fits = np.column_stack([part.sample(times)[:, 0] for part in self.panels.pieces()])
        known = np.isfinite(fits).all(axis=1)
        times, fits = times[known], fits[known]
        values = self.panels.functions(times)
        self.largest = np.maximum(self.largest, np.abs(values).max(axis=0, initial=0.0))
        wrong = ~(np.abs(values - fits) <= MISFIT * self.largest)
        self.panels.distrust(times[wrong.any(axis=1)])
        return bool(wrong.any())

    def asked_part(self) -> float:
        """For which part of the time there is no fit, but for what lies beyond the function."""
        panels = self.panels
        asked = [2.0**-level for level, k in panels.leaves if panels.fits[level, k] is None
                 and (level, k) not in panels.absent]  # fmt: skip
        return sum(asked) / max(panels.end, 1)


def fitted_function(function: Any, column: int, orders: int, owner: str) -> Fitted:
    def values(t: Floats) -> Floats:
        return wherever_possible(function, t)[:, None]

    shared = SHARED.get()
    panels = Panels(values, 1, orders == 1)  # it keeps the function, and so its id
    if shared is not None:
        panels = shared.setdefault((id(function), orders == 1), panels)
    return Fitted(panels, [Asked(function, column, orders, owner)])


def fitted_sampler(sampler: Sampler, column: int, width: int) -> Fitted:
    """The columns of a sampler, whose rates are not needed."""

    def row(time: float) -> Floats:
        try:
            return sampler(np.array([time])).reshape(-1)
        except ChaslesError:
            return np.full(width, np.nan)

    def values(t: Floats) -> Floats:
        try:
            return sampler(t)
        except ChaslesError:  # at one of the times
            return np.array([row(time) for time in t.tolist()]).reshape(-1, width)

    last = [(np.zeros(0), np.zeros((0, width)))]

    def rows_at(t: Floats) -> Floats:
        """Those of the last call, if it was about the same times: components ask in turn."""
        times, rows = last[0]
        if not np.array_equal(times, t):
            last[0] = times, rows = t.copy(), sampler(t)
        return rows

    def component(k: int) -> Any:
        return lambda t: rows_at(np.atleast_1d(t))[:, k]

    asked = [Asked(component(k), column + k, 1, "load") for k in range(width)]
    return Fitted(Panels(values, width, values_only=True), asked)


@dataclass(frozen=True)
class Inputs:
    """What inputs were held over a run: from times[k] on they were values[k], until the next."""

    times: Floats  # (K,) increasing
    values: Floats  # (K, inputs) in the order of `SignalList.inputs`

    def at(self, times: Floats) -> Floats:
        """(T, inputs); where they change, what they change to; before the first, nothing."""
        held = np.searchsorted(self.times, times, side="right") - 1
        return np.where((held < 0)[:, None], 0.0, self.values[np.maximum(held, 0)])


@dataclass
class SignalList:
    """The columns of the row of a stage: the time, then what was added, in that order."""

    samplers: list[Sampler] = field(default_factory=list)
    motions: list[tuple[int, int, Any]] = field(default_factory=list)  # columns, driver
    count: int = 0
    fixed: list[Entry] = field(default_factory=list)
    fitted: list[Fitted] = field(default_factory=list)
    compiled: list[Any] = field(default_factory=list)  # C functions, kept alive
    inputs: dict[str, int] = field(default_factory=dict)  # motor -> the column that holds its input
    given: "Inputs | None" = None  # what was held there over a run
    made: Signals | None = None  # the arrays,
    made_until: float = 0.0  # and how far their fits reach

    def add(self, sampler: Any, width: int, check: Check | None = None) -> int:
        """Add `width` columns, `sampler(times)` (T, width) in Python; the number of the first.

        The sampler of an object that knows its `parts` (drivers, motors) stands for these.
        With a `check` it is a motion that has to be smooth (see `signal_scan`).
        """
        first = self.add_columns(width)
        self.samplers.append(sampler)
        owner: Any = getattr(sampler, "__self__", None)
        if check is not None:
            self.motions.append((first, self.count, owner))
        if not hasattr(owner, "parts"):
            self.fitted.append(fitted_sampler(sampler, first, width))
            return first
        for column, signal, orders, named in owner.parts():
            for order, function, many in signal.sources(orders):
                self.add_function(function, first + column + order, many, named)
        return first

    def add_columns(self, width: int) -> int:
        """The number of the first of some new columns, after the time."""
        self.need_time()
        self.count, self.made = self.count + width, None
        return self.count - width

    def add_function(self, function: Any, column: int, orders: int, owner: str) -> None:
        """A wave as it is, machine code by its address, any other function by a fit."""
        if isinstance(function, Sine):
            constants = (function.amplitude, function.pulse, function.phase, function.offset)
            self.fixed.append(Entry(SINUSOID, column, orders, np.array(constants)))
        elif isinstance(function, Polynomial):
            self.fixed.append(Entry.of_pieces(function.pieces, column, orders))
        elif isinstance(function, Dispatcher) and self.add_compiled(function, column, orders):
            pass
        else:
            self.fitted.append(fitted_function(function, column, orders, owner))

    def add_compiled(self, function: Any, column: int, orders: int) -> bool:
        """A function that Numba has compiled, differentiated by jets; whether that is possible."""
        from chasles.build.system.time_jets import (
            c_function,  # teaches the compiler: only where needed
        )

        code = c_function(function, column, orders)
        if code is None:
            return False
        self.compiled.append(code)
        self.fixed.append(Entry(BY_ADDRESS, column, orders, np.zeros(0), address=code.address))
        return True

    def hold(self, name: str) -> int:
        """Add a column that no function writes: the input of a motor, 0 unless someone sets it."""
        self.inputs[name] = self.add_columns(1)
        return self.inputs[name]

    @property
    def varies(self) -> bool:
        """Whether a column is a function of time; numbers of motors and servos are not."""
        return bool(self.fitted) or any(entry.varies for entry in self.fixed)

    def need_time(self) -> None:
        """The time itself is wanted, by a user's formula."""
        self.count = max(self.count, 1)

    def arrays(self, until: float = 0.0) -> Signals:
        """The arrays of all signals, with fits of users' functions from 0 to `until` at least.

        Later times are right as well, but every one of them asks the function itself.
        """
        if self.made is None or (until >= self.made_until and self.fitted):
            entries = [*self.fixed]
            for fitted in self.fitted:
                entries += fitted.entries(until)
            self.made = make_signals(entries, self.count)
            ends = [float(fitted.panels.end) for fitted in self.fitted]
            self.made_until = min(ends, default=np.inf)
        return self.made

    def sample(self, times: Floats) -> Floats:
        """The table (T, count): what `put_signals` writes at each time."""
        times = np.ascontiguousarray(times, np.float64)
        table = self.rows(times)
        bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
        if bad.size:
            raise self.failure(times[bad[:1]])
        return table

    def rows(self, times: Floats) -> Floats:
        """The table, NaN where a function has no value."""
        table = np.zeros((times.size, max(self.count, 1)))
        signals = self.arrays(float(times.max(initial=0.0)))
        sample_signals(signals, times, np.zeros(table.shape[1]), table)
        if self.given is not None:
            table[:, list(self.inputs.values())] = self.given.at(times)
        return table[:, : self.count]

    def failure(self, time: Floats) -> ChaslesError:
        """Why the functions cannot be evaluated at a time."""
        for fitted in self.fitted:
            for asked in fitted.asked:
                asked.error  # an interruption by the user goes on from here  # noqa: B018
                asked.failure = None
        for sampler in self.samplers:
            try:
                sampler(time)
            except ChaslesError as error:
                return error
        return InvalidSignal(
            f"a function of time is not finite at t = {time[0]:g} s.",
            "Give functions that are finite at all times of the run.",
        )

    def confront(self, times: Floats) -> None:
        """Compare fits with the functions at some times: a fit may miss a pulse within a panel.

        Where they differ, the function itself is called from then on.
        """
        self.arrays(float(times.max(initial=0.0)))
        for fitted in self.fitted:
            if fitted.distrusts(times):
                self.made = None

    def confront_steps(self, step: float, steps: int, origin: float = 0.0) -> None:
        """The same at the ends of all steps: no pulse as long as a step is passed over."""
        strides = 1 + steps // AT_ONCE
        self.confront(origin + step * np.arange(0.0, steps + 1, strides))  # how large they are
        for first in range(0, steps + 1 if strides > 1 else 0, AT_ONCE):
            numbers = np.arange(first, min(first + AT_ONCE, steps + 1), dtype=float)
            self.confront(origin + step * numbers)

    def notes(self) -> list[str]:
        """What the user should know: functions that are asked at every stage, which is slow."""
        return [
            f"{asked.owner}: it is not smooth enough to be fitted for {part:.0%} of the run, where"
            " it is called at every stage. A Signal.table is faster, if the function is"
            " smooth; it is not for pulses and jumps."
            for fitted in self.fitted
            for asked, part in [(fitted.asked[0], fitted.asked_part())]
            if part > TOLD
        ]


def make_signals(entries: list[Entry], width: int) -> Signals:
    """The arrays of some entries."""
    ends = np.cumsum([0, *(entry.numbers.size for entry in entries)])

    def column(values: Any) -> Integers:
        return np.array(list(values), np.int64)

    return Signals(
        kind=column(entry.kind for entry in entries),
        first=column(ends[:-1]),
        pieces=column(entry.pieces for entry in entries),
        column=column(entry.column for entry in entries),
        orders=column(entry.orders for entry in entries),
        address=column(entry.address for entry in entries),
        numbers=np.concatenate((*(entry.numbers for entry in entries), np.zeros(1))),
        count=len(entries),
        width=max(width, 1),
    )
