"""The one number that says how far a joint has moved: an angle or a displacement.

It is that of b relative to a about or along the joint's axis, zero at the start; an angle counts
whole turns.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from chasles.model.checks import Invalid, checked_name
from chasles.model.errors import InvalidOption, short_repr
from chasles.model.fields import Taken, word
from chasles.model.joints import Joint
from chasles.model.pairs import COORDINATES_OF, pair_of_rows
from chasles.model.words import Coordinate, Word

#: A value in rad or m, or (value, rate); None leaves that of the model.
Start: TypeAlias = float | tuple[float | None, float | None] | None
#: Joint -> its start, or the starts of its coordinates by "angle" and "displacement".
if TYPE_CHECKING:
    Coordinates: TypeAlias = (
        Mapping[str, Start | Mapping[str, Start]] | Mapping[Joint, Start | Mapping[str, Start]]
    )
else:
    Coordinates = Word("Coordinates")

AUTO: Coordinate = "auto"
ANGLE: Coordinate = "angle"
DISPLACEMENT: Coordinate = "displacement"
checked_coordinate = word(Coordinate)


def resolved_coordinate(
    joint: Joint, coordinate: Coordinate, where: str, invalid: Invalid
) -> Coordinate:
    """The coordinate of this joint that was asked for, "auto" being the usual one."""
    known = joint.coordinates
    pair = pair_of_rows(joint.locked) if joint.is_lower_pair else None
    if not known and pair in COORDINATES_OF:
        own = type(joint).__name__
        raise invalid(
            f"{where}: joint '{joint.name}' has no coordinate, since its class '{own}' declares"
            " none.",
            f"Declare it there: coordinates = {COORDINATES_OF[pair]}.",
        )
    if not known:
        raise invalid(
            f"{where}: joint '{joint.name}' is {joint.kind} and has no coordinate.",
            "Name a revolute, helical, prismatic or cylindrical joint.",
        )
    if coordinate == AUTO:
        return known[0]
    if coordinate not in known:
        raise invalid(
            f"{where}: joint '{joint.name}' is {joint.kind} and has no {coordinate}.",
            f"Give coordinate='{known[0]}', or leave it out.",
        )
    return coordinate


def coordinate_key(model: Any, joint: Any, which: Any) -> tuple[str, Coordinate]:
    """A joint's name, and which of its coordinates is meant."""
    found = model.joint(joint)
    where = f"coordinate of joint '{found.name}'"
    word = checked_coordinate(which, "coordinate", where, InvalidOption)
    return found.name, resolved_coordinate(found, word, where, InvalidOption)


def checked_joint_name(joint: Any, what: str, where: str, invalid: Invalid) -> str:
    if isinstance(joint, Joint):
        return joint.name
    if not isinstance(joint, str):
        raise invalid(
            f"{where}: {what} must be a joint, got {short_repr(joint)}.",
            "Give a Joint of the model, or its name.",
        )
    return checked_name(joint, "joint", invalid)


#: Fields of what acts on a joint.
Which = Annotated[Coordinate, checked_coordinate]
OfJoint = Annotated[Taken[Joint | str, str], checked_joint_name]
