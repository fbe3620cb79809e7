"""From a model to a space for every body."""

from collections.abc import Callable, Mapping
from typing import Any

from chasles.model import GROUND, Model, UnknownName
from chasles.spaces.space import SE3, SO3xR3, Space
from chasles.spaces.tree import Tree, spanning_tree


def auto(tree: Tree, body: str) -> Space:
    """The direct product framed on the joint that carries the body, relative to its parent.

    In that chart a lower pair is linear with constant coefficients, so it holds to rounding, and
    the chart is cheaper than SE(3).  A free body keeps its momentum at the centre of mass.
    """
    carried = tree.parents[body]
    if carried is None:
        return Space("SO3xR3")
    parent, joint = carried
    return Space("SO3xR3", joint, None if parent == GROUND.name else parent)


def relative_se3(tree: Tree, body: str) -> Space:
    """SE(3), relative to the parent body in the joint tree."""
    carried = tree.parents[body]
    moving = carried is not None and carried[0] != GROUND.name
    return Space("SE3", None, carried[0] if carried and moving else None)


def on_joint(tree: Tree, body: str) -> Space:
    """SO(3)xR3, absolute, framed on the joint that carries the body."""
    carried = tree.parents[body]
    return Space("SO3xR3", carried[1] if carried else None)


#: Rules that give every body a space, by name.
RULES: dict[str, Callable[[Tree, str], Space]] = {
    "auto": auto,
    "SE3": lambda tree, body: Space("SE3"),
    "SO3xR3": lambda tree, body: Space("SO3xR3"),
    "SE3 relative": relative_se3,
    "SO3xR3 on joints": on_joint,
}


def resolve_spaces(model: Model, spaces: Any) -> dict[str, Space]:
    """A Space for every body from a rule's name, a Space, or a dict body -> Space or name.

    Bodies that a dict leaves out get the space that "auto" gives them.
    """
    tree = spanning_tree(model)
    if not isinstance(spaces, Mapping):
        return {name: space_of(spaces, tree, name, "spaces") for name in model.body_names}
    chosen = {name: auto(tree, name) for name in model.body_names}
    for key, value in spaces.items():
        name = model.body(key, where="spaces").name
        chosen[name] = space_of(value, tree, name, f"spaces['{name}']")
    return chosen


def space_of(value: Any, tree: Tree, body: str, where: str) -> Space:
    """The space of a body from a Space, a rule's name, or SE3 / SO3xR3 themselves."""
    if isinstance(value, Space):
        return value
    if value is SE3 or value is SO3xR3:
        return Space(value.__name__)
    if not isinstance(value, str) or value not in RULES:
        raise UnknownName.among("space", value, RULES, where=where)
    return RULES[value](tree, body)
