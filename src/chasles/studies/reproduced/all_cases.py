"""All published cases by name: tops, generalized-alpha, pendulums and a rolling disc.

The papers on generalized-alpha show errors as curves; what can be compared are slopes.  Where a
paper shows curves and no digits, ours are given, and nothing is invented.
"""

from functools import partial
from typing import Any

import numpy as np

from chasles.integrators.generalized_alpha import generalized_alpha
from chasles.many.quiet import simulate_quietly
from chasles.model import GROUND, Body, Bushing, Distance, Load, Model, Spherical, UnknownName
from chasles.result.result import Result
from chasles.run.time_grid import NEVER
from chasles.studies.library import rolling_disc
from chasles.studies.library.heavy_top import GRAVITY, INERTIA, MASS, model
from chasles.studies.reproduced.case import Case, Reproduced, Row, reproduced


def at_end(model: Model, until: float, **options: Any) -> Result:
    """A run that keeps its start and its end."""
    return simulate_quietly(model, until, save_every=NEVER, progress=False, **options)


# --- tops: that of Brüls and Cardona, and two tied by a spring, as Exudyn's test models -----------

#: About the pivot, the charts of which are what Exudyn's rotation-vector nodes have.
SPACES = "SO3xR3 on joints"
EXUDYN = "J. Gerstmayr and S. Holzinger, Exudyn, TestModels/{}: values in the comments of the file"


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
    """The angular velocity about the world's y axis at the end, rad/s."""
    result = at_end(model, until, **{"spaces": SPACES, **options})
    return float(result.angular_velocity(body, axes="world")[-1, 1])


TOP_SPIN = partial(spin, heavy_top(), "top", 2.0)
TWO_SPIN = partial(spin, two_tops(), "first", 0.5)
#: Steps in half a second -> what Exudyn printed for RK4 on rotation vectors.
TWO_PRINTED = {
    6: "2.702587408085803",
    12: "3.500994026725583",
    25: "3.494254676339284",
    50: "3.4934962239098266",
    100: "3.4934396559233964",
    200: "3.493435944205257",
    400: "3.4934357084409986",
    1000: "3.4934356930303623",
    2000: "3.4934356926497165",
    4000: "3.493435692625912",
}

TOP = Case(
    "top",
    "Heavy top of Brüls and Cardona",
    "angular velocity about y after 2 s, rad/s",
    EXUDYN.format("explicitLieGroupIntegratorTest.py"),
    (
        Row(
            "RK4, 1 ms", "-106.16651966441937", partial(TOP_SPIN, step=1e-3, method="rk4"), 13,
            "printed there as the reference solution; it is RK4 at 1 ms, 2.7e-3 from the limit",
        ),
        Row("RK4, 0.1 ms", "-106.16380619750855", partial(TOP_SPIN, step=1e-4, method="rk4"), 12),
        Row(
            "order 6, 1 ms", "-106.16380495843258",
            partial(TOP_SPIN, step=1e-3, method="butcher6"), 0,
            "another method of order 6 than ours",
        ),
        Row(
            "order 6, 0.1 ms", "-106.1638041430917",
            partial(TOP_SPIN, step=1e-4, method="butcher6"), 12,
        ),
        Row(
            "DOPRI5 by tolerance", "-106.16380414306643",
            partial(TOP_SPIN, rtol=1e-13, atol=1e-14, method="dopri5"), 0,
            "atol 1e-14 there, on other quantities",
        ),
    ),
    partial(TOP_SPIN, step=1e-4, method="dop853"),
)  # fmt: skip

TWO_TOPS = Case(
    "two-tops",
    "Two tops tied by a spring",
    "angular velocity of the first about y after 0.5 s, rad/s",
    EXUDYN.format("explicitLieGroupMBSTest.py"),
    tuple(
        Row(f"RK4, {steps} steps", printed, partial(TWO_SPIN, step=0.5 / steps, method="rk4"), 13)
        for steps, printed in TWO_PRINTED.items()
    ),
    partial(TWO_SPIN, step=1e-4, method="dop853"),
)


