"""Which joints hold to rounding in the chosen spaces."""

from chasles.model import GROUND, Joint, Model
from chasles.spaces.space import Space


def drifting_joints(model: Model, spaces: dict[str, Space]) -> tuple[str, ...]:
    """Joints that the charts of their bodies do not keep closed by themselves."""
    return tuple(joint.name for joint in model.joints if not is_exact(joint, spaces))


def is_exact(joint: Joint, spaces: dict[str, Space]) -> bool:
    """Whether one body is charted relative to the other, on SE(3) or framed on the joint."""
    for child, parent in ((joint.a, joint.b), (joint.b, joint.a)):
        if child != GROUND.name:
            space = spaces[child]
            framed = space.group == "SE3" or space.at == joint.name
            if framed and (space.relative_to or GROUND.name) == parent:
                return True
    return False
