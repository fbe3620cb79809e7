r"""Damped rows of cut joints: from the damped solution to the limit, J v' = eta.

The factor solves

$$ M\dot v + J^T\lambda = Q, \qquad J\dot v - \mu\lambda = \eta, $$

M and J on the coordinates of the tree.  Conjugate residuals remove what it leaves of eta,
$-\mu\lambda$ (see `converge`).  With the exact damped factor $J\delta = r + \mu\,\delta\lambda$,
and $\delta^T M\delta = -\delta\lambda\cdot J\delta$: errors are measured in the mass metric without
M.

A column holds the rates of all velocities, alpha and a of all bodies, and the multipliers.
"""

from typing import Any

from chasles.compiled import beyond, once, routine
from chasles.core.arrays import ROW_WIDTH, copy, get6, mat9, put6, twist6, vec3
from chasles.core.outcomes import NOT_SOLVED
from chasles.core.placed import force_norm
from chasles.core.recursion.body_rows import row_times_motion
from chasles.core.recursion.coupled import take_coupled
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import BY_ROWS
from chasles.core.recursion.inertia import spread
from chasles.core.recursion.loading import residual_along_axes
from chasles.core.recursion.solving import loop_inward, loop_outward, loop_resolve
from chasles.core.recursion.tree import ALPHA, GAIN, ROW, SLOT, TURN, coordinates_of
from chasles.groups.vectors import dot, tmatvec
from chasles.scalars.elementary import absolute, maximum, sqrt

#: Solves beyond the first where constraints are redundant, at the most.  One suffices away from
#: singular poses; every singular value of J within the damping costs about one more.
MOST_REFINEMENTS = 30
#: A first solve that leaves more than this of the residual is a hard case, with eigenvalues within
#: thirty times the damping: its residual is computed anew then, so many times at the most.
HARD, MOST_RESTARTS = 0.03, 2
#: V' is refined until what is left of its error, in the mass metric, is this fraction of it.
REFINED = 1e-12
#: ... and if that is not reached, and the last correction was larger than this, it is told.
COARSE = 1e-8
#: A residual of which a solve takes no more than this fraction away is what constraints contradict
#: each other by: its eigenvalues are a tenth of mu or less.  In a stage, where a loop is not quite
#: closed, redundant rows are independent by as much as it is open: that is not to be believed.
CONTRADICTED = 0.1


@routine
def gather(tree: Any, loops: Any, loop_work: Any, rows: Any, column: Any) -> None:
    """The motion of all bodies and the multipliers, behind the rates of a column."""
    at = tree.rate_count
    for body in range(tree.body_count):
        put6(column, at + 6 * body, get6(rows, body * ROW + ALPHA))
    copy(loop_work.multipliers, beyond(column, at + 6 * tree.body_count), loops.row_count)


@routine
def row_product(loops: Any, a: Any, b: Any) -> float:
    """a . b of two columns of rows, each weighed by 1 / mu; those of rotors miss nothing."""
    total = 0.0
    for row in range(loops.row_count):
        if loops.damping[row] > 0.0:
            total += a[row] * b[row] / loops.damping[row]
    return total


@routine
def next_direction(tree: Any, loops: Any, loop_work: Any, before: float) -> float:
    """The next direction of search from the solve in loop_work.answer; |B r|^2 (see `converge`)."""
    y, gain, search = loop_work.answer, loop_work.gain, loop_work.search
    last = tree.rate_count + 6 * tree.body_count
    reduced, crossed = 0.0, 0.0
    for row in range(loops.row_count):
        mu = loops.damping[row]
        if mu > 0.0:
            taken = loop_work.left[row] + mu * y[last + row]
            reduced += taken * taken / mu
            crossed += taken * gain[row] / mu
    share = crossed / before if before > 0.0 else 0.0
    for k in range(last + loops.row_count):
        search[k] = y[k] - share * search[k] if before > 0.0 else y[k]
    for row in range(loops.row_count):
        taken = loop_work.left[row] + loops.damping[row] * y[last + row]
        gain[row] = taken - share * gain[row] if before > 0.0 else taken
    return reduced


