"""Models some of whose bodies move in the motion subgroups of the joints that carry them.

The others may be on charts of six dimensions, SE(3) or SO(3)xR3, absolute or relative.  Such a body
is carried by nothing: its joints are cut, and have rows.  Only where its chart fits a joint to its
reference the body moves in that joint's subgroup, which is what its chart would do.

When a chart fits: let the chart of b be relative to a and keep the joint between them.  The poses
that the joint allows are a coset of a subgroup K of the chart's group.  Where K, with its product
in the chart, is the motion subgroup H of the joint as the recursion has it, a Munthe-Kaas method
makes the same steps on either, and H is the better one: what is not there cannot round.

| pair                                    | on SE(3)  | on SO(3)xR3                       |
|-----------------------------------------|-----------|-----------------------------------|
| spherical                               | H = SO(3) | H, framed on its centre           |
| revolute, cylindrical, helical          | H         | H, framed on its axis             |
| prismatic, fixed                        | H         | H                                 |
| planar                                  | SE(2)     | H, framed on the centre of mass   |

The planar pair's H is SO(2) x R^2, whose shifts are those of the centre of mass.  SE(2) and shifts
of other points are other groups on the same poses: there the body stays on its chart, with rows.
"""

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from chasles.model import GROUND, InvalidOption, Joint, Model, Planar
from chasles.model.words import Floats
from chasles.spaces.space import Space, frame_point, made_once, reference_order
from chasles.spaces.subalgebras import Scale
from chasles.spaces.tree import (
    Parents,
    SpanningTree,
    is_centred,
    joint_graph,
    spanning_tree,
    tree_of,
)

#: Two points this close, in sizes of the bodies, are one.
SAME_POINT = 1e-14


def local_scale(joint: Joint, model: Model, child: str, space: Space) -> Scale:
    """Lengths about a joint, in sizes of its bodies: whether a frame point is on the joint."""
    at = np.array(joint.at)
    points = [model.body(n).position for n in (joint.a, joint.b) if n != GROUND.name]
    points.append(frame_point(space, model.body(child), model))
    reach = max(float(np.linalg.norm(np.subtract(point, at))) for point in points)
    return Scale(at, max(reach, abs(joint.pitch)) or 1.0)


def distance(joint: Joint, point: Floats) -> float:
    """From a point to a joint's centre or axis."""
    lever = point - np.array(joint.at)
    if joint.kind != "spherical":
        lever = lever - np.array(joint.axis) * (lever @ np.array(joint.axis))
    return float(np.linalg.norm(lever))


def fits(model: Model, joint: Joint, child: str, space: Space) -> bool:
    """Whether the chart of a body moves in the subgroup of a lower pair to its reference."""
    body = model.body(child)
    point = frame_point(space, body, model)
    if isinstance(joint, Planar):
        return space.group != "SE3" and point == body.position
    if space.group == "SE3" or space.at == joint.name or joint.any_frame_point:
        return True
    off = distance(joint, np.array(point))
    return off <= SAME_POINT * local_scale(joint, model, child, space).length


def fitting_joint(model: Model, name: str, space: Space, joints: Iterable[Joint]) -> Joint | None:
    """The lower pair in whose motion subgroup a chart of six dimensions moves its body, if any.

    Of several among the joints of the body the one that locks most.
    """
    reference = space.relative_to or GROUND.name
    found = [
        joint
        for joint in joints
        if joint.is_lower_pair
        and {joint.a, joint.b} == {name, reference}
        and fits(model, joint, name, space)
    ]
    return max(found, key=lambda joint: len(joint.locked), default=None)


CHARTS = "Take spaces='subgroups', which names the joints itself, or 'auto'."


def on_subgroups(spaces: Mapping[str, Space]) -> bool:
    """Whether any body of a model is on the subgroup of its joint: the recursion runs it."""
    return any(space.group == "subgroup" for space in spaces.values())


def is_charted(spaces: Mapping[str, Space], name: str) -> bool:
    """Whether a body (not the ground) is on a chart of six dimensions."""
    return name in spaces and spaces[name].group != "subgroup"


def tree_under(model: Model, forced: Mapping[str, Space], cut: Collection[str]) -> SpanningTree:
    """The tree that spaces lie on: subgroups name theirs, the others have a spanning tree."""
    if len(forced) == len(model.bodies) and on_subgroups(forced):
        return mixed_tree(model, forced)
    return spanning_tree(model, cut)


def carriers(model: Model, spaces: Mapping[str, Space], fit: bool = True) -> Parents:
    """What bodies on the subgroups of their joints hang on, parents first.

    Bodies on charts that fit no joint are carried by none, nor are others without `fit`; references
    come before them, too.
    """
    parents: Parents = {}
    charted = any(is_charted(spaces, name) for name in spaces)
    around = joint_graph(model, model.joints) if charted else {}
    for name in reference_order(model, spaces):
        space = spaces[name]
        at = space.at
        if is_charted(spaces, name):
            joints = [model.joint(joint) for _, joint in around[name]] if fit else []
            fitting = fitting_joint(model, name, space, joints)
            at = fitting.name if fitting else None
        parents[name] = (space.relative_to or GROUND.name, at) if isinstance(at, str) else None
    return parents


