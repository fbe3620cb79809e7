"""A spanning tree of the joint graph: which joint carries each body, which joints close loops."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from math import dist

from chasles.model import GROUND, Driver, Joint, Model
from chasles.model.parts import joining
from chasles.spaces.space import made_once

#: What carries every body: (parent or "ground", joint), or None; and (neighbour, joint) of each.
Parents = dict[str, tuple[str, str] | None]
Neighbours = dict[str, list[tuple[str, str]]]
#: Relative spins that agree to so many digits after the point (rad/s) tie.
SPIN_DIGITS = 6
#: The rows by which a joint holds a point of each body together, as a ball does.
BALL_ROWS = ("ux", "uy", "uz")
#: What a rotor is worth: more than all rows of a joint.
ROTOR = 10
#: What a lower pair at a body without mass is worth: more than a rotor and all rows.
FRAME = 20
#: What a coupling is worth: more than all these.
COUPLED = 100
#: A body lighter than this fraction of the heaviest counts as one without mass.
LIGHT = 1e-7


@dataclass(frozen=True)
class SpanningTree:
    """What carries every body: (parent or "ground", joint), or None; and the joints left over.

    Bodies are in the order of their distance from the ground or from the root they hang on, so
    that parents come before their children.
    """

    parents: Parents
    cut: tuple[str, ...]


def spanning_tree(
    model: Model, cut: Collection[str] = (), pairs_only: bool = False
) -> SpanningTree:
    """The spanning tree of a model (see `grown_tree`), made once for each model."""
    pairs_only = pairs_only and not all(joint.is_lower_pair for joint in model.joints)
    wanted = "tree", pairs_only, tuple(cut)
    return made_once(model, wanted, {}, lambda: grown_tree(model, tuple(cut), pairs_only))


def pair_tree(model: Model, cut: Collection[str] = ()) -> SpanningTree:
    """The spanning tree of lower pairs, and of joints that are a ball and more: others are cut.

    A body that none of them carries is a free root.
    """
    return spanning_tree(model, cut, pairs_only=True)


def grown_tree(model: Model, cut: Collection[str], pairs_only: bool = False) -> SpanningTree:
    """The tree whose joints keep the most rows (see `rows_kept`), of little depth.

    Of joints that keep equally many it is the tree of least depth; ties go to the joint that spins
    less at the start, or locks more.  Loops are then cut as far from the ground as possible,
    between bodies that hang on short chains, and where the bodies turn fast against each other.  On
    60 random rings of 3 to 6 bodies (RK4, step 1e-3 s, 0.5 s) the error of the trajectory was 0.62
    of the mean over all cuts with this rule, 0.85 with the fastest joint cut wherever it is, 1.19
    with the deepest tree, and 0.40 with the best cut in hindsight; with the cut joint projected
    0.55, 0.59, 1.57 and 0.37.

    Joints named in `cut` are cut first, in that order, as long as every body stays on the tree.  A
    component that is not joined to the ground hangs on the body from which the others are nearest,
    the heaviest of those.
    """
    usable = [
        joint
        for joint in model.joints
        if joint.is_lower_pair or is_centred(joint) or not pairs_only
    ]
    neighbours = joint_graph(model, usable)
    names = {joint.name for joint in usable}
    avoided = frozenset(can_be_cut(model, [name for name in cut if name in names], usable))
    parents: Parents = {}
    grow(model, neighbours, avoided, parents, GROUND.name)
    for component in floating_components(neighbours, parents):
        root = centre_of(model, neighbours, component)
        parents[root] = None
        grow(model, neighbours, avoided, parents, root)
    parents = heaviest(model, parents, [name for name in names if name not in avoided])
    return tree_of(model, parents)


def tree_of(model: Model, parents: Parents) -> SpanningTree:
    """A tree of these carriers; the other joints are cut."""
    used = {carried[1] for carried in parents.values() if carried}
    return SpanningTree(parents, tuple(name for name in model.joint_names if name not in used))


def is_centred(joint: Joint) -> bool:
    """Whether a coupling is a ball and more: universal and constant-velocity joints are."""
    return not joint.is_lower_pair and joint.locked[: len(BALL_ROWS)] == BALL_ROWS


def rows_kept(model: Model) -> dict[str, int]:
    """How many rows of every joint a body's space can keep, if the joint carries the body.

    All of a lower pair; of a universal and a constant-velocity joint those of its centre, which are
    a ball's; of a point on a line or plane all, on SO(3)xR3 framed on it; none of other couplings.
    A driver on a coordinate of a lower pair is one row more: the coordinate is prescribed.  A rotor
    is felt by a coordinate only, so a joint with an armature carries if it can; a joint whose
    coordinates are coupled all the more.  A body without mass is to carry one that has some, or
    nothing resists its coordinates before loops close: loops are cut elsewhere.  So is a light one,
    or the rows of a joint there would compare 1 / m of both.
    """
    kept, light = {}, set(light_bodies(model))
    for joint in model.joints:
        if joint.is_lower_pair or joint.keeps_point_straight:
            kept[joint.name] = len(joint.locked)
        else:
            kept[joint.name] = len(BALL_ROWS) if is_centred(joint) else 0
    for driver in model.drivers:
        if isinstance(driver, Driver) and model.joint(driver.joint).is_lower_pair:
            kept[driver.joint] += 1
    for joint in model.joints:
        if joint.rotors:
            kept[joint.name] += ROTOR
        if joint.is_lower_pair and not {joint.a, joint.b}.isdisjoint(light):
            kept[joint.name] += FRAME
    for name in {name for coupling in model.couplings for name in coupling.joints}:
        kept[name] += COUPLED
    return kept


def light_bodies(model: Model) -> list[str]:
    """Bodies without mass, or with hardly any beside the heaviest."""
    limit = LIGHT * max((body.mass for body in model.bodies), default=0.0)
    return [body.name for body in model.bodies if body.mass < limit or body.mass == 0.0]


def heaviest(model: Model, parents: Parents, usable: Collection[str]) -> Parents:
    """A tree of the greatest sum of rows kept: joints are exchanged along loops while that gains.

    Spanning trees are bases of a matroid: where no single exchange gains, nothing does.
    """
    kept = rows_kept(model)
    if len({kept[name] for name in usable}) < 2:
        return parents
    tree = dict(parents)
    used = {carried[1] for carried in tree.values() if carried}
    waiting = [n for n in model.joint_names if n not in used and n in usable]
    while waiting:
        name = max(waiting, key=lambda n: kept[n])
        waiting.remove(name)
        joint = model.joint(name)
        loop = around(tree, joint.a, joint.b)
        if not loop:
            continue
        weakest = min(loop, key=lambda body: kept[carrier(tree, body)])
        if kept[carrier(tree, weakest)] < kept[name]:
            waiting.append(carrier(tree, weakest))
            exchange(tree, weakest, joint.a, joint.b, name)
    return by_depth(tree)


def carrier(tree: Parents, body: str) -> str:
    carried = tree[body]
    assert carried is not None  # roots are on no loop
    return carried[1]


def way_down(tree: Parents, body: str) -> list[str]:
    """A body and all that carry it, the ground left out."""
    way = []
    while body != GROUND.name:
        way.append(body)
        carried = tree[body]
        if carried is None:
            break
        body = carried[0]
    return way


def around(tree: Parents, a: str, b: str) -> list[str]:
    """Bodies whose carriers close a loop with a joint between a and b, the outermost first."""
    to_a, to_b = way_down(tree, a), way_down(tree, b)
    common = set(to_a) & set(to_b)
    return [body for body in (*to_b, *to_a) if body not in common and tree[body] is not None]


def exchange(tree: Parents, body: str, a: str, b: str, joint: str) -> None:
    """Let a joint between a and b carry what the joint of `body` has carried."""
    end, base = (a, b) if body in way_down(tree, a) else (b, a)
    way = way_down(tree, end)
    turn_round(tree, way[: way.index(body) + 1])
    tree[end] = (base, joint)


def turn_round(tree: Parents, way: list[str]) -> None:
    """From the first body of a way down to the last, what was carried carries."""
    tree.update({upper: (lower, carrier(tree, lower)) for lower, upper in pairwise(way)})


def by_depth(tree: Parents) -> Parents:
    """The same tree, bodies in the order of their distance from the ground or their root."""
    depth: dict[str, int] = {}
    for body in tree:
        for step in reversed(way_down(tree, body)):
            carried = tree[step]
            depth.setdefault(step, depth.get(carried[0], 0) + 1 if carried else 0)
    return dict(sorted(tree.items(), key=lambda item: depth[item[0]]))


def can_be_cut(model: Model, wanted: Collection[str], usable: Collection[Joint]) -> tuple[str, ...]:
    """Those of the wanted joints that can be cut together, the earlier before the later.

    The later ones are put back first, where they alone hold two parts together.
    """
    joins = joining((GROUND.name, *model.body_names))
    for joint in usable:
        if joint.name not in wanted:
            joins(joint.a, joint.b)
    held = [model.joint(name) for name in reversed(list(dict.fromkeys(wanted)))]
    return tuple(joint.name for joint in held if not joins(joint.a, joint.b))[::-1]


def joint_graph(model: Model, joints: Collection[Joint]) -> Neighbours:
    """(neighbour, joint) of every body and of the ground."""
    neighbours: Neighbours = {name: [] for name in model.body_names}
    neighbours[GROUND.name] = []
    for joint in joints:
        neighbours[joint.a].append((joint.b, joint.name))
        neighbours[joint.b].append((joint.a, joint.name))
    return neighbours


def grow(
    model: Model, neighbours: Neighbours, avoided: Collection[str], parents: Parents, root: str
) -> None:
    """Add all bodies that hang on `root`, layer by layer."""
    layer = [root]
    while layer:
        offers: Neighbours = {}
        for body in layer:
            for other, joint in neighbours[body]:
                if other not in parents and other != GROUND.name and joint not in avoided:
                    offers.setdefault(other, []).append((body, joint))
        for body, found in offers.items():
            parents[body] = found[0] if len(found) == 1 else cheapest(model, body, found)
        layer = list(offers)


def cheapest(model: Model, body: str, offers: list[tuple[str, str]]) -> tuple[str, str]:
    """Of several (parent, joint), the one that spins less at the start, or locks more.

    A planar pair last of those: it is charted by a group that few joints beside it are kept in.
    """

    def price(offer: tuple[str, str]) -> tuple[float, int, bool]:
        parent, joint = offer[0], model.joint(offer[1])
        return relative_spin(model, parent, body), -len(joint.locked), joint.kind == "planar"

    return min(offers, key=price)


def relative_spin(model: Model, one: str, other: str) -> float:
    """How fast two bodies turn against each other at the start, rad/s; 0 where it is not given."""
    omegas = []
    for name in (one, other):
        body = None if name == GROUND.name else model.body(name)
        if body is not None and body.angular_velocity is None:
            return 0.0
        rows, turning = (body.rotation, body.angular_velocity) if body else ((), ())
        omegas.append([sum(r * w for r, w in zip(row, turning or ())) for row in rows] or [0.0] * 3)
    return round(dist(*omegas), SPIN_DIGITS)


def floating_components(neighbours: Neighbours, reached: Collection[str]) -> list[list[str]]:
    """Bodies that no chain of joints leads to the ground, component by component."""
    seen, components = set(reached) | {GROUND.name}, []
    for start in neighbours:
        if start not in seen:
            component = walk(neighbours, start)
            seen.update(component)
            components.append(list(component))
    return components


def centre_of(model: Model, neighbours: Neighbours, component: list[str]) -> str:
    """The body from which the farthest is nearest, the heaviest if there are several.

    The middle of a longest path; exact on trees, and good enough on components with loops.
    """
    *_, first = walk(neighbours, component[0])
    path = walk(neighbours, first)
    way = [*path][-1:]
    while way[-1] != first:
        way.append(path[way[-1]])
    half = len(way) // 2
    middle = {way[half], way[len(way) - 1 - half]}
    return max((name for name in component if name in middle), key=lambda n: model.body(n).mass)


def walk(neighbours: Neighbours, start: str) -> dict[str, str]:
    """Bodies in the order in which a walk in layers reaches them, and where it came from."""
    came_from = {start: start}
    order = [start]
    for body in order:  # grows while it is walked through
        for other, _ in neighbours[body]:
            if other not in came_from and other != GROUND.name:
                came_from[other] = body
                order.append(other)
    return came_from
