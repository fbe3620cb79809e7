"""All published cases by name: tops, generalized-alpha, pendulums and a rolling disc.

What was published is in cases.toml, here are the models and what is measured on them.  The papers
on generalized-alpha show errors as curves; what can be compared are slopes.  Where a paper shows
curves and no digits, ours are given, and nothing is invented.
"""

from typing import Any

import numpy as np

from chasles.integrators.generalized_alpha import generalized_alpha
from chasles.many.quiet import simulate_quietly
from chasles.model import GROUND, Body, Bushing, Distance, Load, Model, Spherical, UnknownName
from chasles.result.result import Result
from chasles.run.time_grid import NEVER
from chasles.studies.library import rolling_disc
from chasles.studies.library.heavy_top import GRAVITY, INERTIA, MASS, model
from chasles.studies.reproduced.case import Case, Reproduced, TableRow, reproduced
from chasles.studies.words import tables_of


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


def top_spin(**options: Any) -> float:
    return spin(heavy_top(), "top", 2.0, **options)


def two_spin(**options: Any) -> float:
    return spin(two_tops(), "first", 0.5, **options)


# --- generalized-alpha on the heavy top: its orders, and its transients ---------------------------

#: Seconds, and numbers of steps, whose errors show a slope.
UNTIL, COUNTS = 0.1, (400, 800)


def slope(of: Any, spaces: str, rate: float = 150.0, **alpha: Any) -> float:
    """The observed order of a quantity of a run: log2 of the errors of two steps.

    `alpha` are options of the method.
    """
    errors = []
    for count in COUNTS:
        method = generalized_alpha(**alpha)
        run = simulate_quietly(
            heavy_top(rate), UNTIL, step=UNTIL / count, spaces=spaces, method=method
        )
        near = simulate_quietly(
            heavy_top(rate), UNTIL, step=UNTIL / (4 * count), save_every=4, method="dop853"
        )
        errors.append(np.abs(of(run) - of(near))[1:].max())
    return float(np.log2(errors[0] / errors[1]))


def order_of_places(**options: Any) -> float:
    return slope(lambda run: run.position("top"), **options)


def order_of_reactions(**options: Any) -> float:
    return slope(lambda run: run.reaction("pivot").force, **options)


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


MEASURED = (top_spin, two_spin, order_of_places, order_of_reactions, height, tilt_of_disc)


def case_of(name: str, measured: str, rows: list[list[Any]], **told: Any) -> Case:
    """A case from its entry in cases.toml."""
    (own,) = (function for function in MEASURED if function.__name__ == measured)
    return Case(name, measured=own, rows=[TableRow(*row) for row in rows], **told)


CASES: dict[str, Case] = {
    name: case_of(name, **entry) for name, entry in tables_of("reproduced", "cases.toml").items()
}


def reproduce(name: str) -> Reproduced:
    return reproduced(CASES[UnknownName.check("published result", name, CASES)])
