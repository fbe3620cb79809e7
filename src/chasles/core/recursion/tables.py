"""The tables of `groups.Loops`, from the program of a tree and its cut joints."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Integers
from chasles.core.recursion.groups import BY_ROWS, LoopConstraint, Loops
from chasles.core.recursion.program import CLOSE, Program, Weight, make_program
from chasles.core.recursion.tree import DOF, FREE, Tree


class Riders(NamedTuple):
    """Groups in the order of elimination, and their places."""

    cuts: list[LoopConstraint]
    program: Program
    groups: list[tuple[int, tuple[int, ...]]]  # (cut, rows of J)
    of_cut: dict[int, list[int]]  # groups by cut
    places: list[tuple[int, int]]  # (body, group), those of groups that are propagated on by body
    first_place: list[int]
    number: dict[tuple[int, int], int]  # of a place

    def place(self, body: int, group: int) -> int:
        """The place of a group on a body; -1 where it has none."""
        return self.number.get((body, group), -1)

    def end(self, group: int) -> int:
        return self.program.ends[self.groups[group][0]]


def riders_of(
    parent: list[int], loose: list[bool], cuts: list[LoopConstraint], weights: list[Weight]
) -> Riders:
    """The rows of some cut joints on their ways; bodies are ordered parents first."""
    program = make_program(parent, loose, cuts, weights)
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


def make_loops(tree: Tree, cuts: Sequence[LoopConstraint]) -> Loops:
    """The structure of some cut joints; bodies are ordered parents first."""
    parent, loose = tree.parent.tolist(), (tree.pair >= FREE).tolist()
    found = riders_of(parent, loose, [cut for cut in cuts if cut.rows], weights_of(tree))
    cuts, groups = found.cuts, found.groups
    rows = [(k, source) for k, part in groups for source in part]
    count, values = len(rows), Values(len(groups))
    leads = {k: found.groups[of[0]][1][0] for k, of in found.of_cut.items() if not cuts[k].rotors}
    joints = np.array(list(dict.fromkeys(cut.joint for cut in cuts)), np.int64)
    rotors = {row: x for cut in cuts for row, x in zip(cut.rows, cut.rotors)}
    steps = [
        (kind, x)
        for kind, k in found.program.steps
        for x in (found.of_cut[k] if kind == CLOSE else [k])
    ]
    return Loops(
        joints=joints,
        joint_of=np.array([cuts[k].joint for k, _ in rows], np.int64),
        source=np.array([source for _, source in rows], np.int64),
        bodies=np.array([(cuts[k].a, cuts[k].b) for k, _ in rows], np.int64).reshape(-1, 2),
        program=np.array(steps, np.int64).reshape(-1, 2),
        first_row=starts([part for _, part in groups]),
        idle=np.zeros(len(groups), np.int64),
        **place_tables(parent, loose, found),
        **elimination_tables(found, values),
        **coupling_tables(found),
        begins=np.zeros(len(groups), np.int64),
        isolated=isolated_bodies(tree, found),
        loading=np.full(len(groups), BY_ROWS, np.int64),
        axes=np.zeros((len(groups), 9)),
        points=np.zeros((len(groups), 3)),
        in_world=np.zeros(len(joints), np.int64),
        damping=np.zeros(count),
        compliance=np.array([1.0 / rotors.get(row, np.inf) for _, row in rows], float),
        floors=np.zeros(count),
        scales=np.ones(count),
        choices=np.full(count, -1, np.int64),
        group=np.array(
            [len(cuts[k].rows) if source == leads.get(k) else 0 for k, source in rows], np.int64
        ),
        joint_count=len(joints),
        row_count=count,
        group_count=len(groups),
        step_count=len(steps),
        place_count=len(found.places),
        value_count=values.count,
        coupled_count=sum(cut.is_coupling for cut in cuts),
        is_damped=0,
        has_rotor_rows=int(bool(rotors)),
        is_chosen=0,
        is_formed=int(count > 0),
    )


def weights_of(tree: Tree) -> list[Weight]:
    """What bodies have to divide by, for `make_program`."""
    alone = np.concatenate(([0], np.cumsum(tree.armature == 0.0)))
    needs = alone[tree.rate_at + np.array(DOF)[tree.pair]] - alone[tree.rate_at]
    ranks = np.where(tree.mass > 0.0, 6, 0)
    return [Weight(*weight) for weight in zip(ranks.tolist(), needs.tolist())]


def in_order(tree: Tree, loops: Loops) -> tuple[Tree, Loops]:
    """The same, who comes first to a body taken from the program: its sums need not be cleared.

    Without loads, which would come before all others.
    """
    given = np.zeros(tree.body_count, bool)
    is_leaf, is_later = np.ones_like(tree.is_leaf), np.zeros_like(tree.is_later)
    begins = np.zeros_like(loops.begins)
    for kind, x in loops.program.tolist():
        if kind == CLOSE:
            body = int(loops.end[x])
            begins[x] = body >= 0 and not given[body]
        else:
            body = int(tree.parent[x])
            is_leaf[x], is_later[x] = not given[x], body >= 0 and given[body]
        if body >= 0:
            given[body] = True
    return tree._replace(is_leaf=is_leaf, is_later=is_later), loops._replace(begins=begins)


def isolated_bodies(tree: Tree, found: Riders) -> Integers:
    """(n,) Pairs of six dimensions about the centre of mass, on which nothing hangs or closes."""
    ends = np.zeros(tree.body_count, bool)
    ends[[end for end in found.program.ends if end >= 0]] = True
    easy = (tree.pair >= FREE) & (tree.is_leaf != 0) & ~ends & ~tree.centre.any(axis=1)
    easy &= (tree.mass > 0.0) & (tree.inertia[:, [0, 2, 5]] > 0.0).all(axis=1)
    return easy.astype(np.int64)


def place_tables(parent: list[int], loose: list[bool], found: Riders) -> dict[str, Any]:
    """Where groups are propagated: on their own bodies, from body to body, and where they end."""
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
    gauges = [gauge for cut in of for gauge in cut.gauges]
    powers = [(0.0, *part.powers) for part in [term for _, term in listed] + gauges]
    ties = [(g, body) for g, cut in zip(groups, of) for body in cut.ties]
    return {
        "coupled": np.array([starting[g] for g in groups], np.int64),
        "coupled_rhs": 3 * np.array(groups, np.int64),
        "offsets": np.array([cut.offset for cut in of]),
        "first_term": starts(terms),
        "term_at": np.array([18 * found.place(t.body, g) + t.slot for g, t in listed], np.int64),
        "term_body": np.array([t.body for _, t in listed], np.int64),
        "term_stored": np.array([t.stored for _, t in listed], np.int64),
        "term_rate": np.array([t.rate for _, t in listed], np.int64),
        "term_turns": np.array([t.turns for _, t in listed], np.int64),
        "term_point": np.array([t.point for _, t in listed], float).reshape(-1, 3),
        "first_power": starts(powers),
        **gauge_tables(of),
        "powers": np.array([x for group in powers for x in group], float),
        "coupled_address": np.array([cut.address for cut in of], np.int64),
        "first_tie": starts([cut.ties for cut in of]),
        "tie_place": np.array([18 * found.place(body, g) for g, body in ties], np.int64),
        "tie_body": np.array([body for _, body in ties], np.int64),
    }


def gauge_tables(couplings: Sequence[LoopConstraint]) -> dict[str, Any]:
    """Coordinates of joints that have rows: ties on their bodies come in their order."""
    first, ties = 0, []
    for cut in couplings:
        at = first
        for gauge in cut.gauges:
            ties.append([at if gauge.a >= 0 else -1, at + len(gauge.bodies) - 1])
            at += len(gauge.bodies)
        first += len(cut.ties)
    gauges = [gauge for cut in couplings for gauge in cut.gauges]
    frames = [np.concatenate([part.ravel() for part in gauge.frames]) for gauge in gauges]
    return {
        "first_gauge": starts([cut.gauges for cut in couplings]),
        "gauge_ends": np.array([(x.a, x.b) for x in gauges], np.int64).reshape(-1, 2),
        "gauge_ties": np.array(ties, np.int64).reshape(-1, 2),
        "gauge_frames": np.array(frames, float).reshape(-1, 24),
        "gauge_sign": np.array([x.sign for x in gauges], float),
        "gauge_turn": np.array([x.angle_at for x in gauges], np.int64),
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
