r"""Stabilisation of cut joints: coordinates move, so that no joint of the tree opens.

*Projection*: after a step, Newton steps for the configuration and one for the velocity, on the
factor of the last stage: with M and J on coordinates,

$$ M\delta + J^T\mu = 0, \qquad J\delta = -g, $$

is the least displacement, in the mass metric, that closes the rows; likewise -J V and a change of
velocities.  g and J V are zero on the rows that are not stabilised: the correction moves them
along.

*Feedback*: Baumgarte's, and that of Gear, Gupta and Leimkuhler, where bodies move with W,

$$ J \dot V = \eta - 2\alpha\,J V - \beta^2 g; \qquad
   W = V + M^{-1} J^T \mu, \quad J W = -g / h, \quad J \dot V = \eta - J V / h, $$

with the g and J V at the start of the step, so that the method keeps its order (J V in
J W = J V + J (W - V) is the stage's).  See docs/equations.md, "Feedback of constraint violations".
"""

from typing import Any

from chasles.compiled import beyond, once, routine
from chasles.core.arrays import copy
from chasles.core.constraints.registry import assemble_joint
from chasles.core.recursion import motion
from chasles.core.recursion.coupled import put_coupled_rows, put_negative, take_coupled
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.recursion.refine import gather, residual_of_row, solve_rows
from chasles.core.stabilisation import furthest, put_position_residual, put_velocity_residual
from chasles.core.state_block import put_integrals
from chasles.scalars.elementary import absolute, maximum

#: What rows miss: of positions, of velocities.
SHIFTS, SLIPS = 1, 2
#: Corrections per step at the most, and what counts as closed then and there (sizes, rad).
MOST_CORRECTIONS, CLOSED = 8, 1e-12
#: A joint further open than this after all corrections stops the run.
NEARLY_CLOSED = 1e-9
#: Bodies far from the origin have coordinates that end there: 8 ulps of them are closed, too.
FAR = 8.0 * 2.0**-52 / CLOSED


@routine
def put_slips(
    mechanism: Any, workspace: Any, absolute: Any, rows: Any, out: Any, all_of: bool
) -> None:
    """-J V at the placed bodies, of all rows or of those that are stabilised, into a column."""
    loops, chosen = mechanism.loops, mechanism.stabiliser.found.chosen
    for k in range(loops.joint_count):
        joint = loops.joints[k]
        if all_of or chosen[joint] != 0:
            put_velocity_residual(mechanism.system, joint, absolute, workspace, rows, out)
    put_negative(loops, mechanism.loop_work.speeds, chosen, all_of, out)


@routine
def put_gaps(mechanism: Any, workspace: Any, absolute: Any, out: Any, all_of: bool) -> None:
    """-g at the placed bodies, whose J has just been assembled; of which rows as `put_slips`."""
    loops, chosen = mechanism.loops, mechanism.stabiliser.found.chosen
    for k in range(loops.joint_count):
        joint = loops.joints[k]
        if all_of or chosen[joint] != 0:
            put_position_residual(mechanism.system, joint, absolute, workspace, out)
    put_negative(loops, mechanism.loop_work.gaps, chosen, all_of, out)


@routine
def put_openings(mechanism: Any, workspace: Any, state: Any, part: int, all_of: bool) -> None:
    """-g (SHIFTS) and -J V (SLIPS) at a state, of all rows or of those that are stabilised.

    They go to shift and change of the stabiliser's record, with the bodies and J there.
    """
    system, loops, found = mechanism.system, mechanism.loops, mechanism.stabiliser.found
    place_bodies(mechanism.tree, state, mechanism.placed, found.absolute)
    for k in range(loops.joint_count):
        joint = loops.joints[k]
        if all_of or found.chosen[joint] != 0:
            assemble_joint(system, joint, found.absolute, workspace, found.jacobian, found.eta)
    if loops.coupled_count > 0:
        put_coupled_rows(mechanism, workspace, state, found.absolute, found.eta)
    if part & SHIFTS:
        put_gaps(mechanism, workspace, found.absolute, found.shift, all_of)
    if part & SLIPS:
        put_slips(mechanism, workspace, found.absolute, found.jacobian, found.change, all_of)


