r"""Products of exponentials: schemes that combine slopes without dexp^-1.

With the state X = (q, U) and F = (U, U') as it is at a stage, a step of length h is

$$ X_j = X_0\,\prod_l \exp\bigl(h\textstyle\sum_i\alpha^l_{ji}F_i\bigr), \qquad
   X_1 = X_0\,\prod_l \exp\bigl(h\textstyle\sum_i\beta^l_iF_i\bigr), $$

the factor l = 1 next to X_0.  One factor per slope is a method of Crouch and Grossman, a factor
that combines several a commutator-free one (Celledoni, Marthinsen, Owren 2003).  Velocities and
integrals live in a vector space: there the factors add up to the Runge-Kutta method with
$a_{ji} = \sum_l\alpha^l_{ji}$, $b_i = \sum_l\beta^l_i$.  A stage has one time,
$t + h\sum_i a_{ji}$: it belongs to the stage, not to its factors.

A lower pair keeps every F in a subalgebra, and so every factor in its subgroup: the joint holds to
rounding, as with Munthe-Kaas methods.

Methods of Crouch and Grossman: one exponential per slope, X_0 exp(h b_1 F_1) ... exp(h b_s F_s).

cg3  order 3, 3 stages (Owren and Marthinsen 1999).  Its nodes are positive; the first method of
     Crouch and Grossman (1993) asks for a stage before the step begins.
cg4  order 4, 5 stages, the fewest possible (Owren and Marthinsen 1999)

From "Runge-Kutta methods adapted to manifolds and based on rigid frames", BIT 39, 116-142.  Beside
the conditions of Runge and Kutta such a method meets others, of order 3
$\sum_i b_i^2c_i + 2\sum_{i<j} b_ic_ib_j = 1/3$ for one, which say that exponentials do not commute.

Commutator-free methods: one or two exponentials per stage, no brackets and no dexp^-1.

lie-euler  order 1, 1 stage: X_0 exp(h F_0), which is `euler` as well
cf2        order 2, 2 stages, 1 exponential: the midpoint rule with F itself as slope
cf3        order 3, 3 stages, 2 exponentials (Celledoni, Marthinsen, Owren 2003; on a vector space
           Heun's method with nodes 1/3 and 2/3)
cf4        order 4, 4 stages, 2 exponentials (the same paper; on a vector space `rk4`)

From "Commutator-free Lie group methods", Future Generation Computer Systems 19, 341-352.  There a
group acts from the left, so that their first factor stands on the right; here X_0 does.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, hot
from chasles.core.arrays import Floats, Integers, copy, storage
from chasles.core.outcomes import OK
from chasles.core.stage import stage
from chasles.core.state_block import combine, finish_step, retract, slope_length
from chasles.integrators.tableaux import Tableau

#: Weights of the slopes, factor by factor.
Factors = Sequence[Sequence[float]]


class Product(NamedTuple):
    """A method: its order, the factors of every stage, and those of the end."""

    order: int
    stages: Sequence[Factors]
    end: Factors


class Products(NamedTuple):
    """Weights of all factors, those of the end last, and storage of a step."""

    weights: Floats  # (factors, s)
    first: Integers  # (s + 2,) where the factors of a stage begin; those of the end, and their end
    c: Floats  # (s,)
    count: int  # s
    slopes: Annotated[Floats, "s", "slope"]
    increment: Annotated[Floats, "slope"]
    point: Annotated[Floats, "kept"]  # the stage


def tableau_of(name: str, product: Product) -> Tableau:
    """The Runge-Kutta method that it is on a vector space."""
    count = len(product.stages)
    a = np.zeros((count, count))
    for j, factors in enumerate(product.stages):
        for factor in factors:
            a[j, : len(factor)] += factor
    return Tableau(a, np.sum([padded(factor, count) for factor in product.end], axis=0), name=name)


def padded(factor: Sequence[float], count: int) -> Floats:
    return np.append(np.asarray(factor, float), np.zeros(count - len(factor)))


def make_products(tableau: Tableau, product: Product, kept: int, length: int) -> Products:
    """Storage for factors, for points and slopes of these lengths."""
    count, groups = len(product.stages), [*product.stages, product.end]
    return storage(
        Products, {"s": count, "slope": length, "kept": kept},
        weights=np.array([padded(factor, count) for factors in groups for factor in factors]),
        first=np.append(0, np.cumsum([len(factors) for factors in groups])).astype(np.int64),
        c=np.array(tableau.c),
        count=count,
    )  # fmt: skip


@hot
def attempt_products(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how a stage failed."""
    length, count = slope_length(mechanism), scheme.count
    point, increment = scheme.point, scheme.increment
    for j in range(count):
        copy(state, point, mechanism.layout.kept)
        for row in range(scheme.first[j], scheme.first[j + 1]):
            combine(scheme.weights, row * count, j, step, scheme.slopes, length, increment)
            retract(mechanism, point, increment, point)
        slope = beyond(scheme.slopes, j * length)
        outcome = stage(mechanism, workspace, point, t + scheme.c[j] * step, slope)
        if outcome != OK:
            return outcome
    copy(state, out, mechanism.layout.seen)
    for row in range(scheme.first[count], scheme.first[count + 1]):
        combine(scheme.weights, row * count, count, step, scheme.slopes, length, increment)
        finish_step(mechanism, out, increment, out)
    return OK


def one_by_one(weights: Sequence[float]) -> Factors:
    """A factor for every slope that has a weight."""
    return [[*[0.0] * k, weight] for k, weight in enumerate(weights) if weight != 0.0]


def crouch_grossman(order: int, a: Sequence[Sequence[float]], b: Sequence[float]) -> Product:
    """The method with these rows of a below the diagonal."""
    return Product(order, [[], *map(one_by_one, a)], one_by_one(b))


#: Methods by name.
PRODUCTS = {
    "lie-euler": Product(1, [[]], [[1.0]]),
    "cf2": Product(2, [[], [[1 / 2]]], [[0.0, 1.0]]),
    "cf3": Product(3, [[], [[1 / 3]], [[0.0, 2 / 3]]], [[1 / 3], [-1 / 12, 0.0, 3 / 4]]),
    "cf4": Product(
        4,
        [[], [[1 / 2]], [[0.0, 1 / 2]], [[1 / 2], [-1 / 2, 0.0, 1.0]]],
        [[3 / 12, 2 / 12, 2 / 12, -1 / 12], [-1 / 12, 2 / 12, 2 / 12, 3 / 12]],
    ),
    "cg3": crouch_grossman(3, [[3 / 4], [119 / 216, 17 / 108]], [13 / 51, -2 / 3, 24 / 17]),
    "cg4": crouch_grossman(
        4,
        [
            [0.8177227988124852],
            [0.3199876375476427, 0.0659864263556022],
            [0.9214417194464946, 0.4997857776773573, -1.0969984448371582],
            [0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113565],
        ],
        [
            0.1370831520630755,
            -0.0183698531564020,
            0.7397813985370780,
            -0.1907142565505889,
            0.3322195591068374,
        ],
    ),
}
