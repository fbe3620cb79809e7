"""A joint given by the user's own formula."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from chasles.model.checks import Vector3, checked_callable, checked_count, fill
from chasles.model.couplings import Coupling
from chasles.model.errors import InvalidJoint
from chasles.model.joints import Attachment, Z

MOST_ROWS = 6  # more would lock more than there is


@dataclass(frozen=True, init=False)
class CustomJoint(Coupling):
    """A joint that holds `rows` residuals of a formula at zero.

    formula   formula(pose_a, pose_b) -> tuple of `rows` numbers; a pose is (R, r): the rotation
              body to world as nine numbers row by row, and the centre of mass in the world
    jacobian  optional, to be checked against the derivative of the formula: the derivatives of
              the residuals by the body twists (omega, v) of a and b, `rows` times 12 numbers
    at        where the reaction is measured; the centre of mass of b if left out

    >>> def level(pose_a, pose_b):
    ...     return (pose_b[1][2],)
    >>> CustomJoint("level", "ground", "raft", level, rows=1).locked
    ('g0',)
    """

    axis: Vector3 = field(default=Z, init=False, repr=False)
    formula: Callable[..., Any] = tuple
    rows: int = 1
    jacobian: Callable[..., Any] | None = None

    def __init__(
        self,
        name: str,
        a: Attachment,
        b: Attachment,
        formula: Callable[..., Any],
        rows: int,
        at: ArrayLike | None = None,
        jacobian: Callable[..., Any] | None = None,
    ) -> None:
        where = f"joint '{name}'"
        rows = checked_count(rows, "rows", MOST_ROWS, where, InvalidJoint)
        fill(self, locked=tuple(f"g{row}" for row in range(rows)))
        super().__init__(name, a, b, at)
        shape = "formula(pose_a, pose_b)"
        fill(
            self,
            formula=checked_callable(formula, "formula", shape, where, InvalidJoint),
            rows=rows,
            jacobian=(
                None
                if jacobian is None
                else checked_callable(
                    jacobian, "jacobian", "jacobian(pose_a, pose_b)", where, InvalidJoint
                )
            ),
        )
