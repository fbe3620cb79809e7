"""Selection of independent rows of a cut joint, where some depend on others in every pose."""

from typing import Any

from chasles.compiled import once, routine
from chasles.scalars.elementary import sqrt

#: Another row is chosen where its pivot is so many times larger: a choice lasts for many steps.
HOLD = 4.0


@once
def select_rows(loops: Any, loop_work: Any, g: int) -> None:
    r"""Which rows of the joint of a group, its first, are kept, of some that depend on each other.

    Off the closed pose, where stages are, dependent rows contradict each other; those that are
    kept say it all.  Greedily the row with the largest pivot in units of its scale, then of what
    is left of the others, as many as there are independent ones, unless the next is below its
    floor.
    """
    lead = loops.first_row[g]
    count, block = loops.group[lead], loop_work.block
    for i in range(count):
        row = lead + i
        loop_work.changed[row] = loop_work.active[row]
        loop_work.active[row] = 0.0
        for j in range(i + 1):
            value = -entry_of_joint(loops, loop_work, g, i, j)
            value /= sqrt(loops.scales[row] * loops.scales[lead + j])
            block[i * count + j], block[j * count + i] = value, value
    for _ in range(loops.choices[lead]):
        best, largest = -1, 0.0
        for i in range(count):
            row, pivot = lead + i, block[i * count + i]
            weighed = HOLD * pivot if loop_work.changed[row] != 0 else pivot
            good = loop_work.active[row] == 0 and pivot * loops.scales[row] > loops.floors[row]
            if good and weighed > largest:
                best, largest = i, weighed
        if best < 0:
            break
        loop_work.active[lead + best] = 1.0
        for i in range(count):
            factor = block[i * count + best] / block[best * count + best]
            if i != best:
                for j in range(count):
                    block[i * count + j] -= factor * block[best * count + j]
    note_change(loops, loop_work, lead)


@routine
def entry_of_joint(loops: Any, loop_work: Any, g: int, i: int, j: int) -> float:
    """E of rows i >= j of a joint whose first group is g; its groups follow each other."""
    lead, later, sooner = loops.first_row[g], g, g
    while loops.first_row[later + 1] - lead <= i:
        later += 1
    while loops.first_row[sooner + 1] - lead <= j:
        sooner += 1
    k, c = lead + i - loops.first_row[later], lead + j - loops.first_row[sooner]
    at = 6 * later + k * (k + 1) // 2 + c
    if later > sooner:
        block = loops.later_value[loops.first_later[sooner] + later - sooner - 1]
        at = block + 3 * k + c
    found: float = loop_work.values[at]
    return found


@routine
def note_change(loops: Any, loop_work: Any, lead: int) -> None:
    """loop_work.changed, which had the rows that were active before, at the first row of the
    joint."""
    changed = 0.0
    for row in range(lead, lead + loops.group[lead]):
        if loop_work.changed[row] != loop_work.active[row]:
            changed = 1.0
        loop_work.changed[row] = 0.0
    loop_work.changed[lead] = changed
