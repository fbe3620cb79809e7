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
from chasles.core.assemble import assemble_wrenches
from chasles.core.constraints.registry import assemble_rows
from chasles.core.forces.registry import apply_forces
from chasles.core.recursion.mechanism import TreeMechanism
from chasles.core.seam import on, seam
from chasles.core.stabilisation.residuals import solve_rows

# What a step hands to the next: the length of its last step, then lambda at the end of that.
LENGTH, ENDS = 0, 1
#: Lengths of opposite signs that cancel to less than this fraction tell nothing of c: a run that
#: turns back.  Those of the compositions cancel to 0.36 at the most.
CANCELLED = 1e-3


def length_of_history(rows: int, velocities: int, integrals: int) -> int:
    return ENDS + rows


@seam
@routine
def begin_multipliers(mechanism: Any, work: Any, state: Any) -> None:
    """lambda of the equations of motion, on the factor at the point, where there was no step."""
    system, unknowns = mechanism.system, 6 * mechanism.system.body_count
    before = beyond(state, mechanism.layout.history)
    if before[LENGTH] != 0.0:
        return
    assemble_rows(system, work)
    assemble_wrenches(system, work.absolute, work.rhs)
    apply_forces(system, work)
    for row in range(system.row_count):
        work.rhs[unknowns + row] = work.eta[row]
    solve_rows(system, mechanism.plan, work, work.rhs)
    for row in range(system.row_count):
        before[ENDS + row] = work.rhs[unknowns + row]


@seam
@routine
def note_multipliers(mechanism: Any, work: Any, length: float, out: Any) -> None:
    """lambda at the end of a step that has just been found, into the block."""
    layout, unknowns = mechanism.layout, 6 * mechanism.system.body_count
    early, before = mechanism.stabiliser.pull, beyond(out, layout.history)
    both = length + before[LENGTH]
    share = length / both if abs(both) > CANCELLED * abs(length) else 0.0
    for row in range(mechanism.system.row_count):
        end = work.rhs[unknowns + row]
        jump = 2.0 / length * early[row] - before[ENDS + row]
        out[layout.multipliers + row] = end + share * jump
        before[ENDS + row] = end
    before[LENGTH] = length


@on(begin_multipliers, TreeMechanism)
@routine
def begin_without(mechanism: Any, work: Any, state: Any) -> None:
    """Joints of a tree have no rows."""


@on(note_multipliers, TreeMechanism)
@routine
def note_none(mechanism: Any, work: Any, length: float, out: Any) -> None:
    """The same."""
