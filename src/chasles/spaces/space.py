"""The configuration space of a body: a group, a frame point and a reference body."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from chasles.model import GROUND, Body, Ground, InvalidOption, Joint, Model, UnknownName
from chasles.model.checks import Vector3, checked_vector
from chasles.model.errors import short_repr
from chasles.model.keywords import checked_keywords, documented
from chasles.model.words import ArrayLike

GROUPS = ("SE3", "SO3xR3", "subgroup")
Made = TypeVar("Made")


@checked_keywords
@dataclass(frozen=True)
class Space:
    """The configuration space of a body.

    Parameters
    ----------
    group
        "SE3": rigid-body motions. "SO3xR3": rotation and translation apart. "subgroup": the motions
        that the parent joint `at` allows (SO(3)xR3 for a body without a parent joint).
    at
        Frame point: a joint's name, or a point in world coordinates at the start, m. None: the
        centre of mass. Only "SO3xR3" depends on the point.
    relative_to
        Name of the body relative to which the pose is taken. None: the ground.

    Examples
    --------
    >>> import chasles as ch
    >>> ch.Space("SO3xR3", at="pivot") == ch.SO3xR3(at="pivot")
    True
    """

    group: str
    at: str | Vector3 | None = None
    relative_to: str | None = None

    def __post_init__(self) -> None:
        UnknownName.check("group", self.group, GROUPS, "a space")
        where = f"space {self.group}"
        object.__setattr__(self, "at", checked_frame(self.at, where))
        object.__setattr__(self, "relative_to", checked_reference(self.relative_to, where))

    def __str__(self) -> str:
        frame = (
            "" if self.group == "SE3" else " at the COM" if self.at is None else f" at {self.at}"
        )
        return self.group + frame + (f" relative to {self.relative_to}" if self.relative_to else "")


RELATIVE = "The body relative to which the pose is taken, or its name. Default: the ground."
FOUND = "Space: The configuration space"


@checked_keywords
@documented(FOUND, relative_to=RELATIVE)
def SE3(relative_to: Body | Ground | str | None = None) -> Space:
    """The space SE(3) of rigid-body motions, absolute or relative to another body.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> run = ch.simulate(model, until=0.1, step=1e-2, spaces={"arm": ch.SE3()})
    >>> run.provenance["spaces"]["arm"]
    'SE3'
    """
    return Space("SE3", None, checked_reference(relative_to, "space SE3"))


@checked_keywords
@documented(FOUND, relative_to=RELATIVE)
def SO3xR3(
    at: Joint | str | ArrayLike | None = None, relative_to: Body | Ground | str | None = None
) -> Space:
    """The direct product SO(3)xR3, with rotation and translation apart.

    Parameters
    ----------
    at
        Frame point: a joint or its name, or a point in world coordinates at the start, m. Default:
        the centre of mass.

    Examples
    --------
    >>> import chasles as ch
    >>> print(ch.SO3xR3(at="pivot", relative_to="link"))
    SO3xR3 at pivot relative to link
    """
    where = "space SO3xR3"
    return Space("SO3xR3", checked_frame(at, where), checked_reference(relative_to, where))


def checked_frame(at: Any, where: str) -> str | Vector3 | None:
    """A joint's name, a point or None."""
    name = at.name if isinstance(at, Joint) else at
    if name is None or isinstance(name, str):
        return name
    return checked_vector(at, "at", where, InvalidOption)


def checked_reference(body: Any, where: str) -> str | None:
    """A body's name, or None for the ground."""
    name = body.name if isinstance(body, Body | Ground) else body
    if name is not None and not isinstance(name, str):
        raise InvalidOption(
            f"{where}: relative_to must be a body or its name, got {short_repr(body)}.",
            "Give a body or its name, or leave it out for the ground.",
        )
    return None if name == GROUND.name else name


def frame_point(space: Space, body: Body, model: Model) -> Vector3:
    """The world position, at the start, of a space's frame point."""
    if space.at is None:
        return body.position
    if not isinstance(space.at, str):
        return space.at
    joint = model.joint(space.at, where=f"the space of body '{body.name}'")
    if body.name not in (joint.a, joint.b):
        raise InvalidOption(
            f"the space of body '{body.name}' is framed on joint '{joint.name}', which joins"
            f" '{joint.a}' and '{joint.b}'.",
            f"Name a joint of '{body.name}', or give a point in world coordinates.",
        )
    at = joint.at_b if joint.b == body.name and joint.at_b is not None else joint.at
    assert at is not None  # Model has placed every joint
    return at


def made_once(
    model: Model, what: Any, spaces: Mapping[str, Space], make: Callable[[], Made]
) -> Made:
    """What is made of a model and its spaces, kept until it is asked for with other spaces."""
    kept = model._kept.get(what)
    if kept is None or kept[0] != spaces:
        kept = model._kept[what] = dict(spaces), make()
    made: Made = kept[1]
    return made


def references(spaces: Mapping[str, Space], body: str) -> Iterator[str]:
    """A body, and those that its space refers to, one after the other."""
    at: str | None = body
    while at is not None:
        yield at
        at = spaces[at].relative_to if at in spaces else None


def reference_order(model: Model, spaces: Mapping[str, Space]) -> list[str]:
    """Body names such that every reference body precedes the bodies that refer to it.

    A body that `spaces` leaves out refers to the ground.
    """
    order = made_once(model, "reference order", spaces, lambda: ordered_bodies(model, spaces))
    return list(order)


def ordered_bodies(model: Model, spaces: Mapping[str, Space]) -> list[str]:
    order: list[str] = []
    settled: set[str] = set()
    for start in model.body_names:
        path: list[str] = []
        name: str | None = start
        while name is not None and name not in settled:
            if name in path:
                loop = " -> ".join([*path[path.index(name) :], name])
                raise InvalidOption(
                    f"the spaces of these bodies refer to each other in a circle: {loop}.",
                    "Take one of them relative to the ground: relative_to=None.",
                )
            path.append(name)
            reference = spaces[name].relative_to if name in spaces else None
            where = f"the space of body '{name}'"
            if reference == name:
                raise InvalidOption(
                    f"{where} is relative to itself.",
                    "Name another body, or leave relative_to out for the ground.",
                )
            name = None if reference is None else model.body(reference, where).name
        for member in reversed(path):
            settled.add(member)
            order.append(member)
    return order
