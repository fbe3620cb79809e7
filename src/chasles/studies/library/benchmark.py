"""A benchmark mechanism: where it comes from, how it is run, and what must come out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chasles.core.arrays import Floats
from chasles.model import Model
from chasles.model.tables import Table
from chasles.result.result import Result
from chasles.run.simulate import simulate

#: A number or several, and their unit.
Quantity = tuple[float | Sequence[float], str]
Named = Sequence[tuple[str, Floats]]

FILM_FRAMES = 150  # saved states of a film: some 2 kB for every body


@dataclass(frozen=True)
class Check:
    """Something measured on a result, and the most that it may be.

    >>> Check("energy error", 0.02, 0.1, "J").passed
    True
    """

    what: str
    value: float
    limit: float
    unit: str

    @property
    def passed(self) -> bool:
        return self.value <= self.limit  # not a number never is

    @property
    def verdict(self) -> str:
        return "passed" if self.passed else "FAILED"

    def __str__(self) -> str:
        value = f"{self.value:.2g} {self.unit}".rstrip()
        return f"{self.what}: {value} of {self.limit:.2g} allowed: {self.verdict}"


@dataclass(frozen=True)
class Drawing:
    """The mechanism at some instants on the left, curves over time on the right.

    instants  s, at which the mechanism is drawn; the last one in full ink
    plane     what is seen: "xy", "xz", "yz", or the view from above a corner: "corner" with z
              up, "corner, y up"
    curves    the curves people publish: (name, values (T,)) of a result
    title     of the curves
    label     of their axis, with the unit
    cropped   left, right, bottom and top of what is shown, m; None shows all of it
    masses    point masses to draw: name of the body -> where it is at the start, m
    traces    paths of points to draw: (name, points in the world (T, 3)) of a result
    """

    instants: Sequence[float]
    curves: Callable[[Result], Named]
    title: str
    label: str
    plane: str = "corner"
    cropped: tuple[float, float, float, float] | None = None
    masses: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    traces: Callable[[Result], Named] = lambda result: ()


@dataclass(frozen=True)
class Benchmark:
    """A benchmark mechanism.

    name        how it is asked for: "A03"
    title       what it is called
    source      who published it: authors, title, year, journal or library
    about       what it tests; where sources disagree, the value chosen and why
    parameters  name -> (value, unit): what a reader compares with another source
    model       makes the Model
    freedom     degrees of freedom; Grübler's count is less where joints are redundant
    until       the length of the run, s
    step        s
    checks      makes a list of Check from a result, which may be shorter than `until`
    drawing     what its picture shows
    options     further options of `simulate`: method, stabilise, singular, ...
    """

    name: str
    title: str
    source: str
    about: str
    parameters: Mapping[str, Quantity]
    model: Callable[[], Model]
    freedom: int
    until: float
    step: float
    checks: Callable[[Result], list[Check]] = field(repr=False)
    drawing: Drawing = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Benchmark('{self.name}', {self.title})"

    def run(self, **overrides: Any) -> Result:
        """Simulate as published; `overrides` are options of `simulate`, such as until or step."""
        options = {"until": self.until, "step": self.step, **self.options, **overrides}
        return simulate(self.model(), **options)

    def check(self, result: Result) -> list[Check]:
        """What must come out, measured on a result."""
        return self.checks(result)

    def picture(self, result: Result, path: str | Path) -> Path:
        """Write a .png or .svg: the mechanism at some instants, and the curve people publish."""
        from chasles.view.plots import save_figure  # late: an import of chasles plots nothing
        from chasles.view.strobe import benchmark_figure

        return save_figure(benchmark_figure(self.name, result, self.drawing), path)

    def film(self, result: Result, path: str | Path) -> Path:
        """Write a film of a run as one .html file of some 100 kB, seen as in the picture."""
        plane = self.drawing.plane
        view: Any = plane if plane in ("xy", "xz", "yz") else "auto"
        path = Path(path)
        result.animate(path, title=self.title, frames=FILM_FRAMES, forces=False, view=view)
        return path


def checks_table(checks: Sequence[Check]) -> str:
    """The checks as lines of text.

    >>> print(checks_table([Check("energy error", 0.02, 0.1, "J")]))
    check         value  limit  unit
    ------------  -----  -----  ----
    energy error   0.02    0.1  J     passed
    """
    rows = [(c.what, f"{c.value:.2g}", f"{c.limit:.2g}", c.unit, c.verdict) for c in checks]
    return Table(("check", "value", "limit", "unit", ""), rows, left=(0, 3, 4)).text()
