"""The matrix of a linearly implicit step: softness of all forces at its start, factored."""

from typing import Any

from chasles.compiled import beyond, formula, once, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    ROW_WIDTH,
    clear,
    copy,
    mat9,
    put_twist,
    twist6,
    vec3,
)
from chasles.core.outcomes import OK
from chasles.core.recursion.articulate import clear_sums, inertia_of, put_inertia, sum_of
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import ALONG
from chasles.core.recursion.inertia import rotated, shifted
from chasles.core.recursion.kinematics import kinematics, place_bodies
from chasles.core.recursion.load_cases import load_bodies, load_efforts, solve_load_case
from chasles.core.recursion.loading import load_rows
from chasles.core.recursion.refine import load_norm
from chasles.core.recursion.solving import loop_inward
from chasles.core.recursion.stage import put_cut_rows
from chasles.core.recursion.tree import POINT, ROW
from chasles.core.signals import put_signals
from chasles.core.stabilisation import remove_constant_rows
from chasles.core.state_block import put_integrals
from chasles.core.tangent_stiffness.links import SIZE
from chasles.core.tangent_stiffness.loads import opposite_wrench
from chasles.core.terms import effort_slopes, put_slopes
from chasles.groups.vectors import ZERO, matmul, matmult, sub
from chasles.scalars.elementary import maximum, sqrt

#: Pivots below this fraction of the first are rounding.
NOTHING = 1e-10


@routine
def differentiate(mechanism: Any, tangent: Any, point: Any) -> None:
    """k, c, K and D of all forces at the placed bodies."""
    system, tree = mechanism.system, tangent.tree
    tree_work, tangents = mechanism.tree_work, tangent.tangents
    clear(tangent.stiff, tree.rate_count)
    clear(tangent.damped, tree.rate_count)
    clear(tangent.stiffness, SIZE * tangent.count)
    clear(tangent.damping, SIZE * tangent.count)
    for link in range(tangent.count):
        tangent.touched[link] = 0
    if tangent.count > 0:
        copy(tangent.workspace.absolute, tangents.probe.absolute, tree.body_count * ABSOLUTE_WIDTH)
    for index in range(system.force_count):
        k, link = tree_work.along[index], tangent.link_of[index]
        if k >= 0:
            value, rate = point[tree_work.along_at[index]], point[tree.stored_count + k]
            stiff, damped = effort_slopes(system, tangents, tangent.workspace, index, value, rate)
            tangent.of_force[2 * SIZE * index] = stiff
            tangent.of_force[2 * SIZE * index + SIZE] = damped
            tangent.stiff[k] += stiff
            tangent.damped[k] += damped
        elif link >= 0:
            differentiate_link(system, tangent, index, link)


@routine
def differentiate_link(system: Any, tangent: Any, index: int, link: int) -> None:
    """K and D of one force, and their sums of all forces between its bodies."""
    tangents, own = tangent.tangents, 2 * SIZE * index
    a, b, none = tangent.base[link], tangent.moved[link], tangent.wrench
    if a < 0:  # a force that names the ground second has its body first
        a, b = system.forces.a[index], system.forces.b[index]
    side = 1 if b == tangent.moved[link] else 0
    if not put_slopes(system, tangents, tangent.workspace, none, index, 0, a, b, side == 0):
        clear(beyond(tangent.of_force, own), 2 * SIZE)
        return
    tangent.touched[link] = 1
    for r in range(6):
        for c in range(6):
            at, entry = 6 * r + c, 24 * (6 * side + r) + 12 * side + c
            tangent.of_force[own + at] = -tangents.block[entry]
            tangent.of_force[own + SIZE + at] = -tangents.block[entry + 6]
            tangent.stiffness[SIZE * link + at] -= tangents.block[entry]
            tangent.damping[SIZE * link + at] -= tangents.block[entry + 6]


