r"""Order conditions of Runge-Kutta methods, one for each rooted tree.

A method (a, b) has order p when, for every rooted tree t of at most p nodes,

$$ \sum_i b_i\,\phi_i(t) = \frac{1}{\gamma(t)}, \qquad
   \phi_i(\tau) = 1, \quad
   \phi_i([t_1,\dots,t_m]) = \prod_k \sum_j a_{ij}\,\phi_j(t_k), \quad
   \gamma([t_1,\dots,t_m]) = |t|\,\prod_k \gamma(t_k). $$

(Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.2.)  They hold for
non-autonomous equations too, provided the rows of a sum to c.

A tree is the sorted tuple of the subtrees at its root, so `()` is the single node tau.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
RootedTree = tuple[Any, ...]  # of Trees

MAX_ORDER = 8
# Relative to 1/gamma.  DOP853, whose coefficients reach 43, meets its conditions to 4e-14, and to
# 7e-13 when each coefficient is moved within its rounding; moved by 1e-6, it misses by 5e-8.
ROUNDING = 1e-11


class BrokenCondition(NamedTuple):
    """A tree whose condition fails, and by how much: weight - 1/gamma."""

    tree: RootedTree
    residual: float


class Forest(NamedTuple):
    """All trees up to `MAX_ORDER`, smallest first.

    Each is the tree `rest` with the tree `branch` grafted on its root, given by their indices.
    The single node comes first and has neither.
    """

    trees: tuple[RootedTree, ...]
    rest: npt.NDArray[np.intp]
    branch: npt.NDArray[np.intp]
    size: npt.NDArray[np.intp]
    density: Floats


def node_count(tree: RootedTree) -> int:
    """Number of nodes of the tree, |t|: the order its condition belongs to."""
    return 1 + sum(node_count(child) for child in tree)


def density(tree: RootedTree) -> int:
    """gamma(t): the product, over all nodes, of the size of the subtree that grows from it."""
    product = node_count(tree)
    for child in tree:
        product *= density(child)
    return product


def notation(tree: RootedTree) -> str:
    """The tree in brackets, as in the literature.

    >>> notation(((), ((),)))
    '[tau, [tau]]'
    """
    return f"[{', '.join(notation(child) for child in tree)}]" if tree else "tau"


@cache
def trees_of_order(order: int) -> tuple[RootedTree, ...]:
    """All rooted trees with `order` nodes: 1, 1, 2, 4, 9, 20, 48, 115, ... of them.

    >>> trees_of_order(3)
    (((), ()), (((),),))
    """
    if order <= 1:
        return ((),) if order == 1 else ()
    grafted = {
        tuple(sorted((*rest, branch)))
        for size in range(1, order)
        for rest in trees_of_order(order - size)
        for branch in trees_of_order(size)
    }
    return tuple(sorted(grafted))


@cache
def forest() -> Forest:
    """The trees as index arrays, so that a condition costs one product and no recursion."""
    trees = tuple(tree for order in range(1, MAX_ORDER + 1) for tree in trees_of_order(order))
    index = {tree: i for i, tree in enumerate(trees)}
    return Forest(
        trees,
        np.array([index[tree[:-1]] for tree in trees]),
        np.array([index[tree[-1]] if tree else 0 for tree in trees]),
        np.array([node_count(tree) for tree in trees]),
        np.array([density(tree) for tree in trees], dtype=np.float64),
    )


def stage_weights(a: Floats) -> Floats:
    """phi_i(t) for every tree of the forest (rows) and every stage (columns)."""
    trees = forest()
    phi = np.ones((len(trees.trees), len(a)))
    along = np.empty_like(phi)  # sum_j a_ij phi_j(t), what a branch t contributes
    for order in range(1, MAX_ORDER + 1):
        these = trees.size == order
        if order > 1:
            phi[these] = phi[trees.rest[these]] * along[trees.branch[these]]
        along[these] = phi[these] @ a.T
    return phi


def order_of(a: Floats, b: Floats) -> tuple[int, BrokenCondition | None]:
    """The order of a method, at most `MAX_ORDER`, and the first condition above it that fails.

    A condition holds when it is met to the rounding of coefficients given to full precision.
    """
    trees = forest()
    with np.errstate(over="ignore", invalid="ignore"):
        residual = stage_weights(a) @ b - 1.0 / trees.density
        broken = ~(np.abs(residual) * trees.density <= ROUNDING)  # so that NaN is broken
    if not broken.any():
        return MAX_ORDER, None
    first = int(np.argmax(broken))
    return int(trees.size[first]) - 1, BrokenCondition(trees.trees[first], float(residual[first]))
