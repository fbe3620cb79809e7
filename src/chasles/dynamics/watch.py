r"""Is the rank of the joints still what it was?  Looked at once per step, in the pivots.

The pivot of a row is the square of its distance s from what the rows before it say, so at a
singular pose s passes zero as |t - t*| does.  From three steps in a row one sees whether its
sign has changed: the two before point to where the present one lies, with the other sign.

Where constraints are redundant a pivot may vanish because two rows swap their parts: one that said
nothing new does so now.  Its damped pivot, in units of the damping, grows then as the other falls,

$$ d_i \to \delta^2, \qquad d_j / \mu \to c^2 / \delta^2, $$

so the product of the smallest of the one kind and the largest of the other is what is looked at.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import borrow, formula, routine
from chasles.dynamics.factor import OK
from chasles.dynamics.ordering import PIVOT, RHS, SIZE, Plan
from chasles.groups.scalar import sqrt
from chasles.system.arrays import Floats, Integers

#: So many poses are remembered.
MOST_EVENTS = 1000
EVENT_WIDTH = 2
#: Distances above this are not looked at, changes below this are rounding.
FAR, ROUNDING = 0.3, 1e-7
#: How far a distance may be from where the two before it point, as a fraction of a step's change.
STRAIGHT = 0.3
#: A minimum of a pivot below so many times the damping is a zero that damping has rounded off.
TIP = 1000.0


class Watch(NamedTuple):
    """Rows that are independent at the start, and what was seen of them."""

    places: Integers  # (k,) where 1/D of each stands in the factor
    rows: Integers  # (k,)
    free: Floats  # (k,) the pivot each would have without the other joints
    independent: Integers  # (k,) 1 for rows that were so at the start
    damping: Floats  # (k,)
    stop: int  # 1: stop at a singular pose
    distances: Floats  # (3,) before last and last, and whether damping rounds the last off
    events: Floats  # (MOST_EVENTS, 2): step and row of singular poses
    count: Integers  # (1,) of events


def make_watch(
    plan: Plan, unknowns: int, rows: Integers, free: Floats, independent: Integers, stop: bool
) -> Watch:
    """Watch some rows, which are independent at the start or not; `free` is that of all rows."""
    places = np.zeros(len(free), np.int64)
    for node in plan.nodes[plan.nodes[:, RHS] >= unknowns]:
        for row in range(int(node[SIZE])):
            places[node[RHS] - unknowns + row] = node[PIVOT] + row * (row + 3) // 2
    return Watch(
        places=places[rows],
        rows=np.array(rows, np.int64),
        free=np.array(free[rows], np.float64),
        independent=np.array(independent, np.int64),
        damping=plan.damping[rows],
        stop=int(stop),
        distances=np.full(3, -1.0),
        events=np.zeros((MOST_EVENTS, EVENT_WIDTH)),
        count=np.zeros(1, np.int64),
    )


@formula
def borrow_watch(watch: Any) -> Any:
    """The same with borrowed arrays, and how many rows they have."""
    return Watch(
        borrow(watch.places),
        borrow(watch.rows),
        borrow(watch.free),
        borrow(watch.independent),
        borrow(watch.damping),
        watch.stop,
        borrow(watch.distances),
        borrow(watch.events),
        borrow(watch.count),
    )


@formula
def passed_zero(before: float, last: float, now: float, rounded: bool) -> bool:
    """Whether distances of three steps in a row are those of one that changes its sign.

    A damped factor rounds the tip of |t - t*| off: there, a minimum that small is one.
    """
    change = before - last
    sharp = change > ROUNDING and abs(last - change + now) <= STRAIGHT * change
    return sharp or (rounded and before >= last and last < now)


@routine
def look_at_pivots(watch: Any, watched: int, values: Any, step: int) -> int:
    """OK, or the row that has just passed a singular pose, if that is to stop the run."""
    nearest, row, tip, swapped = FAR * FAR, -1, 0.0, 1.0
    for k in range(watched):
        pivot = max(0.0, -1.0 / values[watch.places[k]] - watch.damping[k])
        if watch.independent[k] == 0:
            swapped = max(swapped, pivot / watch.damping[k])
        elif pivot < nearest * watch.free[k]:
            nearest, row = pivot / watch.free[k], watch.rows[k]
            tip = TIP * watch.damping[k] / watch.free[k]
    nearest *= swapped
    distance, rounded = sqrt(nearest), 0.0
    if nearest < tip:
        rounded = 1.0
    before, last = watch.distances[0], watch.distances[1]
    was_rounded = watch.distances[2] > 0.0
    watch.distances[0], watch.distances[1], watch.distances[2] = last, distance, rounded
    if row < 0 or before < 0.0 or not passed_zero(before, last, distance, was_rounded):
        return OK
    watch.distances[0] = -1.0  # one pose, one event
    if watch.count[0] < MOST_EVENTS:
        at = watch.count[0] * EVENT_WIDTH
        watch.events[at], watch.events[at + 1] = step, row
        watch.count[0] += 1
    return row if watch.stop != 0 else OK
