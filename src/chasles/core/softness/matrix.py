"""The matrix of a linearly implicit step: softness of all forces at its start, factored."""

from typing import Any

from chasles.compiled import beyond, formula, once, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, clear, copy, put_twist, twist6
from chasles.core.outcomes import OK
from chasles.core.recursion.again import load_bodies, load_efforts, solve_again
from chasles.core.recursion.articulate import clear_sums, inertia_of, put_inertia, sum_of
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.kept import keep_rows
from chasles.core.recursion.kinematics import kinematics, place_bodies
from chasles.core.recursion.loading import load_rows
from chasles.core.recursion.on_bodies import row_on_body
from chasles.core.recursion.refine import push_norm
from chasles.core.recursion.solving import loop_inward
from chasles.core.recursion.stage import put_cut_rows
from chasles.core.recursion.tree import ROW
from chasles.core.signals import put_signals
from chasles.core.softness.loads import felt_by
from chasles.core.softness.positive import SIZE, add_positive, factor_rows
from chasles.core.tangents import effort_slopes, put_slopes
from chasles.groups.vectors import ZERO
from chasles.scalars.elementary import maximum


@routine
def differentiate(mechanism: Any, soft: Any, point: Any) -> None:
    """k, c, K and D of all forces at the placed bodies."""
    system, tree, memory, tangents = mechanism.system, soft.tree, mechanism.memory, soft.tangents
    clear(soft.stiff, tree.rate_count)
    clear(soft.damped, tree.rate_count)
    clear(soft.stiffness, SIZE * soft.count)
    clear(soft.damping, SIZE * soft.count)
    for link in range(soft.count):
        soft.touched[link] = 0
    if soft.count > 0:
        copy(soft.work.absolute, tangents.probe.absolute, tree.body_count * ABSOLUTE_WIDTH)
    for index in range(system.force_count):
        k, link = memory.along[index], soft.link_of[index]
        if k >= 0:
            value, rate = point[memory.along_at[index]], point[tree.stored_count + k]
            stiff, damped = effort_slopes(system, tangents, soft.work, index, value, rate)
            soft.stiff[k] += stiff
            soft.damped[k] += damped
        elif link >= 0:
            a, b, none = soft.base[link], soft.moved[link], soft.wrench
            if a < 0:  # a force that names the ground second has its body first
                a, b = system.forces.a[index], system.forces.b[index]
            side = 1 if b == soft.moved[link] else 0
            if put_slopes(system, tangents, soft.work, none, index, 0, a, b, side == 0):
                soft.touched[link] = 1
                for r in range(6):
                    for c in range(6):
                        at, entry = SIZE * link + 6 * r + c, 24 * (6 * side + r) + 12 * side + c
                        soft.stiffness[at] -= tangents.block[entry]
                        soft.damping[at] -= tangents.block[entry + 6]


@routine
def soften(soft: Any, armature: Any, reach: float) -> None:
    """S of all coordinates and links for gamma h = `reach`, what is left, and the rows l."""
    soft.is_rest[0] = 0
    for k in range(soft.tree.rate_count):
        stiff, damped = reach * reach * soft.stiff[k], reach * soft.damped[k]
        given = maximum(0.0, stiff) + maximum(0.0, damped)
        soft.tree.armature[k] = armature[k] + given
        soft.left[k] = given - stiff - damped
        if soft.left[k] != 0.0:
            soft.is_rest[0] = 1
    for link in range(soft.count):
        at, rows = SIZE * link, soft.factor
        clear(rows, SIZE)
        if soft.touched[link] != 0:
            soft.is_rest[0] = 1
            stiffness, damping = beyond(soft.stiffness, at), beyond(soft.damping, at)
            positive = beyond(soft.positive, at)
            add_positive(stiffness, reach * reach, soft.spare, rows, positive, 0.0)
            add_positive(damping, reach, soft.spare, rows, positive, 1.0)
            for k in range(SIZE):
                soft.spare[k] = positive[k]
                given = reach * reach * stiffness[k] + reach * damping[k]
                soft.rest[at + k] = positive[k] - given
            factor_rows(soft.spare, rows)
        put_link_rows(soft, link)
    leave_out_idle(soft)


