r"""The equations of motion in maximal coordinates: every body free, every joint rows,

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}
   \begin{pmatrix} \dot V \\ \lambda \end{pmatrix} =
   \begin{pmatrix} Q \\ \eta \end{pmatrix}, $$

by the program of a tree whose pairs are all free, at the centres of mass.
"""

from typing import Any

from chasles.compiled import borrow, kernel, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    POSE_R,
    POSE_X,
    ROW_WIDTH,
    TWIST,
    copy,
    mat9,
    put3,
    put9,
    twist6,
    vec3,
)
from chasles.core.recursion.articulate import clear_sums, load_wrenches
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.loading import load_rows
from chasles.core.recursion.reactions import put_twist_rates
from chasles.core.recursion.refine import loop_accelerations
from chasles.core.recursion.tree import LEVER, OMEGA, POINT, ROW, SPEED, TURN
from chasles.core.terms import put_state, put_terms
from chasles.groups.vectors import matmul, matvec


@routine
def put_free(tree: Any, absolute: Any, rows: Any) -> None:
    """Where free bodies are and how they move, as `kinematics` and `place` leave it."""
    for body in range(tree.body_count):
        at, own = body * ROW, mat9(absolute, body * ABSOLUTE_WIDTH + POSE_R)
        place = vec3(absolute, body * ABSOLUTE_WIDTH + POSE_X)
        omega, velocity = twist6(absolute, body * ABSOLUTE_WIDTH + TWIST)
        put9(rows, at + TURN, matmul(own, mat9(tree.axes, 9 * body)))
        put3(rows, at + OMEGA, matvec(own, omega))
        put3(rows, at + LEVER, place)
        put3(rows, at + POINT, place)
        put3(rows, at + SPEED, matvec(own, velocity))


@routine
def put_joint_wrenches(
    system: Any, jacobian: Any, found: Any, first: int, out: Any, at: int
) -> None:
    """-J^T lambda of every joint on its two bodies, body frame at the COM: 12 numbers per joint."""
    for joint in range(system.joint_count):
        begin, rows = system.joints.first_row[joint], system.joints.span[joint]
        for c in range(ROW_WIDTH):
            total = 0.0
            for row in range(begin, begin + rows):
                total -= jacobian[row * ROW_WIDTH + c] * found[first + row]
            out[at + joint * ROW_WIDTH + c] = total


@routine
def solve_free(mechanism: Any, workspace: Any, rates: Any, out: Any, first: int) -> int:
    """V' and lambda at the bodies that are placed in `workspace`, from out[first] on: SOLVED, or a
    row.

    J, eta and Q are left there; `rates` (v,) is scratch.
    """
    tree, tree_work = mechanism.tree, mechanism.tree_work
    loops, loop_work = mechanism.loops, mechanism.loop_work
    put_terms(mechanism.system, workspace)
    copy(workspace.rhs, tree_work.wrenches, 6 * tree.body_count)
    put_free(tree, workspace.absolute, tree_work.rows)
    clear_sums(tree, tree_work.rows)
    load_wrenches(tree, tree_work)
    load_rows(mechanism, workspace)
    outcome = loop_accelerations(mechanism, workspace, rates, 0)
    if outcome == SOLVED:
        put_twist_rates(tree, tree_work.rows, workspace.absolute, out, first)
        for row in range(loops.row_count):
            out[first + 6 * tree.body_count + loops.source[row]] = loop_work.multipliers[row]
    return outcome


@kernel("reactions and accelerations", seconds=8, plain=(100_000, 200_000))
def solve_states(
    equations: Any, work: Any, absolute: Any, table: Any, integrals: Any, rates: Any, found: Any,
    wrenches: Any,
) -> int:  # fmt: skip
    """The equations at absolute states (T, n, 18): SOLVED, or what stopped it at one of them.

    `table` holds the functions of time (T, signals), `integrals` work and angles (T, quadratures).

    found     (T, 6 n + rows) V' and lambda
    wrenches  (T, m, 12) of the joints

    J, eta and Q of the last state stay in `workspace`, its factor in `loop_work`.
    """
    mechanism, workspace, solved = borrow(equations), borrow(work), borrow(found)
    system, unknowns = mechanism.system, 6 * mechanism.tree.body_count
    width = unknowns + system.row_count
    for k in range(absolute.shape[0]):
        put_state(system, workspace, k, borrow(absolute), borrow(table), borrow(integrals))
        outcome = solve_free(mechanism, workspace, borrow(rates), solved, k * width)
        if outcome != SOLVED:
            return outcome
        at, into = k * width + unknowns, k * system.joint_count * ROW_WIDTH
        put_joint_wrenches(system, workspace.jacobian, solved, at, borrow(wrenches), into)
    return SOLVED
