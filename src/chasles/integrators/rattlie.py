r"""RATTLie: the variational method of Hante and Arnold for constrained bodies, and compositions.

On charts whose mass matrix M is constant (for joint subgroups see `rattlie_tree`), with p = M v,
forces f without gyroscopic terms and multipliers at both ends of a step,

$$ \mathrm{dexp}^{-T}_{h\xi} M\xi = p_n + \tfrac h2\bigl(f_n - J_n^T\lambda_n^+\bigr), \qquad
   q_{n+1} = q_n\exp(h\xi), \qquad g(q_{n+1}) = 0, $$

$$ p_{n+1} = \mathrm{dexp}^{-T}_{-h\xi} M\xi
   + \tfrac h2\bigl(f_{n+1} - J_{n+1}^T\lambda_{n+1}^-\bigr), \qquad J_{n+1} v_{n+1} = 0 : $$

the discrete Euler-Lagrange equations of
$\tfrac h2\,\xi\cdot M\xi - \tfrac h2(U_n + U_{n+1}) - \tfrac h2(g_n\cdot\lambda_n
+ g_{n+1}\cdot\lambda_{n+1})$.  The method is symplectic and symmetric, of order 2; it keeps the
momenta of symmetries, and the energy stays near that of the start for exponentially long times.
Gyroscopic terms are not forces here: they are what the two dexp^-T, which differ in sign, do.

*Beyond the paper.*  Forces may depend on velocities: $f_n = f(q_n, v_n)$ at both ends, the second
implicit in $v_{n+1}$; the method stays symmetric and of order 2.  Drivers have $g(q, t) = 0$ and
$J v$ equal to their rate.  What a run keeps as its multipliers is in `rattlie_multipliers`.

The first equations are solved by Newton's method with the matrix (M, J^T; J, 0) at the start of the
step, which is wrong by O(h); the iteration contracts by as much.  Steps of other signs and lengths
make methods of orders 4, 6 and 8: see `compositions`.

S. Hante, M. Arnold: RATTLie: a variational Lie group integration scheme for constrained mechanical
systems, J. Comput. Appl. Math. 387 (2021).
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    ROW_WIDTH,
    VELOCITY,
    Floats,
    mat9,
    put_twist,
    sym6,
    twist6,
)
from chasles.core.assemble import place_bodies, twist_of
from chasles.core.constraints.registry import assemble_joint
from chasles.core.evaluate import force_norm, mass_norm
from chasles.core.momenta import in_body_axes, in_chart_axes, momentum, moved_momentum
from chasles.core.outcomes import NOT_CONVERGED, OK
from chasles.core.retraction import SLOPE_WIDTH, finish, retract, slope_length
from chasles.core.seam import seam
from chasles.core.signals import put_signals
from chasles.core.stabilisation.residuals import put_position_residual, solve_rows
from chasles.core.tally import EVALUATED, FACTORED, ITERATED, count_up, make_tally
from chasles.groups.vectors import add, scale, sub
from chasles.integrators.compositions import composition
from chasles.integrators.gauss import LOST
from chasles.integrators.rattlie_ends import (
    MOST_ITERATIONS,
    STILL,
    add_momenta,
    factor_velocities,
    find_velocities,
    keep_integrals,
    place_at,
    put_end_momenta,
    put_forces,
    put_multipliers,
    settled,
)
from chasles.integrators.rattlie_multipliers import begin_multipliers, note_multipliers

#: Order by name.
RATTLIE = {"rattlie": 2, "rattlie4": 4, "rattlie6": 6, "rattlie8": 8}


class Rattlie(NamedTuple):
    """Lengths of the steps it is composed of, and storage of a step."""

    lengths: Floats  # (count,) fractions of the step
    count: int
    mean: Floats  # (6 n, ...) xi, in the charts' variables
    start: Floats  # p + h f / 2 at the start, axes of the bodies
    force: Floats  # f at the end that is known
    increment: Floats  # (slope length,)
    rates: Floats  # (slope length,) those of the integrals count
    point: Floats  # (kept,)
    trial: Floats  # (kept,)
    tally: Floats  # see `core.tally`


def make_rattlie(order: int, kept: int, length: int) -> Rattlie:
    """Storage for points and slopes of these lengths."""
    lengths = composition(order)
    return Rattlie(
        lengths=lengths,
        count=len(lengths),
        mean=np.zeros(length),
        start=np.zeros(length),
        force=np.zeros(length),
        increment=np.zeros(length),
        rates=np.zeros(length),
        point=np.zeros(kept),
        trial=np.zeros(kept),
        tally=make_tally(),
    )


# --- the first half: where the bodies go ---


@routine
def put_poses(mechanism: Any, scheme: Any, length: float, out: Any) -> None:
    """out = point exp(length * xi); velocities and integrals stay."""
    system = mechanism.system
    for body in range(system.body_count):
        spin, slide = twist6(scheme.mean, 6 * body)
        at = SLOPE_WIDTH * body
        put_twist(scheme.rates, at, (scale(length, spin), scale(length, slide)))
        put_twist(scheme.rates, at + 6, STILL)
    for k in range(SLOPE_WIDTH * system.body_count, slope_length(mechanism)):
        scheme.rates[k] = 0.0
    retract(mechanism, scheme.point, scheme.rates, out)


@routine
def put_gaps(system: Any, work: Any, found: Any, trial: Any, length: float) -> None:
    """-g / h of all rows at a trial, into the rows of found.shift."""
    unknowns = 6 * system.body_count
    place_bodies(system, trial, found.absolute, found.turn)
    for row in range(system.row_count):
        found.shift[unknowns + row] = 0.0
    for joint in range(system.joint_count):
        assemble_joint(system, joint, found.absolute, work, found.jacobian, found.eta)
        put_position_residual(system, joint, found.absolute, work, found.shift)
    for row in range(unknowns, unknowns + system.row_count):
        found.shift[row] /= length


@routine
def put_missing_momentum(
    system: Any, work: Any, scheme: Any, multipliers: Any, length: float, out: Any
) -> None:
    """What the first equation misses, in the axes of the bodies at the start."""
    for body in range(system.body_count):
        group = system.bodies.group[body]
        mass, inertia = system.bodies.mass[body], sym6(system.bodies.inertia, 6 * body)
        turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        spin, slide = twist6(scheme.mean, 6 * body)
        x = (scale(length, spin), scale(length, slide))
        moved = moved_momentum(group, x, momentum(mass, inertia, (spin, slide)))
        local, known = in_body_axes(group, turn, moved), twist6(scheme.start, 6 * body)
        put_twist(out, 6 * body, (sub(known[0], local[0]), sub(known[1], local[1])))
    for joint in range(system.joint_count):
        first = system.joints.first_row[joint]
        for row in range(first, first + system.joints.rows[joint]):
            for c in range(6):
                at, pull = row * ROW_WIDTH + c, multipliers[row]
                if system.joints.a[joint] >= 0:
                    out[6 * system.joints.a[joint] + c] -= work.jacobian[at] * pull
                out[6 * system.joints.b[joint] + c] -= work.jacobian[at + 6] * pull


@routine
def find_mean(mechanism: Any, work: Any, scheme: Any, t: float, length: float) -> int:
    """xi and h lambda / 2 of a step: OK, or NOT_CONVERGED.

    The factor in `work` is the one at the start; multipliers stay in the stabiliser's `pull`.
    """
    system, found = mechanism.system, mechanism.stabiliser.found
    multipliers, unknowns = mechanism.stabiliser.pull, 6 * mechanism.system.body_count
    for row in range(system.row_count):
        multipliers[row] = 0.0
    for body in range(system.body_count):
        put_twist(scheme.mean, 6 * body, twist6(scheme.point, body * CHART_WIDTH + VELOCITY))
    put_signals(system.signals, t + length, work.signals)
    scale_of, last = speed_of_step(system, work, scheme, length), 0.0
    for index in range(MOST_ITERATIONS):
        put_poses(mechanism, scheme, length, scheme.trial)
        count_up(scheme.tally, ITERATED, 1)
        put_gaps(system, work, found, scheme.trial, length)
        put_missing_momentum(system, work, scheme, multipliers, length, found.shift)
        solve_rows(system, mechanism.plan, work, found.shift)
        for body in range(system.body_count):
            turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
            more = in_chart_axes(system.bodies.group[body], turn, twist6(found.shift, 6 * body))
            old = twist6(scheme.mean, 6 * body)
            put_twist(scheme.mean, 6 * body, (add(old[0], more[0]), add(old[1], more[1])))
        for row in range(system.row_count):
            multipliers[row] += found.shift[unknowns + row]
        change = mass_norm(system, found.shift)
        if settled(index, change, last, scale_of):
            put_poses(mechanism, scheme, length, scheme.trial)
            return OK
        if not change <= LOST * scale_of:  # NaN as well
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


@routine
def speed_of_step(system: Any, work: Any, scheme: Any, length: float) -> float:
    """What changes of velocity are large or small against, in the mass metric."""
    for body in range(system.body_count):
        put_twist(work.search, 6 * body, twist_of(work.absolute, body))
    force: float = force_norm(system, scheme.force)
    return mass_norm(system, work.search) + abs(length) * force


@routine
def put_increment(system: Any, work: Any, scheme: Any, length: float) -> None:
    """From the point to the end of a step: h xi, and the change of the charts' velocities.

    xi was the guess of these, in scheme.rates as twists of the bodies (`set_out`).
    """
    for body in range(system.body_count):
        turn = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        found, guess = twist_of(work.absolute, body), twist6(scheme.rates, 6 * body)
        more = (sub(found[0], guess[0]), sub(found[1], guess[1]))
        more = in_chart_axes(system.bodies.group[body], turn, more)  # R R^T would be rounded
        old = twist6(scheme.point, body * CHART_WIDTH + VELOCITY)
        spin, slide = twist6(scheme.mean, 6 * body)
        at = SLOPE_WIDTH * body
        put_twist(scheme.increment, at, (scale(length, spin), scale(length, slide)))
        change = (add(sub(spin, old[0]), more[0]), add(sub(slide, old[1]), more[1]))
        put_twist(scheme.increment, at + 6, change)


@seam
@routine
def begin(mechanism: Any, work: Any, scheme: Any, t: float) -> int:
    """Forces at the point, and the factor there: OK, or why not."""
    system = mechanism.system
    place_at(system, work, scheme.point, t)
    put_forces(system, work, scheme.force)
    count_up(scheme.tally, EVALUATED, 1)
    count_up(scheme.tally, FACTORED, 1)
    add_momenta(system, work, 0.0, scheme.force, work.forces)
    outcome: int = factor_velocities(system, mechanism.plan, work)
    return outcome


@seam
@routine
def substep(mechanism: Any, work: Any, scheme: Any, t: float, length: float) -> int:
    """From the point, whose factor and forces are there, to an increment: OK, or why not."""
    system, multipliers = mechanism.system, mechanism.stabiliser.pull
    for k in range(slope_length(mechanism)):
        scheme.increment[k] = 0.0
    add_momenta(system, work, 0.5 * length, scheme.force, scheme.start)
    outcome = find_mean(mechanism, work, scheme, t, length)
    if outcome != OK:
        return outcome
    put_signals(system.signals, t, work.signals)
    put_multipliers(system, work, 2.0 / length, multipliers)
    keep_integrals(mechanism, work, scheme, 0.5 * length, scheme.force)
    for body in range(system.body_count):  # a guess that forces may see
        put_twist(scheme.trial, body * CHART_WIDTH + VELOCITY, twist6(scheme.mean, 6 * body))
    place_at(system, work, scheme.trial, t + length)
    put_end_momenta(system, work, scheme, length)
    outcome = find_velocities(mechanism, work, scheme, length)
    if outcome != OK:
        return outcome
    put_increment(system, work, scheme, length)
    keep_integrals(mechanism, work, scheme, 0.5 * length, scheme.force)
    return OK


@hot
def attempt_rattlie(
    mechanism: Any, scratch: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how it failed."""
    kept, carry, now = mechanism.layout.kept, mechanism.layout.carry, t
    for k in range(mechanism.layout.momentum):
        out[k] = state[k]
    for k in range(kept):
        scheme.point[k] = state[k]
    outcome = begin(mechanism, scratch, scheme, t)
    if outcome == OK:
        begin_multipliers(mechanism, scratch, out)
    for k in range(scheme.count):
        if outcome != OK:
            return outcome
        length = scheme.lengths[k] * step
        outcome = substep(mechanism, scratch, scheme, now, length)
        if outcome == OK:
            now += length
            note_multipliers(mechanism, scratch, length, out)
            finish(mechanism, out, beyond(out, carry), scheme.increment, out, beyond(out, carry))
            for c in range(kept):
                scheme.point[c] = out[c]
    return outcome
