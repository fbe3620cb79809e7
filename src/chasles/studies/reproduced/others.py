"""Examples whose papers show curves and no digits: ours are given, and nothing is invented."""

from functools import partial
from typing import Any

from chasles.many.quiet import simulate_quietly
from chasles.model import GROUND, Body, Distance, Model
from chasles.run.time_grid import NEVER
from chasles.studies.library import rolling_disc
from chasles.studies.reproduced.case import Case, Row

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
    chosen = {"save_every": NEVER, "progress": False, "stabilise": "projection", **options}
    result = simulate_quietly(pendulums(count), 3.0, **chosen)
    return float(result.position(f"mass {count}")[-1, 2])


PENDULUMS = Case(
    "pendulums",
    "Two of the pendulums of Celledoni et al.",
    "height of the last mass after 3 s, m",
    "E. Celledoni et al., Int. J. Comput. Math. 99 (2022) 58-88, section 4, which shows accuracies"
    " as a figure only",
    (
        Row("RKMK(5,4), tolerance 1e-6", "", partial(height, 2, rtol=1e-6, atol=1e-6,
                                                     method="dopri5")),
        Row("RKMK 5, 100 steps", "", partial(height, 2, step=0.03, method="dopri5")),
    ),
    partial(height, 2, step=5e-4, method="dop853"),
    sure=10,
)  # fmt: skip


def tilt_of_disc(**options: Any) -> float:
    """Of the disc from the vertical after 2 s, degrees."""
    chosen = {"save_every": NEVER, "progress": False, **options}
    result = simulate_quietly(rolling_disc.model(), 2.0, **chosen)
    return float(rolling_disc.curves(result)[0][1][-1])


DISC = Case(
    "rolling-disc",
    "Rolling disc of RATTLie_nonhol",
    "tilt from the vertical after 2 s, degrees",
    "S. Hante, rolling_disk, test/diss_conf.lua, which has the parameters and no results",
    (
        Row("RK4, 2048 steps", "", partial(tilt_of_disc, step=2.0 / 2048, method="rk4")),
        Row("RK4, 8192 steps", "", partial(tilt_of_disc, step=2.0 / 8192, method="rk4")),
    ),
    partial(tilt_of_disc, step=2.5e-4, method="dop853"),
    sure=10,
)
