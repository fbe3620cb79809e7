r"""Events: times at which a function of the state passes through zero.

A step is looked at at its ends and between them; where the function changes sign, the state there
is found again by real steps of length $\theta h$ from the beginning of the step, so that an event
is as accurate as the run and joints hold at it.  That function of $\theta$ is continuous, with the
states of the run at its ends: a sign that changes once is one event, told once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from chasles.core.arrays import Floats
from chasles.model import ChaslesError, InvalidOption
from chasles.model.checks import answer_of, check_flag, is_scalar
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.run.control import Moment
from chasles.run.stepper import Stepper

#: Fractions of a step at which functions are looked at.
INNER = np.arange(1, 8) / 8.0
#: Seconds to which events are located.
LOCATED = 1e-13


class EventFailed(ChaslesError):
    """An event's function raised an exception, or did not return a number."""


@checked_keywords
@dataclass(frozen=True)
class Event:
    """A function of time and state whose zeros are located in a run.

    Parameters
    ----------
    function
        (t, state) -> float, with t in s and state a `Moment`. The event is at its zeros.
    direction
        1: only zeros where it rises. -1: only where it falls. 0: both.
    terminal
        Whether the run ends at the first event.
    name
        Key of the event times, s, in result.events. Default: the name of the function.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> height = lambda t, now: now.position("ball")[2] + 1.0
    >>> drop = ch.Event(height, terminal=True, name="1 m down")
    >>> run = ch.simulate(model, until=1.0, step=1e-2, events=[drop])
    >>> run.events["1 m down"].round(6).tolist()                      # sqrt(2 / g)
    [0.451524]
    """

    function: Callable[[float, Moment], float]
    direction: int = 0
    terminal: bool = False
    name: str = ""

    changes: ClassVar[bool] = False  # whether the run goes on otherwise from there: an impact

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidOption(
                f"event {short_repr(self.name)}: the name must be a string.", "Give a string."
            )
        name = self.name or str(getattr(self.function, "__name__", "event"))
        object.__setattr__(self, "name", name)
        where = f"event {short_repr(name)}"
        if not callable(self.function):
            raise InvalidOption(
                f"{where}: must be a function of (t, state), got {short_repr(self.function)}.",
                "Give a function that returns a number, which is zero at the event.",
            )
        whole = isinstance(self.direction, int | float | np.number)
        if not whole or isinstance(self.direction, bool) or self.direction not in (-1, 0, 1):
            raise InvalidOption(
                f"{where}: direction must be -1, 0 or 1, got {short_repr(self.direction)}.",
                "Give 1 for rising zeros, -1 for falling ones, 0 for both.",
            )
        check_flag(self.terminal, "terminal", where, InvalidOption)

    @classmethod
    def of(cls, given: Any) -> "Event":
        """An Event, or a function with SciPy's attributes `direction` and `terminal`."""
        if isinstance(given, Event):
            return given
        direction, terminal = getattr(given, "direction", 0), getattr(given, "terminal", False)
        sign = direction
        if isinstance(direction, int | float) and not isinstance(direction, bool):
            sign = int(np.sign(direction))
        return cls(given, sign, terminal)


def checked_events(events: Any, others: tuple[type, ...] = ()) -> tuple[Any, ...]:
    """The events of a run, each under a name of its own; `others` pass as they are."""
    if isinstance(events, (Event, *others)) or callable(events):
        events = (events,)
    if not isinstance(events, Iterable) or isinstance(events, str | bytes) or is_scalar(events):
        raise InvalidOption(
            "simulate: events must be a list of functions of (t, state), got"
            f" {short_repr(events)}.",
            "Give a list of functions, or of Events.",
        )
    found: tuple[Any, ...] = tuple(
        given if isinstance(given, others) else Event.of(given) for given in events
    )
    names = [event.name for event in found]
    for name in names:
        if names.count(name) > 1:
            raise InvalidOption(
                f"simulate: {names.count(name)} events have the name {short_repr(name)}.",
                "Give each a name of its own: Event(function, name=...).",
            )
    return found


