r"""From words to numbers: a model and its spanning tree become the arrays of a `Tree`.

Between the two stands a list of `Link`s, one per body, parents first, in the bodies' own frames.
Links may be massless, which bodies of a model may not: a massless cross between two hinges makes a
universal joint, as long as something with mass hangs on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from chasles.core.arrays import Floats, Integers
from chasles.core.recursion.denormals import LONG
from chasles.core.recursion.tree import (
    DOF,
    EXP,
    PAIR_CODES,
    SPHERICAL,
    SPHERICAL_ARMATURE,
    STORED,
    Tree,
)
from chasles.model.pairs import ANY_POINT, COORDINATES_OF, pair_of_rows

#: The axes of a body, a little askew: measured along these, no axis is undecided between two of
#: them at half a right angle, as it would be along the axes themselves.
NEARLY = np.array([[1.0, 0.1, 0.03], [-0.07, 1.0, 0.13], [0.05, -0.11, 1.0]])
ORDERS = np.array(list(permutations(range(3))))


def principal_axes(inertia: Floats) -> Floats:
    """Of inertias (n, 3, 3): axes as columns, right-handed, those nearest to the body's own.

    LAPACK orders them by their moments and leaves their signs open.  Both jump where moments change
    places, or for no reason at all, and with them all arrays that are written in these axes.
    """
    axes = np.linalg.eigh(inertia)[1]
    along = NEARLY @ axes  # [n, axis of the body, principal axis]
    scores = np.abs(along[:, np.arange(3), ORDERS[:, None, :]][:, :, 0]).sum(axis=-1)
    order = ORDERS[np.argmax(scores, axis=1)]
    found = np.take_along_axis(axes, order[:, None, :], axis=2)
    found *= np.where(np.einsum("ki,nik->nk", NEARLY, found) < 0.0, -1.0, 1.0)[:, None, :]
    found[:, :, 2] *= np.sign(np.linalg.det(found))[:, None]
    return np.ascontiguousarray(found)


#: Pairs that lock nothing, in principal axes about their point.
LOOSE = ("free", "SO3xR3", "SE3")
ORIGIN = np.zeros(3)
#: Of so many bodies of a long chain one flushes numbers far below round-off.
EVERY = 16


@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it: frames as (axes as columns, point from the COM)."""

    name: str
    parent: int  # -1: the ground
    pair: str  # one of PAIR_CODES
    mass: float
    inertia: Any  # (3, 3) about the centre of mass, body axes
    axes_parent: Floats  # the joint's frame on the parent
    point_parent: Floats
    axes: Floats  # the joint's frame on the body
    point: Floats
    pitch: float = 0.0
    armature: tuple[float, ...] = ()  # one number per coordinate, or none
    driven: tuple[int, ...] = ()  # first signal of every coordinate, -1: none; or none
    joint: str = ""
    reference: int = -1  # what the chart of a body that hangs on nothing is relative to


def free_link(body: Any, pair: str = "free", point: Floats = ORIGIN, reference: int = -1) -> Link:
    """A body that no joint carries; its chart is at `point` from the centre of mass, body axes."""
    return Link(
        body.name, -1, pair, body.mass, body.inertia, np.eye(3), ORIGIN, np.eye(3), point,
        reference=reference,
    )  # fmt: skip


def pair_kind(joint: Any) -> str | None:
    """The pair that a joint is: what it leaves free is a subgroup, whatever its class; or None."""
    if not joint.is_lower_pair:
        return None
    return pair_of_rows(joint.locked, joint.pitch != 0.0)


def words_of(joint: Any) -> tuple[str, ...]:
    """The coordinates of a joint's pair in words, in the order of its velocities."""
    return COORDINATES_OF.get(pair_kind(joint) or "", ())


# --- arrays ---------------------------------------------------------------------------------------


