r"""A tree with cut joints as a mechanism: rows ride, and what they leave open is stabilised.

Points, slopes and their integrals are those of `mechanism`; joints of the tree cannot open.  Cut
joints, couplings and drivers of anything but a coordinate of the tree have rows: they drift with
the error of the method, may be stabilised, and are watched for singular poses.
"""

from typing import Any, NamedTuple

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, Integers, System
from chasles.core.judge import (
    SPEED_CONFLICT,
    all_finite,
    begin_step,
    end_step,
    look_at_energy,
)
from chasles.core.outcomes import CONTRADICTED, NOT_CLOSED, NOT_FINITE, OK
from chasles.core.recursion.closing import (
    close_cut_joints,
    feel_gaps,
    find_drift,
    miss_speeds,
)
from chasles.core.recursion.coupled import add_coupled_wrenches
from chasles.core.recursion.flight import Flight
from chasles.core.recursion.groups import LoopRoom, Loops
from chasles.core.recursion.kept import KeptRows, keep_rows
from chasles.core.recursion.kinematics import find_speeds, place
from chasles.core.recursion.mechanism import (
    begin_tree_stage,
    find_driver_powers,
    force_powers,
    land,
    look_at_tree_energy,
    put_flight,
    put_powers,
    tree_finish,
    tree_pull_back,
    tree_retract,
    tree_slope_length,
)
from chasles.core.recursion.reactions import add_row_wrenches
from chasles.core.recursion.stage import accelerate_loops, follow, push, put_cut_rows
from chasles.core.recursion.tree import Recursion, Tree
from chasles.core.retraction import finish, pull_back, retract, slope_length
from chasles.core.seam import on
from chasles.core.signals import put_signals
from chasles.core.stabilisation.feedback import pull_joints
from chasles.core.stabilisation.record import FED_BACK, PROJECTED, Stabiliser
from chasles.core.stage import Promises, stage
from chasles.core.state_block import Layout
from chasles.core.turns import put_turn_rates
from chasles.core.watch import (
    BEFORE,
    LARGEST,
    LAST,
    SEEN_WIDTH,
    WANTED,
    Watch,
    look_at_pivots,
)
from chasles.scalars.elementary import maximum


class LoopMechanism(NamedTuple):
    """A `TreeMechanism` with rows."""

    system: System
    tree: Tree
    memory: Recursion
    watch: Watch  # of the rows that ride
    promises: Promises
    layout: Layout
    coordinates: Integers  # (m,) which coordinate a driver drives; -1 for joints, and for rows
    felt: Floats  # (n, 6) wrenches of the joints, where there are drivers
    efforts: Floats  # (v,) generalised forces there
    flight: Flight  # what floats
    loops: Loops
    room: LoopRoom
    stabiliser: Stabiliser
    kept: KeptRows  # what charts keep by constant rows
    placed: Floats  # (n, ROW) kinematics at the end of a step: the factor is that of its last stage


on(slope_length, LoopMechanism)(tree_slope_length)
on(retract, LoopMechanism)(tree_retract)
on(pull_back, LoopMechanism)(tree_pull_back)
on(finish, LoopMechanism)(tree_finish)
on(look_at_energy, LoopMechanism)(look_at_tree_energy)


@on(stage, LoopMechanism)
@hot
def loop_stage(
    mechanism: Any, scratch: Any, point: Any, t: float, role: Any, slope_out: Any
) -> int:
    """F at a point and time, where the driven coordinates of the point are put: OK, or why not."""
    system, tree, memory = mechanism.system, mechanism.tree, mechanism.memory
    begin_tree_stage(mechanism, scratch, point, t)
    if memory.has_wrenches != 0:
        push(tree, memory, system, scratch, point)
    elif mechanism.loops.is_formed != 0 or system.hinges.count > 0:
        place(tree, point, memory.rows, scratch.absolute)
    else:
        find_speeds(tree, point, memory.rows, True)
    put_cut_rows(system, tree, mechanism.loops, mechanism.room, point, scratch)
    pull_joints(system, scratch, mechanism.stabiliser)
    rates = tree.rate_count
    outcome = accelerate_loops(
        tree, memory, system, scratch, mechanism.loops, mechanism.room, slope_out, rates
    )
    mechanism.room.choosing[0] = 0
    if outcome != OK:
        return failure(mechanism, scratch, outcome)
    if mechanism.kept.count > 0:
        keep_rows(mechanism.kept, slope_out, rates)
    for k in range(rates):
        slope_out[k] = point[tree.stored_count + k]
    powers = force_powers(mechanism, scratch)
    put_turn_rates(system, scratch)
    put_flight(mechanism, scratch, point, slope_out)  # before wrenches get those of rows
    if system.drive_count > 0:
        find_all_powers(mechanism, scratch, beyond(slope_out, rates))
    put_powers(mechanism, scratch, powers, beyond(slope_out, 2 * rates))
    move_apart(mechanism, scratch, slope_out)
    return OK


@routine
def failure(mechanism: Any, scratch: Any, outcome: int) -> int:
    """The outcome in rows of J, with what was missed where it can be read."""
    loops, unknowns = mechanism.loops, 6 * mechanism.system.body_count
    if outcome >= 0:
        return loops.source[outcome]
    put_missed(mechanism, scratch, unknowns)
    return outcome


