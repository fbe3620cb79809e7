r"""The order in which the nodes of a graph are eliminated.

*Which orders are allowed.*  Nodes are bodies and joints of the KKT matrix

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix}. $$

All pivots are regular if, at every moment, the rows of the joints eliminated so far have full rank
on the bodies eliminated so far.  Bodies never harm this.  A joint may go if the component of
eliminated nodes it then belongs to hangs on at most one body that is not yet eliminated (the ground
counts as such a body): a combination of its rows that does no work on the component would, by
balance of internal wrenches, do none on that one body either, so it would be a dependency of the
whole model.  Where wrenches do not balance (gears, users' formulas) the ground takes the rest, and
counts as one more body that the joint hangs on.  In a graph without joints every order is allowed.

*Which order is chosen.*  The cheapest allowed node next.  On trees that is leaf to root with no
fill at all: chains, stars and trees are linear.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import formula, kernel, routine
from chasles.core.arrays import Integers

NOTHING = -2  # touched by no joint; -1 is the ground


class Elimination(NamedTuple):
    """The graph while it is being eliminated; nodes are bodies, then joints."""

    sizes: Integers  # (K,) rows of each node
    ends: (
        Integers  # (m, 3) bodies of each joint, -1 for the ground; and what else it pushes against
    )
    incident_from: Integers  # (n + 1,) where the joints of a body start in `incident`
    incident: Integers  # joints (as nodes) of each body
    gone: Any  # (K,) whether eliminated
    parent: Integers  # (K,) union-find over eliminated nodes
    touched: Integers  # (K,) of a component's root: the one body it still hangs on
    starts: Integers  # (K,) where a node's neighbours start in the pool
    lengths: Integers  # (K,) how many neighbours a node has now
    mark: Integers  # (K,) scratch


@formula
def root_of(parent: Any, node: int) -> int:
    """Representative of a component of eliminated nodes (path halving)."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@formula
def hangs_on(graph: Any, joint: int) -> Any:
    """(allowed, body): may this joint be eliminated now, and what its component then hangs on."""
    outside, eliminated_bodies = NOTHING, 0
    for side in range(3):
        body = graph.ends[joint, side]
        if body >= 0 and graph.gone[body]:
            eliminated_bodies += 1
            body = graph.touched[root_of(graph.parent, body)]
        if body != NOTHING:
            if outside != NOTHING and outside != body:
                return False, outside
            outside = body
    return eliminated_bodies > 0, outside


@formula
def node_cost(size: int, below: int) -> int:
    """Multiplications to eliminate a node with `below` rows in its column."""
    return size * size * size // 3 + size * size * below + size * below * (below + 1) // 2


@formula
def rows_below(graph: Any, pool: Any, node: int) -> int:
    below = 0
    for k in range(graph.lengths[node]):
        below += graph.sizes[pool[graph.starts[node] + k]]
    return below


@routine
def grown(array: Any, size: int) -> Any:
    """A copy of the given size; what it has room for is kept."""
    copy = np.empty(size, np.int64)
    for k in range(min(size, array.size)):
        copy[k] = array[k]
    return copy


@routine
def start_graph(sizes: Any, edges: Any) -> Any:
    """A graph of nodes without joints, from the pairs (E, 2) that are connected, each once."""
    count = sizes.size
    lengths = np.zeros(count, np.int64)
    for edge in range(edges.shape[0]):
        lengths[edges[edge, 0]] += 1
        lengths[edges[edge, 1]] += 1
    starts = np.zeros(count, np.int64)
    total = 0
    for node in range(count):
        starts[node] = total
        total += lengths[node]
    pool = np.empty(2 * total + 64, np.int64)
    filled = np.zeros(count, np.int64)
    for edge in range(edges.shape[0]):
        for side in range(2):
            node, other = edges[edge, side], edges[edge, 1 - side]
            pool[starts[node] + filled[node]] = other
            filled[node] += 1
    graph = Elimination(
        sizes,
        np.zeros((0, 3), np.int64),
        np.zeros(count + 1, np.int64),
        np.zeros(0, np.int64),
        np.zeros(count, np.bool_),
        np.arange(count),
        np.full(count, NOTHING),
        starts,
        lengths,
        np.full(count, -1),
    )
    return graph, pool, total


@routine
def start_elimination(sizes: Any, ends: Any, bodies: int) -> Any:
    """The graph before elimination, and the pool of its neighbour lists."""
    count = sizes.size
    lengths = np.zeros(count, np.int64)
    for joint in range(ends.shape[0]):
        for side in range(2):
            if ends[joint, side] >= 0:
                lengths[ends[joint, side]] += 1
                lengths[bodies + joint] += 1
    starts = np.zeros(count, np.int64)
    total = 0
    for node in range(count):
        starts[node] = total
        total += lengths[node]
    pool = np.empty(2 * total + 64, np.int64)
    filled = np.zeros(count, np.int64)
    for joint in range(ends.shape[0]):
        node = bodies + joint
        for side in range(2):
            body = ends[joint, side]
            if body >= 0:
                pool[starts[body] + filled[body]] = node
                pool[starts[node] + filled[node]] = body
                filled[body] += 1
                filled[node] += 1
    incident_from = np.empty(bodies + 1, np.int64)
    for body in range(bodies):
        incident_from[body] = starts[body]
    incident_from[bodies] = starts[bodies] if count > bodies else total
    incident = grown(pool, incident_from[bodies])
    graph = Elimination(
        sizes,
        ends,
        incident_from,
        incident,
        np.zeros(count, np.bool_),
        np.arange(count),
        np.full(count, NOTHING),
        starts,
        lengths,
        np.full(count, -1),
    )
    return graph, pool, total


