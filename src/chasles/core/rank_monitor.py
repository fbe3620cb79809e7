r"""Singular poses: once per step, the pivots show whether the rank of the joints has changed.

The pivot of a row is the square of its distance from the span of the rows before it.  The product
of the distances of one joint's rows is the volume s that they span, whatever their order; at a
singular pose it passes zero as |t - t*| does.  Three steps in a row show whether its sign has
changed: the first two point to where the third lies, with the other sign.  Every joint is compared
with the largest volume it has had: a slender body makes some pivots small for ever.

Where constraints are redundant, a pivot also vanishes when two rows swap their parts.  The damped
pivot of the other row, in units of the damping, grows then as this one falls,

$$ d_i \to \delta^2, \qquad d_j / \mu \to c^2 / \delta^2, $$

so the product with the largest of the other kind is checked.  See docs/equations.md, "Singular
poses".
"""

from typing import Any, NamedTuple

from chasles.compiled import formula, routine
from chasles.core.arrays import Floats, Integers
from chasles.core.outcomes import OK
from chasles.scalars.elementary import maximum, pick, sqrt

#: So many poses are remembered.
MOST_EVENTS = 1000
EVENT_WIDTH = 2
#: What is kept of every joint: the volumes before last and last, whether damping rounds the last
#: off, the largest so far, and by how much the next has to grow if a sign has changed.
BEFORE, LAST, ROUNDED, LARGEST, WANTED, SEEN_WIDTH = 0, 1, 2, 3, 4, 5
#: Fractions of the largest volume above this are not looked at, changes below this are rounding.
FAR, ROUNDING = 0.3, 1e-7
#: How far a volume may be from where the two before it point, as a fraction of a step's change.
STRAIGHT = 0.3
#: A minimum of a pivot below so many times the damping is a zero that damping has rounded off.
TIP = 1000.0
#: A volume below NEAR that grows by more than FAR and so many times its last change was thrown.
NEAR, THROWN = 0.15, 2.0
TINY = 1e-300


class RankMonitor(NamedTuple):
    """Rows that are independent at the start, and what was seen of them."""

    rows: Integers  # (k,)
    joints: Integers  # (k,) counted from 0, as they come
    first: Floats  # (k,) their pivots at the start
    independent: Integers  # (k,) 1 for rows that were so at the start, -1 for those of rotors
    damping: Floats  # (k,)
    stop: int  # 1: stop at a singular pose
    row_count: int  # k
    joint_count: int
    events: Floats  # (MOST_EVENTS, 2): time and row of singular poses
    count: Integers  # (1,) of events


@formula
def changed_sign(before: float, last: float, now: float) -> bool:
    """Whether volumes of three steps in a row are those of one that changes its sign."""
    change = before - last
    return change > ROUNDING and abs(last - change + now) <= STRAIGHT * change


@formula
def met_zero(before: float, last: float, now: float, rounded: bool) -> bool:
    """Whether the volumes are those of one that came to zero, but was kept from passing it.

    A damped factor rounds the tip of |t - t*| off: there, a minimum that small is one.  A step that
    meets the zero itself may end anywhere: a small volume that grows by more than the steps before
    explain has met it, too.
    """
    thrown = last < NEAR and now - last > FAR + THROWN * abs(before - last)
    return thrown or (rounded and before >= last and last < now)


@formula
def pivot_of(monitor: Any, inverses: Any, k: int) -> float:
    """The pivot of a row, less its damping."""
    return maximum(0.0, -1.0 / inverses[k] - monitor.damping[k])


@routine
def monitor_joint(seen: Any, joint: int, volume: float, rounded: float) -> bool:
    """Note the volume that a joint's rows span; whether it has just passed zero.

    One that still falls has passed zero only if it grows in the next step.
    """
    at = joint * SEEN_WIDTH
    wanted, was_rounded = seen[at + WANTED], seen[at + ROUNDED] > 0.0
    largest = maximum(volume, seen[at + LARGEST])
    if largest == 0.0:
        return False
    before, last = seen[at + BEFORE] / largest, seen[at + LAST] / largest
    now = volume / largest
    seen[at + BEFORE], seen[at + LAST] = seen[at + LAST], volume
    seen[at + ROUNDED], seen[at + LARGEST] = rounded, largest
    seen[at + WANTED] = 0.0
    # One comparison, so that a recorded step also takes the first two, which know nothing yet.
    far = pick(last > FAR, now, last)
    if pick(before < 0.0, 1.0, far) > FAR:
        return False
    if wanted > 0.0 and volume - last * largest > wanted:
        return True
    if changed_sign(before, last, now):
        if now > last:
            return True
        seen[at + WANTED] = 0.5 * (before - last) * largest
    return met_zero(before, last, now, was_rounded)


@routine
def monitor_pivots(monitor: Any, inverses: Any, t: float, seen: Any) -> int:
    """OK, or the row that has just passed a singular pose, if that is to stop the run."""
    swapped, passed, watched = 1.0, -1, monitor.row_count
    for k in range(watched):
        if monitor.independent[k] == 0:
            swapped = maximum(swapped, pivot_of(monitor, inverses, k) / monitor.damping[k])
    volume, nearest, row, count, rounded = swapped, 1.0, -1, 0, 0.0
    for k in range(watched):
        if monitor.independent[k] > 0:
            pivot = pivot_of(monitor, inverses, k)
            fraction = pivot / monitor.first[k]
            volume *= fraction
            if count == 0:
                nearest, row = fraction, monitor.rows[k]
            nearer = fraction < nearest
            nearest, row = pick(nearer, fraction, nearest), pick(nearer, monitor.rows[k], row)
            count += 1
            rounded = pick(swapped * pivot < TIP * monitor.damping[k], 1.0, rounded)
        if k + 1 == watched or monitor.joints[k + 1] != monitor.joints[k]:
            if count > 0 and monitor_joint(seen, monitor.joints[k], sqrt(volume), rounded):
                passed = row
            volume, nearest, row, count, rounded = swapped, 1.0, -1, 0, 0.0
    if passed < 0:
        return OK
    for k in range(watched):  # one pose, one event
        seen[monitor.joints[k] * SEEN_WIDTH + BEFORE] = -1.0
        seen[monitor.joints[k] * SEEN_WIDTH + WANTED] = 0.0
    if monitor.count[0] < MOST_EVENTS:
        at = monitor.count[0] * EVENT_WIDTH
        monitor.events[at], monitor.events[at + 1] = t, passed
        monitor.count[0] += 1
    return passed if monitor.stop != 0 else OK
