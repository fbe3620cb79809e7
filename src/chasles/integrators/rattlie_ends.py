r"""What RATTLie does at one end of a step: forces, momenta, velocities that fit the joints.

The equations are in `rattlie`; `scheme` is its record.
"""

from typing import Any

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    TWIST,
    mat9,
    put_twist,
    sym6,
    twist6,
    vec3,
)
from chasles.core.assemble import place_bodies, twist_of
from chasles.core.constraints.registry import assemble_rows
from chasles.core.evaluate import (
    driver_powers,
    force_norm,
    mass_norm,
    miss_of_row,
    solve_damped,
)
from chasles.core.factor import factor_and_solve, load
from chasles.core.forces.registry import apply_forces
from chasles.core.momenta import in_body_axes, momentum, moved_momentum
from chasles.core.outcomes import NOT_CONVERGED, OK
from chasles.core.retraction import SLOPE_WIDTH, slope_length
from chasles.core.signals import put_signals
from chasles.core.stabilisation.residuals import solve_rows
from chasles.core.stage import put_supply
from chasles.core.tally import EVALUATED, FACTORED, ITERATED, count_up
from chasles.core.turns import put_turn_rates
from chasles.core.wrenches import inertial_and_gravity_wrench
from chasles.groups.vectors import add, scale, sub
from chasles.integrators.gauss import HARDLY, LOST, ROUNDED, STALLED

#: Iterations at the most: a contraction by 0.6 gains 16 digits in seventy.
MOST_ITERATIONS = 70
STILL = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@hot
def settled(index: int, change: float, last: float, scale_of: float) -> bool:
    """Whether an iteration has come to rounding."""
    if change <= ROUNDED * scale_of:
        return True
    return index > 0 and change >= HARDLY * last and change <= STALLED * scale_of


@routine
def put_forces(system: Any, work: Any, out: Any) -> None:
    """Gravity and all forces at the placed bodies, without gyroscopic terms."""
    down = vec3(system.gravity, 0)
    for body in range(system.body_count):
        turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        mass, inertia = system.bodies.mass[body], sym6(system.bodies.inertia, 6 * body)
        weight = inertial_and_gravity_wrench(mass, inertia, turn, STILL, down)
        put_twist(work.rhs, 6 * body, weight)
    apply_forces(system, work)
    for k in range(6 * system.body_count):
        out[k] = work.rhs[k]


@routine
def place_at(system: Any, work: Any, point: Any, t: float) -> None:
    """Bodies, functions of time and rows of J at a point."""
    put_signals(system.signals, t, work.signals)
    for k in range(system.quadrature_count):
        work.quadratures[k] = point[CHART_WIDTH * system.body_count + k]
    place_bodies(system, point, work.absolute, work.turn)
    assemble_rows(system, work)
    put_speeds(system, work)


@routine
def put_speeds(system: Any, work: Any) -> None:
    """What J v is to be: the rates of drivers."""
    for row in range(system.row_count):
        work.eta[row] = 0.0
    for joint in range(system.joint_count):
        if system.joints.drive[joint] >= 0:
            rate = work.signals[system.joints.drive[joint] + 1]
            work.eta[system.joints.first_row[joint]] = rate


@routine
def factor_velocities(system: Any, plan: Any, work: Any) -> int:
    """M v + J^T mu = work.forces, J v = work.eta, into work.rhs: OK, or a singular row."""
    unknowns = 6 * system.body_count
    if plan.is_damped != 0:
        outcome: int = solve_damped(system, plan, work)
        return outcome
    for k in range(unknowns):
        work.rhs[k] = work.forces[k]
    for row in range(system.row_count):
        work.rhs[unknowns + row] = work.eta[row]
    load(system, plan, work.jacobian, work.values)
    factored: int = factor_and_solve(plan, unknowns, work.values, work.kept, work.floors, work.rhs)
    return factored


@routine
def add_momenta(system: Any, work: Any, factor: float, force: Any, out: Any) -> None:
    """M v of the placed bodies and a multiple of the forces, in the axes of the bodies."""
    for body in range(system.body_count):
        mass, inertia = system.bodies.mass[body], sym6(system.bodies.inertia, 6 * body)
        own, pull = momentum(mass, inertia, twist_of(work.absolute, body)), twist6(force, 6 * body)
        turning, moving = add(own[0], scale(factor, pull[0])), add(own[1], scale(factor, pull[1]))
        put_twist(out, 6 * body, (turning, moving))


@routine
def keep_integrals(mechanism: Any, work: Any, scheme: Any, half: float, force: Any) -> None:
    """Half of a step's work, angles and supply, with what is known at one of its ends."""
    system = mechanism.system
    first = SLOPE_WIDTH * system.body_count
    for k in range(6 * system.body_count):
        work.forces[k] = force[k]
    driver_powers(system, work)
    put_turn_rates(system, work)
    for k in range(system.quadrature_count):
        scheme.rates[first + k] = work.quadrature_rates[k]
    put_supply(system, work, scheme.rates)
    for k in range(first, slope_length(mechanism)):
        scheme.increment[k] += half * scheme.rates[k]


