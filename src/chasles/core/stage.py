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

from typing import Any, NamedTuple

from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import clear, copy, get6
from chasles.core.assemble import twist_of
from chasles.core.blocks.small import dot6
from chasles.core.mechanism import Mechanism, Promises
from chasles.core.outcomes import OK
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.closing import find_drift, pull_joints
from chasles.core.recursion.flight import put_flight_slopes
from chasles.core.recursion.kept import keep_rows
from chasles.core.recursion.kinematics import find_speeds, kinematics, place
from chasles.core.recursion.reactions import add_row_wrenches, along_coordinates, reactions
from chasles.core.recursion.refine import motion_norm, push_norm, put_miss
from chasles.core.recursion.stage import accelerate_loops, follow, push, put_cut_rows
from chasles.core.signals import put_signals
from chasles.core.stabilisation.record import FED_BACK
from chasles.core.turns import put_turn_rates
from chasles.scalars.elementary import sqrt

__all__ = ["Mechanism", "Promises", "Role", "begin_stage", "put_missed", "stage"]


class Role(NamedTuple):
    """What a stage is to its step: the weight with which its slope enters the end of it."""

    weight: float


@once
def stage(mechanism: Any, scratch: Any, point: Any, t: float, role: Any, slope_out: Any) -> int:
    """F at a point and time, where the driven coordinates of the point are put: OK, or why not."""
    system, tree, rates = mechanism.system, mechanism.tree, mechanism.tree.rate_count
    begin_stage(mechanism, scratch, point, t)
    if system.force_count > 0:
        push(tree, mechanism.memory, system, scratch, point)
    if mechanism.memory.has_wrenches == 0:  # else bodies are placed
        if mechanism.loops.is_formed != 0:
            place(tree, point, mechanism.memory.rows, scratch.absolute)
        elif mechanism.loops.row_count > 0:
            find_speeds(tree, point, mechanism.memory.rows, True)
    put_turn_rates(mechanism, scratch.quadrature_rates)
    if mechanism.loops.row_count > 0:
        outcome = accelerate_with_rows(mechanism, scratch, point, slope_out)
        if outcome != OK:
            return outcome
    else:
        accelerations(tree, mechanism.memory, slope_out, rates)
    copy(beyond(point, tree.stored_count), slope_out, rates)
    powers = force_powers(mechanism, scratch, point)
    put_flight(mechanism, scratch, point, slope_out)  # before wrenches get those of rows
    if system.drive_count > 0:
        find_driver_powers(mechanism, scratch, beyond(slope_out, rates))
    put_powers(mechanism, scratch, powers, beyond(slope_out, 2 * rates))
    if mechanism.loops.row_count > 0 and mechanism.stabiliser.kind == FED_BACK:
        move_apart(mechanism, scratch, slope_out)
    return OK


@hot
def begin_stage(mechanism: Any, scratch: Any, point: Any, t: float) -> None:
    """Functions of time, driven coordinates where these are, integrals, and where bodies turn."""
    system, tree = mechanism.system, mechanism.tree
    put_signals(system.signals, t, scratch.signals)
    if tree.driven_count > 0:
        follow(tree, scratch.signals, point)
    copy(beyond(point, mechanism.layout.integrals), scratch.quadratures, system.quadrature_count)
    kinematics(tree, point, mechanism.memory.rows)


@once
def accelerate_with_rows(mechanism: Any, scratch: Any, point: Any, slope_out: Any) -> int:
    """Accelerations and multipliers of a mechanism with rows: OK, or why there are none."""
    system, tree, memory = mechanism.system, mechanism.tree, mechanism.memory
    loops, room, rates = mechanism.loops, mechanism.room, tree.rate_count
    put_cut_rows(system, tree, loops, room, point, scratch)
    pull_joints(system, scratch, mechanism.stabiliser)
    outcome = accelerate_loops(tree, memory, system, scratch, loops, room, slope_out, rates)
    is_first, room.choosing[0] = room.choosing[0], 0
    if outcome != OK:
        return failure(mechanism, scratch, outcome)
    if loops.is_damped != 0 and is_first != 0:
        note_missed(mechanism, scratch)
    if mechanism.kept.count > 0:
        keep_rows(mechanism.kept, slope_out, rates)
    return OK


@once
def note_missed(mechanism: Any, scratch: Any) -> None:
    r"""Compare what the rows miss, eta - J v', with what is added up in them, on a damped factor.

    At the first stage of a step, where loops are as closed as they are at its start.
    Rows that contradict each other miss it, and those that rounding cannot tell from such: on links
    far too light for the others.  Row i is compared with $\sum_k |J_{ik} \dot V_k| + |\eta_i|$, and
    with what the forces would make of the whole model in one piece where it hardly moves.
    """
    system, loops, room = mechanism.system, mechanism.loops, mechanism.room
    sizes, rows = mechanism.promises.sizes, mechanism.memory.rows
    mass, longest = 0.0, 0.0
    for body in range(system.body_count):
        mass += system.bodies.mass[body]
    for row in range(system.row_count):
        longest = max(longest, sizes[row])
    typical = motion_norm(mechanism.tree, rows)
    typical += push_norm(mechanism.tree, mechanism.memory, system)
    typical = typical / sqrt(mass) / longest
    put_miss(mechanism.tree, loops, room, rows, scratch)
    room.missed[0] = 0.0
    for row in range(loops.row_count):
        source = loops.source[row]
        reach = room.sums[row] + typical * sizes[source]
        share = abs(room.left[row]) / reach
        if share > room.missed[0]:
            room.missed[0], room.missed[1] = share, source


