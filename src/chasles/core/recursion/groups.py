r"""The program of a tree with cut joints in numbers: rows in groups of three, and their places.

Rows are eliminated in groups of up to three, those of one joint one after the other; groups are
numbered in the order of elimination, and rows likewise.  A group that is not full has rows that act
on nothing: their pivots count as infinite.  A **place** is a group on a body: on those that it
rides through, and on the one where it closes.

E, the matrix of the multipliers, is kept in blocks: the triangle (6) of every group first, then, of
two groups that meet, a block (9) whose rows are those of the later one.
"""

from typing import Annotated, NamedTuple

import numpy as np

from chasles.core.arrays import SCREW_FORM, Floats, Integers, System, storage
from chasles.core.constraints.registry import PAIR
from chasles.core.recursion.tree import Tree


class Term(NamedTuple):
    """A coordinate that a coupling names."""

    body: int  # whose joint has it
    slot: int  # which of the joint's coordinates it is
    stored: int  # where it stands in a state
    rate: int  # ... and its rate among the velocities
    turns: int  # 1 for an angle
    powers: tuple[float, ...]  # f(q) = powers[0] q + powers[1] q^2 + ...
    point: Floats  # of the joint on the body, from its centre of mass in its axes


class Gauge(NamedTuple):
    """A coordinate of a joint that has rows, where a coupling names one: poses tell it."""

    a: int  # its bodies; -1: the ground
    b: int
    frames: tuple[Floats, Floats, Floats, Floats]  # axes and point on a, axes and point on b
    sign: float  # -1 where the bodies are in the opposite order
    turns: int  # 1 for an angle
    angle_at: int  # where its whole turns are counted among the integrals; -1 of a displacement
    powers: tuple[float, ...]  # see `Term`

    @property
    def bodies(self) -> tuple[int, ...]:
        """Those that move."""
        return tuple(body for body in (self.a, self.b) if body >= 0)


