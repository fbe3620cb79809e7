r"""Rows of cut joints that spaces keep: constant equations of the velocities.

Where the poses that a joint allows are a coset in the product of the charts and subgroups that
place its bodies (see `spaces.exactness`), the velocities v of the tree that it allows are one and
the same subspace at all of them,

$$ N v = 0, \qquad N = J\,\partial V/\partial v \text{ at the start.} $$

In doubles v leaves it by an ulp, and what has left it grows: two charts of
SO(3)xR3 framed on a common ball joint come apart by 300 m where both spin with 300 rad/s (Heun,
1 ms, 40 s).  So $N^+ N$ of them is taken away from the rates of v at every stage, and from v
after every step; they are rounding errors, and no metric matters.
"""

import numpy as np

from chasles.build.dynamics.cut_joints import slides_of
from chasles.build.dynamics.frames import rows_of
from chasles.build.dynamics.solver import Solver
from chasles.build.system.build import Setup
from chasles.build.system.tree_setup import TreeStorage
from chasles.build.system.tree_state import unit_twists
from chasles.core.arrays import Floats, Integers
from chasles.core.recursion.groups import LoopConstraint
from chasles.core.stabilisation import ConstantRows, no_constant_rows
from chasles.spaces.exactness import exact_joints

#: Entries of N below this share of what is added up in their row are rounding errors, and singular
#: values below this share of the largest: of redundant rows.
RANK = 1e-10
#: Rows of a group that are taken together: of more, a dense matrix would cost more than a step.
MOST_TOGETHER = 12
#: Velocities whose twists are looked at together: all of a large model would fill the memory.
AT_ONCE = 64


def constant_rows(
    storage: TreeStorage, solver: Solver, cuts: list[LoopConstraint], start: Floats, held: Integers
) -> ConstantRows:
    """N and its pseudo-inverse, of cut joints that hold to rounding; `held` marks joints (m,) that
    are stabilised.
    """
    setup, tree = storage.setup, storage.tree
    exact = {setup.joint_index[name] for name in constant_row_joints(setup, held)}
    kept = [cut for cut in cuts if cut.joint in exact and not cut.rotors]
    if not kept or tree.rate_count == 0:
        return no_constant_rows()
    parts, lengths_of_parts = [], []
    for first in range(0, tree.rate_count, AT_ONCE):
        twists = unit_twists(tree, storage.tree_work, start, first, first + AT_ONCE)
        parts.append(np.concatenate([rows_of(cut, solver.jacobian, twists) for cut in kept]))
        long = (halves(solver.jacobian), halves(twists))
        lengths_of_parts.append(np.concatenate([rows_of(cut, *long) for cut in kept]))
    matrix, lengths = (np.concatenate(found, axis=1) for found in (parts, lengths_of_parts))
    sizes = np.where(slides_of(tree), setup.longest_lever or 1.0, 1.0)
    reach = (lengths * sizes).max(axis=1, initial=0.0, keepdims=True)
    matrix[np.abs(matrix * sizes) <= RANK * reach] = 0.0
    joints = np.repeat(np.arange(len(kept)), [len(cut.rows) for cut in kept])
    return in_groups(matrix, sizes, np.where(reach > 0.0, reach, 1.0), joints)


def constant_row_joints(setup: Setup, held: Integers) -> tuple[str, ...]:
    """The joints whose rows are kept, if they are cut: those that a stabiliser leaves alone.

    What it closes may be open by more than rounding errors, at singular poses that a run passes,
    and is to be closed in the metric of the masses: the ladder of four-bars lost three digits here.
    """
    index = setup.joint_index
    return tuple(n for n in exact_joints(setup.model, setup.spaces) if held[index[n]] == 0)


def in_groups(matrix: Floats, sizes: Floats, reach: Floats, joints: Integers) -> ConstantRows:
    """Rows and velocities in groups that have nothing to do with each other.

    sizes   what velocities are large or small against
    reach   (rows, 1) of what is added up in a row: metres and radians are compared by it
    joints  (rows,) whose they are

    A large group, in which hundreds of joints hang together, is taken joint by joint instead, one
    after the other: what one of them leaves of the misses of others is less than it was.
    """
    from scipy.sparse import csr_array  # late: few models need them
    from scipy.sparse.csgraph import connected_components

    touched = matrix != 0.0
    shared = csr_array((touched.astype(float) @ touched.T.astype(float)) > 0.0)
    count, label = connected_components(shared, directed=False)
    groups = [np.flatnonzero(label == group) for group in range(count)]
    blocks = []
    for rows in [part for group in groups for part in split_by_joint(group, joints)]:
        columns = np.flatnonzero(touched[rows].any(axis=0))
        if len(columns):
            own, scale = matrix[np.ix_(rows, columns)], sizes[columns]
            inverse = np.linalg.pinv(own * scale / reach[rows], RANK)
            blocks.append((columns, own, inverse.T * scale / reach[rows]))
    if not blocks:
        return no_constant_rows()
    return ConstantRows(
        count=len(blocks),
        rows=np.array([len(own) for _, own, _ in blocks]),
        widths=np.array([len(columns) for columns, _, _ in blocks]),
        columns=np.concatenate([columns for columns, _, _ in blocks]),
        matrix=np.concatenate([own.ravel() for _, own, _ in blocks]),
        inverse=np.concatenate([inverse.ravel() for _, _, inverse in blocks]),
        residual=np.zeros(max(len(own) for _, own, _ in blocks)),
    )


def split_by_joint(rows: Integers, joints: Integers) -> list[Integers]:
    """Rows of a group, by joint if they are many."""
    if len(rows) <= MOST_TOGETHER:
        return [rows]
    return [rows[joints[rows] == joint] for joint in np.unique(joints[rows])]


def halves(values: Floats) -> Floats:
    r"""Angular and linear parts as long as they are, along one axis.

    Products are then $|j||v|$: what $j\cdot v$ is a rounding error against where it vanishes.
    """
    out = np.zeros_like(values)
    for first in range(0, values.shape[-1], 3):
        out[..., first] = np.linalg.norm(values[..., first : first + 3], axis=-1)
    return out
