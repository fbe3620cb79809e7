r"""What is looked at around a step: may it be accepted, and is the run still right?

* Did the rows of the joints come to depend on each other (`watch`)?
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

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import ABSOLUTE_WIDTH, CHART_WIDTH, POSE_X, TWIST, VELOCITY, sym6, vec3
from chasles.core.assemble import place_bodies, twist_of
from chasles.core.balance import keep_momentum
from chasles.core.confinement import note_removed
from chasles.core.evaluate import force_norm, mass_norm, miss_of_row, reach_of_row, refine
from chasles.core.factor import solve_factored
from chasles.core.outcomes import CONTRADICTED, NOT_CLOSED, NOT_FINITE, OK, TURNED
from chasles.core.regime import judge_regime
from chasles.core.seam import seam
from chasles.core.signals import put_signals
from chasles.core.stabilisation.feedback import begin_feedback
from chasles.core.stabilisation.projection import project
from chasles.core.stabilisation.record import PROJECTED
from chasles.core.stabilisation.residuals import furthest, put_position_residual
from chasles.core.state_block import (
    AT_START,
    EXCHANGED,
    FREED,
    MISSED_ROW,
    MISSED_SINCE,
    NEVER,
    OPEN_ROW,
    OPEN_SINCE,
    PLAIN,
    POTENTIAL,
    SUPPLIED,
    UNBALANCED_SINCE,
    WIDEST_GAP,
    WIDEST_ROW,
    WORST_GAP,
    WORST_MISS,
    WORST_SHARE,
)
from chasles.core.turns import settle_turns
from chasles.core.watch import look_at_pivots
from chasles.core.wrenches import kinetic_energy
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


@seam
@hot
def begin_step(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """Before the first stage: gaps that are fed back, and empty books."""
    system = mechanism.system
    put_signals(system.signals, t, scratch.signals)
    scratch.plain[0] = state[mechanism.layout.regime + PLAIN]
    begin_feedback(system, scratch, mechanism.stabiliser, state)
    for k in range(3 * mechanism.balance.count):
        mechanism.balance.impulse[k] = 0.0


@seam
@hot
def end_step(
    mechanism: Any, scratch: Any, state: Any, t: float, step: float, looking: int, out: Any
) -> int:
    """After the last stage: OK if `out`, t later than `state` by the step, may be accepted.

    A side step that is not followed by another is not watched: looking = 0.
    """
    system, layout = mechanism.system, mechanism.layout
    for k in range(layout.momentum, layout.width):
        out[k] = state[k]
    outcome = OK
    if looking == 1:
        outcome = look_at_pivots(
            mechanism.watch, scratch.values, t, beyond(out, layout.seen),
            out[layout.regime + FREED], scratch.plain[0],
        )  # fmt: skip
        if mechanism.plan.is_damped != 0:
            judge_regime(mechanism, scratch, out)
            look_at_accelerations(mechanism, scratch, out, t)
        if outcome == OK:
            outcome = look_at_drivers(mechanism, scratch, beyond(out, layout.fastest))
    if outcome != OK:
        return outcome
    if mechanism.stabiliser.kind == PROJECTED:
        put_signals(system.signals, t, scratch.signals)
        if not project(mechanism, scratch, out):
            return NOT_CLOSED
    note_removed(system, mechanism.confinement, step, beyond(out, layout.removed))
    if mechanism.balance.count > 0:
        keep_momentum(system, mechanism.balance, step, beyond(out, layout.momentum), out)
    if fastest_spin(system, out) * step > MOST_TURNED:
        return TURNED
    return OK if all_finite(out, CHART_WIDTH * system.body_count) else NOT_FINITE


@routine
def fastest_spin(system: Any, chart: Any) -> float:
    """The largest component of an angular velocity of the charts."""
    largest = 0.0
    for body in range(system.body_count):
        for c in range(3):
            largest = maximum(largest, absolute(chart[body * CHART_WIDTH + VELOCITY + c]))
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
def look_at_accelerations(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    r"""Compare what the rows miss, eta - J V', with what is added up in them, on a damped factor.

    Rows that contradict each other miss it, and those that rounding cannot tell from such: on links
    far too light for the others.  Row i is compared with $\sum_k |J_{ik} \dot V_k| + |\eta_i|$, and
    with what the forces would make of the whole model in one piece where it hardly moves.
    """
    system, sizes = mechanism.system, mechanism.promises.sizes
    if scratch.plain[0] != 0.0:
        return
    alarm, mass, longest = beyond(state, mechanism.layout.alarm), 0.0, 0.0
    for body in range(system.body_count):
        mass += system.bodies.mass[body]
    for row in range(system.row_count):
        longest = max(longest, sizes[row])
    typical = mass_norm(system, scratch.rhs) + force_norm(system, scratch.forces)
    typical = typical / sqrt(mass) / longest
    for joint in range(system.joint_count):
        first, a, b = system.joints.first_row[joint], system.joints.a[joint], system.joints.b[joint]
        for row in range(first, first + system.joints.rows[joint]):
            reach = reach_of_row(scratch, row, a, b) + typical * sizes[row]
            missed = abs(miss_of_row(scratch, row, a, b))
            if missed > alarm[WORST_MISS] * reach:
                alarm[WORST_MISS], alarm[MISSED_ROW] = missed / reach, row
    if alarm[WORST_MISS] > MISSED and alarm[MISSED_SINCE] == NEVER:
        alarm[MISSED_SINCE] = t


@routine
def look_at_drivers(mechanism: Any, scratch: Any, fastest: Any) -> int:
    """OK, or CONTRADICTED where drivers and joints ask for speeds that exclude each other.

    Looked at on the factor of the last stage; only damped ones, of redundant joints, can tell.
    What is missed stays in the rows of scratch.residual.
    """
    system = mechanism.system
    if system.drive_count == 0 or mechanism.plan.is_damped == 0 or scratch.plain[0] != 0.0:
        return OK
    sizes = mechanism.promises.sizes
    largest = miss_rates(system, mechanism.plan, scratch, sizes, fastest)
    if largest > SPEED_CONFLICT * fastest[0] + mechanism.promises.slow:
        return CONTRADICTED
    return OK


@routine
def miss_rates(system: Any, plan: Any, scratch: Any, sizes: Any, fastest: Any) -> float:
    """The largest entry of rates - J V, V being what comes closest, on the factor in scratch.

    In sizes per second, as the fastest rate so far: metres and radians are compared by them.
    """
    unknowns, wanted = 6 * system.body_count, scratch.rhs
    for k in range(unknowns + system.row_count):
        wanted[k] = 0.0
    for joint in range(system.joint_count):
        drive = system.joints.drive[joint]
        if drive >= 0:
            rate = scratch.signals[drive + 1]
            row = system.joints.first_row[joint]
            wanted[unknowns + row] = rate
            fastest[0] = maximum(fastest[0], abs(rate) / sizes[row])
    solve_factored(plan, scratch.values, wanted)
    refine(system, plan, scratch, wanted)
    largest = 0.0
    for row in range(system.row_count):
        largest = maximum(largest, abs(scratch.residual[unknowns + row]) / sizes[row])
    return largest


@routine
def energy_of_placed(system: Any, scratch: Any) -> float:
    """Kinetic energy of the bodies placed in scratch."""
    total = 0.0
    for body in range(system.body_count):
        total += kinetic_energy(
            system.bodies.mass[body],
            sym6(system.bodies.inertia, 6 * body),
            twist_of(scratch.absolute, body),
        )
    return total


@seam
@routine
def look_at_energy(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """`note_energy` of a state, whose bodies are left placed in scratch; turns are settled."""
    place_bodies(mechanism.system, state, scratch.absolute, scratch.turn)
    settle_turns(mechanism.system, scratch.absolute, beyond(state, mechanism.layout.integrals))
    note_energy(mechanism, state, t, energy_of_placed(mechanism.system, scratch), 0.0)


@routine
def potential_of_placed(mechanism: Any, gravity: Any, scratch: Any) -> Any:
    r"""$-\sum m\,g\cdot(r - r_0)$ of the bodies placed in scratch, and by how much it is rounded.

    From the places entered, so that what is heavy and stands still does not hide the others; far
    from the origin the places themselves are rounded.
    """
    total, rounded, pull = 0.0, 0.0, vec3(gravity, 0)
    strength = sqrt(dot(pull, pull))
    for body in range(mechanism.system.body_count):
        place = vec3(scratch.absolute, body * ABSOLUTE_WIDTH + POSE_X)
        moved = sub(place, vec3(mechanism.promises.places, 3 * body))
        mass = mechanism.system.bodies.mass[body]
        total -= mass * dot(pull, moved)
        speed = vec3(scratch.absolute, body * ABSOLUTE_WIDTH + TWIST + 3)
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
    if maximum(energy, alarm[AT_START]) > mechanism.promises.still:
        share = missing / exchanged
        if not share <= 1.0:  # energies that overflow
            share = 1.0
        alarm[WORST_SHARE] = maximum(alarm[WORST_SHARE], share)
        if share > IMBALANCE and alarm[UNBALANCED_SINCE] == NEVER:
            alarm[UNBALANCED_SINCE] = t


@routine
def look_at_gaps(mechanism: Any, scratch: Any, state: Any, t: float) -> None:
    """Compare every gap with what was promised of it, at the bodies placed in scratch."""
    system, alarm = mechanism.system, beyond(state, mechanism.layout.alarm)
    put_signals(system.signals, t, scratch.signals)
    gaps, unknowns = mechanism.promises.gaps, 6 * system.body_count
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        end, promised = first + system.joints.rows[joint], 0.0
        for row in range(first, end):
            promised += gaps[row]
        if promised > 0.0:
            put_position_residual(system, joint, scratch.absolute, scratch, scratch.residual)
            far = FAR * furthest(system, joint, scratch.absolute)
            for row in range(first, end):
                if gaps[row] > 0.0:
                    allowed = gaps[row] + far * mechanism.promises.lengths[row]
                    gap = abs(scratch.residual[unknowns + row])
                    wider = gap > alarm[WIDEST_GAP]
                    alarm[WIDEST_ROW] = pick(wider, row, alarm[WIDEST_ROW])
                    alarm[WIDEST_GAP] = pick(wider, gap, alarm[WIDEST_GAP])
                    ratio = gap / allowed
                    less = ratio <= alarm[WORST_GAP]
                    ratio = pick(ratio <= BEYOND, ratio, BEYOND)  # gaps that overflow
                    alarm[OPEN_ROW] = pick(less, alarm[OPEN_ROW], row)
                    alarm[WORST_GAP] = pick(less, alarm[WORST_GAP], ratio)
    if alarm[WORST_GAP] > 1.0 and alarm[OPEN_SINCE] == NEVER:
        alarm[OPEN_SINCE] = t
