"""What set-up asks of a tree with rows: its factor, and accelerations."""

from typing import Any

from chasles.compiled import borrow, kernel
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.kinematics import kinematics
from chasles.core.recursion.stage import factor_at


@kernel("loop-closing joints of trees", seconds=8, plain=(300, 20_000))
def tree_factor(
    tree: Any,
    tree_work: Any,
    system: Any,
    workspace: Any,
    loops: Any,
    loop_work: Any,
    state: Any,
    closing: int,
) -> int:
    """`factor_at` for Python."""
    return factor_at(
        borrow(tree), borrow(tree_work), borrow(system), borrow(workspace), borrow(loops),
        borrow(loop_work), borrow(state), closing,
    )  # fmt: skip


@kernel("accelerations of trees", seconds=4)
def tree_rates(tree: Any, tree_work: Any, state: Any, rates: Any) -> None:
    """The rates of all velocities at a state, from the loads and signals in `tree_work`."""
    model, workspace, now = borrow(tree), borrow(tree_work), borrow(state)
    kinematics(model, now, workspace.rows)
    accelerations(model, workspace, borrow(rates), 0)