class Watcher:
    """Looks for the events of a run, step by step."""

    thetas = INNER

    def __init__(self, events: tuple[Event, ...], stepper: Stepper) -> None:
        self.events, self.stepper = events, stepper
        self.found: dict[str, list[float]] = {event.name: [] for event in events}
        self.last: list[float] = []  # values at the beginning of the next step

    def views(self, times: Floats, points: Floats) -> list[Moment]:
        """Views of several points (k, ...), whose bodies are placed at once."""
        absolute = self.stepper.absolute(points[:, : self.stepper.layout.integrals])
        found = []
        for t, point, bodies in zip(times.tolist(), points, absolute):
            view = Moment(self.stepper, point, t)
            view.__dict__["absolute"] = bodies  # what it would compute when asked
            found.append(view)
        return found

    def value(self, event: Event, view: Moment) -> float:
        """The value of an event's function, which must be a number."""
        remedy = "Give function(t, state) that returns a number; the result up to then is kept."
        what, given = f"event '{event.name}'", (view.t, view)
        value = answer_of(event.function, given, what, remedy, EventFailed, t=view.t)
        what, more, remedy = "", "", "Return one number, which is zero at the event."
        if isinstance(value, np.ndarray) and value.shape != ():
            what = f"an array of shape {value.shape}"
        elif isinstance(value, bool | np.bool_):
            what, more = str(value), ", which has no sign"
            remedy = "Return a number that passes through zero at the event: x - 1, not x > 1."
        else:
            try:
                number = float(value)
                if np.isfinite(number):
                    return number
                what, remedy = str(number), "Return a finite number wherever the run may come."
            except (TypeError, ValueError):
                what = short_repr(value)
        raise EventFailed(
            f"event '{event.name}' returned {what} at t = {view.t:.6g} s{more}.", remedy
        )

    def renew(self, point: Floats, t: float) -> None:
        """The next step begins at this point."""
        view = Moment(self.stepper, point, t)
        self.last = [self.value(event, view) for event in self.events]

    def search(
        self, begin: float, end: float, inner: Floats, after: Floats, at: Callable[[float], Floats]
    ) -> tuple[float, Event] | None:
        """Note the events of a step; the first that ends it, with its time, or None.

        `inner` are the points at `thetas`, `after` that at the end, and at(t) that of a real step.
        """
        times = np.concatenate(([begin], begin + (end - begin) * self.thetas, [end]))
        width = inner.shape[1]
        views = self.views(times[1:], np.concatenate([inner, after[None, :width]]))
        happened: list[tuple[float, Event]] = []
        for k, event in enumerate(self.events):
            values = [self.last[k], *(self.value(event, view) for view in views)]
            ended = values[-1]
            self.last[k] = ended
            if not crossings(values, event.direction):
                continue
            exact = [self.value_at(event, t, at) for t in times[1:-1].tolist()]
            happened += [
                (self.located(event, times[i], times[i + 1], at), event)
                for i in crossings([values[0], *exact, ended], event.direction)
            ]
        happened.sort(key=lambda item: item[0])
        for k, (t, event) in enumerate(happened):
            self.note(t, event)
            if event.terminal or event.changes:
                for other, beside in happened[k + 1 :]:
                    if is_same(t, other) and not beside.changes:  # impacts are met one by one
                        self.note(t, beside)
                return t, event
        return None

    def note(self, t: float, event: Event) -> None:
        """Keep the time of an event, unless it was noted when an impact happened at that time."""
        times = self.found[event.name]
        if event.changes or not times or not is_same(times[-1], t):
            times.append(t)

    def value_at(self, event: Event, t: float, at: Callable[[float], Floats]) -> float:
        """The value at a time within a step, which a real step leads to."""
        return self.value(event, Moment(self.stepper, at(t), t))

    def located(
        self, event: Event, begin: float, end: float, at: Callable[[float], Floats]
    ) -> float:
        """The time of the zero between two at which the signs differ."""
        from scipy.optimize import brentq  # late: it takes longer to import than most runs

        def function(t: float) -> float:
            return self.value_at(event, t, at)

        last = function(end)
        if last == 0.0:
            return float(end)
        if function(begin) * last > 0.0:  # at once after an impact: rounding is on either side
            return float(begin)
        return float(brentq(function, begin, end, xtol=LOCATED, rtol=4.0 * np.finfo(float).eps))


def is_same(one: float, other: float) -> bool:
    """Whether two times cannot be told from each other."""
    return abs(other - one) <= 2.0 * LOCATED + 16.0 * float(np.finfo(float).eps) * abs(one)


def crossings(values: list[float], direction: int) -> list[int]:
    """Where values pass through zero, or reach it, in a direction; not where they leave it."""
    found = []
    for k, (before, after) in enumerate(pairwise(values)):
        rises, falls = before < 0.0 <= after, before > 0.0 >= after
        if (rises and direction >= 0) or (falls and direction <= 0):
            found.append(k)
    return found