@routine
def remove_node(graph: Any, node: int, bodies: int) -> None:
    """Mark a node as eliminated and join the components it connects."""
    graph.gone[node] = True
    if node < bodies:
        for k in range(graph.incident_from[node], graph.incident_from[node + 1]):
            joint = graph.incident[k]
            if graph.gone[joint]:
                graph.parent[root_of(graph.parent, joint)] = node
    else:
        graph.touched[node] = hangs_on(graph, node - bodies)[1]
        for side in range(2):
            body = graph.ends[node - bodies, side]
            if body >= 0 and graph.gone[body]:
                graph.parent[root_of(graph.parent, body)] = node


@routine
def connect_neighbours(graph: Any, pool: Any, used: int, node: int, other: int) -> Any:
    """Neighbours of an eliminated node see each other: rewrite the list of one of them."""
    first, length = graph.starts[node], graph.lengths[node]
    old, old_length = graph.starts[other], graph.lengths[other]
    for k in range(old_length):
        graph.mark[pool[old + k]] = other
    extra = 0
    for k in range(length):
        member = pool[first + k]
        if member != other and graph.mark[member] != other:
            extra += 1
    base = old
    if extra > 1:  # one new member takes the place of the eliminated node
        base = used
        used += old_length + extra
        if used > pool.size:
            pool = grown(pool, 2 * used)
    size = 0
    for k in range(old_length):
        member = pool[old + k]
        if member != node:
            pool[base + size] = member
            size += 1
    for k in range(length):
        member = pool[first + k]
        if member != other and graph.mark[member] != other:
            pool[base + size] = member
            size += 1
    graph.starts[other], graph.lengths[other] = base, size
    return pool, used


@routine
def cheapest_node(graph: Any, pool: Any, bodies: int, only_bodies: bool) -> int:
    """The allowed node whose elimination costs least."""
    best, cheapest = -1, np.int64(2**62)
    for node in range(bodies if only_bodies else graph.sizes.size):
        if graph.gone[node] or (node >= bodies and not hangs_on(graph, node - bodies)[0]):
            continue
        cost = node_cost(graph.sizes[node], rows_below(graph, pool, node))
        if cost < cheapest:
            best, cheapest = node, cost
    return best


@kernel("the order of elimination", seconds=2, plain=(400, 20_000))
def eliminate(sizes: Any, ends: Any, bodies: int, bodies_first: bool, limit: int) -> Any:
    """Order and structure: (order, pointers, neighbours, flops, searched); neighbours are nodes.

    Leaves are taken from a stack, so trees cost linear time; where no leaf is left (loops) the
    cheapest allowed node is searched for.  Gives up once `limit` operations are exceeded.
    """
    graph, pool, used = start_elimination(sizes, ends, bodies)
    return run_elimination(graph, pool, used, bodies, bodies_first, limit)


@kernel("the order of elimination", seconds=2, plain=(400, 20_000))
def eliminate_graph(sizes: Any, edges: Any) -> Any:
    """The same for a graph without joints: `edges` (E, 2) are the pairs of nodes that it joins."""
    graph, pool, used = start_graph(sizes, edges)
    return run_elimination(graph, pool, used, sizes.size, False, 2**62)


@routine
def run_elimination(
    graph: Any, pool: Any, used: int, bodies: int, bodies_first: bool, limit: int
) -> Any:
    """`eliminate` on a graph that has been started."""
    sizes, ends = graph.sizes, graph.ends
    count = sizes.size
    order = np.empty(count, np.int64)
    pointers = np.zeros(count + 1, np.int64)
    neighbours = np.empty(pool.size, np.int64)
    stack = np.empty(2 * count + ends.size, np.int64)
    height = 0
    for body in range(bodies):
        if graph.lengths[body] <= 1:
            stack[height] = body
            height += 1
    flops, left_bodies, searched = 0, bodies, False
    for position in range(count):
        node = -1
        while height > 0 and node < 0:
            height -= 1
            node = -1 if graph.gone[stack[height]] else stack[height]
        if node < 0:
            node = cheapest_node(graph, pool, bodies, bodies_first and left_bodies > 0)
            searched = True
        first, length = graph.starts[node], graph.lengths[node]
        end = pointers[position] + length
        if end > neighbours.size:
            neighbours = grown(neighbours, 2 * end)
        for k in range(length):
            neighbours[pointers[position] + k] = pool[first + k]
        pointers[position + 1] = end
        order[position] = node
        flops += node_cost(sizes[node], rows_below(graph, pool, node))
        if flops > limit:
            break
        left_bodies -= node < bodies
        remove_node(graph, node, bodies)
        for k in range(length):
            other = neighbours[pointers[position] + k]
            pool, used = connect_neighbours(graph, pool, used, node, other)
            leaf = graph.lengths[other] <= 1 and not (bodies_first and other >= bodies)
            if leaf and (other < bodies or hangs_on(graph, other - bodies)[0]):
                stack[height] = other
                height += 1
    return order, pointers, neighbours[: pointers[count]], flops, searched
