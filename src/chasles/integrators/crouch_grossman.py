r"""Crouch-Grossman methods: one exponential per slope, X_1 = X_0 exp(h b_1 F_1) ... exp(h b_s F_s).

cg3  order 3, 3 stages (Owren and Marthinsen 1999).  Its nodes are positive; the first method of
     Crouch and Grossman (1993) asks for a stage before the step begins.
cg4  order 4, 5 stages, the fewest possible (Owren and Marthinsen 1999)

From "Runge-Kutta methods adapted to manifolds and based on rigid frames", BIT 39, 116-142.  Beside
the conditions of Runge and Kutta such a method meets others, of order 3
$\sum_i b_i^2c_i + 2\sum_{i<j} b_ic_ib_j = 1/3$ for one, which say that exponentials do not commute.
"""

from collections.abc import Sequence

from chasles.integrators.products import Factors, Product


def one_by_one(weights: Sequence[float]) -> Factors:
    """A factor for every slope that has a weight."""
    return [[*[0.0] * k, weight] for k, weight in enumerate(weights) if weight != 0.0]


def crouch_grossman(order: int, a: Sequence[Sequence[float]], b: Sequence[float]) -> Product:
    """The method with these rows of a below the diagonal."""
    return Product(order, [[], *map(one_by_one, a)], one_by_one(b))


CROUCH_GROSSMAN = {
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
