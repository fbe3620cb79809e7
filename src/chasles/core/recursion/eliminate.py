r"""Groups of rows that close: their multipliers are eliminated, and found again on the way back.

Where all that a group is connected with hangs on one body, E_gg = L D L^T has pivots d < 0: -E is
the mobility that the coordinates inside the loop leave to its rows, definite where rows are
independent; damped rows start from $E_{rr} = -\mu$.  With b what is asked,

$$ A \mathrel{-}= G E_{gg}^{-1} G^T, \quad p \mathrel{+}= G E_{gg}^{-1} b, \quad
   G_s \mathrel{-}= E_{sg}E_{gg}^{-1}G, \quad E_{st} \mathrel{-}= E_{sg}E_{gg}^{-1}E_{gt}, \quad
   b_s \mathrel{-}= E_{sg}E_{gg}^{-1}b, $$
$$ \lambda_g = E_{gg}^{-1}\bigl(b - G^T X - \textstyle\sum_s E_{gs}\lambda_s\bigr) . $$

What stays is L and $D^{-1}$ in the group's triangle, $L^{-1}G^T$ in its place on the body,
$D^{-1}L^{-1}b$ in what was asked, and $E_{sg}L^{-T}D^{-1}$.  Rows that are missing or not chosen
have $D^{-1} = 0$: they take no part, and their multipliers are zero.
"""

from typing import Any

from chasles.compiled import formula, hot, once, routine
from chasles.core.arrays import get6, mat9, put3, put6, vec3
from chasles.core.blocks.small import NOTHING, backward3, dot6, forward3, minus_scaled6, scale3
from chasles.core.recursion.articulate import add_load, clear_load, inertia_of, put_inertia
from chasles.core.recursion.denormals import LONG, flushed3
from chasles.core.recursion.inertia import deflated
from chasles.core.recursion.propagation import minus_rows, rows_of_group
from chasles.core.recursion.tree import ALPHA, ROW
from chasles.groups.vectors import dot, neg, sub, tmatvec
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
    """loop_work.changed at the first row of the joint, from the rows that were active before."""
    changed = 0.0
    for row in range(lead, lead + loops.group[lead]):
        if loop_work.changed[row] != loop_work.active[row]:
            changed = 1.0
        loop_work.changed[row] = 0.0
    loop_work.changed[lead] = changed


SOLVED = -1
NO_INERTIA = ((0.0,) * 6, (0.0,) * 9, (0.0,) * 6)


@hot
def factor_group(loops: Any, loop_work: Any, g: int) -> int:
    """L and 1 / D of a group, in place: SOLVED, or the row whose pivot is too small."""
    values, first = loop_work.values, loops.first_row[g]
    count = loops.first_row[g + 1] - first
    a00, a10, a11, a20, a21, a22 = get6(values, 6 * g)
    if loops.group_count >= LONG:
        a10, a20, a21 = flushed3((a10, a20, a21))
    x, y, z = 0.0, 0.0, 0.0
    if loop_work.active[first] != 0:
        if not a00 < -loops.floors[first]:
            return first
        x = 1.0 / a00
    loop_work.inverses[first] = x
    low, below = a10 * x, a20 * x
    if count > 1:
        if loop_work.active[first + 1] != 0:
            pivot = a11 - a10 * low
            if not pivot < -loops.floors[first + 1]:
                return first + 1
            y = 1.0 / pivot
        loop_work.inverses[first + 1] = y
    a21 = a21 - a20 * low
    beside = a21 * y
    if count > 2:
        if loop_work.active[first + 2] != 0:
            pivot = a22 - a20 * below - a21 * beside
            if not pivot < -loops.floors[first + 2]:
                return first + 2
            z = 1.0 / pivot
        loop_work.inverses[first + 2] = z
    put6(values, 6 * g, (x, low, y, below, beside, z))
    return SOLVED


