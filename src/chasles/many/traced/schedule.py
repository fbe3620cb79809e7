"""The order in which a processor with several units would take the nodes.

A step is a chain of stages, and recorded depth first: operations that could run beside each other
stand far apart, further than a processor looks ahead.  Here the nodes with the longest way to the
end come first, a few in a cycle.  No result changes: 0.139 us for a step of the heavy top became
0.120, 0.43 of the double pendulum 0.39.

In long lists more results then wait than there are registers, and each that waits is written to
memory and read again: these stay in the order in which they were recorded.  A chain of four hinges
(5,256 operations) then takes 0.76 us and not 0.91, one of twelve (22,360) 3.4 and not 4.2, and half
the time to compile; a hopper (2,288) would take 0.46 and not 0.35.
"""

import heapq

from chasles.scalars.nodes import Program, places_of

#: Cycles that operations take, about; others are calls.
CYCLES = {"part": 0, "negative": 1, "absolute": 1, "divide": 13, "sqrt": 20, "compensated": 12,
          "two_sum": 12, "two_product": 24, "sin": 60, "cos": 60, "atan2": 80}  # fmt: skip
USUAL = 3
#: Operations begun in a cycle.  Processors manage four; with two, fewer results wait in registers.
WIDTH = 2
#: Nodes of lists that stay as they are.
LONG = 3000


def scheduled(program: Program) -> Program:
    """The same program in a better order."""
    if len(program.nodes) > LONG:
        return program
    return program.reordered(order_of(program))


def heights(program: Program) -> list[int]:
    """Cycles from the begin of every node to the end of the last that waits for it."""
    found = [0] * (program.inputs + len(program.nodes))
    for k in range(len(program.nodes) - 1, -1, -1):
        node = program.nodes[k]
        own = found[program.inputs + k] = found[program.inputs + k] + CYCLES.get(node.name, USUAL)
        for x in places_of(node.operands):
            found[x] = max(found[x], own)
    return found


def waiting_for(program: Program) -> tuple[list[int], list[list[int]]]:
    """For how many others every node waits, and which wait for it."""
    first, nodes = program.inputs, program.nodes
    waits = [0] * len(nodes)
    followers: list[list[int]] = [[] for _ in nodes]
    for k, node in enumerate(nodes):
        for index in set(places_of(node.operands)):
            if index >= first:
                waits[k] += 1
                followers[index - first].append(k)
    return waits, followers


def order_of(program: Program) -> list[int]:
    """Numbers of nodes, as a list scheduler takes them."""
    first, nodes = program.inputs, program.nodes
    height = heights(program)
    waits, followers = waiting_for(program)
    ready = [(-height[first + k], k) for k in range(len(nodes)) if not waits[k]]
    heapq.heapify(ready)
    later: list[tuple[int, int]] = []  # (cycle, node)
    order: list[int] = []
    cycle = 0
    while ready or later:
        while later and later[0][0] <= cycle:
            k = heapq.heappop(later)[1]
            heapq.heappush(ready, (-height[first + k], k))
        for _ in range(min(WIDTH, len(ready))):
            k = heapq.heappop(ready)[1]
            order.append(k)
            end = cycle + CYCLES.get(nodes[k].name, USUAL)
            for follower in followers[k]:
                waits[follower] -= 1
                if not waits[follower]:
                    heapq.heappush(later, (end, follower))
        cycle += 1
    return order
