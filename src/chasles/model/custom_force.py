"""Forces by a user's own formula, on one body or on several."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from chasles.model.body import GROUND, Body
from chasles.model.checks import Vector3, checked_callable, checked_vector, fill
from chasles.model.errors import ChaslesError, InvalidForce, one_line, told
from chasles.model.forces import checked_body_of_force
from chasles.model.joints import Attachment
from chasles.model.loads import BodyForce
from chasles.model.several import checked_several


@dataclass(frozen=True, init=False)
class CustomForce(BodyForce, in_files=False):
    """A force and a torque by a formula of time and of the motion of one body, or of several.

    formula   formula(t, position, rotation, velocity, angular_velocity) -> (force, torque), both
              in world axes at the centre of mass; rotation is nine numbers row by row (body to
              world), angular_velocity is in the body frame, all others are in the world
    reaction  who receives the opposite force and torque: a body, or the ground
    compiled  whether the formula is to be compiled: fast, but only numbers, tuples and math; else
              it is called through Python, about 4 microseconds a time (a step of a body takes 1)
    sees_reaction  whether the formula gets a last argument: (position, rotation, velocity,
              angular_velocity) of the body that `reaction` names, for forces between two bodies
              that both move

    With a list of bodies in the place of one the formula is formula(t, motion_1, motion_2, ...)
    -> [(force_1, torque_1), (force_2, torque_2), ...], where a motion is (position, rotation,
    velocity, angular_velocity): whatever acts on each.  Nothing is added: what balances is up to
    the formula.

    >>> def lift(t, position, rotation, velocity, angular_velocity):
    ...     return (0.0, 0.0, 2.0), (0.0, 0.0, 0.0)
    >>> CustomForce("lift", "wing", lift).reaction
    'ground'
    >>> CustomForce("pull", ["sun", "earth", "moon"], lift).bodies
    ('sun', 'earth', 'moon')
    """

    formula: Callable[..., Any] = tuple
    reaction: str = GROUND.name
    compiled: bool = False
    sees_reaction: bool = False
    others: tuple[str, ...] = ()  # bodies beside the first, where the formula sees several

    def __init__(
        self,
        name: str,
        body: Body | str | Sequence[Body | str],
        formula: Callable[..., Any],
        reaction: Attachment = GROUND,
        compiled: bool = False,
        sees_reaction: bool = False,
        others: Sequence[Body | str] = (),
    ) -> None:
        first, rest = first_and_rest(name, body, others)
        super().__init__(name, first)
        call = "formula(t, position, rotation, velocity, angular_velocity)"
        other = checked_body_of_force(reaction, "reaction", self.where)
        if other == self.body:
            raise InvalidForce(
                f"{self.where}: body and reaction are both '{other}', so it does nothing.",
                "Give another body, or leave it out for the ground.",
            )
        flags = {"compiled": compiled, "sees_reaction": sees_reaction}
        for what, flag in flags.items():
            if not isinstance(flag, bool | np.bool_):
                raise InvalidForce(
                    f"{self.where}: {what} must be True or False, got {told(flag)}.",
                    f"Give {what}=True or False.",
                )
        if rest and (other != GROUND.name or compiled or sees_reaction):
            raise InvalidForce(
                f"{self.where}: its formula sees several bodies and answers for each of them, so"
                " that reaction, compiled and sees_reaction have no meaning.",
                "Leave them out.",
            )
        if compiled and sees_reaction:
            raise InvalidForce(
                f"{self.where}: compiled and sees_reaction are both True, but machine code sees one"
                " body only.",
                "Leave compiled=True out.",
            )
        fill(
            self,
            formula=checked_callable(formula, "formula", call, self.where, InvalidForce),
            reaction=other,
            compiled=bool(compiled),
            sees_reaction=bool(sees_reaction),
            others=rest,
        )

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body, *self.others) if self.others else (self.body, self.reaction)

    def wrenches(self, t: float, *motions: Any) -> list[tuple[Vector3, Vector3]]:
        """Force and torque on every body of several, checked: formula(t, *motions)."""
        count, when = len(self.bodies), f"at t = {t:g} s"
        returned = self._returned(t, motions, "formula(t, motion_1, motion_2, ...)")
        try:
            pairs = [(force, torque) for force, torque in returned]
        except (TypeError, ValueError):
            pairs = []
        if len(pairs) != count:
            raise InvalidForce(
                f"{self.where}: its formula returned {told(returned)} {when}, but sees {count}"
                " bodies.",
                f"Return {count} pairs (force, torque), in the order of the bodies.",
            )
        return [
            self._checked(pair, f" on '{name}' {when}")
            for name, pair in zip(self.bodies, pairs, strict=True)
        ]

    def wrench(self, t: float, *motion: Any) -> tuple[Vector3, Vector3]:
        """Force and torque at one time and motion, checked: formula(t, *motion)."""
        call = "formula(t, position, rotation, velocity, angular_velocity)"
        returned = self._returned(t, motion, call)
        when = f"at t = {t:g} s"
        try:
            force, torque = returned
        except (TypeError, ValueError):
            raise InvalidForce(
                f"{self.where}: its formula returned {told(returned)} {when}.",
                "Return two vectors: (force, torque), each of three numbers.",
            ) from None
        return self._checked((force, torque), f" {when}")

    def _returned(self, t: float, motion: Sequence[Any], call: str) -> Any:
        try:
            return self.formula(t, *motion)
        except ChaslesError:
            raise
        except Exception as error:
            raise InvalidForce(
                f"{self.where}: its formula raised {type(error).__name__} at t = {t:g} s:"
                f" {one_line(error)}",
                f"Give {call}.",
            ) from error

    def _checked(self, pair: tuple[Any, Any], which: str) -> tuple[Vector3, Vector3]:
        force, torque = pair
        if is_plain(force) and is_plain(torque):  # nearly always, and quick
            return force, torque
        return (
            checked_vector(force, f"the force{which}", self.where, InvalidForce),
            checked_vector(torque, f"the torque{which}", self.where, InvalidForce),
        )


def first_and_rest(name: Any, body: Any, others: Any) -> tuple[Any, tuple[str, ...]]:
    """The body of a formula that sees one, or the first of several and the others."""
    if isinstance(body, list | tuple):
        several = checked_several(body, f"force '{name}'", InvalidForce)
        return several[0], several[1:]
    if isinstance(others, tuple | list) and not others:
        return body, ()
    listed = [*others] if isinstance(others, list | tuple) else [others]
    several = checked_several([body, *listed], f"force '{name}'", InvalidForce)
    return several[0], several[1:]


def is_plain(vector: Any) -> bool:
    """Whether it is three finite floats in a tuple."""
    if type(vector) is not tuple or len(vector) != 3:
        return False
    x, y, z = vector
    return type(x) is type(y) is type(z) is float and isfinite(x) and isfinite(y) and isfinite(z)
