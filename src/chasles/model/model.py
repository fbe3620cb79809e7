"""A model: bodies, joints and gravity, checked together."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from chasles.model.body import GROUND, Body, Ground
from chasles.model.checks import Vector3, checked_vector
from chasles.model.errors import InvalidModel, UnknownName, told
from chasles.model.joints import Joint

Named = TypeVar("Named", Body, Joint)
EARTH: Vector3 = (0.0, 0.0, -9.81)


@dataclass(frozen=True, init=False, repr=False)
class Model:
    """Bodies and the joints between them, in a uniform field of gravity (m/s^2, world axes).

    Bodies and joints keep the order in which they were given; arrays elsewhere follow it.

    >>> from chasles.model import GROUND, Body, Spherical
    >>> arm = Body.rod("arm", length=1.0, mass=2.0, position=(0.5, 0, 0))
    >>> Model([arm], [Spherical("pivot", GROUND, arm, at=(0, 0, 0))])
    Model(1 body, 1 joint, 3 degrees of freedom)
    """

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...] = ()
    forces: tuple[Any, ...] = ()
    gravity: Vector3 = EARTH

    def __init__(
        self,
        bodies: Iterable[Body],
        joints: Iterable[Joint] = (),
        forces: Iterable[Any] = (),
        gravity: ArrayLike = EARTH,
    ) -> None:
        all_bodies = checked_members(bodies, Body, "bodies")
        if not all_bodies:
            raise InvalidModel("the model has no bodies.", "Give at least one Body.")
        all_forces = listed(forces, "forces")
        if all_forces:
            raise InvalidModel(
                f"forces holds {told(all_forces[0])}, but only gravity is supported yet.",
                "Leave forces out; give a uniform field as gravity=(x, y, z).",
            )
        by_name = {body.name: body for body in all_bodies}
        values = {
            "bodies": all_bodies,
            "joints": tuple(
                placed(joint, by_name) for joint in checked_members(joints, Joint, "joints")
            ),
            "forces": (),
            "gravity": checked_vector(gravity, "gravity", "model", InvalidModel),
        }
        for attribute, value in values.items():
            object.__setattr__(self, attribute, value)

    @property
    def body_names(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    def body(self, body: Body | str, where: str = "") -> Body:
        """The model's body of that name; `where` opens the message if there is none."""
        return found(body, Body, self._body_by_name, where)

    def joint(self, joint: Joint | str, where: str = "") -> Joint:
        """The model's joint of that name; `where` opens the message if there is none."""
        return found(joint, Joint, self._joint_by_name, where)

    @cached_property
    def _body_by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _joint_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @property
    def degrees_of_freedom(self) -> int:
        """Grübler's count: six per body less the locked directions of every joint.

        Redundant joints lock a direction twice, so the true number may be larger.
        """
        return 6 * len(self.bodies) - sum(len(joint.locked) for joint in self.joints)

    def summary(self) -> str:
        """The model in words, one line per body and joint."""
        lines = [
            plural(len(self.bodies), "body", "bodies"),
            *(
                f"  {body.name}: {body.mass:g} kg at {shown(body.position)} m"
                for body in self.bodies
            ),
            plural(len(self.joints), "joint", "joints"),
            *(
                f"  {joint.name}: {joint.kind}, {joint.a} to {joint.b}, locks"
                f" {' '.join(joint.locked)}"
                for joint in self.joints
            ),
            f"gravity {shown(self.gravity)} m/s^2",
            f"{self.degrees_of_freedom} degrees of freedom by Grübler's count",
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"Model({plural(len(self.bodies), 'body', 'bodies')},"
            f" {plural(len(self.joints), 'joint', 'joints')},"
            f" {plural(self.degrees_of_freedom, 'degree', 'degrees')} of freedom)"
        )


def checked_model(model: Any) -> Model:
    """What can be simulated."""
    if not isinstance(model, Model):
        raise InvalidModel(
            f"model is {told(model)}, which is no Model.", "Make one: Model(bodies, joints)."
        )
    return model


def found(part: Any, kind: type[Named], known: dict[str, Named], where: str) -> Named:
    """The part of a model that is meant by itself or by its name."""
    name = part.name if isinstance(part, kind | Ground) else part
    if not isinstance(name, str) or name not in known:
        raise UnknownName.among(kind.__name__.lower(), name, known, where=where)
    return known[name]


def checked_members(members: Any, kind: type[Named], what: str) -> tuple[Named, ...]:
    """Objects of one kind with names that are all different."""
    parts = listed(members, what)
    first: dict[str, int] = {}
    for index, member in enumerate(parts):
        if not isinstance(member, kind):
            raise InvalidModel(
                f"{what}[{index}] is {told(member)}, which is no {kind.__name__}.",
                f"Give {kind.__name__} objects only: Model(bodies, joints, gravity=...).",
            )
        if member.name in first:
            raise InvalidModel(
                f"{what}[{first[member.name]}] and {what}[{index}] are both named '{member.name}'.",
                "Give every one its own name; results are looked up by it.",
            )
        first[member.name] = index
    return parts


def listed(members: Any, what: str) -> tuple[Any, ...]:
    """The members of anything that can be gone through once."""
    try:
        return tuple(members)
    except TypeError:  # one part alone, None, a number
        raise InvalidModel(
            f"{what} is {told(members)}, but is a list.", f"Put it in brackets: {what}=[...]."
        ) from None


def placed(joint: Joint, bodies: dict[str, Body]) -> Joint:
    """The joint between bodies that exist, with a point even if none was given."""
    for name in (joint.a, joint.b):
        if name != GROUND.name and name not in bodies:
            raise UnknownName.among("body", name, bodies, where=f"joint '{joint.name}'")
    if joint.at is not None:
        return joint
    return replace(joint, at=bodies[joint.a if joint.b == GROUND.name else joint.b].position)


def plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def shown(vector: Vector3) -> str:
    return "(" + ", ".join(f"{x:g}" for x in vector) + ")"
