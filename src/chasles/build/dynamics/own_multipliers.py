"""Reactions by the multipliers of a method of index 2 or 3, which are its own.

Rows have multipliers; what the joints that carry bodies exert follows from the balance of the
bodies under them.
"""

import numpy as np

from chasles.build.dynamics.tree_problem import TreeProblem
from chasles.build.dynamics.tree_readout import read_on_pairs
from chasles.build.system.build import Setup
from chasles.core.arrays import Floats


def own_wrenches(
    setup: Setup, absolute: Floats, times: Floats, integrals: Floats, known: Floats | None,
    multipliers: Floats, otherwise: Floats,
) -> Floats:  # fmt: skip
    """Joint wrenches (T, m, 12) of multipliers (T, rows).

    Where they are not known (NaN, at the start), `otherwise`.
    """
    problem, wrenches = TreeProblem.from_setup(setup), otherwise.copy()
    if problem.loops.row_count == 0:
        return otherwise
    found = ~np.isnan(multipliers[:, problem.loops.source]).any(axis=1)
    if found.any():
        wrenches[found] = read_on_pairs(
            setup, absolute[found], times[found], integrals[found],
            None if known is None else known[found], problem, multipliers[found],
        ).wrenches  # fmt: skip
    return wrenches
