"""Velocities that stay in a constant subspace: see `dynamics.constant_rows`."""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import once
from chasles.core.arrays import Floats, Integers
from chasles.scalars.elementary import absolute, maximum


class ConstantRows(NamedTuple):
    """Constant rows of a tree's velocities, N v = 0, and what takes misses of them away.

    In groups that share no velocity, each a dense matrix.
    """

    count: int
    rows: Integers  # (count,) of a group
    widths: Integers  # (count,) velocities of a group
    columns: Integers  # (widths,) which these are, group after group
    matrix: Floats  # (rows x widths,) N, group after group
    inverse: Floats  # (rows x widths,) the transpose of N^+
    residual: Floats  # (largest group,) storage


def no_constant_rows() -> ConstantRows:
    """Of most models."""
    none, nothing = np.zeros(0, np.int64), np.zeros(0)
    return ConstantRows(0, none, none, none, nothing, nothing, nothing)


@once
def remove_constant_rows(kept: Any, values: Any, first: int) -> float:
    """v = v - N^+ N v of velocities, or of their rates, from values[first] on: the largest N v."""
    begins, at, largest = 0, 0, 0.0
    for group in range(kept.count):
        rows, width = kept.rows[group], kept.widths[group]
        for row in range(rows):
            total = 0.0
            for k in range(width):
                value = values[first + kept.columns[begins + k]]
                total += kept.matrix[at + row * width + k] * value
            kept.residual[row] = total
            largest = maximum(largest, absolute(total))
        for row in range(rows):
            for k in range(width):
                share = kept.inverse[at + row * width + k] * kept.residual[row]
                values[first + kept.columns[begins + k]] -= share
        begins += width
        at += rows * width
    return largest
