r"""The rows of cut joints that a model needs: those that vanish are dropped, dependent ones damped.

A row that no coordinate of the tree moves, at any pose, holds by itself: three of the five rows of
a hinge that closes a planar loop.  It is found at some poses with the loops open.

Of rows that depend on each other wherever loops are closed (Bennett's linkage) some are chosen, at
every step anew (see `core.recursion.eliminate`): stages are not closed, and what dependent rows
contradict each other by there is an error of the motion.  Positions and velocities of Bennett's
linkage (rk4, 4 ms, at 0.4 s) are off by 2e-10 with two of the five rows of the hinge that is cut,
by 1e-4 with all five on a damped factor.  Where the start itself is a singular pose, rows depend
that do so nowhere else, and where singular poses are to be passed, which rows say it all changes
there: all of them stay, on a damped factor.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.build.dynamics.frames import check_frames, check_pivots
from chasles.build.dynamics.solver import (
    DAMPING,
    REDUNDANT,
    SINGULAR,
    SUSPICIOUS,
    Solver,
    needs_lift,
    never_depend,
)
from chasles.build.start.closure import Closure
from chasles.build.system.build import Setup
from chasles.build.system.build_tree import undriven, with_feathers
from chasles.build.system.tree_setup import TreeStorage, tree_setup
from chasles.build.system.tree_state import absolute_of, state_of
from chasles.core.arrays import Floats, Integers
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.rank_monitor import EVENT_WIDTH, MOST_EVENTS, TINY, RankMonitor
from chasles.core.recursion.eliminate import SOLVED
from chasles.core.recursion.groups import LoopConstraint, Loops, LoopWorkspace
from chasles.core.recursion.motion import retract
from chasles.core.recursion.stage import tree_factor
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import DOF, SPHERICAL, Tree, turns_of

#: A row that no coordinate moves by more than this fraction of what free bodies would, squared, at
#: any pose, holds by itself: rounding leaves 1e-32.
VANISHING = 1e-20
#: Poses of the tree at which rows are looked at: they vanish identically or almost nowhere.
POSES = 3
#: Poses with closed loops at which dependent rows are counted, how far from the start, and what
#: counts as closed there: its square is far below REDUNDANT.  In rad, and in levers of the
#: mechanism: the same in all units.
CLOSED_POSES, NEARBY, CLOSED = 2, 0.03, 1e-11


class CutRows(NamedTuple):
    """The propagated rows, and what is known of them at the start."""

    loops: Loops
    pivots: Floats  # (m,) less the damping; of rows that are not chosen what they are compared with
    independent: Integers  # (m,) 0 for rows that repeat others, and are damped; -1: of rotors


def cut_rows(
    storage: TreeStorage,
    solver: Solver,
    cuts: list[LoopConstraint],
    start: Floats,
    damp: bool = False,
) -> CutRows:
    """The rows of the cut joints that a run needs; damped if that is wanted.

    `solver` knows J at the start, and how many rows of all joints repeat others.
    """
    tree = storage.tree
    if not tree.mass.all():
        check_frames(storage, cuts, start, solver.jacobian)
    if not cuts:
        return no_rows(tree)
    free = solver.free.copy()
    mobility = largest_mobility(storage, cuts, start)
    coupled = [row for cut in cuts if cut.is_coupling for row in cut.rows]
    free[coupled] = mobility[coupled]  # their rows are not among those of J
    moved = ~(mobility <= VANISHING * free)
    for cut in cuts:  # a driver that nothing follows contradicts what holds it
        driven = storage.setup.system.joints.drive[cut.joint] >= 0
        moved[list(cut.rows)] |= is_users(storage.setup, cut) or driven or bool(cut.rotors)
    kept = [cut._replace(rows=tuple(r for r in cut.rows if moved[r])) for cut in cuts]
    plain = make_loops(tree, kept)
    own = free[plain.source]  # none of rotors, whose pivots never vanish
    # In a tree of lower pairs a pivot is small where much hangs on a joint: 1/n^3 in long chains.
    massive = bool(storage.setup.system.bodies.mass.all())
    independent = massive and never_depend(storage.setup.model) and not coupled
    floors = (0.0 if independent else SINGULAR) * own
    plain = plain._replace(scales=np.maximum(own, plain.compliance), floors=floors)
    damped = plain._replace(damping=DAMPING * own, floors=plain.floors * 0, is_damped=1)
    loops = damped if damp and not independent else plain
    everything = np.where(loops.compliance > 0.0, -1, 1)
    if loops.row_count == 0:
        return CutRows(loops, np.zeros(0), everything)
    if not massive:
        pivots_of(storage, damped, start)
        check_pivots(storage, damped, cuts)
    redundancy, dropped = solver.redundancy, sum(len(cut.rows) for cut in cuts) - loops.row_count
    repeated = 0 if redundancy is None else redundancy.rows - redundancy.rank - dropped
    failed, pivots, _ = pivots_of(storage, plain, start)
    least = float(np.min(shares(pivots, plain.scales)))
    # Beside light bodies pivots are small wherever 1 / m of heavier ones stands: the rank decides.
    light = repeated <= 0 and needs_lift(storage.setup)
    sure = independent or least > SUSPICIOUS or (least > REDUNDANT and repeated <= 0) or light
    if failed == SOLVED and sure:
        return CutRows(loops, pivots, everything)
    # Which rows say it all changes at a singular pose: to pass it, all of them stay.
    keep = damp or light
    choices = None if keep else independent_choices(storage, damped, start, max(0, repeated))
    if choices is not None:
        loops = loops._replace(choices=choices, is_chosen=1)
        _, pivots, active = pivots_of(storage, loops, start)
        return CutRows(loops, np.where(active, pivots, loops.scales), everything)
    _, pivots, _ = pivots_of(storage, damped, start)
    everything[np.argsort(shares(pivots, plain.scales))[: max(0, repeated)]] = 0
    return CutRows(damped, pivots, everything)


def no_rows(tree: Tree) -> CutRows:
    """Of a tree without cut joints."""
    return CutRows(make_loops(tree, []), np.zeros(0), np.zeros(0, np.int64))


def pivots_of(storage: TreeStorage, loops: Loops, state: Floats) -> tuple[int, Floats, Integers]:
    """SOLVED, or a row that has none; pivots of all rows, less their damping; which are chosen."""
    equations = storage.equations(loops)
    failed = int(tree_factor(equations, storage.workspace, state, 1))
    inverses = equations.loop_work.inverses[: loops.row_count]
    active = equations.loop_work.active[: loops.row_count].astype(np.int64)
    pivots = -1.0 / np.where(inverses != 0.0, inverses, -np.inf)  # 0 of rows that have none
    return failed, pivots - loops.damping, active


def shares(pivots: Floats, scales: Floats) -> Floats:
    """Pivots by their scales; 0 of a user's row that nothing moves at the start."""
    return np.divide(pivots, scales, out=np.zeros_like(pivots), where=scales > 0.0)


