r"""Checks of a step: may it be accepted, and is the run still right?

* Did the rows of the joints come to depend on each other (`monitor`)?
* Do drivers ask for speeds that the joints allow together?  Where rows of J depend on each other,
  $J V = r$ need not have a solution; what the best V misses is a contradiction, at every step and
  whatever the step.
* Do accelerations meet what redundant joints ask for?
* Is every joint as closed as was promised?
* Does the energy balance close?  Joints take no power, so kinetic energy grows by what forces and
  drivers supply, $T - T_0 = \int Q\cdot V\,dt$.  The balance is the method's own error; where it is
  a sizeable share of all that was exchanged, the motion is wrong.
"""

from typing import Any

from chasles.compiled import beyond, hot, once, routine
from chasles.core.arrays import copy, get6, vec3
from chasles.core.constraints.rows import relative_twist
from chasles.core.outcomes import CONTRADICTED, NOT_CLOSED, NOT_FINITE, OK, TURNED
from chasles.core.placed import kinetic_energy, pose_of, twist_of
from chasles.core.rank_monitor import BEFORE, LARGEST, LAST, SEEN_WIDTH, WANTED, monitor_pivots
from chasles.core.recursion.closing import close_cut_joints, feed_back_gaps, speed_residual
from chasles.core.recursion.floating import correct_floating
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.recursion.stage import follow
from chasles.core.recursion.tree import REVOLUTE, SPHERICAL
from chasles.core.signals import put_signals
from chasles.core.stabilisation import (
    FED_BACK,
    PROJECTED,
    furthest,
    put_position_residual,
    remove_constant_rows,
)
from chasles.core.stage import put_missed_rows
from chasles.core.state_block import (
    AT_START,
    EXCHANGED,
    MISSED_ROW,
    MISSED_SINCE,
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    POTENTIAL,
    SUPPLIED,
    UNBALANCED_SINCE,
    WIDEST_GAP,
    WIDEST_ROW,
    WORST_GAP,
    WORST_MISS,
    WORST_SHARE,
    settle_turns,
)
from chasles.groups.vectors import dot, sub
from chasles.scalars.elementary import absolute, maximum, pick, sqrt

#: Speeds that miss by more than this fraction of the fastest so far stop a run: joints that have
#: drifted apart a little disagree a little.
SPEED_CONFLICT = 1e-3
#: Share of the energy exchanged so far that the balance may miss without a word.  The methods'
#: own errors at the steps one uses are orders below; a run that misses more has left its motion.
IMBALANCE = 1e-2
#: Of a rotation by so much (rad) in a step, half of the digits are left.
MOST_TURNED = 2.0**26
#: Gaps of bodies far from the origin are rounded by so many times their distance.
FAR = 1e-13
#: A gap as a multiple of what was promised that is as good as infinite.
BEYOND = 1e300
#: Share of its acceleration that a row may miss without a word.  Joints that are open by the error
#: of the method disagree by about as much, relatively.
MISSED = 1e-2


@hot
def begin_step(mechanism: Any, workspace: Any, state: Any, t: float) -> None:
    """Before the first stage, which chooses rows: gaps that are fed back."""
    if mechanism.loops.row_count > 0:
        mechanism.loop_work.selecting[0] = 1
        if mechanism.loops.is_chosen != 0:
            for row in range(mechanism.loops.row_count):
                mechanism.loop_work.active[row] = state[mechanism.layout.chosen + row]
        if mechanism.stabiliser.kind == FED_BACK:
            put_signals(mechanism.system.signals, t, workspace.signals)
            feed_back_gaps(mechanism, workspace, state)


