r"""What constraint rows do to accelerations and poses at the end of an implicit step.

A stage gives accelerations and multipliers of index 1, $M\dot v + J^T\lambda = Q$ with
$J\dot v = \eta$, on the coordinates of the pairs: joints that carry a body have no rows.  An
implicit method asks for other accelerations: those at which joints are closed
(or do not slip).  With $\dot V_k$ those of the last iterate, e = $\dot V_k - \dot V$ and poses that
change by $g_2$, velocities by $g_1$ times a change of accelerations,

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix} \begin{pmatrix} d \\ \mu \end{pmatrix} =
   \begin{pmatrix} 0 \\ J e - g/g_2 \end{pmatrix} $$

(index 3; $J e - (J V - r)/g_1$ on index 2, and for wheels on either), $\dot V + d$ and
$\lambda+\mu$ are the next.  The factor is the one of the stage, redundant rows are what they are
there, and the unknowns $g_2\,d$ and $\mu$ are of the sizes that Bottasso's scaling gives them: h
occurs nowhere in the matrix.
"""

from typing import Any

from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, TWIST, body_of, clear, copy, get6, put6
from chasles.core.blocks.small import dot6
from chasles.core.newton.newton_workspace import OPEN, WORST_ROW
from chasles.core.recursion.closing import put_gaps, put_slips, solve_for
from chasles.core.recursion.inverse_kinematics import put_frames, put_rates
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.stabilisation import remove_constant_rows


@hot
def put_twists_of_rates(mechanism: Any, iteration: Any, point: Any, rates: Any) -> None:
    """Body twists, into iteration.twists, of bodies that stand as at `point` and move with
    `rates`."""
    tree = mechanism.tree
    copy(point, iteration.moved, tree.stored_count)
    copy(rates, beyond(iteration.moved, tree.stored_count), tree.rate_count)
    place_bodies(tree, iteration.moved, iteration.places, iteration.absolute)
    for body in range(tree.body_count):
        put6(iteration.twists, 6 * body, get6(iteration.absolute, body * ABSOLUTE_WIDTH + TWIST))


@hot
def put_rates_of_twists(mechanism: Any, iteration: Any, twists: Any, out: Any) -> None:
    """Rates of coordinates of body twists that joints allow, at the bodies that were lifted."""
    tree = mechanism.tree
    for body in range(tree.body_count):
        put6(iteration.absolute, body * ABSOLUTE_WIDTH + TWIST, get6(twists, 6 * body))
    put_frames(tree, iteration.absolute, iteration.places)
    put_rates(tree, iteration.places, out)


@routine
def felt_by_row(joints: Any, jacobian: Any, joint: int, row: int, twists: Any) -> float:
    """What a row of a joint feels of the twists of its bodies."""
    total = 0.0
    for side in range(2):
        body = body_of(joints, joint, side)
        if body >= 0:
            total += dot6(get6(jacobian, row * ROW_WIDTH + 6 * side), get6(twists, 6 * body))
    return total


@routine
def times_rows(joints: Any, jacobian: Any, joint: int, twists: Any, out: Any) -> None:
    """Add J V of a joint to a column (rows,)."""
    first = joints.first_row[joint]
    for row in range(first, first + joints.rows[joint]):
        out[row] += felt_by_row(joints, jacobian, joint, row, twists)


@routine
def pull_row(iteration: Any, accuracy: Any, row: int, gap: float, slip: float, pulls: Any) -> float:
    """What a row asks for; `pulls` are the index, 1 / g_2 and 1 / g_1.  The widest gap is noted."""
    if iteration.measured[row] != 0:
        wide = abs(gap) / accuracy.sizes[row]
        if wide > iteration.audit[OPEN]:
            iteration.audit[OPEN], iteration.audit[WORST_ROW] = wide, row
        if pulls[0] == 3:
            return gap * pulls[1]
    return slip * pulls[2]


# --- joints and couplings that have rows ---


