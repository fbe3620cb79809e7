r"""The program of a tree with cut joints in numbers: rows in groups of three, and their places.

Rows are eliminated in groups of up to three, those of one joint one after the other; groups are
numbered in the order of elimination, and rows likewise.  A group that is not full has rows that act
on nothing: their pivots count as infinite.  A **place** is a group on a body: on those that it
rides through, and on the one where it closes.

E, the matrix of the multipliers, is kept in blocks: the triangle (6) of every group first, then, of
two groups that meet, a block (9) whose rows are those of the later one.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.program import CLOSE, Program, make_program
from chasles.core.recursion.tree import FREE, Tree

#: A group is loaded from its rows of J; see `loading` for the other way.
BY_ROWS = 0


class Loops(NamedTuple):
    """All cut joints in numbers."""

    joints: Integers  # (c,) whose rows have to be assembled
    joint_of: Integers  # (m,) whose a row is
    source: Integers  # (m,) row of J
    bodies: Integers  # (m, 2) a, b
    program: Integers  # (s, 2) GIVE body or CLOSE group
    first_row: Integers  # (g + 1,) rows by group
    sides: Integers  # (g, 2) place on a, on b; -1: the ground
    first_place: Integers  # (n + 1,) places by body, of groups that ride through it
    place_group: Integers  # (places,)
    place_rows: Integers  # (places,) how many rows the group has
    filled: Integers  # (f,) places that begin with nothing: no joint acts there by itself
    place_up: Integers  # (places,) the group's place on the parent; -1: the ground, or nowhere
    first_pair: Integers  # (n,) blocks of E of pairs (j, k <= j) of riding places
    pairs: Integers
    end: Integers  # (g,) the body on which a group closes; -1: the ground
    end_place: Integers  # (g,) its place there
    first_later: Integers  # (g + 1,) groups that it meets and that go later
    later: Integers
    later_value: Integers  # their block of E with it
    later_place: Integers  # their place on the body where it closes; -1: the ground
    first_target: Integers  # (g,) blocks of E of pairs of later groups
    targets: Integers
    untouched: Integers  # (n,) 1 for bodies whose inertia nothing changes: see `untouched`
    charts: Integers  # (k,) bodies on pairs of six dimensions: their rates are found last
    loading: Integers  # (g,) BY_ROWS, or what its axes lock
    axes: Floats  # (g, 9) of these, as columns in working axes of b; none for missing rows
    points: Floats  # (g, 3) of the joint from P of b
    in_world: Integers  # (c,) 1 for cut joints all of whose groups are not loaded from J
    damping: Floats  # (m,) mu
    floors: Floats  # (m,) pivots -E_rr below these are singular
    scales: Floats  # (m,) what pivots are compared with
    choices: Integers  # (m,) by the first row of a joint whose rows are chosen: how many; else -1
    group: Integers  # (m,) by the first row of a joint: how many rows it has; 0 for the others
    coupled: Integers  # (c,) rows of couplings
    coupled_asked: Integers  # (c,) where what is asked of them is kept
    offsets: Floats  # (c,)
    first_term: Integers  # (c + 1,) coordinates by coupling
    term_at: Integers  # (t,) where f' of a coordinate is kept in room.own
    term_body: Integers  # (t,)
    term_stored: Integers  # (t,) where it stands in a state
    term_rate: Integers  # (t,) ... and its rate among the velocities
    term_turns: Integers  # (t,) 1 for an angle
    first_power: Integers  # (t,)
    degree: Integers  # (t,)
    powers: Floats  # coefficients of f, a zero first
    coupled_address: Integers  # (c,) of a user's formula of bodies, or 0
    first_tie: Integers  # (c + 1,) bodies by coupling
    tie_place: Integers  # (b,) first number of the row's place on a body
    tie_body: Integers  # (b,)
    joint_count: int
    row_count: int
    group_count: int
    step_count: int
    place_count: int
    value_count: int
    chart_count: int
    filled_count: int
    coupled_count: int
    is_damped: int
    is_chosen: int  # whether some rows have no multiplier
    is_formed: int  # whether rows of J are formed for some of them


class LoopRoom(NamedTuple):
    """What the passes write about rows."""

    reach: Floats  # (places, 3, 6) G: rows on a body's (alpha, a), with all that gives way below
    along: Floats  # (places, 3, 6) the rows on the coordinates of the body's pair
    ties: Floats  # (b, 6) rows of users' formulas on body twists at the centres of mass
    own: Floats  # (places, 3, 6) what rows of couplings are on these by themselves: f'
    gaps: Floats  # (c,) of the couplings
    speeds: Floats  # (c,) the rates of these
    values: Floats  # E
    asked: Floats  # (g, 3) eta less what is known; D^-1 of that, once a group has closed
    found: Floats  # (g, 3) multipliers
    inverses: Floats  # (m,) 1 / d of the pivots; 0 of rows that are not chosen
    shown: Floats  # (m,) the same as the watch sees them
    wanted: Floats  # (m,) of another right-hand side
    multipliers: Floats  # (m,)
    left: Floats  # (m,) what a solution misses of the rows while it is refined
    gain: Floats  # (m,) what the direction of search would take of that
    solution: Floats  # (v + 6 n + m,) rates, alpha and a of all bodies, multipliers
    answer: Floats  # (v + 6 n + m,) of the last solve
    search: Floats  # (v + 6 n + m,) the direction of search
    increment: Floats  # (2 v,) by which a state is moved
    active: Floats  # (m,) 1 for rows that are chosen; the others have no multiplier
    changed: Floats  # (m,) 1 for the first row of a joint whose choice was changed in this step
    choosing: Integers  # (1,) whether rows are chosen at this stage
    missed: Floats  # (2,) largest share of its acceleration that a row misses, and its row of J
    block: Floats  # (k, k) of a joint's rows while some are chosen


def make_loop_room(loops: Loops, bodies: int, rates: int) -> LoopRoom:
    rows, groups = max(1, loops.row_count), max(1, loops.group_count)
    column = rates + 6 * bodies + rows
    return LoopRoom(
        reach=np.zeros((loops.place_count, 18)),
        along=np.zeros((loops.place_count, 18)),
        ties=np.zeros((len(loops.tie_body), 6)),
        own=np.zeros((loops.place_count, 18)),
        gaps=np.zeros(loops.coupled_count),
        speeds=np.zeros(loops.coupled_count),
        values=np.zeros(max(1, loops.value_count)),
        asked=np.zeros((groups, 3)),
        found=np.zeros((groups, 3)),
        inverses=np.zeros(rows),
        shown=np.zeros(rows),
        wanted=np.zeros(rows),
        multipliers=np.zeros(rows),
        left=np.zeros(rows),
        gain=np.zeros(rows),
        solution=np.zeros(column),
        answer=np.zeros(column),
        search=np.zeros(column),
        increment=np.zeros(max(1, 2 * rates)),
        active=np.ones(rows),
        changed=np.zeros(rows),
        choosing=np.ones(1, np.int64),
        missed=np.zeros(2),
        block=np.zeros((max(1, loops.group.max(initial=0)),) * 2),
    )


class Riders(NamedTuple):
    """Groups in the order of elimination, and their places."""

    cuts: list[Cut]
    program: Program
    groups: list[tuple[int, tuple[int, ...]]]  # (cut, rows of J)
    of_cut: dict[int, list[int]]  # groups by cut
    places: list[tuple[int, int]]  # (body, group), those of groups that ride on by body
    first_place: list[int]
    number: dict[tuple[int, int], int]  # of a place

    def place(self, body: int, group: int) -> int:
        """The place of a group on a body; -1 where it has none."""
        return self.number.get((body, group), -1)

    def end(self, group: int) -> int:
        return self.program.ends[self.groups[group][0]]


def riders_of(parent: list[int], loose: list[bool], cuts: list[Cut]) -> Riders:
    """The rows of some cut joints on their ways; bodies are ordered parents first."""
    program = make_program(parent, loose, cuts)
    groups: list[tuple[int, tuple[int, ...]]] = []
    of_cut: dict[int, list[int]] = {}
    for kind, k in program.steps:
        if kind == CLOSE:
            parts = cuts[k].groups
            of_cut[k] = list(range(len(groups), len(groups) + len(parts)))
            groups += [(k, part) for part in parts]
    places, first = [], [0]
    for body, riders in enumerate(program.riders):
        places += [(body, g) for g in sorted(g for k in riders for g in of_cut[k])]
        first.append(len(places))
    places += [(program.ends[k], g) for g, (k, _) in enumerate(groups) if program.ends[k] >= 0]
    number = {place: at for at, place in enumerate(places)}
    return Riders(cuts, program, groups, of_cut, places, first, number)


class Values:
    """Where the blocks of E are kept: the triangles first, the others as they are asked for."""

    def __init__(self, groups: int) -> None:
        self.known = {(group, group): 6 * group for group in range(groups)}
        self.count = 6 * groups

    def of(self, later: int, group: int) -> int:
        at = self.known.setdefault((later, group), self.count)
        self.count += 9 * (at == self.count)
        return at

    def pairs(self, groups: Sequence[int]) -> list[int]:
        """Of all pairs (j, k <= j) of some groups, in order."""
        return [self.of(one, other) for at, one in enumerate(groups) for other in groups[: at + 1]]


def make_loops(tree: Tree, cuts: Sequence[Cut], damping: Floats | None = None) -> Loops:
    """The structure of some cut joints; bodies are ordered parents first."""
    parent, loose = tree.parent.tolist(), (tree.pair >= FREE).tolist()
    found = riders_of(parent, loose, [cut for cut in cuts if cut.rows])
    cuts, groups = found.cuts, found.groups
    rows = [(k, source) for k, part in groups for source in part]
    count, values = len(rows), Values(len(groups))
    leads = {k: found.groups[of[0]][1][0] for k, of in found.of_cut.items()}
    steps = [
        (kind, x)
        for kind, k in found.program.steps
        for x in (found.of_cut[k] if kind == CLOSE else [k])
    ]
    return Loops(
        joints=np.array([cut.joint for cut in cuts], np.int64),
        joint_of=np.array([cuts[k].joint for k, _ in rows], np.int64),
        source=np.array([source for _, source in rows], np.int64),
        bodies=np.array([(cuts[k].a, cuts[k].b) for k, _ in rows], np.int64).reshape(-1, 2),
        program=np.array(steps, np.int64).reshape(-1, 2),
        first_row=starts([part for _, part in groups]),
        **place_tables(parent, loose, found),
        **elimination_tables(found, values),
        **coupling_tables(found),
        untouched=untouched_bodies(tree, found),
        charts=np.flatnonzero(loose),
        loading=np.full(len(groups), BY_ROWS, np.int64),
        axes=np.zeros((len(groups), 9)),
        points=np.zeros((len(groups), 3)),
        in_world=np.zeros(len(cuts), np.int64),
        damping=np.zeros(count) if damping is None else np.asarray(damping, float),
        floors=np.zeros(count),
        scales=np.ones(count),
        choices=np.full(count, -1, np.int64),
        group=np.array(
            [len(cuts[k].rows) if source == leads[k] else 0 for k, source in rows], np.int64
        ),
        joint_count=len(cuts),
        row_count=count,
        group_count=len(groups),
        step_count=len(steps),
        place_count=len(found.places),
        value_count=values.count,
        chart_count=sum(loose),
        coupled_count=sum(cut.is_coupling for cut in cuts),
        is_damped=int(damping is not None),
        is_chosen=0,
        is_formed=int(count > 0),
    )


def untouched_bodies(tree: Tree, found: Riders) -> Integers:
    """(n,) Pairs of six dimensions about the centre of mass, on which nothing hangs or closes."""
    ends = np.zeros(tree.body_count, bool)
    ends[[end for end in found.program.ends if end >= 0]] = True
    easy = (tree.pair >= FREE) & (tree.is_leaf != 0) & ~ends & ~tree.centre.any(axis=1)
    easy &= (tree.mass > 0.0) & (tree.inertia[:, [0, 2, 5]] > 0.0).all(axis=1)
    return easy.astype(np.int64)


def place_tables(parent: list[int], loose: list[bool], found: Riders) -> dict[str, Any]:
    """Where groups ride: on their own bodies, from body to body, and on the one where they end."""
    cuts, place = found.cuts, found.place
    sides = [(place(cuts[k].a, g), place(cuts[k].b, g)) for g, (k, _) in enumerate(found.groups)]
    riding = found.first_place[-1]
    up = [
        place(parent[body], g) if at < riding and not loose[body] else -1
        for at, (body, g) in enumerate(found.places)
    ]
    ends = [found.end(g) for g in range(len(found.groups))]
    acting = set(itertools.chain.from_iterable(sides))
    filled = [at for at in range(len(found.places)) if at not in acting]
    return {
        "sides": np.array(sides, np.int64).reshape(-1, 2),
        "first_place": np.array(found.first_place, np.int64),
        "place_group": np.array([g for _, g in found.places], np.int64),
        "place_rows": np.array([len(found.groups[g][1]) for _, g in found.places], np.int64),
        "filled": np.array(filled, np.int64),
        "filled_count": len(filled),
        "place_up": np.array(up, np.int64),
        "end": np.array(ends, np.int64),
        "end_place": np.array([place(end, g) for g, end in enumerate(ends)], np.int64),
    }


def coupling_tables(found: Riders) -> dict[str, Any]:
    """The coordinates that couplings name, or the bodies that a user's formula sees."""
    starting = starts([part for _, part in found.groups]).tolist()
    groups = [g for g, (k, _) in enumerate(found.groups) if found.cuts[k].is_coupling]
    of = [found.cuts[found.groups[g][0]] for g in groups]
    terms = [cut.terms for cut in of]
    listed = [(g, term) for g, group in zip(groups, terms) for term in group]
    powers = [(0.0, *term.powers) for _, term in listed]
    ties = [(g, body) for g, cut in zip(groups, of) for body in cut.ties]
    return {
        "coupled": np.array([starting[g] for g in groups], np.int64),
        "coupled_asked": 3 * np.array(groups, np.int64),
        "offsets": np.array([cut.offset for cut in of]),
        "first_term": starts(terms),
        "term_at": np.array([18 * found.place(t.body, g) + t.slot for g, t in listed], np.int64),
        "term_body": np.array([t.body for _, t in listed], np.int64),
        "term_stored": np.array([t.stored for _, t in listed], np.int64),
        "term_rate": np.array([t.rate for _, t in listed], np.int64),
        "term_turns": np.array([t.turns for _, t in listed], np.int64),
        "first_power": starts(powers)[:-1],
        "degree": np.array([len(t.powers) for _, t in listed], np.int64),
        "powers": np.array([x for group in powers for x in group], float),
        "coupled_address": np.array([cut.address for cut in of], np.int64),
        "first_tie": starts([cut.ties for cut in of]),
        "tie_place": np.array([18 * found.place(body, g) for g, body in ties], np.int64),
        "tie_body": np.array([body for _, body in ties], np.int64),
    }