# --- rows that depend on each other ---


def independent_choices(
    storage: TreeStorage, damped: Loops, start: Floats, repeated: int
) -> Integers | None:
    """How many rows of every joint say something new, where all others follow from closed loops.

    None where that cannot be said: the start is a singular pose, at which rows depend that do so
    nowhere else, or loops do not close around it.
    """
    if not damped.scales.all():  # a user's row that nothing moves
        return None
    counts = [ranks_at(storage, damped, start, repeated)]
    rng = np.random.default_rng(1)
    for _ in range(CLOSED_POSES):
        pose = closed_nearby(storage, start, rng)
        if pose is None:
            return None
        counts.append(ranks_at(storage, damped, pose, 0))
    return counts[0] if all(np.array_equal(counts[0], other) for other in counts) else None


def ranks_at(storage: TreeStorage, damped: Loops, state: Floats, repeated: int) -> Integers:
    """By the first row of every joint, how many of its rows are independent of all before."""
    leads = np.flatnonzero(damped.group)
    choices = np.full(damped.row_count, -1, np.int64)
    choices[leads] = damped.group[leads]
    trial = damped._replace(
        damping=0.0 * damped.scales, floors=REDUNDANT * damped.scales, is_damped=0, choices=choices
    )
    _, pivots, active = pivots_of(storage, trial, state)
    found: Integers = active.copy()
    # What the rank knows better than a threshold.
    for row in np.argsort(shares(pivots, damped.scales)):
        doubtful = pivots[row] < SUSPICIOUS * damped.scales[row]
        if found[row] and doubtful and damped.row_count - found.sum() < repeated:
            found[row] = 0
    for lead in leads:
        choices[lead] = found[lead : lead + damped.group[lead]].sum()
    return choices


