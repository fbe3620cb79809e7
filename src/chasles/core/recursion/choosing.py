"""Rows of a cut joint that depend on each other wherever its loop is closed: some are chosen."""

from typing import Any

from chasles.compiled import routine
from chasles.scalars.elementary import sqrt

#: Another row is chosen where its pivot is so many times larger: a choice lasts for many steps.
HOLD = 4.0


@routine
def choose_rows(loops: Any, room: Any, lead: int) -> None:
    r"""Which rows of a joint are kept, of some that depend on each other where the loop is closed.

    Off the closed pose, where stages are, dependent rows contradict each other; those that are
    kept say it all.  Greedily the row with the largest pivot in units of its scale, then of what
    is left of the others, as many as there are independent ones, unless the next is below its
    floor.
    """
    count, block = loops.group[lead], room.block
    for i in range(count):
        row = lead + i
        block[i * count + i] = -room.values[row] / loops.scales[row]
        room.changed[row] = room.active[row]
        room.active[row] = 0.0
        for j in range(i + 1, count):
            value = -room.values[loops.later_value[loops.first_later[row] + j - i - 1]]
            value /= sqrt(loops.scales[row] * loops.scales[lead + j])
            block[i * count + j], block[j * count + i] = value, value
    for _ in range(loops.choices[lead]):
        best, largest = -1, 0.0
        for i in range(count):
            row, pivot = lead + i, block[i * count + i]
            weighed = HOLD * pivot if room.changed[row] != 0 else pivot
            good = room.active[row] == 0 and pivot * loops.scales[row] > loops.floors[row]
            if good and weighed > largest:
                best, largest = i, weighed
        if best < 0:
            break
        room.active[lead + best] = 1.0
        for i in range(count):
            factor = block[i * count + best] / block[best * count + best]
            if i != best:
                for j in range(count):
                    block[i * count + j] -= factor * block[best * count + j]
    note_change(loops, room, lead)


@routine
def note_change(loops: Any, room: Any, lead: int) -> None:
    """room.changed, which had the rows that were active before, at the first row of the joint."""
    changed = 0.0
    for row in range(lead, lead + loops.group[lead]):
        if room.changed[row] != room.active[row]:
            changed = 1.0
        room.changed[row] = 0.0
    room.changed[lead] = changed