def subgroup_tree(model: Model, spaces: Mapping[str, Space], fit: bool = True) -> SpanningTree:
    """The tree of `carriers`, but for bodies on charts beside massless frames (`beside_frames`).

    These stay on their charts, with rows for all of their joints, and make the same steps.
    """

    def make() -> SpanningTree:
        parents = carriers(model, spaces, fit)
        for name in beside_frames(model, parents):
            if is_charted(spaces, name):
                parents[name] = None
        return tree_of(model, parents)

    return made_once(model, ("subgroup tree", fit), spaces, make)


def beside_frames(model: Model, parents: Parents) -> list[str]:
    """Bodies that a cut joint connects with a massless frame on which nothing hangs.

    A frame can be eliminated only after it was given inertia.  The rows of the cut joint do that,
    if the body on their other side was eliminated first, and passed nothing to a parent: if it has
    six dimensions.
    """
    carrying = {carried[0] for carried in parents.values() if carried}
    bare = {body.name for body in model.bodies if body.mass == 0.0} - carrying
    found = []
    for name in tree_of(model, parents).cut if bare else ():
        ends = model.joint(name).a, model.joint(name).b
        for frame, other in (ends, ends[::-1]):
            if frame in bare and other not in (*bare, *carrying, GROUND.name):
                found.append(other)
    return found


def mixed_tree(model: Model, spaces: Mapping[str, Space]) -> SpanningTree:
    """The same, but bodies on charts hang on a joint as well where they can: for predictions.

    What a chart is confined to follows from the rows of its joints wherever it keeps that, whether
    the joint carries the body or is cut.  A joint to the reference comes first.
    """
    carried = carriers(model, spaces)
    waiting = [name for name, on in carried.items() if on is None and is_charted(spaces, name)]
    if not waiting:
        return tree_of(model, carried)
    around = joint_graph(model, model.joints)
    placed: Parents = {}

    def settle() -> None:
        """Place all bodies whose carriers are placed."""
        for name, on in carried.items():  # parents come first
            free = on is None and name not in waiting
            if name not in placed and (free or (on and on[0] in (GROUND.name, *placed))):
                placed[name] = on

    settle()
    while waiting:
        offers = [
            (rank_of(model.joint(joint), other, spaces[name]), name, (other, joint))
            for name in waiting
            for other, joint in around[name]
            if other == GROUND.name or other in placed
        ]
        best = min(offers, key=lambda offer: offer[0], default=None)
        name, on = (best[1], best[2]) if best else (waiting[0], None)
        placed[name] = on
        waiting.remove(name)
        settle()
    return tree_of(model, placed)


def rank_of(joint: Joint, other: str, space: Space) -> tuple[bool, bool, int]:
    """The less, the more a joint says of what a chart is confined to."""
    direct = other == (space.relative_to or GROUND.name)
    return not direct, not joint.is_lower_pair, -len(joint.locked)


def check_subgroups(model: Model, spaces: Mapping[str, Space]) -> None:
    """Refuse spaces that are not the subgroups of joints, and charts of what they cannot move."""
    for name, space in spaces.items():
        if space.group == "subgroup":
            check_carrier(model, name, space)
        elif model.body(name).mass == 0.0:
            raise InvalidOption(
                f"spaces: body '{name}' has no mass, so that its chart {space} would have no"
                " equation of motion: only the motion subgroup of its joint can move it.",
                f"Leave '{name}' out of spaces, which puts it there, or give it a mass.",
            )
    carriers(model, spaces)  # refuses bodies that carry each other in a circle


def check_carrier(model: Model, name: str, space: Space) -> None:
    """A lower pair carries the body, or a joint that is a ball and more, and its other body.

    A body on no joint's subgroup moves freely, and is not relative to another.
    """
    if not isinstance(space.at, str):
        if space.at is not None or space.relative_to is not None:
            raise InvalidOption(
                f"spaces: body '{name}' is on the {space}, but a subgroup is that of a joint.",
                CHARTS,
            )
        return
    joint = model.joint(space.at, where=f"the space of body '{name}'")
    if not joint.is_lower_pair and not is_centred(joint):
        raise InvalidOption(
            f"spaces: joint '{joint.name}' is {joint.kind}, and what it allows is not a group of"
            f" motions: body '{name}' cannot be on it.",
            CHARTS,
        )
    if name not in (joint.a, joint.b):
        raise InvalidOption(
            f"spaces: body '{name}' is on the {space}, but joint '{joint.name}' joins"
            f" '{joint.a}' and '{joint.b}'.",
            CHARTS,
        )
    other = joint.a if name == joint.b else joint.b
    wanted = Space("subgroup", joint.name, None if other == GROUND.name else other)
    if space != wanted:
        raise InvalidOption(
            f"spaces: body '{name}' is on the {space}, but its parent joint makes that the"
            f" {wanted}.",
            CHARTS,
        )
