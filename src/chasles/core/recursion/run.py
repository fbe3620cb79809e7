"""What set-up asks of a tree with rows: its factor, and accelerations."""

from typing import Any

from chasles.compiled import borrow, kernel
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.kinematics import kinematics
from chasles.core.recursion.stage import factor_at


@kernel("loop-closing joints of trees", seconds=8, plain=(300, 20_000))
def tree_factor(
    tree: Any, memory: Any, system: Any, work: Any, loops: Any, room: Any, state: Any, closing: int
) -> int:
    """`factor_at` for Python."""
    return factor_at(
        borrow(tree), borrow(memory), borrow(system), borrow(work), borrow(loops), borrow(room),
        borrow(state), closing,
    )  # fmt: skip


@kernel("accelerations of trees", seconds=4)
def tree_rates(tree: Any, memory: Any, state: Any, rates: Any) -> None:
    """The rates of all velocities at a state, from the loads and signals in `memory`."""
    model, scratch, now = borrow(tree), borrow(memory), borrow(state)
    kinematics(model, now, scratch.rows)
    accelerations(model, scratch, borrow(rates), 0)