@routine
def converge(tree: Any, loops: Any, loop_work: Any, rows: Any, scale: float) -> Any:
    r"""Conjugate residuals on the damped factor: they end at J v' = eta and the shortest lambda.

    With $S = J M^{-1} J^T$, the damped equations leave $r = \eta - J\dot V = -\mu\lambda$, and

    $$ \begin{pmatrix} M & J^T \\ J & -\mu \end{pmatrix}
       \begin{pmatrix} \delta \\ \delta\lambda \end{pmatrix} =
       \begin{pmatrix} 0 \\ r \end{pmatrix}, \qquad
       J\delta = r + \mu\,\delta\lambda = S (S + \mu)^{-1} r = B r, $$

    so that a solve with the factor is all that B costs.  Added as it is, $\delta$ shrinks the part
    of r along an eigenvector of S with the eigenvalue s by $\mu / (s + \mu)$ only: little is gained
    near a singular pose or by light links, where s is as small as mu.  B is symmetric in the
    metric of $1/\mu$, its eigenvalues are 0 (what rows contradict each other by), 1 (nearly all of
    them), and few between; conjugate residuals need a solve for each of those few.

    lambda stays orthogonal to the null space of J^T in the metric of mu, the free pivots, so it is
    the shortest one there: forces and torques are weighed by what they would accelerate.

    Begins with a solution in loop_work.solution and r in loop_work.left.  Ends when the error of
    v', in the mass metric, is REFINED of `scale`.  Returns SOLVED, or NOT_SOLVED if there is no end
    to it, and the fraction of |r| that the first solve leaves.
    """
    x, r, last = loop_work.solution, loop_work.left, tree.rate_count + 6 * tree.body_count
    size, before, correction = row_product(loops, r, r), 0.0, 0.0
    solves, first = 0, 0.0
    while solves <= MOST_REFINEMENTS:
        solves += 1
        copy(r, loop_work.wanted, loops.row_count)
        loop_resolve(tree, loops, loop_work, rows, loop_work.answer, 0)
        gather(tree, loops, loop_work, rows, loop_work.answer)
        reduced = next_direction(tree, loops, loop_work, before)
        if not reduced > CONTRADICTED * CONTRADICTED * size:  # NaN is told by the step
            break
        before = row_product(loops, loop_work.gain, loop_work.gain)
        length = row_product(loops, r, loop_work.gain) / before
        work_done = 0.0
        for row in range(loops.row_count):
            work_done -= loop_work.search[last + row] * loop_work.gain[row]
        correction = absolute(length) * sqrt(maximum(0.0, work_done))
        for k in range(last + loops.row_count):
            x[k] += length * loop_work.search[k]
        for row in range(loops.row_count):
            r[row] -= length * loop_work.gain[row]
        before_this, size = size, row_product(loops, r, r)
        first = 1.0 - sqrt(reduced / before_this) if solves == 1 else first
        if not correction * sqrt(size / before_this) > REFINED * scale:
            break
    endless = solves > MOST_REFINEMENTS and correction > COARSE * scale
    return (NOT_SOLVED if endless else SOLVED), first


@routine
def converge_damped(tree: Any, loops: Any, loop_work: Any, rows: Any, scale: float) -> Any:
    """What the damped solution leaves of the rows, -mu lambda, is removed by `converge`."""
    last = tree.rate_count + 6 * tree.body_count
    for row in range(loops.row_count):
        loop_work.left[row] = -loops.damping[row] * loop_work.solution[last + row]
    return converge(tree, loops, loop_work, rows, scale)


@once
def solve_rows(tree: Any, loops: Any, loop_work: Any, rows: Any) -> None:
    r"""M x + J^T lambda = 0, J x = loop_work.wanted: x comes first in loop_work.solution.

    The least motion, in the mass metric, by which rows change as wanted.  What damped rows cannot
    change stays in loop_work.left.
    """
    copy(loop_work.wanted, loop_work.left, loops.row_count)
    loop_resolve(tree, loops, loop_work, rows, loop_work.solution, 0)
    if loops.is_damped == 0:
        return
    gather(tree, loops, loop_work, rows, loop_work.solution)
    last, energy = tree.rate_count + 6 * tree.body_count, 0.0
    for row in range(loops.row_count):
        multiplier = loop_work.solution[last + row]
        energy -= multiplier * (loop_work.left[row] + loops.damping[row] * multiplier)
    converge_damped(tree, loops, loop_work, rows, sqrt(maximum(0.0, energy)))


# --- accelerations ---


@routine
def motion_norm(tree: Any, rows: Any) -> float:
    r"""About $\sqrt{\dot V^T M\dot V}$, gravity taken for an acceleration of the ground."""
    total = 0.0
    for body in range(tree.body_count):
        at = body * ROW
        alpha, a = twist6(rows, at + ALPHA)
        alpha = tmatvec(mat9(rows, at + TURN), alpha)
        total += dot(alpha, spread(get6(tree.inertia, 6 * body), alpha))
        total += tree.mass[body] * dot(a, a)
    return sqrt(total)


