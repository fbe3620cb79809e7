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

from chasles.core.arrays import ABSOLUTE_WIDTH, ROW_WIDTH, Floats, Integers, System
from chasles.core.blocks.general import lay_out
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.newton.ways import WAYS_WIDTH
from chasles.core.recursion.cuts import Cut
from chasles.core.recursion.program import GIVE, make_program
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
    products: int  # multiplications of one factorisation, for comparison
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
    ends = list(zip(joints.a.tolist(), joints.b.tolist()))
    held = [pair for pair in ends if min(pair) >= 0]
    edges = [*held, *pushed, *((body, k) for body, k in enumerate(base.tolist()) if k >= 0)]
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
    mass = np.maximum(system.bodies.mass, np.finfo(float).tiny)
    unknowns = 6 * bodies + system.row_count
    return Newton(
        nodes, slots, targets, len(nodes), size, products,
        own=own[:bodies],
        beside=pairs(joints.a.tolist(), joints.b.tolist()),
        across=pairs(forces.a.tolist(), forces.b.tolist()),
        based=pairs(range(bodies), base.tolist()),
        pivot=own[bodies:],
        rows=np.hstack((pairs(numbers, joints.a.tolist()), pairs(numbers, joints.b.tolist()))),
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
