"""Several joints one after the other, as one: frames without mass between them."""

from collections.abc import Callable
from dataclasses import replace

from chasles.model.body import GROUND, Body
from chasles.model.errors import InvalidJoint, InvalidOption, short_repr
from chasles.model.joints import Joint
from chasles.model.keywords import checked_keywords


@checked_keywords
def compound(
    *joints: Joint, frame_name: Callable[[str], str] | None = None
) -> tuple[list[Body], list[Joint]]:
    """Joints in series between two bodies, with massless frames between them.

    Parameters
    ----------
    joints
        Joints that all name the same a and b. The first is next to a.
    frame_name
        Name of the frame after a joint, from the name of the joint. "b after joint" by default.

    Notes
    -----
    Each joint keeps its name and its coordinates, on which springs, stops, motors and couplings may
    act. Points and axes are those at the poses entered. Returns the massless frames and the
    joints, to be added to the model.

    Examples
    --------
    >>> from chasles.model.joints import Revolute
    >>> at = (0, 0, 0.1)
    >>> frames, joints = compound(
    ...     Revolute("roll", "shin", "foot", at, "x"), Revolute("pitch", "shin", "foot", at, "y")
    ... )
    >>> [(joint.a, joint.b) for joint in joints]
    [('shin', 'foot after roll'), ('foot after roll', 'foot')]
    """
    check_ends(joints)
    if frame_name is not None and (not callable(frame_name) or isinstance(frame_name, type)):
        raise InvalidOption(
            "compound: frame_name must be a function of the joint's name, got"
            f" {short_repr(frame_name)}.",
            "Give a function, lambda joint: f'{joint} frame' say, or leave it out.",
        )
    frames: list[Body] = []
    chained: list[Joint] = []
    below, end = joints[0].a, joints[0].b
    for joint in joints[:-1]:
        name = f"{end} after {joint.name}" if frame_name is None else frame_name(joint.name)
        frames.append(Body.frame(name, position=joint.at or (0.0, 0.0, 0.0)))
        chained.append(replace(joint, a=below, b=name))
        below = name
    return frames, [*chained, replace(joints[-1], a=below)]


def check_ends(joints: tuple[Joint, ...]) -> None:
    """Refuse what does not lead from one body to one other."""
    for joint in joints:
        if not isinstance(joint, Joint):
            raise InvalidJoint(
                f"compound: it is made of joints, got {short_repr(joint)}.",
                "Give joints that all name the same a and b.",
            )
    if len(joints) < 2:
        raise InvalidJoint(
            f"compound: it takes two joints or more, got {len(joints)}.", "Use one joint as it is."
        )
    for joint in joints[1:]:
        if (joint.a, joint.b) != (joints[0].a, joints[0].b):
            raise InvalidJoint(
                f"compound: joint '{joint.name}' leads from '{joint.a}' to '{joint.b}', but"
                f" '{joints[0].name}' from '{joints[0].a}' to '{joints[0].b}'.",
                "Name the same a and b in all of them.",
            )
    names = [joint.name for joint in joints]
    if len(set(names)) < len(names):
        raise InvalidJoint(
            "compound: two of its joints have one name.", "Give every joint its own name."
        )
    if joints[0].b == GROUND.name:
        raise InvalidJoint(
            "compound: b is the ground, and frames hang on what they are counted from.",
            "Give the ground as a, and turn the axes round.",
        )
