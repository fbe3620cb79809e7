r"""SciPy's methods on local coordinates, for comparison: "scipy RK45", "scipy LSODA" and others.

About a state $x_0$ every state is $x_0\exp(\Phi)$, with velocities and integrals added, and

$$ \dot\Phi = \mathrm{dexp}^{-1}_{-\Phi} U(\Phi), \qquad \dot U = F(x_0\exp(\Phi), U, t) $$

is what any code for ordinary differential equations integrates.  The chart is good up to a full
turn of $\Phi$; whoever uses it takes the state as the next $x_0$ before that.
"""

from functools import partial
from typing import Any

import numpy as np

from chasles.compiled import borrow, kernel
from chasles.core.arrays import Integers
from chasles.core.outcomes import OK
from chasles.core.recursion.stage import drive
from chasles.core.recursion.tree import SPHERICAL
from chasles.core.stage import stage
from chasles.core.state_block import finish_step, pull_back, retract
from chasles.core.step_checks import begin_step, end_step
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


@kernel("slopes in local coordinates", seconds=8)
def local_slope(
    mechanism: Any, workspace: Any, state: Any, increment: Any, t: float, point: Any, slope: Any
) -> int:
    """The rate of the local coordinates `increment` about `state`: OK, or how it failed."""
    model, work, base, at = borrow(mechanism), borrow(workspace), borrow(state), borrow(increment)
    reached, out = borrow(point), borrow(slope)
    begin_step(model, work, base, t)
    retract(model, base, at, reached)
    outcome = stage(model, work, reached, t, out)
    if outcome == OK:
        outcome = pull_back(model, at, out)
    return outcome


@kernel("points in local coordinates", seconds=2)
def local_point(
    mechanism: Any, workspace: Any, state: Any, increment: Any, t: float, point: Any
) -> None:
    """The point at local coordinates; driven coordinates are where they are told to be."""
    model, work, out = borrow(mechanism), borrow(workspace), borrow(point)
    retract(model, borrow(state), borrow(increment), out)
    drive(model, work, t, out)


@kernel("states from local coordinates", seconds=4)
def local_state(
    mechanism: Any, workspace: Any, state: Any, increment: Any, t: float, step: float, out: Any
) -> int:
    """The state block at local coordinates, t later than `state` by `step`, as after a step."""
    model, work = borrow(mechanism), borrow(workspace)
    base, at, into = borrow(state), borrow(increment), borrow(out)
    finish_step(model, base, at, into)
    return end_step(model, work, base, t, step, 1, into)


def turning_places(mechanism: Any) -> Integers:
    """(k, 3) Where local coordinates have rotations that may not pass a full turn."""
    tree = mechanism.tree
    first = tree.rate_at[tree.pair >= SPHERICAL]
    places: Integers = np.asarray(first, np.int64)[:, None] + np.arange(3)
    return places
