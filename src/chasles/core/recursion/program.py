r"""In which order bodies give way and rows of cut joints are closed, found once from the graph.

    GIVE body   its pair gives way; one of six dimensions hands nothing on, every other the body's
                articulated inertia and the rows that act on it to the parent
    CLOSE cut   the multipliers of a cut joint are eliminated, as soon as all that it is connected
                with hangs on one body, or on the ground

A cut joint **hangs** on its bodies, and where one gives way on that body's parent.  A motion of the
whole loop does not touch its rows, so the coordinates inside the loop make their pivots regular: a
cut may close when it hangs on one thing.  *The ground counts*: a cut that closes on the ground
leaves those that it has met hanging on the ground.  Rows whose wrenches do not balance on their
bodies (gears, users' formulas) hang on the ground from the beginning.  A coupling of coordinates
waits for the joints that it names.  A body without mass has nothing to divide by before children
have given it inertia, or rows have closed on it: it waits until these are as many as its
coordinates, and rows that hang on it alone close before all others.

Two cuts meet in E, the matrix of the multipliers, if they are propagated through a common body, or
if one that met both has closed.  Two orders are tried, and the one with fewer multiplications is
taken: the cheapest step next, or all bodies on charts before the rows between them.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from chasles.core.recursion.groups import LoopConstraint

GROUND = -1
GIVE, CLOSE = 0, 1


class Weight(NamedTuple):
    """What a body has to divide by as it gives way, counted."""

    rank: int = 6  # of its inertia; 0 without mass
    needs: int = 0  # coordinates that no rotor resists


class Program(NamedTuple):
    """Steps (GIVE, body) and (CLOSE, cut), and what follows from their order."""

    steps: list[tuple[int, int]]
    ends: list[int]  # by cut: the body on which it closes, or GROUND
    later: list[set[int]]  # by cut: those that it meets and that close later
    riders: list[set[int]]  # by body: cuts that act on it as it gives way
    products: int  # multiplications, about
    stuck: list[int]  # bodies that nothing resists: they never give way


def make_program(
    parent: Sequence[int], loose: Sequence[bool], cuts: Sequence[LoopConstraint],
    weights: Sequence[Weight] | None = None,
) -> Program:  # fmt: skip
    """The cheaper of the two orders; bodies are numbered parents first.

    Without `weights` (n,), all bodies have mass.
    """
    weights = weights or [Weight()] * len(parent)
    if not cuts and all(weight.rank for weight in weights):
        bodies = len(parent)
        steps = [(GIVE, body) for body in reversed(range(bodies))]
        return Program(steps, [], [], [set() for _ in range(bodies)], 0, [])
    best = Frontier(parent, loose, cuts, False, weights).run()
    assert best is not None
    if not any(loose):
        return best
    other = Frontier(parent, loose, cuts, True, weights).run(less_than=best.products)
    return other if other and len(other.stuck) <= len(best.stuck) else best


def products_of(size: int, below: int) -> int:
    """Multiplications that eliminate some unknowns of a symmetric matrix, coupled with others."""
    return size**3 // 3 + size * size * below + size * below * (below + 1) // 2


def things_under(cut: LoopConstraint) -> set[int]:
    """What a cut hangs on at first."""
    if cut.terms or cut.gauges:
        ends = {end for gauge in cut.gauges for end in (gauge.a, gauge.b)}
        return {term.body for term in cut.terms} | ends
    on = {cut.a, cut.b, *cut.ties}
    if cut.ties:
        on -= {cut.a, cut.b}
    return on if cut.balanced else on | {GROUND}


class Frontier:
    """What has neither given way nor closed, in a heap by what it would cost to go next."""

    def __init__(
        self, parent: Sequence[int], loose: Sequence[bool], cuts: Sequence[LoopConstraint],
        bodies_first: bool, weights: Sequence[Weight],
    ) -> None:  # fmt: skip
        bodies, count = len(parent), len(cuts)
        self.needs, self.rank = [w.needs for w in weights], [w.rank for w in weights]
        self.has_mass = [w.rank > 0 for w in weights]
        self.parent, self.loose, self.bodies_first = parent, loose, bodies_first
        self.size = [len(cut.rows) for cut in cuts]
        self.under = [things_under(cut) for cut in cuts]
        self.awaited = [{term.body for term in cut.terms} for cut in cuts]
        self.met: list[set[int]] = [set() for _ in range(count)]
        self.handed_on = [False] * count  # whether it has ridden from a body to its parent
        self.on: list[set[int]] = [set() for _ in range(bodies)]  # cuts by body
        self.rows_on = [0] * bodies
        self.holds = [GROUND] * count  # by cut: the body that waits until it has closed
        self.held = [0] * bodies  # by body: for how many it waits
        self.children = [0] * bodies
        for body in parent:
            if body >= 0:
                self.children[body] += 1
        for cut in range(count):
            for body in self.under[cut]:
                self.put_on(cut, body)
        self.ends = [GROUND] * count
        self.later: list[set[int]] = [set() for _ in range(count)]
        self.riders: list[set[int]] = [set() for _ in range(bodies)]
        self.steps: list[tuple[int, int]] = []
        self.products = 0
        self.heap: list[tuple[int, int, int, int]] = []
        self.entry: dict[tuple[int, int], tuple[int, int, int, int]] = {}  # the last of a node
        self.gone: set[tuple[int, int]] = set()

    def put_on(self, cut: int, body: int) -> None:
        if body >= 0 and cut not in self.on[body]:
            self.on[body].add(cut)
            self.rows_on[body] += self.size[cut]

    def take_off(self, cut: int, body: int) -> None:
        self.on[body].discard(cut)
        self.rows_on[body] -= self.size[cut]

    def may_close(self, cut: int) -> bool:
        return len(self.under[cut]) <= 1 and not self.awaited[cut]

    def waits_for_bodies(self, cut: int) -> bool:
        return self.bodies_first and not self.handed_on[cut] and not self.bears(cut)

    def bears(self, cut: int) -> bool:
        """Whether a cut that may close gives a light body its inertia."""
        end = max(self.under[cut], default=GROUND)
        return end >= 0 and not self.has_mass[end]

    def hold(self, cut: int, body: int) -> None:
        """What hangs on a body alone closes before it gives way."""
        if self.holds[cut] >= 0:
            self.held[self.holds[cut]] -= 1
        if body >= 0:
            self.held[body] += 1
        self.holds[cut] = body

    def offer_cut(self, cut: int) -> None:
        goes = self.may_close(cut)
        now = goes and not self.waits_for_bodies(cut)
        self.hold(cut, next(iter(self.under[cut]), GROUND) if now else GROUND)
        if goes:
            below = sum(self.size[other] for other in self.met[cut])
            below += 6 if max(self.under[cut], default=GROUND) >= 0 else 0
            cost = products_of(self.size[cut], below)
            turn = -1 if self.bears(cut) else int(self.waits_for_bodies(cut))
            self.offer((turn, cost, CLOSE, cut))

    def offer_body(self, body: int) -> None:
        if body < 0 or self.rank[body] < self.needs[body]:
            return
        if self.children[body] == 0 and self.held[body] == 0:
            turn = 0 if self.has_mass[body] else 2  # all that can reach it comes first
            self.offer((turn, products_of(6, self.rows_on[body]), GIVE, -body))

    def offer(self, entry: tuple[int, int, int, int]) -> None:
        node = entry[2], abs(entry[3])
        if node not in self.gone and self.entry.get(node) != entry:
            self.entry[node] = entry
            heappush(self.heap, entry)

    def run(self, less_than: float = float("inf")) -> Program | None:
        """The order, unless it costs more."""
        for cut in range(len(self.under)):
            self.offer_cut(cut)
        for body in range(len(self.parent)):
            self.offer_body(body)
        while self.heap:
            entry = heappop(self.heap)
            node = entry[2], abs(entry[3])
            if node in self.gone or self.entry.get(node) != entry:
                continue  # its cost has changed
            closes = node[0] == CLOSE
            if not (self.may_close(node[1]) if closes else self.held[node[1]] == 0):
                del self.entry[node]
                continue
            self.gone.add(node)
            self.steps.append(node)
            self.products += entry[1]
            if not self.products < less_than:
                return None
            (self.close if closes else self.give)(node[1])
        stuck = [k for k in range(len(self.parent)) if (GIVE, k) not in self.gone]
        return Program(self.steps, self.ends, self.later, self.riders, self.products, stuck)

    def give(self, body: int) -> None:
        riders, up = self.on[body].copy(), self.parent[body]
        self.riders[body] = riders
        for cut in riders:
            self.met[cut] |= riders
            self.met[cut].discard(cut)
            self.awaited[cut].discard(body)
            self.under[cut].discard(body)
            self.take_off(cut, body)
            if not self.loose[body]:
                self.handed_on[cut] = True
                self.under[cut].add(up)
                self.put_on(cut, up)
        if up >= 0:
            self.children[up] -= 1
            self.rank[up] += self.rank[body] - self.needs[body]
        self.offer_body(up)
        self.offer_all(riders)

    def close(self, cut: int) -> None:
        met, end = self.met[cut], next(iter(self.under[cut]), GROUND)
        self.hold(cut, GROUND)
        self.ends[cut], self.later[cut] = end, met
        if end >= 0:
            self.take_off(cut, end)
            self.rank[end] += self.size[cut]
        for other in met:
            self.met[other] |= met
            self.met[other] -= {other, cut}
            if self.under[cut]:  # the ground counts as well
                self.under[other].add(end)
                self.put_on(other, end)
        self.offer_body(end)
        self.offer_all(met)

    def offer_all(self, cuts: set[int]) -> None:
        """Some cuts, and the bodies that they hang on: what held those may hold them no longer."""
        for cut in cuts:
            self.offer_cut(cut)
        for body in {body for cut in cuts for body in self.under[cut]}:
            self.offer_body(body)