@hot
def end_step(
    mechanism: Any, workspace: Any, state: Any, t: float, step: float, monitoring: int, out: Any
) -> int:
    """After the last stage: OK if `out`, t later than `state` by the step, may be accepted.

    A side step that is not followed by another is not watched: monitoring = 0.
    """
    tree, layout, outcome = mechanism.tree, mechanism.layout, OK
    has_rows = mechanism.loops.row_count > 0
    copy(beyond(state, layout.seen), beyond(out, layout.seen), layout.width - layout.seen)
    if has_rows:
        if monitoring == 1:
            outcome = monitor_rows(mechanism, workspace, out, t)
            if outcome != OK:
                return outcome
        if mechanism.loops.is_chosen != 0:
            copy(mechanism.loop_work.active, beyond(out, layout.chosen), mechanism.loops.row_count)
        if mechanism.constant_rows.count > 0:
            residual = remove_constant_rows(mechanism.constant_rows, out, tree.stored_count)
            out[layout.removed] = maximum(out[layout.removed], residual)
    projects = has_rows and mechanism.stabiliser.kind == PROJECTED
    if projects or tree.driven_count > 0:
        put_signals(mechanism.system.signals, t, workspace.signals)
    if tree.driven_count > 0:
        follow(tree, workspace.signals, out)
    if projects and not close_cut_joints(mechanism, workspace, out):
        return NOT_CLOSED
    if mechanism.floating.count > 0:
        correct_floating(mechanism, out, step)
    if fastest_spin(tree, out) * step > MOST_TURNED:
        return TURNED
    return OK if all_finite(out, layout.integrals) else NOT_FINITE


@once
def monitor_rows(mechanism: Any, workspace: Any, out: Any, t: float) -> int:
    """Singular poses, accelerations that rows miss, drivers that contradict each other."""
    layout, loops = mechanism.layout, mechanism.loops
    seen, pivots = beyond(out, layout.seen), mechanism.loop_work.inverses
    if loops.is_chosen != 0:
        show_pivots(mechanism, seen)
        pivots = mechanism.loop_work.shown
    outcome = monitor_pivots(mechanism.monitor, pivots, t, seen)
    if loops.is_damped != 0:
        monitor_accelerations(mechanism, beyond(out, layout.alarm), t)
    if outcome == OK:
        outcome = monitor_drivers(mechanism, workspace, beyond(out, layout.fastest))
    return outcome


@routine
def show_pivots(mechanism: Any, seen: Any) -> None:
    """Rows that are not chosen take no part; volumes of others than before are not compared."""
    loops, monitor, loop_work = mechanism.loops, mechanism.monitor, mechanism.loop_work
    for row in range(monitor.row_count):
        loop_work.shown[row] = loop_work.inverses[row]
        if loop_work.active[row] == 0:
            loop_work.shown[row] = -1.0 / (monitor.first[row] + monitor.damping[row])
        if loops.choices[row] >= 0 and loop_work.changed[row] != 0:
            at = monitor.joints[row] * SEEN_WIDTH
            seen[at + BEFORE], seen[at + LAST], seen[at + LARGEST] = -1.0, -1.0, 0.0
            seen[at + WANTED] = 0.0


@routine
def fastest_spin(tree: Any, state: Any) -> float:
    """The largest component of an angular velocity of the pairs."""
    largest = 0.0
    for body in range(tree.body_count):
        pair, first = tree.pair[body], tree.stored_count + tree.rate_at[body]
        if pair >= REVOLUTE:
            for c in range(3 if pair >= SPHERICAL else 1):
                largest = maximum(largest, absolute(state[first + c]))
    return largest


@routine
def all_finite(p: Any, count: int) -> bool:
    one, two = 0.0, 0.0  # two sums, since an addition waits for the one before it
    for k in range(0, count - 1, 2):
        one += 0.0 * p[k]  # NaN for infinities and NaN
        two += 0.0 * p[k + 1]
    last = 0.0 * p[count - 1] if count > 0 else 0.0
    return one + two + last == 0.0


