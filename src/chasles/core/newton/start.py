"""What an implicit method knows before its first step."""

from typing import Any

from chasles.compiled import beyond, hot, once
from chasles.core.arrays import clear, copy
from chasles.core.newton.solve import size_of
from chasles.core.outcomes import EVALUATED, OK, count_up
from chasles.core.stage import Role, stage
from chasles.core.state_block import retract

#: v'' is a difference over so many parts of the step: v' is known to 1e-14, h v'' to 1e-12 then.
PARTS = 64.0


@once
def find_second_rates(
    mechanism: Any, workspace: Any, iteration: Any, state: Any, t: float, step: float
) -> int:
    """v'' at a state into iteration.shift; its own stage is left in the workspace and
    iteration.slope.

    A difference of second order of the accelerations ahead; v' goes to iteration.unknown.
    """
    part, count = step / PARTS, mechanism.tree.rate_count
    clear(iteration.shift, count)
    copy(state, iteration.point, mechanism.layout.kept)
    outcome = stage(mechanism, workspace, iteration.point, t, Role(0.0), iteration.slope)
    count_up(iteration.tally, EVALUATED, 1)
    if outcome != OK:
        return outcome
    copy(iteration.slope, iteration.pose, count)
    copy(beyond(iteration.slope, count), iteration.rate, count)
    for j, weight in ((2, -0.5), (1, 2.0), (0, -1.5)):
        for k in range(count):
            iteration.increment[k] = j * part * iteration.pose[k]
            iteration.increment[count + k] = j * part * iteration.rate[k]
        retract(mechanism, state, iteration.increment, iteration.point)
        outcome = stage(
            mechanism, workspace, iteration.point, t + j * part, Role(0.0), iteration.slope
        )
        count_up(iteration.tally, EVALUATED, 1)
        if outcome != OK:
            return outcome
        for k in range(count):
            iteration.unknown[k] = iteration.slope[count + k]
            iteration.shift[k] += weight / part * iteration.unknown[k]
    return OK


@hot
def is_resolved(mechanism: Any, iteration: Any, step: float) -> bool:
    """Whether accelerations change by less than themselves in a step, after `find_second_rates`.

    Otherwise forces are stiff: v'' is that of a transient which no step shows.
    """
    rates = size_of(mechanism, iteration, iteration.unknown)
    resolved: bool = step * size_of(mechanism, iteration, iteration.shift) <= rates
    return resolved