@routine
def failure(mechanism: Any, scratch: Any, outcome: int) -> int:
    """The outcome in rows of J, with what was missed where it can be read."""
    if outcome >= 0:
        row: int = mechanism.loops.source[outcome]
        return row
    put_missed(mechanism, scratch)
    return outcome


@once
def put_missed(mechanism: Any, scratch: Any) -> None:
    """What rows miss, into the rows of scratch.residual."""
    loops, unknowns = mechanism.loops, 6 * mechanism.system.body_count
    clear(beyond(scratch.residual, unknowns), mechanism.system.row_count)
    for row in range(loops.row_count):
        scratch.residual[unknowns + loops.source[row]] = mechanism.room.left[row]


# --- the books ---


@hot
def put_flight(mechanism: Any, scratch: Any, point: Any, slope_out: Any) -> None:
    """The slopes of what floating systems keep, from the forces on their bodies."""
    memory, layout = mechanism.memory, mechanism.layout
    if mechanism.flight.count > 0:
        at = 2 * mechanism.tree.rate_count + layout.flight - layout.integrals
        put_flight_slopes(
            mechanism.tree, mechanism.flight, memory.has_wrenches, memory.wrenches,
            scratch.absolute, beyond(point, layout.flight), beyond(slope_out, at),
        )  # fmt: skip


@hot
def force_powers(mechanism: Any, scratch: Any, point: Any) -> Any:
    """The power of all forces, and its size, by body and coordinate; gravity's work is a difference
    of potentials (see `judge.look_at_energy`).
    """
    tree, memory = mechanism.tree, mechanism.memory
    supplied, exchanged = 0.0, 0.0
    if memory.has_wrenches != 0:
        for body in range(tree.body_count):
            twist = twist_of(scratch.absolute, body)
            power = dot6(get6(memory.wrenches, 6 * body), twist[0] + twist[1])
            supplied += power
            exchanged += abs(power)
    if memory.has_efforts != 0:
        for k in range(tree.rate_count):
            power = memory.efforts[k] * point[tree.stored_count + k]
            supplied += power
            exchanged += abs(power)
    return supplied, exchanged


@once
def find_driver_powers(mechanism: Any, scratch: Any, rates: Any) -> None:
    """The power of every driver: of a row -lambda, of a coordinate its effort, times the rate."""
    system, loops = mechanism.system, mechanism.loops
    for row in range(loops.row_count):
        joint = loops.joint_of[row]
        drive = system.joints.drive[joint]
        if drive >= 0:
            integral = system.joints.drive_work[joint]
            power = -mechanism.room.multipliers[row] * scratch.signals[drive + 1]
            scratch.quadrature_rates[integral] = power
    if mechanism.tree.driven_count > 0:
        if loops.row_count > 0:
            load_row_wrenches(mechanism, scratch)
        find_coordinate_powers(mechanism, scratch, rates)


@routine
def load_row_wrenches(mechanism: Any, scratch: Any) -> None:
    """The wrenches of all rows are added to those of the forces."""
    tree, loops, memory = mechanism.tree, mechanism.loops, mechanism.memory
    if memory.has_wrenches == 0:
        clear(memory.wrenches, 6 * tree.body_count)
    add_row_wrenches(
        tree, loops, mechanism.room, memory.rows, scratch.absolute, scratch.jacobian,
        memory.wrenches,
    )  # fmt: skip


@routine
def find_coordinate_powers(mechanism: Any, scratch: Any, rates: Any) -> None:
    """The power of drivers of coordinates: generalised force times the rate they prescribe."""
    system, tree = mechanism.system, mechanism.tree
    reactions(tree, mechanism.memory, mechanism.felt)
    along_coordinates(tree, mechanism.memory.rows, mechanism.felt, rates, mechanism.efforts)
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0 and mechanism.coordinates[joint] >= 0:
            coordinate = mechanism.coordinates[joint]
            effort = mechanism.efforts[coordinate]
            if mechanism.memory.has_efforts != 0:  # what forces do along it is not the driver's
                effort -= mechanism.memory.efforts[coordinate]
            integral = system.joints.drive_work[joint]
            scratch.quadrature_rates[integral] = effort * scratch.signals[drive + 1]


@hot
def put_powers(mechanism: Any, scratch: Any, powers: Any, out: Any) -> None:
    """Rates of the integrals; then the power of all forces and drivers, and its size, part by
    part.  Joints take none: what goes in must be found as kinetic energy (see `judge`).
    """
    system = mechanism.system
    supplied, exchanged = powers
    copy(scratch.quadrature_rates, out, system.quadrature_count)
    for k in range(system.force_count, system.force_count + system.drive_count):
        supplied += out[k]
        exchanged += abs(out[k])
    out[system.quadrature_count] = supplied
    out[system.quadrature_count + 1] = exchanged


@once
def move_apart(mechanism: Any, scratch: Any, slope_out: Any) -> None:
    """The slopes of the coordinates get what moves them beside their velocities."""
    if mechanism.stabiliser.drift_gain != 0.0:
        find_drift(mechanism, scratch)
        for k in range(mechanism.tree.rate_count):
            slope_out[k] += mechanism.room.solution[k]
