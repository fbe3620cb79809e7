r"""With or without damping?  A pose that is singular at the start does not decide about later ones.

Rows that depend on each other need a damped factor, whose solution is refined.  Where they have
come to be independent, and all pivots d are well above the damping $\mu$, it is not needed: the
next step is solved by the plain factor, and a stage at which a pivot is small again falls back
(`evaluate.solve_motion`).  The decision is part of the state block: the same whatever the pieces of
a run.

A row that is a combination y of rows before it has a damped pivot of $\mu\,|y|^2 / y_k^2$ at most
(y in units of the free pivots): no more than a few $\mu$, but where the combination hardly contains
it.  A redundant model of which this is not so at its start stays damped (`safe` is infinite), and
one that is found out later falls back.
"""

from typing import Any

from chasles.compiled import beyond, routine
from chasles.core.state_block import DAMPED_STEPS, FREED, PLAIN
from chasles.core.watch import forget, has_dependent, pivot_of

#: Damped pivots have to exceed the safe ones by this factor before damping is left: a way back
#: costs a factorisation, and is not to be taken at every other step.
WELL_ABOVE = 10.0


@routine
def judge_regime(mechanism: Any, scratch: Any, out: Any) -> None:
    """After a step on a damped plan: whether the next one needs its damping."""
    plan, watch, layout = mechanism.plan, mechanism.watch, mechanism.layout
    regime = beyond(out, layout.regime)
    if scratch.plain[0] != 0.0:
        return
    regime[DAMPED_STEPS] += 1.0
    healthy = 1.0 if watch.row_count > 0 else 0.0
    for k in range(watch.row_count):
        if not pivot_of(watch, scratch.values, k, 0.0) > WELL_ABOVE * plan.safe[watch.rows[k]]:
            healthy = 0.0
    regime[PLAIN] = healthy
    if healthy != 0.0 and regime[FREED] == 0.0:
        regime[FREED] = 1.0
        if has_dependent(watch):  # volumes of other rows than before
            forget(watch, beyond(out, layout.seen))
