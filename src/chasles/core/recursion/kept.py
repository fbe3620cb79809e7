"""Velocities that stay in a constant subspace: see `dynamics.kept_rows`."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import routine
from chasles.core.arrays import Floats


class KeptRows(NamedTuple):
    """Constant rows of a tree's velocities, N v = 0, and what takes misses of them away."""

    count: int
    matrix: Floats  # (count, v) N
    inverse: Floats  # (count, v) the transpose of N^+
    missed: Floats  # (count,) storage


def no_kept_rows(rates: int) -> KeptRows:
    """Of most models."""
    none = np.zeros((0, rates))
    return KeptRows(0, none, none, np.zeros(0))


@routine
def keep_rows(kept: Any, values: Any, first: int, rates: int) -> None:
    """v = v - N^+ N v of the velocities, or their rates, from values[first] on."""
    for row in range(kept.count):
        total = 0.0
        for k in range(rates):
            total += kept.matrix[row * rates + k] * values[first + k]
        kept.missed[row] = total
    for row in range(kept.count):
        for k in range(rates):
            values[first + k] -= kept.inverse[row * rates + k] * kept.missed[row]
