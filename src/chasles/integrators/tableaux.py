"""Explicit Runge-Kutta methods as data: tableaux that check themselves and know their order.

    c | a        stage i is evaluated at t + c_i h and y + h sum_j a_ij k_j;
    --+---       the step ends at y + h sum_i b_i k_i
      | b

`method("rk4")` looks one up.  Each is a function below, whose docstring says its order, its stages,
where it was published and what it is confused with.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from chasles.integrators.order_conditions import BrokenCondition, Floats, order_of
from chasles.model import InvalidOption, UnknownName
from chasles.model.checks import checked_array, refuse_units
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords
from chasles.model.words import ArrayLike

CLOSE = 1e-12  # for the row sums and the sum of the weights


@checked_keywords
@dataclass(frozen=True, init=False, repr=False, eq=False)
class Tableau:
    """An explicit Runge-Kutta method, checked on construction.

    Parameters
    ----------
    a
        Coefficients, (s, s), strictly lower triangular. Numbers or fractions.
    b
        Weights, (s,). Their sum is 1.
    c
        Nodes, (s,). Default: the row sums of `a`. Other values are refused.
    name
        Name in messages and results.
    b_embedded
        Weights of a second method on the same stages, (s,), for error control.

    Attributes
    ----------
    order
        Order of the method, from the order conditions up to order 8.
    embedded_order
        Order of the second method. None without `b_embedded`.
    first_failure
        First order condition that fails, (tree, residual). None if all up to order 8 hold.

    Examples
    --------
    >>> Tableau([[0, 0], [2/3, 0]], [1/4, 3/4], name="ralston")
    Tableau('ralston', order 2, 2 stages)
    """

    a: Floats
    b: Floats
    c: Floats
    name: str
    b_embedded: Floats | None
    order: int
    embedded_order: int | None
    first_failure: BrokenCondition | None

    def __init__(
        self,
        a: ArrayLike,
        b: ArrayLike,
        c: ArrayLike | None = None,
        name: str = "",
        b_embedded: ArrayLike | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise InvalidOption(
                f"the name of a tableau must be a string, got {short_repr(name)}.",
                "Give the name as a string.",
            )
        where = f"tableau '{name}'" if name else "a tableau"
        stage_matrix = checked_matrix(a, where)
        stages = len(stage_matrix)
        weights = checked_weights(b, "b", stages, where)
        nodes = stage_matrix.sum(axis=1)
        if c is not None:
            nodes = checked_nodes(c, stage_matrix, where)
        second, second_order = None, None
        if b_embedded is not None:
            second = read_only(checked_weights(b_embedded, "b_embedded", stages, where))
            second_order, _ = order_of(stage_matrix, second)
        order, failure = order_of(stage_matrix, weights)
        values = {
            "a": read_only(stage_matrix),
            "b": read_only(weights),
            "c": read_only(nodes),
            "name": name,
            "b_embedded": second,
            "order": order,
            "embedded_order": second_order,
            "first_failure": failure,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @property
    def stages(self) -> int:
        """Evaluations of the right-hand side per step."""
        return len(self.b)

    def as_dict(self) -> dict[str, Any]:
        """The coefficients as plain lists."""
        return {"a": self.a.tolist(), "b": self.b.tolist(), "c": self.c.tolist()}

    def __repr__(self) -> str:
        name = f"'{self.name}', " if self.name else ""
        order = (
            f"{self.order}"
            if self.embedded_order is None
            else f"{self.order}({self.embedded_order})"
        )
        return f"Tableau({name}order {order}, {self.stages} stage{'s' * (self.stages != 1)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tableau) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:  # copies stay read-only, and are checked again
        return Tableau, (self.a, self.b, self.c, self.name, self.b_embedded)

    def _key(self) -> tuple[object, ...]:
        arrays = (self.a, self.b, self.c, self.b_embedded)
        return self.name, *(None if x is None else tuple(x.ravel().tolist()) for x in arrays)


def read_only(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


def checked_floats(value: Any, what: str, where: str) -> Floats:
    """Finite floats from numbers or fractions, in memory of their own."""
    refuse_units(value, what, where, InvalidOption)
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(entry, Real) for entry in array.flat):
            value = array.astype(np.float64)
    except Exception:  # ragged, or too large: let the check below say so
        pass
    return np.ascontiguousarray(checked_array(value, what, where, InvalidOption))


def checked_matrix(a: Any, where: str) -> Floats:
    """A square, strictly lower triangular matrix."""
    matrix = checked_floats(a, "a", where)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InvalidOption(
            f"{where}: a must be a square matrix, got shape {matrix.shape}.",
            "Give one row and one column per stage, zeros included.",
        )
    implicit = np.argwhere(np.triu(matrix) != 0.0)
    if len(implicit):
        i, j = implicit[0].tolist()
        raise InvalidOption(
            f"{where}: a[{i}, {j}] is {matrix[i, j]:g}, on or above the diagonal, where "
            "an explicit method has zeros.",
            "Give a strictly lower triangular matrix; implicit methods are not tableaux here.",
        )
    return matrix


def checked_weights(b: Any, what: str, stages: int, where: str) -> Floats:
    """One weight per stage, summing to 1: without that the method has order 0."""
    weights = checked_floats(b, what, where)
    if weights.shape != (stages,):
        raise InvalidOption(
            f"{where}: {what} has shape {weights.shape}, but a has {stages} stages.",
            f"Give {stages} weights in {what}.",
        )
    excess = float(weights.sum()) - 1.0
    if abs(excess) > CLOSE:
        raise InvalidOption(
            f"{where}: the weights {what} sum to {excess + 1.0:.12g}, off 1 by {excess:.1e}: "
            "the method does not converge.",
            f"Correct {what}, and give its numbers to full precision.",
        )
    return weights


def checked_nodes(c: Any, matrix: Floats, where: str) -> Floats:
    """One node per stage, equal to the sum of its row of a."""
    nodes = checked_floats(c, "c", where)
    if nodes.shape != (len(matrix),):
        raise InvalidOption(
            f"{where}: c has shape {nodes.shape}, but a has {len(matrix)} stages.",
            f"Give {len(matrix)} nodes, or leave c out.",
        )
    excess = matrix.sum(axis=1) - nodes
    bad = np.abs(excess) > CLOSE
    if bad.any():
        i = int(np.argmax(bad))
        raise InvalidOption(
            f"{where}: row {i} of a sums to {nodes[i] + excess[i]:.12g}, but c[{i}] is "
            f"{nodes[i]:.12g}: off by {excess[i]:.1e}.",
            f"Correct row {i} of a (rows count from 0) or c[{i}], or leave c out.",
        )
    return nodes


@cache
def published(method: str) -> dict[str, Any]:
    """Coefficients that were published as decimals: see `coefficients.toml`."""
    import tomllib  # few methods need them

    text = Path(__file__).with_name("coefficients.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = tomllib.loads(text)[method]
    return found


def lower(*rows: Sequence[float]) -> Floats:
    """The matrix a from its rows below the diagonal; the first stage has none."""
    matrix = np.zeros((len(rows) + 1, len(rows) + 1))
    for i, row in enumerate(rows, start=1):
        matrix[i, :i] = row
    return matrix


@cache
def euler() -> Tableau:
    """Order 1, 1 stage (Euler 1768).  Explicit; not the symplectic (semi-implicit) Euler method."""
    return Tableau(lower(), [1.0], name="euler")


@cache
def midpoint() -> Tableau:
    """Order 2, 2 stages (Runge 1895).  Explicit; not the implicit midpoint rule of Gauss."""
    return Tableau(lower([1 / 2]), [0.0, 1.0], name="midpoint")


@cache
def heun() -> Tableau:
    """Order 2, 2 stages (Runge 1895): the explicit trapezoidal rule.

    Not Heun's method of order 3, nor Ralston's of order 2 (node 2/3), both also called Heun's.
    """
    return Tableau(lower([1.0]), [1 / 2, 1 / 2], name="heun")


@cache
def kutta3() -> Tableau:
    """Order 3, 3 stages (Kutta 1901): Simpson's rule.

    Not Heun's of order 3 (nodes 1/3, 2/3), nor the strong-stability-preserving SSPRK3.
    """
    return Tableau(lower([1 / 2], [-1.0, 2.0]), [1 / 6, 2 / 3, 1 / 6], name="kutta3")


@cache
def rk4() -> Tableau:
    """Order 4, 4 stages (Kutta 1901): the classical method.

    Not the 3/8 rule `rk38`, of the same paper, nor the pair RK45 of other packages: `dopri5`.
    """
    a = lower([1 / 2], [0.0, 1 / 2], [0.0, 0.0, 1.0])
    return Tableau(a, [1 / 6, 1 / 3, 1 / 3, 1 / 6], name="rk4")


@cache
def rk38() -> Tableau:
    """Order 4, 4 stages (Kutta 1901): the 3/8 rule, mostly a little more accurate than `rk4`."""
    a = lower([1 / 3], [-1 / 3, 1.0], [1.0, -1.0, 1.0])
    return Tableau(a, [1 / 8, 3 / 8, 3 / 8, 1 / 8], name="rk38")


@cache
def dopri5() -> Tableau:
    """Order 5, 7 stages, embedded order 4 (Dormand and Prince 1980, RK5(4)7M).

    The last stage is the first of the next step, so six evaluations per accepted step.  It is
    SciPy's RK45 and MATLAB's ode45; not Fehlberg's RKF45, whose step advances with order 4.
    """
    a = lower(
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    )
    embedded = [5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]
    return Tableau(a, a[-1], name="dopri5", b_embedded=embedded)


@cache
def butcher6() -> Tableau:
    """Order 6, 7 stages, the fewest possible (Butcher 1964).

    From "On Runge-Kutta processes of high order", J. Austral. Math. Soc. 4, 179-194.
    Not Butcher's method of order 5 with 6 stages, built on Boole's rule.
    """
    a = lower(
        [1 / 3],
        [0.0, 2 / 3],
        [1 / 12, 1 / 3, -1 / 12],
        [-1 / 16, 9 / 8, -3 / 16, -3 / 8],
        [0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2],
        [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11],
    )
    b = [11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120]
    return Tableau(a, b, name="butcher6")


@cache
def dop853() -> Tableau:
    """Order 8, 12 stages, embedded order 5 (Hairer, Norsett, Wanner 1993, the code DOP853).

    The code also has an embedded method of order 3, which only corrects its error estimate.  Not
    the pair RK8(7)13M of Prince and Dormand (1981), with 13 stages, also called DOPRI8.
    """
    known = published("dop853")
    a, b, error = lower(*known["a"]), known["b"], known["error"]
    return Tableau(a, b, name="dop853", b_embedded=np.subtract(b, error))


METHODS: dict[str, Callable[[], Tableau]] = {
    make.__name__: make
    for make in (euler, midpoint, heun, kutta3, rk4, rk38, dopri5, butcher6, dop853)
}


def method(name: str) -> Tableau:
    """The tableau of that name.

    >>> method("rk4")
    Tableau('rk4', order 4, 4 stages)
    """
    return METHODS[UnknownName.check("method", name, METHODS)]()
