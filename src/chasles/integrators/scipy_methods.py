"""SciPy's methods on local coordinates, for comparison: "scipy RK45", "scipy LSODA" and others."""

from functools import partial
from typing import Any

from chasles.integrators.rkmk import make_munthe_kaas
from chasles.integrators.tableaux import euler
from chasles.model import InvalidOption, UnknownName
from chasles.model.checks import checked_not_negative

PREFIX = "scipy "
#: SciPy's name -> its order (the highest, where it varies), and whether it is implicit.
SOLVERS = {
    "RK23": (3, False),
    "RK45": (5, False),
    "DOP853": (8, False),
    "Radau": (5, True),
    "BDF": (5, True),
    "LSODA": (12, True),
}
SCIPY_NAMES = tuple(PREFIX + name for name in SOLVERS)
#: A chart is left when a rotation in it has this angle, rad: the farther, the more restarts are
#: saved; a full turn is its end.
FAR, MOST = 2.0, 6.0


def scipy_fields(name: Any, recentre: Any) -> dict[str, Any]:
    """What a Method is made of: one of SciPy's, in charts that are left after an angle."""
    UnknownName.check("SciPy method", name, SOLVERS, "scipy_method")
    angle = checked_not_negative(recentre, "recentre", "rad", "scipy_method", InvalidOption)
    if angle > MOST:
        raise InvalidOption(
            f"scipy_method: recentre is {angle:g} rad, but a chart ends at a full turn.",
            f"Give at most {MOST:g}.",
        )
    order, implicit = SOLVERS[name]
    return {
        "name": PREFIX + name + ("" if angle == FAR else f", new centre after {angle:g} rad"),
        "order": order,
        "make": partial(make_munthe_kaas, euler()),  # a stepper has a scheme; this one is not used
        "adaptive": True,
        "implicit": implicit,
        "foreign": (name, angle),
    }
