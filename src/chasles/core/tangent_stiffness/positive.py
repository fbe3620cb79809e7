"""The symmetric and positive part of a matrix (6, 6), as a sum of l l^T."""

from typing import Any

from chasles.compiled import beyond, routine
from chasles.core.arrays import clear, copy
from chasles.scalars.elementary import sqrt

SIZE = 36
#: Pivots below this fraction of the first are rounding.
NOTHING = 1e-10


@routine
def factor_rows(matrix: Any, out: Any) -> None:
    """Rows l with the sum of l l^T = the symmetric part of a matrix, where that is positive.

    Cholesky's method, the largest pivot first; it ends where no pivot is left.  In a positive
    matrix no entry is larger than the root of the product of its pivots: those of others are cut.
    The matrix is used up.
    """
    for i in range(6):
        for j in range(i):
            mean = 0.5 * (matrix[6 * i + j] + matrix[6 * j + i])
            matrix[6 * i + j], matrix[6 * j + i] = mean, mean
    first = 0.0
    for row in range(6):
        best, pivot = 0, 0.0
        for i in range(6):
            if matrix[7 * i] > pivot:
                best, pivot = i, matrix[7 * i]
        first = pivot if row == 0 else first
        clear(beyond(out, 6 * row), 6)
        if not pivot > NOTHING * first:
            continue
        root = sqrt(pivot)
        for i in range(6):
            own = matrix[7 * i]
            if own > 0.0:
                limit = sqrt(own * pivot)
                out[6 * row + i] = min(max(matrix[6 * best + i], -limit), limit) / root
        for i in range(6):
            for j in range(6):
                matrix[6 * i + j] -= out[6 * row + i] * out[6 * row + j]
        for i in range(6):  # exactly, so that it is not chosen again
            matrix[6 * i + best], matrix[6 * best + i] = 0.0, 0.0


@routine
def add_positive(
    matrix: Any, factor: float, spare: Any, rows: Any, out: Any, before: float
) -> None:
    """out = before * out + factor * the positive part of a matrix."""
    copy(matrix, spare, SIZE)
    factor_rows(spare, rows)
    for i in range(6):
        for j in range(6):
            total = 0.0
            for row in range(6):
                total += rows[6 * row + i] * rows[6 * row + j]
            out[6 * i + j] = before * out[6 * i + j] + factor * total
