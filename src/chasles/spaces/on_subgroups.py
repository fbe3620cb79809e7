"""Models whose bodies all move in the motion subgroups of their joints: trees of lower pairs."""

from collections.abc import Iterable, Mapping

from chasles.model import Driver, InvalidOption, Model
from chasles.spaces.designate import on_subgroup
from chasles.spaces.space import Space
from chasles.spaces.tree import Tree, spanning_tree

CHARTS = "Take spaces='auto', which has a chart for every body."


def on_subgroups(spaces: Mapping[str, Space]) -> bool:
    """Whether the bodies of a model are on the subgroups of their joints."""
    return any(space.group == "subgroup" for space in spaces.values())


def check_subgroups(model: Model, spaces: Mapping[str, Space]) -> None:
    """Refuse what does not go with subgroups, where any body is on one."""
    if not on_subgroups(spaces):
        check_charted(model, "spaces")
        return
    tree = spanning_tree(model)
    check_spaces(tree, spaces)
    for joint in model.joints:
        if not joint.is_lower_pair:
            raise InvalidOption(
                f"spaces: joint '{joint.name}' is {joint.kind}, and what it allows is not a group"
                " of motions: the bodies of this model cannot be on the subgroups of their joints.",
                CHARTS,
            )
    if tree.cut:
        raise InvalidOption(
            f"spaces: joint '{tree.cut[0]}' closes a loop: bodies can be on the subgroups of their"
            " joints in trees only.",
            CHARTS,
        )
    check_drivers(model)


def check_charted(model: Model, where: str) -> None:
    """Refuse what charts of bodies do not have a place for: rotors, and frames without mass."""
    check_massive(model, where)
    for joint in model.joints:
        if joint.rotors:
            raise InvalidOption(
                f"{where}: joint '{joint.name}' has an armature, which only the motion subgroup of"
                " its joint can feel.",
                "Take simulate(..., spaces='subgroups'), or armature=0.",
            )


def check_massive(model: Model, where: str) -> None:
    """Refuse frames without mass."""
    for body in model.bodies:
        if body.mass == 0.0:
            raise InvalidOption(
                f"{where}: body '{body.name}' has no mass, so that its chart would have no"
                " equation of motion: only the motion subgroup of its joint can move it.",
                "Take simulate(..., spaces='subgroups'), or give it a mass.",
            )


def check_spaces(tree: Tree, spaces: Mapping[str, Space]) -> None:
    """Every body is on the subgroup of the joint that carries it."""
    for name, space in spaces.items():
        wanted = on_subgroup(tree, name)
        if space.group != "subgroup":
            other = next(body for body, s in spaces.items() if s.group == "subgroup")
            raise InvalidOption(
                f"spaces: body '{name}' is on {space} and body '{other}' on the subgroup of its"
                " joint, which cannot be mixed.",
                "Take spaces='subgroups' for all bodies, or a chart for each.",
            )
        if space != wanted:
            raise InvalidOption(
                f"spaces: body '{name}' is on the {space}, but what carries it makes that the"
                f" {wanted}.",
                "Take spaces='subgroups', which names the joints itself.",
            )


def check_drivers(model: Model) -> None:
    """A driver prescribes a coordinate of a joint."""
    for driver in model.drivers:
        if not isinstance(driver, Driver):
            raise InvalidOption(
                f"spaces: {driver.where} prescribes {driver.drives}, which is not a coordinate of a"
                " joint, as it has to be where bodies are on the subgroups of their joints.",
                CHARTS,
            )


def check_rowless(options: Iterable[tuple[str, object, object]]) -> None:
    """Refuse options (name, value, the only one allowed) that speak of constraint rows."""
    for name, value, allowed in options:
        if value != allowed:
            raise InvalidOption(
                f"simulate: {name} is {value!r}, but joints have no constraint rows where bodies"
                " are on the subgroups of their joints: nothing drifts and no pose is singular.",
                "Leave it out, or take spaces='auto'.",
            )
