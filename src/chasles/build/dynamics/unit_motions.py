"""Twists of the bodies, and rates of rows, where one velocity of a tree is 1."""

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST, Floats
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.tree import Recursion, Tree


def unit_twists(
    tree: Tree, memory: Recursion, state: Floats, first: int = 0, end: int | None = None
) -> Floats:
    """(k, n, 6) The twists of all bodies at the pose of a state, one velocity after the other.

    From `first` to before `end`.
    """
    unit = np.eye(tree.rate_count)[first:end]
    states = np.tile(state, (len(unit), 1))
    states[:, tree.stored_count :] = unit
    out = np.zeros((len(unit), tree.body_count, ABSOLUTE_WIDTH))
    tree_absolute(tree, memory, states, out)
    return out[:, :, TWIST : TWIST + 6]


def rows_of(cut: Cut, jacobian: Floats, twists: Floats) -> Floats:
    """(rows, k) The rates of a cut joint's rows of J (rows, 12) at some twists (k, n, 6)."""
    total = np.zeros((len(cut.rows), len(twists)))
    for side, body in enumerate((cut.a, cut.b)):
        if body >= 0:
            total += jacobian[list(cut.rows), 6 * side : 6 * side + 6] @ twists[:, body].T
    return total
