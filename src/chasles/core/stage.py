r"""One stage: the right-hand side F of the equations of motion on the configuration space.

A point is (stored numbers of the pairs, velocities v, integrals, supply, what floating systems
keep), a slope (dexp^-1 v, v', rates of the others).  At a point and a time

$$ M\dot v + J^T\lambda = Q, \qquad J\dot v = \eta, $$

M and J on the coordinates of the pairs: joints that carry a body have no rows and cannot open.  Cut
joints, couplings and drivers of anything but a coordinate have rows: they drift with the error of
the method, may be stabilised, and are watched for singular poses.

Read `stage` as a table of contents: place the bodies, add the forces, form the rows, feed back what
is open, solve, keep the books.  Every scheme is made of calls of it.  Driven coordinates are
functions of time: a stage, and the end of a step, puts them where they are.
"""

from typing import Any

from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import clear, copy, twist6
from chasles.core.outcomes import OK
from chasles.core.placed import twist_of
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.closing import add_feedback, find_drift
from chasles.core.recursion.floating import put_floating_slopes
from chasles.core.recursion.kinematics import find_speeds, kinematics, place
from chasles.core.recursion.reactions import add_row_wrenches, along_coordinates, reactions
from chasles.core.recursion.refine import load_norm, motion_norm, put_row_residuals
from chasles.core.recursion.stage import accelerate_loops, drive, push, put_cut_rows
from chasles.core.stabilisation import FED_BACK, remove_constant_rows
from chasles.core.state_block import put_integrals, put_turn_rates
from chasles.core.twists import power
from chasles.scalars.elementary import sqrt


@once
def stage(mechanism: Any, workspace: Any, point: Any, t: float, slope_out: Any) -> int:
    """F at a point and time, where the driven coordinates of the point are put: OK, or why not."""
    system, tree, rates = mechanism.system, mechanism.tree, mechanism.tree.rate_count
    begin_stage(mechanism, workspace, point, t)
    if system.force_count > 0:
        push(mechanism, workspace, point)
    if mechanism.tree_work.has_wrenches == 0:  # else bodies are placed
        if mechanism.loops.is_formed != 0:
            place(tree, point, mechanism.tree_work.rows, workspace.absolute)
        elif mechanism.loops.row_count > 0:
            find_speeds(tree, point, mechanism.tree_work.rows, True)
    put_turn_rates(mechanism, workspace.quadrature_rates)
    if mechanism.loops.row_count > 0:
        outcome = accelerate_with_rows(mechanism, workspace, point, slope_out)
        if outcome != OK:
            return outcome
    else:
        accelerations(tree, mechanism.tree_work, slope_out, rates)
    copy(beyond(point, tree.stored_count), slope_out, rates)
    powers = force_powers(mechanism, workspace, point)
    if mechanism.floating.count > 0:  # before wrenches get those of rows
        put_floating_slopes(mechanism, workspace, point, slope_out)
    if system.drive_count > 0:
        find_driver_powers(mechanism, workspace, beyond(slope_out, rates))
    put_powers(mechanism, workspace, powers, beyond(slope_out, 2 * rates))
    if mechanism.loops.row_count > 0 and mechanism.stabiliser.kind == FED_BACK:
        move_apart(mechanism, workspace, slope_out)
    return OK


@hot
def begin_stage(mechanism: Any, workspace: Any, point: Any, t: float) -> None:
    """Functions of time, driven coordinates where these are, integrals, and where bodies turn."""
    drive(mechanism, workspace, t, point)
    put_integrals(mechanism, workspace, point)
    kinematics(mechanism.tree, point, mechanism.tree_work.rows)


@once
def accelerate_with_rows(mechanism: Any, workspace: Any, point: Any, slope_out: Any) -> int:
    """Accelerations and multipliers of a mechanism with rows: OK, or why there are none."""
    loop_work, rates = mechanism.loop_work, mechanism.tree.rate_count
    put_cut_rows(mechanism, workspace, point)
    if mechanism.stabiliser.kind == FED_BACK:
        add_feedback(mechanism.loops, workspace, mechanism.stabiliser)
    outcome = accelerate_loops(mechanism, workspace, slope_out, rates)
    is_first, loop_work.selecting[0] = loop_work.selecting[0], 0
    if outcome != OK:
        return failure(mechanism, workspace, outcome)
    if mechanism.loops.is_damped != 0 and is_first != 0:
        note_residual(mechanism, workspace)
    if mechanism.constant_rows.count > 0:
        remove_constant_rows(mechanism.constant_rows, slope_out, rates)
    return OK


@once
def note_residual(mechanism: Any, workspace: Any) -> None:
    r"""Compare what the rows miss, eta - J v', with what is added up in them, on a damped factor.

    At the first stage of a step, where loops are as closed as they are at its start.
    Rows that contradict each other miss it, and those that rounding cannot tell from such: on links
    far too light for the others.  Row i is compared with $\sum_k |J_{ik} \dot V_k| + |\eta_i|$, and
    with what the forces would make of the whole model in one piece where it hardly moves.
    """
    system, loops, loop_work = mechanism.system, mechanism.loops, mechanism.loop_work
    sizes, rows = mechanism.accuracy.sizes, mechanism.tree_work.rows
    mass, longest = 0.0, 0.0
    for body in range(system.body_count):
        mass += system.bodies.mass[body]
    for row in range(system.row_count):
        longest = max(longest, sizes[row])
    typical = motion_norm(mechanism.tree, rows)
    typical += load_norm(mechanism.tree, mechanism.tree_work, system)
    typical = typical / sqrt(mass) / longest
    put_row_residuals(mechanism.tree, loops, loop_work, rows, workspace)
    loop_work.residual[0] = 0.0
    for row in range(loops.row_count):
        source = loops.source[row]
        reach = loop_work.sums[row] + typical * sizes[source]
        share = abs(loop_work.left[row]) / reach
        if share > loop_work.residual[0]:
            loop_work.residual[0], loop_work.residual[1] = share, source