def closed_nearby(storage: TreeStorage, start: Floats, rng: np.random.Generator) -> Floats | None:
    """A pose near the start with all loops closed; None if they would not close.

    Driven coordinates move as well.
    """
    setup, tree, tree_work, _ = storage
    lever = setup.longest_lever or 1.0
    driven = np.flatnonzero(tree_setup(setup).coordinates >= 0)
    nearby = absolute_of(tree, tree_work, perturbed(tree, start, rng, NEARBY, lever)[None])[0]
    closure = Closure(setup, loose=driven)
    absolute, gap = closure.closed(nearby)
    return state_of(tree, absolute) if gap < CLOSED * closure.length else None


# --- rows that vanish ---


def largest_mobility(storage: TreeStorage, cuts: list[LoopConstraint], start: Floats) -> Floats:
    """(rows,) How far rows of J give way, each alone: the most at the start and at some poses.

    Coordinates that are driven move here: what only they move has to agree with their motions.
    Users' formulas are asked nowhere but at the start.
    """
    setup, tree = storage.setup, storage.tree
    free = storage._replace(tree=with_feathers(undriven(tree)))
    found = np.zeros(setup.system.row_count)
    ours = [cut for cut in cuts if not is_users(setup, cut)]
    rng = np.random.default_rng(0)
    poses = [(start, make_loops(free.tree, cuts))]
    if ours:
        others = make_loops(free.tree, ours)
        lever = setup.longest_lever or 1.0
        poses += [(perturbed(tree, start, rng, 1.0, lever), others) for _ in range(POSES)]
    for state, loops in poses:
        equations = free.equations(loops)
        tree_factor(equations, storage.workspace, state, 0)
        found[loops.source] = np.fmax(found[loops.source], mobility_of(loops, equations.loop_work))
    return found


def mobility_of(loops: Loops, loop_work: LoopWorkspace) -> Floats:
    """(m,) -E_rr of all rows, where none is eliminated."""
    sizes = np.diff(loops.first_row)
    diagonals = 6 * np.arange(loops.group_count)[:, None] + np.array([0, 2, 5])
    found: Floats = -loop_work.values[diagonals[np.arange(3) < sizes[:, None]]]
    return found


def is_users(setup: Setup, cut: LoopConstraint) -> bool:
    """Whether a cut joint is a user's formula."""
    return bool(CONSTRAINTS[setup.system.joints.kind[cut.joint]].calls_user)


def perturbed(
    tree: Tree, start: Floats, rng: np.random.Generator, by: float, lever: float
) -> Floats:
    """A random pose of the tree, loops open, at rest; slides move by as many levers."""
    state = np.zeros_like(start)
    increment = np.concatenate((rng.normal(0.0, by, tree.rate_count), np.zeros(tree.rate_count)))
    increment[: tree.rate_count][slides_of(tree)] *= lever
    retract(tree, start, increment, state)
    state[tree.stored_count :] = 0.0
    return state


def slides_of(tree: Tree) -> NDArray[np.bool_]:
    """(v,) Which velocities of a tree are lengths per second."""
    found = np.zeros(tree.rate_count, bool)
    for pair, first in zip(tree.pair.tolist(), tree.rate_at.tolist()):
        turns = 3 if pair >= SPHERICAL else turns_of(pair)
        found[first + turns : first + DOF[pair]] = True
    return found


def monitor_of_rows(rows: CutRows, stop: bool) -> RankMonitor:
    """A monitor of the propagated rows, whose pivots are found in loop_work.inverses."""
    loops = rows.loops
    found, numbers = np.unique(loops.joint_of, return_inverse=True)
    return RankMonitor(
        rows=loops.source,
        joints=np.array(numbers, np.int64),
        first=np.maximum(rows.pivots, TINY),
        independent=rows.independent,
        damping=loops.damping,
        stop=int(stop),
        row_count=loops.row_count,
        joint_count=len(found),
        events=np.zeros((MOST_EVENTS, EVENT_WIDTH)),
        count=np.zeros(1, np.int64),
    )


def nothing_seen(monitor: RankMonitor) -> Floats:
    """What is known of every joint before the first step (joints, SEEN_WIDTH)."""
    return np.tile([-1.0, -1.0, 0.0, 0.0, 0.0], (monitor.joint_count, 1))
