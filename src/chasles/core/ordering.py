r"""The order in which the KKT matrix is factored, chosen once per model.

The index-1 system

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix} $$

is a graph with a 6x6 node per body and a node per joint.  Block LDL^T eliminates the nodes one
after the other; what it costs depends on the order alone.

*Which orders are allowed.*  All pivots are regular if, at every moment, the rows of the joints
eliminated so far have full rank on the bodies eliminated so far.  Bodies never harm this.  A joint
may go if the component of eliminated nodes it then belongs to hangs on at most one body that is not
yet eliminated (the ground counts as such a body): a combination of its rows that does no work on
the component would, by balance of internal wrenches, do none on that one body either, so it would
be a dependency of the whole model.  Where wrenches do not balance (gears, users' formulas) the
ground takes the rest, and counts as one more body that the joint hangs on.

*Which order is chosen.*  The cheapest allowed node next.  On trees that is leaf to root with no
fill at all: chains, stars and trees are linear.  With loops the result is compared with
"all bodies first" (minimum degree of the Schur complement) by its number of operations.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import formula, kernel, routine
from chasles.core.arrays import GROUND_INDEX, Floats, Integers, System, padded
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.small import ldl6

TRIANGLE6 = 21
NOTHING = -2  # touched by no joint; -1 is the ground


class Plan(NamedTuple):
    """The factorisation in numbers.  Positions count nodes in the order of elimination."""

    nodes: Integers  # (K, 7): see the column names below
    slots: Integers  # (S, 2): neighbour's position, offset of its block (neighbour x node)
    targets: Integers  # (U,): offset of the block that a pair of slots updates
    row_blocks: Integers  # (m, 4): offset and row stride of J's blocks for body a, body b
    template: (
        Floats  # the factor before J is put in: inertia, already factored where nothing updates it
    )
    damping: Floats  # (rows,) mu: -mu on the diagonal of joint rows ...
    is_damped: int  # ... and whether there is any: only where constraints are redundant
    node_count: int
    size: int  # length of the factor
    kept: int  # length of the scratch that holds one column
    flops: int  # multiplications of one factorisation, for comparison


# Columns of Plan.nodes: rows, offset in the right-hand side, offset of the pivot, first slot,
# number of slots, first target, whether the template holds the pivot's factor.
SIZE, RHS, PIVOT, FIRST_SLOT, SLOTS, FIRST_TARGET, FACTORED = 0, 1, 2, 3, 4, 5, 6
NODE_WIDTH = 7
# Columns of Plan.slots.
NEIGHBOUR, BLOCK = 0, 1
SLOT_WIDTH = 2


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


@kernel("the layout of the factor", seconds=0.5, plain=(4_000, 40_000))
def lay_out(sizes: Any, offsets: Any, order: Any, pointers: Any, neighbours: Any) -> Any:
    """Where every pivot and block of the factor lies.

    Returns (nodes, slots, targets, position, length of the factor, length of the longest column).
    """
    count = order.size
    position = np.empty(count, np.int64)
    for k in range(count):
        position[order[k]] = k
    nodes = np.zeros((count, 7), np.int64)
    slots = np.empty((neighbours.size, 2), np.int64)
    size, pairs, tallest = 0, 0, 0
    for k in range(count):
        node, first, last = order[k], pointers[k], pointers[k + 1]
        nodes[k, SIZE], nodes[k, RHS] = sizes[node], offsets[node]
        nodes[k, PIVOT], nodes[k, FIRST_SLOT], nodes[k, SLOTS] = size, first, last - first
        nodes[k, FIRST_TARGET] = pairs
        size += sizes[node] * (sizes[node] + 1) // 2
        pairs += (last - first) * (last - first + 1) // 2
        column_start = size
        for s in range(first, last):  # sorted by position, by insertion
            later, place = position[neighbours[s]], s
            while place > first and slots[place - 1, NEIGHBOUR] > later:
                slots[place, NEIGHBOUR] = slots[place - 1, NEIGHBOUR]
                place -= 1
            slots[place, NEIGHBOUR] = later
        for s in range(first, last):
            slots[s, BLOCK] = size
            size += sizes[order[slots[s, NEIGHBOUR]]] * sizes[node]
        tallest = max(tallest, size - column_start)
    targets = np.empty(pairs, np.int64)
    u = 0
    for k in range(count):
        first, last = pointers[k], pointers[k + 1]
        for p in range(first, last):
            row = slots[p, NEIGHBOUR]
            for q in range(first, p):
                targets[u] = block_offset(nodes, slots, slots[q, NEIGHBOUR], row)
                u += 1
            targets[u] = nodes[row, PIVOT]
            u += 1
    return nodes, slots, targets, position, size, tallest


@routine
def block_offset(nodes: Any, slots: Any, column: int, row: int) -> int:
    """Offset of the block (row, column), both as positions, row after column."""
    first = nodes[column, FIRST_SLOT]
    for s in range(first, first + nodes[column, SLOTS]):
        if slots[s, NEIGHBOUR] == row:
            return slots[s, BLOCK]
    return -1


@kernel("the layout of the rows", seconds=0.2, plain=(4_000, 40_000))
def locate_rows(nodes: Any, slots: Any, position: Any, ends: Any, bodies: int) -> Any:
    """Offset and column stride of J's two blocks for every joint; 0, 0 where there is no body.

    Joint after body: the block is joint x body, columns 1 apart.  Joint before body: it is the
    transpose, columns as far apart as the joint has rows.
    """
    located = np.zeros((ends.shape[0], 4), np.int64)
    for joint in range(ends.shape[0]):
        own = position[bodies + joint]
        for side in range(2):
            body = ends[joint, side]
            if body >= 0:
                other = position[body]
                column, row = min(own, other), max(own, other)
                located[joint, 2 * side] = block_offset(nodes, slots, column, row)
                located[joint, 2 * side + 1] = 1 if other < own else nodes[own, SIZE]
    return located


def make_plan(system: System) -> Plan:
    """Order, structure and layout of the factor for one model."""
    bodies, joints = system.body_count, system.joints
    # Wrenches of a gear, or of a user's formula, do not balance: they push against the ground, too.
    balanced = np.array([kind.balanced for kind in CONSTRAINTS.table])
    pushed = np.where(balanced[joints.kind], NOTHING, GROUND_INDEX)
    ends = np.ascontiguousarray(np.column_stack((joints.a, joints.b, pushed)))
    sizes = np.concatenate((np.full(bodies, 6), padded(joints.rows)))
    offsets = np.concatenate((6 * np.arange(bodies), 6 * bodies + joints.first_row))
    chosen = eliminate(sizes, ends, bodies, False, 2**62)
    if chosen[4]:
        other = eliminate(sizes, ends, bodies, True, chosen[3])
        chosen = min(chosen, other, key=lambda candidate: candidate[3])
    order, pointers, neighbours, flops, _ = chosen
    nodes, slots, targets, position, size, tallest = lay_out(
        sizes, offsets, order, pointers, neighbours
    )
    return Plan(
        nodes=nodes,
        slots=slots,
        targets=targets,
        row_blocks=locate_rows(nodes, slots, position, ends, bodies),
        template=make_template(system, nodes, targets, position, int(size)),
        damping=np.zeros(system.row_count),
        is_damped=0,
        node_count=len(nodes),
        size=int(size),
        kept=int(tallest) + 1,
        flops=int(flops),
    )


def make_template(
    system: System, nodes: Integers, targets: Integers, position: Integers, size: int
) -> Floats:
    """Inertia of the bodies, factored where nothing updates it, and -1 for padding rows."""
    updated = np.zeros(size, np.bool_)
    updated[targets] = True
    template = np.zeros(size)
    of_bodies, of_joints = np.split(position, [system.body_count])
    blocks = mass_matrices(system)[:, *np.tril_indices(6)]
    pivots = nodes[of_bodies, PIVOT]
    nodes[of_bodies, FACTORED] = ~updated[pivots]
    factors = np.stack(ldl6(tuple(blocks.T)), axis=-1)
    template[pivots[:, None] + np.arange(TRIANGLE6)] = np.where(
        updated[pivots, None], blocks, factors
    )
    for joint in np.flatnonzero(system.joints.rows < nodes[of_joints, SIZE]):
        node = nodes[of_joints[joint]]
        for row in range(int(system.joints.rows[joint]), int(node[SIZE])):
            template[node[PIVOT] + row * (row + 3) // 2] = -1.0
    return template


def mass_matrices(system: System, bodies: slice = slice(None)) -> Floats:
    """6x6 inertia of bodies at their centres of mass, (n, 6, 6)."""
    mass, inertia = system.bodies.mass[bodies], system.bodies.inertia[bodies]
    matrices = np.zeros((len(mass), 6, 6))
    matrices[:, :3, :3] = inertia[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
    matrices[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    return matrices


def mass_matrix(system: System, body: int) -> Floats:
    """6x6 inertia of a body at its centre of mass."""
    return np.array(mass_matrices(system, slice(body, body + 1))[0])


def damped(plan: Plan, unknowns: int, damping: Floats) -> Plan:
    """The plan of the same matrix with -damping (rows,) on the diagonal of the joint rows."""
    template = plan.template.copy()
    for node in plan.nodes[plan.nodes[:, RHS] >= unknowns]:
        for row in range(int(node[SIZE])):
            at = node[PIVOT] + row * (row + 3) // 2
            if template[at] != -1.0:  # padding stays as it is
                template[at] = -damping[node[RHS] - unknowns + row]
    return plan._replace(template=template, damping=damping, is_damped=1)


def pivots_of_rows(plan: Plan, unknowns: int, values: Floats, rows: int) -> Floats:
    """|D| of every constraint row in a factor."""
    pivots = np.zeros(rows)
    for node in plan.nodes[plan.nodes[:, RHS] >= unknowns]:
        for row in range(int(node[SIZE])):
            inverse = values[node[PIVOT] + row * (row + 3) // 2]
            pivots[node[RHS] - unknowns + row] = abs(1.0 / inverse) if inverse else np.inf
    return pivots