def build_tree(links: Sequence[Link], gravity: Any) -> Tree:
    """The arrays of the links, in the frames the recursion works in."""
    axes, centres, points, inertia = working_frames(links)
    pairs = [pair_of(link) for link in links]
    stored = np.concatenate(([0], np.cumsum([STORED[pair] for pair in pairs])))
    rates = np.concatenate(([0], np.cumsum([DOF[pair] for pair in pairs])))
    count = len(links)
    parents = np.array([link.parent for link in links], np.int64)
    # The ground's number, -1, is the last row.
    back = np.swapaxes(np.concatenate((axes, np.eye(3)[None])), 1, 2)[parents]
    between = np.array([link.axes_parent for link in links]) @ np.swapaxes(
        np.array([link.axes for link in links]), 1, 2
    )
    # The joint's frame, moved along with the point that the child puts it at.
    moved = points - np.array([link.point for link in links])
    at = np.array([link.point_parent for link in links]) + (between @ moved[:, :, None])[:, :, 0]
    turn = back @ between @ axes
    lever = (back @ at[:, :, None])[:, :, 0] + np.concatenate((centres, ORIGIN[None]))[parents]
    masses = np.array([link.mass for link in links])
    references = np.array([link.reference for link in links], np.int64)
    latest = {parent: k for k, parent in enumerate(parents.tolist())}
    numbers = [(link.armature or (0.0,) * DOF[p]) for link, p in zip(links, pairs)]
    driven = [(link.driven or (-1,) * DOF[p]) for link, p in zip(links, pairs)]
    signals = np.array([k for ks in driven for k in ks], np.int64)
    tree = Tree(
        parent=parents,
        base=np.where(parents < 0, references, parents),
        pair=np.array(pairs, np.int64),
        stored_at=stored[:-1].astype(np.int64),
        rate_at=rates[:-1].astype(np.int64),
        turn=turn.reshape(count, 9),
        lever=lever,
        mass=masses,
        moment=masses[:, None] * centres,
        inertia=inertia,
        is_spherical_leaf=np.zeros(count, np.int64),
        leaf=np.zeros((count, 9)),
        pitch=np.array([link.pitch for link in links]),
        armature=np.array([x for xs in numbers for x in xs], float),
        driven=signals,
        is_leaf=1 - np.isin(np.arange(count), parents).astype(np.int64),
        is_later=np.array([k != latest[p] for k, p in enumerate(parents.tolist())], np.int64),
        flushes=flushing_bodies(parents),
        axes=axes.reshape(count, 9),
        centre=centres,
        gravity=np.array(gravity, float),
        body_count=count,
        stored_count=int(stored[-1]),
        rate_count=int(rates[-1]),
        driven_count=int((signals >= 0).sum()),
        map=EXP,
    )
    is_spherical_leaf, leaf = spherical_leaves(tree)
    return tree._replace(is_spherical_leaf=is_spherical_leaf, leaf=leaf)


def pair_of(link: Link) -> int:
    """The code of a pair; a ball with rotors is solved coordinate by coordinate."""
    geared = link.pair == "spherical" and any(link.armature)
    return SPHERICAL_ARMATURE if geared else PAIR_CODES[link.pair]


def working_frames(links: Sequence[Link]) -> tuple[Floats, Floats, Floats, Floats]:
    """Of all bodies: their working axes (columns, body frame), the centre of mass from P in them, P
    from the centre of mass in the body frame, and the inertia about P in working axes (lower
    triangle).
    """
    points = np.array([ORIGIN if link.pair in ANY_POINT else link.point for link in links])
    masses = np.array([link.mass for link in links])
    squares = np.einsum("ni,ni,jk->njk", points, points, np.eye(3))
    levers = squares - np.einsum("ni,nj->nij", points, points)
    about = np.array([link.inertia for link in links]) + masses[:, None, None] * levers
    axes = np.array([link.axes for link in links], float)
    free = np.array([link.pair in ("spherical", *LOOSE) for link in links])
    if free.any():
        axes[free] = principal_axes(about[free])
    inside = np.swapaxes(axes, 1, 2) @ about @ axes
    lower = inside[:, [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]]
    lower[np.ix_(free.tolist(), [1, 3, 4])] = 0.0  # principal axes
    centres = -np.einsum("nji,nj->ni", axes, points)
    # Kernels count on rows that follow each other.
    return axes, np.ascontiguousarray(centres), points, np.ascontiguousarray(lower)


def with_feathers(tree: Tree, weight: float = 1.0) -> Tree:
    """The same, where bodies without mass weigh such a part of the lightest.

    For questions about rows: which move, repeat or contradict each other.  Or where rows are loads,
    and give no body any inertia.
    """
    if tree.mass.all():
        return tree
    heavy = tree.mass > 0.0
    least = tree.inertia[heavy][:, [0, 2, 5]]
    ball = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]) * weight * least[least > 0.0].min(initial=1.0)
    return tree._replace(
        mass=np.where(heavy, tree.mass, weight * tree.mass[heavy].min(initial=1.0)),
        inertia=np.where(heavy[:, None], tree.inertia, ball),
    )


def undriven(tree: Tree) -> Tree:
    """The same tree, all of whose coordinates are free."""
    return tree._replace(driven=np.full(tree.rate_count, -1, np.int64), driven_count=0)


def flushing_bodies(parents: Integers) -> Integers:
    """(n,) whether a body sweeps; parents come before their children."""
    depth = np.zeros(len(parents), np.int64)
    for body, parent in enumerate(parents.tolist()):
        depth[body] = depth[parent] + 1 if parent >= 0 else 0
    return ((depth.max(initial=0) >= LONG) & (depth % EVERY == 0)).astype(np.int64)


def spherical_leaves(tree: Tree) -> tuple[Integers, Floats]:
    """(n,) whether a body is such a ball; (n, 9) 1 / d and the lower triangle of M' of those."""
    d, (x, y, z) = tree.inertia[:, [0, 2, 5]], tree.moment.T
    balls = (tree.pair == SPHERICAL) & (tree.is_leaf != 0) & (d > 0.0).all(axis=1)
    p, q, r = (1.0 / np.where(balls[:, None], d, 1.0)).T
    m = tree.mass
    left = (
        m - (z * z * q + y * y * r),
        x * y * r, m - (z * z * p + x * x * r),
        x * z * q, y * z * p, m - (y * y * p + x * x * q),
    )  # fmt: skip
    return balls.astype(np.int64), np.stack((p, q, r, *left), axis=1)
