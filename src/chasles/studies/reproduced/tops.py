"""Tops: that of Brüls and Cardona, and two tied by a spring, as Exudyn's test models have them."""

from functools import partial
from typing import Any

import numpy as np

from chasles.many.quiet import simulate_quietly
from chasles.model import GROUND, Body, Bushing, Load, Model, Spherical
from chasles.run.time_grid import NEVER
from chasles.studies.library.heavy_top import GRAVITY, INERTIA, MASS, model
from chasles.studies.reproduced.case import Case, Row

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
    chosen = {"spaces": SPACES, "save_every": NEVER, "progress": False, **options}
    result = simulate_quietly(model, until, **chosen)
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
