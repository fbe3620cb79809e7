r"""Charts that fit a joint so well that its own motion subgroup is what a method moves on.

Let the chart of b be relative to a and keep the joint between them: the poses that the joint allows
are a coset of a subgroup K of the chart's group.  Where K, with its product in the chart, is the
motion subgroup H of the joint as the recursion has it, a Munthe-Kaas method makes the same steps on
either, and H is the better one: what is not there cannot round.

| pair                                    | on SE(3)  | on SO(3)xR3                       |
|-----------------------------------------|-----------|-----------------------------------|
| spherical                               | H = SO(3) | H, framed on its centre           |
| revolute, cylindrical, helical          | H         | H, framed on its axis             |
| prismatic, fixed                        | H         | H                                 |
| planar                                  | SE(2)     | H, framed on the centre of mass   |

The planar pair's H is SO(2) x R^2, whose shifts are those of the centre of mass.  SE(2) and shifts
of other points are other groups on the same poses: there the body stays on its chart, with rows.
"""

from collections.abc import Iterable

import numpy as np

from chasles.model import GROUND, Joint, Model, Planar
from chasles.model.words import Floats
from chasles.spaces.space import Space, frame_point
from chasles.spaces.subalgebras import Scale

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


def is_framed_on(joint: Joint, space: Space) -> bool:
    """Whether a frame point is where a joint wants it, by words alone."""
    return space.group == "SE3" or space.at == joint.name or joint.any_frame_point


def framed_exactly(model: Model, joint: Joint, child: str, space: Space) -> bool:
    """Whether the frame point of a body is on a joint to rounding, where it has to be on it."""
    if is_framed_on(joint, space):
        return True
    point = np.array(frame_point(space, model.body(child), model))
    return distance(joint, point) <= SAME_POINT * local_scale(joint, model, child, space).length


def is_centred_chart(model: Model, name: str, space: Space) -> bool:
    """Whether a body is on SO(3)xR3 framed on its centre of mass."""
    body = model.body(name)
    return space.group != "SE3" and frame_point(space, body, model) == body.position


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
        and (not isinstance(joint, Planar) or is_centred_chart(model, name, space))
        and framed_exactly(model, joint, name, space)
    ]
    return max(found, key=lambda joint: len(joint.locked), default=None)