@routine
def put_multipliers(system: Any, work: Any, factor: float, multipliers: Any) -> None:
    """lambda from h lambda / 2, where `driver_powers` looks for it."""
    for row in range(system.row_count):
        work.rhs[6 * system.body_count + row] = factor * multipliers[row]


@routine
def put_end_momenta(system: Any, work: Any, scheme: Any, length: float) -> None:
    """dexp^-T at -h xi of M xi, in the axes of the bodies at the end, into scheme.start."""
    for body in range(system.body_count):
        group = system.bodies.group[body]
        mass, inertia = system.bodies.mass[body], sym6(system.bodies.inertia, 6 * body)
        turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        spin, slide = twist6(scheme.mean, 6 * body)
        x = (scale(-length, spin), scale(-length, slide))
        moved = moved_momentum(group, x, momentum(mass, inertia, (spin, slide)))
        put_twist(scheme.start, 6 * body, in_body_axes(group, turn, moved))


@routine
def set_out(system: Any, work: Any, scheme: Any) -> None:
    """The guess of v into scheme.rates, and what momenta and rows miss with it.

    M^-1 M v is v but for a rounding that is the same in every step, and adds up; that of a small
    change is small.
    """
    for body in range(system.body_count):
        mass, inertia = system.bodies.mass[body], sym6(system.bodies.inertia, 6 * body)
        guess, known = twist_of(work.absolute, body), twist6(scheme.start, 6 * body)
        own = momentum(mass, inertia, guess)
        put_twist(scheme.start, 6 * body, (sub(known[0], own[0]), sub(known[1], own[1])))
        put_twist(scheme.rates, 6 * body, guess)
    for k in range(6 * system.body_count):
        work.rhs[k] = scheme.rates[k]
    for joint in range(system.joint_count):
        first, a, b = system.joints.first_row[joint], system.joints.a[joint], system.joints.b[joint]
        for row in range(first, first + system.joints.rows[joint]):
            work.eta[row] = miss_of_row(work, row, a, b)


@routine
def find_velocities(mechanism: Any, work: Any, scheme: Any, length: float) -> int:
    """v and h lambda / 2 at the end, whose bodies are placed with a guess of v: OK, or why not.

    Forces that depend on velocities are iterated; others are the same twice, and that is the end.
    """
    system, plan, found = mechanism.system, mechanism.plan, mechanism.stabiliser.found
    unknowns, last = 6 * system.body_count, 0.0
    count_up(scheme.tally, FACTORED, 1)
    set_out(system, work, scheme)
    for index in range(MOST_ITERATIONS):
        put_forces(system, work, scheme.force)
        count_up(scheme.tally, EVALUATED, 1)
        count_up(scheme.tally, ITERATED, 1)
        for k in range(unknowns):
            work.forces[k] = scheme.start[k] + 0.5 * length * scheme.force[k]
        if index == 0:
            outcome = factor_velocities(system, plan, work)
            if outcome != OK:
                return outcome
            for k in range(unknowns + system.row_count):
                found.change[k] = work.rhs[k]
        else:
            for k in range(unknowns):
                found.change[k] = work.forces[k]
            for row in range(system.row_count):
                found.change[unknowns + row] = work.eta[row]
            solve_rows(system, plan, work, found.change)
        for k in range(unknowns):
            found.change[k] += scheme.rates[k]
        change, scale_of = renew_twists(system, work, found.change)
        scale_of += abs(length) * force_norm(system, scheme.force)
        if system.force_count == 0 or (index > 0 and settled(index, change, last, scale_of)):
            put_forces(system, work, scheme.force)
            count_up(scheme.tally, EVALUATED, 1)
            put_multipliers(system, work, 2.0 / length, beyond(found.change, unknowns))
            for k in range(unknowns):  # where the judge of the step looks at what rows miss
                work.rhs[k] = found.change[k]
            put_speeds(system, work)
            return OK
        if not change <= LOST * scale_of:
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


@routine
def renew_twists(system: Any, work: Any, velocities: Any) -> Any:
    """Let the placed bodies have these velocities: (change, size) in the mass metric."""
    for body in range(system.body_count):
        new, old = twist6(velocities, 6 * body), twist_of(work.absolute, body)
        put_twist(work.search, 6 * body, (sub(new[0], old[0]), sub(new[1], old[1])))
        put_twist(work.absolute, body * ABSOLUTE_WIDTH + TWIST, new)
    return mass_norm(system, work.search), mass_norm(system, velocities)
