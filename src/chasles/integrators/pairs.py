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
from chasles.integrators.tableaux import Tableau, dop853, dopri5, lower


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
    # fmt: off
    a = lower(
        [0.161],
        [-0.008480655492356989, 0.335480655492357],
        [2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
         -0.028269050394068383],
        [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
         2.324710524099774],
    )
    error = [-0.00178001105222577714, -0.0008164344596567469, 0.007880878010261995,
             -0.1447110071732629, 0.5823571654525552, -0.45808210592918697, 0.015151515151515152]
    # fmt: on
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
    dense = [
        [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
        [0.0, 0.13169999999999998, -0.2234, 0.1017],
        [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
        [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
        [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
        [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
        [0.0, 1.5, -4.0, 2.5],
    ]
    return pair_of(tsit5(), dense, 4)


def hairer_wanner() -> Pair:
    """DOP853: two estimates of the error, and an interpolant of order 7 on four more stages."""
    tableau = dop853()
    assert tableau.b_embedded is not None
    # fmt: off
    stages = (
        [5.61675022830479523392909219681e-2, 0.0, 0.0, 0.0, 0.0, 0.0,
         2.53500210216624811088794765333e-1, -2.46239037470802489917441475441e-1,
         -1.24191423263816360469010140626e-1, 1.5329179827876569731206322685e-1,
         8.20105229563468988491666602057e-3, 7.56789766054569976138603589584e-3, -8.298e-3],
        [3.18346481635021405060768473261e-2, 0.0, 0.0, 0.0, 0.0,
         2.83009096723667755288322961402e-2, 5.35419883074385676223797384372e-2,
         -5.49237485713909884646569340306e-2, 0.0, 0.0, -1.08347328697249322858509316994e-4,
         3.82571090835658412954920192323e-4, -3.40465008687404560802977114492e-4,
         1.41312443674632500278074618366e-1],
        [-4.28896301583791923408573538692e-1, 0.0, 0.0, 0.0, 0.0, -4.69762141536116384314449447206,
         7.68342119606259904184240953878, 4.06898981839711007970213554331,
         3.56727187455281109270669543021e-1, 0.0, 0.0, 0.0, -1.39902416515901462129418009734e-3,
         2.9475147891527723389556272149, -9.15095847217987001081870187138],
    )
    nested = np.array([
        [-0.84289382761090128651353491142e1, 0.0, 0.0, 0.0, 0.0, 0.56671495351937776962531783590,
         -0.30689499459498916912797304727e1, 0.23846676565120698287728149680e1,
         0.21170345824450282767155149946e1, -0.87139158377797299206789907490,
         0.22404374302607882758541771650e1, 0.63157877876946881815570249290,
         -0.88990336451333310820698117400e-1, 0.18148505520854727256656404962e2,
         -0.91946323924783554000451984436e1, -0.44360363875948939664310572000e1],
        [0.10427508642579134603413151009e2, 0.0, 0.0, 0.0, 0.0, 0.24228349177525818288430175319e3,
         0.16520045171727028198505394887e3, -0.37454675472269020279518312152e3,
         -0.22113666853125306036270938578e2, 0.77334326684722638389603898808e1,
         -0.30674084731089398182061213626e2, -0.93321305264302278729567221706e1,
         0.15697238121770843886131091075e2, -0.31139403219565177677282850411e2,
         -0.93529243588444783865713862664e1, 0.35816841486394083752465898540e2],
        [0.19985053242002433820987653617e2, 0.0, 0.0, 0.0, 0.0, -0.38703730874935176555105901742e3,
         -0.18917813819516756882830838328e3, 0.52780815920542364900561016686e3,
         -0.11573902539959630126141871134e2, 0.68812326946963000169666922661e1,
         -0.10006050966910838403183860980e1, 0.77771377980534432092869265740,
         -0.27782057523535084065932004339e1, -0.60196695231264120758267380846e2,
         0.84320405506677161018159903784e2, 0.11992291136182789328035130030e2],
        [-0.25693933462703749003312586129e2, 0.0, 0.0, 0.0, 0.0,
         -0.15418974869023643374053993627e3, -0.23152937917604549567536039109e3,
         0.35763911791061412378285349910e3, 0.93405324183624310003907691704e2,
         -0.37458323136451633156875139351e2, 0.10409964950896230045147246184e3,
         0.29840293426660503123344363579e2, -0.43533456590011143754432175058e2,
         0.96324553959188282948394950600e2, -0.39177261675615439165231486172e2,
         -0.14972683625798562581422125276e3],
    ])
    # fmt: on
    total = 16
    a, b, end = np.zeros((total, total)), np.zeros(total), np.zeros(total)
    b[:12], end[12] = tableau.b, 1.0
    a[:12, :12], a[12] = tableau.a, b
    for k, row in enumerate(stages):
        a[13 + k, : len(row)] = row
    error, third = np.zeros(total), b.copy()
    error[:12] = tableau.b - tableau.b_embedded
    third[[0, 8, 11]] -= (
        0.244094488188976377952755905512,
        0.733846688281611857341361741547,
        0.220588235294117647058823529412e-1,
    )
    dense = unfolded(b, end, nested)
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
