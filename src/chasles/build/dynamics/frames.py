"""Frames without mass: refused where nothing resists them, or nothing can be divided by in time."""

import numpy as np

from chasles.build.start.rows import mass_matrices
from chasles.build.system.build import Setup
from chasles.build.system.tree_setup import TreeStorage, tree_setup
from chasles.build.system.tree_state import unit_twists
from chasles.core.arrays import Floats
from chasles.core.recursion.groups import LoopConstraint, Loops
from chasles.core.recursion.program import GIVE, make_program
from chasles.core.recursion.tables import weights_of
from chasles.core.recursion.tree import (
    COLUMN,
    DOF,
    FACTOR,
    FREE,
    GAIN,
    LINEAR,
    ROTARY,
    SLOT,
    SPHERICAL,
    SPHERICAL_ARMATURE,
    Tree,
    TreeWorkspace,
    turns_of,
)
from chasles.model import InvalidBody

#: Motions in which nothing with mass moves by more than this, relative to the frames, are idle.
IDLE = 1e-8
#: A pivot below this fraction of the inertia that a frame has been handed is rounding.
ROUNDED = 1e-12
#: Places of the diagonal in a lower triangle of up to six rows.
DIAGONAL = np.array([0, 2, 5, 9, 14, 20])


def check_frames(
    storage: TreeStorage, cuts: list[LoopConstraint], start: Floats, jacobian: Floats
) -> None:
    """Refuse those of a tree that no equation accelerates; `jacobian` is J at the start."""
    setup, tree = storage.setup, storage.tree
    if tree.rate_count == 0:
        return
    idle = idle_frame(storage, cuts, start, jacobian)
    if idle is not None:
        name, joint = names_of(setup, idle)
        raise InvalidBody(
            f"body '{name}' has no mass, and no body with mass follows it that resists all"
            f" motions of {joint}.",
            "Give it a mass, weld it to its parent, or connect a body with mass to it.",
        )
    loose, cuts = (tree.pair >= FREE).tolist(), [cut for cut in cuts if cut.rows]
    program = make_program(tree.parent.tolist(), loose, cuts, weights_of(tree))
    stuck = [body for body in program.stuck if tree.mass[body] == 0.0]
    if stuck:
        name, joint = names_of(setup, stuck[-1])
        raise InvalidBody(
            f"body '{name}' has no mass: {joint} is resisted only through joints that close loops,"
            " together with what moves on their other side, so that its acceleration has no"
            " equation of its own.",
            "Give it a small mass and inertia, or the joint a small armature if it is a hinge or a"
            " slider; or replace it and its joints by one joint: a Distance for a rod between two"
            " balls, a Universal for a cross.",
        )


def check_pivots(storage: TreeStorage, loops: Loops, cuts: list[LoopConstraint]) -> None:
    """Refuse frames that have nothing to divide by as they give way, once a factor is in
    `tree_work`.

    What hangs on one may leave one of its motions alone, which only rows that close later forbid:
    a universal joint is a ball that gives way, and a row.  Counting does not see that.
    """
    setup, tree, tree_work, _ = storage
    steps = loops.program.reshape(-1, 2).tolist()
    given = [body for kind, body in steps if kind == GIVE and tree.mass[body] == 0.0]
    stuck = next((body for body in given if not has_pivots(tree, tree_work, body)), None)
    if stuck is None:
        return
    name, joint = names_of(setup, stuck)
    names = list(setup.joint_index)
    beside = [names[cut.joint] for cut in cuts if stuck in (cut.a, cut.b)]
    later = f"'{beside[0]}'" if beside else "joints that close loops"
    raise InvalidBody(
        f"body '{name}' has no mass, and what hangs on it does not resist all motions of {joint}"
        f" by itself: the constraints of {later} are solved later, so that its acceleration has no"
        " equation of its own.",
        "Give it a small mass, or put two Revolute joints with a frame between them in the place of"
        " a Universal.",
    )