@routine
def split_stiffness(tangent: Any, armature: Any, reach: float) -> None:
    """S of all coordinates and links for gamma h = `reach`, what is left, and rows l of bodies."""
    tangent.is_rest[0] = 0
    for k in range(tangent.tree.rate_count):
        stiff, damped = reach * reach * tangent.stiff[k], reach * tangent.damped[k]
        given = maximum(0.0, stiff) + maximum(0.0, damped)
        tangent.tree.armature[k] = armature[k] + given
        tangent.left[k] = given - stiff - damped
        if tangent.left[k] != 0.0:
            tangent.is_rest[0] = 1
    for link in range(tangent.count):
        at, rows, is_grounded = SIZE * link, tangent.factor, tangent.base[link] < 0
        clear(rows, SIZE)
        if tangent.touched[link] != 0:
            tangent.is_rest[0] = 1
            stiffness, damping = beyond(tangent.stiffness, at), beyond(tangent.damping, at)
            positive = beyond(tangent.positive, at)
            clear(positive, SIZE)
            add_positive(stiffness, reach * reach, tangent.spare, rows, positive)
            add_positive(damping, reach, tangent.spare, rows, positive)
            for k in range(SIZE):
                tangent.spare[k] = positive[k]
                given = reach * reach * stiffness[k] + reach * damping[k]
                tangent.rest[at + k] = positive[k] - given
            if not is_grounded:
                factor_rows(tangent.spare, rows)
        if not is_grounded:
            put_link_rows(tangent, link)
    leave_out_idle(tangent)


@routine
def put_link_rows(tangent: Any, link: int) -> None:
    """Rows l on two bodies, behind those of the joints."""
    a, b, jacobian = tangent.base[link], tangent.moved[link], tangent.workspace.jacobian
    for r in range(6):
        entry = (tangent.first + 6 * link + r) * ROW_WIDTH
        own = twist6(tangent.factor, 6 * r)
        put_twist(jacobian, entry + 6, own)
        put_twist(jacobian, entry, opposite_wrench(tangent.workspace.absolute, a, b, own))


@routine
def leave_out_idle(tangent: Any) -> None:
    """Groups whose rows are zero take no part: of links where nothing touches, say.

    What earlier steps have left of them is cleared: it may be infinite.
    """
    loops, loop_work = tangent.loops, tangent.loop_work
    for g in range(loops.group_count):
        first = loops.first_row[g]
        source = loops.source[first]
        if source >= tangent.first:  # the largest of its rows comes first
            is_zero = twist6(tangent.workspace.jacobian, source * ROW_WIDTH + 6) == (ZERO, ZERO)
            loops.idle[g] = 1 if is_zero else 0
            for k in range(3):
                loop_work.found[3 * g + k], loop_work.multipliers[first + k] = 0.0, 0.0
    for at in range(loops.place_count):
        g = loops.place_group[at]
        if loops.source[loops.first_row[g]] >= tangent.first:
            loops.place_rows[at] = 3 * (1 - loops.idle[g])
            clear(beyond(loop_work.reach, 18 * at), 18)
            clear(beyond(loop_work.along, ALONG * at), ALONG)


@routine
def add_grounded(tangent: Any) -> None:
    """Links against the ground, on the sums of their bodies: S about P in world axes."""
    rows, absolute = tangent.tree_work.rows, tangent.workspace.absolute
    for link in range(tangent.count):
        if tangent.base[link] < 0 and tangent.touched[link] != 0:
            body = tangent.moved[link]
            at, place = body * ROW, body * ABSOLUTE_WIDTH
            turn = mat9(absolute, place + POSE_R)
            arm = sub(vec3(absolute, place + POSE_X), vec3(rows, at + POINT))
            rotary, coupling, linear = inertia_of_matrix(tangent.positive, SIZE * link)
            coupling = matmult(matmul(turn, coupling), turn)
            own = shifted((rotated(turn, rotary), coupling, rotated(turn, linear)), arm)
            put_inertia(rows, at, sum_of(inertia_of(rows, at), own))


@formula
def inertia_of_matrix(s: Any, at: int) -> Any:
    """(I, H, M) of a symmetric matrix (6, 6)."""
    return (
        (s[at], s[at + 6], s[at + 7], s[at + 12], s[at + 13], s[at + 14]),
        vec3(s, at + 3) + vec3(s, at + 9) + vec3(s, at + 15),
        (s[at + 21], s[at + 27], s[at + 28], s[at + 33], s[at + 34], s[at + 35]),
    )


# --- the symmetric and positive part of a matrix (6, 6), as a sum of l l^T ---


