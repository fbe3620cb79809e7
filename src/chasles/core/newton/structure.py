r"""The whole Newton matrix as a matrix of blocks on the graph of bodies, joints and forces.

$$ \begin{pmatrix} M + g_1 D + g_2 K & J^T \\ J & -\mu \end{pmatrix} $$

Stiffness and damping of forces, and the geometric stiffness of joints, couple the bodies they act
on.  Which orders of elimination keep pivots regular does not depend on that (see
`core.recursion.program`); forces take part in the search for the order as joints of one row would.
On chains and trees, also with springs along them, the factor is linear in the number of bodies:
leaf to root it is the articulated-body recursion with inertias changed to $I + g_1 D + g_2 K$.

A coupling is a row on the twists of all bodies that it sees, and comes last.  What it adds by its
own curvature is left to the iteration.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from chasles.core.arrays import Floats, Integers, System
from chasles.core.blocks.general import lay_out
from chasles.core.constraints.registry import CONSTRAINTS
from chasles.core.newton.partials import PARTIALS_WIDTH
from chasles.core.recursion.groups import LoopConstraint, Loops
from chasles.core.recursion.program import GIVE, make_program
from chasles.core.recursion.tables import starts
from chasles.core.recursion.tree import Tree
from chasles.core.terms import Tangents, make_tangents

#: What a pair of bodies belongs to, and how many numbers tell it (see `pairs_of`).
OF_FORCE, OF_JOINT, PAIR_WIDTH = 0, 1, 5
#: Of the inertia of its lightest neighbour, what a body without mass has in the matrix.
LENT = 1e-6
#: Of the damping mu of dependent rows in a stage: of a stiff force, an iteration leaves mu g_2 k.
LESS = 1e-4


class Couplings(NamedTuple):
    """Couplings as rows on the twists of any number of bodies."""

    count: int
    row: Integers  # (c,) place of the multiplier
    pivot: Integers  # (c,) offset of the block
    first: Integers  # (c + 1,) bodies by coupling
    body: Integers
    blocks: Integers  # (b, 2) offsets of (coupling, body) and (body, coupling)
    on_body: Floats  # (b, 6) J
    push: Floats  # (6 n,) J of one coupling


class Newton(NamedTuple):
    """The matrix, where its blocks lie, and storage for it."""

    nodes: Integers
    slots: Integers
    targets: Integers
    node_count: int
    size: int  # length of the factor
    products: int  # multiplications of one factorisation, for comparison
    own: Integers  # (n,) offset of the block of a body
    pairs: Integers  # (p, 5) bodies that joints and forces act on, see `pairs_of`
    pair_count: int
    between: Integers  # (p, 2) offsets of the blocks (a, b) and (b, a) of a pair, or -1
    pivot: Integers  # (m,) offset of the block of a joint
    rows: Integers  # (m, 4) offsets of (joint, a), (a, joint), (joint, b), (b, joint), or -1
    damping: Floats  # (rows,) mu
    values: Floats  # the factor
    swaps: Integers  # (6 n + rows,)
    column: Floats  # (6 n + rows,)
    partials: Floats  # (n, PARTIALS_WIDTH) how poses, twists and their rates follow: see `partials`
    lent: Floats  # (n, 2) inertia and mass of bodies that have none: see `lent_inertias`
    couplings: Couplings
    tangents: Tangents


def newton_of(solver: Any, mechanism: Any) -> Newton:
    """Order, layout and storage of the matrix of the model of a solver, stepped as a mechanism."""
    system, workspace = mechanism.system, solver.workspace
    bodies, joints = system.body_count, system.joints
    coupled = coupled_bodies(mechanism.tree, mechanism.loops)
    sizes = np.concatenate((np.full(bodies, 6), joints.rows)).astype(np.int64)
    sizes[[bodies + joint for joint in coupled]] = 1
    offsets = np.concatenate((6 * np.arange(bodies), 6 * bodies + joints.first_row))
    together = pairs_of(system)
    on = [(a, b) for _, _, a, b, _ in together]
    held = {pair for pair in on[: system.joint_count] if min(pair) >= 0}
    pushed = {pair for pair in on[system.joint_count :] if min(pair) >= 0}
    edges = [*held, *pushed]
    for joint, pair in enumerate(on[: system.joint_count]):
        edges += [(bodies + joint, body) for body in coupled.get(joint, pair) if body >= 0]
    layout = lay_out(sizes, offsets, order_of(system, pushed - held), edges)
    nodes, slots, targets, places, size, products = layout

    def pairs(a: Iterable[int], b: Iterable[int]) -> Integers:
        """Offsets of the blocks (i, k) and (k, i) of some nodes, -1 of the ground."""
        found = [(places[i, k], places[k, i]) if min(i, k) >= 0 else (-1, -1) for i, k in zip(a, b)]
        return np.array(found, np.int64).reshape(-1, 2)

    own = np.array([places[node, node] for node in range(len(nodes))], np.int64)
    numbers = range(bodies, len(nodes))
    unknowns = 6 * bodies + system.row_count
    acting = [(bodies + joint, body) for joint, on in coupled.items() for body in on]
    return Newton(
        nodes, slots, targets, len(nodes), size, products,
        own=own[:bodies],
        pairs=np.array(together, np.int64).reshape(-1, PAIR_WIDTH),
        pair_count=len(together),
        between=pairs([a for a, _ in on], [b for _, b in on]),
        pivot=own[bodies:],
        rows=np.hstack((pairs(numbers, joints.a.tolist()), pairs(numbers, joints.b.tolist()))),
        damping=LESS * solver.form.damping,
        values=np.zeros(int(size)),
        swaps=np.zeros(unknowns, np.int64),
        column=np.zeros(unknowns),
        partials=np.zeros((bodies, PARTIALS_WIDTH)),
        lent=lent_inertias(system),
        couplings=Couplings(
            count=len(coupled),
            row=joints.first_row[list(coupled)].astype(np.int64),
            pivot=own[[bodies + joint for joint in coupled]],
            first=starts(list(coupled.values())),
            body=np.array([body for _, body in acting], np.int64),
            blocks=pairs([node for node, _ in acting], [body for _, body in acting]),
            on_body=np.zeros((len(acting), 6)),
            push=np.zeros(6 * bodies),
        ),
        tangents=make_tangents(system, workspace),
    )  # fmt: skip


def pairs_of(system: System) -> list[tuple[int, int, int, int, int]]:
    """(joint or force, which, a, b, own) of all pairs of bodies that one of these acts on.

    Joints come first, in their order.  own has a bit for each of the two on which the pair adds
    what that body does by itself: in a formula of several bodies this comes with one of its pairs.
    """
    joints, forces = system.joints, system.forces
    ends = zip(joints.a.tolist(), joints.b.tolist())
    found = [(OF_JOINT, joint, a, b, 3) for joint, (a, b) in enumerate(ends)]
    for force, (count, *bodies) in enumerate(forces.seen[: system.force_count].tolist()):
        if count == 0:
            found.append((OF_FORCE, force, int(forces.a[force]), int(forces.b[force]), 3))
        for k in range(1, count):
            for j in range(k):
                own = 0 if j > 0 else 3 if k == 1 else 2
                found.append((OF_FORCE, force, bodies[j], bodies[k], own))
    return found


def coupled_bodies(tree: Tree, loops: Loops) -> dict[int, list[int]]:
    """Joint number -> bodies on which its row acts, of all couplings in their order."""
    found = {}
    for k, row in enumerate(loops.coupled.tolist()):
        bodies = loops.term_body[slice(*loops.first_term[k : k + 2])]
        tied = loops.tie_body[slice(*loops.first_tie[k : k + 2])]
        on = {*bodies.tolist(), *tree.parent[bodies].tolist(), *tied.tolist()}
        found[int(loops.joint_of[row])] = sorted(body for body in on if body >= 0)
    return found


def lent_inertias(system: System) -> Floats:
    """(n, 2) What bodies without mass have in the matrix, so that their blocks are regular.

    A fraction of what the lightest body has that joints connect them with.  The right-hand side
    knows nothing of it: it does not change the solution, and an iteration leaves that fraction of
    the error.
    """
    mass, inertia = system.bodies.mass, system.bodies.inertia[:, :3].mean(axis=1)
    lent, ends = np.zeros((system.body_count, 2)), np.stack((system.joints.a, system.joints.b), 1)
    for body in np.flatnonzero(mass == 0.0).tolist():
        group, size = {body}, 0
        while size < len(group):
            size = len(group)
            for pair in ends.tolist():
                if any(end in group and mass[end] == 0.0 for end in pair if end >= 0):
                    group |= {end for end in pair if end >= 0}
        near = [end for end in group if mass[end] > 0.0] or np.flatnonzero(mass > 0.0).tolist()
        lent[body] = LENT * inertia[near].min(), LENT * mass[near].min()
    return lent


def order_of(system: System, forces: set[tuple[int, int]]) -> list[int]:
    """Bodies, and joints behind them, in an order in which pivots are regular.

    That of the one program, with all bodies on charts and forces as cuts of one row.
    """
    joints, bodies = system.joints, system.body_count
    cuts = [
        LoopConstraint(bodies + k, a, b, tuple(range(rows)), CONSTRAINTS[kind].balanced)
        for k, (a, b, rows, kind) in enumerate(
            zip(joints.a.tolist(), joints.b.tolist(), joints.rows.tolist(), joints.kind.tolist())
        )
    ]
    empty = [cut.joint for cut in cuts if not cut.rows]
    cuts = [cut for cut in cuts if cut.rows] + [
        LoopConstraint(-1, a, b, (0,)) for a, b in sorted(forces)
    ]
    steps = make_program([-1] * bodies, [True] * bodies, cuts).steps
    order = [k if kind == GIVE else cuts[k].joint for kind, k in steps]
    return [node for node in order if node >= 0] + empty
