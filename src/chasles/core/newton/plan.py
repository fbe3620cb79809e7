r"""The whole Newton matrix as a matrix of blocks on the graph of bodies, joints and forces.

$$ \begin{pmatrix} M + g_1 D + g_2 K & J^T \\ J & -\mu \end{pmatrix} $$

Stiffness and damping of forces, and the geometric stiffness of joints, couple the bodies they act
on.  Which orders of elimination keep pivots regular does not depend on that (see
`core.blocks.elimination`); forces take part in the search for the order as joints of one row would.
On chains and trees, also with springs along them, the factor is linear in the number of bodies:
leaf to root it is the articulated-body recursion with inertias changed to $I + g_1 D + g_2 K$.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import ABSOLUTE_WIDTH, GROUND_INDEX, ROW_WIDTH, Floats, Integers, System
from chasles.core.blocks.elimination import NOTHING, eliminate, node_cost
from chasles.core.blocks.general import lay_out_general
from chasles.core.blocks.layout import BLOCK, FIRST_SLOT, NEIGHBOUR, PIVOT, SIZE, SLOTS
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.newton.ways import WAYS_WIDTH
from chasles.core.workspace import Workspace


class Probe(NamedTuple):
    """What formulas of forces and joints are given while they are differentiated."""

    absolute: Floats  # (n, 18)
    rhs: Floats  # (6 n,)
    jacobian: Floats  # (rows, 12)
    eta: Floats  # (rows,)
    signals: Floats
    quadratures: Floats
    quadrature_rates: Floats
    exchange: Floats
    answer: Floats


class Newton(NamedTuple):
    """The matrix, where its blocks lie, and storage for it."""

    nodes: Integers
    slots: Integers
    targets: Integers
    node_count: int
    size: int  # length of the factor
    flops: int  # multiplications of one factorisation, for comparison
    own: Integers  # (n,) offset of the block of a body
    beside: Integers  # (m, 2) offsets of the blocks (a, b) and (b, a) of a joint's bodies, or -1
    across: Integers  # (f, 2) the same for forces
    based: Integers  # (n, 2) and for a body and what its coordinates are taken against
    pivot: Integers  # (m,) offset of the block of a joint
    rows: Integers  # (m, 4) offsets of (joint, a), (a, joint), (joint, b), (b, joint), or -1
    reach: Floats  # (n,) radius of gyration: what displacements are small against
    damping: Floats  # (rows,) mu
    values: Floats  # the factor
    swaps: Integers  # (6 n + rows,)
    column: Floats  # (6 n + rows,)
    ways: Floats  # (n, WAYS_WIDTH) how poses, twists and their rates follow: see `ways`
    block: Floats  # (12 * 24,) derivatives of one force or joint
    wrench: Floats  # (12,) of a force or joint, ...
    probe_out: Floats  # (12,) ... and displaced
    available: int  # 0 where the matrix would not be that of the model
    probe: Probe


def newton_of(solver: Any, mechanism: Any) -> Newton:
    """The whole matrix of the model of a solver, stepped as a mechanism.

    Couplings act along coordinates and have no rows on bodies, and a frame without mass has no
    pivot of its own: models with either do with the chord iteration.
    """
    system, base = mechanism.system, mechanism.tree.base
    available = not solver.setup.model.couplings and bool((system.bodies.mass > 0.0).all())
    return make_newton(system, solver.work, solver.form.damping, base, available)


def make_newton(
    system: System, work: Workspace, damping: Floats, base: Integers, available: bool
) -> Newton:
    """Order, layout and storage of the matrix of a model.

    `base` (n,) are bodies that the coordinates of others are taken against, or -1.
    """
    bodies, joints, forces = system.body_count, system.joints, system.forces
    sizes = np.concatenate((np.full(bodies, 6), joints.rows)).astype(np.int64)
    offsets = np.concatenate((6 * np.arange(bodies), 6 * bodies + joints.first_row))
    pushed = [pair for pair in zip(forces.a.tolist(), forces.b.tolist()) if min(pair) >= 0]
    held = [pair for pair in zip(joints.a.tolist(), joints.b.tolist()) if min(pair) >= 0]
    order = order_of(system, sorted(set(pushed) - set(held)))
    edges = [*held, *pushed, *((body, k) for body, k in enumerate(base.tolist()) if k >= 0)]
    for joint, pair in enumerate(zip(joints.a.tolist(), joints.b.tolist())):
        edges += [(bodies + joint, body) for body in pair if body >= 0]
    pointers, neighbours, flops = structure_of(sizes, order, edges)
    nodes, slots, targets, position, size = lay_out_general(
        sizes, offsets.astype(np.int64), order, pointers, neighbours
    )
    place = places_of(nodes, slots, position)

    def block(row: int, column: int) -> int:
        return -1 if min(row, column) < 0 else place(row, column)

    def pairs(a: Integers, b: Integers) -> Integers:
        found = [(block(i, k), block(k, i)) if i != k else (-1, -1)
                 for i, k in zip(a.tolist(), b.tolist())]  # fmt: skip
        return np.array(found, np.int64).reshape(-1, 2)

    rows = [
        [block(*pair) if body >= 0 else -1 for body in ends
         for pair in ((bodies + joint, body), (body, bodies + joint))]
        for joint, ends in enumerate(zip(joints.a.tolist(), joints.b.tolist()))
    ]  # fmt: skip
    mass = np.maximum(system.bodies.mass, np.finfo(float).tiny)
    unknowns = 6 * bodies + system.row_count
    return Newton(
        nodes, slots, targets, len(nodes), int(size), flops,
        own=nodes[position[:bodies], PIVOT].copy(),
        beside=pairs(joints.a, joints.b),
        across=pairs(forces.a, forces.b),
        based=pairs(np.arange(bodies), base),
        pivot=nodes[position[bodies:], PIVOT].copy(),
        rows=np.array(rows, np.int64).reshape(-1, 4),
        reach=np.sqrt(system.bodies.inertia[:, :3].mean(axis=1) / mass),
        damping=damping,
        values=np.zeros(int(size)),
        swaps=np.zeros(unknowns, np.int64),
        column=np.zeros(unknowns),
        ways=np.zeros((bodies, WAYS_WIDTH)),
        block=np.zeros(12 * 24),
        wrench=np.zeros(12),
        probe_out=np.zeros(12),
        available=int(available),
        probe=make_probe(system, work),
    )  # fmt: skip


def make_probe(system: System, work: Workspace) -> Probe:
    """Storage of its own, but for functions of time and integrals, which are those of the stage."""
    return Probe(
        absolute=np.zeros((system.body_count, ABSOLUTE_WIDTH)),
        rhs=np.zeros(6 * system.body_count),
        jacobian=np.zeros((system.row_count, ROW_WIDTH)),
        eta=np.zeros(system.row_count),
        signals=work.signals,
        quadratures=work.quadratures,
        quadrature_rates=np.zeros_like(work.quadrature_rates),
        exchange=np.zeros_like(work.exchange),
        answer=np.zeros_like(work.answer),
    )


def order_of(system: System, forces: list[tuple[int, int]]) -> Integers:
    """An order of bodies and joints in which pivots are regular, with these forces in mind."""
    joints, bodies = system.joints, system.body_count
    balanced = np.array([kind.balanced for kind in CONSTRAINTS.table])
    pushed = np.where(balanced[joints.kind], NOTHING, GROUND_INDEX)
    ends = [np.column_stack((joints.a, joints.b, pushed))]
    ends += [np.array([(a, b, NOTHING) for a, b in forces], np.int64).reshape(-1, 3)]
    sizes = np.concatenate((np.full(bodies, 6), joints.rows, np.ones(len(forces), np.int64)))
    both = np.ascontiguousarray(np.concatenate(ends), np.int64)
    order = eliminate(sizes.astype(np.int64), both, bodies, False, 2**62)[0]
    return np.array(order[order < bodies + system.joint_count], np.int64)


def structure_of(
    sizes: Integers, order: Integers, edges: list[tuple[int, int]]
) -> tuple[Integers, Integers, int]:
    """Neighbours of every node as it is eliminated, and the multiplications that takes."""
    near: list[set[int]] = [set() for _ in sizes]
    for a, b in edges:
        if a != b:
            near[a].add(b)
            near[b].add(a)
    pointers, neighbours, flops = [0], [], 0
    for node in order.tolist():
        later = sorted(near[node])
        for other in later:
            near[other].discard(node)
            near[other].update(later)
            near[other].discard(other)
        neighbours += later
        pointers.append(len(neighbours))
        # Both triangles: twice what a symmetric matrix takes.
        flops += 2 * node_cost(int(sizes[node]), sum(int(sizes[k]) for k in later))
    return np.array(pointers, np.int64), np.array(neighbours, np.int64), flops


def places_of(nodes: Integers, slots: Integers, position: Integers) -> Any:
    """Offset of the block of two nodes."""
    known = {}
    for k, node in enumerate(nodes.tolist()):
        for slot in slots[node[FIRST_SLOT] : node[FIRST_SLOT] + node[SLOTS]].tolist():
            other, at = slot[NEIGHBOUR], slot[BLOCK]
            known[other, k] = at
            known[k, other] = at + node[SIZE] * int(nodes[other, SIZE])

    def place(row: int, column: int) -> int:
        if row == column:
            return int(nodes[position[row], PIVOT])
        return int(known[int(position[row]), int(position[column])])

    return place