@routine
def put_link_rows(soft: Any, link: int) -> None:
    """Rows l on both bodies, behind those of the joints."""
    a, b, jacobian = soft.base[link], soft.moved[link], soft.work.jacobian
    for r in range(6):
        entry = (soft.first + 6 * link + r) * ROW_WIDTH
        own = twist6(soft.factor, 6 * r)
        put_twist(jacobian, entry + 6, own)
        if a >= 0:
            put_twist(jacobian, entry, felt_by(soft.work.absolute, a, b, own))


@routine
def leave_out_idle(soft: Any) -> None:
    """Groups whose rows are zero take no part: of links where nothing touches, say."""
    loops, room = soft.loops, soft.room
    for g in range(loops.group_count):
        first = loops.first_row[g]
        source = loops.source[first]
        if source >= soft.first:  # the largest of its rows comes first
            is_zero = twist6(soft.work.jacobian, source * ROW_WIDTH + 6) == (ZERO, ZERO)
            loops.idle[g] = 1 if is_zero else 0
            for k in range(3):
                room.found[3 * g + k], room.multipliers[first + k] = 0.0, 0.0
    for at in range(loops.place_count):
        g = loops.place_group[at]
        if loops.source[loops.first_row[g]] >= soft.first:
            loops.place_rows[at] = 3 * (1 - loops.idle[g])


@formula
def spread_of(torque: Any, force: Any) -> Any:
    """(I, H, M) of l l^T, for a row l = (torque, force)."""
    (x, y, z), (u, v, w) = torque, force
    return (
        (x * x, y * x, y * y, z * x, z * y, z * z),
        (x * u, x * v, x * w, y * u, y * v, y * w, z * u, z * v, z * w),
        (u * u, v * u, v * v, w * u, w * v, w * w),
    )


@routine
def add_grounded(soft: Any) -> None:
    """Links against the ground, on the sums of their bodies."""
    rows, work = soft.memory.rows, soft.work
    for link in range(soft.count):
        if soft.base[link] < 0 and soft.touched[link] != 0:
            body = soft.moved[link]
            whole = inertia_of(rows, body * ROW)
            for r in range(6):
                entry = (soft.first + 6 * link + r) * ROW_WIDTH + 6
                torque, force, _ = row_on_body(
                    soft.tree, rows, work.absolute, work.jacobian, body, entry
                )
                whole = sum_of(whole, spread_of(torque, force))
            put_inertia(rows, body * ROW, whole)


@once
def linearise(mechanism: Any, soft: Any, point: Any, t: float, reach: float) -> int:
    """Softness of the forces at a point, with gamma h = `reach`, and the factor of the matrix: OK,
    or a row that has no pivot.
    """
    system, tree, work, memory = mechanism.system, mechanism.tree, soft.work, soft.memory
    loops, room = soft.loops, soft.room
    put_signals(system.signals, t, work.signals)
    copy(beyond(point, mechanism.layout.integrals), work.quadratures, system.quadrature_count)
    copy(point, soft.still, tree.stored_count)
    clear(beyond(soft.still, tree.stored_count), tree.rate_count)
    if soft.count > 0 or loops.row_count > 0:
        place_bodies(tree, point, memory.rows, work.absolute)
    differentiate(mechanism, soft, point)
    soften(soft, tree.armature, reach)
    kinematics(tree, soft.still, memory.rows)  # leaves POINT as `place` has put it
    if mechanism.loops.row_count > 0:
        put_cut_rows(system, tree, loops, room, point, work)
        clear(work.eta, system.row_count)
    clear_sums(tree, memory.rows)
    add_grounded(soft)
    load_rows(soft.tree, loops, memory.rows, room, work.absolute, work.jacobian, work.eta)
    failed = loop_inward(soft.tree, memory, loops, room, 1)
    if failed == SOLVED:
        return OK
    row: int = loops.source[failed]
    return row


@once
def answer(mechanism: Any, soft: Any, out: Any) -> int:
    """Accelerations under the loads (see `clear_loads`), into the place of those of a slope: OK, or
    NOT_SOLVED.  On the factor of the step.
    """
    tree, memory, loops, room = soft.tree, soft.memory, soft.loops, soft.room
    rates = tree.rate_count
    load_bodies(tree, memory, soft.count)
    if memory.has_efforts != 0:
        load_efforts(tree, memory.rows, memory.efforts)
    size = push_norm(tree, memory, mechanism.system) if loops.is_damped != 0 else 0.0
    outcome = solve_again(tree, loops, room, memory.rows, size)
    copy(room.solution, beyond(out, rates), rates)
    if mechanism.kept.count > 0:
        keep_rows(mechanism.kept, out, rates)
    return outcome