@routine
def monitor_accelerations(mechanism: Any, alarm: Any, t: float) -> None:
    """Note the largest share of its acceleration that a row missed at the first stage."""
    residual = mechanism.loop_work.residual
    worse = residual[0] > alarm[WORST_MISS]
    alarm[MISSED_ROW] = pick(worse, residual[1], alarm[MISSED_ROW])
    alarm[WORST_MISS] = pick(worse, residual[0], alarm[WORST_MISS])
    if alarm[WORST_MISS] > MISSED and alarm[MISSED_SINCE] == NEVER:
        alarm[MISSED_SINCE] = t


@once
def monitor_drivers(mechanism: Any, workspace: Any, fastest: Any) -> int:
    """OK, or CONTRADICTED where drivers and joints ask for speeds that exclude each other.

    Driven coordinates are as fast as they are told to be; what no motion of the others takes away
    of the rows' misses is a contradiction.  Only factors of redundant rows can tell.
    """
    system, loops, loop_work = mechanism.system, mechanism.loops, mechanism.loop_work
    if system.drive_count == 0 or (loops.is_damped == 0 and loops.is_chosen == 0):
        return OK
    sizes = mechanism.accuracy.sizes
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0:
            rate = abs(workspace.signals[drive + 1])
            fastest[0] = maximum(fastest[0], rate / sizes[system.joints.first_row[joint]])
    speed_residual(mechanism, workspace)
    largest = 0.0
    for row in range(loops.row_count):
        largest = maximum(largest, abs(loop_work.left[row]) / sizes[loops.source[row]])
    if largest > SPEED_CONFLICT * fastest[0] + mechanism.accuracy.slow:
        put_missed_rows(mechanism, workspace)
        return CONTRADICTED
    return OK


@routine
def rotor_energy(joints: Any, count: int, absolute: Any) -> float:
    r"""$\tfrac12\sum I_r \dot q^2$ at the placed bodies."""
    total = 0.0
    for joint in range(count):
        if joints.rotor_bits[joint] != 0:
            spin, slide = relative_twist(joints, joint, absolute)
            for k in range(3):
                total += 0.5 * joints.rotors[6 * joint + k] * spin[k] * spin[k]
                total += 0.5 * joints.rotors[6 * joint + 3 + k] * slide[k] * slide[k]
    return total


@routine
def energy_of_placed(system: Any, workspace: Any) -> float:
    """Kinetic energy of the bodies placed in the workspace, and of rotors."""
    total, placed = 0.0, workspace.absolute
    for body in range(system.body_count):
        inertia = get6(system.bodies.inertia, 6 * body)
        total += kinetic_energy(system.bodies.mass[body], inertia, twist_of(placed, body))
    return total + rotor_energy(system.joints, system.joint_count, placed)


@once
def monitor_energy(mechanism: Any, workspace: Any, state: Any, t: float) -> None:
    """`note_energy` of a state, whose bodies stay placed in the workspace; turns are settled."""
    tree = mechanism.tree
    place_bodies(tree, state, mechanism.tree_work.rows, workspace.absolute)
    settle_turns(mechanism.system, workspace.absolute, beyond(state, mechanism.layout.integrals))
    potential, rounded = potential_of_placed(mechanism, tree.gravity, workspace)
    settle_gravity(mechanism, state, potential)
    energy = energy_of_placed(mechanism.system, workspace)
    note_energy(mechanism, state, t, energy, rounded)


@routine
def potential_of_placed(mechanism: Any, gravity: Any, workspace: Any) -> Any:
    r"""$-\sum m\,g\cdot(r - r_0)$ of the bodies placed in the workspace, and by how much it is
    rounded.

    From the places entered, so that what is heavy and stands still does not hide the others; far
    from the origin the places themselves are rounded.
    """
    total, rounded, pull = 0.0, 0.0, vec3(gravity, 0)
    strength = sqrt(dot(pull, pull))
    for body in range(mechanism.system.body_count):
        place, speed = pose_of(workspace.absolute, body)[1], twist_of(workspace.absolute, body)[1]
        moved = sub(place, vec3(mechanism.accuracy.places, 3 * body))
        mass = mechanism.system.bodies.mass[body]
        total -= mass * dot(pull, moved)
        is_moved = dot(moved, moved) + dot(speed, speed) > 0.0
        rounded += pick(is_moved, FAR * mass * strength * sqrt(dot(place, place)), 0.0)
    return total, rounded


