"""Storage of softness: k and c of coordinates, K and D of links, and the equations with them."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from chasles.core.arrays import ROW_WIDTH, Floats, Integers, System, Workspace, storage
from chasles.core.forces.registry import FORCES
from chasles.core.recursion.groups import (
    LoopConstraint,
    Loops,
    LoopWorkspace,
    by_rows,
    make_loop_workspace,
)
from chasles.core.recursion.tables import make_loops
from chasles.core.recursion.tree import Tree, TreeWorkspace, make_tree_workspace
from chasles.core.terms import Tangents, make_tangents

#: Numbers of a matrix (6, 6).
SIZE = 36


class TangentStiffness(NamedTuple):
    """K and D of coordinates and of pairs of bodies, and the equations that have them.

    A link is all forces, but those on coordinates, between two bodies or a body and the ground.
    """

    link_of: Integers  # (f,) the link of a force; -1: none
    moved: Integers  # (l,) body b, which is displaced
    base: Integers  # (l,) body a, or -1
    count: int  # l
    first: int  # row of J behind which their rows stand
    touched: Annotated[Integers, "l"]  # whether forces act there, at the start of this step
    stiffness: Annotated[Floats, "l", SIZE]
    damping: Annotated[Floats, "l", SIZE]
    ways: Annotated[Floats, "l", 6]  # w of the step
    speeds: Annotated[Floats, "l", 6]  # its rate
    of_force: Annotated[Floats, "f", 2, SIZE]  # K and D by force, of one on a coordinate k and c
    stores: Integers  # (f,) whether a potential accounts for a part of its work ...
    parted: Annotated[Integers, "f"]  # ... and not for all of it, in this step
    positive: Annotated[Floats, "l", SIZE]  # S
    rest: Annotated[Floats, "l", SIZE]  # S - gamma h D - (gamma h)^2 K
    stiff: Annotated[Floats, "v"]  # k of the coordinates
    damped: Annotated[Floats, "v"]  # c
    left: Annotated[Floats, "v"]  # the rest of these
    is_rest: Annotated[Integers, 1]  # whether there is any
    spare: Annotated[Floats, SIZE]
    factor: Annotated[Floats, SIZE]
    wrench: Annotated[Floats, 6]
    tangents: Tangents
    system: System  # and what follows: `Equations` of their own
    tree: Tree  # without weight
    tree_work: TreeWorkspace  # its wrenches and efforts are r
    workspace: Workspace  # rows l of the links stand behind those of the joints
    still: Annotated[Floats, "kept"]  # the point, at rest
    loops: Loops  # no body is untouched: forces add to inertias
    loop_work: LoopWorkspace
    own_rows: Integers  # (rows of the mechanism,) where these stand among `loops`
    answer_width: int
    answered: Annotated[Floats, "column"]  # delta, motions of bodies and mu (see `refine`)


def make_tangent_stiffness(
    mechanism: Any, cuts: Sequence[LoopConstraint], workspace: Workspace
) -> TangentStiffness:
    """Storage for a mechanism with these cut joints, whose stages write `workspace`."""
    tree, system, tree_work = mechanism.tree, mechanism.system, mechanism.tree_work
    count, forces = system.force_count, system.forces
    moved = np.where(forces.b >= 0, forces.b, forces.a)[:count]
    base = np.where(forces.b >= 0, forces.a, -1)[:count]
    pairs = list(zip(base.tolist(), moved.tolist()))
    linked = [k for k in range(count) if tree_work.along[k] < 0 and moved[k] >= 0]
    links = sorted({pairs[k] for k in linked})
    link_of = np.full(count, -1, np.int64)
    link_of[linked] = [links.index(pairs[k]) for k in linked]
    loops = by_rows(with_links(mechanism, cuts, links))
    loops = loops._replace(isolated=0 * loops.isolated, begins=0 * loops.begins)
    along = bool((tree_work.along >= 0).any())
    signals = np.zeros(max(1, system.signal_count))  # driven coordinates do not yield
    tangents, rows = make_tangents(system, workspace), system.row_count + 6 * len(links)
    jacobian, eta = np.zeros((rows, ROW_WIDTH)), np.zeros(rows)
    kinds = system.forces.kind[:count].tolist()
    sizes = {"l": len(links), "f": count, "v": tree.rate_count, "kept": mechanism.layout.kept}
    sizes["column"] = tree.rate_count + 6 * tree.body_count + max(1, loops.row_count)
    return storage(
        TangentStiffness,
        sizes,
        link_of=link_of,
        stores=np.array([FORCES[kind].potential is not None for kind in kinds], np.int64),
        own_rows=own_rows(mechanism.loops, loops),
        answer_width=sizes["column"],
        moved=np.array([b for _, b in links], np.int64),
        base=np.array([a for a, _ in links], np.int64),
        count=len(links),
        first=system.row_count,
        tangents=tangents,
        system=system,
        tree=tree._replace(gravity=np.zeros(3), armature=tree.armature.copy()),
        tree_work=make_tree_workspace(tree, signals, wrenches=True, efforts=along, rows=True),
        workspace=tangents.probe._replace(
            jacobian=jacobian, eta=eta, absolute=workspace.absolute.copy()
        ),
        loops=loops,
        loop_work=make_loop_workspace(loops, tree.body_count, tree.rate_count),
    )


def own_rows(own: Loops, loops: Loops) -> Integers:
    """Where the rows of a mechanism stand among those with links."""
    where = {source: row for row, source in enumerate(loops.source.tolist())}
    return np.array([where[source] for source in own.source.tolist()], np.int64)


def with_links(
    mechanism: Any, cuts: Sequence[LoopConstraint], links: list[tuple[int, int]]
) -> Loops:
    """The rows of a mechanism, and six that give way for every link between two bodies.

    Their order is another one: which of dependent rows are chosen is not found here, but taken from
    the stage (see `matrix.take_choice`).
    """
    own: Loops = mechanism.loops
    first = mechanism.system.row_count
    tangent = [
        LoopConstraint(-1, a, b, tuple(range(first + 6 * k, first + 6 * k + 6)), rotors=(1.0,) * 6)
        for k, (a, b) in enumerate(links)
        if a >= 0
    ]
    if not tangent:
        return own._replace(choices=np.full_like(own.choices, -1))
    where = {source: row for row, source in enumerate(own.source.tolist())}
    kept = [cut._replace(rows=tuple(row for row in cut.rows if row in where)) for cut in cuts]
    loops = make_loops(mechanism.tree, [*kept, *tangent])
    at = np.array([where.get(source, -1) for source in loops.source.tolist()], np.int64)

    def carried(values: Any, beside: float) -> Any:
        return np.append(values, values.dtype.type(beside))[at]

    return loops._replace(
        joints=own.joints, in_world=own.in_world, joint_count=own.joint_count,
        damping=carried(own.damping, 0), floors=carried(own.floors, 0),
        scales=carried(own.scales, 1), is_damped=own.is_damped, is_chosen=own.is_chosen,
    )  # fmt: skip