class LoopConstraint(NamedTuple):
    """A cut joint: its number in the system, its bodies, and the rows that are kept."""

    joint: int
    a: int  # -1: the ground
    b: int
    rows: tuple[int, ...]  # numbers of rows of J
    balanced: bool = True  # whether its wrenches on the two bodies balance
    terms: tuple[Term, ...] = ()  # of a coupling of coordinates, which has no bodies
    gauges: tuple[Gauge, ...] = ()  # ... and of one of joints that have rows
    offset: float = 0.0
    ties: tuple[int, ...] = ()  # bodies of a coupling by a user's formula, or of the gauges
    address: int = 0  # of that formula
    shifts: int = 0  # the first row of J that locks a shift: turns before it go together
    rotors: tuple[float, ...] = ()  # by row: inertia of a rotor, whose rows give way

    @property
    def is_coupling(self) -> bool:
        """Whether it has no rows of J: they are on coordinates, or on any number of bodies."""
        return bool(self.terms or self.ties)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The rows in groups of up to three, turns and shifts apart."""
        turns = [row for row in self.rows if row < self.shifts]
        shifts = [row for row in self.rows if row >= self.shifts]
        return [
            tuple(part[first : first + 3])
            for part in (turns, shifts)
            for first in range(0, len(part), 3)
        ]


#: A group is loaded from its rows of J; see `loading` for the other way.
BY_ROWS = 0
#: Numbers of a group of rows on the coordinates of a pair: three on each of up to four.
ALONG = 12
#: What the axes of a group lock.
SHIFTS, TURNS = 1, 2


class Loops(NamedTuple):
    """All cut joints in numbers."""

    joints: Integers  # (c,) whose rows have to be assembled
    joint_of: Integers  # (m,) whose a row is
    source: Integers  # (m,) row of J
    bodies: Integers  # (m, 2) a, b
    program: Integers  # (s, 2) GIVE body or CLOSE group
    first_row: Integers  # (g + 1,) rows by group
    idle: Integers  # (g,) 1 for groups that take no part in this step: soft ones with nothing to do
    sides: Integers  # (g, 2) place on a, on b; -1: the ground
    first_place: Integers  # (n + 1,) places by body, of groups that are propagated through it
    place_group: Integers  # (places,)
    place_rows: Integers  # (places,) how many rows the group has; 0 where it is idle
    filled: Integers  # (f,) places that begin with nothing: no joint acts there by itself
    place_up: Integers  # (places,) the group's place on the parent; -1: the ground, or nowhere
    first_pair: Integers  # (n,) blocks of E of pairs (j, k <= j) of propagated places
    pairs: Integers
    end: Integers  # (g,) the body on which a group closes; -1: the ground
    end_place: Integers  # (g,) its place there
    begins: Integers  # (g,) 1 where it is the first to give that body anything: see `in_order`
    first_later: Integers  # (g + 1,) groups that it meets and that go later
    later: Integers
    later_value: Integers  # their block of E with it
    later_place: Integers  # their place on the body where it closes; -1: the ground
    first_target: Integers  # (g,) blocks of E of pairs of later groups
    targets: Integers
    isolated: Integers  # (n,) 1 for bodies whose inertia nothing changes: see `own_axes`
    loading: Integers  # (g,) BY_ROWS, or what its axes lock
    axes: Floats  # (g, 9) of these, as columns in working axes of b; none for missing rows
    points: Floats  # (g, 3) of the joint from P of b
    in_world: Integers  # (c,) 1 for cut joints all of whose groups are not loaded from J
    damping: Floats  # (m,) mu
    compliance: Floats  # (m,) 1 / I_r of rows of rotors, else 0
    floors: Floats  # (m,) pivots -E_rr below these are singular
    scales: Floats  # (m,) what pivots are compared with
    choices: Integers  # (m,) by the first row of a joint whose rows are chosen: how many; else -1
    group: Integers  # (m,) by the first row of a joint: how many rows it has; 0 for the others
    coupled: Integers  # (c,) rows of couplings
    coupled_rhs: Integers  # (c,) where what is asked of them is kept
    offsets: Floats  # (c,)
    first_term: Integers  # (c + 1,) coordinates by coupling
    term_at: Integers  # (t,) where f' of a coordinate is kept in loop_work.own
    term_body: Integers  # (t,)
    term_stored: Integers  # (t,) where it stands in a state
    term_rate: Integers  # (t,) ... and its rate among the velocities
    term_turns: Integers  # (t,) 1 for an angle
    term_point: Floats  # (t, 3) of the joint on the body, from its centre of mass in its axes
    first_power: Integers  # (t + h + 1,) of terms, then of gauges
    powers: Floats  # coefficients of f, a zero first
    first_gauge: Integers  # (c + 1,) coordinates of joints with rows by coupling
    gauge_ends: Integers  # (h, 2) their bodies
    gauge_ties: Integers  # (h, 2) the ties that are their rows; -1: the ground
    gauge_frames: Floats  # (h, 24) axes and point on a, axes and point on b
    gauge_sign: Floats  # (h,)
    gauge_turn: Integers  # (h,) where turns are counted among the integrals; -1: a displacement
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
    filled_count: int
    coupled_count: int
    is_damped: int
    has_rotor_rows: int  # whether some rows are those of rotors
    is_chosen: int  # whether some rows have no multiplier
    is_formed: int  # whether rows of J are formed for some of them


class LoopWorkspace(NamedTuple):
    """What the passes write about rows."""

    # G on a body's (alpha, a) with all that gives way below; of six dimensions L^-1 G, in the end
    reach: Annotated[Floats, "places", 18]
    # V: three rows on each coordinate of the body's pair; of a ball on its L^-1
    along: Annotated[Floats, "places", ALONG]
    ties: Annotated[Floats, "ties", 6]  # users' formulas as rows on twists at centres of mass
    own: Annotated[Floats, "places", 18]  # what rows of couplings are on these by themselves: f'
    gaps: Annotated[Floats, "couplings"]  # of the couplings
    speeds: Annotated[Floats, "couplings"]  # the rates of these
    values: Annotated[Floats, "values"]  # E
    rhs: Annotated[Floats, "groups", 3]  # eta less what is known; D^-1 of that, once closed
    found: Annotated[Floats, "groups", 3]  # multipliers
    inverses: Annotated[Floats, "rows"]  # 1 / d of the pivots; 0 of rows that are not chosen
    shown: Annotated[Floats, "rows"]  # the same as the watch sees them
    wanted: Annotated[Floats, "rows"]  # of another right-hand side
    multipliers: Annotated[Floats, "rows"]
    left: Annotated[Floats, "rows"]  # what a solution misses of the rows while it is refined
    sums: Annotated[Floats, "rows"]  # sizes of what is added up in that
    gain: Annotated[Floats, "rows"]  # what the direction of search would take of that
    solution: Annotated[Floats, "column"]  # rates, alpha and a of all bodies, multipliers
    answer: Annotated[Floats, "column"]  # of the last solve
    search: Annotated[Floats, "column"]  # the direction of search
    increment: Annotated[Floats, "2 v"]  # by which a state is moved
    active: Floats  # (m,) 1 for rows that are chosen; the others have no multiplier
    changed: Annotated[Floats, "rows"]  # 1 for the first row of a joint whose choice has changed
    selecting: Integers  # (1,) whether rows are chosen at this stage
    residual: Annotated[Floats, 2]  # largest share of its acceleration that a row misses; the row
    block: Annotated[Floats, "k", "k"]  # of a joint's rows while some are chosen


def make_loop_workspace(loops: Loops, bodies: int, rates: int) -> LoopWorkspace:
    rows = max(1, loops.row_count)
    sizes = {
        "places": loops.place_count,
        "ties": len(loops.tie_body),
        "couplings": loops.coupled_count,
        "values": max(1, loops.value_count),
        "groups": max(1, loops.group_count),
        "rows": rows,
        "column": rates + 6 * bodies + rows,
        "2 v": max(1, 2 * rates),
        "k": max(1, loops.group.max(initial=0)),
    }
    return storage(LoopWorkspace, sizes, active=np.ones(rows), selecting=np.ones(1, np.int64))


def in_world(loops: Loops, tree: Tree, system: System) -> Loops:
    """The same, with lower pairs loaded along their axes: their rows of J are not formed."""
    joints, own = system.joints, tree.axes.reshape(-1, 3, 3)
    loading, axes, points = loops.loading.copy(), loops.axes.copy(), loops.points.copy()
    for g, first in enumerate(loops.first_row[:-1].tolist()):
        joint = int(loops.joint_of[first])
        plain = joints.kind[joint] == PAIR and joints.constant[joint] == 0.0
        if not plain or system.form != SCREW_FORM:
            continue
        locked = [k for k in range(6) if joints.locked[joint] >> k & 1]
        locked += [k for k in range(6) if joints.rotor_bits[joint] >> k & 1]
        rows = loops.source[first : loops.first_row[g + 1]] - joints.first_row[joint]
        parts = [locked[row] for row in rows]
        b, frame = joints.b[joint], joints.axes_b[joint].reshape(3, 3)
        columns = np.zeros((3, 3))
        columns[:, : len(parts)] = (own[b].T @ frame)[:, [part % 3 for part in parts]]
        loading[g] = TURNS if parts[0] < 3 else SHIFTS
        axes[g] = columns.ravel()
        points[g] = tree.centre[b] + own[b].T @ joints.point_b[joint]
    formed = set(loops.joint_of[loops.first_row[:-1][loading == BY_ROWS]].tolist())
    known = np.array([joint not in formed for joint in loops.joints.tolist()], np.int64)
    return loops._replace(
        loading=loading, axes=axes, points=points, in_world=known, is_formed=int(not known.all())
    )


def by_rows(loops: Loops) -> Loops:
    """The same, with all groups loaded from J."""
    return loops._replace(loading=0 * loops.loading, in_world=0 * loops.in_world, is_formed=1)