@routine
def settle_gravity(mechanism: Any, state: Any, potential: float) -> None:
    """What gravity has supplied since the last look: no stage needs to add up its power."""
    layout = mechanism.layout
    alarm, supply = beyond(state, layout.alarm), beyond(state, layout.supply)
    supplied = alarm[POTENTIAL] - potential
    alarm[POTENTIAL] = potential
    supply[SUPPLIED] += supplied
    supply[EXCHANGED] += abs(supplied)


@routine
def note_energy(mechanism: Any, state: Any, t: float, energy: float, rounded: float) -> None:
    """Compare the kinetic energy with what was supplied, and note the worst share so far.

    What is supplied is known up to `rounded`.
    """
    layout = mechanism.layout
    alarm, supply = beyond(state, layout.alarm), beyond(state, layout.supply)
    missing = maximum(abs(energy - alarm[AT_START] - supply[SUPPLIED]) - rounded, 0.0)
    # Some methods have negative weights: a wild step may have exchanged less than nothing.
    exchanged = maximum(energy + alarm[AT_START] + abs(supply[EXCHANGED]), missing)
    # What is held still by stiff feedback exchanges energy, too, by rounding.
    is_moving = maximum(energy, alarm[AT_START]) > mechanism.accuracy.still
    share = pick(is_moving, missing, 0.0) / pick(is_moving, exchanged, 1.0)
    share = pick(share <= 1.0, share, 1.0)  # energies that overflow
    alarm[WORST_SHARE] = maximum(alarm[WORST_SHARE], share)
    since = pick(alarm[UNBALANCED_SINCE] == NEVER, t, alarm[UNBALANCED_SINCE])
    alarm[UNBALANCED_SINCE] = pick(share > IMBALANCE, since, alarm[UNBALANCED_SINCE])


@once
def monitor_gaps(mechanism: Any, workspace: Any, state: Any, t: float) -> None:
    """Compare every gap with what was promised of it, at the bodies placed in the workspace."""
    system, alarm = mechanism.system, beyond(state, mechanism.layout.alarm)
    put_signals(system.signals, t, workspace.signals)
    gaps = mechanism.accuracy.gaps
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        end, limit = first + system.joints.rows[joint], 0.0
        for row in range(first, end):
            limit += gaps[row]
        if limit > 0.0:
            put_position_residual(system, joint, workspace.absolute, workspace, workspace.residual)
            far = FAR * furthest(system, joint, workspace.absolute)
            for row in range(first, end):
                if gaps[row] > 0.0:
                    allowed = gaps[row] + far * mechanism.accuracy.lengths[row]
                    gap = abs(workspace.residual[row])
                    wider = gap > alarm[WIDEST_GAP]
                    alarm[WIDEST_ROW] = pick(wider, row, alarm[WIDEST_ROW])
                    alarm[WIDEST_GAP] = pick(wider, gap, alarm[WIDEST_GAP])
                    ratio = gap / allowed
                    less = ratio <= alarm[WORST_GAP]
                    ratio = pick(ratio <= BEYOND, ratio, BEYOND)  # gaps that overflow
                    alarm[OPEN_ROW] = pick(less, alarm[OPEN_ROW], row)
                    alarm[WORST_GAP] = pick(less, alarm[WORST_GAP], ratio)
    since = pick(alarm[OPEN_SINCE] == NEVER, t, alarm[OPEN_SINCE])
    alarm[OPEN_SINCE] = pick(alarm[WORST_GAP] > 1.0, since, alarm[OPEN_SINCE])