@routine
def factor_rows(matrix: Any, out: Any) -> int:
    """Rows l with the sum of l l^T = the symmetric part of a matrix, where that is positive; how
    many of the six are not zero.

    Cholesky's method, the largest pivot first; it ends where no pivot is left.  In a positive
    matrix no entry is larger than the root of the product of its pivots: those of others are cut.
    The matrix is used up.
    """
    clear(out, SIZE)
    for i in range(6):
        for j in range(i):
            mean = 0.5 * (matrix[6 * i + j] + matrix[6 * j + i])
            matrix[6 * i + j], matrix[6 * j + i] = mean, mean
    first = 0.0
    for row in range(6):
        best, pivot = 0, 0.0
        for i in range(6):
            if matrix[7 * i] > pivot:
                best, pivot = i, matrix[7 * i]
        first = pivot if row == 0 else first
        if not pivot > NOTHING * first:
            return row
        root = sqrt(pivot)
        for i in range(6):
            own = matrix[7 * i]
            if own > 0.0:
                limit = sqrt(own * pivot)
                out[6 * row + i] = min(max(matrix[6 * best + i], -limit), limit) / root
        for i in range(6):
            for j in range(6):
                matrix[6 * i + j] -= out[6 * row + i] * out[6 * row + j]
        for i in range(6):  # exactly, so that it is not chosen again
            matrix[6 * i + best], matrix[6 * best + i] = 0.0, 0.0
    return 6


@routine
def add_positive(matrix: Any, factor: float, spare: Any, rows: Any, out: Any) -> None:
    """Add factor * the positive part of a matrix."""
    copy(matrix, spare, SIZE)
    for row in range(factor_rows(spare, rows)):
        for i in range(6):
            scaled = factor * rows[6 * row + i]
            for j in range(6):
                out[6 * i + j] += scaled * rows[6 * row + j]


# --- the equations ---


@routine
def take_choice(mechanism: Any, tangent: Any) -> None:
    """Of rows that depend on each other, those have multipliers that a stage has chosen."""
    for row in range(mechanism.loops.row_count):
        tangent.loop_work.active[tangent.own_rows[row]] = mechanism.loop_work.active[row]


@once
def linearise(mechanism: Any, tangent: Any, point: Any, t: float, reach: float) -> int:
    """Softness of the forces at the point of the last stage, with gamma h = `reach`, and the factor
    of the matrix: OK, or a row that has no pivot.
    """
    system, tree = mechanism.system, mechanism.tree
    workspace, tree_work = tangent.workspace, tangent.tree_work
    loops, loop_work = tangent.loops, tangent.loop_work
    put_signals(system.signals, t, workspace.signals)
    put_integrals(mechanism, workspace, point)
    copy(point, tangent.still, tree.stored_count)
    clear(beyond(tangent.still, tree.stored_count), tree.rate_count)
    if tangent.count > 0 or loops.row_count > 0:
        place_bodies(tree, point, tree_work.rows, workspace.absolute)
    differentiate(mechanism, tangent, point)
    split_stiffness(tangent, tree.armature, reach)
    kinematics(tree, tangent.still, tree_work.rows)  # leaves POINT as `place` has put it
    if mechanism.loops.row_count > 0:
        put_cut_rows(tangent, workspace, point)
        clear(workspace.eta, system.row_count)
    clear_sums(tree, tree_work.rows)
    clear(tree_work.efforts, tree.rate_count)
    add_grounded(tangent)
    take_choice(mechanism, tangent)
    load_rows(tangent, workspace)
    failed = loop_inward(tangent.tree, tree_work, loops, loop_work, 1)
    if failed == SOLVED:
        return OK
    row: int = loops.source[failed]
    return row


@once
def answer(mechanism: Any, tangent: Any, out: Any) -> int:
    """Accelerations under the loads (see `clear_loads`), into the place of those of a slope: OK, or
    NOT_SOLVED.  On the factor of the step.
    """
    tree, tree_work = tangent.tree, tangent.tree_work
    loops, loop_work = tangent.loops, tangent.loop_work
    rates = tree.rate_count
    load_bodies(tree, tree_work, tangent.count)
    if tree_work.has_efforts != 0:
        load_efforts(tree, tree_work.rows, tree_work.efforts)
    size = load_norm(tree, tree_work, mechanism.system) if loops.is_damped != 0 else 0.0
    outcome = solve_load_case(tree, loops, loop_work, tree_work.rows, size)
    copy(loop_work.solution, beyond(out, rates), rates)
    if mechanism.constant_rows.count > 0:
        remove_constant_rows(mechanism.constant_rows, out, rates)
    return outcome
