r"""RATTLie: the variational method of Hante and Arnold for constrained bodies, and compositions.

Its discrete Lagrangian is a sum over bodies, and any coordinates may be put into it.  Let bodies
move by $C_{n+1} = C_n\exp(h\xi)$, each in its own group: SE(3) where its chart is that, SO(3)xR3 at
the centre of mass anywhere else.  With M = (Theta, m), constant, a body has at the two ends of a
step the momenta

$$ \pi^+ = \mathrm{dexp}^{-T}_{h\xi}M\xi, \qquad \pi^- = \mathrm{dexp}^{-T}_{-h\xi}M\xi . $$

The pairs of a tree move by $q_{n+1} = q_n\exp(h\eta)$, which makes the xi (see
`core.recursion.increments`).  With S^T what wrenches, or momenta, of all bodies are along the
pairs' coordinates, forces f without gyroscopic terms, and rows J of joints that no pair realises,

$$ S_n^T\bigl(\pi^+ - M V_n - \tfrac h2 f_n\bigr) + \tfrac h2 J_n^T\lambda_n^+ = 0, \qquad
   g(q_{n+1}) = 0, $$

$$ S_{n+1}^T\bigl(M V_{n+1} - \pi^- - \tfrac h2 f_{n+1}\bigr)
   + \tfrac h2 J_{n+1}^T\lambda_{n+1}^- = 0, \qquad J_{n+1}v_{n+1} = 0 . $$

A discrete Lagrangian with constraints, and the same on the coordinates that realise them, have the
same solutions (Marsden, West 2001): whether a joint is a pair or has rows changes nothing but
rounding.  The method is symplectic and symmetric, of order 2; it keeps the momenta of symmetries,
and the energy stays near that of the start for exponentially long times.  Gyroscopic terms are not
forces here: they are what the two dexp^-T, which differ in sign, do.

*Beyond the paper.*  Forces may depend on velocities: $f_n = f(q_n, v_n)$ at both ends, the second
implicit in $v_{n+1}$; the method stays symmetric and of order 2.  Drivers of coordinates tell eta
and v, those of rows have $g(q, t) = 0$ and $J v$ equal to their rate.  Rotors of joints have
momenta of their own, $I_r\dot q$.  What a run keeps as its multipliers: `rattlie_multipliers`.

Newton's method has the matrix (M, J^T; J, 0) on the coordinates at that end of the step: wrong by
O(h) in the first equation, whose iteration contracts by as much.  Steps of other signs and lengths
make methods of orders 4, 6 and 8: see `compositions`.

S. Hante, M. Arnold: RATTLie: a variational Lie group integration scheme for constrained mechanical
systems, J. Comput. Appl. Math. 387 (2021).  J. Marsden, M. West, Acta Numerica 10 (2001).
"""

from typing import Annotated, Any, NamedTuple

from chasles.compiled import beyond, hot, routine
from chasles.core.arrays import Floats, Integers, clear, copy, storage
from chasles.core.outcomes import (
    EVALUATED,
    FACTORED,
    ITERATED,
    NOT_CONVERGED,
    OK,
    TALLY_WIDTH,
    count_up,
)
from chasles.core.recursion import motion
from chasles.core.recursion.increments import PATH_WIDTH, on_own_group, put_mean_twists
from chasles.core.recursion.kinematics import place_bodies
from chasles.core.recursion.stage import drive, factor_at
from chasles.core.recursion.tree import DOF, place_in_pair
from chasles.core.signals import put_signals
from chasles.core.stage import failure
from chasles.core.state_block import finish_step, linear_count, put_integrals, slope_length
from chasles.integrators.compositions import composition
from chasles.integrators.gauss import HARDLY, LOST, has_converged
from chasles.integrators.rattlie_momenta import (
    MISSED_AT_END,
    MISSED_AT_START,
    add_momenta,
    correct,
    keep_integrals,
    put_forces,
    put_missing,
    rounding_of_places,
    size_of_step,
    want_no_gaps,
    want_no_slips,
)
from chasles.integrators.rattlie_multipliers import begin_multipliers, note_multipliers

#: Order by name.
RATTLIE = {"rattlie": 2, "rattlie4": 4, "rattlie6": 6, "rattlie8": 8}
#: Iterations at the most: a contraction by 0.6 gains 16 digits in seventy.
MOST_ITERATIONS = 70


