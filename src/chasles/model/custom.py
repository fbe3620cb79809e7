"""A joint given by the user's own formula."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.model.checks import checked_array, checked_callable, checked_count, checked_name, fill
from chasles.model.couplings import RowJoint
from chasles.model.errors import InvalidJoint, one_line
from chasles.model.joints import Attachment
from chasles.model.words import ArrayLike

Floats = NDArray[np.float64]
Pose = tuple[tuple[float, ...], tuple[float, ...]]
MOST_ROWS = 6  # more would lock more than there is
TWISTS = 12  # components of the twists of two bodies


class CustomJoint(RowJoint, in_files=False):
    """A joint that keeps the residuals of your formula at zero.

    Parameters
    ----------
    formula
        formula(pose_a, pose_b) -> tuple of `rows` numbers. A pose is (R, r): the rotation from
        body to world as nine numbers, row by row, and the centre of mass in world coordinates,
        m.
    rows
        Number of residuals.
    at
        Point where the reaction is measured, m. The centre of mass of b if left out.
    jacobian
        Optional. Derivatives of the residuals by the body twists (omega, v) of a and b, `rows`
        times 12 numbers. It is checked against the derivative of the formula.

    Notes
    -----
    Derivatives come from automatic differentiation: use + - * / ** and NumPy's functions
    (np.sqrt(x), not math.sqrt(x)). The formula is called through Python, about 0.15 ms each time,
    so a model with one runs about a hundred times slower than with built-in joints.

    Examples
    --------
    >>> def level(pose_a, pose_b):
    ...     return (pose_b[1][2],)
    >>> CustomJoint("level", "ground", "raft", level, rows=1).locked
    ('g0',)
    """

    needs_point = False

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
        where = f"joint '{checked_name(name, 'joint', InvalidJoint)}'"
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

    def residual(self, pose_a: Pose, pose_b: Pose) -> tuple[float, ...]:
        """The residuals of the formula at two poses, checked to be `rows` finite numbers."""
        values = self._called(self.formula, "formula", pose_a, pose_b)
        if values.shape != (self.rows,):
            raise InvalidJoint(
                f"joint '{self.name}': its formula returned shape {values.shape}, but rows is"
                f" {self.rows}.",
                f"Return a tuple of {self.rows}, or correct rows=.",
            )
        return tuple(values.tolist())

    def given_jacobian(self, pose_a: Pose, pose_b: Pose) -> Floats | None:
        """The user's jacobian at two poses, (rows, 12), or None if there is none."""
        if self.jacobian is None:
            return None
        values = self._called(self.jacobian, "jacobian", pose_a, pose_b)
        if values.shape != (self.rows, TWISTS):
            raise InvalidJoint(
                f"joint '{self.name}': its jacobian returned shape {values.shape}, but has"
                f" {self.rows} rows and {TWISTS} columns.",
                "Return the derivatives by (omega, v) of a, then of b, row by row.",
            )
        return values

    def _called(self, function: Callable[..., Any], what: str, *poses: Pose) -> Floats:
        where = f"joint '{self.name}'"
        try:
            returned = function(*poses)
        except Exception as error:
            raise InvalidJoint(
                f"{where}: its {what} raised {type(error).__name__}: {one_line(error)}",
                f"Give {what}(pose_a, pose_b) with poses (R, r) of nine and three numbers.",
            ) from error
        return checked_array(returned, f"what its {what} returned", where, InvalidJoint)
