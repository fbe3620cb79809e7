"""A mechanism as a part: moved, renamed, and put beside others.

A motion x -> R x + p of the whole mechanism moves its points by R and p, and its directions,
velocities and frames by R.  Angular velocities are in body frames, and stay.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from chasles.model.body import GROUND, Body
from chasles.model.checks import Matrix3, Vector3, as_matrix, as_vector, checked_vector
from chasles.model.coordinate_coupling import Coupling
from chasles.model.custom import CustomCoupling, CustomForce, CustomJoint
from chasles.model.errors import InvalidModel, short_repr
from chasles.model.forces import Bushing
from chasles.model.loads import WORLD, Load
from chasles.model.parts import KINDS
from chasles.model.rotations import Turned, rotation_of, turned
from chasles.model.sensors import ForceSensor
from chasles.model.signals import Components
from chasles.model.words import ArrayLike, Floats

if TYPE_CHECKING:
    from chasles.model.model import Model

POINTS = ("at", "at_b")
DIRECTIONS = ("axis", "axis_b", "direction")
BODIES = ("a", "b", "body", "reaction")
NAMES = ("name", "joint")


@dataclass(frozen=True)
class Placement:
    """x -> rotation x + position, and what is put before names."""

    prefix: str
    rotation: Floats
    position: Floats

    @property
    def turns(self) -> bool:
        return not np.array_equal(self.rotation, np.eye(3))

    @property
    def moves(self) -> bool:
        return self.turns or bool(self.position.any())

    def point(self, point: Vector3) -> Vector3:
        return as_vector(self.rotation @ np.array(point) + self.position)

    def direction(self, direction: Vector3) -> Vector3:
        return turned(self.rotation, direction)

    def turn(self, rotation: Matrix3) -> Matrix3:
        return as_matrix(self.rotation @ np.array(rotation))

    def name(self, name: str) -> str:
        return self.prefix + name

    def body_name(self, name: str) -> str:
        return name if name == GROUND.name else self.prefix + name


def moved(model: "Model", prefix: str, position: ArrayLike, rotation: Turned) -> "Model":
    """The model at another place, under other names."""
    if not isinstance(prefix, str):
        raise InvalidModel(
            f"placed: prefix must be a text, got {short_repr(prefix)}.",
            "Give a text: prefix='left '.",
        )
    place = Placement(
        prefix,
        np.array(rotation_of(rotation, "placed")),
        np.array(checked_vector(position, "position", "placed", InvalidModel)),
    )
    parts = {what: [moved_part(part, place) for part in getattr(model, what)] for what in KINDS}
    return type(model)(**parts, gravity=model.gravity, notes=model.notes)


def moved_part(part: Any, place: Placement) -> Any:
    """A body, joint, force, driver or sensor: its points, directions and names."""
    check_movable(part, place)
    rules: list[tuple[tuple[str, ...], Callable[[Any], Any]]] = [
        (POINTS, place.point), (DIRECTIONS, place.direction),
        (BODIES, place.body_name), (NAMES, place.name),
    ]  # fmt: skip
    if isinstance(part, Body):  # kinds from elsewhere may mean something else by these words
        rules += [(("position",), place.point), (("rotation",), place.turn),
                  (("velocity",), place.direction)]  # fmt: skip
    if isinstance(part, Load) and part.frame == WORLD:
        rules.append((("force", "torque"), place.direction))
    if isinstance(part, ForceSensor):
        rules.append((("force",), place.name))
    made = {field.name for field in fields(part) if field.init}
    changes = {
        name: rule(getattr(part, name))
        for names, rule in rules
        for name in names
        if name in made and getattr(part, name) is not None
        and not callable(getattr(part, name))
    }  # fmt: skip
    if isinstance(part, CustomCoupling):
        changes["bodies"] = tuple(place.name(name) for name in part.bodies)
    elif isinstance(part, CustomForce):
        changes["others"] = tuple(place.name(name) for name in part.others)
    elif isinstance(part, Coupling):
        changes["terms"] = tuple((place.name(joint), *rest) for joint, *rest in part.terms)
    return replace(part, **changes)


def check_movable(part: Any, place: Placement) -> None:
    """Refuse parts that mean something else elsewhere."""
    where = f"{part.kind} '{part.name}'"
    if isinstance(part, CustomForce | CustomJoint | CustomCoupling) and place.moves:
        raise InvalidModel(
            f"placed: {where} has a formula in world coordinates, which cannot be moved.",
            "Place the model with a prefix only, and give the formula at its place.",
        )
    if not place.turns:
        return
    if isinstance(part, Load) and part.frame == WORLD:
        for what in ("force", "torque"):
            if callable(getattr(part, what)):
                kind = "signals" if isinstance(getattr(part, what), Components) else "a function"
                raise InvalidModel(
                    f"placed: {where} has {kind} along world axes as its {what}, which cannot be"
                    " turned.",
                    "Give it in the axes of the body (frame='body'), or after turning the model.",
                )
    if isinstance(part, Bushing):
        across = [(values[0], values[3]) == (values[1], values[4])
                  for values in (part.stiffness, part.damping)]  # fmt: skip
        if not all(across):
            raise InvalidModel(
                f"placed: {where} is not the same along x and y of its frame, which is chosen by"
                " the axes of the world and cannot be turned.",
                "Add the bushing after turning the model.",
            )


def combined(first: "Model", second: "Model") -> "Model":
    if first.gravity != second.gravity:
        raise InvalidModel(
            f"the models have different gravity: {first.gravity} and {second.gravity} m/s^2.",
            "Make both with the same gravity=.",
        )
    for what, kind in KINDS.items():
        others = {part.name for part in getattr(second, what)}
        shared = [part.name for part in getattr(first, what) if part.name in others]
        if shared:
            raise InvalidModel(
                f"both models have a {kind.word} '{shared[0]}'.",
                "Give one of them a prefix: model.placed(prefix='left ').",
            )
    parts = {what: getattr(first, what) + getattr(second, what) for what in KINDS}
    notes = first.notes + tuple(note for note in second.notes if note not in first.notes)
    return type(first)(**parts, gravity=first.gravity, notes=notes)
