r"""A constraint on any number of bodies by the user's own formula.

$$ g(C_1, \ldots, C_n) = 0, \qquad \sum_i J_i V_i = 0, $$

with the poses $C_i$ and body twists $V_i$.  With the multiplier $\lambda$ it exerts
$-\lambda J_i^T$ on every body: together these do no work.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chasles.model.body import Body
from chasles.model.checks import checked_array, checked_callable, fill
from chasles.model.coordinate_coupling import Coupling
from chasles.model.custom import Pose
from chasles.model.drivers import AnyDriver
from chasles.model.errors import InvalidCoupling, one_line
from chasles.model.several import checked_several


class CustomCoupling(Coupling, in_files=False):
    """A constraint on two or more bodies: your formula of their poses stays zero.

    Parameters
    ----------
    bodies
        The bodies, at most 16.
    formula
        formula(pose_1, pose_2, ...) -> one number. A pose is (R, r) as in `CustomJoint`.

    Notes
    -----
    Use it for a rope over moving pulleys, or a point between two others. Derivatives come from
    automatic differentiation: use + - * / ** and NumPy's functions. The formula is called through
    Python, about 0.2 ms each time with three bodies. `Result.effort` is the multiplier of the
    constraint. It does no work.

    Examples
    --------
    >>> def middle(left, right, slider):
    ...     return left[1][0] + right[1][0] - 2.0 * slider[1][0]
    >>> CustomCoupling("middle", ["left", "right", "slider"], middle).bodies
    ('left', 'right', 'slider')
    """

    bodies: tuple[str, ...] = ()
    formula: Callable[..., Any] = tuple

    #: a user's formula has so many residuals
    rows = 1

    def __init__(
        self, name: str, bodies: Sequence[Body | str], formula: Callable[..., Any]
    ) -> None:
        AnyDriver.__init__(self, name, self.motion)
        fill(
            self,
            terms=(),
            offset=0.0,
            bodies=checked_several(bodies, self.where, InvalidCoupling),
            formula=checked_callable(
                formula, "formula", "formula(pose_1, pose_2, ...)", self.where, InvalidCoupling
            ),
        )

    @property
    def drives(self) -> str:
        return "its formula"

    @property
    def summary(self) -> str:
        return f"coupling {self.name}: a formula of {', '.join(self.bodies)} = 0"

    def residual(self, *poses: Pose) -> float:
        """What the formula gives at some poses, checked to be one finite number."""
        try:
            returned = self.formula(*poses)
        except Exception as error:
            raise InvalidCoupling(
                f"{self.where}: its formula raised {type(error).__name__}: {one_line(error)}",
                f"Give formula(pose_1, ..., pose_{len(self.bodies)}) with poses (R, r) of nine and"
                " three numbers.",
            ) from error
        alone = isinstance(returned, tuple | list) and len(returned) == 1
        given = returned[0] if alone else returned
        value = checked_array(given, "what its formula returned", self.where, InvalidCoupling)
        if value.shape != ():
            raise InvalidCoupling(
                f"{self.where}: its formula returned shape {value.shape}, but it is one number.",
                "Return one number; give a coupling of its own for every other.",
            )
        return float(np.asarray(value))