@routine
def failure(mechanism: Any, workspace: Any, outcome: int) -> int:
    """The outcome in rows of J, with what was missed where it can be read."""
    if outcome >= 0:
        row: int = mechanism.loops.source[outcome]
        return row
    put_missed_rows(mechanism, workspace)
    return outcome


@once
def put_missed_rows(mechanism: Any, workspace: Any) -> None:
    """What rows miss, into the rows of workspace.residual."""
    loops = mechanism.loops
    clear(workspace.residual, mechanism.system.row_count)
    for row in range(loops.row_count):
        workspace.residual[loops.source[row]] = mechanism.loop_work.left[row]


# --- the books ---


@hot
def force_powers(mechanism: Any, workspace: Any, point: Any) -> Any:
    """The power of all forces, and its size, by body and coordinate; gravity's work is a difference
    of potentials (see `step_checks.monitor_energy`).
    """
    tree, tree_work = mechanism.tree, mechanism.tree_work
    supplied, exchanged = 0.0, 0.0
    if tree_work.has_wrenches != 0:
        for body in range(tree.body_count):
            gained = power(twist6(tree_work.wrenches, 6 * body), twist_of(workspace.absolute, body))
            supplied += gained
            exchanged += abs(gained)
    if tree_work.has_efforts != 0:
        for k in range(tree.rate_count):
            gained = tree_work.efforts[k] * point[tree.stored_count + k]
            supplied += gained
            exchanged += abs(gained)
    return supplied, exchanged


@once
def find_driver_powers(mechanism: Any, workspace: Any, rates: Any) -> None:
    """The power of every driver: of a row -lambda, of a coordinate its effort, times the rate."""
    tree, tree_work = mechanism.tree, mechanism.tree_work
    put_row_powers(mechanism, workspace, mechanism.loop_work.multipliers, 1.0)
    if tree.driven_count > 0:
        if mechanism.loops.row_count > 0:
            if tree_work.has_wrenches == 0:
                clear(tree_work.wrenches, 6 * tree.body_count)
            add_row_wrenches(mechanism, workspace)
        put_effort_powers(mechanism, workspace, mechanism, rates)


@routine
def put_effort_powers(mechanism: Any, workspace: Any, equations: Any, rates: Any) -> None:
    """The power of drivers of coordinates, by what the bodies of solved equations need."""
    tree, tree_work = equations.tree, equations.tree_work
    reactions(tree, tree_work, mechanism.joint_wrench)
    along_coordinates(tree, tree_work.rows, mechanism.joint_wrench, rates, mechanism.efforts)
    # What forces do along a coordinate is not the driver's.
    put_coordinate_powers(mechanism, workspace, tree_work.efforts, 1.0)


@routine
def put_row_powers(mechanism: Any, workspace: Any, multipliers: Any, scale: float) -> None:
    """The power of drivers that have rows; lambda is `scale` times the multipliers (m,)."""
    joints, loops = mechanism.system.joints, mechanism.loops
    for row in range(loops.row_count):
        joint = loops.joint_of[row]
        drive = joints.drive[joint]
        if drive >= 0:
            gained = -scale * multipliers[row] * workspace.signals[drive + 1]
            workspace.quadrature_rates[joints.drive_work[joint]] = gained


@routine
def put_coordinate_powers(mechanism: Any, workspace: Any, others: Any, scale: float) -> None:
    """The power of drivers of coordinates: `scale` times mechanism.efforts less those of others."""
    joints = mechanism.system.joints
    for joint in range(mechanism.system.joint_count):
        drive, k = joints.drive[joint], mechanism.coordinates[joint]
        if drive >= 0 and k >= 0:
            gained = scale * (mechanism.efforts[k] - others[k]) * workspace.signals[drive + 1]
            workspace.quadrature_rates[joints.drive_work[joint]] = gained


@hot
def put_powers(mechanism: Any, workspace: Any, powers: Any, out: Any) -> None:
    """Rates of the integrals; then the power of all forces and drivers, and its size, part by
    part.  Joints take none: what goes in must be found as kinetic energy (see `step_checks`).
    """
    system = mechanism.system
    supplied, exchanged = powers
    copy(workspace.quadrature_rates, out, system.quadrature_count)
    for k in range(system.force_count, system.force_count + system.drive_count):
        supplied += out[k]
        exchanged += abs(out[k])
    out[system.quadrature_count] = supplied
    out[system.quadrature_count + 1] = exchanged


@once
def move_apart(mechanism: Any, workspace: Any, slope_out: Any) -> None:
    """The slopes of the coordinates get what moves them beside their velocities."""
    if mechanism.stabiliser.drift_gain != 0.0:
        find_drift(mechanism, workspace)
        for k in range(mechanism.tree.rate_count):
            slope_out[k] += mechanism.loop_work.solution[k]