@routine
def add_rates(mechanism: Any, workspace: Any, iteration: Any, point: Any) -> None:
    """J e into iteration.column."""
    joints, loops, column = mechanism.system.joints, mechanism.loops, iteration.column
    put_twists_of_rates(mechanism, iteration, point, iteration.apart)
    for k in range(loops.joint_count):
        times_rows(joints, workspace.jacobian, loops.joints[k], iteration.twists, column)
    for k in range(loops.coupled_count):
        at = loops.source[loops.coupled[k]]
        for term in range(loops.first_term[k], loops.first_term[k + 1]):
            slope = mechanism.loop_work.own[loops.term_at[term]]
            column[at] += slope * iteration.apart[loops.term_rate[term]]
        for tie in range(loops.first_tie[k], loops.first_tie[k + 1]):
            on_body = get6(mechanism.loop_work.ties, 6 * tie)
            column[at] += dot6(on_body, get6(iteration.twists, 6 * loops.tie_body[tie]))


@routine
def response_of_rows(mechanism: Any, iteration: Any) -> None:
    """Solve for the rows of iteration.column; what coordinates do goes to iteration.response."""
    solve_for(mechanism, iteration.column)
    copy(mechanism.loop_work.solution, iteration.response, mechanism.tree.rate_count)
    if mechanism.constant_rows.count > 0:
        remove_constant_rows(mechanism.constant_rows, iteration.response, 0)


@once
def correct_rows(mechanism: Any, workspace: Any, iteration: Any, point: Any, pulls: Any) -> None:
    """Into iteration.response: d, what rows change the accelerations by; multipliers in loop_work
    are theirs.

    The stage at `point` is in the workspace, iteration.apart has e.  Without rows there is nothing
    to meet, and no index: what is left is $\\dot v_{n+1} = F(q_{n+1}, v_{n+1})$.
    """
    loops, own = mechanism.loops, mechanism.loop_work
    iteration.audit[OPEN], iteration.audit[WORST_ROW] = 0.0, -1.0
    if loops.row_count == 0:
        clear(iteration.response, mechanism.tree.rate_count)
        return
    for row in range(loops.row_count):
        iteration.multipliers[loops.source[row]] = own.multipliers[row]
    absolute, jacobian = workspace.absolute, workspace.jacobian
    put_gaps(mechanism, workspace, absolute, workspace.residual, True)
    put_slips(mechanism, workspace, absolute, jacobian, iteration.column, True)
    for row in range(loops.row_count):
        at = loops.source[row]
        gap, slip = workspace.residual[at], iteration.column[at]
        iteration.column[at] = pull_row(iteration, mechanism.accuracy, at, gap, slip, pulls)
    add_rates(mechanism, workspace, iteration, point)
    response_of_rows(mechanism, iteration)
    last = mechanism.tree.rate_count + 6 * mechanism.tree.body_count
    for row in range(loops.row_count):
        added = own.solution[last + row] if loops.is_damped != 0 else own.multipliers[row]
        iteration.multipliers[loops.source[row]] += added


@once
def correct_gaps(mechanism: Any, workspace: Any, iteration: Any) -> None:
    """Into iteration.response: the least displacement of the poses, in the mass metric, that closes
    rows.

    After `correct_rows`, on the same factor.
    """
    if mechanism.loops.row_count == 0:
        clear(iteration.response, mechanism.tree.rate_count)
        return
    put_gaps(mechanism, workspace, workspace.absolute, workspace.residual, True)
    for row in range(mechanism.system.row_count):
        is_measured = iteration.measured[row] != 0
        iteration.column[row] = workspace.residual[row] if is_measured else 0.0
    response_of_rows(mechanism, iteration)


@hot
def settle_powers(mechanism: Any, workspace: Any, iteration: Any, slope: Any) -> None:
    """Drivers that have rows push with the method's own multipliers."""
    system, loops = mechanism.system, mechanism.loops
    first = 2 * mechanism.tree.rate_count
    for row in range(loops.row_count):
        joint = loops.joint_of[row]
        drive = system.joints.drive[joint]
        if drive >= 0:
            at = first + system.joints.drive_work[joint]
            power = -iteration.multipliers[loops.source[row]] * workspace.signals[drive + 1]
            supply = first + system.quadrature_count
            slope[supply] += power - slope[at]
            slope[supply + 1] += abs(power) - abs(slope[at])
            slope[at] = power