def has_pivots(tree: Tree, tree_work: TreeWorkspace, body: int) -> bool:
    """Whether all coordinates of a frame were divided by more than rounding."""
    row, pair = tree_work.rows[body], int(tree.pair[body])
    turning, shifting = (row[at + DIAGONAL[:3]].max() for at in (ROTARY, LINEAR))
    if pair >= FREE:
        factor = row[FACTOR : FACTOR + 21]
        whole = diagonal_of_product(factor).reshape(2, 3)
        inverses, sizes = factor[DIAGONAL], np.repeat(whole.max(axis=1), 3)
    elif pair == SPHERICAL:
        inverses, sizes = row[COLUMN + DIAGONAL[:3]], np.repeat(turning, 3)
    else:
        rates = slice(tree.rate_at[body], tree.rate_at[body] + DOF[pair])
        turns = 3 if pair == SPHERICAL_ARMATURE else turns_of(pair)
        screwing = turning + tree.pitch[body] ** 2 * shifting
        sizes = np.where(np.arange(DOF[pair]) < turns, screwing, shifting) + tree.armature[rates]
        free = tree.driven[rates] < 0
        inverses, sizes = row[GAIN : GAIN + SLOT * DOF[pair] : SLOT][free], sizes[free]
    return bool(np.all(inverses * sizes * ROUNDED < 1.0) and np.all(inverses > 0.0))


def diagonal_of_product(factor: Floats) -> Floats:
    """(6,) Of L D L^T, from L and 1 / D."""
    lower = np.zeros((6, 6))
    lower[np.tril_indices(6)] = factor
    pivots = 1.0 / np.diag(lower)
    np.fill_diagonal(lower, 1.0)
    found: Floats = lower**2 @ pivots
    return found


def names_of(setup: Setup, body: int) -> tuple[str, str]:
    """A body, and the joint that carries it, in words."""
    name = list(setup.body_index)[body]
    carried = tree_setup(setup).carried.parents[name]
    return name, f"joint '{carried[1]}'" if carried else f"'{name}'"


def idle_frame(
    storage: TreeStorage, cuts: list[LoopConstraint], start: Floats, jacobian: Floats
) -> int | None:
    r"""A body without mass that may move at the start where nothing with mass does; None if none.

    $M v = 0$ and $J v = 0$ for some $v \ne 0$.
    """
    tree, inertia = storage.tree, mass_matrices(storage.setup.system)
    twists = unit_twists(tree, storage.tree_work, start)
    felt = np.einsum("nkl,vnl->vnk", inertia, twists).reshape(tree.rate_count, -1)
    rows = [rows_of(cut, jacobian, twists) for cut in cuts if not cut.is_coupling]
    for cut in (cut for cut in cuts if cut.is_coupling):
        row = np.abs(twists[:, list(cut.ties)]).sum(axis=(1, 2))
        row[[term.rate for term in cut.terms]] = 1.0
        rows.append(row[None])
    parts = [felt.T, *rows, np.diag(tree.armature), np.diag((tree.driven >= 0).astype(float))]
    matrix = np.concatenate([part / (np.abs(part).max(initial=0.0) or 1.0) for part in parts])
    lengths = np.linalg.norm(matrix, axis=0)
    matrix = matrix / np.where(lengths > IDLE * lengths.max(initial=0.0), lengths, 1.0)
    _, values, right = np.linalg.svd(matrix, full_matrices=True)
    values = np.concatenate((values, np.zeros(tree.rate_count - len(values))))
    if not len(values) or values[-1] > IDLE * values[0]:
        return None
    massless = np.repeat(tree.mass == 0.0, np.array(DOF)[tree.pair])
    found = int(np.argmax(np.where(massless, np.abs(right[-1]), 0.0)))
    moves = np.array(DOF)[tree.pair] > 0
    return int(np.flatnonzero((tree.rate_at <= found) & moves)[-1])


def rows_of(cut: LoopConstraint, jacobian: Floats, twists: Floats) -> Floats:
    """(rows, k) The rates of a cut joint's rows of J (rows, 12) at some twists (k, n, 6)."""
    total = np.zeros((len(cut.rows), len(twists)))
    for side, body in enumerate((cut.a, cut.b)):
        if body >= 0:
            total += jacobian[list(cut.rows), 6 * side : 6 * side + 6] @ twists[:, body].T
    return total
