r"""A node list as tables that one short loop reads, whatever the model: nothing is compiled for it.

Machine code for a list of a hundred thousand nodes takes minutes to make.  Read from a table, a
node costs a nanosecond or two, if equal operations stand together: the loop then branches once for
all of them.  Nodes may stand in any order in which each follows its operands, so of those that are
ready the most frequent operation comes first.  Some ten stand together in the lists of steps.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.core.arrays import Floats
from chasles.many.traced.record import NotTraceable
from chasles.many.traced.schedule import waiting_for
from chasles.scalars.nodes import (
    ARITY,
    COMPARISONS,
    PAIRS,
    Node,
    Operand,
    Place,
    Program,
    places_of,
)

Slots = NDArray[np.int32]
CODES = {name: code for code, name in enumerate(ARITY)}
#: Nodes that may come before the first that waits.  A chain of 64 hinges keeps 2,600 numbers at
#: once with any window up to 2,000, and 4,600 with none; runs are as long from 500 on.
WINDOW = 500


def results_of(name: str) -> int:
    return 2 if name in PAIRS else 1


@dataclass(frozen=True)
class Listing:
    """A program as tables.

    runs       (R, 3) operation, where its rows begin, how many there are
    rows       slots of results and operands of every node, one after the other
    size       slots in all: of constants, inputs and results
    outputs    their slots
    numbers    the constants themselves
    guards     comparison -> slots of its left and right sides, and its recorded outcomes
    """

    runs: Slots
    rows: Slots
    size: int
    outputs: Slots
    numbers: Floats
    guards: dict[str, tuple[Slots, Slots, Any]]

    def holds(self, values: Floats) -> bool:
        """Whether all comparisons come out as they were recorded."""
        return all(
            bool((COMPARISONS[name](values[left], values[right]) == outcome).all())
            for name, (left, right, outcome) in self.guards.items()
        )


def checked_name(node: Node) -> str:
    if node.name == "power":
        raise NotTraceable("a power that is not a square")
    return node.name


def together(program: Program) -> list[list[int]]:
    """Nodes in runs of one operation, none of which needs another of its run; parts are left out:
    they stand with their pairs.
    """
    nodes = program.nodes
    waits, followers = waiting_for(program)
    waiting = [k for k in range(len(nodes)) if not waits[k]]  # a heap: it is sorted
    done, low = bytearray(len(nodes)), 0
    ready: dict[str, list[int]] = {}
    runs: list[list[int]] = []
    while waiting or ready:
        low = max(0, done.find(0, low))
        while waiting and waiting[0] < low + WINDOW:
            k = heapq.heappop(waiting)
            ready.setdefault(checked_name(nodes[k]), []).append(k)
        name = "part" if "part" in ready else max(ready, key=lambda one: len(ready[one]))
        run = ready.pop(name)
        if name != "part":
            runs.append(run)
        for k in run:
            done[k] = 1
            for follower in followers[k]:
                waits[follower] -= 1
                if not waits[follower]:
                    heapq.heappush(waiting, follower)
    return runs


class Slotting:
    """Which slot holds what: constants, then inputs, then results.

    With `reuse`, slots of numbers that nobody needs any more are given away again.
    """

    def __init__(self, program: Program, reuse: bool) -> None:
        self.program, self.reuse = program, reuse
        nodes = [node for node in program.nodes if node.name != "part"]
        asked = [x for node in nodes for x in node.operands] + program.results
        constants = dict.fromkeys(key_of(x) for x in asked if not isinstance(x, Place))
        self.numbers = {key: slot for slot, key in enumerate(constants)}
        first = len(self.numbers)
        self.slot = {k: first + k for k in range(program.inputs)}
        self.size = first + program.inputs
        self.free: list[int] = []
        self.parts: dict[int, list[int]] = {}  # pair -> places of its parts
        for k, node in enumerate(program.nodes):
            if node.name == "part":
                whole, part = node.operands
                assert isinstance(whole, Place) and not isinstance(part, Place)
                self.parts.setdefault(whole.index, [-1, -1])[int(part)] = program.inputs + k
        # Rows that need a place; outputs and guards need theirs for ever.
        self.uses = Counter(x for node in nodes for x in set(places_of(node.operands)))
        self.uses.update(dict.fromkeys(places_of(program.results), 2**62))

    def of(self, x: Operand) -> int:
        return self.slot[x.index] if isinstance(x, Place) else self.numbers[key_of(x)]

    def fresh(self) -> int:
        if self.free:
            return self.free.pop()
        self.size += 1
        return self.size - 1

    def results(self, place: int, name: str) -> list[int]:
        """Slots for what a node yields; those of parts that nobody asks for, too."""
        parts = self.parts.get(place, [-1, -1]) if name in PAIRS else [place]
        found = [self.fresh() for _ in parts]
        for part, slot in zip(parts, found, strict=True):
            if part >= 0:
                self.slot[part] = slot
        return found

    def release(self, run: Sequence[int]) -> None:
        """After a run: slots of operands that nobody needs any more."""
        if not self.reuse:
            return
        for k in run:
            for x in set(places_of(self.program.nodes[k].operands)):
                self.uses[x] -= 1
                if self.uses[x] == 0:
                    self.free.append(self.slot[x])


def key_of(x: float) -> bytes:
    return np.float64(x).tobytes()


@lru_cache(maxsize=8)
def listing_of(program: Program, reuse: bool = False) -> Listing:
    """The tables of a program."""
    runs = together(program)
    slots = Slotting(program, reuse)
    rows: list[int] = []
    heads: list[tuple[int, int, int]] = []
    for run in runs:
        name = checked_name(program.nodes[run[0]])
        heads.append((CODES[name], len(rows), len(run)))
        for k in run:
            node = program.nodes[k]
            rows += slots.results(program.inputs + k, name)
            rows += [slots.of(x) for x in node.operands]
        slots.release(run)
    guards: dict[str, Any] = {}
    for guard in program.guards:
        sides = guards.setdefault(guard.name, ([], [], []))
        for side, one in zip(sides, (guard.left, guard.right, guard.outcome), strict=True):
            side.append(one if side is sides[2] else slots.of(one))
    return Listing(
        np.array(heads, np.int32).reshape(-1, 3), np.array(rows, np.int32), slots.size,
        np.array([slots.of(x) for x in program.outputs], np.int32),
        np.frombuffer(b"".join(slots.numbers), float),
        {name: (np.array(a, np.int32), np.array(b, np.int32), np.array(outcome, bool))
         for name, (a, b, outcome) in guards.items()},
    )  # fmt: skip
