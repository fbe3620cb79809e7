r"""The KKT matrix as a matrix of blocks: order, layout and template, made once per model.

The index-1 system

$$ \begin{pmatrix} M & J^T \\ J & 0 \end{pmatrix} $$

is a graph with a 6x6 node per body and a node per joint.  Which orders of elimination are allowed,
and which is cheapest, see `chasles.core.blocks.elimination`; with loops the result is compared with
"all bodies first" (minimum degree of the Schur complement) by its number of operations.
"""

from typing import Any, NamedTuple

import numpy as np

from chasles.compiled import kernel
from chasles.core.arrays import GROUND_INDEX, Floats, Integers, System, padded
from chasles.core.blocks.elimination import NOTHING, eliminate
from chasles.core.blocks.layout import FACTORED, PIVOT, RHS, SIZE, block_offset, lay_out
from chasles.core.blocks.small import ldl6
from chasles.core.constraints.registry import CONSTRAINTS

TRIANGLE6 = 21


class Plan(NamedTuple):
    """The factorisation in numbers.  Positions count nodes in the order of elimination."""

    nodes: Integers  # (K, 7): see the column names in `chasles.core.blocks.layout`
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