# --- generalized-alpha on the heavy top: its orders, and its transients ---------------------------

#: rad/s about the axis of symmetry: as published, and a tenth of it.
FAST, SLOW = 150.0, 15.0
#: Seconds, and numbers of steps: each pair of neighbours shows a slope.
UNTIL, COUNTS = 0.1, (200, 400, 800)
ORDERS = (
    "O. Brüls, A. Cardona and M. Arnold, Lie group generalized-alpha time integration of"
    " constrained flexible multibody systems, Mech. Mach. Theory 48 (2012) 121-137: second order is"
    " stated, the errors are figures"
)
TRANSIENTS = (
    "M. Arnold, O. Brüls and A. Cardona, Error analysis of generalized-alpha Lie group time"
    " integration methods for constrained mechanical systems, Numer. Math. 129 (2015) 149-179:"
    " first order in a transient, and its remedies, are proved; the errors are figures"
)


def slope(rate: float, of: Any, **options: Any) -> float:
    """The observed order of a quantity of a run: log2 of the errors of its two shortest steps."""
    errors = []
    for count in COUNTS[-2:]:
        run = simulate_quietly(heavy_top(rate), UNTIL, step=UNTIL / count, **options)
        near = simulate_quietly(
            heavy_top(rate), UNTIL, step=UNTIL / (4 * count), save_every=4, method="dop853"
        )
        errors.append(np.abs(of(run) - of(near))[1:].max())
    return float(np.log2(errors[0] / errors[1]))


def places(run: Result) -> Any:
    return run.position("top")


def reactions(run: Result) -> Any:
    return run.reaction("pivot").force


ALPHA_ORDERS = Case(
    "alpha-orders",
    "Generalized-alpha on the heavy top, fast and slow",
    "observed order of the largest error of the position in 0.1 s",
    ORDERS,
    tuple(
        Row(f"{word}, {space}, index {index}", "2", partial(
            slope, rate, places, spaces=space, method=generalized_alpha(index=index)
        ), 1)
        for word, rate in (("150 rad/s", FAST), ("15 rad/s", SLOW))
        for space in ("SO3xR3", "SE3")
        for index in (3, 2)
    ),
    lambda: 2.0,
    sure=2,
    remark="15 rad/s is ours: the parameters of a slow top are not at hand.",
)  # fmt: skip

ALPHA_REACTIONS = Case(
    "alpha-reactions",
    "Reactions of the heavy top by generalized-alpha, from the first step on",
    "observed order of their largest error in 0.1 s",
    TRANSIENTS,
    (
        Row("SO3xR3, index 3, consistent velocities", "1", partial(
            slope, FAST, reactions, spaces="SO3xR3", method=generalized_alpha()), 1,
            "the transient; positions are of second order all the same"),
        Row("SO3xR3, index 3, perturbed velocities", "2", partial(
            slope, FAST, reactions, spaces="SO3xR3", method=generalized_alpha(perturbed=True)), 1),
        Row("SO3xR3, stabilised index 2", "2", partial(
            slope, FAST, reactions, spaces="SO3xR3", method=generalized_alpha(index=2)), 1),
        Row("SE3, index 3, consistent velocities", "", partial(
            slope, FAST, reactions, spaces="SE3", method=generalized_alpha()), 0,
            "where the chart fits the joint there is no transient to begin with"),
    ),
    lambda: 2.0,
    sure=2,
)  # fmt: skip


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
    result = at_end(rolling_disc.model(), 2.0, **options)
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


# --- all of them ----------------------------------------------------------------------------------

ALL = (TOP, TWO_TOPS, ALPHA_ORDERS, ALPHA_REACTIONS, PENDULUMS, DISC)
CASES: dict[str, Case] = {case.name: case for case in ALL}


def reproduce(name: str) -> Reproduced:
    return reproduced(CASES[UnknownName.check("published result", name, CASES)])
