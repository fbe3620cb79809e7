"""Published results reproduced: whose, which digits, and how ours are made.

What was published is in cases.toml (tops, generalized-alpha, pendulums and a rolling disc), here
are the models and what is measured on them.  The papers on generalized-alpha show errors as curves;
what can be compared are slopes.  Where a paper shows curves and no digits, ours are given, and
nothing is invented.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from chasles.integrators.generalized_alpha import generalized_alpha
from chasles.many.quiet import simulate_quietly
from chasles.model import GROUND, Body, Bushing, Distance, Load, Model, Spherical, UnknownName
from chasles.model.tables import Shown, Table, small
from chasles.result.result import Result
from chasles.run.time_grid import NEVER
from chasles.studies.library import rolling_disc
from chasles.studies.library.heavy_top import GRAVITY, INERTIA, MASS, model
from chasles.studies.words import tables_of


@dataclass(frozen=True)
class TableRow:
    """One published number.

    what     how it was made, in words
    theirs   as printed, or "" where no number is at hand
    digits   to how many significant digits ours is to equal theirs; 0: it is not the same method
    options  with which ours is measured: the same method and step
    """

    what: str
    theirs: str
    digits: int
    options: Mapping[str, Any]
    note: str = ""

    def beside(self, ours: float) -> dict[str, Any]:
        """The number, ours, and how many digits they share."""
        common = digits_in_common(self.theirs, ours) if self.theirs else 0
        return {"what": self.what, "theirs": self.theirs, "ours": ours, "common": common,
                "expected": self.digits, "note": self.note}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A published example.

    quantity    what the numbers are, with its unit
    source      where they were published
    measured    a number from options
    converged   the value that shorter steps lead to, or options of a method of order 8 for it
    sure        to how many significant digits that is known
    """

    name: str
    title: str
    quantity: str
    source: str
    measured: Callable[..., float]
    converged: Mapping[str, Any] | float
    rows: Sequence[TableRow]
    sure: int = 12
    remark: str = ""


@dataclass(frozen=True)
class Reproduced(Shown):
    """A case that was run: rows of (what, theirs, ours, digits in common, expected digits)."""

    case: Case
    converged: float
    rows: tuple[dict[str, Any], ...] = field(default=())

    @property
    def agrees(self) -> bool:
        """Whether every number that should be equal is."""
        return all(row["common"] >= row["expected"] for row in self.rows)

    def _parts(self) -> list[str | Table]:
        case = self.case
        header = ["", "theirs", "ours", "digits in common", "off from converged"]
        rows = [
            [row["what"], row["theirs"] or "not at hand", f"{row['ours']:.{case.sure + 2}g}",
             str(row["common"]) if row["expected"] else "-",
             small(abs(row["ours"] - self.converged))]
            for row in self.rows
        ]  # fmt: skip
        return [
            f"{case.title}: {case.quantity}",
            f"source: {case.source}",
            Table(header, rows),
            f"converged: {self.converged:.{case.sure}g}",
            *(f"{row['what']}: {row['note']}" for row in self.rows if row["note"]),
            *([case.remark] if case.remark else []),
        ]

    def as_dict(self) -> dict[str, Any]:
        told = {key: getattr(self.case, key) for key in ("name", "title", "quantity", "source")}
        return {**told, "converged": self.converged, "agrees": self.agrees, "rows": list(self.rows)}


def reproduced(case: Case) -> Reproduced:
    rows = tuple(row.beside(case.measured(**row.options)) for row in case.rows)
    limit = case.converged
    converged = case.measured(**limit) if isinstance(limit, Mapping) else limit
    return Reproduced(case, converged, rows)


def digits_in_common(theirs: str, ours: float) -> int:
    r"""How many significant digits two numbers share: the largest n with $|a - b| \le 10^{-n}|a|$.

    >>> digits_in_common("-106.16651966441937", -106.16651966442005)
    14
    """
    value = float(theirs)
    if value == ours:
        return 17
    digits = 0
    while digits < 17 and abs(value - ours) <= 10.0 ** -(digits + 1) * abs(value):
        digits += 1
    return digits


def at_end(model: Model, until: float, steps: int | None = None, **options: Any) -> Result:
    """A run that keeps its start and its end, of so many steps if they are of one length."""
    if steps is not None:
        options["step"] = until / steps
    return simulate_quietly(model, until, save_every=NEVER, progress=False, **options)


# --- tops: that of Brüls and Cardona, and two tied by a spring, as Exudyn's test models -----------


def heavy_top(rate: float = 150.0) -> Model:
    """The top of the library, spun with so many rad/s."""
    return model((0.0, rate, -4.61538))


