r"""Pairs of embedded methods, which judge their own steps, and what happens between two of them.

On stages $k_i$ shared by two methods $b$ and $\hat b$, $h\sum_i(b_i - \hat b_i)k_i$ is the error of
the second, an element of the algebra.  Weights $b_i(\theta)$, polynomials with $b_i(0) = 0$ and
$b_i(1) = b_i$, give the state between the ends of a step, $X_0\exp(h\sum_i b_i(\theta)k_i)$: a
product of the coset that the step stays in, for $0 < \theta < 1$ too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from chasles.core.arrays import Floats
from chasles.integrators.tableaux import Tableau, dop853, dopri5, lower, published


@dataclass(frozen=True)
class Pair:
    """A tableau with what adapts it.

    tableau  of the method that steps; its embedded method has `estimate - 1` as order
    a        (total, total) its stages; then that at the end, and those between, for `dense`
    count    stages of a step and of its error
    error    (total,) b minus the embedded weights
    third    (total,) the same of another embedded method, of a lower order, which tells whether the
             error falls as fast as it should (DOP853); zeros without one
    estimate the power of h that the error goes with
    dense    (total, degree) coefficients of b_i(theta), from theta on
    order    of the states in between
    """

    tableau: Tableau
    a: Floats
    count: int
    error: Floats
    third: Floats
    estimate: int
    dense: Floats
    order: int


@cache
def bs3() -> Tableau:
    """Order 3, 4 stages, embedded order 2 (Bogacki and Shampine 1989).  SciPy's RK23."""
    a = lower([1 / 2], [0.0, 3 / 4], [2 / 9, 1 / 3, 4 / 9])
    return Tableau(a, a[-1], name="bs3", b_embedded=[7 / 24, 1 / 4, 1 / 3, 1 / 8])


@cache
def tsit5() -> Tableau:
    """Order 5, 7 stages, embedded order 4 (Tsitouras 2011): smaller errors than `dopri5`.

    From "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption",
    Computers and Mathematics with Applications 62, 770-775.
    """
    known = published("tsit5")
    a, error = lower(*known["a"]), known["error"]
    return Tableau(a, a[-1], name="tsit5", b_embedded=np.subtract(a[-1], error))


def pair_of(tableau: Tableau, dense: Sequence[Sequence[float]], order: int) -> Pair:
    """A pair whose last stage is at the end of the step."""
    assert tableau.b_embedded is not None and tableau.embedded_order is not None
    error = tableau.b - tableau.b_embedded
    return Pair(
        tableau, tableau.a, tableau.stages, error, np.zeros_like(error),
        tableau.embedded_order + 1, np.array(dense), order,
    )  # fmt: skip


def bogacki_shampine() -> Pair:
    """Its interpolant is Hermite's cubic, of order 3."""
    dense: list[list[float]] = [
        [1.0, -4 / 3, 5 / 9],
        [0, 1, -2 / 3],
        [0, 4 / 3, -8 / 9],
        [0, -1, 1],
    ]
    return pair_of(bs3(), dense, 3)


def dormand_prince() -> Pair:
    """Its interpolant is that of Shampine (1986), of order 4."""
    # fmt: off
    dense: list[list[float]] = [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
    # fmt: on
    return pair_of(dopri5(), dense, 4)


def tsitouras() -> Pair:
    """Its interpolant is of order 4."""
    return pair_of(tsit5(), published("tsit5")["dense"], 4)


def hairer_wanner() -> Pair:
    """DOP853: two estimates of the error, and an interpolant of order 7 on four more stages."""
    tableau = dop853()
    assert tableau.b_embedded is not None
    known = published("dop853")
    total = 16
    a, b, end = np.zeros((total, total)), np.zeros(total), np.zeros(total)
    b[:12], end[12] = tableau.b, 1.0
    a[:12, :12], a[12] = tableau.a, b
    for k, row in enumerate(known["stages"]):
        a[13 + k, : len(row)] = row
    error, third = np.zeros(total), b.copy()
    error[:12] = tableau.b - tableau.b_embedded
    third[[0, 8, 11]] -= known["third"]
    dense = unfolded(b, end, np.array(known["nested"]))
    return Pair(tableau, a, 12, error, third, 8, dense, 7)


def unfolded(b: Floats, end: Floats, nested: Floats) -> Floats:
    r"""Coefficients of b_i(theta) from the nested form of Hairer, Norsett and Wanner,

    $$ \theta(F_0 + (1-\theta)(F_1 + \theta(F_2 + (1-\theta)(F_3 + \dots)))). $$

    F_0, F_1 and F_2 are those of Hermite's cubic; `nested` has the others.
    """
    begin = np.zeros_like(b)
    begin[0] = 1.0
    parts = np.vstack([b, begin - b, 2.0 * b - end - begin, nested])
    total, factor = np.zeros((len(b), len(parts) + 1)), np.ones(1)
    for k, part in enumerate(parts):
        factor = np.convolve(factor, (1.0, -1.0) if k % 2 else (0.0, 1.0))
        total[:, : len(factor)] += np.outer(part, factor)
    coefficients: Floats = np.ascontiguousarray(total[:, 1:])
    return coefficients


#: Methods that can choose their steps, by name.
PAIRS: dict[str, Callable[[], Pair]] = {
    "bs3": cache(bogacki_shampine),
    "dopri5": cache(dormand_prince),
    "tsit5": cache(tsitouras),
    "dop853": cache(hairer_wanner),
}
#: The tableaux of those that have none among the others.
PAIR_TABLEAUX = {"bs3": bs3, "tsit5": tsit5}
