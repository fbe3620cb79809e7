r"""Everything that survives a step, in one flat array with a named layout, and how it moves.

A rollback, a side step to a wanted time, a restart, a file, an ensemble (N, width): each is a copy.
The first `kept` numbers are the point at which the equations of motion are evaluated, and what a
history keeps.

A scheme knows points (poses, velocities and integrals), slopes $F = (v, \dot v)$ there, and how
both combine:

$$ x \to x\,\tau(\Phi), \qquad k = d\tau^{-1}_{-\Phi} F . $$

The map $\tau$ is data of the tree: exp, or the Cayley map (see `recursion.motion`).  Velocities and
integrals live in a vector space, where $\tau$ is addition.  A slope has two numbers per velocity,
then one per integral.

Poses tell the angle of a hinge up to whole turns.  The turns are counted by an integral, so that
any states may be saved: about a hinge, which keeps its axis z in both bodies,

$$ \dot q = z\cdot(\omega_b - \omega_a) . $$
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import beyond, formula, hot, once, routine
from chasles.core.arrays import Floats, clear, copy, mat9, vec3
from chasles.core.placed import column, nearest_turn, opening_of, turn_about_axis
from chasles.core.recursion import motion
from chasles.core.recursion.floating import FLOATING_WIDTH
from chasles.core.recursion.tree import OMEGA, ROW, TURN
from chasles.groups.vectors import dot, matvec, tmatvec
from chasles.scalars.elementary import compensated, pick

#: Energy that went into the bodies, and how much was exchanged in all (J).
SUPPLIED, EXCHANGED, SUPPLY_WIDTH = 0, 1, 2
#: The kinetic energy at the start (J); the largest share of the exchanged energy that the balance
#: misses and since when it is too large (s); the largest gap as a multiple of what was promised,
#: its row of J, and since when; the largest share of its acceleration that a row misses, its number
#: and since when; the widest gap itself (m or rad) and its row; the potential energy at the last
#: look (J).
AT_START, WORST_SHARE, UNBALANCED_SINCE = 0, 1, 2
WORST_GAP, OPEN_ROW, OPEN_SINCE = 3, 4, 5
WORST_MISS, MISSED_ROW, MISSED_SINCE = 6, 7, 8
WIDEST_GAP, WIDEST_ROW = 9, 10
POTENTIAL, ALARM_WIDTH = 11, 12
#: Since when, as long as all is well.
NEVER = -1.0


class Layout(NamedTuple):
    """Where the parts of a state block begin."""

    coordinates: int  # stored numbers of the pairs, then velocities
    integrals: int  # (quadratures,) work of forces and drivers, unwrapped angles
    supply: int  # (SUPPLY_WIDTH,)
    floating: int  # path, momentum and spin of what floats (see `recursion.floating`)
    multipliers: int  # (rows,) lambda of a method that has its own, as it found them
    kept: int  # so long is the point
    carry: int  # two per velocity, and what floats: what rounding took from sums so far
    history: int  # what a method keeps from step to step
    seen: int  # (watched joints, SEEN_WIDTH)
    fastest: int  # (1,) largest rate of a driver so far, in sizes per second (see `AccuracyLimits`)
    # (rows,) 1 for rows that have a multiplier, where some are chosen (see `recursion.eliminate`)
    chosen: int
    alarm: int  # (ALARM_WIDTH,) see `step_checks`
    removed: int  # (1,) the largest miss of a constant row that was taken from velocities
    width: int


def make_layout(
    coordinates: int, integrals: int, carry: int, seen: int, *, floating: int = 0, chosen: int = 0,
    multipliers: int = 0, history: int = 0,
) -> Layout:  # fmt: skip
    """The layout of blocks whose parts have these sizes.

    `multipliers` and `history` are what a method keeps beside it.
    """
    sizes = (
        coordinates, integrals, SUPPLY_WIDTH, floating, multipliers, 0, carry, history, seen, 1,
        chosen, ALARM_WIDTH, 1,
    )  # fmt: skip
    starts = np.concatenate(([0], np.cumsum(sizes))).tolist()
    return Layout(*starts)


class StateBlock(NamedTuple):
    """A state block as Python sees it: views of one array."""

    block: Floats
    layout: Layout

    def coordinates(self) -> Floats:
        """Whatever places and moves the bodies, flat."""
        return self.block[: self.layout.integrals]

    def integrals(self) -> Floats:
        return self.block[self.layout.integrals : self.layout.supply]

    def seen(self) -> Floats:
        return self.block[self.layout.seen : self.layout.fastest]

    def alarm(self) -> Floats:
        return self.block[self.layout.alarm : self.layout.removed]


@formula
def slope_length(mechanism: Any) -> int:
    """How many numbers a slope has."""
    return 2 * mechanism.tree.rate_count + linear_count(mechanism)


@formula
def linear_count(mechanism: Any) -> int:
    """How many variables are integrals of the motion: these are added up."""
    flown = FLOATING_WIDTH * mechanism.floating.count
    return mechanism.system.quadrature_count + SUPPLY_WIDTH + flown


@hot
def put_integrals(mechanism: Any, workspace: Any, point: Any) -> None:
    """The integrals of a point where forces and couplings read them: whole turns of angles."""
    count = mechanism.system.quadrature_count
    copy(beyond(point, mechanism.layout.integrals), workspace.quadratures, count)


@hot
def add_integrals(mechanism: Any, point: Any, increment: Any, count: int, out: Any) -> None:
    """Integrals, supply and what floating systems keep, so many of them, grow by increments."""
    at, into = mechanism.layout.integrals, 2 * mechanism.tree.rate_count
    for k in range(count):
        out[at + k] = point[at + k] + increment[into + k]


@routine
def add_floating(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """What floating systems keep, rounded once per step and not at all on average."""
    layout, rates = mechanism.layout, 2 * mechanism.tree.rate_count
    at, into = layout.floating, rates + layout.floating - layout.integrals
    for k in range(FLOATING_WIDTH * mechanism.floating.count):
        out[at + k], carry_out[rates + k] = compensated(
            point[at + k], carry[rates + k], increment[into + k]
        )


@once
def retract(mechanism: Any, point: Any, increment: Any, out: Any) -> None:
    """out = point * tau(increment), integrals included."""
    motion.retract(mechanism.tree, point, increment, out)
    add_integrals(mechanism, point, increment, linear_count(mechanism), out)


@once
def pull_back(mechanism: Any, increment: Any, slope: Any) -> int:
    """The slope of a point at `increment`, in place, as a slope of the increment: OK or TURNED."""
    outcome: int = motion.pull_back(mechanism.tree, increment, slope)
    return outcome


@once
def finish(
    mechanism: Any, point: Any, carry: Any, increment: Any, out: Any, carry_out: Any
) -> None:
    """out = point * tau(increment), rounded once per step and not at all on average.

    Positions and velocities carry what rounding took from them into the next step, and products of
    unit quaternions get their length back, so that joints stay closed over millions of steps.
    """
    motion.finish(mechanism.tree, point, increment, carry, out, carry_out)
    # Where out is point, what floats must not grow twice.
    integrals = mechanism.layout.floating - mechanism.layout.integrals
    add_integrals(mechanism, point, increment, integrals, out)
    add_floating(mechanism, point, carry, increment, out, carry_out)


@hot
def finish_step(mechanism: Any, state: Any, increment: Any, out: Any) -> None:
    """`finish` for blocks, which have what rounding took in them."""
    carry = mechanism.layout.carry
    finish(mechanism, state, beyond(state, carry), increment, out, beyond(out, carry))


@hot
def combine(weights: Any, first: int, count: int, step: float, slopes: Any, length: int,
            out: Any) -> None:  # fmt: skip
    """out = step * sum_l weights[first + l] slopes_l; `slopes` holds `length` numbers each."""
    begun = False
    for stage in range(count):
        weight, at = step * weights[first + stage], stage * length
        if weight != 0.0 and begun:
            for k in range(length):
                out[k] += weight * slopes[at + k]
        elif weight != 0.0:
            begun = True
            for k in range(length):
                out[k] = weight * slopes[at + k]
    if not begun:
        clear(out, length)


#: Counts this far from the angle (rad) are corrected; a sixth of what would miscount, so that
#: the books of an ordinary run are not touched.
ASTRAY = 0.5


@hot
def put_turn_rates(mechanism: Any, rates: Any) -> None:
    """The rates of all counted angles among those of the integrals, after `kinematics`."""
    tree, rows, joints = mechanism.tree, mechanism.tree_work.rows, mechanism.system.joints
    hinges = mechanism.system.hinges
    for k in range(hinges.count):
        joint = hinges.joint[k]
        a, b = joints.a[joint], joints.b[joint]
        z = column(mat9(joints.axes_b, 9 * joint), 2)
        z = matvec(mat9(rows, b * ROW + TURN), tmatvec(mat9(tree.axes, 9 * b), z))
        rate = dot(z, vec3(rows, b * ROW + OMEGA))
        if a >= 0:
            rate -= dot(z, vec3(rows, a * ROW + OMEGA))
        rates[hinges.first + k] = hinges.sign[k] * rate


@formula
def turn_of(parts: Any, index: int, absolute: Any) -> Any:
    """The angle of a joint or force between its frames, within half a turn."""
    return turn_about_axis(opening_of(parts, index, absolute)[0])


@formula
def nearest_angle(measured: Any, counted: Any) -> Any:
    """The angle of the poses nearest to a count, or the count where that is near enough."""
    angle = nearest_turn(measured, counted)
    return pick(abs(angle - counted) > ASTRAY, angle, counted)


@routine
def settle_turns(system: Any, absolute: Any, integrals: Any) -> None:
    """Let counts that have gone astray be the angles of the poses, before they miscount a turn.

    The errors of the integral add up; between two looks they would have to reach 2.6 rad.
    """
    hinges, forces = system.hinges, system.forces
    for k in range(hinges.count):
        at, angle = hinges.first + k, turn_of(system.joints, hinges.joint[k], absolute)
        integrals[at] = nearest_angle(hinges.sign[k] * angle, integrals[at])
    for force in range(system.force_count):
        at = forces.angle[force]
        if at >= 0:
            integrals[at] = nearest_angle(turn_of(forces, force, absolute), integrals[at])