def two_tops() -> Model:
    """A top on a pivot, and a free one whose corner is tied to it by a spring of 10 kN/m.

    In the test model bodies have the inertia that the top has about its pivot, about their centres
    of mass, and the weights act away from these.
    """
    about_pivot = np.diag(INERTIA) + MASS * np.diag((1.0, 0.0, 1.0))
    first = Body("first", mass=MASS, inertia=about_pivot, position=(0, 0, 0))
    second = Body("second", mass=MASS, inertia=about_pivot, position=(0, 1, 0))
    weight = (0, 0, -MASS * GRAVITY)
    forces = [
        Load("first weight", first, force=weight, at=(0.1, 0.5, 0)),
        Load("second weight", second, force=weight, at=(0, 2, 0)),
        Bushing("spring", first, second, at=(0.1, 0.5, 0), stiffness=(1e4, 1e4, 1e4, 0, 0, 0)),
    ]
    pivot = Spherical("pivot", GROUND, first, at=(0, 0, 0))
    return Model([first, second], [pivot], forces, gravity=(0, 0, 0))


def spin(model: Model, body: str, until: float, **options: Any) -> float:
    """The angular velocity about the world's y axis at the end, rad/s.

    Charts are about the pivot, as those of Exudyn's rotation-vector nodes.
    """
    result = at_end(model, until, spaces="SO3xR3 on joints", **options)
    return float(result.angular_velocity(body, axes="world")[-1, 1])


# --- generalized-alpha on the heavy top: its orders, and its transients ---------------------------

#: Seconds, and numbers of steps, whose errors show a slope.
UNTIL, COUNTS = 0.1, (400, 800)


def slope(of: Callable[[Result], Any], spaces: str, rate: float = 150.0, **alpha: Any) -> float:
    """The observed order of a quantity of a run: log2 of the errors of two steps.

    `alpha` are options of the method.
    """
    model, method, errors = heavy_top(rate), generalized_alpha(**alpha), []
    for count in COUNTS:
        step = UNTIL / count
        run = simulate_quietly(model, UNTIL, step=step, spaces=spaces, method=method)
        near = simulate_quietly(model, UNTIL, step=step / 4, save_every=4, method="dop853")
        errors.append(np.abs(of(run) - of(near))[1:].max())
    return float(np.log2(errors[0] / errors[1]))


# --- examples whose papers show curves ------------------------------------------------------------

#: The pendulums share this length, m.
WHOLE_LENGTH = 5.0


def pendulums(count: int) -> Model:
    """Point masses of 1 kg on massless rods, let go from the horizontal.

    E. Celledoni, E. Çokaj, A. Leone, D. Murari and B. Owren, Lie group integrators for mechanical
    systems, Int. J. Comput. Math. 99 (2022) 58-88, section 4: N = 2 to 20, T = 3 s, tolerance 1e-6.
    """
    length = WHOLE_LENGTH / count
    bodies, joints = [], []
    before: Any = GROUND
    for k in range(count):
        place = ((k + 1) * length, 0, 0)
        mass = Body.sphere(f"mass {k + 1}", radius=0.01, mass=1.0, position=place)
        joints.append(
            Distance(f"rod {k + 1}", before, mass, at=(k * length, 0, 0), at_b=mass.position)
        )
        bodies.append(mass)
        before = mass
    return Model(bodies, joints, gravity=(0, 0, -9.81))


def height(count: int, **options: Any) -> float:
    """Of the last mass after 3 s, m."""
    result = at_end(pendulums(count), 3.0, stabilise="projection", **options)
    return float(result.position(f"mass {count}")[-1, 2])


def tilt_of_disc(**options: Any) -> float:
    """Of the disc from the vertical after 2 s, degrees."""
    result = at_end(rolling_disc.model(), 2.0, **options)
    return float(rolling_disc.curves(result)[0][1][-1])


# --- all of them ----------------------------------------------------------------------------------


MEASURED: dict[str, Callable[..., float]] = {
    "top_spin": lambda **options: spin(heavy_top(), "top", 2.0, **options),
    "two_spin": lambda **options: spin(two_tops(), "first", 0.5, **options),
    "order_of_places": partial(slope, lambda run: run.position("top")),
    "order_of_reactions": partial(slope, lambda run: run.reaction("pivot").force),
    "height": height,
    "tilt_of_disc": tilt_of_disc,
}


def case_of(name: str, measured: str, rows: list[list[Any]], **told: Any) -> Case:
    """A case from its entry in cases.toml."""
    return Case(name, measured=MEASURED[measured], rows=[TableRow(*row) for row in rows], **told)


CASES: dict[str, Case] = {
    name: case_of(name, **entry) for name, entry in tables_of("reproduced", "cases.toml").items()
}


def reproduce(name: str) -> Reproduced:
    return reproduced(CASES[UnknownName.check("published result", name, CASES)])
