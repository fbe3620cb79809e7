r"""The whole Newton matrix as a matrix of blocks on the graph of bodies, joints and forces.

$$ \begin{pmatrix} M + g_1 D + g_2 K & J^T \\ J & -\mu \end{pmatrix} $$

Stiffness and damping of forces, and the geometric stiffness of joints, couple the bodies they act
on.  Which orders of elimination keep pivots regular does not depend on that (see
`core.recursion.program`); forces take part in the search for the order as joints of one row would.
On chains and trees, also with springs along them, the factor is linear in the number of bodies:
leaf to root it is the articulated-body recursion with inertias changed to $I + g_1 D + g_2 K$.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers, System
from chasles.core.blocks.general import lay_out
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.newton.ways import WAYS_WIDTH
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.program import GIVE, make_program
from chasles.core.tangents import Tangents, make_tangents
from chasles.core.workspace import Workspace


class Newton(NamedTuple):
    """The matrix, where its blocks lie, and storage for it."""

    nodes: Integers
    slots: Integers
    targets: Integers
    node_count: int
    size: int  # length of the factor
    products: int  # multiplications of one factorisation, for comparison
    own: Integers  # (n,) offset of the block of a body
    beside: Integers  # (m, 2) offsets of the blocks (a, b) and (b, a) of a joint's bodies, or -1
    across: Integers  # (f, 2) the same for forces
    pivot: Integers  # (m,) offset of the block of a joint
    rows: Integers  # (m, 4) offsets of (joint, a), (a, joint), (joint, b), (b, joint), or -1
    damping: Floats  # (rows,) mu
    values: Floats  # the factor
    swaps: Integers  # (6 n + rows,)
    column: Floats  # (6 n + rows,)
    ways: Floats  # (n, WAYS_WIDTH) how poses, twists and their rates follow: see `ways`
    available: int  # 0 where the matrix would not be that of the model
    tangents: Tangents


def newton_of(solver: Any, mechanism: Any) -> Newton:
    """The whole matrix of the model of a solver, stepped as a mechanism.

    Couplings act along coordinates and have no rows on bodies, and a frame without mass has no
    pivot of its own: models with either do with the chord iteration.
    """
    system = mechanism.system
    available = not solver.setup.model.couplings and bool((system.bodies.mass > 0.0).all())
    return make_newton(system, solver.work, solver.form.damping, available)


def make_newton(system: System, work: Workspace, damping: Floats, available: bool) -> Newton:
    """Order, layout and storage of the matrix of a model."""
    bodies, joints, forces = system.body_count, system.joints, system.forces
    sizes = np.concatenate((np.full(bodies, 6), joints.rows)).astype(np.int64)
    offsets = np.concatenate((6 * np.arange(bodies), 6 * bodies + joints.first_row))
    pushed = [pair for pair in zip(forces.a.tolist(), forces.b.tolist()) if min(pair) >= 0]
    ends = list(zip(joints.a.tolist(), joints.b.tolist()))
    held = [pair for pair in ends if min(pair) >= 0]
    edges = [*held, *pushed]
    for joint, pair in enumerate(ends):
        edges += [(bodies + joint, body) for body in pair if body >= 0]
    layout = lay_out(sizes, offsets, order_of(system, set(pushed) - set(held)), edges)
    nodes, slots, targets, places, size, products = layout

    def pairs(a: Iterable[int], b: Iterable[int]) -> Integers:
        """Offsets of the blocks (i, k) and (k, i) of some nodes, -1 of the ground and of one."""
        found = [
            (places[i, k], places[k, i]) if i != k and min(i, k) >= 0 else (-1, -1)
            for i, k in zip(a, b)
        ]
        return np.array(found, np.int64).reshape(-1, 2)

    own = np.array([places[node, node] for node in range(len(nodes))], np.int64)
    numbers = range(bodies, len(nodes))
    unknowns = 6 * bodies + system.row_count
    return Newton(
        nodes, slots, targets, len(nodes), size, products,
        own=own[:bodies],
        beside=pairs(joints.a.tolist(), joints.b.tolist()),
        across=pairs(forces.a.tolist(), forces.b.tolist()),
        pivot=own[bodies:],
        rows=np.hstack((pairs(numbers, joints.a.tolist()), pairs(numbers, joints.b.tolist()))),
        damping=damping,
        values=np.zeros(int(size)),
        swaps=np.zeros(unknowns, np.int64),
        column=np.zeros(unknowns),
        ways=np.zeros((bodies, WAYS_WIDTH)),
        available=int(available),
        tangents=make_tangents(system, work),
    )  # fmt: skip


def order_of(system: System, forces: set[tuple[int, int]]) -> list[int]:
    """Bodies, and joints behind them, in an order in which pivots are regular.

    That of the one program, with all bodies on charts and forces as cuts of one row.
    """
    joints, bodies = system.joints, system.body_count
    cuts = [
        Cut(bodies + k, a, b, tuple(range(rows)), CONSTRAINTS[kind].balanced)
        for k, (a, b, rows, kind) in enumerate(
            zip(joints.a.tolist(), joints.b.tolist(), joints.rows.tolist(), joints.kind.tolist())
        )
    ]
    empty = [cut.joint for cut in cuts if not cut.rows]
    cuts = [cut for cut in cuts if cut.rows] + [Cut(-1, a, b, (0,)) for a, b in sorted(forces)]
    steps = make_program([-1] * bodies, [True] * bodies, cuts).steps
    order = [k if kind == GIVE else cuts[k].joint for kind, k in steps]
    return [node for node in order if node >= 0] + empty
