"""Generalized-alpha on the heavy top: the orders that its authors state, and their transients.

The papers show errors as curves; what can be compared are slopes.
"""

from functools import partial
from typing import Any

import numpy as np

from chasles.integrators.generalized_alpha import generalized_alpha
from chasles.many.quiet import simulate_quietly
from chasles.result.result import Result
from chasles.studies.reproduced.case import Case, Row
from chasles.studies.reproduced.tops import heavy_top

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
