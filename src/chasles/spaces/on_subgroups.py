"""Models whose bodies all move in the motion subgroups of the joints that carry them."""

from collections.abc import Collection, Mapping
from typing import Any

from chasles.model import GROUND, InvalidOption, Model
from chasles.spaces.space import Space, reference_order
from chasles.spaces.tree import Tree, is_centred, spanning_tree

CHARTS = "Take spaces='subgroups', which names the joints itself, or 'auto'."


def on_subgroups(spaces: Mapping[str, Space]) -> bool:
    """Whether the bodies of a model are on the subgroups of their joints."""
    return any(space.group == "subgroup" for space in spaces.values())


def tree_under(model: Model, forced: Mapping[str, Space], cut: Collection[str]) -> Tree:
    """The tree that spaces lie on: subgroups name theirs, the others have a spanning tree."""
    on_joints = len(forced) == len(model.bodies) and all(
        space.group == "subgroup" for space in forced.values()
    )
    return subgroup_tree(model, forced) if on_joints else spanning_tree(model, cut)


def subgroup_tree(model: Model, spaces: Mapping[str, Space]) -> Tree:
    """The tree that bodies on the subgroups of their joints hang on, parents first."""
    parents: dict[str, tuple[str, str] | None] = {}
    for name in reference_order(model, dict(spaces)):
        space = spaces[name]
        carried = isinstance(space.at, str)
        parents[name] = (space.relative_to or GROUND.name, str(space.at)) if carried else None
    used = {carried[1] for carried in parents.values() if carried}
    return Tree(parents, tuple(name for name in model.joint_names if name not in used))


def check_subgroups(model: Model, spaces: Mapping[str, Space]) -> None:
    """Refuse spaces that are not the subgroups of joints, where any body is on one."""
    if not on_subgroups(spaces):
        check_charted(model, "spaces")
        return
    for name, space in spaces.items():
        if space.group != "subgroup":
            other = next(body for body, s in spaces.items() if s.group == "subgroup")
            raise InvalidOption(
                f"spaces: body '{name}' is on {space} and body '{other}' on the subgroup of its"
                " joint, which cannot be mixed.",
                "Take spaces='subgroups' for all bodies, or a chart for each.",
            )
        check_carrier(model, name, space)
    subgroup_tree(model, spaces)  # refuses bodies that carry each other in a circle


def check_charted(model: Model, where: str) -> None:
    """Refuse what charts of bodies do not have a place for: rotors, and frames without mass."""
    check_massive(model, where)
    for joint in model.joints:
        if joint.rotors:
            raise InvalidOption(
                f"{where}: joint '{joint.name}' has an armature, which only the motion subgroup of"
                " its joint can feel.",
                remedy(where, "set armature=0"),
            )


def check_massive(model: Model, where: str) -> None:
    """Refuse frames without mass, and couplings of coordinates."""
    for coupling in model.couplings:
        raise InvalidOption(
            f"{where}: {coupling.where} couples joint coordinates, which only the motion subgroups"
            " of the joints have.",
            remedy(where, "leave it out; two wheels in the ground may have a Gear"),
        )
    for body in model.bodies:
        if body.mass == 0.0:
            raise InvalidOption(
                f"{where}: body '{body.name}' has no mass, so that its chart would have no"
                " equation of motion: only the motion subgroup of its joint can move it.",
                remedy(where, "give it a mass"),
            )


def remedy(where: str, otherwise: str) -> str:
    """What to do about a model that charts have no equations for: runs have another choice."""
    if where == "spaces":
        return f"Take simulate(..., spaces='subgroups'), or {otherwise}."
    return f"Only runs know subgroups, {where} does not: {otherwise}."


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
            f"spaces: body '{name}' is on the {space}, but what carries it makes that the"
            f" {wanted}.",
            CHARTS,
        )


def check_form(acceleration: Any) -> None:
    """Refuse a form of the acceleration constraints other than the one that cut joints have."""
    if isinstance(acceleration, str) and acceleration == "space":
        raise InvalidOption(
            f"simulate: acceleration is {acceleration!r}, but joints that carry bodies on their"
            " subgroups have no constraint rows, and the others the screw form.",
            "Leave it out, or take spaces='framed'.",
        )