@routine
def put_cut_residuals(mechanism: Any, workspace: Any, state: Any) -> float:
    """-g and -J V of the stabilised joints among the cut ones; the largest g, in sizes."""
    system, loops, found = mechanism.system, mechanism.loops, mechanism.stabiliser.found
    put_openings(mechanism, workspace, state, SHIFTS + SLIPS, False)
    largest, accuracy = 0.0, mechanism.accuracy
    for row in range(loops.row_count):
        source, far = loops.source[row], 0.0
        if accuracy.lengths[source] != 0.0:
            far = FAR * furthest(system, loops.joint_of[row], found.absolute)
        size = accuracy.sizes[source] + far
        largest = maximum(largest, absolute(found.shift[source]) / size)
    return largest


@routine
def solve_for(mechanism: Any, column: Any) -> None:
    """`solve_rows` for a column (rows,)."""
    loops = mechanism.loops
    for row in range(loops.row_count):
        mechanism.loop_work.wanted[row] = column[loops.source[row]]
    solve_rows(mechanism.tree, loops, mechanism.loop_work, mechanism.tree_work.rows)


@once
def close_cut_joints(mechanism: Any, workspace: Any, state: Any) -> bool:
    """Close the stabilised joints at the end of a step; whether they could be closed.

    One correction closes them to rounding at the steps one uses; more are made, on the same factor,
    where it does not.
    """
    tree, loop_work, found = mechanism.tree, mechanism.loop_work, mechanism.stabiliser.found
    rates = tree.rate_count
    opening = put_cut_residuals(mechanism, workspace, state)
    for _ in range(MOST_CORRECTIONS):
        solve_for(mechanism, found.shift)
        copy(loop_work.solution, loop_work.increment, rates)
        solve_for(mechanism, found.change)
        copy(loop_work.solution, beyond(loop_work.increment, rates), rates)
        motion.retract(tree, state, loop_work.increment, state)
        opening = put_cut_residuals(mechanism, workspace, state)
        if opening <= CLOSED:
            return True
    return opening <= NEARLY_CLOSED


# --- feedback ---


@once
def feed_back_gaps(mechanism: Any, workspace: Any, state: Any) -> None:
    """Gaps and their rates at the start of a step, and what they add to eta."""
    feedback, found = mechanism.stabiliser, mechanism.stabiliser.found
    put_integrals(mechanism, workspace, state)  # no stage of this step has done so yet
    put_cut_residuals(mechanism, workspace, state)
    for row in range(mechanism.system.row_count):
        pull = feedback.damping * found.change[row] + feedback.stiffness * found.shift[row]
        feedback.pull[row] = pull


@routine
def add_feedback(loops: Any, workspace: Any, stabiliser: Any) -> None:
    """What gaps add to eta at a stage, before its equations are solved."""
    for k in range(loops.row_count):
        row = loops.source[k]
        workspace.eta[row] += stabiliser.pull[row]


@once
def find_drift(mechanism: Any, workspace: Any) -> None:
    """W - V of a stage whose matrix has just been factored, into loop_work.solution."""
    loops, feedback = mechanism.loops, mechanism.stabiliser
    put_slips(mechanism, workspace, workspace.absolute, workspace.jacobian, feedback.drift, False)
    for row in range(loops.row_count):
        at = loops.source[row]
        pull = feedback.drift_gain * feedback.found.shift[at]
        mechanism.loop_work.wanted[row] = feedback.drift[at] + pull
    solve_rows(mechanism.tree, loops, mechanism.loop_work, mechanism.tree_work.rows)


@once
def speed_residual(mechanism: Any, workspace: Any) -> None:
    """rates - J V of all rows at the last stage, of the closest V, into loop_work.left."""
    loops, loop_work = mechanism.loops, mechanism.loop_work
    tree, rows = mechanism.tree, mechanism.tree_work.rows
    absolute, jacobian, rates = workspace.absolute, workspace.jacobian, workspace.residual
    put_slips(mechanism, workspace, absolute, jacobian, rates, True)
    solve_for(mechanism, rates)
    if loops.is_damped == 0:
        gather(tree, loops, loop_work, rows, loop_work.solution)
    for row in range(loops.row_count):
        residual_of_row(tree, loops, loop_work, rows, workspace, row, rates, False)
        if loops.compliance[row] > 0.0:  # of a rotor
            loop_work.left[row] = 0.0
    take_coupled(tree, loops, loop_work, rows, absolute, False, loop_work.solution)
