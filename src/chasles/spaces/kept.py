"""Joints whose algebras are constant subspaces of charts' velocities: what a projector can keep.

See `chasles.core.confinement`, which keeps slopes in them.
"""

from collections.abc import Collection

from chasles.model import GROUND, Joint, Model
from chasles.spaces.exactness import Charts, Geometry, exact_joints
from chasles.spaces.fitting import framed_exactly
from chasles.spaces.space import Space
from chasles.spaces.tree import spanning_tree


def kept_directly(model: Model, spaces: dict[str, Space]) -> dict[str, tuple[Joint, ...]]:
    """The joints of every body to the reference of its chart, which the chart keeps: case 1.

    Bodies that have none are left out.  A point kept on a line or plane counts where nothing else
    is kept.  Frame points are taken at their word: one that is on an axis up to a tolerance only
    is not.
    """
    charts = Charts(Geometry(model))
    charts.spaces = spaces
    pairs: dict[str, tuple[Joint, ...]] = {}
    points: dict[str, tuple[Joint, ...]] = {}
    for joint in model.joints:
        if joint.is_lower_pair:
            child = charts.directly(joint)
            exactly = child and framed_exactly(model, joint, child, spaces[child])
            if child and exactly and charts.holds(joint):
                pairs[child] = (*pairs.get(child, ()), joint)
        elif charts.stores_point(joint):
            points.setdefault(joint.b, (joint,))
    return points | pairs


def projected_slopes(model: Model, spaces: dict[str, Space], groups: Collection[str]) -> set[str]:
    """The joints that charts of these groups keep in doubles, too, by a projector of slopes."""
    found: dict[str, tuple[Joint, ...]] = {
        body: (joint,) for body, joint in kept_together(model, spaces).items()
    }
    found |= kept_directly(model, spaces)
    return {
        joint.name for body, joints in found.items() if spaces[body].group in groups
        for joint in joints
    }  # fmt: skip


def kept_together(model: Model, spaces: dict[str, Space]) -> dict[str, Joint]:
    """By body b, the joint that carries it and that the charts of both its bodies keep: case 2.

    Both have the same reference and the joint is not to it.  Parents come first.
    """
    paired = {
        name: model.joint(carried[1])
        for name, carried in spanning_tree(model).parents.items()
        if carried is not None
        and carried[0] != GROUND.name
        and spaces[name].relative_to == spaces[carried[0]].relative_to
    }
    exact = set(exact_joints(model, spaces)) if paired else set()
    return {name: j for name, j in paired.items() if j.name in exact and j.is_lower_pair}
