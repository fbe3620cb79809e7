r"""Cut joints of a tree: which rows ride through which bodies, and the order of their elimination.

A row of a cut joint acts on two bodies.  It rides from both towards the body where their ways to
the ground meet (the ground counts), and its multiplier is eliminated there: whatever moves the loop
as a whole does not touch the row, so the coordinates inside the loop alone make its pivot regular.
Rows whose wrenches do not balance on their two bodies (gears, users' formulas) ride to the ground.

Two rows meet in E, the matrix of the multipliers, if they ride through a common joint, or if one
that meets both is eliminated before them.  Rows of one joint go together; among joints that close
at the same body the one that meets the fewest others goes first: ladders and towers stay linear.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.recursion.ways import Cut, elimination_order, meeting, ride, ways_of


class Loops(NamedTuple):
    """All cut joints in numbers.  A place is a row on a body that it rides through."""

    joints: Integers  # (c,) whose rows have to be assembled
    joint_of: Integers  # (m,) whose a row is
    source: Integers  # (m,) row of J
    bodies: Integers  # (m, 2) a, b
    ends: Integers  # (m, 2) place on a, on b; -1: the ground
    first_place: Integers  # (n + 1,) places by body
    riding: Integers  # (n,) how many of them ride on; they come first
    place_row: Integers  # (places,)
    place_up: Integers  # (places,) the row's place on the parent; -1: the ground, or it ends here
    first_pair: Integers  # (n,) targets in E of pairs (j, k <= j) of riding places
    pairs: Integers
    first_closing: Integers  # (n + 2,) rows that end on a body, on the ground last
    closing: Integers  # (m,) in the order of elimination
    closing_place: Integers  # (m,) by row: place on the body where it ends; -1: the ground
    first_later: Integers  # (m + 1,) by row: rows that it meets and that go later
    later: Integers
    later_value: Integers  # where E of the two is kept
    later_place: Integers  # place of the later row on the body where this one ends; -1: the ground
    first_target: Integers  # (m,) targets in E of pairs of later rows
    targets: Integers
    damping: Floats  # (m,) mu
    floors: Floats  # (m,) pivots -E_rr below these are singular
    scales: Floats  # (m,) what pivots are compared with
    choices: Integers  # (m,) by the first row of a joint whose rows are chosen: how many; else -1
    group: Integers  # (m,) by the first row of a joint: how many rows it has; 0 for the others
    coupled: Integers  # (c,) rows of couplings
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
    tie_place: Integers  # (b,) the row's place on a body
    tie_body: Integers  # (b,)
    joint_count: int
    row_count: int
    place_count: int
    value_count: int
    coupled_count: int
    is_damped: int
    is_chosen: int  # whether some rows have no multiplier


class LoopRoom(NamedTuple):
    """What the passes write about rows."""

    reach: Floats  # (places, 6) G: the row on a body's (alpha, a), with all that gives way below
    along: Floats  # (places, 6) the row on the coordinates of the body's joint
    ties: Floats  # (b, 6) rows of users' formulas on body twists at the centres of mass
    own: Floats  # (places, 6) what the row of a coupling is on these by itself: f'
    gaps: Floats  # (c,) of the couplings
    speeds: Floats  # (c,) the rates of these
    values: Floats  # E: diagonal first
    inverses: Floats  # (m,) 1 / d of the pivots; 0 of rows that are not chosen
    shown: Floats  # (m,) the same as the watch sees them
    wanted: Floats  # (m,) eta less what is known
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
    rows = max(1, loops.row_count)
    column = rates + 6 * bodies + rows
    return LoopRoom(
        reach=np.zeros((loops.place_count, 6)),
        along=np.zeros((loops.place_count, 6)),
        ties=np.zeros((len(loops.tie_body), 6)),
        own=np.zeros((loops.place_count, 6)),
        gaps=np.zeros(loops.coupled_count),
        speeds=np.zeros(loops.coupled_count),
        values=np.zeros(max(1, loops.value_count)),
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
    """Who rides where: rows in the order of elimination, and their places."""

    cuts: list[Cut]
    ends: list[int]  # by cut joint: where it closes
    rows: list[tuple[int, int]]  # (cut joint, row of J)
    of_joint: dict[int, list[int]]  # rows by cut joint
    later: list[list[int]]  # by row: those that it meets and that go later
    places: list[tuple[int, int]]  # (body, row)
    first_place: list[int]
    riding: list[int]
    number: dict[tuple[int, int], int]  # of a place

    def place(self, body: int, row: int) -> int:
        """The place of a row on a body; -1 where it has none."""
        return self.number.get((body, row), -1)


def riders_of(parent: Any, cuts: list[Cut]) -> Riders:
    """The rows of some cut joints on their ways; bodies are ordered parents first."""
    ends = [meeting(parent, cut) for cut in cuts]
    through = [ways_of(parent, cut, end) for cut, end in zip(cuts, ends)]
    order, later = elimination_order(ends, through)
    turn = {k: at for at, k in enumerate(order)}
    rows: list[tuple[int, int]] = []
    of_joint: dict[int, list[int]] = {}
    for k in order:
        of_joint[k] = list(range(len(rows), len(rows) + len(cuts[k].rows)))
        rows += [(k, source) for source in cuts[k].rows]
    after = {
        k: [r for other in sorted(later[k], key=turn.__getitem__) for r in of_joint[other]]
        for k in order
    }
    met = [[r for r in of_joint[k] if r > row] + after[k] for row, (k, _) in enumerate(rows)]
    places, first, riding = ride(len(parent), order, ends, through, of_joint)
    number = {place: at for at, place in enumerate(places)}
    return Riders(cuts, ends, rows, of_joint, met, places, first, riding, number)


class Values:
    """Where the entries of E are kept: the diagonal first, the others as they are asked for."""

    def __init__(self, rows: int) -> None:
        self.known = {(row, row): row for row in range(rows)}

    def of(self, one: int, other: int) -> int:
        return self.known.setdefault((max(one, other), min(one, other)), len(self.known))

    def pairs(self, group: Sequence[int]) -> list[int]:
        """Of all pairs (j, k <= j) of a group of rows."""
        return [self.of(one, other) for at, one in enumerate(group) for other in group[: at + 1]]


def make_loops(parent: Any, cuts: Sequence[Cut], damping: Floats | None = None) -> Loops:
    """The structure of some cut joints; bodies are ordered parents first."""
    found = riders_of(parent, [cut for cut in cuts if cut.rows])
    cuts, rows, places = found.cuts, found.rows, found.places
    count, values = len(rows), Values(len(rows))
    closing: list[list[int]] = [[] for _ in range(len(parent) + 1)]
    for row, (k, _) in enumerate(rows):
        closing[found.ends[k]].append(row)  # the ground is -1: the last

    def at(row: int, k: int) -> int:
        return len(found.of_joint[k]) if row == found.of_joint[k][0] else 0

    return Loops(
        joints=np.array([cut.joint for cut in cuts], np.int64),
        joint_of=np.array([cuts[k].joint for k, _ in rows], np.int64),
        source=np.array([source for _, source in rows], np.int64),
        bodies=np.array([(cuts[k].a, cuts[k].b) for k, _ in rows], np.int64).reshape(-1, 2),
        **place_tables(parent, found),
        **elimination_tables(found, values),
        **coupling_tables(found),
        place_row=np.array([row for _, row in places], np.int64),
        first_closing=starts(closing),
        closing=joined(closing),
        damping=np.zeros(count) if damping is None else np.asarray(damping, float),
        floors=np.zeros(count),
        scales=np.ones(count),
        choices=np.full(count, -1, np.int64),
        group=np.array([at(row, k) for row, (k, _) in enumerate(rows)], np.int64),
        joint_count=len(cuts),
        row_count=count,
        place_count=len(places),
        value_count=len(values.known),
        coupled_count=sum(cuts[k].is_coupling for k, _ in rows),
        is_damped=int(damping is not None),
        is_chosen=0,
    )


def place_tables(parent: Any, found: Riders) -> dict[str, Any]:
    """Where rows ride: on their own bodies, from body to body, and on the one where they end."""
    cuts, ends, place = found.cuts, found.ends, found.place
    on_bodies = [(place(cuts[k].a, r), place(cuts[k].b, r)) for r, (k, _) in enumerate(found.rows)]
    up = [
        place(int(parent[body]), row) if ends[found.rows[row][0]] != body else -1
        for body, row in found.places
    ]
    at_end = [place(ends[k], row) for row, (k, _) in enumerate(found.rows)]
    return {
        "ends": np.array(on_bodies, np.int64).reshape(-1, 2),
        "first_place": np.array(found.first_place, np.int64),
        "riding": np.array(found.riding, np.int64),
        "place_up": np.array(up, np.int64),
        "closing_place": np.array(at_end, np.int64),
    }


def coupling_tables(found: Riders) -> dict[str, Any]:
    """The coordinates that couplings name, or the bodies that a user's formula sees."""
    coupled = [row for row, (k, _) in enumerate(found.rows) if found.cuts[k].is_coupling]
    of = [found.cuts[found.rows[row][0]] for row in coupled]
    terms = [cut.terms for cut in of]
    listed = [(row, term) for row, group in zip(coupled, terms) for term in group]
    powers = [(0.0, *term.powers) for _, term in listed]
    ties = [(row, body) for row, cut in zip(coupled, of) for body in cut.ties]
    return {
        "coupled": np.array(coupled, np.int64),
        "offsets": np.array([cut.offset for cut in of]),
        "first_term": starts(terms),
        "term_at": np.array([6 * found.place(t.body, row) + t.slot for row, t in listed], np.int64),
        "term_body": np.array([t.body for _, t in listed], np.int64),
        "term_stored": np.array([t.stored for _, t in listed], np.int64),
        "term_rate": np.array([t.rate for _, t in listed], np.int64),
        "term_turns": np.array([t.turns for _, t in listed], np.int64),
        "first_power": starts(powers)[:-1],
        "degree": np.array([len(t.powers) for _, t in listed], np.int64),
        "powers": np.array([x for group in powers for x in group], float),
        "coupled_address": np.array([cut.address for cut in of], np.int64),
        "first_tie": starts([cut.ties for cut in of]),
        "tie_place": np.array([found.place(body, row) for row, body in ties], np.int64),
        "tie_body": np.array([body for _, body in ties], np.int64),
    }


def elimination_tables(found: Riders, values: Values) -> dict[str, Any]:
    """Which entries of E a joint that gives way and a row that is eliminated change."""
    later = found.later
    later_values = [[values.of(row, r) for r in group] for row, group in enumerate(later)]
    targets = [values.pairs(group) for group in later]
    riders = [
        [found.places[first + j][1] for j in range(riding)]
        for first, riding in zip(found.first_place, found.riding)
    ]
    pairs = [values.pairs(group) for group in riders]
    at_end = [
        [found.place(found.ends[found.rows[row][0]], r) for r in group]
        for row, group in enumerate(later)
    ]
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


def without_cuts(bodies: int) -> Loops:
    """The loops of a tree: none."""
    return make_loops([-1] * bodies, [])