class Rattlie(NamedTuple):
    """Lengths of the steps it is composed of, and storage of a step."""

    lengths: Floats  # (count,) fractions of the step
    count: int
    has_efforts: int  # rotors, or forces along coordinates
    own_group: Integers  # (n,) 1 for bodies on whose pairs eta is xi
    mean: Annotated[Floats, "v"]  # eta
    paths: Annotated[Floats, "n", PATH_WIDTH]  # of the bodies, see `increments`
    twists: Annotated[Floats, "n", 6]  # xi of the bodies
    known: Annotated[Floats, "n", 6]  # M V + h f / 2 at the start, axes of the bodies
    force: Annotated[Floats, "n", 6]  # f at the end that is known
    along: Annotated[Floats, "v"]  # momenta that are missed along coordinates
    early: Annotated[Floats, "own rows"]  # h lambda / 2 at the start
    late: Annotated[Floats, "own rows"]  # ... and at the end
    powers: Annotated[Floats, 2]  # of all forces, and its size
    books: Annotated[Floats, "linear"]  # rates of integrals and supply
    increment: Annotated[Floats, "slope"]
    rates: Annotated[Floats, "slope"]  # scratch
    point: Annotated[Floats, "kept"]
    trial: Annotated[Floats, "kept"]
    carry: Annotated[Floats, "2 v"]  # what rounding took from the point
    spare: Annotated[Floats, "2 v"]
    tally: Annotated[Floats, TALLY_WIDTH]  # see `core.outcomes`


def make_rattlie(order: int, _: Any, mechanism: Any) -> Rattlie:
    """Storage for a mechanism."""
    tree, length, lengths = mechanism.tree, slope_length(mechanism), composition(order)
    sizes = {
        "n": tree.body_count,
        "v": tree.rate_count,
        "2 v": 2 * tree.rate_count,
        "own rows": mechanism.loops.row_count,
        "slope": length,
        "linear": linear_count(mechanism),
        "kept": mechanism.layout.kept,
    }
    return storage(
        Rattlie, sizes,
        lengths=lengths,
        count=len(lengths),
        has_efforts=int(tree.armature.any() or mechanism.tree_work.has_efforts),
        own_group=on_own_group(tree, mechanism.system.bodies.group),
    )  # fmt: skip


# --- the first half: where the bodies go ---


@routine
def guess_mean(tree: Any, scheme: Any, signals: Any, length: float) -> None:
    """eta is v, or what drivers tell it to be."""
    copy(beyond(scheme.point, tree.stored_count), scheme.mean, tree.rate_count)
    if tree.driven_count == 0:
        return
    for body in range(tree.body_count):
        for slot in range(DOF[tree.pair[body]]):
            k = tree.rate_at[body] + slot
            if tree.driven[k] >= 0:
                at = tree.stored_at[body] + place_in_pair(tree.pair[body], slot)
                scheme.mean[k] = (signals[tree.driven[k]] - scheme.point[at]) / length


@routine
def put_trial(mechanism: Any, scheme: Any, length: float, last: bool) -> None:
    """trial = point exp(h eta), with the velocities eta; integrals stay.

    The last one is the pose in which the step will end, to the bit: how rotations are rounded has
    its part in the momenta, and the difference of two roundings would add up.
    """
    tree = mechanism.tree
    copy(scheme.point, scheme.trial, mechanism.layout.kept)
    for k in range(tree.rate_count):
        scheme.rates[k] = length * scheme.mean[k]
        scheme.rates[tree.rate_count + k] = 0.0
    if last:
        motion.finish(tree, scheme.point, scheme.rates, scheme.carry, scheme.trial, scheme.spare)
    else:
        motion.retract(tree, scheme.point, scheme.rates, scheme.trial)
    copy(scheme.mean, beyond(scheme.trial, tree.stored_count), tree.rate_count)


@routine
def find_mean(mechanism: Any, workspace: Any, scheme: Any, t: float, length: float) -> int:
    """eta and h lambda / 2 at the start, whose factor is there: OK, or NOT_CONVERGED."""
    tree = mechanism.tree
    clear(scheme.early, mechanism.loops.row_count)
    scale_of, last = size_of_step(mechanism, workspace, scheme, length), 0.0
    rounding = rounding_of_places(mechanism, workspace, length)
    put_signals(mechanism.system.signals, t + length, workspace.signals)
    guess_mean(tree, scheme, workspace.signals, length)
    for index in range(MOST_ITERATIONS):
        put_mean_twists(mechanism, workspace, scheme, length)
        put_missing(mechanism, workspace, scheme, length, MISSED_AT_START)
        if mechanism.loops.row_count > 0:
            put_trial(mechanism, scheme, length, False)
            want_no_gaps(mechanism, workspace, scheme, length)
        change = correct(mechanism, workspace, scheme, scheme.early, scale_of)
        count_up(scheme.tally, ITERATED, 1)
        for k in range(tree.rate_count):
            scheme.mean[k] += mechanism.loop_work.solution[k]
        stalls = index > 0 and change >= HARDLY * last
        if has_converged(index, change, last, scale_of) or (stalls and change <= rounding):
            put_mean_twists(mechanism, workspace, scheme, length)
            put_trial(mechanism, scheme, length, True)
            return OK
        if not change <= LOST * scale_of:  # NaN as well
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