@once
def eliminate_group(loops: Any, loop_work: Any, rows: Any, g: int) -> int:
    """Eliminate up to three multipliers: SOLVED, or a row that has no pivot."""
    if loops.idle[g] != 0:
        return SOLVED
    if loops.choices[loops.first_row[g]] >= 0 and loop_work.selecting[0] != 0:
        select_rows(loops, loop_work, g)
    failed = factor_group(loops, loop_work, g)
    if failed != SOLVED:
        return failed
    values, rhs, reach = loop_work.values, loop_work.rhs, loop_work.reach
    factor = get6(values, 6 * g)
    z = forward3(factor, vec3(rhs, 3 * g))
    if loops.group_count >= LONG:
        z = flushed3(z)
    push = scale3(factor, z)
    put3(rhs, 3 * g, push)
    place = loops.end_place[g]
    k0, k1, k2 = NOTHING, NOTHING, NOTHING
    if place >= 0:
        at, base = 18 * place, loops.end[g] * ROW
        k0, count = get6(reach, at), loops.place_rows[place]
        inertia = NO_INERTIA
        if loops.begins[g] == 0:
            inertia = inertia_of(rows, base)
        inertia = deflated(inertia, halves(k0), factor[0])
        if count > 1:
            k1 = minus_scaled6(get6(reach, at + 6), factor[1], k0)
            put6(reach, at + 6, k1)
            inertia = deflated(inertia, halves(k1), factor[2])
        if count > 2:
            k2 = minus_scaled6(get6(reach, at + 12), factor[3], k0)
            k2 = minus_scaled6(k2, factor[4], k1)
            put6(reach, at + 12, k2)
            inertia = deflated(inertia, halves(k2), factor[5])
        put_inertia(rows, base, inertia)
        if loops.begins[g] != 0:
            clear_load(rows, base)
        push_body(rows, base, push, (k0, k1, k2))
    first, target = loops.first_later[g], loops.first_target[g]
    for j in range(first, loops.first_later[g + 1]):
        e, s = loops.later_value[j], loops.later[j]
        for row in range(loops.first_row[s + 1] - loops.first_row[s] if loops.idle[s] == 0 else 0):
            x = forward3(factor, vec3(values, e + 3 * row))
            y = scale3(factor, x)
            put3(values, e + 3 * row, y)
            rhs[3 * s + row] -= dot(y, z)
            if place >= 0:
                into = 18 * loops.later_place[j] + 6 * row
                put6(reach, into, minus_rows(get6(reach, into), y, (k0, k1, k2)))
            for k in range(first, j):
                other, into = loops.later_value[k], loops.targets[target + k - first]
                values[into + 3 * row] -= dot(x, vec3(values, other))
                values[into + 3 * row + 1] -= dot(x, vec3(values, other + 3))
                values[into + 3 * row + 2] -= dot(x, vec3(values, other + 6))
            own = loops.targets[target + j - first] + row * (row + 1) // 2
            for c in range(row + 1):
                values[own + c] -= dot(x, vec3(values, e + 3 * c))
        target += j - first + 1
    return SOLVED


@formula
def halves(x: Any) -> Any:
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


@formula
def push_body(rows: Any, base: int, push: Any, along: Any) -> None:
    """p += L^-1 G^T . D^-1 L^-1 b."""
    add_load(rows, base, halves(minus_rows(NOTHING, neg(push), along)))


@hot
def resolve_group(loops: Any, loop_work: Any, rows: Any, g: int) -> None:
    """`eliminate_group` for another right-hand side."""
    if loops.idle[g] != 0:
        return
    factor = get6(loop_work.values, 6 * g)
    z = forward3(factor, vec3(loop_work.rhs, 3 * g))
    push, place = scale3(factor, z), loops.end_place[g]
    put3(loop_work.rhs, 3 * g, push)
    for j in range(loops.first_later[g], loops.first_later[g + 1]):
        e, s = loops.later_value[j], loops.later[j]
        for row in range(3 if loops.idle[s] == 0 else 0):
            loop_work.rhs[3 * s + row] -= dot(vec3(loop_work.values, e + 3 * row), z)
    if place >= 0:
        push_body(rows, loops.end[g] * ROW, push, rows_of_group(loop_work.reach, place))


@hot
def put_multipliers(loops: Any, loop_work: Any, rows: Any, g: int) -> None:
    """The multipliers of a group, where the body on which it closes moves as it is known to."""
    if loops.idle[g] != 0:
        return
    factor, total = get6(loop_work.values, 6 * g), vec3(loop_work.rhs, 3 * g)
    place = loops.end_place[g]
    if place >= 0:
        x = get6(rows, loops.end[g] * ROW + ALPHA)
        k0, k1, k2 = rows_of_group(loop_work.reach, place)
        total = sub(total, scale3(factor, (dot6(k0, x), dot6(k1, x), dot6(k2, x))))
    for j in range(loops.first_later[g], loops.first_later[g + 1]):
        m, e = vec3(loop_work.found, 3 * loops.later[j]), loops.later_value[j]
        total = sub(total, tmatvec(mat9(loop_work.values, e), m))
    found = backward3(factor, total)
    if loops.group_count >= LONG:
        found = flushed3(found)
    put3(loop_work.found, 3 * g, found)
    first, last = loops.first_row[g], loops.first_row[g + 1]
    loop_work.multipliers[first] = found[0]
    if last > first + 1:
        loop_work.multipliers[first + 1] = found[1]
    if last > first + 2:
        loop_work.multipliers[first + 2] = found[2]
