"""Joint wrenches of multipliers that a method has found by itself."""

from typing import Any

from chasles.compiled import borrow, kernel
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH
from chasles.core.constraints.registry import assemble_rows
from chasles.core.evaluate import joint_wrenches


@kernel("reactions of multipliers", seconds=3, plain=(100_000, 200_000))
def wrenches_of(
    system: Any, work: Any, absolute: Any, table: Any, multipliers: Any, wrenches: Any
) -> None:
    """-J^T lambda (T, m, 12) of every joint at absolute states (T, n, 18).

    `table` holds the functions of time (T, signals), `multipliers` lambda (T, rows).
    """
    model, scratch = borrow(system), borrow(work)
    states, functions = borrow(absolute), borrow(table)
    given, out = borrow(multipliers), borrow(wrenches)
    length, rows = model.body_count * ABSOLUTE_WIDTH, model.row_count
    for k in range(absolute.shape[0]):
        for c in range(length):
            scratch.absolute[c] = states[k * length + c]
        for c in range(model.signal_count):
            scratch.signals[c] = functions[k * model.signal_count + c]
        assemble_rows(model, scratch)
        for row in range(rows):
            scratch.rhs[6 * model.body_count + row] = given[k * rows + row]
        joint_wrenches(model, scratch, out, k * model.joint_count * ROW_WIDTH)
