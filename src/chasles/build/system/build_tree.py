r"""From words to numbers: a model and its spanning tree become the arrays of a `Tree`.

Between the two stands a list of `Link`s, one per body, parents first, in the bodies' own frames.
Links may be massless, which bodies of a model may not: a massless cross between two hinges makes a
universal joint, as long as something with mass hangs on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from chasles.build.system.build_frames import carried_frames, carriers
from chasles.build.system.principal import principal_axes
from chasles.core.arrays import Floats
from chasles.core.frames import joint_frames
from chasles.core.recursion.dust import sweepers
from chasles.core.recursion.tips import tips_of
from chasles.core.recursion.tree import DOF, EXP, GEARED, PAIR_CODES, STORED, Tree
from chasles.model import GROUND, Driver, InvalidBody, InvalidJoint, InvalidModel, Model
from chasles.model.pairs import ANY_POINT, COORDINATES_OF, pair_of_rows
from chasles.spaces.tree import Tree as SpanningTree
from chasles.spaces.tree import is_centred, spanning_tree

#: Pairs that lock nothing, in principal axes about their point.
LOOSE = ("free", "SO3xR3", "SE3")
FLIP = np.diag([1.0, -1.0, -1.0])
ORIGIN = np.zeros(3)


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


def links_of(
    model: Model,
    order: Sequence[str],
    tree: SpanningTree | None = None,
    drives: Mapping[str, int] | None = None,
    frames: "JointFrames | None" = None,
    charts: Mapping[str, "LooseChart"] | None = None,
) -> list[Link]:
    """A link for every body in the given order, parents first.

    drives    by driver: its first signal
    frames    of the joints, where they are known already
    charts    of the bodies that no joint carries: SO(3)xR3 at the centre of mass, if none is given

    Where the joint names its bodies the other way round, z points the other way: coordinates are
    those of the joint's b against its a.
    """
    tree = tree or spanning_tree(model)
    index = {name: place for place, name in enumerate(order)}
    frames = frames or JointFrames.of_carriers(model, tree)
    links = []
    for name in order:
        body, carried = model.body(name), tree.parents[name]
        parent = -1 if carried is None or carried[0] == GROUND.name else index[carried[0]]
        if parent >= index[name]:
            raise InvalidModel(
                f"body '{name}' comes before '{order[parent]}', which carries it.",
                "Order the bodies so that parents come first.",
            )
        if carried is None:
            links.append(loose_link(body, (charts or {}).get(name, LooseChart()), index))
            continue
        joint = model.joint(carried[1])
        pair = "spherical" if is_centred(joint) else pair_kind(joint)
        if pair is None:
            raise InvalidJoint(
                f"joint '{joint.name}' is {joint.kind} and carries body '{name}', but only a lower"
                " pair has a motion subgroup.",
                "Let a lower pair carry the body, and cut this joint.",
            )
        links.append(
            Link(
                name, parent, pair, body.mass, body.inertia, *frames.of(joint, name),
                pitch=joint.pitch, armature=joint.rotors,
                driven=driven_of(model, joint, drives or {}), joint=joint.name,
            )
        )  # fmt: skip
    return links


@dataclass(frozen=True)
class LooseChart:
    """The chart of a body that no joint carries."""

    group: str = "SO3xR3"
    point: Any = (0.0, 0.0, 0.0)  # the frame point from the centre of mass, body axes
    relative_to: str | None = None


def loose_link(body: Any, chart: LooseChart, index: Mapping[str, int]) -> Link:
    """A body on a chart: what moves it against its reference locks nothing."""
    reference = -1 if chart.relative_to is None else index[chart.relative_to]
    pair = "SE3" if chart.group == "SE3" else "free" if reference < 0 else "SO3xR3"
    return Link(
        body.name, -1, pair, body.mass, body.inertia, np.eye(3), np.zeros(3), np.eye(3),
        np.array(chart.point, float), reference=reference,
    )  # fmt: skip


def free_links(model: Model, names: Iterable[str]) -> list[Link]:
    """All bodies free, at their centres of mass."""
    return [loose_link(model.body(name), LooseChart(), {}) for name in names]


def pair_kind(joint: Any) -> str | None:
    """The pair that a joint is: what it leaves free is a subgroup, whatever its class; or None."""
    if not joint.is_lower_pair:
        return None
    return pair_of_rows(joint.locked, joint.pitch != 0.0)


def words_of(joint: Any) -> tuple[str, ...]:
    """The coordinates of a joint's pair in words, in the order of its velocities."""
    return COORDINATES_OF.get(pair_kind(joint) or "", ())


