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
from typing import Any

import numpy as np

from chasles.integrators.order_conditions import BrokenCondition, Floats, order_of
from chasles.model import InvalidOption, UnknownName
from chasles.model.checks import checked_array
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
        second = None if self.b_embedded is None else tuple(self.b_embedded.tolist())
        return (
            self.name,
            tuple(self.a.ravel().tolist()),
            tuple(self.b.tolist()),
            tuple(self.c.tolist()),
            second,
        )


def read_only(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


def checked_floats(value: Any, what: str, where: str) -> Floats:
    """Finite floats from numbers or fractions, in memory of their own."""
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(entry, Real) for entry in array.flat):
            value = array.astype(np.float64)
    except (ValueError, OverflowError):  # ragged, or too large: let the check below say so
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
    # fmt: off
    a = lower(
        [5.26001519587677318785587544488e-2],
        [1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2],
        [2.95875854768068491816892993775e-2, 0.0, 8.87627564304205475450678981324e-2],
        [2.41365134159266685502369798665e-1, 0.0, -8.84549479328286085344864962717e-1,
         9.24834003261792003115737966543e-1],
        [3.7037037037037037037037037037e-2, 0.0, 0.0, 1.70828608729473871279604482173e-1,
         1.25467687566822425016691814123e-1],
        [3.7109375e-2, 0.0, 0.0, 1.70252211019544039314978060272e-1,
         6.02165389804559606850219397283e-2, -1.7578125e-2],
        [3.70920001185047927108779319836e-2, 0.0, 0.0, 1.70383925712239993810214054705e-1,
         1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2,
         8.27378916381402288758473766002e-3],
        [6.24110958716075717114429577812e-1, 0.0, 0.0, -3.36089262944694129406857109825,
         -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1,
         2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1],
        [4.77662536438264365890433908527e-1, 0.0, 0.0, -2.48811461997166764192642586468,
         -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1,
         1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
         -2.03312017085086261358222928593e-2],
        [-9.3714243008598732571704021658e-1, 0.0, 0.0, 5.18637242884406370830023853209,
         1.09143734899672957818500254654, -8.14978701074692612513997267357,
         -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
         2.49360555267965238987089396762, -3.0467644718982195003823669022],
        [2.27331014751653820792359768449, 0.0, 0.0, -1.05344954667372501984066689879e1,
         -2.00087205822486249909675718444, -1.79589318631187989172765950534e1,
         2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
         -8.87285693353062954433549289258, 1.23605671757943030647266201528e1,
         6.43392746015763530355970484046e-1],
    )
    b = [5.42937341165687622380535766363e-2, 0.0, 0.0, 0.0, 0.0, 4.45031289275240888144113950566,
         1.89151789931450038304281599044, -5.8012039600105847814672114227,
         3.1116436695781989440891606237e-1, -1.52160949662516078556178806805e-1,
         2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2]
    # b - b_embedded, published as er1 ... er12
    error = [0.1312004499419488073250102996e-1, 0.0, 0.0, 0.0, 0.0,
             -0.1225156446376204440720569753e1, -0.4957589496572501915214079952,
             0.1664377182454986536961530415e1, -0.3503288487499736816886487290,
             0.3341791187130174790297318841, 0.8192320648511571246570742613e-1,
             -0.2235530786388629525884427845e-1]
    # fmt: on
    return Tableau(a, b, name="dop853", b_embedded=np.subtract(b, error))


METHODS: dict[str, Callable[[], Tableau]] = {
    make.__name__: make
    for make in (euler, midpoint, heun, kutta3, rk4, rk38, dopri5, butcher6, dop853)
}


def method(name: str | Tableau) -> Tableau:
    """The tableau of that name; a tableau of one's own passes through.

    >>> method("rk4")
    Tableau('rk4', order 4, 4 stages)
    """
    if isinstance(name, Tableau):
        return name
    if not isinstance(name, str):
        raise InvalidOption(
            f"method must be a name or a Tableau, got one of type {type(name).__name__}.",
            f"Give a Tableau, or one of: {', '.join(METHODS)}.",
        )
    return METHODS[UnknownName.check("method", name, METHODS)]()
