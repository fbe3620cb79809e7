r"""The rows of cut joints that a model needs: those that vanish are dropped, dependent ones damped.

A row that no coordinate of the tree moves, at any pose, holds by itself: three of the five rows of
a hinge that closes a planar loop.  It is found at some poses with the loops open.  Rows that depend
on each other only where loops are closed (Bennett's linkage) stay, on a damped factor.
"""

from typing import NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.evaluate import Workspace
from chasles.core.recursion.cuts import Cut, LoopRoom, Loops, make_loop_room, make_loops
from chasles.core.recursion.motion import retract
from chasles.core.recursion.riding import SOLVED
from chasles.core.recursion.run import tree_factor
from chasles.core.recursion.tree import Recursion, Tree
from chasles.core.watch import EVENT_WIDTH, MOST_EVENTS, TINY, Watch
from chasles.dynamics.solver import DAMPING, REDUNDANT, SINGULAR, SUSPICIOUS, Solver
from chasles.start.redundancy import free_pivots
from chasles.system.build import Setup

#: A row that no coordinate moves by more than this fraction of what free bodies would, squared, at
#: any pose, holds by itself: rounding leaves 1e-32.
VANISHING = 1e-20
#: Poses of the tree at which rows are looked at: they vanish identically or almost nowhere.
POSES = 3
#: A row is damped by no less than one of this mobility, as a fraction of that of free bodies: what
#: moves less (axes that are parallel to nine digits) says nothing that is to be believed.
HARDLY_MOVED = 1e-6


class TreeScratch(NamedTuple):
    """What a factor is made of and in."""

    setup: Setup
    tree: Tree
    memory: Recursion
    work: Workspace


class CutRows(NamedTuple):
    """The rows that ride, and what is known of them at the start."""

    loops: Loops
    pivots: Floats  # (m,) less the damping
    independent: Integers  # (m,) 1 for rows that say something new


def cut_rows(
    scratch: TreeScratch, solver: Solver, cuts: list[Cut], start: Floats, damp: bool = False
) -> CutRows:
    """The rows of the cut joints; damped where they depend on each other, or if that is wanted.

    `solver` knows J at the start, and how many rows of all joints repeat others.
    """
    tree, nothing = scratch.tree, np.zeros(0, np.int64)
    if not cuts:
        return CutRows(make_loops(tree.parent, []), np.zeros(0), nothing)
    free = free_pivots(scratch.setup, solver.work.jacobian)
    mobility = largest_mobility(scratch, cuts, start)
    moved = ~(mobility <= VANISHING * free)
    kept = [
        cut
        if is_users(scratch.setup, cut)
        else cut._replace(rows=tuple(r for r in cut.rows if moved[r]))
        for cut in cuts
    ]
    loops = make_loops(tree.parent, kept)
    if loops.row_count == 0:
        return CutRows(loops, np.zeros(0), nothing)
    own = np.maximum(mobility[loops.source], HARDLY_MOVED * free[loops.source])
    dropped = sum(len(cut.rows) for cut in cuts) - loops.row_count
    redundancy = solver.redundancy
    repeated = 0 if redundancy is None else redundancy.rows - redundancy.rank - dropped
    failed, pivots = pivots_of(scratch, loops, start)
    if not damp and failed == SOLVED:
        least = float(np.min(pivots / own))
        if least > SUSPICIOUS or (least > REDUNDANT and repeated <= 0):
            loops = make_loops(tree.parent, kept, floors=SINGULAR * own)
            return CutRows(loops, pivots, np.ones(loops.row_count, np.int64))
    loops = make_loops(tree.parent, kept, DAMPING * own)
    _, pivots = pivots_of(scratch, loops, start)
    independent = np.ones(loops.row_count, np.int64)
    independent[np.argsort(pivots / own)[: max(0, repeated)]] = 0
    return CutRows(loops, pivots, independent)


def pivots_of(scratch: TreeScratch, loops: Loops, state: Floats) -> tuple[int, Floats]:
    """SOLVED, or a row that has none, and the pivots of all rows, less their damping."""
    setup, tree, memory, work = scratch
    room = room_of(loops, tree)
    failed = int(tree_factor(tree, memory, setup.system, work, loops, room, state, 1))
    return failed, -room.values[: loops.row_count] - loops.damping


def largest_mobility(scratch: TreeScratch, cuts: list[Cut], start: Floats) -> Floats:
    """(rows,) How far rows of J give way, each alone: the most at the start and at some poses.

    Coordinates that are driven move here: what only they move has to agree with their motions.
    Users' formulas are asked nowhere but at the start.
    """
    setup, tree, memory, work = scratch
    free = tree._replace(driven=np.full(tree.rate_count, -1, np.int64), driven_count=0)
    found = np.zeros(setup.system.row_count)
    ours = [cut for cut in cuts if not is_users(setup, cut)]
    rng = np.random.default_rng(0)
    poses = [(start, make_loops(tree.parent, cuts))]
    if ours:
        others = make_loops(tree.parent, ours)
        poses += [(perturbed(tree, start, rng), others) for _ in range(POSES)]
    for state, loops in poses:
        room = room_of(loops, tree)
        tree_factor(free, memory, setup.system, work, loops, room, state, 0)
        found[loops.source] = np.fmax(found[loops.source], -room.values[: loops.row_count])
    return found


def is_users(setup: Setup, cut: Cut) -> bool:
    """Whether a cut joint is a user's formula."""
    return bool(CONSTRAINTS[setup.system.joints.kind[cut.joint]].calls_user)


def room_of(loops: Loops, tree: Tree) -> LoopRoom:
    return make_loop_room(loops, tree.body_count, tree.rate_count)


def perturbed(tree: Tree, start: Floats, rng: np.random.Generator) -> Floats:
    """A random pose of the tree, loops open, at rest."""
    state = np.zeros_like(start)
    increment = np.concatenate((rng.normal(size=tree.rate_count), np.zeros(tree.rate_count)))
    retract(tree, start, increment, state)
    state[tree.stored_count :] = 0.0
    return state


def watch_of_rows(rows: CutRows, stop: bool) -> Watch:
    """A watch over the rows that ride, whose pivots are found in room.inverses."""
    loops = rows.loops
    found, numbers = np.unique(loops.joint_of, return_inverse=True)
    return Watch(
        places=np.arange(loops.row_count, dtype=np.int64),
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
