"""What an implicit method knows before its first step."""

from typing import Any

from chasles.compiled import beyond, hot, once
from chasles.core.arrays import clear, copy
from chasles.core.newton.solve import size_of
from chasles.core.outcomes import OK
from chasles.core.retraction import retract
from chasles.core.stage import Role, stage
from chasles.core.tally import EVALUATED, count_up

#: v'' is a difference over so many parts of the step: v' is known to 1e-14, h v'' to 1e-12 then.
PARTS = 64.0


@once
def find_second_rates(
    mechanism: Any, scratch: Any, room: Any, state: Any, t: float, step: float
) -> int:
    """v'' at a state into room.shift; its own stage is left in scratch and room.slope.

    A difference of second order of the accelerations ahead; v' goes to room.unknown.
    """
    part, count = step / PARTS, mechanism.tree.rate_count
    clear(room.shift, count)
    copy(state, room.point, mechanism.layout.kept)
    outcome = stage(mechanism, scratch, room.point, t, Role(0.0), room.slope)
    count_up(room.tally, EVALUATED, 1)
    if outcome != OK:
        return outcome
    copy(room.slope, room.pose, count)
    copy(beyond(room.slope, count), room.rate, count)
    for j, weight in ((2, -0.5), (1, 2.0), (0, -1.5)):
        for k in range(count):
            room.increment[k] = j * part * room.pose[k]
            room.increment[count + k] = j * part * room.rate[k]
        retract(mechanism, state, room.increment, room.point)
        outcome = stage(mechanism, scratch, room.point, t + j * part, Role(0.0), room.slope)
        count_up(room.tally, EVALUATED, 1)
        if outcome != OK:
            return outcome
        for k in range(count):
            room.unknown[k] = room.slope[count + k]
            room.shift[k] += weight / part * room.unknown[k]
    return OK


@hot
def is_resolved(mechanism: Any, room: Any, step: float) -> bool:
    """Whether accelerations change by less than themselves in a step, after `find_second_rates`.

    Otherwise forces are stiff: v'' is that of a transient which no step shows.
    """
    rates = size_of(mechanism, room, room.unknown)
    resolved: bool = step * size_of(mechanism, room, room.shift) <= rates
    return resolved