class JointFrames:
    """The frames of joints, each in its bodies' own frames.

    columns   b, axes_a ... point_b of the joints, as `Joints` has them
    place     by joint: its row there
    index     by body: its number in b
    """

    def __init__(self, columns: Any, place: Mapping[str, int], index: Mapping[str, int]) -> None:
        self.place, self.index, self.ends = place, index, columns.b.tolist()
        self.sides = (
            (columns.axes_a.reshape(-1, 3, 3), columns.point_a),
            (columns.axes_b.reshape(-1, 3, 3), columns.point_b),
        )

    @classmethod
    def of_carriers(cls, model: Model, tree: SpanningTree) -> "JointFrames":
        """Of the joints of a tree, without the arrays of a setup."""
        joints = [model.joint(carried[1]) for carried in tree.parents.values() if carried]
        names, by = [f"joint '{joint.name}'" for joint in joints], carriers(list(model.bodies))
        columns = carried_frames([joint_frames(joint) for joint in joints], names, by)
        place = {joint.name: k for k, joint in enumerate(joints)}
        return cls(SimpleNamespace(**columns), place, by.index)

    def of(self, joint: Any, child: str) -> tuple[Floats, Floats, Floats, Floats]:
        """The joint's frame on the parent and on the child: axes as columns, point."""
        k = self.place[joint.name]
        sides = self.sides[:: 1 if self.ends[k] == self.index[child] else -1]
        (axes_p, point_p), (axes_c, point_c) = ((axes[k], point[k]) for axes, point in sides)
        if child != joint.b:  # z points the other way
            axes_p, axes_c = axes_p @ FLIP, axes_c @ FLIP
        return axes_p, point_p, axes_c, point_c


def driven_of(model: Model, joint: Any, drives: Mapping[str, int]) -> tuple[int, ...]:
    """The first signal of every coordinate of a joint; nothing where none is driven."""
    known = words_of(joint)
    found = [-1] * len(known)
    for driver in model.drivers:
        if isinstance(driver, Driver) and driver.joint == joint.name and driver.name in drives:
            found[known.index(driver.coordinate)] = drives[driver.name]
    return tuple(found) if any(k >= 0 for k in found) else ()


# --- arrays ---------------------------------------------------------------------------------------


def build_tree(links: Sequence[Link], gravity: Any) -> Tree:
    """The arrays of the links, in the frames the recursion works in."""
    check_masses(links)
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
        is_tip=np.zeros(count, np.int64),
        tip=np.zeros((count, 9)),
        pitch=np.array([link.pitch for link in links]),
        armature=np.array([x for xs in numbers for x in xs], float),
        driven=signals,
        is_leaf=1 - np.isin(np.arange(count), parents).astype(np.int64),
        is_later=np.array([k != latest[p] for k, p in enumerate(parents.tolist())], np.int64),
        sweeps=sweepers(parents),
        axes=axes.reshape(count, 9),
        centre=centres,
        gravity=np.array(gravity, float),
        body_count=count,
        stored_count=int(stored[-1]),
        rate_count=int(rates[-1]),
        driven_count=int((signals >= 0).sum()),
        map=EXP,
    )
    is_tip, tip = tips_of(tree)
    return tree._replace(is_tip=is_tip, tip=tip)


def pair_of(link: Link) -> int:
    """The code of a pair; a ball with rotors is solved coordinate by coordinate."""
    geared = link.pair == "spherical" and any(link.armature)
    return GEARED if geared else PAIR_CODES[link.pair]


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


def check_masses(links: Sequence[Link]) -> None:
    for link in links:
        if link.mass < 0.0 or not np.isfinite(link.mass):
            raise InvalidBody(
                f"body '{link.name}': mass must be 0 kg or more, got {link.mass:g}.",
                "Give a mass, or 0 for a frame that carries others.",
            )
