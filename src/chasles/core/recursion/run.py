"""What set-up asks of a tree with rows: its factor, corrections, closing, accelerations."""

from typing import Any

from chasles.compiled import beyond, borrow, kernel
from chasles.core.arrays import clear, copy
from chasles.core.constraints.registry import assemble_joint
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.coupled import put_negative
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.kinematics import kinematics
from chasles.core.recursion.motion import retract
from chasles.core.recursion.refine import solve_rows
from chasles.core.recursion.stage import factor_at
from chasles.core.stabilisation.residuals import put_position_residual
from chasles.scalars.elementary import absolute, maximum


@kernel("loop-closing joints of trees", seconds=8, plain=(300, 20_000))
def tree_factor(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any, closing: int
) -> int:
    """`factor_at` for Python."""
    return factor_at(
        borrow(tree), borrow(memory), borrow(system), borrow(work), borrow(loops), borrow(room),
        borrow(state), closing,
    )  # fmt: skip


@kernel("closing of loop-closing joints", seconds=10, plain=(300, 20_000))
def tree_close(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any, column: Any,
    sizes: Any, closed: float, most: int,
) -> bool:  # fmt: skip
    """Move a state until the rows that ride are closed, by Newton's method: whether they are.

    `column` (6 n + rows,) is scratch, `sizes` (rows,) what gaps are compared with.
    """
    model, scratch, cuts, riders = borrow(tree), borrow(memory), borrow(loops), borrow(room)
    arrays, space, now, gaps = borrow(system), borrow(work), borrow(state), borrow(column)
    rates, unknowns, units = model.rate_count, 6 * model.body_count, borrow(sizes)
    for _ in range(most):
        if factor_at(model, scratch, arrays, space, cuts, riders, now, 1) != SOLVED:
            return False
        for k in range(cuts.joint_count):
            joint = cuts.joints[k]  # assembled anew: a user's formula answers for one at a time
            assemble_joint(arrays, joint, space.absolute, space, space.jacobian, space.eta)
            put_position_residual(arrays, joint, space.absolute, space, gaps)
        put_negative(cuts, riders.gaps, cuts.joint_of, True, unknowns, gaps)
        largest = 0.0
        for row in range(cuts.row_count):
            riders.wanted[row] = gaps[unknowns + cuts.source[row]]
            gap = absolute(riders.wanted[row]) / units[cuts.source[row]]
            largest = maximum(largest, gap)
        if largest < closed:
            return True
        solve_rows(model, cuts, riders, scratch.rows)
        copy(riders.solution, riders.increment, rates)
        clear(beyond(riders.increment, rates), rates)
        retract(model, now, riders.increment, now)
    return False


@kernel("accelerations of trees", seconds=4)
def tree_rates(tree: Any, memory: Any, state: Any, rates: Any) -> None:
    """The rates of all velocities at a state, from the loads and signals in `memory`."""
    model, scratch, now = borrow(tree), borrow(memory), borrow(state)
    kinematics(model, now, scratch.rows)
    accelerations(model, scratch, borrow(rates), 0)