# --- the second half: how they move there ---


@routine
def arrive(mechanism: Any, workspace: Any, scheme: Any, point: Any, t: float) -> int:
    """Functions of time, bodies, rows of J and the factor at a point: OK, or why not."""
    drive(mechanism, workspace, t, point)
    put_integrals(mechanism, workspace, point)
    count_up(scheme.tally, FACTORED, 1)
    outcome = factor_at(mechanism, workspace, point, 1)
    return OK if outcome == OK else failure(mechanism, workspace, outcome)


@routine
def find_velocities(mechanism: Any, workspace: Any, scheme: Any, length: float) -> int:
    """v and h lambda / 2 at the end, where the trial has arrived with a guess of v: OK, or why not.

    Their change goes into the increment: M^-1 M v would be rounded alike in every step.
    """
    tree, rates, last = mechanism.tree, mechanism.tree.rate_count, 0.0
    rounding = rounding_of_places(mechanism, workspace, length)
    clear(scheme.late, mechanism.loops.row_count)
    for k in range(rates):
        guess, old = scheme.trial[tree.stored_count + k], scheme.point[tree.stored_count + k]
        scheme.increment[k] = length * scheme.mean[k]
        scheme.increment[rates + k] = guess - old
    for index in range(MOST_ITERATIONS):
        put_forces(mechanism, workspace, scheme, scheme.trial)
        put_missing(mechanism, workspace, scheme, length, MISSED_AT_END)
        want_no_slips(mechanism, workspace, scheme, length)
        scale_of = size_of_step(mechanism, workspace, scheme, length)
        change = correct(mechanism, workspace, scheme, scheme.late, scale_of)
        count_up(scheme.tally, EVALUATED, 1)
        count_up(scheme.tally, ITERATED, 1)
        for k in range(rates):
            scheme.increment[rates + k] += mechanism.loop_work.solution[k]
            scheme.trial[tree.stored_count + k] += mechanism.loop_work.solution[k]
        place_bodies(tree, scheme.trial, mechanism.tree_work.rows, workspace.absolute)
        stalls = index > 0 and change >= HARDLY * last
        arrived = has_converged(index, change, last, scale_of) or (stalls and change <= rounding)
        if mechanism.system.force_count == 0 or arrived:
            put_forces(mechanism, workspace, scheme, scheme.trial)
            count_up(scheme.tally, EVALUATED, 1)
            return OK
        if not change <= LOST * scale_of:
            return NOT_CONVERGED
        last = change
    return NOT_CONVERGED


@routine
def substep(mechanism: Any, workspace: Any, scheme: Any, t: float, length: float) -> int:
    """From the point, whose factor and forces are there, to an increment: OK, or why not."""
    clear(scheme.increment, slope_length(mechanism))
    add_momenta(mechanism.system, workspace, 0.5 * length, scheme.force, scheme.known)
    outcome = find_mean(mechanism, workspace, scheme, t, length)
    if outcome != OK:
        return outcome
    put_signals(mechanism.system.signals, t, workspace.signals)
    keep_integrals(mechanism, workspace, scheme, length, MISSED_AT_START, scheme.early)
    outcome = arrive(mechanism, workspace, scheme, scheme.trial, t + length)
    if outcome != OK:
        return outcome
    outcome = find_velocities(mechanism, workspace, scheme, length)
    if outcome == OK:
        keep_integrals(mechanism, workspace, scheme, length, MISSED_AT_END, scheme.late)
    return outcome


@routine
def take_point(mechanism: Any, scheme: Any, block: Any) -> None:
    """The point of a block, and what rounding took from it."""
    layout = mechanism.layout
    copy(block, scheme.point, layout.kept)
    copy(beyond(block, layout.carry), scheme.carry, 2 * mechanism.tree.rate_count)


@hot
def attempt_rattlie(
    mechanism: Any, workspace: Any, scheme: Any, state: Any, t: float, step: float, out: Any
) -> int:
    """One step from `state` to `out` (another block): OK, or how it failed."""
    now = t
    copy(state, out, mechanism.layout.seen)
    take_point(mechanism, scheme, out)
    outcome = arrive(mechanism, workspace, scheme, scheme.point, t)
    if outcome == OK:
        put_forces(mechanism, workspace, scheme, scheme.point)
        count_up(scheme.tally, EVALUATED, 1)
        outcome = begin_multipliers(mechanism, workspace, scheme, out)
    for k in range(scheme.count):
        if outcome != OK:
            return outcome
        length = scheme.lengths[k] * step
        outcome = substep(mechanism, workspace, scheme, now, length)
        if outcome == OK:
            now += length
            note_multipliers(mechanism, scheme, length, out)
            finish_step(mechanism, out, scheme.increment, out)
            take_point(mechanism, scheme, out)
    return outcome