@routine
def load_norm(tree: Any, tree_work: Any, system: Any) -> float:
    """How fast forces would accelerate free bodies, and efforts their coordinates, about."""
    total = 0.0
    if tree_work.has_wrenches != 0:
        total += force_norm(system, tree_work.wrenches)
    if tree_work.has_efforts != 0:
        total += effort_norm(tree, tree_work)
    return total


@routine
def effort_norm(tree: Any, tree_work: Any) -> float:
    square = 0.0
    for body in range(tree.body_count):
        k = tree.rate_at[body]
        for slot in range(coordinates_of(tree.pair[body])):
            effort = tree_work.efforts[k + slot]
            square += effort * effort * tree_work.rows[body * ROW + GAIN + SLOT * slot]
    return sqrt(square)


@routine
def put_row_residuals(tree: Any, loops: Any, loop_work: Any, rows: Any, workspace: Any) -> None:
    """eta - J v' of the rows that have multipliers, from the bodies' motion in loop_work.solution.

    loop_work.sums gets the sum of |J V'| and |eta|: what a miss is large or small against.
    """
    for g in range(loops.group_count):
        if loops.loading[g] == BY_ROWS:
            for row in range(loops.first_row[g], loops.first_row[g + 1]):
                residual_of_row(tree, loops, loop_work, rows, workspace, row, workspace.eta, True)
        else:
            residual_along_axes(tree, loops, rows, loop_work, workspace.eta, loop_work.solution, g)
    take_coupled(tree, loops, loop_work, rows, workspace.absolute, True, loop_work.solution)
    for row in range(loops.row_count):
        if loop_work.active[row] == 0 or loops.compliance[row] > 0.0:
            loop_work.left[row] = 0.0


@routine
def residual_of_row(
    tree: Any, loops: Any, loop_work: Any, rows: Any, workspace: Any, row: int, wanted: Any,
    falling: bool,
) -> None:  # fmt: skip
    """`put_row_residuals` of a row of J, of which `wanted` (rows,) is asked.

    `falling`: what velocities and gravity add is part of it.
    """
    source, column = loops.source[row], loop_work.solution
    residual = wanted[source]
    total = absolute(residual)
    for side in range(2):
        body, entry = loops.bodies[2 * row + side], source * ROW_WIDTH + 6 * side
        if body >= 0:
            moved, size, known = row_times_motion(
                tree, rows, workspace.absolute, workspace.jacobian, body, entry, column
            )
            residual += known - moved if falling else -moved
            total += size
    loop_work.left[row], loop_work.sums[row] = residual, total


@once
def refine_motion(mechanism: Any, workspace: Any, out: Any, first: int) -> int:
    """From the damped accelerations, which stand where `loop_outward` put them, to the limit."""
    tree, loops, loop_work = mechanism.tree, mechanism.loops, mechanism.loop_work
    rows, rates = mechanism.tree_work.rows, tree.rate_count
    scale = motion_norm(tree, rows) + load_norm(tree, mechanism.tree_work, mechanism.system)
    copy(beyond(out, first), loop_work.solution, rates)
    gather(tree, loops, loop_work, rows, loop_work.solution)
    outcome, left = converge_damped(tree, loops, loop_work, rows, scale)
    for _ in range(MOST_RESTARTS):
        if left <= HARD:
            break
        # Rounding has parted the residual from what it was computed to be: anew from J and eta.
        put_row_residuals(tree, loops, loop_work, rows, workspace)
        outcome, left = converge(tree, loops, loop_work, rows, scale)
    copy(loop_work.solution, beyond(out, first), rates)
    for body in range(tree.body_count):
        put6(rows, body * ROW + ALPHA, get6(loop_work.solution, rates + 6 * body))
    last = rates + 6 * tree.body_count
    copy(beyond(loop_work.solution, last), loop_work.multipliers, loops.row_count)
    return outcome


@once
def loop_accelerations(mechanism: Any, workspace: Any, out: Any, first: int) -> int:
    """The rates of all velocities and the multipliers, after `load_rows`.

    SOLVED, NOT_SOLVED, or the row (of those that are propagated) that has no pivot.
    """
    tree, tree_work = mechanism.tree, mechanism.tree_work
    loops, loop_work = mechanism.loops, mechanism.loop_work
    failed = loop_inward(tree, tree_work, loops, loop_work, 1)
    if failed != SOLVED:
        return failed
    down = vec3(tree.gravity, 0)
    loop_outward(tree, loops, loop_work, tree_work.rows, down, True, out, first)
    if loops.is_damped == 0:
        return SOLVED
    return refine_motion(mechanism, workspace, out, first)
