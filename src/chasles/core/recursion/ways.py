"""The ways of cut joints through a tree: from their bodies to where the loop closes."""

from typing import Any, NamedTuple

GROUND_PLACE = -1


class Term(NamedTuple):
    """A coordinate that a coupling names."""

    body: int  # whose joint has it
    slot: int  # which of the joint's coordinates it is
    stored: int  # where it stands in a state
    rate: int  # ... and its rate among the velocities
    turns: int  # 1 for an angle
    powers: tuple[float, ...]  # f(q) = powers[0] q + powers[1] q^2 + ...


class Cut(NamedTuple):
    """A cut joint: its number in the system, its bodies, and the rows that are kept."""

    joint: int
    a: int  # -1: the ground
    b: int
    rows: tuple[int, ...]  # numbers of rows of J
    balanced: bool = True  # whether its wrenches on the two bodies balance
    terms: tuple[Term, ...] = ()  # of a coupling of coordinates, which has no bodies
    offset: float = 0.0
    ties: tuple[int, ...] = ()  # bodies of a coupling by a user's formula
    address: int = 0  # of that formula

    @property
    def is_coupling(self) -> bool:
        """Whether it has no rows of J: they are on coordinates, or on any number of bodies."""
        return bool(self.terms or self.ties)


def way_to_ground(parent: Any, body: int) -> list[int]:
    """A body and all that carry it."""
    way = []
    while body >= 0:
        way.append(body)
        body = int(parent[body])
    return way


def meeting(parent: Any, cut: Cut) -> int:
    """The body where a cut joint's loop closes; -1: the ground.

    A coupling ends where all that carries its joints hangs together.
    """
    if cut.terms:
        ways = [way_to_ground(parent, int(parent[term.body])) for term in cut.terms]
        shared = set.intersection(*map(set, ways))
        return next((body for body in ways[0] if body in shared), GROUND_PLACE)
    if not cut.balanced:
        return GROUND_PLACE
    on_a = set(way_to_ground(parent, cut.a))
    return next((b for b in way_to_ground(parent, cut.b) if b in on_a), GROUND_PLACE)


def ways_of(parent: Any, cut: Cut, end: int) -> list[int]:
    """Bodies that a cut joint rides through, the one where it ends included; inner ones first."""
    found = set()
    for body in (cut.a, cut.b, *(term.body for term in cut.terms), *cut.ties):
        for step in way_to_ground(parent, body):
            found.add(step)
            if step == end:
                break
    return sorted(found, reverse=True)


def elimination_order(
    ends: list[int], through: list[list[int]]
) -> tuple[list[int], list[list[int]]]:
    """Cut joints in the order of elimination, and for each the ones that it meets later."""
    count = len(ends)
    riders: dict[int, list[int]] = {}
    for k, bodies in enumerate(through):
        for body in bodies:
            if body != ends[k]:
                riders.setdefault(body, []).append(k)
    met: list[set[int]] = [set() for _ in range(count)]
    for group in riders.values():
        for k in group:
            met[k].update(group)
    waiting: dict[int, set[int]] = {}
    for k, end in enumerate(ends):
        met[k].discard(k)
        waiting.setdefault(end, set()).add(k)
    order, later = [], [[] for _ in range(count)]  # type: ignore[var-annotated]
    for end in sorted(waiting, key=lambda e: -e if e >= 0 else 1):
        left = waiting[end]
        while left:
            k = min(left, key=lambda j: (len(met[j]), j))
            left.remove(k)
            order.append(k)
            later[k] = sorted(met[k])
            for j in met[k]:
                met[j].update(met[k])
                met[j] -= {j, k}
    return order, later


def ride(
    bodies: int,
    order: list[int],
    ends: list[int],
    through: list[list[int]],
    joint_rows: dict[int, list[int]],
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Places (body, row) by body, those that ride on first; where each body's start; how many."""
    riders: list[list[int]] = [[] for _ in range(bodies)]
    enders: list[list[int]] = [[] for _ in range(bodies)]
    for k in order:
        for body in through[k]:
            (enders if body == ends[k] else riders)[body].extend(joint_rows[k])
    places, first = [], [0]
    for body in range(bodies):
        places += [(body, row) for row in riders[body] + enders[body]]
        first.append(len(places))
    return places, first, [len(group) for group in riders]