def elimination_tables(found: Riders, values: Values) -> dict[str, Any]:
    """Which blocks of E a pair that gives way and a group that is closed change."""
    first, places = found.first_place, found.places
    riders = [[g for _, g in places[one:other]] for one, other in itertools.pairwise(first)]
    pairs = [values.pairs(group) for group in riders]
    later = []
    for g, (k, _) in enumerate(found.groups):
        others = [s for other in found.program.later[k] for s in found.of_cut[other]]
        later.append(sorted([s for s in found.of_cut[k] if s > g] + others))
    at_end = [[found.place(found.end(g), s) for s in group] for g, group in enumerate(later)]
    later_values = [[values.of(s, g) for s in group] for g, group in enumerate(later)]
    targets = [values.pairs(group) for group in later]
    return {
        "first_pair": starts(pairs)[:-1],
        "pairs": joined(pairs),
        "first_later": starts(later),
        "later": joined(later),
        "later_value": joined(later_values),
        "later_place": joined(at_end),
        "first_target": starts(targets)[:-1],
        "targets": joined(targets),
    }


def starts(groups: Sequence[Sequence[Any]]) -> Integers:
    return np.concatenate(([0], np.cumsum([len(group) for group in groups]))).astype(np.int64)


def joined(groups: Sequence[Sequence[int]]) -> Integers:
    return np.array([x for group in groups for x in group], np.int64)
