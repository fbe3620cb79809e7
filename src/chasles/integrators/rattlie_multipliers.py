r"""The multipliers of RATTLie, of second order at the ends of its steps.

A step of length h has two, $\lambda_n^+$ at its start, which closes the joints at its end, and
$\lambda_{n+1}^-$ at its end, which keeps velocities from slipping.  Each belongs to a time within
the step: both miss $\lambda$ by first order, and, as the method is symmetric, by the same vector,

$$ \lambda_n^+ = \lambda(t_n) + h\,c + O(h^2), \qquad \lambda_n^- = \lambda(t_n) - h\,c + O(h^2). $$

What pulls at a pose is their mean, which has order 2, but $\lambda_{n+1}^+$ is known only to the
step after.  So c is taken from the two at the start, of steps of lengths l and h,

$$ c = \frac{\lambda_n^+ - \lambda_n^-}{h + l}, \qquad \lambda_{n+1} = \lambda_{n+1}^- + h\,c, $$

of order 2 as well.  Before the first step $\lambda(t_0)$ is that of the equations of motion, the
limit of a step of length zero.  Compositions take the last two of their steps; poses within them
have no higher order, so theirs is 2, too.
"""

from typing import Any

from chasles.compiled import beyond, routine
from chasles.core.arrays import clear
from chasles.core.outcomes import OK
from chasles.core.recursion.stage import accelerate_loops
from chasles.core.stage import failure

# What a step hands to the next: the length of its last step, then lambda at the end of that.
LENGTH, ENDS = 0, 1
#: Lengths of opposite signs that cancel to less than this fraction tell nothing of c: a run that
#: turns back.  Those of the compositions cancel to 0.36 at the most.
CANCELLED = 1e-3


def length_of_history(rows: int, velocities: int, integrals: int) -> int:
    return ENDS + rows


@routine
def begin_multipliers(mechanism: Any, workspace: Any, scheme: Any, state: Any) -> int:
    """lambda of the equations of motion, at the placed bodies, where there was no step: OK, or why
    there is none.
    """
    loops, before = mechanism.loops, beyond(state, mechanism.layout.history)
    if before[LENGTH] != 0.0 or loops.row_count == 0:
        return OK
    outcome = accelerate_loops(mechanism, workspace, scheme.rates, 0)
    for row in range(loops.row_count):
        before[ENDS + loops.source[row]] = mechanism.loop_work.multipliers[row]
    return OK if outcome == OK else failure(mechanism, workspace, outcome)


@routine
def note_multipliers(mechanism: Any, scheme: Any, length: float, out: Any) -> None:
    """lambda at the end of a step that has just been found, into the block.

    Rows that others repeat have 0; joints that are pairs have none, and stay NaN.
    """
    layout, loops, joints = mechanism.layout, mechanism.loops, mechanism.system.joints
    before = beyond(out, layout.history)
    both = length + before[LENGTH]
    share = length / both if abs(both) > CANCELLED * abs(length) else 0.0
    for k in range(loops.joint_count):
        first = layout.multipliers + joints.first_row[loops.joints[k]]
        clear(beyond(out, first), joints.span[loops.joints[k]])
    for row in range(loops.row_count):
        source, end = loops.source[row], 2.0 / length * scheme.late[row]
        jump = 2.0 / length * scheme.early[row] - before[ENDS + source]
        out[layout.multipliers + source] = end + share * jump
        before[ENDS + source] = end
    before[LENGTH] = length