@routine
def put_missed(mechanism: Any, scratch: Any, unknowns: int) -> None:
    """What rows miss into scratch.residual, as the charts' kernel leaves it."""
    loops = mechanism.loops
    for row in range(mechanism.system.row_count):
        scratch.residual[unknowns + row] = 0.0
    for row in range(loops.row_count):
        scratch.residual[unknowns + loops.source[row]] = mechanism.room.left[row]


@routine
def find_all_powers(mechanism: Any, scratch: Any, rates: Any) -> None:
    """The power of every driver: of a row -lambda, of a coordinate its effort, times the rate."""
    system, loops, memory = mechanism.system, mechanism.loops, mechanism.memory
    for row in range(loops.row_count):
        joint = loops.joint_of[row]
        drive = system.joints.drive[joint]
        if drive >= 0:
            integral = system.joints.drive_work[joint]
            power = -mechanism.room.multipliers[row] * scratch.signals[drive + 1]
            scratch.quadrature_rates[integral] = power
    if mechanism.tree.driven_count > 0:
        if memory.has_wrenches == 0:
            for k in range(6 * mechanism.tree.body_count):
                memory.wrenches[k] = 0.0
        add_row_wrenches(loops, mechanism.room, scratch.jacobian, memory.wrenches)
        add_coupled_wrenches(
            mechanism.tree, loops, mechanism.room, memory.rows, scratch.absolute, memory.wrenches
        )
        find_driver_powers(mechanism, scratch, rates)


@routine
def move_apart(mechanism: Any, scratch: Any, slope_out: Any) -> None:
    """The slopes of the coordinates get what moves them beside their velocities."""
    stabiliser = mechanism.stabiliser
    if stabiliser.kind == FED_BACK and stabiliser.drift_gain != 0.0:
        find_drift(mechanism, scratch)
        for k in range(mechanism.tree.rate_count):
            slope_out[k] += mechanism.room.solution[k]


# --- around a step ---


@on(begin_step, LoopMechanism)
@hot
def begin_loop_step(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """Before the first stage, which chooses rows: gaps that are fed back."""
    mechanism.room.choosing[0] = 1
    if mechanism.stabiliser.kind == FED_BACK:
        put_signals(mechanism.system.signals, t, scratch.signals)
        feel_gaps(mechanism, scratch, state)


@on(end_step, LoopMechanism)
@hot
def end_loop_step(
    mechanism: Any, scratch: Any, state: Any, t: float, step: float, looking: int, out: Any
) -> int:
    tree, layout = mechanism.tree, mechanism.layout
    for k in range(layout.momentum, layout.width):
        out[k] = state[k]
    if looking == 1:
        seen = beyond(out, layout.seen)
        pivots = mechanism.room.inverses
        if mechanism.loops.is_chosen != 0:
            show_pivots(mechanism, seen)
            pivots = mechanism.room.shown
        outcome = look_at_pivots(mechanism.watch, pivots, t, seen, 0.0, 0.0)
        if outcome == OK:
            outcome = look_at_loop_drivers(mechanism, scratch, beyond(out, layout.fastest))
        if outcome != OK:
            return outcome
    if mechanism.kept.count > 0:
        missed = keep_rows(mechanism.kept, out, tree.stored_count)
        mechanism.kept.largest[0] = maximum(mechanism.kept.largest[0], missed)
    projects = mechanism.stabiliser.kind == PROJECTED
    if projects or tree.driven_count > 0:
        put_signals(mechanism.system.signals, t, scratch.signals)
    if tree.driven_count > 0:
        follow(tree, scratch.signals, out)
    if projects and not close_cut_joints(mechanism, scratch, out):
        return NOT_CLOSED
    land(mechanism, out, step)
    return OK if all_finite(out, layout.integrals) else NOT_FINITE


@routine
def show_pivots(mechanism: Any, seen: Any) -> None:
    """Rows that are not chosen take no part; volumes of others than before are not compared."""
    loops, watch, room = mechanism.loops, mechanism.watch, mechanism.room
    for row in range(watch.row_count):
        room.shown[row] = room.inverses[row]
        if room.active[row] == 0:
            room.shown[row] = -1.0 / (watch.first[row] + watch.damping[row])
        if loops.choices[row] >= 0 and room.changed[row] != 0:
            at = watch.joints[row] * SEEN_WIDTH
            seen[at + BEFORE], seen[at + LAST], seen[at + LARGEST] = -1.0, -1.0, 0.0
            seen[at + WANTED] = 0.0


@routine
def look_at_loop_drivers(mechanism: Any, scratch: Any, fastest: Any) -> int:
    """OK, or CONTRADICTED: see `judge.look_at_drivers`.

    Driven coordinates are as fast as they are told to be; what no motion of the others takes away
    of the rows' misses is a contradiction.
    """
    system, loops, room = mechanism.system, mechanism.loops, mechanism.room
    if system.drive_count == 0 or (loops.is_damped == 0 and loops.is_chosen == 0):
        return OK
    sizes = mechanism.promises.sizes
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0:
            rate = abs(scratch.signals[drive + 1])
            fastest[0] = maximum(fastest[0], rate / sizes[system.joints.first_row[joint]])
    miss_speeds(mechanism, scratch)
    largest = 0.0
    for row in range(loops.row_count):
        largest = maximum(largest, abs(room.left[row]) / sizes[loops.source[row]])
    if largest > SPEED_CONFLICT * fastest[0] + mechanism.promises.slow:
        put_missed(mechanism, scratch, 6 * system.body_count)
        return CONTRADICTED
    return OK
